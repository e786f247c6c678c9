/* SPDX-License-Identifier: Apache-2.0 */
/* Making the levels of a hierarchy. */
#include "amg/amg.h"
#include "dist/dist.h"
#include "matrix/operand.h"
#include "tulle/algebra.h"
#include "tulle/spmv.h"
#include "tulle/vec.h"

/* A level is passed where it has at least this share of the entries of the level before, and this
 * share of the connections there is strong. */
static const double least_growth = 0.9, least_strong = 0.9;

/* True where the level after one is dear and may not need smoothing. */
static bool grows(const tulle_amg_level_info *before, int64_t nnz) {
    return before->strong_share >= least_strong && (double)nnz > least_growth * (double)before->nnz;
}

/* True for a level that the cycle is to pass through: one whose matrix has about as many entries as
 * that of the level before, or more, where that is not passed itself. Smoothing there would cost
 * as much as on the level before, and gains little where the smoother is a polynomial of degree 2
 * or more and nearly all connections are strong. Where many are weak, errors that are rough along
 * those remain without it, and so do errors of islands of large coefficients, which the level
 * before does not smooth. */
bool tulle__amg_passes(const tulle__amg *own, int l) {
    const tulle_amg_options *o = &own->options;
    if (l < 1 || own->level[l - 1].passes || o->passing == TULLE_AMG_PASS_NONE) return false;
    if (o->passing == TULLE_AMG_PASS_CHOOSE && o->degree == 1) return false;
    if (o->passing == TULLE_AMG_PASS_FIRST) return l == 1;
    return grows(&own->level[l - 1].info, own->level[l].info.nnz) && !own->level[l].is_far;
}

/* Gives up the matrix of a level that the cycle passes through, or puts a gathered one away. */
static void pass(tulle__amg *own, tulle__amg_level *level) {
    level->passes = true;
    if (own->shared > 0 && level == own->level + own->shared) {
        own->whole.A = level->A;
    } else {
        tulle_mat_destroy(level->A);
    }
    level->A = NULL;
}

static tulle_status need_diagonal(tulle_ctx *ctx, const tulle__amg *own, tulle__amg_level *level) {
    return level->d ? TULLE_OK : tulle__amg_set_diagonal(ctx, own, level->A, level);
}

/* Finds whether the level after a level is far from it. */
static tulle_status find_next_far(tulle_ctx *ctx, tulle__amg_level *level) {
    tulle_vec *sizes = NULL;
    tulle_status status = tulle__amg_find_sizes(ctx, level->A, &sizes);
    if (status == TULLE_OK) {
        status = tulle_vec_create(ctx, sizes->type, level[1].d->rows, &level[1].sizes);
    }
    if (status == TULLE_OK) {
        status =
            tulle_spmv(ctx, TULLE_N, tulle_num(1), level->R, sizes, tulle_num(0), level[1].sizes);
    }
    tulle_vec_destroy(sizes);
    return status == TULLE_OK ? tulle__amg_find_far(ctx, level + 1) : status;
}

static tulle_status interpolate(tulle_ctx *ctx, const tulle_amg_options *o,
                                tulle__amg_level *level) {
    const bool classical = o->family == TULLE_AMG_CLASSICAL;
    return (classical ? tulle__amg_interpolate : tulle__amg_aggregate)(
        ctx, o, level->A, &level->kept, &level->info, &level->P);
}

