/* SPDX-License-Identifier: Apache-2.0 */
/* Matrices from the caller's arrays. */
#include "core/options.h"
#include "matrix/build.h"
#include "matrix/ends.h"
#include "matrix/functions.h"

/* Arrays and numbers that the caller of tulle_mat_create or one of its kind hands over. */
typedef struct offer {
    const char *function;
    tulle__pattern_view view;
    tulle_type type;
    const void *values;
    tulle_mat_options options;
    bool general; /* true: the call is tulle_mat_create */
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

/* Name of an array in the public call: tulle_mat_create_csr and _coo, which are older, have
 * other names than tulle_mat_arrays. */
static const char *name_of(const offer *o, int k) {
    static const char *const plain[TULLE__ARRAYS] = {
        [TULLE__OFFSETS] = "offsets", [TULLE__ROWS] = "row_indices", [TULLE__COLS] = "columns"};
#define A(number, member, field, item, words) "arrays." #field,
    static const char *const fields[TULLE__ARRAYS] = {TULLE__EACH_ARRAY(A)};
#undef A
    return o->general ? fields[k] : plain[k];
}

static tulle_mat_lengths counts_of(const offer *o) {
    return tulle__counts(o->view.format, o->view.rows, o->view.cols, &o->view.storage);
}

/* Checks the size of tables: offsets, and the counts that a GPU makes for every row. */
static tulle_status check_tables(const tulle_ctx *ctx, const offer *o) {
    const tulle__pattern_view *v = &o->view;
    int64_t lines = v->format == TULLE_CSC && v->cols > v->rows ? v->cols : v->rows;
    bool counts = v->format == TULLE_COO || tulle__has(v->format, TULLE__COMPRESSED);
    if (counts && (ctx->kind == TULLE_CPU || v->nnz == 0)) return TULLE_OK;
    return tulle__check_offsets_fit(o->function, ctx, lines, counts ? TULLE_I64 : v->index);
}

/* Checks the alignment of arrays of the caller that are used in place: kernels load one element at
 * a time, and codes by words of 4 bytes. */
static tulle_status check_aligned(const offer *o, const tulle_mat_lengths *n) {
    tulle__pattern_view arrays = o->view;
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        if (tulle__array_count(n, k) == 0) continue;
        int64_t item = k == TULLE__CODES ? 4 : tulle__array_item(o->view.index, k);
        TULLE__TRY(
            tulle__check_aligned(o->function, name_of(o, k), *tulle__view_array(&arrays, k), item));
    }
    if (n->values == 0 || !o->values) return TULLE_OK;
    return tulle__check_aligned(o->function, "values", o->values, tulle_type_size(o->type));
}

static const char *values_name(const offer *o) {
    return o->general ? "arrays.values" : "values";
}

static tulle_status check_values(const offer *o, int64_t count) {
    if (!o->options.pattern) return count > 0 ? need(o->function, "values", o->values) : TULLE_OK;
    if (!tulle__has(o->view.format, TULLE__LIST)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, o->function, "options", -1,
                           "options: pattern is for COO, CSR and CSC");
    }
    if (!o->values) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, o->function, "values", -1,
                       "%s must be NULL where options say pattern", values_name(o));
}

static tulle_status check_offer(const tulle_ctx *ctx, const offer *o) {
    const tulle__pattern_view *v = &o->view;
    TULLE__TRY(check_options(o->function, &o->options));
    TULLE__TRY(check_tables(ctx, o));
    tulle_mat_lengths n = counts_of(o);
    tulle__pattern_view arrays = *v;
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        if (tulle__array_count(&n, k) == 0) continue;
        TULLE__TRY(need(o->function, name_of(o, k), *tulle__view_array(&arrays, k)));
    }
    if (o->options.base == 1 && !tulle__has(v->format, TULLE__LIST)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, o->function, "options", -1,
                           "options: base 1 is for COO, CSR and CSC");
    }
    TULLE__TRY(check_values(o, n.values));
    return o->options.ownership == TULLE_COPY ? TULLE_OK : check_aligned(o, &n);
}

static tulle_status copy_array(tulle_ctx *ctx, void *to, const void *from, int64_t count,
                               int64_t size, int base) {
    if (count == 0) return TULLE_OK;
    TULLE__TRY(ctx->backend->copy(&ctx->place, to, from, tulle__bytes(count, size)));
    if (base == 0) return TULLE_OK;
    return ctx->backend->format->convert_indices(&ctx->place, count, size, to, size, to, -base);
}

