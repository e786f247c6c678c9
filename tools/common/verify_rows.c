/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/verify_rows.h"

#include <omp.h>
#include <stdlib.h>

#include "core/available.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/sums.h"

/* The accumulators of all threads may together take the larger of a number of bytes and a part of
 * the free memory, unless a single one takes more. */
enum { ACCUMULATORS_BYTES = 1 << 28, PART_OF_MEMORY = 8 };

static int threads_for(int64_t cols) {
    int64_t part = tulle__cpu_available() / PART_OF_MEMORY;
    int64_t bytes = part > ACCUMULATORS_BYTES ? part : ACCUMULATORS_BYTES;
    int64_t fit = 1 + bytes / tool_plus(tool_times(cols, sizeof(tool_cell)), 1);
    return fit < omp_get_max_threads() ? (int)fit : omp_get_max_threads();
}

int64_t tool_verify_rows_bytes(int64_t cols) {
    int64_t one = tool_times(cols, (int64_t)(sizeof(tool_cell) + sizeof(int64_t)));
    return tool_times(one, threads_for(cols));
}

int64_t tool_rows_of_bytes(int64_t rows, int64_t nnz, bool turned, bool compressed) {
    if (!turned && !compressed) return 0;
    return tool_plus(tool_times(tool_plus(rows, 2), sizeof(int64_t)),
                     tool_times(nnz, sizeof(int64_t) + sizeof(double)));
}

/* These functions return the row of op(A) in which an entry stands, and its column. */
static int64_t row_in(const tool_csr *A, tulle_trans op, int64_t p, int64_t e) {
    return op == TULLE_N ? tool_csr_row(A, p) : tool_csr_column(A, e);
}

static int64_t column_in(const tool_csr *A, tulle_trans op, int64_t p, int64_t e) {
    return op == TULLE_N ? tool_csr_column(A, e) : tool_csr_row(A, p);
}

/* Counts entries: begin[i + 1] is the place of the first entry of row i of op(A). The array has
 * rows + 2 elements; filling row i moves begin[i + 1] to the row's end, so that begin[i] is then
 * the beginning of row i. */
static int64_t *count_rows(const tool_csr *A, tulle_trans op, int64_t rows) {
    int64_t *begin = tool_alloc((size_t)rows + 2, sizeof *begin);
    for (int64_t p = 0; p < A->heads; p++) {
        for (int64_t e = tool_csr_offset(A, p); e < tool_csr_offset(A, p + 1); e++) {
            begin[row_in(A, op, p, e) + 2]++;
        }
    }
    for (int64_t i = 0; i < rows; i++) begin[i + 2] += begin[i + 1];
    return begin;
}

static void fill_rows(const tool_csr *A, tulle_trans op, int64_t *begin, int64_t *columns,
                      double *values) {
    for (int64_t p = 0; p < A->heads; p++) {
        for (int64_t e = tool_csr_offset(A, p); e < tool_csr_offset(A, p + 1); e++) {
            int64_t to = begin[row_in(A, op, p, e) + 1]++;
            columns[to] = column_in(A, op, p, e);
            values[to] = tool_csr_value(A, e);
        }
    }
}

tool_csr tool_rows_of(const tool_csr *A, tulle_trans op) {
    tool_csr plain = *A;
    for (int i = 0; i < 4; i++) plain.owned[i] = NULL;
    plain.made = NULL;
    if (op == TULLE_N && !A->order) return plain;
    plain.rows = op == TULLE_N ? A->rows : A->cols;
    plain.cols = op == TULLE_N ? A->cols : A->rows;
    plain.heads = plain.rows;
    plain.type = TULLE_F64;
    plain.index = TULLE_I64;
    plain.order = NULL;
    plain.offsets = plain.owned[0] = count_rows(A, op, plain.rows);
    plain.columns = plain.owned[1] = tool_alloc((size_t)A->nnz, sizeof(int64_t));
    plain.values = plain.owned[2] = tool_alloc((size_t)A->nnz, sizeof(double));
    fill_rows(A, op, plain.owned[0], plain.owned[1], plain.owned[2]);
    return plain;
}

static void clear_row(tool_row *row) {
    for (int64_t k = 0; k < row->count; k++) row->cell[row->touched[k]] = (tool_cell){0};
    row->count = 0;
}

/* Returns the fault in the place of an entry that stands behind one of column `last`; NULL:
 * none. */
static const char *fault_of(const tool_definition *d, const tool_row *row, int64_t j,
                            int64_t last) {
    if (j < 0 || j >= d->cols || row->cell[j].terms == 0) return d->empty;
    if (row->cell[j].terms < 0) return "is there twice";
    return d->rising && j < last ? "stands behind an entry of a later column" : NULL;
}

