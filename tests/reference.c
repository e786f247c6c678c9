/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* One number of y: exact sum, sum of magnitudes, terms. */
typedef struct {
    long double sum, magnitude;
    int64_t terms;
} total;

static total *totals(const zoo_matrix *m, const product *p, int64_t length) {
    total *t = calloc((size_t)length + 1, sizeof *t);
    assert_non_null(t);
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
            int64_t from = p->op == TULLE_N ? m->columns[e] : i;
            int64_t to = p->op == TULLE_N ? i : m->columns[e];
            long double term = (long double)m->values[e] * (long double)p->x[from];
            t[to].sum += term;
            t[to].magnitude += fabsl(term);
            t[to].terms++;
        }
    }
    return t;
}

double product_error(const zoo_matrix *m, const product *p, tulle_type type, const void *y) {
    int64_t length = p->op == TULLE_N ? m->rows : m->cols;
    long double unit = type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    long double tiny = type == TULLE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    total *t = totals(m, p, length);
    double worst = 0;
    for (int64_t i = 0; i < length; i++) {
        long double exact = (long double)p->alpha * t[i].sum;
        long double size = fabsl((long double)p->alpha) * t[i].magnitude;
        if (p->beta != 0) {
            exact += (long double)p->beta * (long double)p->y0[i];
            size += fabsl((long double)p->beta * (long double)p->y0[i]);
        }
        long double n = (long double)(t[i].terms + 2);
        long double underflow = n * (1 + fabsl((long double)p->alpha)) * tiny;
        long double bound = n * unit / (1 - n * unit) * size + underflow;
        long double got = type == TULLE_F32 ? ((const float *)y)[i] : ((const double *)y)[i];
        long double error = fabsl(got - exact) / bound;
        if (!(error <= worst)) worst = isnan(error) ? INFINITY : (double)error;
    }
    free(t);
    return worst;
}
