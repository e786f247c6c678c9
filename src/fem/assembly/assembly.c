/* SPDX-License-Identifier: Apache-2.0 */
/* The birth and death of assemblies and of their matrices. */
#include "fem/assembly/assembly.h"
#include "core/options.h"

#include "matrix/build.h"

tulle_status tulle__assembly_alloc(tulle_assembly *S, int64_t count, int64_t size, void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(S->ctx, bytes, array));
    S->bytes += (int64_t)bytes;
    return TULLE_OK;
}

void tulle__assembly_release(tulle_assembly *S) {
    tulle_ctx *ctx = S->ctx;
    for (int b = TULLE_ELEMENT_BLOCKS - 1; b >= 0; b--) tulle__free(ctx, S->staging[b].data);
    void *const all[] = {S->masked_zeros, S->masked_what, S->masked_slots, S->visits.positions,
                         S->visits.from,  S->offsets,     S->entries.from, S->entries.ends,
                         S->places.from,  S->places.ends, S->masked};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle__free(ctx, all[i]);
    tulle__pattern_release(S->pattern);
}

void tulle_assembly_destroy(tulle_assembly *S) {
    if (!S) return;
    tulle_ctx *ctx = S->ctx;
    tulle__assembly_release(S);
    tulle__host_free(ctx, S);
    tulle__ctx_release(ctx);
}

static void put_defaults(tulle_assembly_options *o) {
    if (o->unknowns == 0) o->unknowns = 1;
    if (o->format == 0) o->format = o->unknowns > 1 ? TULLE_BSR : TULLE_CSR;
}

tulle_status tulle__assembly_copy_mask(tulle_assembly *S, const uint8_t *masked) {
    void *copy = NULL;
    const int64_t unknowns = S->points * S->block;
    if (!masked || unknowns == 0) return TULLE_OK;
    TULLE__TRY(tulle__assembly_alloc(S, unknowns, sizeof *masked, &copy));
    S->masked = copy;
    return tulle__copy_wait(S->ctx, S->masked, masked, (size_t)unknowns);
}

static tulle_status find_all(const char *function, tulle_assembly *S, int64_t nodes,
                             const tulle_elements *elements, tulle_format format) {
    int32_t *points = NULL;
    TULLE__TRY(tulle__elements_bring(function, S, nodes, elements, &points));
    tulle_status status = tulle__assembly_find(S, format);
    tulle__free(S->ctx, points);
    for (int b = 0; b < S->parts.count; b++) S->parts.block[b].list = NULL;
    return status;
}

tulle_status tulle_assembly_create_sized(tulle_ctx *ctx, int64_t nodes, int blocks,
                                         const tulle_elements *elements,
                                         const tulle_assembly_options *options, size_t options_size,
                                         tulle_assembly **S) {
    TULLE__NEED(S);
    *S = NULL;
    TULLE__NEED(ctx);
    if (blocks > 0) TULLE__NEED(elements);
    tulle_assembly_options o;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &o, sizeof o));
    put_defaults(&o);
    if (o.format != TULLE_CSR && o.format != TULLE_ELL && o.format != TULLE_BSR) {
        return TULLE__BAD("options", "options.format is %s; it must be CSR, ELL or BSR",
                          tulle_format_name(o.format));
    }
    TULLE__TRY(tulle__elements_check(__func__, nodes, blocks, elements, o.unknowns));
    tulle_assembly *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle__ctx_retain(ctx);
    made->ctx = ctx;
    made->unknowns = o.unknowns;
    made->block = o.format == TULLE_BSR ? o.unknowns : 1;
    made->points = nodes * (o.unknowns / made->block);
    tulle__elements_shape(made, blocks, elements);
    tulle_status status = tulle__assembly_copy_mask(made, o.masked);
    if (status == TULLE_OK) status = find_all(__func__, made, nodes, elements, o.format);
    if (status != TULLE_OK) {
        tulle_assembly_destroy(made);
        return status;
    }
    *S = made;
    return TULLE_OK;
}

tulle_status tulle_assembly_matrix(tulle_ctx *ctx, const tulle_assembly *S, tulle_type type,
                                   tulle_mat **A) {
    TULLE__NEED(A);
    *A = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(S);
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(tulle__assembly_check(__func__, ctx, S));
    size_t bytes;
    tulle__array values = {.ownership = TULLE_COPY};
    TULLE__TRY(tulle__size(S->pattern->storage.stored, tulle_type_size(type), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &values.data));
    tulle_status status = TULLE_OK;
    if (bytes > 0) status = ctx->backend->set_bytes(&ctx->place, values.data, 0, bytes);
    if (status == TULLE_OK) status = tulle__mat_around(ctx, S->pattern, type, &values, A);
    if (status != TULLE_OK) tulle__free(ctx, values.data);
    return status;
}

tulle_status tulle_assembly_describe(const tulle_assembly *S, tulle_assembly_info *info) {
    TULLE__NEED(S);
    TULLE__NEED(info);
    *info = (tulle_assembly_info){.format = S->pattern->format,
                                  .rows = S->pattern->rows,
                                  .entries = S->pattern->nnz,
                                  .contributions = S->contributions,
                                  .bytes = S->bytes};
    return TULLE_OK;
}
