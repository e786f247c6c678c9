/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/few.h"

#include <stdlib.h>

#include "core/search.h"
#include "matrix/build.h"
#include "tools/common/error.h"
#include "tools/common/sums.h"

bool tool_are_few(int64_t size, int64_t entries) {
    return tulle__is_hypersparse(size, entries);
}

int64_t tool_few_of(int64_t size, int64_t entries) {
    return tool_are_few(size, entries) ? entries : size;
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Appends the numbers of a matrix's rows or columns to the numbers of an axis. */
static void append(const tool_axes_of *m, tool_axis *axis) {
    const tool_csr *A = m->A;
    for (int64_t p = 0; p < A->heads; p++) {
        const int64_t begin = tool_csr_offset(A, p), end = tool_csr_offset(A, p + 1);
        if (m->rows == axis && end > begin) axis->numbers[axis->count++] = tool_csr_row(A, p);
        for (int64_t e = begin; e < end && m->cols == axis; e++) {
            axis->numbers[axis->count++] = tool_csr_column(A, e);
        }
    }
}

static void list(const tool_axes_of *m, int count, tool_axis *axis) {
    int64_t all = 0, kept = 0;
    for (int k = 0; k < count; k++) {
        all += (m[k].rows == axis ? m[k].A->nnz : 0) + (m[k].cols == axis ? m[k].A->nnz : 0);
    }
    axis->numbers = tool_alloc((size_t)all, sizeof *axis->numbers);
    for (int k = 0; k < count; k++) append(&m[k], axis);
    qsort(axis->numbers, (size_t)axis->count, sizeof *axis->numbers, compare);
    for (int64_t i = 0; i < axis->count; i++) {
        if (kept == 0 || axis->numbers[i] != axis->numbers[kept - 1])
            axis->numbers[kept++] = axis->numbers[i];
    }
    axis->count = kept;
}

static bool find(const tool_axes_of *m, int count) {
    bool found = false;
    for (int k = 0; k < count; k++) {
        tool_axis *const both[] = {m[k].rows, m[k].cols};
        for (int i = 0; i < 2; i++) {
            int64_t entries = 0;
            for (int other = 0; other + 1 < count; other++) {
                const bool has = m[other].rows == both[i] || m[other].cols == both[i];
                if (has) entries = tool_plus(entries, m[other].A->nnz);
            }
            both[i]->few = tool_are_few(both[i]->size, entries);
            if (both[i]->few && !both[i]->numbers) list(m, count, both[i]);
            found = found || both[i]->few;
        }
    }
    return found;
}

static int64_t new_number(const tool_axis *axis, int64_t old) {
    int64_t at = 0;
    if (!axis->few) return old;
    TULLE__LOWER_BOUND(at, axis->count, i, axis->numbers[i] < old);
    return at;
}

static tool_csr renumber(const tool_axes_of *m) {
    const tool_csr *A = m->A;
    tool_csr small = {.rows = m->rows->few ? m->rows->count : A->rows,
                      .cols = m->cols->few ? m->cols->count : A->cols,
                      .nnz = A->nnz,
                      .type = A->type,
                      .index = TULLE_I64,
                      .values = A->values};
    int64_t *offsets = tool_alloc((size_t)A->heads + 1, sizeof *offsets);
    int64_t *columns = tool_alloc((size_t)A->nnz, sizeof *columns);
    int64_t *order = tool_alloc((size_t)A->heads, sizeof *order);
    for (int64_t p = 0; p < A->heads; p++) {
        const int64_t begin = tool_csr_offset(A, p), end = tool_csr_offset(A, p + 1);
        for (int64_t e = begin; e < end; e++) {
            columns[e] = new_number(m->cols, tool_csr_column(A, e));
        }
        if (end == begin) continue;
        order[small.heads++] = new_number(m->rows, tool_csr_row(A, p));
        offsets[small.heads] = end;
    }
    small.offsets = small.owned[0] = offsets;
    small.columns = small.owned[1] = columns;
    small.order = small.owned[3] = order;
    return small;
}

bool tool_few_begin(const tool_axes_of *m, int count, tool_csr *small) {
    if (!find(m, count)) return false;
    for (int k = 0; k < count; k++) small[k] = renumber(&m[k]);
    return true;
}

static void free_axis(tool_axis *axis) {
    free(axis->numbers);
    axis->numbers = NULL;
}

void tool_few_end(const tool_axes_of *m, int count, tool_csr *small) {
    for (int k = 0; k < count; k++) {
        tool_csr_close(&small[k]);
        free_axis(m[k].rows);
        free_axis(m[k].cols);
    }
}

static int64_t old_number(const tool_axis *axis, int64_t number) {
    return axis->few && number >= 0 && number < axis->count ? axis->numbers[number] : number;
}

void tool_few_place(const tool_axis *rows, const tool_axis *cols, tool_entry_error *error) {
    error->row = old_number(rows, error->row);
    error->column = old_number(cols, error->column);
}
