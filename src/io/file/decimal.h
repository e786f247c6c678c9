/* SPDX-License-Identifier: Apache-2.0 */
/* Decimal numbers in text: read with correct rounding, written as the shortest text that reads back
 * to the same bits. docs/lab-notes.md says what was measured to choose who does which. */
#ifndef TULLE_IO_FILE_DECIMAL_H
#define TULLE_IO_FILE_DECIMAL_H

#include <stdint.h>

enum {
    TULLE__NUMBER_LIMIT = 1000, /* longest number to read, in characters */
    TULLE__NUMBER_ROOM = 32     /* longest one that is written */
};

/* decimal.cpp: reads [+-]digits[.digits][(e|E|d|D)[+-]digits], and Fortran's
 * digits.digits(+|-)digits, of a text that ends with a newline before end: the nearest number of
 * the type, ties to even, infinite when too large for it. Returns where it ends (of a number over
 * the limit: somewhere beyond it); NULL: no number. */
const char *tulle__read_f64(const char *text, const char *end, double *value);
const char *tulle__read_f32(const char *text, const char *end, float *value);

/* Each writes at most TULLE__NUMBER_ROOM characters, no NUL, and returns where they end. The value
 * is finite, the integer not negative. */
char *tulle__write_f64(char *text, double value);         /* shortest.c */
char *tulle__write_f32(char *text, float value);          /* shortest.c */
char *tulle__write_integer(char *text, uint64_t integer); /* decimal.cpp */

static inline int tulle__is_digit(char c) {
    return c >= '0' && c <= '9';
}

#endif
