/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/sums.h"

/* An entry of the result: the sum of its terms a x, the sum of their magnitudes, and their
 * number. */
typedef struct entry {
    long double sum, mass;
    int64_t terms;
} entry;

struct tool_reference {
    tulle_type type;
    int64_t rows; /* rows of the result */
    /* number of entries in `result`: all rows, or the rows whose result is not plainly beta y0 */
    int64_t count;
    int64_t *row_of; /* row of each entry, ascending; NULL: entry i is row i */
    entry *result;
};

static long double at(const void *vector, tulle_type type, int64_t i) {
    return type == TULLE_F32 ? (long double)((const float *)vector)[i]
                             : (long double)((const double *)vector)[i];
}

static entry sum_row(const tool_csr *A, const void *x, int64_t p) {
    entry result = {0};
    for (int64_t k = tool_csr_offset(A, p); k < tool_csr_offset(A, p + 1); k++) {
        long double term =
            (long double)tool_csr_value(A, k) * at(x, A->type, tool_csr_column(A, k));
        result.sum += term;
        result.mass += fabsl(term);
        result.terms++;
    }
    return result;
}

static void scatter_row(const tool_csr *A, const void *x, int64_t p, entry *result) {
    long double factor = at(x, A->type, tool_csr_row(A, p));
    for (int64_t k = tool_csr_offset(A, p); k < tool_csr_offset(A, p + 1); k++) {
        long double term = (long double)tool_csr_value(A, k) * factor;
        entry *target = &result[tool_csr_column(A, k)];
        target->sum += term;
        target->mass += fabsl(term);
        target->terms++;
    }
}

static void sum_rows(const tool_csr *A, tulle_trans op, const void *x, int64_t from, int64_t to,
                     entry *result) {
    if (op == TULLE_T) {
        for (int64_t p = from; p < to; p++) scatter_row(A, x, p, result);
        return;
    }
#pragma omp parallel for schedule(dynamic, 256)
    for (int64_t p = from; p < to; p++) result[p] = sum_row(A, x, p);
}

static tulle_status sum_up(const tool_csr *A, tulle_trans op, const void *x, entry *result) {
    enum { AT_ONCE = 1 << 18 };
    for (int64_t from = 0; from < A->heads; from += AT_ONCE) {
        if (tool_progress(NULL, "checking", from, A->heads)) return TULLE_CANCELLED;
        int64_t to = A->heads - from < AT_ONCE ? A->heads : from + AT_ONCE;
        sum_rows(A, op, x, from, to, result);
    }
    return TULLE_OK;
}

/* Limits of a type's arithmetic. */
typedef struct arithmetic {
    long double roundoff, smallest, largest;
} arithmetic;

static arithmetic arithmetic_of(tulle_type type) {
    if (type == TULLE_F32) return (arithmetic){FLT_EPSILON / 2, FLT_TRUE_MIN, FLT_MAX};
    return (arithmetic){DBL_EPSILON / 2, DBL_TRUE_MIN, DBL_MAX};
}

double tool_error_units(tulle_type type, int64_t roundings, long double alpha, long double mass,
                        long double peak, long double want, long double got) {
    if (!isfinite(want)) return isfinite(got) ? INFINITY : 0;
    arithmetic can = arithmetic_of(type);
    if (peak >= can.largest) return 0;
    long double nu = (long double)roundings * can.roundoff;
    long double gamma = nu / (1 - nu);
    long double underflow = (long double)roundings * (1 + fabsl(alpha)) * can.smallest;
    long double units = fabsl(got - want) / (gamma * mass + underflow);
    return isnan(units) ? INFINITY : (double)units;
}

int64_t tool_reference_bytes(int64_t count) {
    return tool_times(count, (int64_t)sizeof(entry));
}

