/* SPDX-License-Identifier: Apache-2.0 */
/* What the papers say of the matrices they use. */
#ifndef PAPERS_LIKE_MATRICES_H
#define PAPERS_LIKE_MATRICES_H

#include <stdbool.h>
#include <stdint.h>

/* Numbers that the papers do not give are -1. */
typedef struct paper_matrix {
    const char *name; /* in the SuiteSparse collection */
    int64_t rows, cols, nnz;
    int64_t nnz_stored; /* entries in the file where only one triangle is stored */
    int64_t max_row;
    int64_t products, square_nnz; /* of A A */
    bool symmetric;
} paper_matrix;

extern const paper_matrix paper_matrices[];
extern const int paper_matrix_count;

#endif
