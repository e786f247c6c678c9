/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_tile: copies of a matrix along the diagonal. */
#include <inttypes.h>

#include "core/room.h"
#include "matrix/build.h"
#include "matrix/functions.h"
#include "tulle/generate.h"

/* Returns A's index type, or the next that holds the sizes. */
static tulle_index wide_enough(tulle_index index, const tulle__draft *d) {
    if (index == TULLE_I32 && d->nnz > INT32_MAX) index = TULLE_I64_I32;
    return d->rows > INT32_MAX || d->cols > INT32_MAX ? TULLE_I64 : index;
}

static tulle_status copy_first(const tulle__draft *d, const tulle__pattern *p, const void *from,
                               void *to) {
    return d->ctx->backend->format->convert_indices(&d->ctx->place, p->nnz,
                                                    tulle_index_size(p->index), from,
                                                    tulle_index_size(d->index), to, 0);
}

static char *entry(void *array, int64_t i, int64_t size) {
    return (char *)array + i * size;
}

/* Tiles entries with explicit rows: the copies so far are copied, shifted, until there are
 * enough. */
static tulle_status tile_coo(const tulle_mat *A, int64_t copies, tulle__draft *d) {
    const tulle__pattern *p = A->pattern;
    const tulle__backend *backend = d->ctx->backend;
    const tulle__place *place = &d->ctx->place;
    int64_t size = tulle_index_size(d->index), value = tulle_type_size(d->type);
    if (p->nnz == 0) return TULLE_OK;
    TULLE__TRY(copy_first(d, p, p->rows_of.data, d->arrays.rows_of));
    TULLE__TRY(copy_first(d, p, p->cols_of.data, d->arrays.cols_of));
    TULLE__TRY(backend->copy(place, d->values, A->values.data, tulle__bytes(p->nnz, value)));
    int64_t more;
    for (int64_t done = 1; done < copies; done += more) {
        more = done < copies - done ? done : copies - done;
        int64_t at = done * p->nnz, count = more * p->nnz;
        TULLE__TRY(backend->format->convert_indices(place, count, size, d->arrays.rows_of, size,
                                                    entry(d->arrays.rows_of, at, size),
                                                    done * p->rows));
        TULLE__TRY(backend->format->convert_indices(place, count, size, d->arrays.cols_of, size,
                                                    entry(d->arrays.cols_of, at, size),
                                                    done * p->cols));
        TULLE__TRY(backend->copy(place, entry(d->values, at, value), d->values,
                                 tulle__bytes(count, value)));
    }
    return TULLE_OK;
}

static tulle_status tile_csr(const tulle_mat *A, int64_t copies, tulle__draft *d) {
    tulle__pattern_view view = tulle__view_of(A->pattern);
    return d->ctx->backend->matrix->tile_csr(&d->ctx->place, &view, A->type, A->values.data, copies,
                                             d->index, d->arrays.offsets, d->arrays.cols_of,
                                             d->values);
}

static tulle_status check_format(const char *function, const tulle__pattern *p) {
    if (p->format == TULLE_COO || p->format == TULLE_CSR) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                       "copies are made of COO and CSR matrices: convert this %s matrix first, and "
                       "the result back",
                       tulle_format_name(p->format));
}

static tulle_status check_room(const tulle_ctx *ctx, int64_t k, const tulle__draft *d) {
    char words[TULLE__ROOM_TEXT];
    const bool csr = d->format == TULLE_CSR;
    const double column = (double)tulle_index_size(d->index), entries = (double)d->nnz;
    const double rows =
        csr ? (double)d->rows * (double)tulle_offset_size(d->index) : entries * column;
    const tulle_status status =
        tulle__room_for(ctx, rows + entries * (column + (double)tulle_type_size(d->type)), words);
    if (status == TULLE_OK) return TULLE_OK;
    return tulle__fail(status, "tulle_mat_tile", "k", -1,
                       "%" PRId64 " copies of the matrix take %s", k, words);
}

tulle_status tulle_mat_tile(tulle_ctx *ctx, const tulle_mat *A, int64_t k, tulle_mat **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    if (k < 1) return TULLE__BAD("k", "k is %" PRId64 "; it must be at least 1", k);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    const tulle__pattern *p = A->pattern;
    TULLE__TRY(check_format(__func__, p));
    tulle__draft draft = {.ctx = ctx, .format = p->format, .type = A->type};
    if (__builtin_mul_overflow(p->rows, k, &draft.rows) ||
        __builtin_mul_overflow(p->cols, k, &draft.cols) ||
        __builtin_mul_overflow(p->nnz, k, &draft.nnz)) {
        return tulle__fail(TULLE_TOO_LARGE, __func__, "k", -1,
                           "%" PRId64 " copies pass 64-bit sizes", k);
    }
    draft.index = wide_enough(p->index, &draft);
    TULLE__TRY(tulle__check_sizes(__func__, draft.rows, draft.cols, draft.nnz, draft.index));
    if (p->format == TULLE_CSR) {
        TULLE__TRY(tulle__check_offsets_fit(__func__, ctx, draft.rows, draft.index));
    }
    TULLE__TRY(check_room(ctx, k, &draft));
    TULLE__TRY(tulle__draft_alloc(&draft));
    tulle_status status = p->format == TULLE_CSR ? tile_csr(A, k, &draft) : tile_coo(A, k, &draft);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__draft_finish(&draft, NULL, B);
}
