/* SPDX-License-Identifier: Apache-2.0 */
#include "entries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"

static void *room(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static entries make(int64_t rows, int64_t cols, int64_t nnz) {
    return (entries){.rows = rows,
                     .cols = cols,
                     .nnz = nnz,
                     .row = room(nnz, sizeof(int64_t)),
                     .col = room(nnz, sizeof(int64_t)),
                     .value = room(nnz, sizeof(double))};
}

void entries_free(entries *e) {
    free(e->row);
    free(e->col);
    free(e->value);
}

entries entries_copy(const entries *e) {
    entries c = make(e->rows, e->cols, e->nnz);
    memcpy(c.row, e->row, (size_t)e->nnz * sizeof *e->row);
    memcpy(c.col, e->col, (size_t)e->nnz * sizeof *e->col);
    memcpy(c.value, e->value, (size_t)e->nnz * sizeof *e->value);
    return c;
}

entries entries_of_zoo(const zoo_matrix *m) {
    entries e = make(m->rows, m->cols, m->nnz);
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t k = m->offsets[i]; k < m->offsets[i + 1]; k++) {
            e.row[k] = i;
            e.col[k] = m->columns[k];
            e.value[k] = m->values[k];
        }
    }
    return e;
}

entries entries_random(int64_t rows, int64_t cols, int64_t nnz, uint64_t seed) {
    entries e = make(rows, cols, nnz);
    for (int64_t k = 0; k < nnz; k++) {
        e.row[k] = (int64_t)(zoo_bits(&seed) % (uint64_t)rows);
        e.col[k] = (int64_t)(zoo_bits(&seed) % (uint64_t)cols);
        e.value[k] = zoo_number(&seed);
        bool repeat = k > 0 && zoo_bits(&seed) % 4 == 0;
        if (repeat) {
            int64_t other = (int64_t)(zoo_bits(&seed) % (uint64_t)k);
            e.row[k] = e.row[other];
            e.col[k] = e.col[other];
        }
    }
    return e;
}

