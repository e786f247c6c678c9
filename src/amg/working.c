/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices and vectors that a cycle works with. A hierarchy of f64 is rounded to f32 for the
 * cycle, which then moves half the bytes: a preconditioner is a correction, of which a few digits
 * are right in any case.
 *
 * So that no unit leaves the range of f32, a cycle in f32 works with the equations divided by the
 * sums of sizes of their rows: let D be the diagonal of the inverted sums on a level, and D' that
 * on the next level. With D A in the place of A, D' R D^-1 in the place of R, P as P is, and D b in
 * the place of b, each level has the same x as before, no entry of D A is above 1, and the smoother
 * needs no diagonal. D b is divided by a power of 2 (narrow.cu), so that powers of 2 in A and b
 * change no digit of the result. A single level, which its inverse solves to the last digits, stays
 * in f64. Where a number of D' R D^-1 leaves the range of f32 even so, or P has one that f32 does
 * not hold (shorten_rules.h), the cycle works with the hierarchy itself. A level is rounded as soon
 * as the next one has its matrix, and then gives up its numbers in f64 (wide.c). */
#include "amg/amg.h"
#include "amg/functions.h"
#include "tulle/vec.h"

static bool is_narrow(const tulle__pattern *pattern, const tulle_mat *A) {
    return A && A->type == TULLE_F32 && A->pattern == pattern;
}

/* Makes *to a matrix in f32 on a pattern, unless it is one. */
static tulle_status need_narrow(tulle_ctx *ctx, tulle__pattern *pattern, tulle_mat **to) {
    tulle_mat *made = NULL;
    if (is_narrow(pattern, *to)) return TULLE_OK;
    TULLE__TRY(tulle__amg_make_on(ctx, pattern, TULLE_F32, &made));
    tulle_mat_destroy(*to);
    *to = made;
    return TULLE_OK;
}

static const void *data_of(const tulle_vec *x) {
    return x ? x->data : NULL;
}

int64_t *tulle__amg_unfit(const tulle__amg *own) {
    return (int64_t *)own->unit->data + TULLE__AMG_UNFIT;
}

/* to := left A / right, where left and right may be NULL. */
static tulle_status narrow(tulle_ctx *ctx, const tulle__amg *own, const tulle_mat *A,
                           const tulle_vec *left, const tulle_vec *right, tulle_mat **to) {
    if (!A) {
        tulle_mat_destroy(*to);
        *to = NULL;
        return TULLE_OK;
    }
    TULLE__TRY(need_narrow(ctx, A->pattern, to));
    const tulle__amg_narrowing job = {.A = tulle__view_of(A->pattern),
                                      .values = A->values.data,
                                      .left = data_of(left),
                                      .right = data_of(right),
                                      .to = (*to)->values.data,
                                      .unfit = tulle__amg_unfit(own)};
    return ctx->backend->amg->amg_narrow(&ctx->place, &job);
}

tulle_status tulle__amg_look_for_unfit(tulle_ctx *ctx, tulle__amg *own) {
    if (!own->single) return TULLE_OK;
    TULLE__TRY(tulle__copy_wait(ctx, &own->unfit, tulle__amg_unfit(own), sizeof own->unfit));
    own->single = own->unfit == 0;
    return TULLE_OK;
}

/* Rounds P, whose numbers are those of f32 where f32 has them at all; where it does not, the cycle
 * is in f64. A P that has been rounded stays. */
static tulle_status narrow_P(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level) {
    const tulle_mat *P = level->P;
    if (!P || is_narrow(P->pattern, level->cycle.P)) return TULLE_OK;
    TULLE__TRY(need_narrow(ctx, P->pattern, &level->cycle.P));
    const tulle__amg_narrowing job = {.A = tulle__view_of(P->pattern),
                                      .values = P->values.data,
                                      .to = level->cycle.P->values.data,
                                      .exact = true,
                                      .unfit = tulle__amg_unfit(own)};
    TULLE__TRY(ctx->backend->amg->amg_narrow(&ctx->place, &job));
    return tulle__amg_look_for_unfit(ctx, own);
}

bool tulle__amg_may_be_single(const tulle__amg *own) {
    return own->head.type == TULLE_F64 && own->options.precision == TULLE_AMG_PRECISION_CHOOSE;
}

tulle_status tulle__amg_shorten_P(tulle_ctx *ctx, const tulle__amg *own, tulle_mat *P) {
    if (!tulle__amg_may_be_single(own)) return TULLE_OK;
    const tulle__pattern_view of_P = tulle__view_of(P->pattern);
    return ctx->backend->amg->amg_shorten(&ctx->place, &of_P, P->values.data);
}

