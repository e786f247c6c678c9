/* SPDX-License-Identifier: Apache-2.0 */
/* A hierarchy of nodes: smoothed aggregation for systems. The matrix of the first level has blocks
 * of b x b, b being the unknowns of a node, and P on it blocks of b x k, k being the columns of the
 * near null space; on all other levels a node stands for an aggregate and has k unknowns. */
#include <math.h>

#include "amg/amg.h"
#include "amg/blocks.h"
#include "amg/functions.h"
#include "spgemm/galerkin.h"
#include "tulle/vec.h"

/* The smoother's D has the diagonal blocks A_ii, multiplied by a bound of the largest eigenvalue of
 * the product of their inverses and A: steps of the power method, and the factor by which what they
 * find, which is less than there is, is taken. The polynomial that smooths is below 1 up to
 * some 1.3 times the bound, so that M is positive definite where A is. Sums of sizes in the place
 * of the bound need no estimate, but are twice the eigenvalue in elasticity, and cost half as many
 * iterations again. */
enum { power_steps = 12 };
static const double more = 1.1;

/* Makes the near null space of constants, column p of which is 1 in unknown p of each node. */
static tulle_status make_constants(tulle_ctx *ctx, int64_t n, int block, tulle_vec *near) {
    const int64_t cells = (int64_t)block * block;
    TULLE__TRY(tulle_vec_fill(ctx, near, 0));
    for (int p = 0; p < block; p++) {
        double *first = (double *)near->data + (int64_t)p * (block + 1);
        tulle_vec *ones = NULL;
        TULLE__TRY(
            tulle_vec_wrap(ctx, TULLE_F64, n / block, 1, TULLE_ROW_MAJOR, cells, first, &ones));
        const tulle_status status = tulle_vec_fill(ctx, ones, 1);
        tulle_vec_destroy(ones);
        TULLE__TRY(status);
    }
    return TULLE_OK;
}

/* Makes the near null space of the first level, which is overwritten later. */
static tulle_status begin_near(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_nodes *nodes = &own->nodes;
    TULLE__TRY(tulle_vec_create_columns(ctx, TULLE_F64, own->head.rows, nodes->columns,
                                        TULLE_ROW_MAJOR, 0, &nodes->near));
    if (nodes->near_null) return tulle_vec_copy(ctx, nodes->near_null, nodes->near);
    return make_constants(ctx, own->head.rows, nodes->block, nodes->near);
}

static void describe_matrix(tulle__amg_level *level) {
    level->info.rows = level->A->pattern->rows;
    level->info.nnz = level->A->pattern->nnz;
}

static tulle_status begin(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_nodes *nodes = &own->nodes;
    nodes->dropped = 0;
    nodes->pattern = own->A->pattern->serial;
    TULLE__TRY(begin_near(ctx, own));
    TULLE__TRY(tulle__amg_in_blocks(ctx, own->A, nodes->block, nodes->block, &own->level[0].A));
    own->levels = 1;
    describe_matrix(own->level);
    return TULLE_OK;
}

/* Vectors of the power method: two to work with, and two for the largest sizes in them. */
typedef struct power {
    tulle_vec *x[2], *largest[2];
} power;

static tulle_status make_power(tulle_ctx *ctx, int64_t rows, power *p) {
    for (int k = 0; k < 2; k++) {
        TULLE__TRY(tulle_vec_create(ctx, TULLE_F64, rows, p->x + k));
        TULLE__TRY(tulle_vec_create(ctx, TULLE_F64, 1, p->largest + k));
    }
    return TULLE_OK;
}

/* Estimates the largest eigenvalue of D^-1 A, where D has the diagonal blocks. Largest sizes are
 * norms that have the same bits in any order; a step takes that of the step before from the place's
 * memory, so that nothing waits but the end. A bound of 1 is for what has no estimate, such as
 * NaN, which 0 becomes in the next step, too. */
static tulle_status estimate(tulle_ctx *ctx, tulle__amg_level *level, const power *p) {
    double largest = 0;
    tulle__amg_power job = {.A = tulle__amg_blocks_of(level->A), .inverses = level->inverses->data};
    for (int k = 0; k < power_steps; k++) {
        job.to = p->x[k % 2]->data;
        TULLE__TRY(ctx->backend->amg->amg_power(&ctx->place, &job));
        TULLE__TRY(tulle_vec_norm_max(ctx, p->x[k % 2], tulle_to_at(p->largest[k % 2]->data)));
        job.x = job.to;
        job.by = p->largest[k % 2]->data;
    }
    TULLE__TRY(tulle__copy_wait(ctx, &largest, job.by, sizeof largest));
    level->bound = largest > 0 && largest < INFINITY ? more * largest : 1;
    return TULLE_OK;
}

