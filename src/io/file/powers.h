/* SPDX-License-Identifier: Apache-2.0 */
/* The first 128 bits of the powers of ten, for writing decimal numbers. */
#ifndef TULLE_IO_FILE_POWERS_H
#define TULLE_IO_FILE_POWERS_H

#include <stdint.h>

/* The first 128 bits of 5^q, rounded down: 5^q = (high 2^64 + low) 2^s for some s, with 2^63 <=
 * high < 2^64. */
typedef struct tulle__power {
    uint64_t high, low;
} tulle__power;

enum {
    TULLE__POWER_MIN = -292,    /* exponent that the largest f64 needs */
    TULLE__POWER_MAX = 324,     /* exponent that the smallest f64 needs */
    TULLE__POWER_EXACT_MAX = 55 /* 5^55 < 2^128: the entries of q = 0 to 55 are exact */
};

/* Returns the table of the powers, whose first entry is that of q = TULLE__POWER_MIN. The first
 * call computes the table, with exact integers. */
const tulle__power *tulle__powers(void);

static inline tulle__power tulle__power_of(int q) {
    return tulle__powers()[q - TULLE__POWER_MIN];
}

#endif
