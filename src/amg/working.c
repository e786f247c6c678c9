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
 * in f64. Where a number of D' R D^-1 or P leaves the range of f32 even so,
 * the cycle works with the hierarchy itself. */
#include "amg/amg.h"
#include "amg/functions.h"
#include "matrix/build.h"
#include "tulle/vec.h"

/* Makes a matrix on a pattern, whose numbers are to be computed. */
static tulle_status make_on(tulle_ctx *ctx, tulle__pattern *pattern, tulle_type type,
                            tulle_mat **to) {
    tulle__array values = {.ownership = TULLE_COPY};
    size_t bytes;
    TULLE__TRY(tulle__size(pattern->nnz, tulle_type_size(type), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &values.data));
    const tulle_status status = tulle__mat_around(ctx, pattern, type, &values, to);
    if (status != TULLE_OK) tulle__free(ctx, values.data);
    return status;
}

/* Makes *to a matrix in f32 on a pattern, unless it is one. */
static tulle_status need_narrow(tulle_ctx *ctx, tulle__pattern *pattern, tulle_mat **to) {
    tulle_mat *made = NULL;
    if (*to && (*to)->type == TULLE_F32 && (*to)->pattern == pattern) return TULLE_OK;
    TULLE__TRY(make_on(ctx, pattern, TULLE_F32, &made));
    tulle_mat_destroy(*to);
    *to = made;
    return TULLE_OK;
}

static const void *data_of(const tulle_vec *x) {
    return x ? x->data : NULL;
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
                                      .unfit = (int64_t *)own->unit->data + TULLE__AMG_UNFIT};
    return ctx->backend->amg->amg_narrow(&ctx->place, &job);
}

/* The job of P^T, whose numbers are looked up in P. */
static tulle__amg_narrowing transposing(const tulle_mat *P, const tulle__pattern *of_R) {
    return (tulle__amg_narrowing){
        .A = tulle__view_of(of_R),
        .P = {.offsets = P->pattern->offsets.data, .cols_of = P->pattern->cols_of.data},
        .values = P->values.data};
}

/* Narrows R; in a cycle in f32 the pattern of R is cycle.R's, and R itself is not kept. */
static tulle_status narrow_R(tulle_ctx *ctx, const tulle__amg *own, const tulle_vec *next_d,
                             tulle__amg_level *level) {
    tulle_mat **to = &level->cycle.R;
    if (!level->P) return TULLE_OK;
    TULLE__TRY(need_narrow(ctx, (*to ? *to : level->R)->pattern, to));
    tulle__amg_narrowing job = transposing(level->P, (*to)->pattern);
    job.left = data_of(next_d);
    job.right = data_of(level->d);
    job.to = (*to)->values.data;
    job.unfit = (int64_t *)own->unit->data + TULLE__AMG_UNFIT;
    return ctx->backend->amg->amg_narrow(&ctx->place, &job);
}

static tulle_status narrow_level(tulle_ctx *ctx, tulle__amg *own, int l) {
    tulle__amg_level *level = own->level + l;
    tulle__amg_matrices *to = &level->cycle;
    TULLE__TRY(narrow(ctx, own, level->A, level->d, NULL, &to->A));
    TULLE__TRY(narrow(ctx, own, level->P, NULL, NULL, &to->P));
    TULLE__TRY(narrow_R(ctx, own, l + 1 < own->levels ? level[1].d : NULL, level));
    return narrow(ctx, own, level->inverse, NULL, level->d, &to->inverse);
}

bool tulle__amg_may_be_single(const tulle__amg *own) {
    return own->head.type == TULLE_F64 && own->options.precision == TULLE_AMG_PRECISION_CHOOSE;
}

tulle_status tulle__amg_keep_pattern_of_R(tulle_ctx *ctx, const tulle__amg *own,
                                          tulle__amg_level *level) {
    if (!tulle__amg_may_be_single(own)) return TULLE_OK;
    TULLE__TRY(need_narrow(ctx, level->R->pattern, &level->cycle.R));
    tulle_mat_destroy(level->R);
    level->R = NULL;
    return TULLE_OK;
}

