/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices, operators and right-hand sides of a problem on a mesh. */
#include "fem/functions.h"
#include "fem/problems/diffusion.h"
#include "fem/problems/units.h"
#include "matrix/operand.h"
#include "vector/operands.h"

tulle_status tulle__diffusion_check_space(const char *function, const tulle_ctx *ctx,
                                          const tulle_diffusion *D) {
    if (tulle__same_space(ctx, D->ctx)) return TULLE_OK;
    return tulle__fail(TULLE_SPACE_MISMATCH, function, "D", -1, "D lives on %s, the context on %s",
                       D->ctx->info.name, ctx->info.name);
}

/* That S is of D's elements, as far as sizes say. */
static tulle_status check_assembly(const char *function, const tulle_diffusion *D,
                                   const tulle_assembly *S) {
    bool same =
        S->parts.count == D->blocks && S->points == D->nodes && S->block == 1 && S->unknowns == 1;
    for (int b = 0; same && b < D->blocks; b++) {
        same = S->parts.block[b].count == D->elements[b].count &&
               S->parts.block[b].points == D->elements[b].nodes;
    }
    if (same) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "S", -1,
                       "S has other elements: make it with tulle_diffusion_assembly");
}

static tulle_status check_matrix(const char *function, const tulle_diffusion *D, tulle_type type) {
    return tulle__check_range(function, "D", type, "k, c and factors make the matrix",
                              D->most_matrix);
}

/* Memory for so many numbers, which stays as large. */
static tulle_status make_room(tulle_diffusion *D, int64_t numbers, tulle_type type) {
    size_t bytes;
    TULLE__TRY(tulle__size(numbers, tulle_type_size(type), 0, &bytes));
    if (bytes <= D->room.bytes) return TULLE_OK;
    tulle__free(D->ctx, D->room.data);
    D->bytes -= (int64_t)D->room.bytes;
    D->room = (tulle__staging){NULL, 0};
    TULLE__TRY(tulle__alloc(D->ctx, bytes, &D->room.data));
    D->room.bytes = bytes;
    D->bytes += (int64_t)bytes;
    return TULLE_OK;
}

static int64_t numbers_of(const tulle_elements *e, bool vectors) {
    return e->count * e->nodes * (vectors ? 1 : e->nodes);
}

/* Where the numbers of each block begin, in memory for all of them. */
static tulle_status open_data(tulle_diffusion *D, bool vectors, tulle_type type,
                              tulle_element_data *data) {
    int64_t numbers = 0;
    for (int b = 0; b < D->blocks; b++) numbers += numbers_of(&D->elements[b], vectors);
    TULLE__TRY(make_room(D, numbers, type));
    char *next = D->room.data;
    for (int b = 0; b < D->blocks; b++) {
        data[b] = (tulle_element_data){.values = next};
        next += numbers_of(&D->elements[b], vectors) * tulle_type_size(type);
    }
    return TULLE_OK;
}

static tulle_status compute_matrices(tulle_ctx *ctx, const tulle_diffusion *D, int b,
                                     tulle_type type, void *K) {
    const int64_t nodes = D->elements[b].nodes;
    const tulle__matrices_job job = {.type = type,
                                     .cells = D->cells[b],
                                     .e_step = nodes * nodes,
                                     .i_step = nodes,
                                     .j_step = 1,
                                     .matrices = K};
    const tulle__fem_functions *fem = ctx->backend->fem;
    if (job.cells.table) return fem->tabulated_matrices(&ctx->place, &job);
    return tulle__is_quadratic(job.cells.shape) ? fem->quadratic_matrices(&ctx->place, &job)
                                                : fem->cell_matrices(&ctx->place, &job);
}

static tulle_status compute_all(tulle_ctx *ctx, tulle_diffusion *D, tulle_type type,
                                tulle_element_data *K) {
    TULLE__TRY(open_data(D, false, type, K));
    for (int b = 0; b < D->blocks; b++) {
        TULLE__TRY(compute_matrices(ctx, D, b, type, (void *)K[b].values));
    }
    return TULLE_OK;
}

static tulle_status compute_loads(tulle_ctx *ctx, tulle_diffusion *D, tulle_type type,
                                  tulle_element_data *F) {
    TULLE__TRY(open_data(D, true, type, F));
    for (int b = 0; b < D->blocks; b++) {
        const tulle__loads_job job = {.type = type,
                                      .cells = D->cells[b],
                                      .given = D->given,
                                      .e_step = D->elements[b].nodes,
                                      .i_step = 1,
                                      .vectors = (void *)F[b].values};
        const tulle__fem_functions *fem = ctx->backend->fem;
        TULLE__TRY(job.cells.table                        ? fem->tabulated_loads(&ctx->place, &job)
                   : tulle__is_quadratic(job.cells.shape) ? fem->quadratic_loads(&ctx->place, &job)
                                                          : fem->cell_loads(&ctx->place, &job));
    }
    return TULLE_OK;
}

