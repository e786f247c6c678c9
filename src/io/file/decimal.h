/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers in text: read with correct rounding, and written as the shortest text that reads
 * back to the same bits. docs/lab-notes.md has the measurements that chose the algorithms. */
#ifndef TULLE_IO_FILE_DECIMAL_H
#define TULLE_IO_FILE_DECIMAL_H

#include <stdint.h>

enum {
    TULLE__NUMBER_LIMIT = 1000, /* longest number to read, in characters */
    TULLE__NUMBER_ROOM = 32     /* longest number that is written, in characters */
};

/* decimal.cpp: reads a number of the form [+-]digits[.digits][(e|E|d|D)[+-]digits], or Fortran's
 * digits.digits(+|-)digits. The text must have a newline before end. *value is the nearest number
 * of the type, ties to even, and infinite when the number is too large for the type. Returns the
 * end of the number (for a number over the limit a place behind that end), or NULL where there is
 * no number. */
const char *tulle__read_f64(const char *text, const char *end, double *value);
const char *tulle__read_f32(const char *text, const char *end, float *value);

/* Each of these functions writes at most TULLE__NUMBER_ROOM characters without a NUL, and returns
 * their end. The value must be finite, the integer not negative. */
char *tulle__write_f64(char *text, double value);         /* shortest.c */
char *tulle__write_f32(char *text, float value);          /* shortest.c */
char *tulle__write_integer(char *text, uint64_t integer); /* decimal.cpp */

static inline int tulle__is_digit(char c) {
    return c >= '0' && c <= '9';
}

#endif
