/* SPDX-License-Identifier: Apache-2.0 */
/* Computes one number from each column on the CPU: each piece of rows in TULLE__SUM_UNIT sums,
 * which are then joined by halves, and so are the pieces. The result does not depend on the number
 * of threads. */
#ifndef VALUE

#include "core/access.h"
#include "core/pieces.h"
#include "core/threads/sizes.h"
#include "vector/functions.h"
#include "vector/norm.h"

/* Joins `count` numbers, `step` apart, into the first. */
static void join(const tulle__reduction *r, double *v, int64_t count, int64_t step) {
    for (int64_t near = 1; near < count; near *= 2) {
        for (int64_t i = 0; i + near < count; i += 2 * near) {
            double *to = v + i * step, other = v[(i + near) * step];
            *to = r->what == TULLE__REDUCED_NORM_MAX ? tulle__larger(*to, other) : *to + other;
        }
    }
}

static double *partial_of(const tulle__reduction *r, int part, int64_t piece, int64_t c) {
    return r->partials + (part * r->pieces + piece) * r->cols + c;
}

static double result_of(const tulle__reduction *r, int64_t c) {
    double parts[TULLE__SUM_PARTS];
    for (int k = 0; k < TULLE__SUM_PARTS; k++) {
        join(r, partial_of(r, k, 0, c), r->pieces, r->cols);
        parts[k] = *partial_of(r, k, 0, c);
    }
    return r->what == TULLE__REDUCED_NORM2 ? tulle__norm_of(parts) : parts[0];
}

#define TULLE__SELF "vector/reduce_cpu.c"
#include "core/each_value.h"

static void do_piece(const void *job, int64_t piece) {
    const tulle__reduction *r = job;
    const int64_t units = r->rows / TULLE__SUM_UNIT + (r->rows % TULLE__SUM_UNIT != 0);
    const int64_t begin = units * piece / r->pieces * TULLE__SUM_UNIT;
    const int64_t last = units * (piece + 1) / r->pieces * TULLE__SUM_UNIT;
    const int64_t end = last < r->rows ? last : r->rows;
    for (int64_t c = 0; c < r->cols; c++) {
        if (r->type == TULLE_F32) {
            column_f32(r, piece, c, begin, end);
        } else {
            column_f64(r, piece, c, begin, end);
        }
    }
}

tulle_status tulle__cpu_reduce(const tulle__place *place, const tulle__reduction *r) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, r->rows * r->cols);
    tulle__in_pieces(threads, r->pieces, do_piece, r);
    for (int64_t c = 0; c < r->cols; c++) {
        const double value = result_of(r, c);
        if (r->type == TULLE_F32) {
            ((float *)r->result)[c] = (float)value;
        } else {
            ((double *)r->result)[c] = value;
        }
    }
    return TULLE_OK;
}

#else

/* The separate sums of a part of a column. */
typedef struct NAME(lanes) {
    double sum[TULLE__SUM_PARTS][TULLE__SUM_UNIT];
} NAME(lanes);

static inline void NAME(add_dot)(double *sum, const VALUE *x, const VALUE *y, int count,
                                 int64_t x_step, int64_t y_step) {
    for (int w = 0; w < count; w++) sum[w] += (double)x[w * x_step] * (double)y[w * y_step];
}

static inline void NAME(add_max)(double *sum, const VALUE *x, int count, int64_t x_step) {
    for (int w = 0; w < count; w++) sum[w] = tulle__larger(sum[w], fabs((double)x[w * x_step]));
}

/* Adds squares. Squares of f32 neither overflow nor underflow in f64. */
static inline void NAME(add_squares)(NAME(lanes) * to, const VALUE *x, int count, int64_t x_step) {
    for (int w = 0; w < count; w++) {
        const double v = (double)x[w * x_step], size = fabs(v);
        const bool large = size > TULLE__LARGE_FROM, small = size < TULLE__SMALL_TO;
        const bool scaled = sizeof(VALUE) == 8 && (large || small);
        const double by = large ? TULLE__LARGE_BY : TULLE__SMALL_BY;
        const double square = scaled ? (v * by) * (v * by) : v * v;
        to->sum[TULLE__MEDIUM][w] += scaled ? 0 : square;
        to->sum[TULLE__LARGE][w] += scaled && large ? square : 0;
        to->sum[TULLE__SMALL][w] += scaled && small ? square : 0;
    }
}

/* Adds `count` rows from row i on. */
static inline void NAME(rows)(const tulle__reduction *r, NAME(lanes) * to, int64_t i, int64_t c,
                              int count, bool neighbours) {
    const int64_t x_step = neighbours ? 1 : r->x.row, y_step = neighbours ? 1 : r->y.row;
    const int64_t z_step = neighbours ? 1 : r->z.row;
    const VALUE *x = (const VALUE *)r->x.data + i * r->x.row + c * r->x.col;
    VALUE *y = (VALUE *)r->y.data + i * r->y.row + c * r->y.col;
    const VALUE *z = (const VALUE *)r->z.data + i * r->z.row + c * r->z.col;
    switch (r->what) {
        case TULLE__REDUCED_DOT:
            NAME(add_dot)(to->sum[0], x, y, count, x_step, y_step);
            break;
        case TULLE__REDUCED_NORM2:
            NAME(add_squares)(to, x, count, x_step);
            break;
        case TULLE__REDUCED_NORM_MAX:
            NAME(add_max)(to->sum[0], x, count, x_step);
            break;
        case TULLE__REDUCED_AXPY_DOT: {
            const VALUE alpha = tulle__scalar_value(VALUE, r->alpha);
            for (int w = 0; w < count; w++) {
                y[w * y_step] = alpha * x[w * x_step] + y[w * y_step];
            }
            NAME(add_dot)(to->sum[0], z, y, count, z_step, y_step);
            break;
        }
    }
}

static void NAME(column)(const tulle__reduction *r, int64_t piece, int64_t c, int64_t begin,
                         int64_t end) {
    NAME(lanes) lanes = {0};
    const bool neighbours = r->x.row == 1 && r->y.row == 1 && r->z.row == 1;
    int64_t i = begin;
    for (; neighbours && i + TULLE__SUM_UNIT <= end; i += TULLE__SUM_UNIT) {
        NAME(rows)(r, &lanes, i, c, TULLE__SUM_UNIT, true);
    }
    for (; i < end; i += TULLE__SUM_UNIT) {
        NAME(rows)
        (r, &lanes, i, c, end - i < TULLE__SUM_UNIT ? (int)(end - i) : TULLE__SUM_UNIT, false);
    }
    for (int k = 0; k < TULLE__SUM_PARTS; k++) {
        join(r, lanes.sum[k], TULLE__SUM_UNIT, 1);
        *partial_of(r, k, piece, c) = lanes.sum[k][0];
    }
}

#endif
