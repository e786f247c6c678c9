/* SPDX-License-Identifier: Apache-2.0 */
/* Values of matrices, and vectors, from those of elements. */
#include "fem/assembly/assembly.h"
#include "fem/functions.h"
#include "matrix/copies.h"
#include "matrix/operand.h"
#include "vector/operands.h"

tulle_status tulle__assembly_check(const char *function, const tulle_ctx *ctx,
                                   const tulle_assembly *S) {
    if (tulle__same_space(ctx, S->ctx)) return TULLE_OK;
    return tulle__fail(TULLE_SPACE_MISMATCH, function, "S", -1, "S lives on %s, the context on %s",
                       S->ctx->info.name, ctx->info.name);
}

/* Element matrices or vectors, and which. */
typedef struct given {
    const char *function, *name;
    const tulle_element_data *data;
    tulle_type type;
    bool vectors;
} given;

static int64_t numbers_of(const tulle__fem_block *b, const given *g) {
    return g->vectors ? b->of_vector : b->numbers;
}

static tulle_status check_data(const tulle_assembly *S, const given *g) {
    const int blocks = S->parts.count;
    if (blocks > 0 && !g->data) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, g->function, g->name, -1, "%s is NULL", g->name);
    }
    for (int b = 0; b < blocks; b++) {
        if (S->parts.block[b].count > 0 && !g->data[b].values) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, g->function, g->name, -1,
                               "%s[%d].values is NULL", g->name, b);
        }
        TULLE__TRY(tulle__check_aligned(g->function, g->name, g->data[b].values,
                                        tulle_type_size(g->type)));
    }
    return TULLE_OK;
}

/* The host's numbers in the context's memory, which then stays as large. */
static tulle_status stage(tulle_ctx *ctx, tulle_assembly *S, int b, size_t bytes,
                          const void **values) {
    tulle__staging *room = &S->staging[b];
    if (bytes > room->bytes) {
        void *larger;
        TULLE__TRY(tulle__alloc(S->ctx, bytes, &larger));
        tulle__free(S->ctx, room->data);
        *room = (tulle__staging){larger, bytes};
    }
    TULLE__TRY(tulle__copy_wait(ctx, room->data, *values, bytes));
    *values = room->data;
    return TULLE_OK;
}

/* Finds the first number of each block. */
static tulle_status find_sources(tulle_ctx *ctx, tulle_assembly *S, const given *g,
                                 tulle__fem_source source[TULLE_ELEMENT_BLOCKS]) {
    for (int k = 0; k < S->parts.count; k++) {
        const tulle__fem_block *b = &S->parts.block[k];
        const size_t bytes = tulle__bytes(numbers_of(b, g), tulle_type_size(g->type));
        const void *values = g->data[k].values;
        if (b->count > 0 && g->data[k].on_host && ctx->kind != TULLE_CPU) {
            TULLE__TRY(stage(ctx, S, k, bytes, &values));
        }
        source[k] = (tulle__fem_source){.values = values,
                                        .first = g->vectors ? b->first_of_vector : b->first_number,
                                        .r_step = g->vectors ? b->r_vector : b->r_step,
                                        .c_step = b->c_step,
                                        .j_step = b->j_step};
    }
    return TULLE_OK;
}

static tulle_status run(tulle_ctx *ctx, const tulle__sums_job *job) {
    TULLE__TRY(tulle__scalar_lend(ctx, job->beta, job->type));
    tulle_status status = ctx->backend->fem->sum_elements(&ctx->place, job);
    tulle__scalar_give_back(ctx, job->beta);
    return status;
}

/* Numbers of entries, each by its list. */
static tulle_status sum_entries(tulle_ctx *ctx, tulle_assembly *S, const given *g,
                                tulle_scalar beta, tulle_mat *A) {
    const bool ell = S->offsets;
    tulle__sums_job job = {.type = A->type,
                           .beta = beta,
                           .items = S->items,
                           .rows = S->block,
                           .cols = S->block,
                           .wide = S->entries.wide,
                           .ends = S->entries.ends,
                           .from = S->entries.from,
                           .sources = S->parts.count,
                           .values = A->values.data,
                           .step = 1,
                           .ell_rows = ell ? S->points : 0,
                           .stride = S->pattern->storage.stride,
                           .index = S->index,
                           .offsets = S->offsets};
    TULLE__TRY(find_sources(ctx, S, g, job.source));
    return run(ctx, &job);
}

/* Job of the sums row by row, by visits; its sources are still to be found. */
static tulle__row_sums_job rows_of(const tulle_assembly *S, tulle_scalar beta, const tulle_mat *A) {
    return (tulle__row_sums_job){.type = A->type,
                                 .beta = beta,
                                 .rows = S->points,
                                 .longest = S->visits.longest,
                                 .unknowns = S->block,
                                 .wide_ends = S->places.wide,
                                 .ends = S->places.ends,
                                 .width = S->visits.width,
                                 .wide = S->visits.wide,
                                 .from = S->visits.from,
                                 .positions = S->visits.positions,
                                 .sources = S->parts.count,
                                 .index = S->index,
                                 .offsets = S->offsets ? S->offsets : S->pattern->offsets.data,
                                 .stride = S->offsets ? S->pattern->storage.stride : 0,
                                 .values = A->values.data};
}

