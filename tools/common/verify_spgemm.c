/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/verify_spgemm.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/sums.h"
#include "tools/common/verify.h"

/* One entry by definition: sum of a b, sum of |a b|, how many; -how many once C was seen to have
 * it. */
typedef struct cell {
    long double sum, mass;
    int64_t products;
} cell;

/* A row of C by definition: a cell for each column, and the columns that have products. */
typedef struct accumulator {
    cell *cell;
    int64_t *touched;
    int64_t count;
} accumulator;

/* The operands as the loops want them: CSR, not turned. */
typedef struct task {
    tool_csr a, b;
    const tool_csr *c;
    double alpha;
    bool rising;
} task;

/* What all accumulators may take together, unless a single one takes more. */
enum { ACCUMULATORS_BYTES = 1 << 28 };

static int threads_for(int64_t cols) {
    int64_t fit = 1 + ACCUMULATORS_BYTES / tool_plus(tool_times(cols, sizeof(cell)), 1);
    return fit < omp_get_max_threads() ? (int)fit : omp_get_max_threads();
}

int64_t tool_verify_spgemm_bytes(int64_t cols) {
    int64_t one = tool_times(cols, (int64_t)(sizeof(cell) + sizeof(int64_t)));
    return tool_times(one, threads_for(cols));
}

int64_t tool_verify_operand_bytes(int64_t rows, int64_t nnz, bool turned, bool compressed) {
    if (!turned && !compressed) return 0;
    return tool_plus(tool_times(tool_plus(rows, 2), sizeof(int64_t)),
                     tool_times(nnz, sizeof(int64_t) + sizeof(double)));
}

/* Row of op(A) in which an entry stands, and its column. */
static int64_t row_in(const tool_csr *A, tulle_trans op, int64_t p, int64_t e) {
    return op == TULLE_N ? tool_csr_row(A, p) : tool_csr_column(A, e);
}

static int64_t column_in(const tool_csr *A, tulle_trans op, int64_t p, int64_t e) {
    return op == TULLE_N ? tool_csr_column(A, e) : tool_csr_row(A, p);
}

/* begin[i]: where row i of op(A) begins; of length rows + 2, so that filling rows, which moves the
 * begin of row i at i + 1, leaves it so. */
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

