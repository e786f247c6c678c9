/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_ratio.h"

#include "tools/common/timing.h"

/* Operators that are applied to a vector, to be timed. */
typedef struct trial {
    tulle_ctx *ctx;
    tulle_linop *L;
    tulle_dense *x, *y;
} trial;

static tulle_status apply(void *user) {
    const trial *t = user;
    return tulle_linop_apply(t->ctx, t->L, TULLE_N, tulle_num(1), t->x, tulle_num(0), t->y);
}

static tulle_status time_one(trial *t, tulle_linop *L, double *ms) {
    enum { CALLS = 5 };
    tool_timing timing = {.ms = 0};
    t->L = L;
    tulle_status status = apply(t);
    if (status == TULLE_OK) status = tool_time(t->ctx, CALLS, apply, t, &timing);
    *ms = timing.ms;
    return status;
}

/* How much longer an iteration takes with the preconditioner than with Jacobi's, which passes over
 * three vectors; the method over about 10, gmres, in the mean of its cycles, over 60. */
static tulle_status compare_times(trial *t, tulle_method method, const tool_parts *parts,
                                  tulle_linop *jacobi, double *ratio) {
    const double passes = (method == TULLE_GMRES ? 60 : 10) / 3.0;
    double product = 0, with = 0, plain = 0;
    tulle_status status = time_one(t, parts->L, &product);
    if (status == TULLE_OK) status = time_one(t, parts->precond.M, &with);
    if (status == TULLE_OK) status = time_one(t, jacobi, &plain);
    *ratio = (product + passes * plain + with) / (product + (passes + 1) * plain);
    return status;
}

tulle_status tool_ratio_find(tulle_ctx *ctx, tulle_method method, const tool_parts *parts,
                             double *ratio) {
    trial t = {.ctx = ctx};
    tulle_linop *jacobi = NULL;
    tulle_status status = tulle_vec_create(ctx, parts->info.type, parts->info.rows, &t.x);
    if (status == TULLE_OK) {
        status = tulle_vec_create(ctx, parts->info.type, parts->info.rows, &t.y);
    }
    if (status == TULLE_OK) status = tulle_dense_fill(ctx, t.x, 1);
    if (status == TULLE_OK) status = tulle_linop_jacobi(ctx, parts->L, &jacobi);
    if (status == TULLE_OK) status = compare_times(&t, method, parts, jacobi, ratio);
    tulle_linop_destroy(jacobi);
    tulle_dense_destroy(t.x);
    tulle_dense_destroy(t.y);
    return status;
}
