/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a number as the shortest decimal that reads back to the same bits. Source: R. Giulietti,
 * The Schubfach way to render doubles, 2021. The number and the two ends of the interval that
 * rounds to it are scaled by one power of ten, with products rounded to odd; the shortest decimal
 * inside is taken, and of several the closest. One function serves both types. */
#include <stdbool.h>
#include <string.h>

#include "io/file/decimal.h"
#include "io/file/powers.h"

/* A decimal number: digits times 10^exponent. */
typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* Returns bits 128 and up of (power + 1) * factor, or of power * factor if the power is exact. The
 * lowest bit of the result is 1 if more than a rounding error lies below. */
static uint64_t round_to_odd(tulle__power power, uint64_t factor) {
    const uint64_t carry = (uint64_t)(((unsigned __int128)power.low * factor) >> 64);
    const unsigned __int128 product = (unsigned __int128)power.high * factor + carry;
    return (uint64_t)(product >> 64) | ((uint64_t)product > 1);
}

/* Returns a power of the table, rounded up where the table has rounded it down. */
static tulle__power ceiling_power(int q) {
    tulle__power power = tulle__power_of(q);
    if (q >= 0 && q <= TULLE__POWER_EXACT_MAX) return power;
    power.low++;
    power.high += power.low == 0;
    return power;
}

/* Returns the shortest decimal that rounds to mantissa 2^exponent. half_below is true when the next
 * smaller number is at half the distance of the next larger one. */
static decimal shortest(uint64_t mantissa, int exponent, bool half_below) {
    /* k = floor(log10(2^exponent)), or floor(log10(3/4 2^exponent)) if half_below */
    const int k = (exponent * 1262611 - (half_below ? 524031 : 0)) >> 22;
    /* log2 = floor(log2(10^-k)) */
    const int log2 = (-k * 1741647) >> 19;
    const int shift = exponent + log2 + 1;
    const tulle__power power = ceiling_power(-k);
    const uint64_t odd = mantissa & 1;
    const uint64_t lower = round_to_odd(power, (4 * mantissa - 2 + half_below) << shift) + odd;
    const uint64_t middle = round_to_odd(power, 4 * mantissa << shift);
    const uint64_t upper = round_to_odd(power, (4 * mantissa + 2) << shift) - odd;
    const uint64_t s = middle / 4;
    if (s >= 10) {
        const uint64_t tens = s / 10;
        const bool below = lower <= 40 * tens, above = 40 * tens + 40 <= upper;
        if (below != above) return (decimal){tens + above, k + 1};
    }
    const bool below = lower <= 4 * s, above = 4 * s + 4 <= upper;
    if (below != above) return (decimal){s + above, k};
    const uint64_t half = 4 * s + 2;
    const bool up = middle > half || (middle == half && (s & 1));
    return (decimal){s + up, k};
}

static char *write_zeros(char *text, int count) {
    for (int i = 0; i < count; i++) *text++ = '0';
    return text;
}

/* Writes the number plainly where that is short, else with an exponent: 1200, 1.25, 0.00125,
 * 1.25e-07. */
static char *write_decimal(char *text, decimal number) {
    while (number.digits % 10 == 0) {
        number.digits /= 10;
        number.exponent++;
    }
    char digits[20];
    const int count = (int)(tulle__write_integer(digits, number.digits) - digits);
    const int point = count + number.exponent; /* number of digits in front of the point */
    if (number.exponent >= 0 && point <= 16) {
        memcpy(text, digits, (size_t)count);
        return write_zeros(text + count, number.exponent);
    }
    if (point > -4 && point <= 0) {
        *text++ = '0';
        *text++ = '.';
        text = write_zeros(text, -point);
        memcpy(text, digits, (size_t)count);
        return text + count;
    }
    const bool plain = point > 0 && point <= 16;
    const int whole = plain ? point : 1;
    memcpy(text, digits, (size_t)whole);
    text += whole;
    if (count > whole) {
        *text++ = '.';
        memcpy(text, digits + whole, (size_t)(count - whole));
        text += count - whole;
    }
    if (plain) return text;
    *text++ = 'e';
    const int exponent = point - 1;
    if (exponent < 0) *text++ = '-';
    return tulle__write_integer(text, (uint64_t)(exponent < 0 ? -exponent : exponent));
}

/* Writes a number, given by its stored mantissa of `bits` bits and its stored exponent. */
static char *write_parts(char *text, uint64_t stored, int bits, int biased, int bias) {
    if (stored == 0 && biased == 0) {
        *text++ = '0';
        return text;
    }
    const uint64_t hidden = biased ? UINT64_C(1) << bits : 0;
    const int exponent = (biased ? biased : 1) - bias - bits;
    const uint64_t mantissa = hidden | stored;
    const bool whole =
        exponent <= 0 && exponent >= -bits && (mantissa & ((UINT64_C(1) << -exponent) - 1)) == 0;
    if (whole) return tulle__write_integer(text, mantissa >> -exponent);
    return write_decimal(text, shortest(mantissa, exponent, stored == 0 && biased > 1));
}

char *tulle__write_f64(char *text, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63) *text++ = '-';
    return write_parts(text, bits & ((UINT64_C(1) << 52) - 1), 52, (int)(bits >> 52 & 0x7ff), 1023);
}

char *tulle__write_f32(char *text, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 31) *text++ = '-';
    return write_parts(text, bits & ((UINT32_C(1) << 23) - 1), 23, (int)(bits >> 23 & 0xff), 127);
}
