/* SPDX-License-Identifier: Apache-2.0 */
/* Products of multivectors with small dense matrices and with each other, on the CPU. Some rows at
 * a time are copied column by column, so that every loop uses vector instructions, and no layout
 * changes a sum. */
#ifndef VALUE

#include "core/access.h"
#include "core/threads/sizes.h"
#include "vector/functions.h"

/* Number of rows that are copied at a time. */
enum { BATCH = 128 };

#define TULLE__SELF "vector/multivector_cpu.c"
#include "core/each_value.h"

static int threads_for(const tulle__place *place, const tulle__multi *m) {
    return tulle__threads_for(place, TULLE__WORK_NUMBERS, m->rows * (m->k1 + m->k2));
}

tulle_status tulle__cpu_multivector_axpy(const tulle__place *place, const tulle__multi *m) {
#pragma omp parallel for num_threads(threads_for(place, m))
    for (int64_t i = 0; i < m->rows; i += BATCH) {
        const int count = m->rows - i < BATCH ? (int)(m->rows - i) : BATCH;
        if (m->type == TULLE_F32) {
            axpy_f32(m, i, count);
        } else {
            axpy_f64(m, i, count);
        }
    }
    return TULLE_OK;
}

/* Joins the pieces, by halves, into the first one. */
static void join_pieces(const tulle__multi *m) {
    const int64_t count = (int64_t)m->k1 * m->k2;
    for (int64_t left = m->pieces; left > 1;) {
        const int64_t half = (left + 1) / 2;
        for (int64_t e = 0; e < (left - half) * count; e++) {
            m->partials[e] += m->partials[half * count + e];
        }
        left = half;
    }
}

tulle_status tulle__cpu_multivector_dot(const tulle__place *place, const tulle__multi *m) {
    const int64_t batches = (m->rows + BATCH - 1) / BATCH;
#pragma omp parallel for num_threads(threads_for(place, m))
    for (int64_t piece = 0; piece < m->pieces; piece++) {
        double *sums = m->partials + piece * m->k1 * m->k2;
        const int64_t begin = batches * piece / m->pieces * BATCH;
        const int64_t last = batches * (piece + 1) / m->pieces * BATCH;
        for (int at = 0; at < m->k1 * m->k2; at++) sums[at] = 0;
        for (int64_t i = begin; i < last; i += BATCH) {
            const int count = m->rows - i < BATCH ? (int)(m->rows - i) : BATCH;
            if (m->type == TULLE_F32) {
                dot_f32(m, i, count, sums);
            } else {
                dot_f64(m, i, count, sums);
            }
        }
    }
    join_pieces(m);
    for (int at = 0; at < m->k1 * m->k2; at++) {
        const double sum = m->partials[at];
        if (m->type == TULLE_F32) {
            put_f32(m, at / m->k2, at % m->k2, (float)sum);
        } else {
            put_f64(m, at / m->k2, at % m->k2, sum);
        }
    }
    return TULLE_OK;
}

#else

/* Returns column c of some rows: a pointer to it, or a copy in `room` if its numbers do not follow
 * each other in memory. */
static inline const VALUE *NAME(column)(const tulle__strided *s, int64_t i, int c, int count,
                                        VALUE *room) {
    const VALUE *from = (const VALUE *)s->data + i * s->row + c * s->col;
    if (s->row == 1) return from;
    for (int k = 0; k < count; k++) room[k] = from[k * s->row];
    return room;
}

/* Sets y := alpha sum + beta y; y is not read if beta is 0. */
static inline void NAME(set)(VALUE *y, VALUE alpha, VALUE sum, VALUE beta) {
    *y = beta == 0 ? alpha * sum : alpha * sum + beta * *y;
}

static void NAME(axpy)(const tulle__multi *m, int64_t i, int count) {
    const VALUE alpha = tulle__scalar_value(VALUE, m->alpha);
    const VALUE beta = tulle__scalar_value(VALUE, m->beta);
    VALUE sums[TULLE__MULTI_MOST][BATCH], room[BATCH];
    for (int c = 0; c < m->k2; c++) {
        for (int k = 0; k < count; k++) sums[c][k] = 0;
    }
    for (int p = 0; p < m->k1; p++) {
        const VALUE *x = NAME(column)(&m->x, i, p, count, room);
        for (int c = 0; c < m->k2; c++) {
            const VALUE a = ((const VALUE *)m->a.data)[p * m->a.row + c * m->a.col];
            for (int k = 0; k < count; k++) sums[c][k] += x[k] * a;
        }
    }
    for (int c = 0; c < m->k2; c++) {
        VALUE *y = (VALUE *)m->y.data + i * m->y.row + c * m->y.col;
        for (int k = 0; k < count; k++) NAME(set)(y + k * m->y.row, alpha, sums[c][k], beta);
    }
}

static void NAME(dot)(const tulle__multi *m, int64_t i, int count, double *sums) {
    enum { SIDE_BY_SIDE = 8 };
    VALUE rooms[TULLE__MULTI_MOST][BATCH], room[BATCH];
    const VALUE *z[TULLE__MULTI_MOST] = {0};
    for (int c = 0; c < m->k2; c++) z[c] = NAME(column)(&m->a, i, c, count, rooms[c]);
    for (int p = 0; p < m->k1; p++) {
        const VALUE *x = NAME(column)(&m->x, i, p, count, room);
        for (int c = 0; c < m->k2; c++) {
            VALUE sum[SIDE_BY_SIDE] = {0};
            int k = 0;
            for (; k + SIDE_BY_SIDE <= count; k += SIDE_BY_SIDE) {
                for (int w = 0; w < SIDE_BY_SIDE; w++) sum[w] += x[k + w] * z[c][k + w];
            }
            for (; k < count; k++) sum[k % SIDE_BY_SIDE] += x[k] * z[c][k];
            for (int w = 1; w < SIDE_BY_SIDE; w++) sum[0] += sum[w];
            sums[p * m->k2 + c] += (double)sum[0];
        }
    }
}

static void NAME(put)(const tulle__multi *m, int p, int c, VALUE sum) {
    NAME(set)
    ((VALUE *)m->y.data + p * m->y.row + c * m->y.col, tulle__scalar_value(VALUE, m->alpha), sum,
     tulle__scalar_value(VALUE, m->beta));
}

#endif
