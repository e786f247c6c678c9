/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle. The smoother is Chebyshev's polynomial of the fourth kind (J. Lottes, "Optimal
 * polynomial smoothers for multigrid V-cycles", 2023): with r = b - A x, B = D^-1 and the largest
 * eigenvalue of B A at most 1, step k = 1, 2, ... is
 *
 *     z := (2 k - 3) / (2 k + 1) z + (8 k - 4) / (2 k + 1) B r,   x := x + z,   r := r - A z.
 *
 * A sweep (sweep.cu) makes the product of one step and the vectors of the next. In a cycle in f32
 * (working.c) A and b are B A and B b already. */
#include "amg/amg.h"
#include "amg/functions.h"
#include "spmv/select.h"
#include "tulle/spmv.h"
#include "tulle/vec.h"

/* y := alpha A x + beta y */
static tulle_status multiply(tulle_ctx *ctx, double alpha, const tulle_mat *A, const tulle_vec *x,
                             double beta, tulle_vec *y) {
    return tulle_spmv(ctx, TULLE_N, tulle_num(alpha), A, x, tulle_num(beta), y);
}

/* The task of A v in a sweep. */
static tulle__spmv_task product_of(const tulle_ctx *ctx, const tulle_mat *A, const tulle_vec *v) {
    const tulle__spmv_call call = tulle__one_vector(TULLE_N);
    return (tulle__spmv_task){.shape = tulle__spmv_shape_now(ctx, A, &call),
                              .place = &ctx->place,
                              .offsets = A->pattern->offsets.data,
                              .cols_of = A->pattern->cols_of.data,
                              .values = A->values.data,
                              .x = v ? v->data : NULL};
}

/* True for a matrix whose rows a sweep takes as they come: where one is far longer than the mean
 * one, the few lanes that have it would be waited for, and the product is tulle_spmv's. */
static bool is_even(const tulle_mat *A) {
    const tulle__stats *stats = &A->pattern->stats;
    return (double)stats->max_row <= 8 * (stats->mean_row + 32);
}

/* A smoother at work on a level: where its numbers are. */
typedef struct smoother {
    tulle_ctx *ctx;
    const tulle__amg_level *level;
    bool single;        /* true: A and b are B A and B b */
    const tulle_vec *r; /* residual that the last step left */
    const tulle_vec *v; /* the last step is scale v */
    double scale;
    bool is_last;         /* true: nothing reads the step to be made, but x */
    bool is_added;        /* true: x has the last step already */
    const tulle_vec *old; /* x without it; NULL: 0 */
    tulle_vec *x;
} smoother;

/* Takes the last step off the residual, and makes step k, unless it is 0; x takes both. A first
 * step is not added while the product reads x. */
static tulle_status sweep(smoother *s, int k) {
    const tulle__amg_level *level = s->level;
    tulle_vec *z = k == 0 || s->is_last ? NULL : level->z[s->v == level->z[0]];
    const bool adds = s->v != s->x && (k > 0 || !s->is_added);
    tulle__amg_sweep job = {.product = product_of(s->ctx, level->cycle.A, s->v),
                            .scale = s->scale,
                            .keeps = k > 1 ? (2.0 * k - 3) / (2.0 * k + 1) : 0,
                            .takes = (8.0 * k - 4) / (2.0 * k + 1),
                            .r = s->r->data,
                            .r_to = level->r->data,
                            .d = s->single ? NULL : level->d->data,
                            .steps = k > 0,
                            .z = z ? z->data : NULL,
                            .adds_v = adds && !s->is_added,
                            .x = adds && s->old ? s->old->data : NULL,
                            .x_to = adds ? s->x->data : NULL};
    if (!is_even(level->cycle.A)) {
        if (s->r != level->r) TULLE__TRY(tulle_vec_copy(s->ctx, s->r, level->r));
        TULLE__TRY(multiply(s->ctx, -s->scale, level->cycle.A, s->v, 1, level->r));
        job.product.values = NULL;
        job.r = level->r->data;
    }
    TULLE__TRY(s->ctx->backend->amg->amg_sweep(&s->ctx->place, &job));
    s->r = level->r;
    if (adds) s->old = s->x;
    s->is_added = adds;
    if (z) s->v = z;
    s->scale = 1;
    return TULLE_OK;
}

