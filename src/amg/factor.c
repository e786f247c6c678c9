/* SPDX-License-Identifier: Apache-2.0 */
/* The factor by which a hierarchy converges by itself: x := x + M (b - A x), from a right-hand side
 * in the range of A, so that null vectors of A have no part in it. After some iterations the
 * slowest errors are left. A Krylov method is faster. */
#include <math.h>

#include "amg/amg.h"
#include "tulle/vec.h"

/* Number of iterations, and of those at the end whose mean factor is taken. */
enum { ITERATIONS = 25, LAST = 5 };

/* Vectors of the iteration, and the operator of A. */
typedef struct iteration {
    tulle_linop *A;
    tulle_vec *r, *z;
} iteration;

static tulle_status multiply(tulle_ctx *ctx, tulle_linop *L, const tulle_vec *x, tulle_vec *y) {
    return tulle__linop_run(ctx, L, TULLE_N, tulle_num(1), x, tulle_num(0), y);
}

/* r := r - A M r */
static tulle_status step(tulle_ctx *ctx, tulle_linop *M, const iteration *i) {
    TULLE__TRY(multiply(ctx, M, i->r, i->z));
    return tulle__linop_run(ctx, i->A, TULLE_N, tulle_num(-1), i->z, tulle_num(1), i->r);
}

static tulle_status run(tulle_ctx *ctx, tulle__amg *own, iteration *i, double *factor) {
    double before = 0, after = 0, scale = 0;
    TULLE__TRY(tulle_linop_from_mat(ctx, own->A, &i->A));
    TULLE__TRY(tulle_vec_create(ctx, own->head.type, own->head.rows, &i->r));
    TULLE__TRY(tulle_vec_create(ctx, own->head.type, own->head.rows, &i->z));
    TULLE__TRY(tulle_vec_random(ctx, i->z, 1));
    TULLE__TRY(multiply(ctx, i->A, i->z, i->r));
    TULLE__TRY(tulle_vec_norm_max(ctx, i->r, tulle_to_num(&scale)));
    if (scale > 0) TULLE__TRY(tulle_vec_scale(ctx, tulle_num(1 / scale), i->r));
    for (int k = 0; k < ITERATIONS; k++) {
        if (k == ITERATIONS - LAST) TULLE__TRY(tulle_vec_norm2(ctx, i->r, tulle_to_num(&before)));
        TULLE__TRY(step(ctx, &own->head, i));
    }
    TULLE__TRY(tulle_vec_norm2(ctx, i->r, tulle_to_num(&after)));
    *factor = before > 0 ? pow(after / before, 1.0 / LAST) : 0;
    return TULLE_OK;
}

tulle_status tulle__amg_find_factor(tulle_ctx *ctx, tulle__amg *own, double *factor) {
    iteration i = {.A = NULL};
    const tulle_status status = run(ctx, own, &i, factor);
    tulle_linop_destroy(i.A);
    tulle_vec_destroy(i.r);
    tulle_vec_destroy(i.z);
    return status;
}
