/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers in f64 of a hierarchy whose cycle is in f32. A level needs them until the matrix of
 * the next one is made; then they are given up, so that the hierarchy takes less memory. P is
 * widened again without loss, as its numbers are those of f32; R is looked up in P; and the matrix
 * of a level is the product that it was, with the same bits. */
#include "amg/amg.h"
#include "amg/functions.h"
#include "matrix/build.h"
#include "tulle/vec.h"

static void give_up_mat(tulle_mat **A) {
    tulle_mat_destroy(*A);
    *A = NULL;
}

void tulle__amg_give_up(const tulle__amg *own, tulle__amg_level *level) {
    if (!own->gives_up) return;
    give_up_mat(&level->P);
    give_up_mat(&level->R);
    /* Updates compare patterns with A's, and what processes gathered is not made again. */
    if (level <= own->level + own->shared) return;
    give_up_mat(&level->A);
    if (own->dist) return; /* noise of shared levels is not made again */
    tulle_vec_destroy(level->d);
    level->d = NULL;
}

tulle_status tulle__amg_make_on(tulle_ctx *ctx, tulle__pattern *pattern, tulle_type type,
                                tulle_mat **to) {
    tulle__array values = {.ownership = TULLE_COPY};
    size_t bytes;
    TULLE__TRY(tulle__size(pattern->nnz, tulle_type_size(type), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &values.data));
    const tulle_status status = tulle__mat_around(ctx, pattern, type, &values, to);
    if (status != TULLE_OK) tulle__free(ctx, values.data);
    return status;
}

tulle_status tulle__amg_need_P(tulle_ctx *ctx, tulle__amg_level *level) {
    const tulle_mat *from = level->cycle.P;
    if (level->P || !from) return TULLE_OK;
    TULLE__TRY(tulle__amg_make_on(ctx, from->pattern, TULLE_F64, &level->P));
    return ctx->backend->format->convert_values(&ctx->place, from->pattern->nnz, from->type,
                                                from->values.data, TULLE_F64,
                                                level->P->values.data);
}

tulle_status tulle__amg_need_R(tulle_ctx *ctx, tulle__amg_level *level) {
    TULLE__TRY(tulle__amg_need_P(ctx, level));
    if (level->R || !level->P) return TULLE_OK;
    if (!level->cycle.R) return tulle_mat_transpose(ctx, level->P, &level->R);
    const tulle__pattern *of_P = level->P->pattern;
    TULLE__TRY(tulle__amg_make_on(ctx, level->cycle.R->pattern, level->P->type, &level->R));
    const tulle__amg_narrowing job = {
        .A = tulle__view_of(level->R->pattern),
        .P = {.offsets = of_P->offsets.data, .cols_of = of_P->cols_of.data},
        .values = level->P->values.data,
        .wide = level->R->values.data};
    return ctx->backend->amg->amg_narrow(&ctx->place, &job);
}

/* Puts the values of a matrix, which is taken over, on a pattern that has the same entries. */
static tulle_status move_values(tulle_ctx *ctx, tulle__pattern *pattern, tulle_mat *made,
                                tulle_mat **to) {
    const tulle_status status = tulle__mat_around(ctx, pattern, made->type, &made->values, to);
    if (status == TULLE_OK) made->values.data = NULL;
    tulle_mat_destroy(made);
    return status;
}

tulle_status tulle__amg_put(tulle_ctx *ctx, bool same, tulle_mat *made, tulle__amg_level *level) {
    if (same && level->A) {
        const tulle_status status =
            tulle_mat_set_values(ctx, level->A, made->pattern->nnz, made->values.data);
        tulle_mat_destroy(made);
        return status;
    }
    if (same && level->cycle.A) {
        return move_values(ctx, level->cycle.A->pattern, made, &level->A);
    }
    tulle_mat_destroy(level->A);
    level->A = made;
    return TULLE_OK;
}

/* Makes the matrix of the next level, and gives up what was not there before. */
static tulle_status multiply(tulle_ctx *ctx, const tulle__amg *own, tulle__amg_level *level,
                             const tulle_mat *A, tulle_mat **next) {
    const bool had_P = level->P, had_R = level->R;
    const tulle_status status = tulle__amg_multiply(ctx, own, level, A, next);
    if (!had_P) give_up_mat(&level->P);
    if (!had_R) give_up_mat(&level->R);
    return status;
}

tulle_status tulle__amg_need_A(tulle_ctx *ctx, tulle__amg *own, int l) {
    tulle__amg_level *level = own->level + l;
    if (level->A || level->passes) return TULLE_OK;
    int from = l - 1;
    while (!own->level[from].A && (from > own->shared || !own->whole.A)) from--;
    tulle_mat *A = own->level[from].A ? own->level[from].A : own->whole.A;
    tulle_mat_retain(A);
    for (int k = from; k < l; k++) {
        tulle_mat *next = NULL;
        const tulle_status status = multiply(ctx, own, own->level + k, A, &next);
        tulle_mat_destroy(A);
        if (status != TULLE_OK) return status;
        A = next;
    }
    return tulle__amg_put(ctx, true, A, level);
}

tulle_status tulle__amg_need_all(tulle_ctx *ctx, tulle__amg *own) {
    for (int l = own->shared; l < own->levels; l++) {
        tulle__amg_level *level = own->level + l;
        TULLE__TRY(tulle__amg_need_A(ctx, own, l));
        TULLE__TRY(tulle__amg_need_R(ctx, level));
        if (l > own->shared && !own->dist) TULLE__TRY(tulle__amg_pass_noise(ctx, own, level - 1));
        if (level->d || level->passes) continue;
        TULLE__TRY(tulle__amg_set_diagonal(ctx, own, level->A, level));
    }
    tulle__amg_drop_noise(own);
    return TULLE_OK;
}