static tool_entry_error first_missing(int64_t i, const tool_row *row) {
    int64_t first = INT64_MAX;
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->touched[k];
        if (row->cell[j].terms > 0 && j < first) first = j;
    }
    return tool_entry_fault(i, first, "is missing");
}

/* Returns the first fault of the pattern of a row, else the worst value. */
static tool_entry_error compare_row(const tool_definition *d, const tool_csr *C, int64_t i,
                                    const tool_row *row) {
    tool_entry_error worst = {.units = -1, .row = -1};
    int64_t last = -1, begin = tool_csr_offset(C, i), end = tool_csr_offset(C, i + 1);
    for (int64_t e = begin; e < end; e++) {
        int64_t j = tool_csr_column(C, e);
        const char *fault = fault_of(d, row, j, last);
        if (fault) return tool_entry_fault(i, j, fault);
        tool_entry_error here = {.row = i, .column = j, .got = tool_csr_value(C, e)};
        here.units = d->units(d->user, &row->cell[j], here.got, &here.want);
        if (here.units > worst.units) worst = here;
        row->cell[j].terms *= -1;
        last = j;
    }
    return end - begin < row->count ? first_missing(i, row) : worst;
}

/* Keeps the worse of two errors, and of two that are as bad the one in the earlier row, so that the
 * answer is the same for any number of threads. */
static void keep_worse(tool_entry_error *worst, const tool_entry_error *here) {
    bool earlier = here->units == worst->units && here->row < worst->row;
    if (here->row >= 0 && (here->units > worst->units || earlier)) *worst = *here;
}

static void compare_rows(const tool_definition *d, const tool_csr *C, int64_t from, int64_t to,
                         int threads, tool_row *rows, tool_entry_error *worst) {
#pragma omp parallel num_threads(threads)
    {
        tool_row *row = &rows[omp_get_thread_num()];
        tool_entry_error own = {.units = -1, .row = -1};
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = from; i < to; i++) {
            d->fill(d->user, i, row);
            tool_entry_error here = compare_row(d, C, i, row);
            keep_worse(&own, &here);
            clear_row(row);
        }
#pragma omp critical
        keep_worse(worst, &own);
    }
}

/* Returns the number of rows between two looks at the interrupt key: as many as have some millions
 * of terms. */
static int64_t rows_at_once(const tool_definition *d) {
    static const double enough = 1 << 24;
    double rows = (double)d->rows * enough / (d->terms + 1);
    return rows < 1 << 20 ? 1 + (int64_t)rows : 1 << 20;
}

static tulle_status compare_all(const tool_definition *d, const tool_csr *C, int threads,
                                tool_row *rows, tool_entry_error *worst) {
    int64_t at_once = rows_at_once(d);
    for (int64_t from = 0; from < d->rows; from += at_once) {
        if (tool_progress(NULL, "checking", from, d->rows)) return TULLE_CANCELLED;
        int64_t to = d->rows - from < at_once ? d->rows : from + at_once;
        compare_rows(d, C, from, to, threads, rows, worst);
    }
    return TULLE_OK;
}

static tulle_status compare(const tool_definition *d, const tool_csr *C, tool_entry_error *worst) {
    int threads = threads_for(d->cols);
    tool_row *rows = tool_alloc((size_t)threads, sizeof *rows);
    for (int i = 0; i < threads; i++) {
        rows[i].cell = tool_alloc((size_t)d->cols, sizeof(tool_cell));
        rows[i].touched = tool_alloc((size_t)d->cols, sizeof(int64_t));
    }
    tulle_status status = compare_all(d, C, threads, rows, worst);
    for (int i = 0; i < threads; i++) {
        free(rows[i].cell);
        free(rows[i].touched);
    }
    free(rows);
    return status;
}

/* Checks, before any row is read, that rows begin and end within the entries. */
static tool_entry_error check_shape(const tool_definition *d, const tool_csr *C) {
    if (C->rows != d->rows || C->cols != d->cols)
        return tool_entry_fault(C->rows, C->cols, d->shape);
    for (int64_t i = 0; i < C->rows; i++) {
        if (tool_csr_offset(C, i + 1) < tool_csr_offset(C, i)) {
            return tool_entry_fault(i, 0, "is in a row that ends before it begins");
        }
    }
    if (tool_csr_offset(C, 0) != 0 || tool_csr_offset(C, C->rows) != C->nnz) {
        return tool_entry_fault(C->rows, 0, "ends elsewhere than the entries do");
    }
    return (tool_entry_error){.units = -1, .row = -1};
}

tulle_status tool_verify_rows(const tool_definition *definition, const tool_csr *C,
                              tool_entry_error *found) {
    *found = check_shape(definition, C);
    tulle_status status = found->fault ? TULLE_OK : compare(definition, C, found);
    if (found->row < 0) *found = tool_entry_right();
    return status;
}
