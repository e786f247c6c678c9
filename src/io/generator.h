/* SPDX-License-Identifier: Apache-2.0 */
/* Generators that make a matrix row by row: the entries of a row, columns ascending, are a function
 * of the row, the numbers of the specification and the seeds alone, so that CPU and GPU make the
 * same bits in any order. One struct for all of them; see rows.h. */
#ifndef TULLE_IO_GENERATOR_H
#define TULLE_IO_GENERATOR_H

#include <stdint.h>

enum { TULLE__GENERATOR_NUMBERS = 16, TULLE__GENERATOR_REALS = 4 };

struct tulle__columns; /* see rows_common.h */

typedef struct tulle__generator_args {
    int kind; /* which row function, TULLE__ROWS_... of rows.h */
    /* NULL, or a row function from elsewhere, for the CPU alone; as those of rows.h. */
    int64_t (*columns)(const struct tulle__generator_args *g, int64_t row,
                       struct tulle__columns columns);
    double (*value)(const struct tulle__generator_args *g, int64_t row, int64_t column);
    int64_t rows, cols;
    int64_t max_row; /* no row has more entries */
    double entries;  /* that the matrix has, or fewer; 0: not known before they are counted */
    uint64_t seed;   /* of the pattern */
    uint64_t value_seed;
    int64_t number[TULLE__GENERATOR_NUMBERS]; /* meaning: the row function's */
    double real[TULLE__GENERATOR_REALS];
} tulle__generator_args;

#endif
