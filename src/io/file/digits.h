/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the text of a number that has been read, such as whether the value is exactly the
 * number that was written. */
#ifndef TULLE_IO_FILE_DIGITS_H
#define TULLE_IO_FILE_DIGITS_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "io/file/decimal.h"
#include "tulle/types.h"

/* Returns true when neither a point nor an exponent was written. */
static inline bool tulle__is_whole(const char *number, const char *end) {
    if (*number == '-' || *number == '+') number++;
    while (number < end && tulle__is_digit(*number)) number++;
    return number == end;
}

/* Returns true when a digit other than 0 was written before the exponent. An exponent may be a sign
 * and digits, without a letter. */
static inline bool tulle__is_other_than_0(const char *number, const char *end) {
    if (*number == '-' || *number == '+') number++;
    while (number < end && (*number == '0' || *number == '.')) number++;
    return number < end && tulle__is_digit(*number);
}

/* Returns the magnitude above which some integers are no numbers of the type. */
static inline double tulle__first_gap(tulle_type type) {
    return type == TULLE_F32 ? 0x1p24 : 0x1p53;
}

/* Returns true when the value equals the integer that was written. Integers of 19 digits fit in 64
 * bits; longer ones are rare and are compared as text, which takes ten times as long. */
static inline bool tulle__is_exact(const char *integer, const char *end, double value) {
    enum { FITTING = 19, INTEGER_ROOM = 320 }; /* the largest f64 has 309 digits */
    char exact[INTEGER_ROOM];
    uint64_t number = 0;
    if (*integer == '-' || *integer == '+') integer++;
    while (*integer == '0') integer++;
    if (end - integer <= FITTING) {
        for (; integer < end; integer++) number = number * 10 + (uint64_t)(*integer - '0');
        return number == (uint64_t)fabs(value);
    }
    const int length = snprintf(exact, sizeof exact, "%.0f", fabs(value));
    return end - integer == length && !memcmp(integer, exact, (size_t)length);
}

#endif
