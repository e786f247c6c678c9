/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "io/file/decimal.h"

#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

#include "io/file/powers.h"

/* Exponents beyond this are beyond every type, whatever digits stand in front of them. */
enum { EXPONENT_LIMIT = 1000000 };

const char *tulle__scan_exponent(const char *text, int64_t *exponent) {
    const bool negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    const char *first = text;
    int64_t value = 0;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (value < EXPONENT_LIMIT) value = value * 10 + (*text - '0');
    }
    *exponent = negative ? -value : value;
    return text > first ? text : NULL;
}

void tulle__scan_long(const char *text, tulle__decimal *number) {
    uint64_t digits = 0;
    int64_t exponent = 0;
    int taken = 0;
    bool behind_point = false, truncated = false;
    for (;; text++) {
        const unsigned digit = (unsigned)(unsigned char)*text - '0';
        if (*text == '.' && !behind_point) {
            behind_point = true;
            continue;
        }
        if (digit > 9) break;
        if (taken == 19) {
            truncated = truncated || digit != 0;
            exponent += !behind_point;
        } else {
            digits = digits * 10 + digit;
            taken += digits != 0;
            exponent -= behind_point;
        }
    }
    number->digits = digits;
    number->exponent = exponent;
    number->truncated = truncated;
}

/* What the algorithm must know of a binary format. */
typedef struct binary_format {
    int mantissa_bits; /* stored ones */
    int bias;
    int infinite;         /* the stored exponent of infinity */
    int smallest;         /* powers of ten below this give zero with any 64-bit digits */
    int largest;          /* above this: infinity */
    int tie_min, tie_max; /* powers of ten with which a product can lie exactly halfway */
} binary_format;

static const binary_format binary64 = {52, 1023, 0x7ff, -342, 308, -4, 23};
static const binary_format binary32 = {23, 127, 0xff, -65, 38, -17, 10};

/* The first 128 bits of digits 5^q, as precise as rounding needs. Table entries of -27 <= q < 0
 * are rounded up: with those a product can be a tie, which must not look smaller than it is. */
static unsigned __int128 product_with_power(uint64_t digits, int q, int precision) {
    tulle__power power = tulle__power_of(q);
    if (q < 0 && q >= -27) {
        power.low++;
        power.high += power.low == 0;
    }
    unsigned __int128 product = (unsigned __int128)digits * power.high;
    const uint64_t unsure = UINT64_MAX >> precision;
    if (((uint64_t)(product >> 64) & unsure) == unsure) {
        product += (uint64_t)(((unsigned __int128)digits * power.low) >> 64);
    }
    return product;
}

/* The bits, without the sign, of digits 10^q in a format (Lemire 2021, algorithm 1; that a product
 * of 128 bits always decides: N. Mushtak, D. Lemire, Fast number parsing without fallback, 2023).
 */
static uint64_t nearest_bits(const binary_format *format, uint64_t digits, int64_t exponent) {
    const int stored = format->mantissa_bits;
    const uint64_t infinity = (uint64_t)format->infinite << stored;
    if (digits == 0 || exponent < format->smallest) return 0;
    if (exponent > format->largest) return infinity;
    const int q = (int)exponent;
    const int zeros = __builtin_clzll(digits);
    const unsigned __int128 product = product_with_power(digits << zeros, q, stored + 3);
    const uint64_t high = (uint64_t)(product >> 64), low = (uint64_t)product;
    const int upper = (int)(high >> 63);
    const int cut = upper + 64 - stored - 3;
    uint64_t mantissa = high >> cut;
    /* floor(q log2(10)) + 63 for every q of the table */
    const int power = (q * 217706 >> 16) + 63;
    int biased = power + upper - zeros + format->bias;
    if (biased <= 0) {
        if (biased <= -63) return 0;
        mantissa >>= 1 - biased;
        mantissa = (mantissa + (mantissa & 1)) >> 1;
        /* rounding up may reach the smallest normal number, whose bits are the same sum */
        return mantissa;
    }
    const bool tie = low <= 1 && q >= format->tie_min && q <= format->tie_max &&
                     (mantissa & 3) == 1 && mantissa << cut == high;
    if (tie) mantissa--;
    mantissa = (mantissa + (mantissa & 1)) >> 1;
    if (mantissa >> (stored + 1)) {
        mantissa >>= 1;
        biased++;
    }
    if (biased >= format->infinite) return infinity;
    return (uint64_t)biased << stored | (mantissa & ((UINT64_C(1) << stored) - 1));
}

static locale_t c_locale;
static pthread_once_t locale_once = PTHREAD_ONCE_INIT;

static void make_locale(void) {
    c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* The number as a string of C; it has at most TULLE__NUMBER_LIMIT characters. */
static void copy_text(const tulle__decimal *number, char text[TULLE__NUMBER_LIMIT + 1]) {
    int64_t length = number->stop - number->text;
    if (length > TULLE__NUMBER_LIMIT) length = TULLE__NUMBER_LIMIT;
    for (int64_t i = 0; i < length; i++) {
        const char c = number->text[i];
        text[i] = c == 'd' || c == 'D' ? 'e' : c;
    }
    text[length] = 0;
}

/* The bits of a number whose left-out digits do not matter; false when they might. */
static bool decided(const binary_format *format, const tulle__decimal *number, uint64_t *bits) {
    *bits = nearest_bits(format, number->digits, number->exponent);
    return !number->truncated ||
           *bits == nearest_bits(format, number->digits + 1, number->exponent);
}

double tulle__decimal_f64_slow(const tulle__decimal *number) {
    uint64_t bits;
    double value;
    if (!decided(&binary64, number, &bits)) {
        char text[TULLE__NUMBER_LIMIT + 1];
        copy_text(number, text);
        pthread_once(&locale_once, make_locale);
        return strtod_l(text, NULL, c_locale);
    }
    bits |= (uint64_t)number->negative << 63;
    memcpy(&value, &bits, sizeof value);
    return value;
}

float tulle__decimal_f32_slow(const tulle__decimal *number) {
    uint64_t bits;
    float value;
    if (!decided(&binary32, number, &bits)) {
        char text[TULLE__NUMBER_LIMIT + 1];
        copy_text(number, text);
        pthread_once(&locale_once, make_locale);
        return strtof_l(text, NULL, c_locale);
    }
    const uint32_t bits32 = (uint32_t)bits | (uint32_t)number->negative << 31;
    memcpy(&value, &bits32, sizeof value);
    return value;
}
