/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices, operators and right-hand sides of a problem on a mesh. */
#include "fem/problems/problem.h"
#include "fem/problems/units.h"
#include "matrix/operand.h"
#include "vector/operands.h"

tulle_status tulle__problem_check_space(const char *function, const tulle_ctx *ctx,
                                        const tulle__problem *P) {
    if (tulle__same_space(ctx, P->ctx)) return TULLE_OK;
    return tulle__fail(TULLE_SPACE_MISMATCH, function, P->kind->argument, -1,
                       "%s lives on %s, the context on %s", P->kind->argument, P->ctx->info.name,
                       ctx->info.name);
}

tulle_status tulle__problem_check_matrix(const char *function, const tulle__problem *P,
                                         tulle_type type) {
    return tulle__check_range(function, P->kind->argument, type, P->kind->matrix_numbers,
                              P->most_matrix);
}

/* S is of P's elements, as far as sizes say. */
static tulle_status check_assembly(const char *function, const tulle__problem *P,
                                   const tulle_assembly *S) {
    bool same = S->parts.count == P->blocks && S->unknowns == P->unknowns &&
                S->points * S->block == P->nodes * P->unknowns;
    for (int b = 0; same && b < P->blocks; b++) {
        const tulle__fem_block *part = &S->parts.block[b];
        same = part->count == P->elements[b].count &&
               part->points * S->block == P->elements[b].nodes * P->unknowns;
    }
    if (same) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "S", -1,
                       "S has other elements: make it with %s", P->kind->assembly);
}

/* Memory for so many numbers, which stays as large. */
static tulle_status make_room(tulle__problem *P, int64_t numbers, tulle_type type) {
    size_t bytes;
    TULLE__TRY(tulle__size(numbers, tulle_type_size(type), 0, &bytes));
    if (bytes <= P->room.bytes) return TULLE_OK;
    tulle__free(P->ctx, P->room.data);
    P->bytes -= (int64_t)P->room.bytes;
    P->room = (tulle__staging){NULL, 0};
    TULLE__TRY(tulle__alloc(P->ctx, bytes, &P->room.data));
    P->room.bytes = bytes;
    P->bytes += (int64_t)bytes;
    return TULLE_OK;
}

static int64_t numbers_of(const tulle__problem *P, int b, bool vectors) {
    const int64_t rows = (int64_t)P->elements[b].nodes * P->unknowns;
    return P->elements[b].count * rows * (vectors ? 1 : rows);
}

/* Allocates the numbers of all blocks at once, and tells the first number of each block. */
static tulle_status open_data(tulle__problem *P, bool vectors, tulle_type type,
                              tulle_element_data *data) {
    int64_t numbers = 0;
    for (int b = 0; b < P->blocks; b++) numbers += numbers_of(P, b, vectors);
    TULLE__TRY(make_room(P, numbers, type));
    char *next = P->room.data;
    for (int b = 0; b < P->blocks; b++) {
        data[b] = (tulle_element_data){.values = next};
        next += numbers_of(P, b, vectors) * tulle_type_size(type);
    }
    return TULLE_OK;
}

static tulle_status compute_matrices(tulle_ctx *ctx, const tulle__problem *P, int b,
                                     tulle_type type, void *K) {
    return P->kind->matrices(ctx->backend->fem, &ctx->place, type, &P->body[b], K);
}

static tulle_status compute_all(tulle_ctx *ctx, tulle__problem *P, tulle_type type,
                                tulle_element_data *K) {
    TULLE__TRY(open_data(P, false, type, K));
    for (int b = 0; b < P->blocks; b++) {
        TULLE__TRY(compute_matrices(ctx, P, b, type, (void *)K[b].values));
    }
    return TULLE_OK;
}

static tulle_status compute_loads(tulle_ctx *ctx, tulle__problem *P, tulle_type type,
                                  tulle_element_data *F) {
    TULLE__TRY(open_data(P, true, type, F));
    for (int b = 0; b < P->blocks; b++) {
        TULLE__TRY(P->kind->loads(ctx->backend->fem, &ctx->place, type, &P->body[b],
                                  P->given_unknowns, (void *)F[b].values));
    }
    return TULLE_OK;
}

tulle_status tulle__problem_assembly(const char *function, tulle_ctx *ctx, const tulle__problem *P,
                                     tulle_format format, tulle_assembly **S) {
    TULLE__TRY(tulle__problem_check_space(function, ctx, P));
    const tulle_assembly_options options = {
        .unknowns = P->unknowns, .format = format, .masked = P->masked};
    return tulle_assembly_create(ctx, P->nodes, P->blocks, P->elements, &options, S);
}