/* Fills an array with ones: a few from the host, then as many again as there are, until all are. */
static tulle_status fill_ones(tulle_ctx *ctx, tulle_type type, int64_t count, void *values) {
    enum { FEW = 64 };
    float single[FEW];
    double twice[FEW];
    for (int i = 0; i < FEW; i++) single[i] = (float)(twice[i] = 1);
    const size_t bytes = tulle__bytes(count, tulle_type_size(type));
    size_t done = tulle__bytes(count < FEW ? count : FEW, tulle_type_size(type));
    if (count == 0) return TULLE_OK;
    TULLE__TRY(tulle__copy_wait(ctx, values, type == TULLE_F32 ? (void *)single : twice, done));
    while (done < bytes) {
        const size_t more = done < bytes - done ? done : bytes - done;
        TULLE__TRY(ctx->backend->copy(&ctx->place, (char *)values + done, values, more));
        done += more;
    }
    return TULLE_OK;
}

static tulle_status copy_all(const offer *o, tulle__draft *d) {
    tulle_mat_lengths n = counts_of(o);
    tulle__pattern_view given = o->view;
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        TULLE__TRY(copy_array(d->ctx, *tulle__array_at(&d->arrays, k),
                              *tulle__view_array(&given, k), tulle__array_count(&n, k),
                              tulle__array_item(d->index, k), o->options.base));
    }
    if (o->options.pattern) return fill_ones(d->ctx, o->type, n.values, d->values);
    return copy_array(d->ctx, d->values, o->values, n.values, tulle_type_size(o->type), 0);
}

/* Validates arrays in the context's memory, and counts the entries of a layout. */
static tulle_status judge(tulle_ctx *ctx, const offer *o, tulle__pattern_view *view,
                          const void *values, tulle__stats *stats) {
    if (view->format == TULLE_COO || view->format == TULLE_CSR) {
        TULLE__TRY(ctx->backend->matrix->check_pattern(&ctx->place, view, stats));
        return tulle__check_stats(o->function, ctx, view, stats, o->options.base);
    }
    TULLE__TRY(ctx->backend->format->check_layout(&ctx->place, view, stats));
    TULLE__TRY(tulle__check_layout_stats(o->function, view, stats, o->options.base));
    return tulle__layout_stats(ctx, view, o->type, values, stats);
}

static tulle_status create_copy(tulle_ctx *ctx, const offer *o, tulle_mat **A) {
    const tulle__pattern_view *v = &o->view;
    tulle__draft draft = {.ctx = ctx,
                          .rows = v->rows,
                          .cols = v->cols,
                          .nnz = v->nnz,
                          .format = v->format,
                          .index = v->index,
                          .type = o->type,
                          .storage = v->storage};
    TULLE__TRY(tulle__check_ends(o->function, ctx, v, o->options.base));
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle__pattern_view view = tulle__draft_view(&draft);
    tulle__stats stats;
    tulle_status status = copy_all(o, &draft);
    if (status == TULLE_OK) status = judge(ctx, o, &view, draft.values, &stats);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    draft.nnz = view.nnz;
    return tulle__draft_finish(&draft, &stats, A);
}

static tulle_status lend_all(tulle_ctx *ctx, const offer *o) {
    tulle_mat_lengths n = counts_of(o);
    tulle__pattern_view arrays = o->view;
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        size_t bytes = tulle__bytes(tulle__array_count(&n, k), tulle__array_item(o->view.index, k));
        TULLE__TRY(tulle__lend(ctx, *tulle__view_array(&arrays, k), bytes));
    }
    if (!o->values) return TULLE_OK;
    return tulle__lend(ctx, o->values, tulle__bytes(n.values, tulle_type_size(o->type)));
}

static void give_back_all(tulle_ctx *ctx, const offer *o) {
    tulle__pattern_view arrays = o->view;
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        tulle__give_back(ctx, *tulle__view_array(&arrays, k));
    }
    tulle__give_back(ctx, o->values);
}

