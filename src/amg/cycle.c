/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle. The smoother is Chebyshev's polynomial of the fourth kind (J. Lottes, "Optimal
 * polynomial smoothers for multigrid V-cycles", 2023): with r = b - A x, B = D^-1 and the largest
 * eigenvalue of B A at most 1, step k = 1, 2, ... is
 *
 *     z := (2 k - 3) / (2 k + 1) z + (8 k - 4) / (2 k + 1) B r,   x := x + z,   r := r - A z.
 */
#include "amg/amg.h"
#include "amg/functions.h"
#include "tulle/spmv.h"
#include "tulle/vec.h"

/* y := alpha A x + beta y */
static tulle_status multiply(tulle_ctx *ctx, double alpha, const tulle_mat *A, const tulle_vec *x,
                             double beta, tulle_vec *y) {
    return tulle_spmv(ctx, TULLE_N, tulle_num(alpha), A, x, tulle_num(beta), y);
}

static tulle_status step(tulle_ctx *ctx, const tulle__amg_level *level, int k, bool from_zero,
                         const tulle_vec *r, tulle_vec *x) {
    const tulle__amg_step job = {.type = level->A->type,
                                 .n = level->A->pattern->rows,
                                 .keeps = k == 1 ? 0 : (2.0 * k - 3) / (2.0 * k + 1),
                                 .takes = (8.0 * k - 4) / (2.0 * k + 1),
                                 .first = from_zero && k == 1,
                                 .d = level->d->data,
                                 .r = r->data,
                                 .z = level->z->data,
                                 .x = x->data};
    return ctx->backend->amg->amg_step(&ctx->place, &job);
}

/* Smooths; leaves r = b - A x where that is wanted. From zero, the first step's residual is b. */
static tulle_status smooth(tulle_ctx *ctx, const tulle__amg_level *level, int degree,
                           bool from_zero, bool wants_r, const tulle_vec *b, tulle_vec *x) {
    if (from_zero) {
        TULLE__TRY(step(ctx, level, 1, true, b, x));
        if (degree > 1 || wants_r) TULLE__TRY(tulle_vec_copy(ctx, b, level->r));
    } else {
        TULLE__TRY(tulle_vec_copy(ctx, b, level->r));
        TULLE__TRY(multiply(ctx, -1, level->A, x, 1, level->r));
        TULLE__TRY(step(ctx, level, 1, false, level->r, x));
    }
    for (int k = 2; k <= degree; k++) {
        TULLE__TRY(multiply(ctx, -1, level->A, level->z, 1, level->r));
        TULLE__TRY(step(ctx, level, k, false, level->r, x));
    }
    return wants_r ? multiply(ctx, -1, level->A, level->z, 1, level->r) : TULLE_OK;
}

/* Steps of smoothing in the place of a solution on a last level that has no inverse. */
enum { LAST_DEGREE = 8 };

static tulle_status solve_last(tulle_ctx *ctx, const tulle__amg_level *level, const tulle_vec *b,
                               tulle_vec *x) {
    if (level->inverse) return multiply(ctx, 1, level->inverse, b, 0, x);
    return smooth(ctx, level, LAST_DEGREE, true, false, b, x);
}

static tulle_status visit(tulle_ctx *ctx, tulle__amg *own, int l, bool from_zero,
                          const tulle_vec *b, tulle_vec *x);

/* Solves on the level after level l for its right-hand side, about. */
static tulle_status descend(tulle_ctx *ctx, tulle__amg *own, int l) {
    tulle__amg_level *next = own->level + l + 1;
    TULLE__TRY(visit(ctx, own, l + 1, true, next->b, next->x));
    return next->twice ? visit(ctx, own, l + 1, false, next->b, next->x) : TULLE_OK;
}

/* One cycle from level l down. */
static tulle_status visit(tulle_ctx *ctx, tulle__amg *own, int l, bool from_zero,
                          const tulle_vec *b, tulle_vec *x) {
    const tulle__amg_level *level = own->level + l, *next = level + 1;
    const int degree = own->options.degree;
    if (l == own->levels - 1) return solve_last(ctx, level, b, x);
    if (level->passes) {
        TULLE__TRY(multiply(ctx, 1, level->R, b, 0, next->b));
        TULLE__TRY(descend(ctx, own, l));
        return multiply(ctx, 1, level->P, next->x, 0, x);
    }
    TULLE__TRY(smooth(ctx, level, degree, from_zero, true, b, x));
    TULLE__TRY(multiply(ctx, 1, level->R, level->r, 0, next->b));
    TULLE__TRY(descend(ctx, own, l));
    TULLE__TRY(multiply(ctx, level->correction, level->P, next->x, 1, x));
    return smooth(ctx, level, degree, false, false, b, x);
}

tulle_status tulle__amg_cycle(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b, tulle_vec *x) {
    return visit(ctx, own, 0, true, b, x);
}
