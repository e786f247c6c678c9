/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices, operators and right-hand sides of a problem of elasticity on a mesh. */
#include "fem/functions.h"
#include "fem/problems/elasticity.h"
#include "fem/problems/units.h"
#include "matrix/operand.h"
#include "vector/operands.h"

static tulle_status check_space(const char *function, const tulle_ctx *ctx,
                                const tulle_elasticity *E) {
    if (tulle__same_space(ctx, E->ctx)) return TULLE_OK;
    return tulle__fail(TULLE_SPACE_MISMATCH, function, "E", -1, "E lives on %s, the context on %s",
                       E->ctx->info.name, ctx->info.name);
}

/* That S is of E's elements, as far as sizes say. */
static tulle_status check_assembly(const char *function, const tulle_elasticity *E,
                                   const tulle_assembly *S) {
    bool same = S->parts.count == E->blocks && S->unknowns == E->unknowns &&
                S->points * S->block == E->nodes * E->unknowns;
    for (int b = 0; same && b < E->blocks; b++) {
        const tulle__fem_block *part = &S->parts.block[b];
        same = part->count == E->elements[b].count &&
               part->points * S->block == E->elements[b].nodes * E->unknowns;
    }
    if (same) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "S", -1,
                       "S has other elements: make it with tulle_elasticity_assembly");
}

static tulle_status check_matrix(const char *function, const tulle_elasticity *E, tulle_type type) {
    return tulle__check_range(function, "E", type, "the material and factors make the matrix",
                              E->most_matrix);
}

/* Memory for so many numbers, which stays as large. */
static tulle_status make_room(tulle_elasticity *E, int64_t numbers, tulle_type type) {
    size_t bytes;
    TULLE__TRY(tulle__size(numbers, tulle_type_size(type), 0, &bytes));
    if (bytes <= E->room.bytes) return TULLE_OK;
    tulle__free(E->ctx, E->room.data);
    E->bytes -= (int64_t)E->room.bytes;
    E->room = (tulle__staging){NULL, 0};
    TULLE__TRY(tulle__alloc(E->ctx, bytes, &E->room.data));
    E->room.bytes = bytes;
    E->bytes += (int64_t)bytes;
    return TULLE_OK;
}

static int64_t numbers_of(const tulle_elasticity *E, int b, bool vectors) {
    const int64_t rows = (int64_t)E->elements[b].nodes * E->unknowns;
    return E->elements[b].count * rows * (vectors ? 1 : rows);
}

/* Where the numbers of each block begin, in memory for all of them. */
static tulle_status open_data(tulle_elasticity *E, bool vectors, tulle_type type,
                              tulle_element_data *data) {
    int64_t numbers = 0;
    for (int b = 0; b < E->blocks; b++) numbers += numbers_of(E, b, vectors);
    TULLE__TRY(make_room(E, numbers, type));
    char *next = E->room.data;
    for (int b = 0; b < E->blocks; b++) {
        data[b] = (tulle_element_data){.values = next};
        next += numbers_of(E, b, vectors) * tulle_type_size(type);
    }
    return TULLE_OK;
}

static tulle_status compute_matrices(tulle_ctx *ctx, const tulle_elasticity *E, int b,
                                     tulle_type type, void *K) {
    const tulle__elastic_matrices_job job = {.type = type, .body = E->body[b], .matrices = K};
    return ctx->backend->fem->elastic_matrices(&ctx->place, &job);
}

static tulle_status compute_all(tulle_ctx *ctx, tulle_elasticity *E, tulle_type type,
                                tulle_element_data *K) {
    TULLE__TRY(open_data(E, false, type, K));
    for (int b = 0; b < E->blocks; b++) {
        TULLE__TRY(compute_matrices(ctx, E, b, type, (void *)K[b].values));
    }
    return TULLE_OK;
}

static tulle_status compute_loads(tulle_ctx *ctx, tulle_elasticity *E, tulle_type type,
                                  tulle_element_data *F) {
    TULLE__TRY(open_data(E, true, type, F));
    for (int b = 0; b < E->blocks; b++) {
        const tulle__elastic_loads_job job = {
            .type = type, .body = E->body[b], .given = E->given, .vectors = (void *)F[b].values};
        TULLE__TRY(ctx->backend->fem->elastic_loads(&ctx->place, &job));
    }
    return TULLE_OK;
}