tulle_status tulle__amg_need_R(tulle_ctx *ctx, tulle__amg_level *level) {
    if (level->R || !level->P) return TULLE_OK;
    tulle__pattern *pattern = level->cycle.R->pattern;
    TULLE__TRY(make_on(ctx, pattern, level->P->type, &level->R));
    tulle__amg_narrowing job = transposing(level->P, pattern);
    job.wide = level->R->values.data;
    return ctx->backend->amg->amg_narrow(&ctx->place, &job);
}

/* Rounds the matrices of all levels; fits: no number has left the range of f32. */
static tulle_status narrow_all(tulle_ctx *ctx, tulle__amg *own, bool *fits) {
    int64_t unfit = 0;
    if (!own->unit) {
        TULLE__TRY(tulle_vec_create(ctx, TULLE_F64, TULLE__AMG_UNFIT + 1, &own->unit));
    }
    TULLE__TRY(tulle_vec_fill(ctx, own->unit, 0));
    for (int l = own->shared; l < own->levels; l++) TULLE__TRY(narrow_level(ctx, own, l));
    TULLE__TRY(
        tulle__copy_wait(ctx, &unfit, (int64_t *)own->unit->data + TULLE__AMG_UNFIT, sizeof unfit));
    *fits = unfit == 0;
    return TULLE_OK;
}

static void take(tulle_mat *A, tulle_mat **to) {
    tulle_mat *before = *to;
    *to = A ? tulle_mat_retain(A) : NULL;
    tulle_mat_destroy(before);
}

static tulle_status take_level(tulle_ctx *ctx, tulle__amg_level *level) {
    TULLE__TRY(tulle__amg_need_R(ctx, level));
    take(level->A, &level->cycle.A);
    take(level->P, &level->cycle.P);
    take(level->R, &level->cycle.R);
    take(level->inverse, &level->cycle.inverse);
    return TULLE_OK;
}

/* Makes a vector of the cycle, unless it is there. */
static tulle_status need(tulle_ctx *ctx, tulle_type type, int64_t n, tulle_vec **x) {
    if (*x && (*x)->type == type) return TULLE_OK;
    tulle_vec_destroy(*x);
    *x = NULL;
    return tulle_vec_create(ctx, type, n, x);
}

/* Makes the vectors of a level: r and z where it is smoothed, b and x where they are not the
 * caller's. In f32 two steps of smoothing make one z, as the last one goes straight into x; but not
 * where a second visit wants the residual behind them. */
static tulle_status need_vectors(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level) {
    const bool is_shared = tulle__amg_is_shared(level), single = own->single && !is_shared;
    const int64_t n = is_shared ? level->shared.rows : level->info.rows;
    const tulle_type type = single ? TULLE_F32 : own->head.type;
    if (!level->passes && !level->inverse) {
        const bool is_end = level == own->level + own->levels - 1;
        const bool long_way = is_end || own->options.degree > 2 || level->twice;
        TULLE__TRY(need(ctx, type, n, &level->r));
        TULLE__TRY(need(ctx, type, n, &level->z[0]));
        if (long_way || !single) TULLE__TRY(need(ctx, type, n, &level->z[1]));
    }
    const bool is_first = level == own->level || level == own->level + own->shared;
    if (is_first && !single) return TULLE_OK;
    TULLE__TRY(need(ctx, type, n, &level->b));
    return need(ctx, type, n, &level->x);
}

tulle_status tulle__amg_prepare_cycle(tulle_ctx *ctx, tulle__amg *own) {
    own->single = false;
    if (tulle__amg_may_be_single(own) && own->levels > own->shared + 1) {
        TULLE__TRY(narrow_all(ctx, own, &own->single));
    }
    for (int l = 0; l < own->levels; l++) {
        tulle__amg_level *level = own->level + l;
        if (!own->single && l >= own->shared) TULLE__TRY(take_level(ctx, level));
        TULLE__TRY(need_vectors(ctx, own, level));
        if (own->single && l > own->shared) {
            tulle_vec_destroy(level->d);
            level->d = NULL;
        }
    }
    own->info.single = own->single;
    return TULLE_OK;
}
