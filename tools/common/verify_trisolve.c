/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/verify_trisolve.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/verify_rows.h"

/* Numbers of each unknown: its diagonal entry, the number of entries of its row, and the sum of
 * their magnitudes. For the column of X at hand, `rest` is alpha b less the other products, and
 * `mass` is the sum of all magnitudes but that of the unknown's own product. */
typedef struct rows {
    long double *diagonal, *sum, *rest, *mass;
    int64_t *count;
} rows;

static rows rows_make(int64_t n) {
    const size_t count = (size_t)n + 1;
    return (rows){.diagonal = tool_alloc(count, sizeof(long double)),
                  .sum = tool_alloc(count, sizeof(long double)),
                  .rest = tool_alloc(count, sizeof(long double)),
                  .mass = tool_alloc(count, sizeof(long double)),
                  .count = tool_alloc(count, sizeof(int64_t))};
}

static void rows_free(rows *r) {
    free(r->diagonal);
    free(r->sum);
    free(r->rest);
    free(r->mass);
    free(r->count);
}

static long double number(tulle_type type, const void *numbers, int64_t i) {
    return type == TULLE_F32 ? ((const float *)numbers)[i] : ((const double *)numbers)[i];
}

static void start(const tool_trisolve_claim *c, int64_t column, rows *r) {
    const long double alpha = tool_rounded(c->type, c->alpha);
    const bool unit = c->diag == TULLE_UNIT;
    for (int64_t i = 0; i < c->A->rows; i++) {
        r->diagonal[i] = r->sum[i] = unit;
        r->count[i] = unit;
        r->rest[i] = alpha * number(c->type, c->b, i + column * c->A->rows);
        r->mass[i] = fabsl(r->rest[i]);
    }
}

static void take(const tool_trisolve_claim *c, int64_t column, int64_t i, int64_t entry, rows *r) {
    const int64_t j = tool_csr_column(c->A, entry);
    const long double value = tool_csr_value(c->A, entry);
    const int64_t to = c->op == TULLE_N ? i : j, from = c->op == TULLE_N ? j : i;
    if (i == j && c->diag == TULLE_NON_UNIT) {
        r->diagonal[i] = value;
        r->sum[i] += fabsl(value);
        r->count[i]++;
    } else if (c->part == TULLE_LOWER ? j < i : j > i) {
        const long double product = value * number(c->type, c->x, from + column * c->A->rows);
        r->rest[to] -= product;
        r->mass[to] += fabsl(product);
        r->sum[to] += fabsl(value);
        r->count[to]++;
    }
}

static double units_of(tulle_type type, const rows *r, int64_t i, long double x) {
    const long double unit = type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    const long double least = type == TULLE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    const long double most = type == TULLE_F32 ? FLT_MAX : DBL_MAX;
    const long double own = r->diagonal[i] * x, n = (long double)(r->count[i] + 2);
    const long double mass = r->mass[i] + fabsl(own);
    if (!isfinite(mass)) {
        const bool alone = isfinite(r->mass[i]) && r->mass[i] < most && r->diagonal[i] != 0 &&
                           fabsl(r->rest[i] / r->diagonal[i]) < most / 2;
        return alone ? (double)INFINITY : 0;
    }
    /* error that subnormal unknowns add */
    const long double lost = n * least / unit + least * r->sum[i];
    const long double bound = n * unit / (1 - n * unit) * mass + lost;
    return (double)(fabsl(r->rest[i] - own) / bound);
}

static void judge(const tool_trisolve_claim *c, int64_t column, const rows *r,
                  tool_error_found *found) {
    for (int64_t i = 0; i < c->A->rows; i++) {
        const long double x = number(c->type, c->x, i + column * c->A->rows);
        const double units = units_of(c->type, r, i, x);
        if (found->row >= 0 && units <= found->units) continue;
        *found = (tool_error_found){.units = units,
                                    .row = i,
                                    .column = column,
                                    .got = (double)x,
                                    .want = (double)(r->rest[i] / r->diagonal[i])};
    }
}

tulle_status tool_verify_trisolve(const tool_trisolve_claim *c, tool_error_found *found) {
    enum { EVERY = 65536 };
    *found = (tool_error_found){.row = -1};
    rows r = rows_make(c->A->rows);
    bool stop = false;
    for (int64_t column = 0; column < c->vectors && !stop; column++) {
        start(c, column, &r);
        for (int64_t p = 0; p < c->A->heads && !stop; p++) {
            const int64_t end = tool_csr_offset(c->A, p + 1), i = tool_csr_row(c->A, p);
            for (int64_t e = tool_csr_offset(c->A, p); e < end; e++) take(c, column, i, e, &r);
            stop = p % EVERY == 0 && tool_progress(NULL, "checking", column * c->A->heads + p,
                                                   c->vectors * c->A->heads);
        }
        judge(c, column, &r, found);
    }
    rows_free(&r);
    tool_progress_end();
    return stop ? TULLE_CANCELLED : TULLE_OK;
}