static tulle_status make_blocks(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level,
                                power *p) {
    const tulle__amg_blocks A = tulle__amg_blocks_of(level->A);
    const int64_t rows = A.csr.rows * A.tall;
    const bool first = level == own->level;
    if (first) TULLE__TRY(tulle_vec_create(ctx, TULLE_F64, rows, &own->nodes.made));
    TULLE__TRY(tulle_vec_create(ctx, TULLE_F64, rows * A.tall, &level->blocks));
    TULLE__TRY(tulle_vec_create(ctx, TULLE_F64, rows * A.tall, &level->inverses));
    TULLE__TRY(make_power(ctx, rows, p));
    const tulle__amg_block_diagonal job = {.A = A,
                                           .made = first ? NULL : own->nodes.made->data,
                                           .lost = tulle__amg_lost_of_nodes(A.type),
                                           .sizes = first ? own->nodes.made->data : NULL,
                                           .blocks = level->blocks->data,
                                           .inverses = level->inverses->data};
    TULLE__TRY(ctx->backend->amg->amg_invert_blocks(&ctx->place, &job));
    TULLE__TRY(estimate(ctx, level, p));
    TULLE__TRY(tulle_vec_scale(ctx, tulle_num(level->bound), level->blocks));
    return tulle_vec_scale(ctx, tulle_num(1 / level->bound), level->inverses);
}

tulle_status tulle__amg_need_blocks(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level) {
    power p = {.x = {NULL, NULL}};
    if (level->inverses) return TULLE_OK;
    const tulle_status status = make_blocks(ctx, own, level, &p);
    for (int k = 0; k < 2; k++) {
        tulle_vec_destroy(p.x[k]);
        tulle_vec_destroy(p.largest[k]);
    }
    return status;
}

/* Rounds P to the numbers of f32 where a cycle in f32 is tried, so that coarse matrices belong to
 * the P of the cycle. */
static tulle_status shorten_P(tulle_ctx *ctx, const tulle__amg *own, tulle__amg_level *level) {
    const tulle__format_functions *format = ctx->backend->format;
    const tulle_mat *P = level->P;
    tulle_mat *narrow = NULL;
    if (!tulle__amg_may_be_single(own)) return TULLE_OK;
    TULLE__TRY(tulle__amg_make_on(ctx, P->pattern, TULLE_F32, &narrow));
    const int64_t numbers = P->pattern->nnz;
    tulle_status status = format->convert_values(&ctx->place, numbers, TULLE_F64, P->values.data,
                                                 TULLE_F32, narrow->values.data);
    if (status == TULLE_OK) {
        status = format->convert_values(&ctx->place, numbers, TULLE_F32, narrow->values.data,
                                        TULLE_F64, P->values.data);
    }
    tulle_mat_destroy(narrow);
    return status;
}

static void drop_made(tulle__amg *own) {
    tulle_vec_destroy(own->nodes.made);
    own->nodes.made = NULL;
}

/* Brings the sizes of the numbers that unknowns are made of to the next level. */
static tulle_status pass_made(tulle_ctx *ctx, tulle__amg *own, const tulle__amg_level *level) {
    tulle_vec *next = NULL;
    TULLE__TRY(tulle_vec_create(ctx, TULLE_F64, level->R->pattern->rows, &next));
    const tulle__amg_made_of job = {
        .R = tulle__amg_blocks_of(level->R), .from = own->nodes.made->data, .to = next->data};
    const tulle_status status = ctx->backend->amg->amg_made_of(&ctx->place, &job);
    drop_made(own);
    own->nodes.made = next;
    return status;
}

/* Makes R A P of a level in blocks, and brings nodes.made to it. */
static tulle_status multiply(tulle_ctx *ctx, tulle__amg *own, tulle__amg_level *level,
                             tulle_mat **next) {
    const int columns = own->nodes.columns;
    tulle_mat *product = NULL;
    TULLE__TRY(pass_made(ctx, own, level));
    TULLE__TRY(tulle__spgemm_galerkin_with(ctx, level->A, level->P, level->R, level->lengths, NULL,
                                           &product));
    const tulle_status status = tulle__amg_in_blocks(ctx, product, columns, columns, next);
    tulle_mat_destroy(product);
    return status;
}

/* Makes the next level from the last one; done: there is none. */
static tulle_status extend(tulle_ctx *ctx, tulle__amg *own, bool *done) {
    tulle__amg_level *level = own->level + own->levels - 1;
    const int64_t rows = level->info.rows;
    *done = rows <= own->options.coarsest_rows || own->levels == own->options.most_levels;
    if (*done) return TULLE_OK;
    double since = tulle__seconds();
    TULLE__TRY(tulle__amg_interpolate_nodes(ctx, own, level));
    if (!level->P || !tulle__amg_shrinks((double)rows, (double)level->P->pattern->cols)) {
        tulle_mat_destroy(level->P);
        tulle__amg_drop(&level->kept);
        level->P = NULL;
        *done = true;
        return TULLE_OK;
    }
    TULLE__TRY(shorten_P(ctx, own, level));
    TULLE__TRY(tulle_mat_transpose(ctx, level->P, &level->R));
    TULLE__TRY(tulle_ctx_synchronize(ctx));
    level->info.interpolation_ms = tulle__amg_lap(&since) - level->info.split_ms;
    TULLE__TRY(multiply(ctx, own, level, &level[1].A));
    own->levels++;
    describe_matrix(level + 1);
    level->info.product_ms = tulle__amg_lap(&since);
    return TULLE_OK;
}

