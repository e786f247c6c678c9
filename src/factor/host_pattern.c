/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a pattern in the context's memory of rows in host memory. */
#include <math.h>

#include "factor/host_rows.h"
#include "factor/object.h"
#include "matrix/build.h"

static tulle_index index_for(tulle_index index, const tulle__host_rows *r) {
    return index == TULLE_I32 && r->begins[r->rows] > INT32_MAX ? TULLE_I64_I32 : index;
}

/* Returns the statistics of rows of full blocks. */
static tulle__stats stats_of(const tulle__host_rows *r, int block) {
    tulle__stats s = {.bad_row = -1, .sorted = true, .rising = true};
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < r->rows; i++) {
        int64_t length = (r->begins[i + 1] - r->begins[i]) * block, first = r->cols[r->begins[i]];
        int64_t reach = r->cols[r->begins[i + 1] - 1] - i, bit = 0;
        while (length >> bit) bit++;
        s.row_histogram[bit < 32 ? bit : 32] += block;
        if (i == 0 || length < s.min_row) s.min_row = length;
        if (length > s.max_row) s.max_row = length;
        if (i - first > reach) reach = i - first;
        if ((reach + 1) * block - 1 > s.bandwidth) s.bandwidth = (reach + 1) * block - 1;
        sum += (double)length;
        squares += (double)length * (double)length;
    }
    if (r->rows > 0) {
        double n = (double)r->rows, variance = squares / n - sum / n * (sum / n);
        s.mean_row = sum / n;
        s.sd_row = variance > 0 ? sqrt(variance) : 0;
    }
    return s;
}

/* Copies numbers into the context's memory in the width of the index type. */
static tulle_status put_numbers(tulle_ctx *ctx, const int64_t *from, int64_t count, int64_t size,
                                void *to) {
    if (count == 0) return TULLE_OK;
    if (size == 8) return tulle__copy_wait(ctx, to, from, tulle__bytes(count, size));
    int32_t *narrow = tulle__host_alloc(ctx, tulle__bytes(count, size));
    if (!narrow) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < count; i++) narrow[i] = (int32_t)from[i];
    tulle_status status = tulle__copy_wait(ctx, to, narrow, tulle__bytes(count, size));
    tulle__host_free(ctx, narrow);
    return status;
}

tulle_status tulle__host_rows_pattern(tulle_ctx *ctx, const tulle__pattern *like,
                                      const tulle__host_rows *r, tulle__pattern **pattern) {
    static const tulle__array from_pool = {.ownership = TULLE_COPY};
    const int block = tulle__block_of(like);
    const int64_t entries = r->begins[r->rows], cells = (int64_t)block * block;
    const tulle_index index = index_for(like->index, r);
    tulle__pattern_view view = {.rows = r->rows * block,
                                .cols = r->rows * block,
                                .nnz = entries * cells,
                                .format = like->format,
                                .index = index,
                                .storage = {.stored = entries * cells}};
    if (like->format == TULLE_BSR) {
        view.storage.block = block;
        view.storage.full = true;
    }
    void *offsets = NULL, *cols = NULL;
    tulle_status status =
        tulle__alloc(ctx, tulle__bytes(r->rows + 1, tulle_offset_size(index)), &offsets);
    if (status == TULLE_OK) {
        status = tulle__alloc(ctx, tulle__bytes(entries, tulle_index_size(index)), &cols);
    }
    if (status == TULLE_OK) {
        status = put_numbers(ctx, r->begins, r->rows + 1, tulle_offset_size(index), offsets);
    }
    if (status == TULLE_OK) {
        status = put_numbers(ctx, r->cols, entries, tulle_index_size(index), cols);
    }
    if (status == TULLE_OK) status = tulle__progress(ctx, "storing the pattern", r->rows, r->rows);
    view.offsets = offsets;
    view.cols_of = cols;
    tulle__stats stats = stats_of(r, block);
    if (status == TULLE_OK) status = tulle__pattern_make(ctx, &view, &from_pool, &stats, pattern);
    if (status != TULLE_OK) {
        tulle__free(ctx, offsets);
        tulle__free(ctx, cols);
    }
    return status;
}
