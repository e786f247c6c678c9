/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/kept.h"

#include "fem/arrays.h"
#include "fem/functions.h"
#include "fem/patches/patched.h"

/* Neighbours that memory is read by: a warp; and so a CPU may read to the end of one. */
enum { ALIGNED = 32 };

static int64_t stride_of(const tulle_elements *e) {
    return (e->count + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static tulle_status read_list(tulle_ctx *ctx, const tulle_elements *e, int32_t **list) {
    const size_t bytes = (size_t)(e->count * e->nodes) * sizeof **list;
    *list = tulle__host_alloc(ctx, bytes);
    if (!*list) return TULLE_OUT_OF_MEMORY;
    const tulle_status status = tulle__copy_wait(ctx, *list, e->list, bytes);
    if (status != TULLE_OK) tulle__host_free(ctx, *list);
    return status;
}

tulle_status tulle__kept_touch(const tulle__kept_given *given, tulle__rest_making *rest) {
    for (int b = 0; b < given->blocks; b++) {
        const tulle_elements *e = &given->elements[b];
        int32_t *list = NULL;
        TULLE__TRY(read_list(rest->ctx, e, &list));
        for (int64_t k = 0; k < e->count * e->nodes; k++) rest->row_touched[list[k]]++;
        tulle__host_free(rest->ctx, list);
    }
    return TULLE_OK;
}

tulle_status tulle__kept_list(const tulle__kept_given *given, const tulle__kept *kept,
                              int64_t first_slot, tulle__rest_making *rest) {
    for (int b = 0; b < given->blocks; b++) {
        const tulle_elements *e = &given->elements[b];
        int32_t *list = NULL;
        TULLE__TRY(read_list(rest->ctx, e, &list));
        for (int64_t k = 0; k < e->count * e->nodes; k++) {
            const int64_t product = k % e->nodes * kept->block[b].stride + k / e->nodes;
            if (rest->row_masked && rest->row_masked[list[k]]) continue;
            tulle__rest_add_slot(rest, list[k], first_slot + kept->first[b] + product);
        }
        tulle__host_free(rest->ctx, list);
    }
    return TULLE_OK;
}

/* Masked rows count as left out, in a list of the operator's own. */
static tulle_status pack_unknowns(tulle_ctx *ctx, const tulle_elements *e, const uint8_t *masked,
                                  const tulle__pack_job *job, int32_t *points) {
    const tulle__fem_functions *fem = ctx->backend->fem;
    const int64_t count = e->count * e->nodes;
    TULLE__TRY(tulle__copy_wait(ctx, points, e->list, (size_t)count * sizeof *points));
    if (masked) {
        TULLE__TRY(fem->leave_points(
            &ctx->place, &(tulle__leave_job){.count = count, .points = points, .masked = masked}));
    }
    return fem->pack_unknowns(&ctx->place, job);
}

static tulle_status open_block(tulle_ctx *ctx, const tulle_elements *e, const void *matrices,
                               tulle_type type, const uint8_t *masked, tulle__local_block *block) {
    const int64_t m = e->nodes, cells = tulle__local_cells(m, true);
    void *unknowns = NULL, *points = NULL;
    *block = (tulle__local_block){.count = e->count, .stride = stride_of(e), .rows = e->nodes};
    TULLE__TRY(tulle__array_new(ctx, m * block->stride, sizeof(int32_t), &unknowns));
    block->unknowns = unknowns;
    TULLE__TRY(tulle__array_new(ctx, cells * block->stride + ALIGNED, tulle_type_size(type),
                                &block->numbers));
    TULLE__TRY(tulle__array_new(ctx, m * e->count, sizeof(int32_t), &points));
    const tulle__pack_job job = {.block = *block,
                                 .points = points,
                                 .given = type,
                                 .stored = type,
                                 .values = matrices,
                                 .e_step = m * m,
                                 .i_step = m,
                                 .j_step = 1,
                                 .packed = true};
    tulle_status status = pack_unknowns(ctx, e, masked, &job, points);
    tulle__free(ctx, points);
    return status == TULLE_OK ? ctx->backend->fem->pack_numbers(&ctx->place, &job) : status;
}

tulle_status tulle__kept_open(tulle_ctx *ctx, const tulle__kept_given *given, tulle_type type,
                              const uint8_t *masked, tulle__kept *kept) {
    *kept = (tulle__kept){.blocks = given->blocks};
    for (int b = 0; b < given->blocks; b++) {
        const tulle_elements *e = &given->elements[b];
        kept->first[b] = kept->products;
        kept->products += e->nodes * stride_of(e);
        TULLE__TRY(open_block(ctx, e, given->matrices[b], type, masked, &kept->block[b]));
    }
    return TULLE_OK;
}

void tulle__kept_close(tulle_ctx *ctx, const tulle__kept *kept) {
    for (int b = kept->blocks - 1; b >= 0; b--) {
        tulle__free(ctx, kept->block[b].numbers);
        tulle__free(ctx, kept->block[b].unknowns);
    }
}

tulle_status tulle__kept_multiply(const tulle__kept *kept, tulle_type type, const tulle__column *c,
                                  void *slots, int64_t first) {
    for (int b = 0; b < kept->blocks; b++) {
        tulle__local_job job = {.type = type,
                                .stored = type,
                                .packed = true,
                                .scatter = slots ? TULLE_SCATTER_OWNER : TULLE_SCATTER_ATOMIC,
                                .block = kept->block[b],
                                .end = kept->block[b].count,
                                .vectors = tulle__vectors_of(c)};
        if (slots) {
            job.block.products = (char *)slots + (first + kept->first[b]) * tulle_type_size(type);
        }
        TULLE__TRY(c->ctx->backend->fem->apply_elements(&c->ctx->place, &job));
    }
    return TULLE_OK;
}
