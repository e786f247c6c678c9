/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices as an operator, on the CPU: a few elements at a time, side by side, as their
 * numbers are. */
#ifndef VALUE

#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

/* Elements side by side. */
enum { WIDTH = 16 };

#define TULLE__SELF "fem/cpu/local.c"
#define VALUE float
#define STORED float
#define NAME(function) function##_f32
#include TULLE__SELF
#undef VALUE
#undef STORED
#undef NAME
#define VALUE double
#define STORED double
#define NAME(function) function##_f64
#include TULLE__SELF
#undef STORED
#undef NAME
#define STORED float
#define NAME(function) function##_narrow
#include TULLE__SELF
#undef VALUE
#undef STORED
#undef NAME

tulle_status tulle__cpu_leave_points(const tulle__place *place, const tulle__leave_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_MATRICES, job->count))
    for (int64_t i = 0; i < job->count; i++) {
        if (job->points[i] >= 0 && job->masked[job->points[i]]) job->points[i] = -1;
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_pack_unknowns(const tulle__place *place, const tulle__pack_job *job) {
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_MATRICES, job->block.count))
    for (int64_t k = 0; k < job->block.count; k++) {
        for (int i = 0; i < job->block.rows; i++) tulle__pack_unknown(job, k, i);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_pack_numbers(const tulle__place *place, const tulle__pack_job *job) {
    const int rows = job->block.rows;
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_MATRICES, job->block.count))
    for (int64_t first = 0; first < job->block.count; first += WIDTH) {
        const int64_t end = job->block.count - first < WIDTH ? job->block.count : first + WIDTH;
        for (int ij = 0; ij < rows * rows; ij++) {
            for (int64_t k = first; k < end; k++) {
                tulle__pack_number(job, k, ij / rows, ij % rows);
            }
        }
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_apply_elements(const tulle__place *place, const tulle__local_job *job) {
    if (job->type == TULLE_F32) {
        apply_f32(place, job);
    } else if (job->stored == TULLE_F64) {
        apply_f64(place, job);
    } else {
        apply_narrow(place, job);
    }
    return TULLE_OK;
}

#else

/* Numbers of WIDTH elements, from `first` on, of which `count` are there. */
typedef VALUE NAME(side_by_side)[WIDTH];

static void NAME(gather)(const tulle__local_job *job, int64_t first, int count,
                         NAME(side_by_side) * x) {
    const VALUE *from = job->vectors.x;
    for (int i = 0; i < job->block.rows; i++) {
        const int32_t *at = job->block.unknowns + i * job->block.stride + first;
        for (int w = 0; w < count; w++)
            x[i][w] = at[w] >= 0 ? from[at[w] * job->vectors.x_step] : 0;
        for (int w = count; w < WIDTH; w++) x[i][w] = 0;
    }
}

/* y[i] += K_ij x[j] and, of the other half of a packed matrix, y[j] += K_ij x[i]. Strides are whole
 * warps, so that WIDTH numbers can be read. */
static void NAME(add_cell)(const STORED *K, int i, int j, bool both, NAME(side_by_side) * x,
                           NAME(side_by_side) * y) {
#pragma omp simd
    for (int w = 0; w < WIDTH; w++) y[i][w] += (VALUE)K[w] * x[j][w];
    if (!both) return;
#pragma omp simd
    for (int w = 0; w < WIDTH; w++) y[j][w] += (VALUE)K[w] * x[i][w];
}

static void NAME(multiply)(const tulle__local_job *job, int64_t first, NAME(side_by_side) * x,
                           NAME(side_by_side) * y) {
    const int rows = job->block.rows;
    const STORED *K = (const STORED *)job->block.numbers + first;
    for (int i = 0; i < rows; i++) {
        for (int w = 0; w < WIDTH; w++) y[i][w] = 0;
    }
    for (int i = 0; i < rows; i++) {
        for (int j = job->packed ? i : 0; j < rows; j++) {
            const int64_t cell = job->transposed && !job->packed
                                     ? tulle__local_cell(rows, false, j, i)
                                     : tulle__local_cell(rows, job->packed, i, j);
            NAME(add_cell)(K + cell * job->block.stride, i, j, job->packed && i != j, x, y);
        }
    }
}

/* An unknown that an element has twice gets all four entries. */
static void NAME(take_diagonal)(const tulle__local_job *job, int64_t first, int count,
                                NAME(side_by_side) * y) {
    const tulle__local_block *b = &job->block;
    const STORED *K = (const STORED *)b->numbers + first;
    for (int i = 0; i < b->rows; i++) {
        for (int w = 0; w < count; w++) y[i][w] = 0;
        for (int j = 0; j < b->rows; j++) {
            const bool below = job->packed && j < i;
            const int64_t cell =
                tulle__local_cell(b->rows, job->packed, below ? j : i, below ? i : j);
            const int32_t *at = b->unknowns + first;
            for (int w = 0; w < count; w++) {
                if (at[i * b->stride + w] != at[j * b->stride + w]) continue;
                y[i][w] += (VALUE)K[cell * b->stride + w];
            }
        }
    }
}

static void NAME(scatter)(const tulle__local_job *job, int64_t first, int count,
                          NAME(side_by_side) * y) {
    const VALUE alpha = tulle__scalar_value(VALUE, job->vectors.alpha);
    VALUE *products = job->block.products, *to = job->vectors.y;
    for (int i = 0; i < job->block.rows; i++) {
        const int64_t k = i * job->block.stride + first;
        const int32_t *at = job->block.unknowns + k;
        for (int w = 0; w < count; w++) {
            if (job->scatter == TULLE_SCATTER_OWNER) {
                products[k + w] = y[i][w];
                continue;
            }
            if (at[w] < 0) continue;
            VALUE *one = to + at[w] * job->vectors.y_step;
            if (job->scatter == TULLE_SCATTER_ATOMIC) {
#pragma omp atomic
                *one += alpha * y[i][w];
            } else {
                *one += alpha * y[i][w];
            }
        }
    }
}

static void NAME(apply)(const tulle__place *place, const tulle__local_job *job) {
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_MATRICES, job->end - job->begin))
    for (int64_t first = job->begin; first < job->end; first += WIDTH) {
        NAME(side_by_side) x[TULLE_LOCAL_ROWS], y[TULLE_LOCAL_ROWS];
        const int count = job->end - first < WIDTH ? (int)(job->end - first) : WIDTH;
        if (job->vectors.diagonal) {
            NAME(take_diagonal)(job, first, count, y);
        } else {
            NAME(gather)(job, first, count, x);
            NAME(multiply)(job, first, x, y);
        }
        NAME(scatter)(job, first, count, y);
    }
}

#endif