/* Makes the next level from the last one; done: there is none. */
static tulle_status extend(tulle_ctx *ctx, tulle__amg *own, bool *done) {
    tulle__amg_level *level = own->level + own->levels - 1;
    const tulle_amg_options *o = &own->options;
    const int64_t rows = level->A->pattern->rows;
    level->info.rows = rows;
    level->info.nnz = level->A->pattern->nnz;
    *done = rows <= o->coarsest_rows || own->levels == o->most_levels;
    if (*done) return TULLE_OK;
    double since = tulle__seconds();
    TULLE__TRY(interpolate(ctx, o, level));
    if (!level->P || !tulle__amg_shrinks((double)rows, (double)level->P->pattern->cols)) {
        tulle_mat_destroy(level->P);
        tulle__amg_drop(&level->kept);
        level->P = NULL;
        *done = true;
        return TULLE_OK;
    }
    TULLE__TRY(tulle__amg_shorten_P(ctx, own, level->P));
    TULLE__TRY(tulle_mat_transpose(ctx, level->P, &level->R));
    TULLE__TRY(tulle_ctx_synchronize(ctx));
    level->info.interpolation_ms = tulle__amg_lap(&since) - level->info.split_ms;
    TULLE__TRY(tulle__amg_multiply(ctx, own, level, level->A, &level[1].A));
    own->levels++;
    level->info.product_ms = tulle__amg_lap(&since);
    TULLE__TRY(need_diagonal(ctx, own, level));
    TULLE__TRY(tulle__amg_find_far(ctx, level));
    TULLE__TRY(tulle__amg_pass_noise(ctx, own, level));
    TULLE__TRY(need_diagonal(ctx, own, level + 1));
    if (grows(&level->info, level[1].A->pattern->nnz)) TULLE__TRY(find_next_far(ctx, level));
    if (tulle__amg_passes(own, own->levels - 2)) pass(own, level);
    return tulle__amg_narrow_level(ctx, own, own->levels - 2);
}

/* Finds the largest of 1 - |a_ii| / s_i, where s_i is the sum of sizes of a row that counts: d_i is
 * 1 / s_i with the sign of a_ii, so it is (s_i d_i)^2 - a_ii d_i. */
static tulle_status find_rest(tulle_ctx *ctx, const tulle__amg_level *level, double *largest) {
    tulle_mat *A = level->A;
    tulle_linop *L = NULL;
    tulle_vec *diagonal = NULL, *sums = NULL;
    tulle_status status = tulle_linop_from_mat(ctx, A, &L);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, A->type, A->pattern->rows, &diagonal);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, A->type, A->pattern->rows, &sums);
    if (status == TULLE_OK) status = tulle_linop_get_diagonal(ctx, L, diagonal);
    if (status == TULLE_OK) status = tulle_mat_sums(ctx, TULLE_N, A, TULLE_SUM_SIZES, sums);
    if (status == TULLE_OK) status = tulle_vec_multiply(ctx, diagonal, level->d, diagonal);
    if (status == TULLE_OK) status = tulle_vec_multiply(ctx, sums, level->d, sums);
    if (status == TULLE_OK) status = tulle_vec_multiply(ctx, sums, sums, sums);
    if (status == TULLE_OK) status = tulle_vec_axpy(ctx, tulle_num(-1), diagonal, sums);
    if (status == TULLE_OK) status = tulle_vec_norm_max(ctx, sums, tulle_to_num(largest));
    tulle_vec_destroy(sums);
    tulle_vec_destroy(diagonal);
    tulle_linop_destroy(L);
    return status;
}

/* Ends the last level: by its inverse, where it has few rows. A larger one has few strong
 * connections. Where its diagonal dominates, smoothing solves it; else coarsening has stalled. */
static tulle_status end(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_level *last = own->level + own->levels - 1;
    double rest = 0;
    if (last->A->pattern->rows <= own->options.coarsest_rows) {
        return tulle__amg_invert(ctx, own, last->A, &last->inverse);
    }
    TULLE__TRY(find_rest(ctx, last, &rest));
    own->info.stalled = !(rest <= 1 - 1 / tulle__amg_dominated);
    return TULLE_OK;
}

/* Adds the bytes of a matrix that is not `of` itself, without its pattern where that is of's. */
static void add_bytes(tulle_amg_info *info, const tulle_mat *A, const tulle_mat *of) {
    tulle_mat_info own;
    if (!A || A == of || tulle_mat_describe(A, &own) != TULLE_OK) return;
    info->bytes += A->pattern->nnz * tulle_type_size(A->type);
    if (!of || A->pattern != of->pattern) info->bytes += own.pattern_bytes;
}

static void add_vector_bytes(tulle_amg_info *info, const tulle_vec *x) {
    if (x) info->bytes += x->rows * x->cols * tulle_type_size(x->type);
}

