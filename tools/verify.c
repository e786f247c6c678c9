/* SPDX-License-Identifier: Apache-2.0 */
#include "verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "progress.h"

/* One entry of the result: sum of a x, sum of |a x|, how many. */
typedef struct entry {
    long double sum, mass;
    int64_t terms;
} entry;

static long double at(const void *vector, tulle_type type, int64_t i) {
    return type == TULLE_F32 ? (long double)((const float *)vector)[i]
                             : (long double)((const double *)vector)[i];
}

static bool progress_says_stop(int64_t row, int64_t rows) {
    return row % 65536 == 0 && tool_progress(NULL, "checking", row, rows);
}

static tulle_status sum_up(const tool_csr *A, tulle_trans op, const void *x, entry *result) {
    for (int64_t row = 0; row < A->rows; row++) {
        if (progress_says_stop(row, A->rows)) return TULLE_CANCELLED;
        for (int64_t k = tool_csr_offset(A, row); k < tool_csr_offset(A, row + 1); k++) {
            int64_t column = tool_csr_column(A, k);
            long double factor = at(x, A->type, op == TULLE_N ? column : row);
            long double term = (long double)tool_csr_value(A, k) * factor;
            entry *target = &result[op == TULLE_N ? row : column];
            target->sum += term;
            target->mass += fabsl(term);
            target->terms++;
        }
    }
    return TULLE_OK;
}

/* What the arithmetic of a type can do. */
typedef struct arithmetic {
    long double roundoff, smallest, largest;
} arithmetic;

static arithmetic arithmetic_of(tulle_type type) {
    if (type == TULLE_F32) return (arithmetic){FLT_EPSILON / 2, FLT_TRUE_MIN, FLT_MAX};
    return (arithmetic){DBL_EPSILON / 2, DBL_TRUE_MIN, DBL_MAX};
}

/* |got - want| over gamma(n + 2) mass + underflow, where each product may lose half of the smallest
 * number, before alpha multiplies it. Where the sums may overflow or are not finite, only NaN where
 * a number is due, or a number where none can be, is wrong. */
static double units_of(arithmetic type, int64_t terms, long double alpha, long double mass,
                       long double want, long double got) {
    if (!isfinite(want)) return isfinite(got) ? INFINITY : 0;
    if (mass >= type.largest) return 0;
    long double nu = (long double)(terms + 2) * type.roundoff;
    long double gamma = nu / (1 - nu);
    long double underflow = ((long double)terms * fabsl(alpha) + 2) * type.smallest;
    long double units = fabsl(got - want) / (gamma * mass + underflow);
    return isnan(units) ? INFINITY : (double)units;
}

static tool_error_found find_worst(const tool_csr *A, int64_t count, const entry *result,
                                   double alpha, double beta, const void *y0, const void *y) {
    arithmetic type = arithmetic_of(A->type);
    tool_error_found worst = {.units = -1, .row = -1};
    for (int64_t i = 0; i < count; i++) {
        long double start = beta != 0 ? beta * at(y0, A->type, i) : 0;
        long double want = alpha * result[i].sum + start;
        long double mass = fabsl(alpha) * result[i].mass + fabsl(start);
        long double got = at(y, A->type, i);
        double units = units_of(type, result[i].terms, alpha, mass, want, got);
        if (units > worst.units) worst = (tool_error_found){units, i, (double)got, (double)want};
    }
    if (worst.row < 0) worst.units = 0;
    return worst;
}

tulle_status tool_verify_spmv(const tool_csr *A, tulle_trans op, double alpha, const void *x,
                              double beta, const void *y0, const void *y, tool_error_found *found) {
    int64_t count = op == TULLE_N ? A->rows : A->cols;
    entry *result = tool_alloc((size_t)count, sizeof *result);
    tulle_status status = sum_up(A, op, x, result);
    if (status == TULLE_OK) *found = find_worst(A, count, result, alpha, beta, y0, y);
    free(result);
    return status;
}