static int64_t at(const void *array, int64_t size, int64_t i) {
    return size == 4 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

entries entries_read(tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat_info info;
    assert_int_equal(tulle_mat_describe(A, &info), TULLE_OK);
    int64_t offset_size = tulle_offset_size(info.index), size = tulle_index_size(info.index);
    bool csr = info.format == TULLE_CSR;
    void *offsets = room(csr ? info.rows + 1 : 0, (size_t)offset_size);
    void *rows = room(info.nnz, (size_t)size), *cols = room(info.nnz, (size_t)size);
    void *values = room(info.nnz, sizeof(double));
    assert_int_equal(tulle_mat_read(ctx, A, csr ? offsets : NULL, csr ? NULL : rows, cols, values),
                     TULLE_OK);
    entries e = make(info.rows, info.cols, info.nnz);
    for (int64_t k = 0; k < info.nnz; k++) {
        e.row[k] = csr ? -1 : at(rows, size, k);
        e.col[k] = at(cols, size, k);
        e.value[k] = info.type == TULLE_F32 ? (double)((float *)values)[k] : ((double *)values)[k];
    }
    for (int64_t i = 0; csr && i < info.rows; i++) {
        for (int64_t k = at(offsets, offset_size, i); k < at(offsets, offset_size, i + 1); k++) {
            e.row[k] = i;
        }
    }
    if (csr) assert_int_equal(at(offsets, offset_size, info.rows), info.nnz);
    free(offsets);
    free(rows);
    free(cols);
    free(values);
    return e;
}

typedef struct {
    int64_t row, col, place;
    double value;
} one_entry;

static int by_place(const void *left, const void *right) {
    const one_entry *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    if (a->col != b->col) return a->col < b->col ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

void entries_sort(entries *e) {
    one_entry *all = room(e->nnz, sizeof *all);
    for (int64_t k = 0; k < e->nnz; k++) {
        all[k] = (one_entry){e->row[k], e->col[k], k, e->value[k]};
    }
    qsort(all, (size_t)e->nnz, sizeof *all, by_place);
    for (int64_t k = 0; k < e->nnz; k++) {
        e->row[k] = all[k].row;
        e->col[k] = all[k].col;
        e->value[k] = all[k].value;
    }
    free(all);
}

void entries_transpose(entries *e) {
    entries old = *e;
    e->rows = old.cols;
    e->cols = old.rows;
    e->row = old.col;
    e->col = old.row;
}

static double sum_of(double a, double b, tulle_type type) {
    return type == TULLE_F32 ? (double)((float)a + (float)b) : a + b;
}

void entries_sum(entries *e, tulle_type type) {
    int64_t last = -1;
    for (int64_t k = 0; k < e->nnz; k++) {
        if (last >= 0 && e->row[last] == e->row[k] && e->col[last] == e->col[k]) {
            e->value[last] = sum_of(e->value[last], e->value[k], type);
        } else {
            last++;
            e->row[last] = e->row[k];
            e->col[last] = e->col[k];
            e->value[last] = e->value[k];
        }
    }
    e->nnz = last + 1;
}

void entries_assert_same(const entries *a, const entries *b, const char *what) {
    if (a->rows != b->rows || a->cols != b->cols || a->nnz != b->nnz) {
        fail_msg("%s: %lld x %lld with %lld entries, not %lld x %lld with %lld", what,
                 (long long)a->rows, (long long)a->cols, (long long)a->nnz, (long long)b->rows,
                 (long long)b->cols, (long long)b->nnz);
    }
    for (int64_t k = 0; k < a->nnz; k++) {
        if (a->row[k] == b->row[k] && a->col[k] == b->col[k] && a->value[k] == b->value[k]) {
            continue;
        }
        fail_msg("%s: entry %lld is (%lld, %lld) %.17g, not (%lld, %lld) %.17g", what, (long long)k,
                 (long long)a->row[k], (long long)a->col[k], a->value[k], (long long)b->row[k],
                 (long long)b->col[k], b->value[k]);
    }
}

void entries_compare(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, const char *what) {
    entries a = entries_read(ctx, A), b = entries_read(ctx, B);
    entries_assert_same(&a, &b, what);
    entries_free(&a);
    entries_free(&b);
}

void *widths(const int64_t *from, int64_t count, int64_t size, int64_t add) {
    void *to = room(count, (size_t)size);
    for (int64_t i = 0; i < count; i++) {
        if (size == 4) {
            ((int32_t *)to)[i] = (int32_t)(from[i] + add);
        } else {
            ((int64_t *)to)[i] = from[i] + add;
        }
    }
    return to;
}

void *values_as(const double *from, int64_t count, tulle_type type) {
    void *to = room(count, sizeof(double));
    for (int64_t i = 0; i < count; i++) {
        if (type == TULLE_F32) {
            ((float *)to)[i] = (float)from[i];
        } else {
            ((double *)to)[i] = from[i];
        }
    }
    return to;
}

tulle_status entries_to_coo(tulle_ctx *ctx, const entries *e, tulle_index index, tulle_type type,
                            tulle_mat **A) {
    void *rows = widths(e->row, e->nnz, tulle_index_size(index), 0);
    void *cols = widths(e->col, e->nnz, tulle_index_size(index), 0);
    void *values = values_as(e->value, e->nnz, type);
    tulle_status status = tulle_mat_create_coo(ctx, e->rows, e->cols, e->nnz, index, rows, cols,
                                               type, values, NULL, A);
    free(rows);
    free(cols);
    free(values);
    return status;
}

int64_t *entries_begins(const entries *sorted) {
    int64_t *begin = room(sorted->rows, sizeof *begin);
    for (int64_t e = 0; e < sorted->nnz; e++) begin[sorted->row[e] + 1]++;
    for (int64_t i = 0; i < sorted->rows; i++) begin[i + 1] += begin[i];
    return begin;
}

tulle_mat *entries_to_csr(tulle_ctx *ctx, const entries *e, tulle_index index, tulle_type type) {
    entries rows = entries_copy(e);
    for (int64_t k = 0; k < rows.nnz; k++) rows.col[k] = k;
    entries_sort(&rows); /* by row, and within rows as given */
    int64_t *begin = entries_begins(&rows), *columns = room(e->nnz, sizeof *columns);
    double *values = room(e->nnz, sizeof *values);
    for (int64_t k = 0; k < e->nnz; k++) {
        columns[k] = e->col[rows.col[k]];
        values[k] = e->value[rows.col[k]];
    }
    void *offsets = widths(begin, e->rows + 1, tulle_offset_size(index), 0);
    void *cols = widths(columns, e->nnz, tulle_index_size(index), 0);
    void *typed = values_as(values, e->nnz, type);
    tulle_mat *A = NULL;
    must(tulle_mat_create_csr(ctx, e->rows, e->cols, e->nnz, index, offsets, cols, type, typed,
                              NULL, &A));
    free(typed);
    free(cols);
    free(offsets);
    free(values);
    free(columns);
    free(begin);
    entries_free(&rows);
    return A;
}

void entries_check(tulle_ctx *ctx, tulle_mat *A, const entries *want, tulle_format format,
                   tulle_index index, tulle_type type, const char *what) {
    tulle_mat_info info, again;
    must(tulle_mat_describe(A, &info));
    assert_int_equal(info.format, format);
    assert_int_equal(info.index, index);
    assert_int_equal(info.type, type);
    entries got = entries_read(ctx, A);
    entries_assert_same(&got, want, what);
    entries_free(&got);
    /* The statistics that a conversion hands on are those of a fresh look. */
    tulle_mat *fresh = NULL;
    must(entries_to_coo(ctx, want, index, type, &fresh));
    must(tulle_mat_describe(fresh, &again));
    assert_int_equal(info.sorted, again.sorted);
    assert_int_equal(info.bandwidth, again.bandwidth);
    assert_int_equal(info.empty_rows, again.empty_rows);
    assert_true(info.mean_row == again.mean_row && info.sd_row == again.sd_row);
    assert_memory_equal(info.row_histogram, again.row_histogram, sizeof info.row_histogram);
    tulle_mat_destroy(fresh);
}
