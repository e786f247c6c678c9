/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices from the caller's arrays. */
#include "matrix/build.h"

/* What the caller of tulle_mat_create_* hands over; one of offsets and rows_of is there. */
typedef struct offer {
    const char *function;
    tulle__pattern_view view;
    tulle_type type;
    const void *values;
    tulle_mat_options options;
} offer;

static tulle_status check_options(const char *function, const tulle_mat_options *options) {
    const char *wrong = NULL;
    if (options->base != 0 && options->base != 1) wrong = "base must be 0 or 1";
    if ((unsigned)options->ownership > TULLE_TAKE)
        wrong = "ownership is not one of tulle_ownership";
    if (options->base == 1 && options->ownership != TULLE_COPY) wrong = "base 1 needs TULLE_COPY";
    if (options->ownership == TULLE_TAKE && !options->release) wrong = "TULLE_TAKE needs release";
    if (!wrong) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1, "options: %s", wrong);
}

static tulle_status need(const char *function, const char *name, const void *array) {
    if (array) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, name, -1, "%s is NULL", name);
}

static tulle_status check_offer(const tulle_ctx *ctx, const offer *o) {
    const tulle__pattern_view *v = &o->view;
    bool some = v->nnz != 0;
    TULLE__TRY(need(o->function, "ctx", ctx));
    TULLE__TRY(tulle__check_index(o->function, v->index));
    TULLE__TRY(tulle__check_type(o->function, o->type));
    TULLE__TRY(tulle__check_sizes(o->function, v->rows, v->cols, v->nnz, v->index));
    TULLE__TRY(check_options(o->function, &o->options));
    if (v->format == TULLE_CSR) {
        TULLE__TRY(tulle__check_offsets_fit(o->function, ctx, v->rows, v->index));
        TULLE__TRY(need(o->function, "offsets", v->offsets));
    } else if (some) {
        TULLE__TRY(need(o->function, "row_indices", v->rows_of));
        /* A GPU counts the entries of every row in a table of all rows. */
        if (ctx->kind != TULLE_CPU) {
            TULLE__TRY(tulle__check_offsets_fit(o->function, ctx, v->rows, TULLE_I64));
        }
    }
    if (some) TULLE__TRY(need(o->function, "columns", v->cols_of));
    return some ? need(o->function, "values", o->values) : TULLE_OK;
}

static tulle_status copy_array(tulle_ctx *ctx, void *to, const void *from, int64_t count,
                               int64_t size, int base) {
    if (count == 0) return TULLE_OK;
    TULLE__TRY(ctx->backend->copy(&ctx->place, to, from, tulle__bytes(count, size)));
    if (base == 0) return TULLE_OK;
    return ctx->backend->convert_indices(&ctx->place, count, size, to, size, to, -base);
}

static tulle_status copy_all(const offer *o, tulle__draft *d) {
    const tulle__pattern_view *v = &o->view;
    int64_t size = tulle_index_size(v->index);
    int base = o->options.base;
    if (v->format == TULLE_CSR) {
        TULLE__TRY(copy_array(d->ctx, d->arrays.offsets, v->offsets, v->rows + 1,
                              tulle_offset_size(v->index), base));
    } else {
        TULLE__TRY(copy_array(d->ctx, d->arrays.rows_of, v->rows_of, v->nnz, size, base));
    }
    TULLE__TRY(copy_array(d->ctx, d->arrays.cols_of, v->cols_of, v->nnz, size, base));
    return copy_array(d->ctx, d->values, o->values, v->nnz, tulle_type_size(o->type), 0);
}

/* Validates arrays in the context's memory. */
static tulle_status judge(tulle_ctx *ctx, const offer *o, const tulle__pattern_view *view,
                          tulle__stats *stats) {
    TULLE__TRY(ctx->backend->check_pattern(&ctx->place, view, stats));
    return tulle__check_stats(o->function, ctx, view, stats, o->options.base);
}

static tulle_status create_copy(tulle_ctx *ctx, const offer *o, tulle_mat **A) {
    const tulle__pattern_view *v = &o->view;
    tulle__draft draft = {.ctx = ctx,
                          .rows = v->rows,
                          .cols = v->cols,
                          .nnz = v->nnz,
                          .format = v->format,
                          .index = v->index,
                          .type = o->type};
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle__pattern_view view = tulle__draft_view(&draft);
    tulle__stats stats;
    tulle_status status = copy_all(o, &draft);
    if (status == TULLE_OK) status = judge(ctx, o, &view, &stats);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, &stats, A);
}

static tulle_status create_in_place(tulle_ctx *ctx, const offer *o, tulle_mat **A) {
    tulle__array way = {
        .ownership = o->options.ownership, .release = o->options.release, .user = o->options.user};
    tulle__stats stats;
    TULLE__TRY(judge(ctx, o, &o->view, &stats));
    return tulle__mat_make(ctx, &o->view, o->type, o->values, &way, &stats, A);
}

static tulle_status create(tulle_ctx *ctx, offer *o, const tulle_mat_options *options,
                           tulle_mat **A) {
    TULLE__TRY(need(o->function, "A", A));
    *A = NULL;
    if (options) o->options = *options;
    TULLE__TRY(check_offer(ctx, o));
    return o->options.ownership == TULLE_COPY ? create_copy(ctx, o, A) : create_in_place(ctx, o, A);
}

tulle_status tulle_mat_create_csr(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz,
                                  tulle_index index, const void *offsets, const void *columns,
                                  tulle_type type, const void *values,
                                  const tulle_mat_options *options, tulle_mat **A) {
    offer o = {.function = __func__,
               .view = {.rows = rows,
                        .cols = cols,
                        .nnz = nnz,
                        .format = TULLE_CSR,
                        .index = index,
                        .offsets = offsets,
                        .cols_of = columns},
               .type = type,
               .values = values};
    return create(ctx, &o, options, A);
}

tulle_status tulle_mat_create_coo(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz,
                                  tulle_index index, const void *row_indices, const void *columns,
                                  tulle_type type, const void *values,
                                  const tulle_mat_options *options, tulle_mat **A) {
    offer o = {.function = __func__,
               .view = {.rows = rows,
                        .cols = cols,
                        .nnz = nnz,
                        .format = TULLE_COO,
                        .index = index,
                        .rows_of = row_indices,
                        .cols_of = columns},
               .type = type,
               .values = values};
    return create(ctx, &o, options, A);
}
