/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, describes, reads and writes multivectors. */
#include "dense/dense.h"

#include <inttypes.h>

#include "core/types.h"
#include "dense/functions.h"

static tulle_status check_shape(const char *function, tulle_type type, int64_t rows, int64_t cols,
                                tulle_layout layout) {
    if (!tulle__is_type(type)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "type", -1,
                           "type is %d: it must be TULLE_F32 or TULLE_F64", (int)type);
    }
    if (layout != TULLE_COLUMN_MAJOR && layout != TULLE_ROW_MAJOR) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "layout", -1,
                           "layout is %d: it must be TULLE_COLUMN_MAJOR or TULLE_ROW_MAJOR",
                           (int)layout);
    }
    if (rows >= 0 && cols >= 0) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, rows < 0 ? "rows" : "cols", -1,
                       "the shape is %" PRId64 " x %" PRId64 ": neither may be negative", rows,
                       cols);
}

/* Replaces a leading dimension of 0 by the smallest one; fails if *ld is too small. */
static tulle_status resolve_ld(const char *function, int64_t run, int64_t *ld) {
    if (*ld == 0) *ld = run;
    if (*ld >= run) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "ld", -1,
                       "ld is %" PRId64 "; it must be 0 or at least %" PRId64, *ld, run);
}

static tulle_status make(tulle_ctx *ctx, const tulle_vec *wanted, tulle_vec **X) {
    size_t bytes;
    int64_t runs = tulle__dense_runs(wanted->rows, wanted->cols, wanted->layout);
    TULLE__TRY(tulle__size(runs, wanted->ld, 0, &bytes));
    TULLE__TRY(tulle__size((int64_t)bytes, tulle_type_size(wanted->type), 0, &bytes));
    tulle_vec *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    *made = *wanted;
    tulle_status status =
        made->owned ? tulle__alloc(ctx, bytes, &made->data) : tulle__lend(ctx, made->data, bytes);
    if (status != TULLE_OK) {
        tulle__host_free(ctx, made);
        return status;
    }
    made->ctx = ctx;
    tulle__ctx_retain(ctx);
    *X = made;
    return TULLE_OK;
}

tulle_status tulle_vec_create_columns(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t cols,
                                      tulle_layout layout, int64_t ld, tulle_vec **X) {
    TULLE__NEED(X);
    *X = NULL;
    TULLE__NEED(ctx);
    TULLE__TRY(check_shape(__func__, type, rows, cols, layout));
    TULLE__TRY(resolve_ld(__func__, tulle__dense_run(rows, cols, layout), &ld));
    tulle_vec wanted = {
        .rows = rows, .cols = cols, .ld = ld, .type = type, .layout = layout, .owned = true};
    return make(ctx, &wanted, X);
}

tulle_status tulle_vec_create(tulle_ctx *ctx, tulle_type type, int64_t n, tulle_vec **x) {
    TULLE__NEED(x);
    return tulle_vec_create_columns(ctx, type, n, 1, TULLE_COLUMN_MAJOR, 0, x);
}

tulle_status tulle_vec_wrap(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t cols,
                            tulle_layout layout, int64_t ld, void *data, tulle_vec **X) {
    TULLE__NEED(X);
    *X = NULL;
    TULLE__NEED(ctx);
    TULLE__TRY(check_shape(__func__, type, rows, cols, layout));
    TULLE__TRY(resolve_ld(__func__, tulle__dense_run(rows, cols, layout), &ld));
    if (rows > 0 && cols > 0) TULLE__NEED(data);
    TULLE__TRY(tulle__check_aligned(__func__, "data", data, tulle_type_size(type)));
    tulle_vec wanted = {
        .rows = rows, .cols = cols, .ld = ld, .type = type, .layout = layout, .data = data};
    return make(ctx, &wanted, X);
}

tulle_status tulle_vec_point(tulle_vec *X, void *data) {
    TULLE__NEED(X);
    const size_t bytes = tulle__dense_bytes(X);
    if (X->owned) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, __func__, "X", -1,
                           "the multivector's memory is its context's: only one that "
                           "tulle_vec_wrap made can be pointed at another array");
    }
    if (bytes > 0) TULLE__NEED(data);
    TULLE__TRY(tulle__check_aligned(__func__, "data", data, tulle_type_size(X->type)));
    if (data == X->data) return TULLE_OK;
    TULLE__TRY(tulle__lend(X->ctx, data, bytes));
    tulle__give_back(X->ctx, X->data);
    X->data = data;
    return TULLE_OK;
}