tulle_status tulle_diffusion_assembly(tulle_ctx *ctx, const tulle_diffusion *D, tulle_format format,
                                      tulle_assembly **S) {
    TULLE__NEED(S);
    *S = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__TRY(tulle__diffusion_check_space(__func__, ctx, D));
    const tulle_assembly_options options = {.format = format, .masked = D->masked};
    return tulle_assembly_create(ctx, D->nodes, D->blocks, D->elements, &options, S);
}

tulle_status tulle_diffusion_matrices(tulle_ctx *ctx, const tulle_diffusion *D, int block,
                                      tulle_type type, void *K) {
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(K);
    TULLE__TRY(tulle__diffusion_check_space(__func__, ctx, D));
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(tulle__check_aligned(__func__, "K", K, tulle_type_size(type)));
    if (block < 0 || block >= D->blocks) {
        return TULLE__BAD("block", "D has %d blocks; there is no block %d", D->blocks, block);
    }
    TULLE__TRY(check_matrix(__func__, D, type));
    return compute_matrices(ctx, D, block, type, K);
}

/* Cells with one Jacobian each need no matrices, where rows can be added up by visits. */
static tulle_status affine_values(tulle_ctx *ctx, tulle_diffusion *D, tulle_assembly *S,
                                  tulle_mat *A) {
    TULLE__TRY(make_room(D, D->cells[0].count * TULLE__AFFINE_NUMBERS, A->type));
    const tulle__affine_metrics_job job = {
        .type = A->type, .cells = D->cells[0], .metrics = D->room.data};
    TULLE__TRY(ctx->backend->fem->affine_metrics(&ctx->place, &job));
    return tulle__assembly_affine_values(ctx, S, D->room.data, A);
}

tulle_status tulle_diffusion_values(tulle_ctx *ctx, tulle_diffusion *D, tulle_assembly *S,
                                    tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(S);
    TULLE__NEED(A);
    TULLE__TRY(tulle__diffusion_check_space(__func__, ctx, D));
    TULLE__TRY(check_assembly(__func__, D, S));
    TULLE__TRY(check_matrix(__func__, D, A->type));
    if (D->affine && S->visits.positions) return affine_values(ctx, D, S, A);
    tulle_element_data K[TULLE__DIFFUSION_BLOCKS];
    TULLE__TRY(compute_all(ctx, D, A->type, K));
    return tulle_assembly_values(ctx, S, K, tulle_num(0), A);
}

/* y := the numbers that are given, times scales, in their rows. */
static tulle_status give(tulle_ctx *ctx, const tulle_diffusion *D, const double *scales,
                         const tulle_dense *y) {
    if (D->given_count == 0) return TULLE_OK;
    const tulle__give_job job = {.type = y->type,
                                 .count = D->nodes,
                                 .masked = D->masked,
                                 .given = D->given_rows,
                                 .scales = scales,
                                 .y = y->data,
                                 .step = tulle__strided_of(y).row};
    return ctx->backend->fem->give_numbers(&ctx->place, &job);
}

tulle_status tulle_diffusion_load(tulle_ctx *ctx, tulle_diffusion *D, tulle_assembly *S,
                                  tulle_dense *b) {
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(S);
    TULLE__NEED(b);
    TULLE__TRY(tulle__diffusion_check_space(__func__, ctx, D));
    TULLE__TRY(check_assembly(__func__, D, S));
    TULLE__TRY(tulle__check_range(__func__, "D", b->type,
                                  "f, fluxes and given numbers make the right-hand side",
                                  D->most_load));
    tulle_element_data F[TULLE__DIFFUSION_BLOCKS];
    TULLE__TRY(compute_loads(ctx, D, b->type, F));
    TULLE__TRY(tulle_assembly_vector(ctx, S, F, tulle_num(0), b));
    return give(ctx, D, D->scales, b);
}

tulle_status tulle_diffusion_give(tulle_ctx *ctx, const tulle_diffusion *D, tulle_dense *x) {
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(x);
    TULLE__TRY(tulle__diffusion_check_space(__func__, ctx, D));
    const tulle__operand to = {"x", x};
    TULLE__TRY(tulle__operand_check(__func__, ctx, to, D->nodes, 1, x->type));
    TULLE__TRY(tulle__check_range(__func__, "D", x->type, "u is given as numbers", D->most_given));
    return give(ctx, D, NULL, x);
}

tulle_status tulle_diffusion_local(tulle_ctx *ctx, tulle_diffusion *D,
                                   const tulle_local_options *options, tulle_type type,
                                   tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__TRY(tulle__diffusion_check_space(__func__, ctx, D));
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(check_matrix(__func__, D, type));
    tulle_local_options o = options ? *options : (tulle_local_options){.narrow = false};
    o.unknowns = 1;
    o.masked = D->masked;
    o.symmetric = true;
    tulle_element_data K[TULLE__DIFFUSION_BLOCKS];
    TULLE__TRY(compute_all(ctx, D, type, K));
    return tulle_linop_local(ctx, D->nodes, D->blocks, D->elements, &o, type, K, L);
}