/* op(A) as a CSR: A itself, looked at, or its entries sorted by row. */
static tool_csr plain_rows(const tool_csr *A, tulle_trans op) {
    tool_csr plain = *A;
    for (int i = 0; i < 4; i++) plain.owned[i] = NULL;
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

static void add_row(const task *t, int64_t i, accumulator *row) {
    row->count = 0;
    for (int64_t e = tool_csr_offset(&t->a, i); e < tool_csr_offset(&t->a, i + 1); e++) {
        long double factor = tool_csr_value(&t->a, e);
        int64_t k = tool_csr_column(&t->a, e);
        for (int64_t f = tool_csr_offset(&t->b, k); f < tool_csr_offset(&t->b, k + 1); f++) {
            int64_t j = tool_csr_column(&t->b, f);
            long double product = factor * (long double)tool_csr_value(&t->b, f);
            cell *entry = &row->cell[j];
            if (entry->products == 0) row->touched[row->count++] = j;
            entry->sum += product;
            entry->mass += fabsl(product);
            entry->products++;
        }
    }
}

static void clear_row(accumulator *row) {
    for (int64_t k = 0; k < row->count; k++) row->cell[row->touched[k]] = (cell){0};
}

static tool_spgemm_error fault_at(int64_t row, int64_t column, const char *fault) {
    return (tool_spgemm_error){
        .units = INFINITY, .row = row, .column = column, .got = NAN, .want = NAN, .fault = fault};
}

/* The alpha comes last, so that the sum without it may overflow, too. */
static tool_spgemm_error error_of(const task *t, int64_t i, int64_t j, const cell *by_definition,
                                  double got) {
    long double alpha = t->alpha, scale = fabsl(alpha);
    long double want = alpha * by_definition->sum, mass = scale * by_definition->mass;
    double units = tool_error_units(t->c->type, by_definition->products + 1, alpha, mass,
                                    fmaxl(mass, by_definition->mass), want, got);
    return (tool_spgemm_error){
        .units = units, .row = i, .column = j, .got = got, .want = (double)want};
}

/* What is wrong with the place of an entry, that of column `last` before it. */
static const char *fault_of(const task *t, const accumulator *row, int64_t j, int64_t last) {
    if (j < 0 || j >= t->b.cols || row->cell[j].products == 0) {
        return "is an entry where no products meet";
    }
    if (row->cell[j].products < 0) return "is there twice";
    return t->rising && j < last ? "stands behind an entry of a later column" : NULL;
}

static tool_spgemm_error first_missing(int64_t i, const accumulator *row) {
    int64_t first = INT64_MAX;
    for (int64_t k = 0; k < row->count; k++) {
        int64_t j = row->touched[k];
        if (row->cell[j].products > 0 && j < first) first = j;
    }
    return fault_at(i, first, "is missing");
}

/* The first fault of the pattern, else the worst value. */
static tool_spgemm_error compare_row(const task *t, int64_t i, const accumulator *row) {
    tool_spgemm_error worst = {.units = -1, .row = -1};
    int64_t last = -1, begin = tool_csr_offset(t->c, i), end = tool_csr_offset(t->c, i + 1);
    for (int64_t e = begin; e < end; e++) {
        int64_t j = tool_csr_column(t->c, e);
        const char *fault = fault_of(t, row, j, last);
        if (fault) return fault_at(i, j, fault);
        tool_spgemm_error here = error_of(t, i, j, &row->cell[j], tool_csr_value(t->c, e));
        if (here.units > worst.units) worst = here;
        row->cell[j].products *= -1;
        last = j;
    }
    return end - begin < row->count ? first_missing(i, row) : worst;
}

/* The earlier row of two that are as bad, so that the answer is that of any number of threads. */
static void keep_worse(tool_spgemm_error *worst, const tool_spgemm_error *here) {
    bool earlier = here->units == worst->units && here->row < worst->row;
    if (here->row >= 0 && (here->units > worst->units || earlier)) *worst = *here;
}

static void compare_rows(const task *t, int64_t from, int64_t to, int threads, accumulator *rows,
                         tool_spgemm_error *worst) {
#pragma omp parallel num_threads(threads)
    {
        accumulator *row = &rows[omp_get_thread_num()];
        tool_spgemm_error own = {.units = -1, .row = -1};
#pragma omp for schedule(dynamic, 16)
        for (int64_t i = from; i < to; i++) {
            add_row(t, i, row);
            tool_spgemm_error here = compare_row(t, i, row);
            keep_worse(&own, &here);
            clear_row(row);
        }
#pragma omp critical
        keep_worse(worst, &own);
    }
}

/* Rows between two looks at the interrupt key: as many as have some millions of products. */
static int64_t rows_at_once(const task *t) {
    static const double enough = 1 << 24;
    double products = 1;
#pragma omp parallel for schedule(static) reduction(+ : products)
    for (int64_t e = 0; e < t->a.nnz; e++) {
        int64_t k = tool_csr_column(&t->a, e);
        products += (double)(tool_csr_offset(&t->b, k + 1) - tool_csr_offset(&t->b, k));
    }
    double rows = (double)t->a.rows * enough / products;
    return rows < 1 << 20 ? 1 + (int64_t)rows : 1 << 20;
}

static tulle_status compare_all(const task *t, int threads, accumulator *rows,
                                tool_spgemm_error *worst) {
    int64_t at_once = rows_at_once(t);
    for (int64_t from = 0; from < t->a.rows; from += at_once) {
        if (tool_progress(NULL, "checking", from, t->a.rows)) return TULLE_CANCELLED;
        int64_t to = t->a.rows - from < at_once ? t->a.rows : from + at_once;
        compare_rows(t, from, to, threads, rows, worst);
    }
    return TULLE_OK;
}

static tulle_status compare(const task *t, tool_spgemm_error *worst) {
    int threads = threads_for(t->b.cols);
    accumulator *rows = tool_alloc((size_t)threads, sizeof *rows);
    for (int i = 0; i < threads; i++) {
        rows[i].cell = tool_alloc((size_t)t->b.cols, sizeof(cell));
        rows[i].touched = tool_alloc((size_t)t->b.cols, sizeof(int64_t));
    }
    tulle_status status = compare_all(t, threads, rows, worst);
    for (int i = 0; i < threads; i++) {
        free(rows[i].cell);
        free(rows[i].touched);
    }
    free(rows);
    return status;
}

/* Before any row is read: whether rows begin and end within the entries. */
static tool_spgemm_error check_shape(const task *t) {
    const tool_csr *c = t->c;
    if (c->rows != t->a.rows || c->cols != t->b.cols) {
        return fault_at(c->rows, c->cols, "is its shape, which is not the product's");
    }
    for (int64_t i = 0; i < c->rows; i++) {
        if (tool_csr_offset(c, i + 1) < tool_csr_offset(c, i)) {
            return fault_at(i, 0, "is in a row that ends before it begins");
        }
    }
    if (tool_csr_offset(c, 0) != 0 || tool_csr_offset(c, c->rows) != c->nnz) {
        return fault_at(c->rows, 0, "ends elsewhere than the entries do");
    }
    return (tool_spgemm_error){.units = -1, .row = -1};
}

tulle_status tool_verify_spgemm(const tool_spgemm_claim *claim, tool_spgemm_error *found) {
    task t = {.a = plain_rows(claim->A, claim->op_A),
              .b = plain_rows(claim->B, claim->op_B),
              .c = claim->C,
              .alpha = claim->alpha,
              .rising = claim->rising};
    *found = check_shape(&t);
    tulle_status status = found->fault ? TULLE_OK : compare(&t, found);
    tool_csr_close(&t.a);
    tool_csr_close(&t.b);
    if (found->row < 0) *found = (tool_spgemm_error){.units = 0, .row = -1, .column = -1};
    return status;
}