tulle_status tulle__problem_matrices(const char *function, tulle_ctx *ctx, const tulle__problem *P,
                                     int block, tulle_type type, void *K) {
    TULLE__TRY(tulle__problem_check_space(function, ctx, P));
    TULLE__TRY(tulle__check_type(function, type));
    TULLE__TRY(tulle__check_aligned(function, "K", K, tulle_type_size(type)));
    if (block < 0 || block >= P->blocks) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "block", -1,
                           "%s has %d blocks; there is no block %d", P->kind->argument, P->blocks,
                           block);
    }
    TULLE__TRY(tulle__problem_check_matrix(function, P, type));
    return compute_matrices(ctx, P, block, type, K);
}

/* Cells with one Jacobian each need no matrices, where rows can be added up by visits. */
static tulle_status affine_values(tulle_ctx *ctx, tulle__problem *P, tulle_assembly *S,
                                  tulle_mat *A) {
    const tulle__cells *cells = &P->body[0].cells;
    TULLE__TRY(make_room(P, cells->count * TULLE__AFFINE_NUMBERS, A->type));
    const tulle__affine_metrics_job job = {
        .type = A->type, .cells = *cells, .metrics = P->room.data};
    TULLE__TRY(ctx->backend->fem->affine_metrics(&ctx->place, &job));
    return tulle__assembly_affine_values(ctx, S, P->room.data, A);
}

tulle_status tulle__problem_values(const char *function, tulle_ctx *ctx, tulle__problem *P,
                                   tulle_assembly *S, tulle_mat *A) {
    TULLE__TRY(tulle__problem_check_space(function, ctx, P));
    TULLE__TRY(check_assembly(function, P, S));
    TULLE__TRY(tulle__problem_check_matrix(function, P, A->type));
    if (P->affine && S->visits.positions) return affine_values(ctx, P, S, A);
    tulle_element_data K[TULLE__PROBLEM_BLOCKS];
    TULLE__TRY(compute_all(ctx, P, A->type, K));
    return tulle_assembly_values(ctx, S, K, tulle_num(0), A);
}

/* y := the numbers that are given, times scales, in their rows. */
static tulle_status give(tulle_ctx *ctx, const tulle__problem *P, const double *scales,
                         const tulle_vec *y) {
    if (P->given == 0) return TULLE_OK;
    const tulle__give_job job = {.type = y->type,
                                 .count = P->nodes * P->unknowns,
                                 .masked = P->masked,
                                 .given = P->given_rows,
                                 .scales = scales,
                                 .y = y->data,
                                 .step = tulle__strided_of(y).row};
    return ctx->backend->fem->give_numbers(&ctx->place, &job);
}

tulle_status tulle__problem_load(const char *function, tulle_ctx *ctx, tulle__problem *P,
                                 tulle_assembly *S, tulle_vec *b) {
    TULLE__TRY(tulle__problem_check_space(function, ctx, P));
    TULLE__TRY(check_assembly(function, P, S));
    TULLE__TRY(tulle__check_range(function, P->kind->argument, b->type, P->kind->load_numbers,
                                  P->most_load));
    tulle_element_data F[TULLE__PROBLEM_BLOCKS];
    TULLE__TRY(compute_loads(ctx, P, b->type, F));
    TULLE__TRY(tulle_assembly_vector(ctx, S, F, tulle_num(0), b));
    return give(ctx, P, P->scales, b);
}

tulle_status tulle__problem_give(const char *function, tulle_ctx *ctx, const tulle__problem *P,
                                 tulle_vec *x) {
    TULLE__TRY(tulle__problem_check_space(function, ctx, P));
    const tulle__operand to = {"x", x};
    TULLE__TRY(tulle__operand_check(function, ctx, to, P->nodes * P->unknowns, 1, x->type));
    TULLE__TRY(tulle__check_range(function, P->kind->argument, x->type, "u is given as numbers",
                                  P->most_given));
    return give(ctx, P, NULL, x);
}

tulle_status tulle__problem_local(const char *function, tulle_ctx *ctx, tulle__problem *P,
                                  const tulle_local_options *options, tulle_type type,
                                  tulle_linop **L) {
    TULLE__TRY(tulle__problem_check_space(function, ctx, P));
    TULLE__TRY(tulle__check_type(function, type));
    TULLE__TRY(tulle__problem_check_matrix(function, P, type));
    tulle_local_options o = *options;
    o.unknowns = P->unknowns;
    o.masked = P->masked;
    o.symmetric = true;
    tulle_element_data K[TULLE__PROBLEM_BLOCKS];
    TULLE__TRY(compute_all(ctx, P, type, K));
    return tulle_linop_local(ctx, P->nodes, P->blocks, P->elements, &o, type, K, L);
}