tulle_status tulle_elasticity_assembly(tulle_ctx *ctx, const tulle_elasticity *E,
                                       tulle_format format, tulle_assembly **S) {
    TULLE__NEED(S);
    *S = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__TRY(check_space(__func__, ctx, E));
    const tulle_assembly_options options = {
        .unknowns = E->unknowns, .format = format, .masked = E->masked};
    return tulle_assembly_create(ctx, E->nodes, E->blocks, E->elements, &options, S);
}

tulle_status tulle_elasticity_matrices(tulle_ctx *ctx, const tulle_elasticity *E, int block,
                                       tulle_type type, void *K) {
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__NEED(K);
    TULLE__TRY(check_space(__func__, ctx, E));
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(tulle__check_aligned(__func__, "K", K, tulle_type_size(type)));
    if (block < 0 || block >= E->blocks) {
        return TULLE__BAD("block", "E has %d blocks; there is no block %d", E->blocks, block);
    }
    TULLE__TRY(check_matrix(__func__, E, type));
    return compute_matrices(ctx, E, block, type, K);
}

tulle_status tulle_elasticity_values(tulle_ctx *ctx, tulle_elasticity *E, tulle_assembly *S,
                                     tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__NEED(S);
    TULLE__NEED(A);
    TULLE__TRY(check_space(__func__, ctx, E));
    TULLE__TRY(check_assembly(__func__, E, S));
    TULLE__TRY(check_matrix(__func__, E, A->type));
    tulle_element_data K[TULLE__ELASTIC_BLOCKS];
    TULLE__TRY(compute_all(ctx, E, A->type, K));
    return tulle_assembly_values(ctx, S, K, tulle_num(0), A);
}

/* y := the numbers that are given, times scales, in their rows. */
static tulle_status give(tulle_ctx *ctx, const tulle_elasticity *E, const double *scales,
                         const tulle_dense *y) {
    if (E->given_count == 0) return TULLE_OK;
    const tulle__give_job job = {.type = y->type,
                                 .count = E->nodes * E->unknowns,
                                 .masked = E->masked,
                                 .given = E->given,
                                 .scales = scales,
                                 .y = y->data,
                                 .step = tulle__strided_of(y).row};
    return ctx->backend->fem->give_numbers(&ctx->place, &job);
}

tulle_status tulle_elasticity_load(tulle_ctx *ctx, tulle_elasticity *E, tulle_assembly *S,
                                   tulle_dense *b) {
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__NEED(S);
    TULLE__NEED(b);
    TULLE__TRY(check_space(__func__, ctx, E));
    TULLE__TRY(check_assembly(__func__, E, S));
    TULLE__TRY(tulle__check_range(__func__, "E", b->type,
                                  "forces, tractions and given numbers make the right-hand side",
                                  E->most_load));
    tulle_element_data F[TULLE__ELASTIC_BLOCKS];
    TULLE__TRY(compute_loads(ctx, E, b->type, F));
    TULLE__TRY(tulle_assembly_vector(ctx, S, F, tulle_num(0), b));
    return give(ctx, E, E->scales, b);
}

tulle_status tulle_elasticity_give(tulle_ctx *ctx, const tulle_elasticity *E, tulle_dense *x) {
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__NEED(x);
    TULLE__TRY(check_space(__func__, ctx, E));
    const tulle__operand to = {"x", x};
    TULLE__TRY(tulle__operand_check(__func__, ctx, to, E->nodes * E->unknowns, 1, x->type));
    TULLE__TRY(tulle__check_range(__func__, "E", x->type, "u is given as numbers", E->most_given));
    return give(ctx, E, NULL, x);
}

tulle_status tulle_elasticity_local(tulle_ctx *ctx, tulle_elasticity *E,
                                    const tulle_local_options *options, tulle_type type,
                                    tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__TRY(check_space(__func__, ctx, E));
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(check_matrix(__func__, E, type));
    tulle_local_options o = options ? *options : (tulle_local_options){.narrow = false};
    o.unknowns = E->unknowns;
    o.masked = E->masked;
    o.symmetric = true;
    tulle_element_data K[TULLE__ELASTIC_BLOCKS];
    TULLE__TRY(compute_all(ctx, E, type, K));
    return tulle_linop_local(ctx, E->nodes, E->blocks, E->elements, &o, type, K, L);
}