void tulle_vec_destroy(tulle_vec *X) {
    if (!X) return;
    tulle_ctx *ctx = X->ctx;
    if (X->owned) {
        tulle__free(ctx, X->data);
    } else {
        tulle__give_back(ctx, X->data);
    }
    tulle__host_free(ctx, X);
    tulle__ctx_release(ctx);
}

tulle_status tulle_vec_describe(const tulle_vec *X, tulle_vec_info *info) {
    TULLE__NEED(X);
    TULLE__NEED(info);
    *info = (tulle_vec_info){.rows = X->rows,
                             .cols = X->cols,
                             .ld = X->ld,
                             .type = X->type,
                             .layout = X->layout,
                             .backend = X->ctx->kind,
                             .bytes = (int64_t)tulle__dense_bytes(X),
                             .data = X->data};
    return TULLE_OK;
}

static tulle_status check_space(const char *function, const tulle_ctx *ctx, const tulle_vec *X) {
    if (tulle__same_space(ctx, X->ctx)) return TULLE_OK;
    return tulle__fail(TULLE_SPACE_MISMATCH, function, "X", -1,
                       "the multivector lives on %s, the context on %s", X->ctx->info.name,
                       ctx->info.name);
}

/* Copies run by run, so that memory between the runs stays as it is; copies everything at once if
 * nothing is between the runs. */
static tulle_status copy_runs(tulle_ctx *ctx, const tulle_vec *X, char *to, int64_t to_ld,
                              const char *from, int64_t from_ld) {
    int64_t run = tulle__dense_run(X->rows, X->cols, X->layout);
    int64_t runs = tulle__dense_runs(X->rows, X->cols, X->layout);
    int64_t size = tulle_type_size(X->type);
    if (run == 0 || runs == 0) return TULLE_OK;
    if (to_ld == run && from_ld == run) {
        run *= runs;
        runs = 1;
    }
    for (int64_t r = 0; r < runs; r++) {
        TULLE__TRY(ctx->backend->copy(&ctx->place, to + r * to_ld * size, from + r * from_ld * size,
                                      (size_t)(run * size)));
    }
    return ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
}

tulle_status tulle_vec_write(tulle_ctx *ctx, tulle_vec *X, const void *host, int64_t ld) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__TRY(check_space(__func__, ctx, X));
    TULLE__TRY(resolve_ld(__func__, tulle__dense_run(X->rows, X->cols, X->layout), &ld));
    if (tulle__dense_bytes(X) > 0) TULLE__NEED(host);
    return copy_runs(ctx, X, X->data, X->ld, host, ld);
}

tulle_status tulle_vec_read(tulle_ctx *ctx, const tulle_vec *X, void *host, int64_t ld) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__TRY(check_space(__func__, ctx, X));
    TULLE__TRY(resolve_ld(__func__, tulle__dense_run(X->rows, X->cols, X->layout), &ld));
    if (tulle__dense_bytes(X) > 0) TULLE__NEED(host);
    return copy_runs(ctx, X, host, ld, X->data, X->ld);
}

tulle_status tulle_vec_fill(tulle_ctx *ctx, tulle_vec *X, double value) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__TRY(check_space(__func__, ctx, X));
    return ctx->backend->dense->fill(&ctx->place, X->type, X->rows, X->cols, X->ld, X->layout,
                                     X->data, value);
}

tulle_status tulle_vec_random(tulle_ctx *ctx, tulle_vec *X, uint64_t seed) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__TRY(check_space(__func__, ctx, X));
    return ctx->backend->dense->random(&ctx->place, X->type, X->rows, X->cols, X->ld, X->layout,
                                       X->data, seed);
}

tulle_status tulle__dense_watch(tulle_ctx *ctx, const tulle_vec *X) {
    int64_t size = tulle_type_size(X->type), runs = tulle__dense_runs(X->rows, X->cols, X->layout);
    size_t run = (size_t)(tulle__dense_run(X->rows, X->cols, X->layout) * size);
    for (int64_t r = 0; r < runs; r++) {
        TULLE__TRY(ctx->backend->watch(ctx->place.device, (char *)X->data + r * X->ld * size, run,
                                       TULLE__WATCH_INPUT));
    }
    return TULLE_OK;
}