/* Makes a matrix around the caller's arrays, with his values or with those given. */
static tulle_status create_around(tulle_ctx *ctx, const offer *o, const tulle__array *values,
                                  tulle_mat **A) {
    tulle__array way = {.ownership = o->options.ownership,
                        .release = o->options.release,
                        .user = o->options.user,
                        .lent = true};
    tulle__stats stats;
    tulle__pattern_view view = o->view;
    TULLE__TRY(tulle__check_ends(o->function, ctx, &view, 0));
    TULLE__TRY(judge(ctx, o, &view, values->data, &stats));
    return tulle__mat_make(ctx, &view, o->type, &way, values, &stats, A);
}

static tulle_status create_lent(tulle_ctx *ctx, const offer *o, tulle_mat **A) {
    tulle__array values = {.data = (void *)o->values,
                           .ownership = o->options.ownership,
                           .release = o->options.release,
                           .user = o->options.user,
                           .lent = true};
    return create_around(ctx, o, &values, A);
}

/* Makes a matrix of ones around the caller's pattern. */
static tulle_status create_ones(tulle_ctx *ctx, const offer *o, tulle_mat **A) {
    tulle__array ones = {.ownership = TULLE_COPY};
    TULLE__TRY(tulle__alloc(ctx, tulle__bytes(o->view.nnz, tulle_type_size(o->type)), &ones.data));
    tulle_status status = fill_ones(ctx, o->type, o->view.nnz, ones.data);
    if (status == TULLE_OK) status = create_around(ctx, o, &ones, A);
    if (status != TULLE_OK) tulle__free(ctx, ones.data);
    return status;
}

static tulle_status create_in_place(tulle_ctx *ctx, const offer *o, tulle_mat **A) {
    tulle_status status = lend_all(ctx, o);
    if (status == TULLE_OK) status = (o->options.pattern ? create_ones : create_lent)(ctx, o, A);
    if (status != TULLE_OK) give_back_all(ctx, o);
    return status;
}

static tulle_status create(tulle_ctx *ctx, offer *o, const tulle_mat_options *options,
                           size_t options_size, tulle_mat **A) {
    TULLE__TRY(need(o->function, "A", A));
    *A = NULL;
    TULLE__TRY(need(o->function, "ctx", ctx));
    TULLE__TRY(tulle__check_index(o->function, o->view.index));
    TULLE__TRY(tulle__check_type(o->function, o->type));
    TULLE__TRY(
        tulle__check_sizes(o->function, o->view.rows, o->view.cols, o->view.nnz, o->view.index));
    if (o->general) {
        TULLE__TRY(tulle__check_storage(o->function, &o->view));
    } else {
        o->view.storage = (tulle_storage){.stored = o->view.nnz};
    }
    TULLE__TRY(
        tulle__options_take(o->function, options, options_size, &o->options, sizeof o->options));
    TULLE__TRY(check_offer(ctx, o));
    return o->options.ownership == TULLE_COPY ? create_copy(ctx, o, A) : create_in_place(ctx, o, A);
}

tulle_status tulle_mat_create_csr_sized(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz,
                                        tulle_index index, const void *offsets, const void *columns,
                                        tulle_type type, const void *values,
                                        const tulle_mat_options *options, size_t options_size,
                                        tulle_mat **A) {
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
    return create(ctx, &o, options, options_size, A);
}

tulle_status tulle_mat_create_coo_sized(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz,
                                        tulle_index index, const void *row_indices,
                                        const void *columns, tulle_type type, const void *values,
                                        const tulle_mat_options *options, size_t options_size,
                                        tulle_mat **A) {
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
    return create(ctx, &o, options, options_size, A);
}

tulle_status tulle_mat_create_sized(tulle_ctx *ctx, int64_t rows, int64_t cols, tulle_format format,
                                    const tulle_storage *storage, tulle_index index,
                                    const tulle_mat_arrays *arrays, tulle_type type,
                                    const tulle_mat_options *options, size_t options_size,
                                    tulle_mat **A) {
    TULLE__NEED(A);
    *A = NULL;
    TULLE__NEED(storage);
    TULLE__NEED(arrays);
#define A(number, member, field, item, words) .member = arrays->field,
    offer o = {.function = __func__,
               .view = {.rows = rows,
                        .cols = cols,
                        .nnz = storage->stored,
                        .format = format,
                        .index = index,
                        TULLE__EACH_ARRAY(A).storage = *storage},
               .type = type,
               .values = arrays->values,
               .general = true};
#undef A
    return create(ctx, &o, options, options_size, A);
}
