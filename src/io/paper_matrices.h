/* SPDX-License-Identifier: Apache-2.0 */
/* What the papers say of the matrices they use: paper_matrices.tsv as a C table, written by
 * scripts/paper_matrices.py. */
#ifndef TULLE_IO_PAPER_MATRICES_H
#define TULLE_IO_PAPER_MATRICES_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers that the papers do not give are -1. */
typedef struct tulle__paper_matrix {
    const char *name, *alias, *papers;
    int64_t rows, cols, nnz, nnz_stored;
    double mean_row, sd_row;
    int64_t max_row, products, square_nnz;
    bool symmetric;
    const char *kind;
} tulle__paper_matrix;

extern const tulle__paper_matrix tulle__paper_matrices[];
extern const int tulle__paper_matrix_count;

#endif