tulle_status tool_reference_create(const tool_csr *A, tulle_trans op, const void *x,
                                   tool_reference **reference) {
    tool_reference *made = tool_alloc(1, sizeof *made);
    made->type = A->type;
    made->rows = op == TULLE_N ? A->rows : A->cols;
    made->count = op == TULLE_N ? A->heads : A->cols;
    if (op == TULLE_N && A->order) {
        made->row_of = tool_alloc((size_t)made->count, sizeof *made->row_of);
        for (int64_t p = 0; p < made->count; p++) made->row_of[p] = tool_csr_row(A, p);
    }
    made->result = tool_alloc((size_t)made->count, sizeof *made->result);
    tulle_status status = sum_up(A, op, x, made->result);
    if (status != TULLE_OK) {
        tool_reference_destroy(made);
        made = NULL;
    }
    *reference = made;
    return status;
}

tool_error_found tool_reference_compare(const tool_reference *reference, double alpha, double beta,
                                        const void *y0, const void *y) {
    tool_error_found worst = {.units = -1, .row = -1};
    static const entry nothing = {0};
    const int64_t *row_of = reference->row_of;
    for (int64_t i = 0, p = 0; i < reference->rows; i++) {
        bool has = !row_of || (p < reference->count && row_of[p] == i);
        const entry *result = has ? &reference->result[p++] : &nothing;
        long double start = beta != 0 ? beta * at(y0, reference->type, i) : 0;
        long double want = alpha * result->sum + start;
        long double mass = fabsl(alpha) * result->mass + fabsl(start);
        long double got = at(y, reference->type, i);
        double units =
            tool_error_units(reference->type, result->terms + 2, alpha, mass, mass, want, got);
        if (units > worst.units) worst = (tool_error_found){units, i, 0, (double)got, (double)want};
    }
    if (worst.row < 0) worst.units = 0;
    return worst;
}

tool_residual tool_reference_residual(const tool_reference *reference, const void *b,
                                      bool without_mean) {
    const int64_t *row_of = reference->row_of;
    long double mean = 0, squares = 0, all = 0;
    for (int64_t i = 0; without_mean && i < reference->rows; i++) {
        mean += at(b, reference->type, i) / (long double)reference->rows;
    }
    for (int64_t i = 0, p = 0; i < reference->rows; i++) {
        const bool has = !row_of || (p < reference->count && row_of[p] == i);
        const long double own = at(b, reference->type, i) - mean;
        const long double left = own - (has ? reference->result[p++].sum : 0);
        all += own * own;
        squares += left * left;
    }
    return (tool_residual){.b = (double)sqrtl(all), .residual = (double)sqrtl(squares)};
}

void tool_reference_destroy(tool_reference *reference) {
    if (!reference) return;
    free(reference->row_of);
    free(reference->result);
    free(reference);
}

tulle_status tool_verify(const tool_csr *A, tulle_trans op, int64_t vectors, double alpha,
                         const void *x, double beta, const void *y0, const void *y,
                         tool_error_found *found) {
    int64_t size = tulle_type_size(A->type);
    int64_t x_bytes = (op == TULLE_N ? A->cols : A->rows) * size;
    int64_t y_bytes = (op == TULLE_N ? A->rows : A->cols) * size;
    *found = (tool_error_found){.units = 0, .row = -1};
    for (int64_t j = 0; j < vectors; j++) {
        tool_reference *reference = NULL;
        const char *x_j = (const char *)x + j * x_bytes, *y_j = (const char *)y + j * y_bytes;
        const char *y0_j = y0 ? (const char *)y0 + j * y_bytes : NULL;
        tulle_status status = tool_reference_create(A, op, x_j, &reference);
        if (status != TULLE_OK) return status;
        tool_error_found here = tool_reference_compare(reference, alpha, beta, y0_j, y_j);
        tool_reference_destroy(reference);
        here.column = j;
        if (here.row >= 0 && (found->row < 0 || here.units > found->units)) *found = here;
    }
    return TULLE_OK;
}
