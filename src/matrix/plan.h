/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a pattern: found by (op, type, one vector or more), replaced whole, freed when the last
 * user is done. */
#ifndef TULLE_MATRIX_PLAN_H
#define TULLE_MATRIX_PLAN_H

#include "matrix/copies.h"

/* Which plan a product wants. */
typedef struct tulle__plan_wish {
    tulle_trans op;
    bool blocks;                  /* for more than one vector */
    bool repeatable;              /* the kernel must be */
    const tulle__spmv_spec *spec; /* NULL: any; else that kernel, with the parameters given */
} tulle__plan_wish;

/* A plan with the values that it runs on: held for who found it. */
typedef struct tulle__plan_found {
    tulle__plan *plan; /* NULL: there is none */
    tulle__copy *copy; /* NULL: the matrix's own values */
} tulle__plan_found;

/* The plan that A has all it needs for. */
tulle__plan_found tulle__plan_find(const tulle_mat *A, const tulle__plan_wish *wish);
/* The same for a plan that the caller has, for which A has all that it needs. */
tulle__plan_found tulle__plan_hold(const tulle_mat *A, tulle__plan *plan);
void tulle__plan_lose(const tulle__plan_found *found);

/* The plan for op and A's type, held, even if A lacks values to go with it; or NULL. */
tulle__plan *tulle__plan_there(const tulle_mat *A, tulle_trans op, bool blocks);

/* One user fewer; nobody holds the pattern's lock. */
void tulle__plan_release(tulle__plan *plan);

/* Puts a plan in the place of those for the same products. The pattern owns it then. */
void tulle__plan_put(tulle__pattern *pattern, tulle__plan *plan);

/* Whether a plan runs on a copy, or on what is made from it; and whether any does of the pattern,
 * whose lock is held. */
bool tulle__plan_wants(const tulle__plan *plan, const tulle__copy *copy);
bool tulle__plans_want(const tulle_mat *A, const tulle__copy *copy);

/* What a product with the plan uses: prepared data, and its forms with A's values. */
int64_t tulle__plan_bytes(const tulle_mat *A, const tulle__plan *plan);

/* Of the values that a plan reads. */
static inline tulle_type tulle__plan_type(const tulle__plan *plan) {
    return plan->narrow ? TULLE_F32 : plan->type;
}

#endif