tulle_status tulle__amg_begin_cycle(tulle_ctx *ctx, tulle__amg *own, bool gives_up) {
    own->single = tulle__amg_may_be_single(own);
    own->gives_up = own->single && gives_up && !own->options.keep_plans;
    own->unfit = 0;
    if (!own->single) return TULLE_OK;
    if (!own->unit) {
        TULLE__TRY(tulle_vec_create(ctx, TULLE_F64, TULLE__AMG_UNFIT + 1, &own->unit));
    }
    return tulle_vec_fill(ctx, own->unit, 0);
}

tulle_status tulle__amg_narrow_level(tulle_ctx *ctx, tulle__amg *own, int l) {
    tulle__amg_level *level = own->level + l;
    tulle__amg_matrices *to = &level->cycle;
    if (!own->single) return TULLE_OK;
    TULLE__TRY(narrow_P(ctx, own, level));
    if (!own->single) return TULLE_OK;
    const tulle_vec *next_d = l + 1 < own->levels ? level[1].d : NULL;
    if (l > own->shared) TULLE__TRY(narrow(ctx, own, level->A, level->d, NULL, &to->A));
    TULLE__TRY(narrow(ctx, own, level->R, next_d, level->d, &to->R));
    TULLE__TRY(narrow(ctx, own, level->inverse, NULL, level->d, &to->inverse));
    tulle__amg_give_up(own, level);
    return TULLE_OK;
}

/* Rounds what the levels have not: the matrix of the first one, which would have added to the most
 * memory that is held meanwhile, and the last level. */
static tulle_status narrow_rest(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_level *first = own->level + own->shared;
    TULLE__TRY(narrow(ctx, own, first->A, first->d, NULL, &first->cycle.A));
    TULLE__TRY(tulle__amg_narrow_level(ctx, own, own->levels - 1));
    return tulle__amg_look_for_unfit(ctx, own);
}

static void take(tulle_mat *A, tulle_mat **to) {
    tulle_mat *before = *to;
    *to = A ? tulle_mat_retain(A) : NULL;
    tulle_mat_destroy(before);
}

static void take_level(tulle__amg_level *level) {
    take(level->A, &level->cycle.A);
    take(level->P, &level->cycle.P);
    take(level->R, &level->cycle.R);
    take(level->inverse, &level->cycle.inverse);
}

/* Makes a vector of the cycle, unless it is there. */
static tulle_status need(tulle_ctx *ctx, tulle_type type, int64_t n, tulle_vec **x) {
    if (*x && (*x)->type == type) return TULLE_OK;
    tulle_vec_destroy(*x);
    *x = NULL;
    return tulle_vec_create(ctx, type, n, x);
}

/* Makes the vectors of a level: r and z where it is smoothed, b and x where they are not the
 * caller's. Where a level is scaled, two steps of smoothing make one z, as the last one goes
 * straight into x; but not where a second visit wants the residual behind them. */
tulle_status tulle__amg_need_vectors(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level) {
    const bool is_shared = tulle__amg_is_shared(level), single = own->single && !is_shared;
    const bool scaled = tulle__amg_is_scaled(own, level);
    const int64_t n = is_shared ? level->shared.rows : level->info.rows;
    const tulle_type type = single ? TULLE_F32 : own->head.type;
    if (!level->passes && !level->inverse) {
        const bool is_end = level == own->level + own->levels - 1;
        const bool long_way = is_end || own->options.degree > 2 || level->twice;
        TULLE__TRY(need(ctx, type, n, &level->r));
        TULLE__TRY(need(ctx, type, n, &level->z[0]));
        if (long_way || !scaled) TULLE__TRY(need(ctx, type, n, &level->z[1]));
    }
    const bool is_first = level == own->level || level == own->level + own->shared;
    if (is_first && !scaled) return TULLE_OK;
    TULLE__TRY(need(ctx, type, n, &level->b));
    return is_first && !single ? TULLE_OK : need(ctx, type, n, &level->x);
}

tulle_status tulle__amg_prepare_cycle(tulle_ctx *ctx, tulle__amg *own) {
    own->single = own->single && own->levels > own->shared + 1;
    if (own->single) TULLE__TRY(narrow_rest(ctx, own));
    if (!own->single) TULLE__TRY(tulle__amg_need_all(ctx, own));
    own->gives_up = own->single && !own->options.keep_plans;
    for (int l = 0; l < own->levels; l++) {
        tulle__amg_level *level = own->level + l;
        if (!own->single && l >= own->shared) take_level(level);
        TULLE__TRY(tulle__amg_need_vectors(ctx, own, level));
        tulle__amg_give_up(own, level);
    }
    own->info.single = own->single;
    return TULLE_OK;
}
