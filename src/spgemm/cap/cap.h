/* SPDX-License-Identifier: Apache-2.0 */
/* Products under a context's cap on memory, where the product cannot be made at once. One product
 * is made in pieces: some rows of A, and, where one row takes too much, some columns of B. All
 * pieces are counted, one after the other; then C is made, and each piece goes through the kernel
 * once more, into its place in C. A call of several steps (P^T A P, a product + beta D) is made by
 * groups of C's rows: a group goes through all steps, the rows of op(A), or of P^T with the rows of
 * A that they meet and these rows' product with P, the product, the sum; groups, too, are made
 * twice. Rows know nothing of each other, nor columns, so that C has the same bits. pacing.h has
 * the size of pieces and groups, parts.h the operands that they are cut from. */
#ifndef TULLE_SPGEMM_CAP_CAP_H
#define TULLE_SPGEMM_CAP_CAP_H

#include "spgemm/stage.h"

/* Makes the product of a run whose kernel was refused memory by the cap; C's arrays are in the
 * run's task, on failure, too. */
tulle_status tulle__spgemm_in_pieces(tulle__spgemm_run *run);

/* Makes a whole call that was stopped by the cap. Of a triple product A and B are A and P; else
 * there is a D. */
tulle_status tulle__spgemm_in_groups(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                     bool triple, tulle_mat **C);

#endif
