/* SPDX-License-Identifier: Apache-2.0 */
/* One cycle. The smoother is Chebyshev's polynomial of the fourth kind (J. Lottes, "Optimal
 * polynomial smoothers for multigrid V-cycles", 2023): with r = b - A x, B = D^-1 and the largest
 * eigenvalue of B A at most 1, step k = 1, 2, ... is
 *
 *     z := (2 k - 3) / (2 k + 1) z + (8 k - 4) / (2 k + 1) B r,   x := x + z,   r := r - A z.
 *
 * A sweep (sweep.cu) makes the product of one step and the vectors of the next. In a cycle in f32
 * (working.c), and where levels are of nodes (node_cycle.c), A and b are B A and B b already. */
#include "amg/amg.h"
#include "amg/functions.h"
#include "dist/dist.h"
#include "spmv/select.h"
#include "tulle/spmv.h"
#include "tulle/vec.h"

/* y := alpha A x + beta y */
static tulle_status multiply(tulle_ctx *ctx, double alpha, const tulle_mat *A, const tulle_vec *x,
                             double beta, tulle_vec *y) {
    return tulle_spmv(ctx, TULLE_N, tulle_num(alpha), A, x, tulle_num(beta), y);
}

/* The part of a level's matrix that has own rows and columns: all of it, unless it is shared. */
static const tulle_mat *block_of(const tulle__amg_level *level) {
    return level->shared.A ? level->shared.A->block : level->cycle.A;
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

/* True for a level whose rows a sweep takes as they come: where one is far longer than the mean
 * one, the few lanes that have it would be waited for, and the product is tulle_spmv's. The product
 * of shared rows has messages. */
static bool has_even_rows(const tulle__amg_level *level, tulle_format format) {
    if (level->shared.A || level->cycle.A->pattern->format != format) return false;
    const tulle__stats *stats = &level->cycle.A->pattern->stats;
    return (double)stats->max_row <= 8 * (stats->mean_row + 32);
}

/* r := r - scale A v */
static tulle_status take_off(tulle_ctx *ctx, const tulle__amg_level *level, double scale,
                             const tulle_vec *v) {
    if (!level->shared.A) return multiply(ctx, -scale, level->cycle.A, v, 1, level->r);
    return tulle__linop_run(ctx, level->shared.of_A, TULLE_N, tulle_num(-scale), v, tulle_num(1),
                            level->r);
}

/* A smoother at work on a level: where its numbers are. */
typedef struct smoother {
    tulle_ctx *ctx;
    const tulle__amg_level *level;
    bool scaled;        /* true: A and b are B A and B b */
    const tulle_vec *r; /* residual that the last step left */
    const tulle_vec *v; /* the last step is scale v */
    double scale;
    bool is_last;         /* true: nothing reads the step to be made, but x */
    bool is_added;        /* true: x has the last step already */
    const tulle_vec *old; /* x without it; NULL: 0 */
    tulle_vec *x;
} smoother;

/* Runs a sweep, as one pass over the matrix where the back end can. */
static tulle_status run_sweep(const smoother *s, tulle__amg_sweep *job) {
    const tulle__amg_functions *functions = s->ctx->backend->amg;
    const tulle__place *place = &s->ctx->place;
    const tulle__amg_level *level = s->level;
    tulle_status status = TULLE_UNSUPPORTED;
    if (has_even_rows(level, TULLE_BSR)) status = functions->amg_sweep_blocks(place, job);
    if (has_even_rows(level, TULLE_CSR)) status = functions->amg_sweep(place, job);
    if (status != TULLE_UNSUPPORTED) return status;
    if (s->r != level->r) TULLE__TRY(tulle_vec_copy(s->ctx, s->r, level->r));
    TULLE__TRY(take_off(s->ctx, level, s->scale, s->v));
    job->product.values = NULL;
    job->r = level->r->data;
    return functions->amg_sweep(place, job);
}

/* Takes the last step off the residual, and makes step k, unless it is 0; x takes both. A first
 * step is not added while the product reads x. */
static tulle_status sweep(smoother *s, int k) {
    const tulle__amg_level *level = s->level;
    tulle_vec *z = k == 0 || s->is_last ? NULL : level->z[s->v == level->z[0]];
    const bool adds = s->v != s->x && (k > 0 || !s->is_added);
    tulle__amg_sweep job = {.product = product_of(s->ctx, block_of(level), s->v),
                            .scale = s->scale,
                            .keeps = k > 1 ? (2.0 * k - 3) / (2.0 * k + 1) : 0,
                            .takes = (8.0 * k - 4) / (2.0 * k + 1),
                            .r = s->r->data,
                            .r_to = level->r->data,
                            .d = s->scaled ? NULL : level->d->data,
                            .steps = k > 0,
                            .z = z ? z->data : NULL,
                            .adds_v = adds && !s->is_added,
                            .x = adds && s->old ? s->old->data : NULL,
                            .x_to = adds ? s->x->data : NULL};
    TULLE__TRY(run_sweep(s, &job));
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
    tulle__amg_sweep job = {.product = product_of(s->ctx, block_of(s->level), s->v),
                            .scale = s->scale,
                            .takes = takes,
                            .r = r->data,
                            .r_to = (void *)(uintptr_t)r->data,
                            .d = s->scaled ? NULL : s->level->d->data,
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
    const bool scaled = tulle__amg_is_scaled(own, level);
    smoother s = {.ctx = ctx, .level = level, .scaled = scaled, .r = b, .x = x};
    if (from_zero && scaled) {
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

/* True where the level after level l is the first one of which all processes have all rows. */
static bool is_whole_below(const tulle__amg *own, int l) {
    return own->whole.b && l + 1 == own->shared;
}

/* Own rows of a vector of all rows. */
static tulle_vec own_part(const tulle__amg *own, const tulle_vec *all) {
    tulle_vec part = *all;
    part.rows = own->whole.rows;
    part.data = (char *)all->data + own->whole.first * tulle_type_size(all->type);
    return part;
}

/* Restricts r to the right-hand side of the next level. */
static tulle_status go_down(tulle_ctx *ctx, const tulle__amg *own, int l, const tulle_vec *r) {
    const tulle__amg_level *level = own->level + l;
    if (!level->shared.P) return multiply(ctx, 1, level->cycle.R, r, 0, level[1].b);
    tulle_vec to = is_whole_below(own, l) ? own_part(own, own->whole.b) : *level[1].b;
    return tulle__linop_run(ctx, level->shared.of_R, TULLE_N, tulle_num(1), r, tulle_num(0), &to);
}

/* x := factor P x_next + beta x */
static tulle_status come_up(tulle_ctx *ctx, const tulle__amg *own, int l, double factor,
                            double beta, tulle_vec *x) {
    const tulle__amg_level *level = own->level + l;
    if (!level->shared.P) return multiply(ctx, factor, level->cycle.P, level[1].x, beta, x);
    const tulle_vec from = is_whole_below(own, l) ? own_part(own, own->whole.x) : *level[1].x;
    return tulle__linop_run(ctx, level->shared.of_P, TULLE_N, tulle_num(factor), &from,
                            tulle_num(beta), x);
}

static tulle_status visit_whole(tulle_ctx *ctx, tulle__amg *own);

/* Solves on the level after level l for its right-hand side, about. */
static tulle_status descend(tulle_ctx *ctx, tulle__amg *own, int l) {
    tulle__amg_level *next = own->level + l + 1;
    if (is_whole_below(own, l)) return visit_whole(ctx, own);
    TULLE__TRY(visit(ctx, own, l + 1, true, next->b, next->x));
    return next->twice ? visit(ctx, own, l + 1, false, next->b, next->x) : TULLE_OK;
}

/* One cycle from level l down. */
static tulle_status visit(tulle_ctx *ctx, tulle__amg *own, int l, bool from_zero,
                          const tulle_vec *b, tulle_vec *x) {
    const tulle__amg_level *level = own->level + l;
    const int degree = own->options.degree;
    if (l == own->levels - 1) return solve_last(ctx, own, level, b, x);
    if (level->passes) {
        TULLE__TRY(go_down(ctx, own, l, b));
        TULLE__TRY(descend(ctx, own, l));
        return come_up(ctx, own, l, 1, 0, x);
    }
    TULLE__TRY(smooth(ctx, own, level, degree, from_zero, true, b, x));
    TULLE__TRY(go_down(ctx, own, l, level->r));
    TULLE__TRY(descend(ctx, own, l));
    TULLE__TRY(come_up(ctx, own, l, level->correction, 1, x));
    return smooth(ctx, own, level, degree, false, false, b, x);
}

/* The cycle from the first level of which this process has all rows: a second visit is due where
 * there are levels above. */
static tulle_status visit_first(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b, tulle_vec *x) {
    TULLE__TRY(visit(ctx, own, own->shared, true, b, x));
    return own->level[own->shared].twice ? visit(ctx, own, own->shared, false, b, x) : TULLE_OK;
}

/* The cycle in f32 from the first level of which this process has all rows, for b and x in f64. */
static tulle_status visit_single(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b,
                                 tulle_vec *x) {
    const tulle__amg_level *first = own->level + own->shared;
    tulle__amg_passage passage = {.n = b->rows,
                                  .d = first->d ? first->d->data : NULL,
                                  .b = b->data,
                                  .narrow = first->b->data,
                                  .unit = own->unit->data};
    TULLE__TRY(ctx->backend->amg->amg_enter(&ctx->place, &passage));
    TULLE__TRY(visit_first(ctx, own, first->b, first->x));
    passage.narrow = first->x->data;
    passage.wide = x->data;
    return ctx->backend->amg->amg_leave(&ctx->place, &passage);
}

/* The cycle through levels of nodes. */
static tulle_status cycle_nodes(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b, tulle_vec *x) {
    tulle__amg_level *first = own->level;
    tulle_vec *entered = own->single ? own->nodes.entered : first->b;
    const tulle__amg_block_product entry = {.type = own->head.type,
                                            .tall = own->nodes.block,
                                            .rows = b->rows,
                                            .blocks = own->nodes.entry->data,
                                            .b = b->data,
                                            .to = entered->data};
    TULLE__TRY(ctx->backend->amg->amg_multiply_blocks(&ctx->place, &entry));
    return own->single ? visit_single(ctx, own, entered, x) : visit_first(ctx, own, entered, x);
}

/* The cycle from the first level of which all processes have all rows; each has its own rows of the
 * right-hand side. */
static tulle_status visit_whole(tulle_ctx *ctx, tulle__amg *own) {
    const tulle__amg_whole *w = &own->whole;
    tulle_comm *comm = own->head.comm;
    TULLE__TRY(tulle__comm_exchange_start(comm, ctx, w->pieces + w->receives, w->sends, w->pieces,
                                          w->receives));
    TULLE__TRY(tulle__comm_exchange_finish(comm, ctx));
    return own->single ? visit_single(ctx, own, w->b, w->x) : visit_first(ctx, own, w->b, w->x);
}

/* The cycle where no level is shared, of own rows. */
static tulle_status cycle_whole(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b, tulle_vec *x) {
    tulle_vec to = own_part(own, own->whole.b);
    const tulle_vec from = own_part(own, own->whole.x);
    TULLE__TRY(tulle_vec_copy(ctx, b, &to));
    TULLE__TRY(visit_whole(ctx, own));
    return tulle_vec_copy(ctx, &from, x);
}

tulle_status tulle__amg_cycle(tulle_ctx *ctx, tulle__amg *own, const tulle_vec *b, tulle_vec *x) {
    if (own->nodes.block > 0) return cycle_nodes(ctx, own, b, x);
    if (own->shared > 0) return visit(ctx, own, 0, true, b, x);
    if (own->dist) return cycle_whole(ctx, own, b, x);
    return own->single ? visit_single(ctx, own, b, x) : visit(ctx, own, 0, true, b, x);
}
