/* SPDX-License-Identifier: Apache-2.0 */
/* Row-by-row generators on the CPU. Rows are made in chunks; progress is reported between two
 * chunks. */
#include "core/context.h"
#include "core/threads/sizes.h"
#include "io/functions.h"
#include "io/rows.h"

enum { CHUNK = 1 << 18, ROWS_AT_ONCE = 256 };

static void set_offset(tulle_index index, void *offsets, int64_t i, int64_t value) {
    if (index == TULLE_I32) {
        ((int32_t *)offsets)[i] = (int32_t)value;
    } else {
        ((int64_t *)offsets)[i] = value;
    }
}

static int64_t get_offset(tulle_index index, const void *offsets, int64_t i) {
    return index == TULLE_I32 ? ((const int32_t *)offsets)[i] : ((const int64_t *)offsets)[i];
}

static int64_t columns_of(const tulle__rows_args *g, int64_t row, tulle__columns columns) {
    return g->columns ? g->columns(g, row, columns) : tulle__row_columns(g, row, columns);
}

static double value_of(const tulle__rows_args *g, int64_t row, int64_t column) {
    return g->value ? g->value(g, row, column) : tulle__row_value(g, row, column);
}

static int64_t chunk_end(int64_t rows, int64_t first) {
    return rows - first < CHUNK ? rows : first + CHUNK;
}

tulle_status tulle__cpu_generate_offsets(const tulle__place *place,
                                         const tulle__generator_args *generator, tulle_index index,
                                         void *offsets, int64_t *host_nnz) {
    const tulle__columns none = {NULL, NULL};
    const int64_t rows = tulle__rows_made(generator);
    for (int64_t first = 0; first < rows; first = chunk_end(rows, first)) {
        TULLE__TRY(tulle__progress(place->ctx, "counting entries", first, rows));
        int64_t end = chunk_end(rows, first);
        const int threads = tulle__threads_for(place, TULLE__WORK_ROWS, end - first);
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t row = first; row < end; row++) {
            set_offset(index, offsets, row + 1,
                       columns_of(generator, generator->before + row, none));
        }
    }
    int64_t total = 0;
    set_offset(index, offsets, 0, 0);
    for (int64_t row = 1; row <= rows; row++) {
        total += get_offset(index, offsets, row);
        set_offset(index, offsets, row, total);
    }
    *host_nnz = total;
    return TULLE_OK;
}

/* The arrays that the entries of a matrix go into. */
typedef struct target {
    tulle_index index;
    tulle_type type;
    void *cols_of, *values;
} target;

/* Makes the entries of a row of the matrix, from the entry number `at` on. */
static void make_row(const tulle__rows_args *g, int64_t row, int64_t at, const target *to) {
    bool wide = to->index == TULLE_I64;
    tulle__columns columns = {wide ? NULL : (int32_t *)to->cols_of + at,
                              wide ? (int64_t *)to->cols_of + at : NULL};
    int64_t count = columns_of(g, row, columns);
    for (int64_t k = 0; k < count; k++) {
        double value = value_of(g, row, tulle__column_get(columns, k));
        if (to->type == TULLE_F32) {
            ((float *)to->values)[at + k] = (float)value;
        } else {
            ((double *)to->values)[at + k] = value;
        }
    }
}

tulle_status tulle__cpu_generate_entries(const tulle__place *place,
                                         const tulle__generator_args *generator, tulle_index index,
                                         tulle_type type, const void *offsets, void *cols_of,
                                         void *values) {
    target to = {index, type, cols_of, values};
    const int64_t rows = tulle__rows_made(generator);
    for (int64_t first = 0; first < rows; first = chunk_end(rows, first)) {
        TULLE__TRY(tulle__progress(place->ctx, "making entries", first, rows));
        int64_t end = chunk_end(rows, first);
        const int threads = tulle__threads_for(place, TULLE__WORK_ROWS, end - first);
#pragma omp parallel for num_threads(threads) schedule(dynamic, ROWS_AT_ONCE)
        for (int64_t row = first; row < end; row++) {
            make_row(generator, generator->before + row, get_offset(index, offsets, row), &to);
        }
    }
    return tulle__progress(place->ctx, "making entries", rows, rows);
}
