/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of a pattern: found by (op, type, one vector or more), replaced whole, freed when the last
 * user is done. */
#ifndef TULLE_SPMV_PLAN_PLAN_H
#define TULLE_SPMV_PLAN_PLAN_H

#include "matrix/copies.h"
#include "matrix/derived.h"
#include "spmv/spmv.h"

/* A plan, immutable once it is in the pattern's list. Key: op, type, and whether it is for one
 * vector. */
typedef struct tulle__plan {
    tulle__derived base;
    tulle__spmv_call call; /* call that it was built for */
    tulle__values values;  /* values that it reads, and the type of its products */
    tulle__spec spec;
    tulle__form *form;  /* held form that the kernel runs on; NULL: the pattern itself */
    tulle_trans run_op; /* product of the form that it computes */
    void *prepared;
    size_t bytes;           /* bytes of prepared data */
    int64_t prepared_count; /* prepared_count of spmv/spmv.h */
} tulle__plan;

/* Description of the plan that a product wants. */
typedef struct tulle__plan_wish {
    tulle_trans op;
    bool multivector;        /* true: the plan is for more than one vector */
    bool repeatable;         /* true: the kernel must repeat */
    const tulle__spec *spec; /* NULL: any kernel; else that kernel, with the parameters given */
} tulle__plan_wish;

/* A plan with the values that it runs on: held for the caller that found it. */
typedef struct tulle__plan_found {
    tulle__plan *plan; /* plan; NULL: there is none */
    tulle__copy *copy; /* copy of the values; NULL: the matrix's own values */
} tulle__plan_found;

/* Finds a plan for which A has all that it needs. */
tulle__plan_found tulle__plan_find(const tulle_mat *A, const tulle__plan_wish *wish);
/* Holds a plan that the caller has, for which A has all that it needs, with its values. */
tulle__plan_found tulle__plan_hold(const tulle_mat *A, tulle__plan *plan);
void tulle__plan_lose(const tulle__plan_found *found);

/* Returns the plan for op and A's type, held, even if A lacks values to go with it; or NULL. */
tulle__plan *tulle__plan_there(const tulle_mat *A, tulle_trans op, bool multivector);

/* Makes a plan that nobody knows of yet, with one user; NULL, and a record, where there is no
 * memory. */
tulle__plan *tulle__plan_new(tulle_ctx *ctx);

/* Takes one user from the plan, and frees it after the last one; the caller does not hold the lock
 * of the pattern. */
void tulle__plan_release(tulle__plan *plan);

/* Puts a plan in the place of those for the same products. The pattern owns it then. */
void tulle__plan_put(tulle__pattern *pattern, tulle__plan *plan);

/* Gives up all plans of the pattern. */
void tulle__plans_forget(tulle__pattern *pattern);

/* Bytes that a product with the plan uses: prepared data, and its forms with A's values. */
int64_t tulle__plan_bytes(const tulle_mat *A, const tulle__plan *plan);

#endif
