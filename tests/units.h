/* SPDX-License-Identifier: Apache-2.0 */
/* Systems in other units: A x = b with numbers that are larger or smaller for no other reason than
 * the units that rows and unknowns are measured in. A claim about a system (converged, symmetric,
 * singular, a good pivot) must not change when the units do. */
#ifndef TESTS_UNITS_H
#define TESTS_UNITS_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/types.h"

/* One change of units: every number of A, of b, or of both, is multiplied by the factor. */
typedef struct {
    double factor;
    bool exact; /* the factor is a power of 2: digits stay, and so do iterations and outcomes */
} units_scale;

typedef struct {
    const units_scale *scales;
    int count;
} units_list;

/* The changes of units that a test walks, the factor 1 first. Numbers near 1 that are multiplied by
 * any of them, and by the square of one, are numbers of the type with all digits. */
units_list units_of(tulle_type type);

/* The same, for what must hold at the far ends of the type, too: numbers near 1 that are multiplied
 * by one of them are numbers of the type with all digits, but their squares are not. */
units_list units_far_of(tulle_type type);

/* numbers := factor numbers. */
void units_multiply(int64_t count, double *numbers, double factor);

/* Exponents of rows or of unknowns: count powers of 2 between -most and most, the same for the same
 * seed everywhere; the caller frees them. */
int *units_powers(int64_t count, int most, uint64_t seed);

/* numbers[i] := 2^powers[i] numbers[i], or, where inverse, 2^-powers[i] numbers[i]. No digit is
 * lost inside of the type's normal numbers. */
void units_multiply_each(int64_t count, double *numbers, const int *powers, bool inverse);

/* A := R A C, of a matrix in CSR on the host whose row i is measured in 2^row_powers[i], and whose
 * unknown j is multiplied by 2^-column_powers[j]: where A x = b, (R A C) (C^-1 x) = R b. NULL
 * leaves rows or unknowns as they are. */
void units_multiply_matrix(int64_t rows, const int64_t *offsets, const int64_t *columns,
                           double *values, const int *row_powers, const int *column_powers);

/* Whether iteration counts are the same of an exact change of units, and within 1 otherwise. */
bool units_same_iterations(units_scale scale, int64_t at_one, int64_t scaled);

#endif
