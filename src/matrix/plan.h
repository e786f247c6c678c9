/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a pattern: found by (op, type), replaced whole, freed when the last user is done. */
#ifndef TULLE_MATRIX_PLAN_H
#define TULLE_MATRIX_PLAN_H

#include "matrix/matrix.h"

/* The plan for op and A's type that A can use and whose kernel has the flags needed, held for the
 * caller, or NULL. With spec: only a plan for that kernel whose parameters are those given. */
tulle__plan *tulle__plan_find(const tulle_mat *A, tulle_trans op, unsigned need,
                              const tulle__spmv_spec *spec);

/* Whether the pattern has a plan for op and A's type, even if A lacks values to go with it. */
bool tulle__plan_there(const tulle_mat *A, tulle_trans op);

/* One user fewer. */
void tulle__plan_release(tulle__plan *plan);

/* Puts a plan in the place of those for the same op and type. The pattern, whose lock is held, owns
 * it then. */
void tulle__plan_put(tulle__pattern *pattern, tulle__plan *plan);

/* Takes all plans off the list; the transposed pattern stays. */
void tulle__plans_forget(tulle__pattern *pattern);

/* What a product with the plan uses: prepared data, and the transposed copy if it runs on one. */
int64_t tulle__plan_bytes(const tulle_mat *A, const tulle__plan *plan);

#endif
