/* SPDX-License-Identifier: Apache-2.0 */
/* Many dense matrices of up to 32 rows on the CPU: a thread works on one matrix at a time. */
#ifndef VALUE

#include <math.h>
#include <string.h>

#include "core/threads/sizes.h"
#include "uniform/functions.h"
#include "uniform/scale.h"

enum { MOST = TULLE_UNIFORM_MOST_DENSE };

#define TULLE__SELF "uniform/dense_cpu.c"
#include "core/each_value.h"

tulle_status tulle__cpu_uniform_dense(const tulle__place *place, const tulle__uniform_dense *job) {
    const int64_t numbers = job->count * job->n * job->n;
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, numbers);
#pragma omp parallel for num_threads(threads)
    for (int64_t s = 0; s < job->count; s++) {
        if (job->type == TULLE_F32) {
            job->solves ? solve_f32(job, s) : factor_f32(job, s);
        } else {
            job->solves ? solve_f64(job, s) : factor_f64(job, s);
        }
    }
    return TULLE_OK;
}

#else

/* A matrix by columns, in memory where its numbers follow each other. */
typedef struct NAME(matrix) {
    int n;
    VALUE at[MOST * MOST];
} NAME(matrix);

static VALUE *NAME(number)(const tulle__strided *v, int64_t s, int64_t i) {
    return (VALUE *)v->data + i * v->row + s * v->col;
}

static void NAME(take)(const tulle__uniform_dense *job, int64_t s, NAME(matrix) * m) {
    m->n = job->n;
    for (int k = 0; k < m->n * m->n; k++) m->at[k] = *NAME(number)(&job->a, s, k);
}

static void NAME(exchange_rows)(NAME(matrix) * m, int i, int k) {
    for (int j = 0; j < m->n; j++) {
        const VALUE other = m->at[j * m->n + i];
        m->at[j * m->n + i] = m->at[j * m->n + k];
        m->at[j * m->n + k] = other;
    }
}

/* Returns the row of the largest number of column k from row k on, the first one of equals; NaN
 * counts as Inf. */
static int NAME(find_pivot)(const NAME(matrix) * m, int k) {
    int place = k;
    double best = -1;
    for (int i = k; i < m->n; i++) {
        const double given = fabs((double)m->at[k * m->n + i]);
        const double size = given == given ? given : (double)INFINITY;
        if (size <= best) continue;
        best = size;
        place = i;
    }
    return place;
}

/* Computes P A = L U; returns the first row with an unusable pivot, or -1. A pivot of 0 divides
 * nothing. Inf or NaN minus itself is NaN. */
static int NAME(factor_lu)(NAME(matrix) * m, int32_t *pivots) {
    const int n = m->n;
    int bad = -1;
    for (int k = 0; k < n; k++) {
        pivots[k] = NAME(find_pivot)(m, k);
        NAME(exchange_rows)(m, pivots[k], k);
        const VALUE pivot = m->at[k * n + k];
        if (bad < 0 && (pivot == 0 || pivot - pivot != 0)) bad = k;
        if (pivot == 0) continue;
        for (int i = k + 1; i < n; i++) m->at[k * n + i] /= pivot;
        for (int j = k + 1; j < n; j++) {
            const VALUE u = m->at[j * n + k];
            for (int i = k + 1; i < n; i++) m->at[j * n + i] -= m->at[k * n + i] * u;
        }
    }
    return bad;
}

/* Computes A = L L^T; returns the first row whose pivot is not positive or is Inf, or -1. */
static int NAME(factor_cholesky)(NAME(matrix) * m) {
    const int n = m->n;
    int bad = -1;
    for (int k = 0; k < n; k++) {
        const VALUE pivot = m->at[k * n + k];
        if (bad < 0 && !(pivot > 0 && pivot - pivot == 0)) bad = k;
        m->at[k * n + k] = (VALUE)sqrt((double)pivot);
        for (int i = k + 1; i < n; i++) m->at[k * n + i] /= m->at[k * n + k];
        for (int j = k + 1; j < n; j++) {
            const VALUE other = m->at[k * n + j];
            for (int i = j; i < n; i++) m->at[j * n + i] -= m->at[k * n + i] * other;
        }
    }
    return bad;
}

static void NAME(factor)(const tulle__uniform_dense *job, int64_t s) {
    const bool symmetric = job->kind == TULLE_CHOLESKY;
    NAME(matrix) m;
    NAME(take)(job, s, &m);
    const int bad =
        symmetric ? NAME(factor_cholesky)(&m) : NAME(factor_lu)(&m, job->pivots + s * m.n);
    for (int j = 0; j < m.n; j++) {
        for (int i = symmetric ? j : 0; i < m.n; i++) {
            *NAME(number)(&job->a, s, j * m.n + i) = m.at[j * m.n + i];
        }
    }
    if (!job->reports) return;
    job->reports[s] = tulle__uniform_factored(bad);
    if (bad >= 0 && symmetric) job->reports[s].outcome = TULLE_INDEFINITE;
}

static void NAME(solve_lower)(const NAME(matrix) * m, VALUE *x, bool unit) {
    for (int k = 0; k < m->n; k++) {
        if (!unit) x[k] /= m->at[k * m->n + k];
        for (int i = k + 1; i < m->n; i++) x[i] -= m->at[k * m->n + i] * x[k];
    }
}

static void NAME(solve_upper)(const NAME(matrix) * m, VALUE *x) {
    for (int k = m->n - 1; k >= 0; k--) {
        x[k] /= m->at[k * m->n + k];
        for (int i = 0; i < k; i++) x[i] -= m->at[k * m->n + i] * x[k];
    }
}

static void NAME(solve_lower_transposed)(const NAME(matrix) * m, VALUE *x) {
    for (int k = m->n - 1; k >= 0; k--) {
        for (int i = k + 1; i < m->n; i++) x[k] -= m->at[k * m->n + i] * x[i];
        x[k] /= m->at[k * m->n + k];
    }
}

static void NAME(solve)(const tulle__uniform_dense *job, int64_t s) {
    const int32_t *pivots = job->pivots + s * job->n;
    NAME(matrix) m;
    VALUE x[MOST];
    NAME(take)(job, s, &m);
    for (int i = 0; i < m.n; i++) x[i] = *NAME(number)(&job->b, s, i);
    if (job->kind == TULLE_CHOLESKY) {
        NAME(solve_lower)(&m, x, false);
        NAME(solve_lower_transposed)(&m, x);
    } else {
        for (int k = 0; k < m.n; k++) {
            const VALUE other = x[k];
            x[k] = x[pivots[k]];
            x[pivots[k]] = other;
        }
        NAME(solve_lower)(&m, x, true);
        NAME(solve_upper)(&m, x);
    }
    for (int i = 0; i < m.n; i++) *NAME(number)(&job->x, s, i) = x[i];
}

#endif