static tulle_status sum_visits(tulle_ctx *ctx, tulle_assembly *S, const given *g, tulle_scalar beta,
                               tulle_mat *A) {
    tulle__row_sums_job job = rows_of(S, beta, A);
    TULLE__TRY(find_sources(ctx, S, g, job.source));
    TULLE__TRY(tulle__scalar_lend(ctx, beta, job.type));
    const tulle_status status = ctx->backend->fem->sum_visits(&ctx->place, &job);
    tulle__scalar_give_back(ctx, beta);
    return status;
}

static tulle_status put_mask(tulle_ctx *ctx, const tulle_assembly *S, tulle_mat *A) {
    if (S->masked_count == 0) return TULLE_OK;
    return ctx->backend->fem->mask_entries(&ctx->place,
                                           &(tulle__mask_job){.type = A->type,
                                                              .count = S->masked_count,
                                                              .slots = S->masked_slots,
                                                              .what = S->masked_what,
                                                              .unknowns = S->block,
                                                              .values = A->values.data,
                                                              .zeros = S->masked_zeros});
}

static tulle_status check_matrix(const char *function, const tulle_ctx *ctx,
                                 const tulle_assembly *S, const tulle_mat *A) {
    TULLE__TRY(tulle__assembly_check(function, ctx, S));
    TULLE__TRY(tulle__check_space(function, ctx, A));
    if (A->pattern == S->pattern) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "A", -1,
                       "A has another pattern: make it with tulle_assembly_matrix");
}

tulle_status tulle__assembly_affine_values(tulle_ctx *ctx, tulle_assembly *S, const void *metrics,
                                           tulle_mat *A) {
    TULLE__TRY(check_matrix("tulle_diffusion_values", ctx, S, A));
    const tulle__affine_rows_job job = {.rows = rows_of(S, tulle_num(0), A), .metrics = metrics};
    TULLE__TRY(ctx->backend->fem->sum_affine(&ctx->place, &job));
    TULLE__TRY(put_mask(ctx, S, A));
    return tulle_mat_values_changed(ctx, A);
}

static tulle_status sum_values(tulle_ctx *ctx, tulle_assembly *S, const given *g, tulle_scalar beta,
                               tulle_mat *A) {
    TULLE__TRY(S->visits.positions ? sum_visits(ctx, S, g, beta, A)
                                   : sum_entries(ctx, S, g, beta, A));
    return put_mask(ctx, S, A);
}

tulle_status tulle_assembly_values(tulle_ctx *ctx, tulle_assembly *S, const tulle_element_data *K,
                                   tulle_scalar beta, tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(S);
    TULLE__NEED(A);
    TULLE__TRY(check_matrix(__func__, ctx, S, A));
    const given g = {.function = __func__, .name = "K", .data = K, .type = A->type};
    TULLE__TRY(check_data(S, &g));
    TULLE__TRY(tulle__check_aligned(__func__, "beta", beta.address, tulle_type_size(A->type)));
    if (S->items == 0) return TULLE_OK;
    TULLE__TRY(sum_values(ctx, S, &g, beta, A));
    return tulle_mat_values_changed(ctx, A);
}

tulle_status tulle_assembly_vector(tulle_ctx *ctx, tulle_assembly *S, const tulle_element_data *f,
                                   tulle_scalar beta, tulle_vec *b) {
    TULLE__NEED(ctx);
    TULLE__NEED(S);
    TULLE__NEED(b);
    TULLE__TRY(tulle__assembly_check(__func__, ctx, S));
    const tulle__operand to = {"b", b};
    TULLE__TRY(tulle__operand_check(__func__, ctx, to, S->points * S->block, 1, b->type));
    const given g = {
        .function = __func__, .name = "f", .data = f, .type = b->type, .vectors = true};
    TULLE__TRY(check_data(S, &g));
    TULLE__TRY(tulle__address_check(__func__, "beta", beta.address, 1, b->type, to));
    if (S->points == 0) return TULLE_OK;
    tulle__sums_job job = {.type = b->type,
                           .beta = beta,
                           .items = S->points,
                           .rows = S->block,
                           .cols = 1,
                           .wide = S->places.wide,
                           .ends = S->places.ends,
                           .from = S->places.from,
                           .sources = S->parts.count,
                           .values = b->data,
                           .step = tulle__strided_of(b).row,
                           .masked = S->masked};
    TULLE__TRY(find_sources(ctx, S, &g, job.source));
    return run(ctx, &job);
}
