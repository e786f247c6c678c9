/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers in text, read with correct rounding.
 *
 * Digits are taken eight at a time inside a 64-bit word. A number of few digits and a small power
 * of ten is one exact multiplication or division (W. D. Clinger, How to read floating point
 * numbers accurately, PLDI 1990); others take two 64 x 64-bit products with a table of powers
 * (D. Lemire, Number parsing at a gigabyte per second, Software: Practice and Experience 51, 2021);
 * what is left, numbers of more than 19 digits that lie almost halfway, goes to strtod.
 *
 * Texts end with a newline, and TULLE__TEXT_SLACK bytes behind that newline can be read. */
#ifndef TULLE_IO_FILE_DECIMAL_H
#define TULLE_IO_FILE_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first digit is in the lowest byte");

enum {
    TULLE__TEXT_SLACK = 16,
    TULLE__NUMBER_LIMIT = 1000 /* longest number, in characters */
};

/* +-digits 10^exponent */
typedef struct tulle__decimal {
    uint64_t digits;  /* the first 19 significant ones */
    int64_t exponent; /* of ten */
    bool negative;
    bool truncated;          /* nonzero digits were left out */
    bool whole;              /* neither a point nor an exponent was written */
    const char *text, *stop; /* where it stands */
} tulle__decimal;

static const uint32_t tulle__small_powers[9] = {1,      10,      100,      1000,     10000,
                                                100000, 1000000, 10000000, 100000000};

/* How many of the next eight characters are digits before the first that is none, and their value.
 * A byte is a digit when its high half is 3 and stays 3 after adding 6; a carry out of a byte that
 * is none reaches only bytes behind it. */
static inline int tulle__eight_digits(const char *text, uint64_t *value) {
    const uint64_t high = UINT64_C(0xf0f0f0f0f0f0f0f0), zeros = UINT64_C(0x3030303030303030);
    uint64_t word;
    memcpy(&word, text, 8);
    const uint64_t others =
        ((word & high) ^ zeros) | (((word + UINT64_C(0x0606060606060606)) & high) ^ zeros);
    const int count = others ? __builtin_ctzll(others) >> 3 : 8;
    if (count == 0) {
        *value = 0;
        return 0;
    }
    word = (word & ~high) << (64 - 8 * count);
    const uint64_t pairs = word * 10 + (word >> 8);
    const uint64_t even = UINT64_C(0x000000ff000000ff);
    *value = ((pairs & even) * (100 + (UINT64_C(1000000) << 32)) +
              ((pairs >> 16) & even) * (1 + (UINT64_C(10000) << 32))) >>
             32;
    return count;
}

/* Adds all digits that follow to *value (which may wrap around) and returns where they end. */
static inline const char *tulle__scan_digits(const char *text, uint64_t *value) {
    for (;;) {
        uint64_t part;
        const int count = tulle__eight_digits(text, &part);
        *value = *value * tulle__small_powers[count] + part;
        text += count;
        if (count < 8) return text;
    }
}

/* Reads the exponent behind its letter; NULL when there is none. */
const char *tulle__scan_exponent(const char *text, int64_t *exponent);

/* Reads the digits of a number with more than 19 of them once more, with care. */
void tulle__scan_long(const char *text, tulle__decimal *number);

/* Reads [+-]digits[.digits][(e|E|d|D)[+-]digits] and returns where it ends; NULL: no number. */
static inline const char *tulle__scan_decimal(const char *text, tulle__decimal *number) {
    number->text = text;
    number->negative = *text == '-';
    if (*text == '-' || *text == '+') text++;
    const char *first = text;
    uint64_t digits = 0;
    int64_t exponent = 0, count;
    text = tulle__scan_digits(text, &digits);
    count = text - first;
    number->whole = true;
    if (*text == '.') {
        const char *fraction = ++text;
        text = tulle__scan_digits(text, &digits);
        exponent = fraction - text;
        count -= exponent;
        number->whole = false;
    }
    if (count == 0) return NULL;
    number->digits = digits;
    number->exponent = exponent;
    number->truncated = false;
    if (count > 19) tulle__scan_long(first, number);
    const char letter = (char)(*text | 0x20);
    if (letter == 'e' || letter == 'd') {
        int64_t written = 0;
        text = tulle__scan_exponent(text + 1, &written);
        number->exponent += written;
        number->whole = false;
    }
    number->stop = text;
    return text;
}

/* The nearest number of the type, ties to even; infinite when it is too large for it. */
double tulle__decimal_f64_slow(const tulle__decimal *number);
float tulle__decimal_f32_slow(const tulle__decimal *number);

static inline double tulle__decimal_f64(const tulle__decimal *number) {
    static const double powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const bool exact = number->digits <= UINT64_C(1) << 53 && !number->truncated &&
                       number->exponent >= -22 && number->exponent <= 22;
    if (!exact) return tulle__decimal_f64_slow(number);
    double value = (double)number->digits;
    value =
        number->exponent < 0 ? value / powers[-number->exponent] : value * powers[number->exponent];
    return number->negative ? -value : value;
}

static inline float tulle__decimal_f32(const tulle__decimal *number) {
    static const float powers[11] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f,
                                     1e6f, 1e7f, 1e8f, 1e9f, 1e10f};
    const bool exact = number->digits <= UINT64_C(1) << 24 && !number->truncated &&
                       number->exponent >= -10 && number->exponent <= 10;
    if (!exact) return tulle__decimal_f32_slow(number);
    float value = (float)number->digits;
    value =
        number->exponent < 0 ? value / powers[-number->exponent] : value * powers[number->exponent];
    return number->negative ? -value : value;
}

#endif
