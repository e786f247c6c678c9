/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a matrix from a row function, at the context's place. */
#include "core/room.h"
#include "format/functions.h"
#include "io/functions.h"
#include "io/generators.h"
#include "io/rows_common.h"
#include "matrix/functions.h"
#include "matrix/matrix.h"
#include "tulle/dist.h"

/* The arrays of a matrix that is being made. */
typedef struct draft {
    tulle__pattern_view view;
    void *offsets, *cols_of, *values;
} draft;

static void discard(tulle_ctx *ctx, draft *d) {
    tulle__free(ctx, d->offsets);
    tulle__free(ctx, d->cols_of);
    tulle__free(ctx, d->values);
}

static tulle_status allocate(tulle_ctx *ctx, int64_t count, int64_t size, void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    return tulle__alloc(ctx, bytes, array);
}

/* Copies the offsets, which have 64 bits, into offsets of 32 bits. */
static tulle_status narrow_offsets(tulle_ctx *ctx, draft *d) {
    void *narrow = NULL;
    TULLE__TRY(allocate(ctx, d->view.rows + 1, 4, &narrow));
    tulle_status status = ctx->backend->format->convert_indices(&ctx->place, d->view.rows + 1, 8,
                                                                d->offsets, 4, narrow, 0);
    tulle__free(ctx, status == TULLE_OK ? d->offsets : narrow);
    if (status != TULLE_OK) return status;
    d->offsets = narrow;
    d->view.index = TULLE_I32;
    return TULLE_OK;
}

static tulle_status make_offsets(tulle_ctx *ctx, const tulle__generator_args *args, draft *d) {
    const int64_t rows = d->view.rows;
    bool surely_narrow = rows == 0 || args->max_row <= INT32_MAX / rows;
    d->view.index = surely_narrow ? TULLE_I32 : TULLE_I64_I32;
    TULLE__TRY(allocate(ctx, rows + 1, tulle_offset_size(d->view.index), &d->offsets));
    TULLE__TRY(ctx->backend->io->generate_offsets(&ctx->place, args, d->view.index, d->offsets,
                                                  &d->view.nnz));
    return surely_narrow || d->view.nnz > INT32_MAX ? TULLE_OK : narrow_offsets(ctx, d);
}

tulle_status tulle__check_room(const tulle__generation *g, double bytes) {
    char words[TULLE__ROOM_TEXT];
    const tulle_status status = tulle__room_for(g->ctx, bytes, words);
    if (status == TULLE_OK) return TULLE_OK;
    return tulle__fail(status, "tulle_generate", "spec", -1, "\"%.60s\" takes %s", g->spec, words);
}

/* Returns the bytes that the arrays take, judged by the sizes alone; of a share of the rows, as if
 * all had as many entries. */
static double bytes_of(const tulle__generation *g, const tulle__generator_args *args) {
    const double rows = (double)tulle__rows_made(args);
    const double entries = args->rows > 0 ? args->entries * (rows / (double)args->rows) : 0;
    const bool narrow = entries <= INT32_MAX;
    return (rows + 1) * (narrow ? 4 : 8) + entries * (double)(4 + tulle_type_size(g->type));
}

/* Leaves out the rows of other processes. */
static tulle__generator_args share_of(const tulle__generation *g,
                                      const tulle__generator_args *all) {
    tulle__generator_args own = *all;
    if (!g->share) return own;
    const int64_t rows = tulle_dist_share(all->rows, g->share->ranks, g->share->rank, &own.before);
    own.after = all->rows - own.before - rows;
    g->share->taken = true;
    return own;
}

static tulle_status make_arrays(const tulle__generation *g, const tulle__generator_args *args,
                                draft *d) {
    tulle_ctx *ctx = g->ctx;
    const tulle_type type = g->type;
    TULLE__TRY(make_offsets(ctx, args, d));
    TULLE__TRY(tulle__check_room(g, (double)d->view.nnz * (double)(4 + tulle_type_size(type))));
    TULLE__TRY(allocate(ctx, d->view.nnz, tulle_index_size(d->view.index), &d->cols_of));
    TULLE__TRY(allocate(ctx, d->view.nnz, tulle_type_size(type), &d->values));
    TULLE__TRY(ctx->backend->io->generate_entries(&ctx->place, args, d->view.index, type,
                                                  d->offsets, d->cols_of, d->values));
    d->view.offsets = d->offsets;
    d->view.cols_of = d->cols_of;
    return TULLE_OK;
}

tulle_status tulle__from_rows(const tulle__generation *g, const tulle__generator_args *args,
                              tulle_mat **A) {
    const tulle__generator_args own = share_of(g, args);
    draft d = {.view = {.rows = tulle__rows_made(&own), .cols = args->cols, .format = TULLE_CSR}};
    TULLE__TRY(tulle__check_room(g, bytes_of(g, &own)));
    tulle_status status = make_arrays(g, &own, &d);
    if (status == TULLE_OK) {
        status = tulle__mat_adopt(g->ctx, &d.view, g->type, d.values, NULL, A);
    }
    if (status != TULLE_OK) discard(g->ctx, &d);
    return status;
}

tulle_status tulle__from_rows_transposed(const tulle__generation *g,
                                         const tulle__generator_args *args, tulle_mat **A) {
    tulle__generation whole = *g;
    tulle__generator_args turned = *args;
    tulle_mat *straight = NULL;
    whole.share = NULL;
    turned.rows = args->cols;
    turned.cols = args->rows;
    TULLE__TRY(tulle__check_room(g, bytes_of(g, args) + bytes_of(g, &turned)));
    TULLE__TRY(tulle__from_rows(&whole, args, &straight));
    tulle_status status = tulle_mat_transpose(g->ctx, straight, A);
    tulle_mat_destroy(straight);
    return status;
}

tulle__generator_args tulle__rows_args_of(const tulle__generation *g, int kind, int64_t rows,
                                          int64_t cols) {
    return (tulle__generator_args){.kind = kind,
                                   .rows = rows,
                                   .cols = cols,
                                   .max_row = cols,
                                   .seed = g->seed,
                                   .value_seed = g->seed};
}
