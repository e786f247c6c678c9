/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of several steps (P^T A P, a product + beta D) by groups of C's rows, for a context
 * whose cap does not let all that comes before C be there at once. A group goes through all
 * steps: the rows of op(A), or of P^T with the rows of A that they meet and these rows' product
 * with P, the product, the sum. Groups are made twice: to count their entries, and when C is
 * there, to be copied into it. Rows know nothing of each other, so that C has the same bits. */
#ifndef TULLE_SPGEMM_GROUPS_H
#define TULLE_SPGEMM_GROUPS_H

#include "spgemm/stage.h"

/* True when it was the context's cap that stopped a call. */
bool tulle__spgemm_stopped_by_cap(const tulle__spgemm_run *run, tulle_status status);

/* Makes a whole call that was stopped by the cap. Of a triple product A and B are A and P; else
 * there is a D. */
tulle_status tulle__spgemm_in_groups(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                     bool triple, tulle_mat **C);

#endif