/* Adds the bytes of a matrix that an update computes on its own pattern, with its plan. */
static void add_product_bytes(tulle_amg_info *info, const tulle_mat *C, bool beside_plan) {
    tulle_mat_info own;
    if (!C || tulle_mat_describe(C, &own) != TULLE_OK) return;
    if (beside_plan) add_bytes(info, C, NULL);
    info->bytes += own.plan_bytes;
}

/* Adds the bytes of this process's part of a shared matrix. */
static void add_shared_bytes(tulle_amg_info *info, const tulle_dist_mat *A) {
    if (!A) return;
    add_bytes(info, A->block, NULL);
    add_bytes(info, A->edge, NULL);
    add_bytes(info, A->whole_edge, NULL);
}

static void add_level_bytes(tulle__amg *own, const tulle__amg_level *level) {
    const tulle__amg_shared *shared = &level->shared;
    if (shared->A != own->dist) add_shared_bytes(&own->info, shared->A);
    add_shared_bytes(&own->info, shared->P);
    add_shared_bytes(&own->info, shared->R);
    const tulle__amg_matrices *cycle = &level->cycle;
    const tulle_mat *const matrices[] = {level->A, level->P, level->R, level->inverse};
    const tulle_mat *const used[] = {cycle->A, cycle->P, cycle->R, cycle->inverse};
    const tulle_vec *const vectors[] = {level->d, level->b,    level->x,
                                        level->r, level->z[0], level->z[1]};
    for (int k = 0; k < 4; k++) {
        const bool first = level == own->level && k == 0;
        const bool given =
            first && level->A && own->A && level->A->values.data == own->A->values.data;
        if (!given) add_bytes(&own->info, matrices[k], first ? own->A : NULL);
        add_bytes(&own->info, used[k], matrices[k]);
    }
    for (int k = 0; k < 6; k++) add_vector_bytes(&own->info, vectors[k]);
    own->info.bytes += (int64_t)level->kept.rows.bytes;
    for (int k = 0; k < 2; k++) {
        own->info.bytes += tulle__spgemm_lengths_bytes(level->lengths + k);
    }
    add_product_bytes(&own->info, level->AP, true);
    add_product_bytes(&own->info, level->next, level->next && level[1].passes);
}

void tulle__amg_describe_levels(tulle__amg *own) {
    const tulle__amg_level *first = own->level;
    double entries = 0, rows = 0;
    own->info.levels = own->levels;
    own->info.shared_levels = own->shared;
    own->info.bytes = own->unit ? own->unit->rows * tulle_type_size(own->unit->type) : 0;
    for (int l = 0; l < own->levels; l++) {
        tulle__amg_level *level = own->level + l;
        level->info.passed = level->passes;
        entries += level->passes ? 0 : (double)level->info.nnz;
        rows += (double)level->info.rows;
        add_level_bytes(own, level);
    }
    add_vector_bytes(&own->info, own->nodes.entry);
    add_vector_bytes(&own->info, own->nodes.entered);
    add_vector_bytes(&own->info, own->nodes.near_null);
    own->info.block = own->nodes.block;
    own->info.near_null = own->nodes.columns;
    own->info.dropped = own->nodes.dropped;
    add_bytes(&own->info, own->whole.A, NULL);
    own->info.operator_complexity = first->info.nnz > 0 ? entries / (double)first->info.nnz : 1;
    own->info.grid_complexity = first->info.rows > 0 ? rows / (double)first->info.rows : 1;
}

static void take_over(tulle__amg *own, tulle__amg_coarsening *kept) {
    for (int l = 0; l < TULLE__AMG_MOST_LEVELS; l++) {
        own->level[l].kept = kept[l];
        kept[l] = (tulle__amg_coarsening){.coarse = 0};
    }
}

/* Makes the first level of which this process has all rows. */
static tulle_status begin(tulle_ctx *ctx, tulle__amg *own, bool *done) {
    tulle_mat **first = &own->level[0].A;
    if (own->dist) {
        TULLE__TRY(tulle__amg_build_shared(ctx, own, done));
        if (*done) return TULLE_OK;
        first = &own->level[own->shared].A;
    } else {
        TULLE__TRY(tulle__operand_bring(ctx, TULLE_N, own->A, own->A->pattern->index, first));
        own->levels = 1;
    }
    return tulle__operand_raise(ctx, first);
}

