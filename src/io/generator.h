/* SPDX-License-Identifier: Apache-2.0 */
/* Generators that make a matrix row by row. The entries of a row, columns ascending, are a function
 * of the row, the numbers of the specification and the seeds alone, so that CPU and GPU make the
 * same bits in any order. All these generators have one struct of arguments; see rows.h for the row
 * functions. */
#ifndef TULLE_IO_GENERATOR_H
#define TULLE_IO_GENERATOR_H

#include <stdint.h>

enum { TULLE__GENERATOR_NUMBERS = 16, TULLE__GENERATOR_REALS = 4 };

struct tulle__columns; /* defined in rows_common.h */

typedef struct tulle__generator_args {
    int kind; /* row function, one of TULLE__ROWS_... in rows.h */
    /* Row function and value function of a caller, for the CPU only, in place of those of rows.h;
     * or NULL. */
    int64_t (*columns)(const struct tulle__generator_args *g, int64_t row,
                       struct tulle__columns columns);
    double (*value)(const struct tulle__generator_args *g, int64_t row, int64_t column);
    int64_t rows, cols;
    /* numbers of rows at the start and at the end that are not made: those of other processes */
    int64_t before, after;
    int64_t max_row; /* most entries of a row */
    /* lower bound of the number of entries; 0: unknown before the entries are counted */
    double entries;
    uint64_t seed; /* seed of the pattern */
    uint64_t value_seed;
    int64_t number[TULLE__GENERATOR_NUMBERS]; /* numbers whose meaning the row function defines */
    double real[TULLE__GENERATOR_REALS];
} tulle__generator_args;

#endif
