/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on the CPU: level by level, a thread takes a whole task. */
#ifndef VALUE

#include <math.h>

#include "batch/functions.h"

#define TULLE__SELF "batch/tasks_cpu.c"
#define NAME(function) function##_f32
#define VALUE float
#define FMA fmaf
#include TULLE__SELF
#undef NAME
#undef VALUE
#undef FMA
#define NAME(function) function##_f64
#define VALUE double
#define FMA fma
#include TULLE__SELF
#undef NAME
#undef VALUE
#undef FMA

static void run_task(const tulle__task *t) {
    static void (*const by[][2])(const tulle__task *) = {[TULLE__TASK_AXPY] = {axpy_f32, axpy_f64},
                                                         [TULLE__TASK_DOT] = {dot_f32, dot_f64},
                                                         [TULLE__TASK_SPMM] = {spmm_f32, spmm_f64}};
    by[t->kind][t->type == TULLE_F64](t);
}

tulle_status tulle__cpu_batch_grouped(const tulle__place *place, const tulle__batch_job *job) {
    for (int l = 0; l < job->levels; l++) {
#pragma omp parallel for num_threads(place->threads) schedule(dynamic, 1)
        for (int i = job->level[l]; i < job->level[l + 1]; i++) run_task(job->task + i);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_batch_streams(const tulle__place *place, const tulle__batch_job *job) {
    return tulle__cpu_batch_grouped(place, job);
}

#else

static void NAME(store)(const tulle__task *t, VALUE *y, VALUE sum) {
    const VALUE all = (VALUE)t->alpha * sum;
    *y = t->beta == 0 ? all : FMA((VALUE)t->beta, *y, all);
}

static void NAME(axpy)(const tulle__task *t) {
    const VALUE *x = t->x.data, *a = t->a.data;
    VALUE *y = t->y.data;
    for (int64_t r = 0; r < t->units; r++) {
        for (int c = 0; c < t->k2; c++) {
            VALUE sum = 0;
            for (int k = 0; k < t->k1; k++) {
                sum = FMA(x[r * t->x.row + k * t->x.col], a[k * t->a.row + c * t->a.col], sum);
            }
            NAME(store)(t, y + r * t->y.row + c * t->y.col, sum);
        }
    }
}

/* Row by row, so that rows that lie together are read once. */
static void NAME(dot)(const tulle__task *t) {
    const VALUE *x = t->x.data, *z = t->a.data;
    VALUE *y = t->y.data;
    double sums[TULLE__MULTI_MOST][TULLE__MULTI_MOST] = {{0}};
    for (int64_t r = 0; r < t->units; r++) {
        for (int i = 0; i < t->k1; i++) {
            const double left = (double)x[r * t->x.row + i * t->x.col];
            for (int c = 0; c < t->k2; c++) {
                sums[i][c] += left * (double)z[r * t->a.row + c * t->a.col];
            }
        }
    }
    for (int i = 0; i < t->k1; i++) {
        for (int c = 0; c < t->k2; c++) {
            VALUE *to = y + i * t->y.row + c * t->y.col;
            const double all = t->alpha * sums[i][c];
            *to = (VALUE)(t->beta == 0 ? all : all + t->beta * (double)*to);
        }
    }
}

static VALUE NAME(row_sum)(const tulle__task *t, int64_t row, int c) {
    const tulle__pattern_view *A = &t->A.pattern;
    const int64_t b = t->A.block, end = tulle__offset_at(A, row / b + 1);
    const VALUE *values = t->A.values, *x = t->x.data;
    VALUE sum = 0;
    for (int64_t k = tulle__offset_at(A, row / b); k < end; k++) {
        const int64_t first = tulle__col_at(A, k) * b;
        for (int64_t j = 0; j < b && first + j < A->cols; j++) {
            const int64_t cell = row % b * b + j;
            if (!tulle__task_has(&t->A, k, cell)) continue;
            sum = FMA(values[k * b * b + cell], x[(first + j) * t->x.row + c * t->x.col], sum);
        }
    }
    return sum;
}

static void NAME(spmm)(const tulle__task *t) {
    VALUE *y = t->y.data;
    for (int64_t r = 0; r < t->A.pattern.rows; r++) {
        for (int c = 0; c < t->k2; c++) {
            NAME(store)(t, y + r * t->y.row + c * t->y.col, NAME(row_sum)(t, r, c));
        }
    }
}

#endif
