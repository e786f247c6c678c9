/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a BSR matrix in blocks: block (i, j) of r x c becomes block (j, i) of c x r. */
#ifndef TULLE_MATRIX_TURN_BLOCKS_H
#define TULLE_MATRIX_TURN_BLOCKS_H

#include "matrix/build.h"

/* Returns the pattern of blocks of a BSR or CSR pattern, in CSR, as if each block were one entry;
 * those of CSR are entries. */
tulle__pattern_view tulle__blocks_view(const tulle__pattern *pattern);

/* Makes T = A^T, A in BSR. perm: receives the index in A of each of T's blocks, in the context's
 * memory, which the caller frees; NULL: not wanted. */
tulle_status tulle__turn_bsr(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **T, int64_t **perm);

/* Gives T, which tulle__turn_bsr made, the values that A has now. Does not wait. */
tulle_status tulle__turn_values(tulle_ctx *ctx, const tulle_mat *A, const int64_t *perm,
                                tulle_mat *T);

#endif
