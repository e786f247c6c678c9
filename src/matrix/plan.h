/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a pattern: found by (op, type), replaced whole, freed when the last user is done. */
#ifndef TULLE_MATRIX_PLAN_H
#define TULLE_MATRIX_PLAN_H

#include "matrix/matrix.h"

/* The plan for op and A's type that A can use, held for the caller, or NULL. With spec: only a plan
 * for that kernel whose parameters are those given. */
tulle__plan *tulle__plan_find(const tulle_mat *A, tulle_trans op, const tulle__spmv_spec *spec);

/* One user fewer; ctx is the pattern's. */
void tulle__plan_release(tulle_ctx *ctx, tulle__plan *plan);

/* Puts a plan in the place of those for the same op and type. The pattern owns it then. */
void tulle__plan_put(tulle__pattern *pattern, tulle__plan *plan);

/* Takes all plans off the list; the transposed pattern stays. */
void tulle__plans_forget(tulle__pattern *pattern);

#endif