static tulle_status build(tulle_ctx *ctx, tulle__amg *own) {
    bool done = false;
    if (own->nodes.block > 0) return tulle__amg_build_nodes(ctx, own);
    const tulle_status here = tulle__amg_begin_cycle(ctx, own, true);
    TULLE__TRY(own->dist ? tulle__comm_agree(own->head.comm, NULL, here, NULL, 0) : here);
    TULLE__TRY(begin(ctx, own, &done));
    while (!done) {
        TULLE__TRY(extend(ctx, own, &done));
        TULLE__TRY(tulle__progress(ctx, "making levels", own->levels, 0));
    }
    tulle__amg_level *last = own->level + own->levels - 1;
    if (last->A) {
        TULLE__TRY(need_diagonal(ctx, own, last));
        TULLE__TRY(end(ctx, own));
    }
    tulle__amg_drop_noise(own);
    tulle__amg_plan_visits(own);
    TULLE__TRY(tulle__amg_prepare_cycle(ctx, own));
    return tulle_ctx_synchronize(ctx);
}

static void forget_shared(tulle__amg_shared *shared) {
    tulle_linop_destroy(shared->of_A);
    tulle_linop_destroy(shared->of_P);
    tulle_linop_destroy(shared->of_R);
    tulle_dist_mat_destroy(shared->A);
    tulle_dist_mat_destroy(shared->P);
    tulle_dist_mat_destroy(shared->R);
}

static void forget_whole(tulle_ctx *ctx, tulle__amg_whole *whole) {
    tulle_mat_destroy(whole->A);
    tulle_vec_destroy(whole->b);
    tulle_vec_destroy(whole->x);
    tulle__host_free(ctx, whole->pieces);
    *whole = (tulle__amg_whole){.b = NULL};
}

void tulle__amg_forget(tulle__amg *own) {
    for (int l = 0; l < TULLE__AMG_MOST_LEVELS; l++) {
        tulle__amg_level *level = own->level + l;
        tulle__amg_matrices *cycle = &level->cycle;
        tulle_mat *const matrices[] = {level->A, level->P, level->R, level->inverse,
                                       cycle->A, cycle->P, cycle->R, cycle->inverse};
        tulle_vec *const vectors[] = {level->d, level->b,    level->x,
                                      level->r, level->z[0], level->z[1]};
        for (int k = 0; k < 8; k++) tulle_mat_destroy(matrices[k]);
        tulle_mat_destroy(level->AP);
        tulle_mat_destroy(level->next);
        for (int k = 0; k < 6; k++) tulle_vec_destroy(vectors[k]);
        tulle_vec_destroy(level->blocks);
        tulle_vec_destroy(level->inverses);
        for (int k = 0; k < 2; k++) tulle__spgemm_lengths_drop(level->lengths + k);
        tulle_vec_destroy(level->sizes);
        tulle__amg_drop(&level->kept);
        forget_shared(&level->shared);
        *level = (tulle__amg_level){.A = NULL};
    }
    tulle_vec_destroy(own->unit);
    own->unit = NULL;
    tulle__amg_forget_nodes(own);
    tulle__amg_drop_noise(own);
    forget_whole(own->head.ctx, &own->whole);
    own->levels = own->shared = 0;
    own->stale = false;
    own->info = (tulle_amg_info){.levels = 0};
}

tulle_status tulle__amg_build(tulle_ctx *ctx, tulle__amg *own, tulle__amg_coarsening *kept) {
    const double started = tulle__seconds();
    if (kept) take_over(own, kept);
    own->info = (tulle_amg_info){.levels = 0};
    const int64_t rows =
        own->dist ? own->dist->row_starts[own->head.comm->functions.ranks] : own->head.rows;
    tulle_status status = rows > 0 ? build(ctx, own) : TULLE_OK;
    if (own->dist)
        status = tulle__comm_agree(own->head.comm, "tulle_amg_create_dist", status, NULL, 0);
    if (status != TULLE_OK) {
        tulle__amg_forget(own);
        return status;
    }
    if (own->levels > 0) tulle__amg_describe_levels(own);
    own->info.setup_ms = 1e3 * (tulle__seconds() - started);
    return TULLE_OK;
}
