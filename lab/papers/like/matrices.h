/* SPDX-License-Identifier: Apache-2.0 */
/* Facts that the papers give of the matrices they use. */
#ifndef PAPERS_LIKE_MATRICES_H
#define PAPERS_LIKE_MATRICES_H

#include <stdbool.h>
#include <stdint.h>

/* Facts of a matrix; -1 for a number that the papers do not give. */
typedef struct paper_matrix {
    const char *name; /* name in the SuiteSparse collection */
    int64_t rows, cols, nnz;
    int64_t
        nnz_stored; /* number of entries in the file, which has one triangle if A is symmetric */
    int64_t max_row;
    int64_t products, square_nnz; /* numbers of partial products and of entries of A A */
    bool symmetric;
} paper_matrix;

extern const paper_matrix paper_matrices[];
extern const int paper_matrix_count;

#endif
