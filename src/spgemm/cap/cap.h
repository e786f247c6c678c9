/* SPDX-License-Identifier: Apache-2.0 */
/* Products under a context's cap on memory, where the product cannot be made at once. One
 * product is made in pieces: some rows of A, or, where one row takes too much memory, some
 * columns of B. All pieces are counted, one after the other; then C is made, and each piece goes
 * through the kernel once more and into its place in C. A call of several stages, or with a D,
 * is made by groups of rows of C. A group goes through all steps of the call before the next
 * group begins: the rows of op(A) are cut out, or for P^T A P the rows of P^T and the rows of A
 * that they need, whose product with P is made; then follow the product and the sum with D.
 * Groups, too, are counted first and made again when C is there. No row of C depends on another
 * row, and no column on another column, so C has the same bits. pacing.h chooses the size of
 * pieces and groups; parts.h cuts operands. */
#ifndef TULLE_SPGEMM_CAP_CAP_H
#define TULLE_SPGEMM_CAP_CAP_H

#include "spgemm/stage.h"

/* Makes the product of a run whose kernel was refused memory by the cap; C's arrays are in the
 * run's task, on failure, too. */
tulle_status tulle__spgemm_in_pieces(tulle__spgemm_run *run);

/* Makes a whole call that was stopped by the cap. triple: C is P^T A P, of c->A and of P = c->B;
 * else the call has a D. */
tulle_status tulle__spgemm_in_groups(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                     bool triple, tulle_mat **C);

#endif
