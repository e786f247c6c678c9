/* SPDX-License-Identifier: Apache-2.0 */
/* The first 128 bits of the powers of ten, for writing decimal numbers. */
#ifndef TULLE_IO_FILE_POWERS_H
#define TULLE_IO_FILE_POWERS_H

#include <stdint.h>

/* 5^q = (high 2^64 + low) 2^s with 2^63 <= high < 2^64, cut off below. */
typedef struct tulle__power {
    uint64_t high, low;
} tulle__power;

enum {
    TULLE__POWER_MIN = -292,    /* that of the largest f64 */
    TULLE__POWER_MAX = 324,     /* that of the smallest */
    TULLE__POWER_EXACT_MAX = 55 /* 5^55 < 2^128: from 0 to here nothing is cut off */
};

/* The table, for q from TULLE__POWER_MIN on; computed, exactly, at the first call. */
const tulle__power *tulle__powers(void);

static inline tulle__power tulle__power_of(int q) {
    return tulle__powers()[q - TULLE__POWER_MIN];
}

#endif