/* Ends the last level: by its inverse, where it has few rows. Smoothing solves a larger one where
 * the diagonal blocks dominate: eigenvalues that are at most 1.5 and, as far as couplings of both
 * signs are alike, at least 0.5. */
static tulle_status end(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_level *last = own->level + own->levels - 1;
    const int block = own->levels > 1 ? own->nodes.columns : own->nodes.block;
    tulle_mat *csr = NULL, *inverse = NULL;
    TULLE__TRY(tulle__amg_need_blocks(ctx, own, last));
    if (last->info.rows > own->options.coarsest_rows) {
        own->info.stalled = !(last->bound <= tulle__amg_dominated);
        return TULLE_OK;
    }
    TULLE__TRY(tulle_mat_convert(ctx, last->A, TULLE_CSR, last->A->pattern->index, 0, &csr));
    tulle_status status = tulle__amg_invert(ctx, own, csr, &inverse);
    tulle_mat_destroy(csr);
    if (status == TULLE_OK) {
        tulle_mat_destroy(last->inverse);
        last->inverse = NULL;
        status = tulle__amg_in_blocks(ctx, inverse, block, block, &last->inverse);
    }
    tulle_mat_destroy(inverse);
    return status;
}

tulle_status tulle__amg_build_nodes(tulle_ctx *ctx, tulle__amg *own) {
    bool done = false;
    TULLE__TRY(tulle__amg_begin_cycle(ctx, own, false));
    TULLE__TRY(begin(ctx, own));
    while (!done) {
        TULLE__TRY(extend(ctx, own, &done));
        TULLE__TRY(tulle__progress(ctx, "making levels", own->levels, 0));
    }
    tulle_vec_destroy(own->nodes.near);
    own->nodes.near = NULL;
    TULLE__TRY(end(ctx, own));
    drop_made(own);
    tulle__amg_plan_visits(own);
    TULLE__TRY(tulle__amg_prepare_nodes(ctx, own));
    return tulle_ctx_synchronize(ctx);
}

/* Gives a level the matrix that was made for it, which is taken over; same: on the pattern that the
 * level had. */
static tulle_status put(tulle_ctx *ctx, bool same, tulle_mat *made, tulle__amg_level *level) {
    TULLE__TRY(tulle__amg_put(ctx, same, made, level));
    describe_matrix(level);
    return TULLE_OK;
}

/* Puts a new inverse into the one that there was. */
static tulle_status bring_inverse(tulle_ctx *ctx, tulle__amg *own) {
    tulle__amg_level *last = own->level + own->levels - 1;
    tulle_mat *before = last->inverse;
    last->inverse = NULL;
    tulle_status status = end(ctx, own);
    if (status == TULLE_OK && before && last->inverse) {
        status = tulle_mat_set_values(ctx, before, last->inverse->pattern->nnz,
                                      last->inverse->values.data);
        tulle_mat_destroy(last->inverse);
        last->inverse = before;
        return status;
    }
    tulle_mat_destroy(before);
    return status;
}

static tulle_status bring_levels(tulle_ctx *ctx, tulle__amg *own) {
    const bool same = own->nodes.pattern == own->A->pattern->serial;
    const int block = own->nodes.block;
    tulle_mat *first = NULL;
    TULLE__TRY(tulle__amg_begin_cycle(ctx, own, false));
    TULLE__TRY(tulle__amg_in_blocks(ctx, own->A, block, block, &first));
    const bool borrowed = same && first->pattern == own->level[0].A->pattern;
    if (borrowed) {
        tulle_mat_destroy(own->level[0].A);
        own->level[0].A = first;
    } else {
        TULLE__TRY(put(ctx, same, first, own->level));
    }
    own->nodes.pattern = own->A->pattern->serial;
    for (int l = 1; l < own->levels; l++) {
        tulle_mat *next = NULL;
        TULLE__TRY(tulle__amg_need_blocks(ctx, own, own->level + l - 1));
        TULLE__TRY(multiply(ctx, own, own->level + l - 1, &next));
        TULLE__TRY(put(ctx, same, next, own->level + l));
    }
    return bring_inverse(ctx, own);
}

tulle_status tulle__amg_bring_nodes(tulle_ctx *ctx, tulle__amg *own) {
    tulle_status status = bring_levels(ctx, own);
    drop_made(own);
    if (status == TULLE_OK) status = tulle__amg_prepare_nodes(ctx, own);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    if (status == TULLE_OK) tulle__amg_describe_levels(own);
    if (status != TULLE_OK) tulle__amg_forget(own); /* levels may be of different matrices */
    return status;
}

void tulle__amg_forget_nodes(tulle__amg *own) {
    tulle__amg_nodes *nodes = &own->nodes;
    tulle_vec_destroy(nodes->near);
    drop_made(own);
    tulle_vec_destroy(nodes->entered);
    tulle_vec_destroy(nodes->entry);
    nodes->near = nodes->entered = nodes->entry = NULL;
}