/* Makes a step without a product: z := takes d r, and x := x + scale v + z, where z may be NULL. */
static tulle_status step_alone(smoother *s, double takes, const tulle_vec *r, tulle_vec *z,
                               bool adds_v) {
    tulle__amg_sweep job = {.product = product_of(s->ctx, s->level->cycle.A, s->v),
                            .scale = s->scale,
                            .takes = takes,
                            .r = r->data,
                            .r_to = (void *)(uintptr_t)r->data,
                            .d = s->single ? NULL : s->level->d->data,
                            .steps = z != NULL,
                            .z = z ? z->data : NULL,
                            .adds_v = adds_v,
                            .x = s->old ? s->old->data : NULL,
                            .x_to = s->x->data};
    job.product.values = NULL;
    s->old = s->x;
    s->is_added = true;
    return s->ctx->backend->amg->amg_sweep(&s->ctx->place, &job);
}

/* Smooths; leaves r = b - A x where that is wanted. From zero, the first step's residual is b. */
static tulle_status smooth(tulle_ctx *ctx, const tulle__amg *own, const tulle__amg_level *level,
                           int degree, bool from_zero, bool wants_r, const tulle_vec *b,
                           tulle_vec *x) {
    static const double first = 4.0 / 3;
    smoother s = {.ctx = ctx, .level = level, .single = own->single, .r = b, .x = x};
    if (from_zero && own->single) {
        s.v = b;
        s.scale = first;
    } else if (from_zero) {
        TULLE__TRY(step_alone(&s, first, b, level->z[0], false));
        s.v = level->z[0];
        s.scale = 1;
    } else {
        s.v = s.old = x;
        s.scale = 1;
        TULLE__TRY(sweep(&s, 1));
    }
    for (int k = 2; k <= degree; k++) {
        s.is_last = k == degree && !wants_r;
        TULLE__TRY(sweep(&s, k));
    }
    if (wants_r) return sweep(&s, 0);
    return s.is_added ? TULLE_OK : step_alone(&s, 0, s.r, NULL, true);
}

/* Steps of smoothing in the place of a solution on a last level that has no inverse. */
enum { LAST_DEGREE = 8 };

static tulle_status solve_last(tulle_ctx *ctx, const tulle__amg *own, const tulle__amg_level *level,
                               const tulle_vec *b, tulle_vec *x) {
    if (level->inverse) return multiply(ctx, 1, level->cycle.inverse, b, 0, x);
    return smooth(ctx, own, level, LAST_DEGREE, true, false, b, x);
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
    if (l == own->levels - 1) return solve_last(ctx, own, level, b, x);
    if (level->passes) {
        TULLE__TRY(multiply(ctx, 1, level->cycle.R, b, 0, next->b));
        TULLE__TRY(descend(ctx, own, l));
        return multiply(ctx, 1, level->cycle.P, next->x, 0, x);
    }
    TULLE__TRY(smooth(ctx, own, level, degree, from_zero, true, b, x));
    TULLE__TRY(multiply(ctx, 1, level->cycle.R, level->r, 0, next->b));
    TULLE__TRY(descend(ctx, own, l));
    TULLE__TRY(multiply(ctx, level->correction, level->cycle.P, next->x, 1, x));
    return smooth(ctx, own, level, degree, false, false, b, x);
}

/* The cycle in f32, for b and x in f64. */
static tulle_status visit_single(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b,
                                 tulle_vec *x) {
    const tulle__amg_level *first = own->level;
    tulle__amg_passage passage = {.n = b->rows,
                                  .d = first->d->data,
                                  .b = b->data,
                                  .narrow = first->b->data,
                                  .unit = own->unit->data};
    TULLE__TRY(ctx->backend->amg->amg_enter(&ctx->place, &passage));
    TULLE__TRY(visit(ctx, own, 0, true, first->b, first->x));
    passage.narrow = first->x->data;
    passage.wide = x->data;
    return ctx->backend->amg->amg_leave(&ctx->place, &passage);
}

tulle_status tulle__amg_cycle(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b, tulle_vec *x) {
    return own->single ? visit_single(ctx, own, b, x) : visit(ctx, own, 0, true, b, x);
}
