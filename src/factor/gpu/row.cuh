/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that kernels for factors have in common: the numbers of A', the places of columns,
 * notes of pivots, and rows that wait for one another. */
#ifndef TULLE_FACTOR_GPU_ROW_CUH
#define TULLE_FACTOR_GPU_ROW_CUH

#include "factor/factor.h"
#include "factor/judge.h"
#include "gpu/gpu.cuh"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A call in its types; `whole` is the schedule's integer type, which is as wide as offsets. */
template <class T, class O, class I>
struct factor_job {
    int64_t rows, n;
    int block;
    tulle_factor_kind kind;
    bool boost, inverted;
    double modified, tiny;
    tulle__factor_from from;
    const O *offsets;
    const I *cols;
    T *values;
    uint8_t *pivots;
    tulle__pivots_seen *seen;
    const O *order, *begins, *places, *diagonal; /* arrays of the schedule */
    int *done;                                   /* [rows] 1 at each place whose row is ready */
    uint64_t *ticket;                            /* number of rows that have been taken */
};

/* Returns number q of a block of A. */
GPU_FUNCTION double factor_number_at(const tulle__factor_from &from, int cells, int64_t slot,
                                     int q) {
    const int64_t words = (cells + 31) / 32, at = slot * cells + q;
    if (from.mask && !(load(from.mask + slot * words + q / 32) >> q % 32 & 1)) return 0;
    return from.type == TULLE_F32
               ? static_cast<double>(load(static_cast<const float *>(from.values) + at))
               : load(static_cast<const double *>(from.values) + at);
}

GPU_FUNCTION double factor_scale_at(tulle_type type, const void *scale, int64_t i) {
    if (!scale) return 1;
    return type == TULLE_F32 ? static_cast<double>(load(static_cast<const float *>(scale) + i))
                             : load(static_cast<const double *>(scale) + i);
}

/* Returns number q of block e of A', of n rows in blocks of b; the block is in block row i and
 * block column j. */
GPU_FUNCTION double factor_number_of(const tulle__factor_from &from, int64_t n, int b, int64_t e,
                                     int64_t i, int64_t j, int q) {
    const int r = q / b, c = q % b;
    const int64_t row = i * b + r, col = j * b + c;
    if (row >= n || col >= n) return row == col ? 1 : 0;
    const int64_t slot = from.source ? load(from.source + e) : e;
    double number = 0;
    if (slot >= 0) number = factor_number_at(from, b * b, slot, q);
    if (slot <= -2) number = factor_number_at(from, b * b, -2 - slot, c * b + r);
    if (row == col) number *= 1 + from.shift;
    return number * factor_scale_at(from.type, from.row_scale, row) *
           factor_scale_at(from.type, from.col_scale, col);
}

template <class T, class O, class I>
GPU_FUNCTION double factor_number(const factor_job<T, O, I> &job, int64_t e, int64_t i, int64_t j,
                                  int q) {
    return factor_number_of(job.from, job.n, job.block, e, i, j, q);
}

/* Returns the first of cols[begin] to cols[end - 1] that is not below col, or end. */
template <class O, class I>
GPU_FUNCTION O factor_find(const I *cols, O begin, O end, I col) {
    while (begin < end) {
        const O middle = begin + (end - begin) / 2;
        if (load(cols + middle) < col) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

/* Returns the pivot to divide by, for a scalar row of A', and notes a tiny or bad one. */
GPU_FUNCTION double factor_noted(const tulle__judged &judged, int64_t row,
                                 tulle__pivots_seen *seen) {
    if (judged.bad) {
        atomic_min(&seen->bad_first, row);
        atomic_add(&seen->bad, int64_t(1));
    }
    if (judged.tiny) {
        atomic_min(&seen->tiny_first, row);
        atomic_add(&seen->tiny, int64_t(1));
    }
    return judged.pivot;
}

template <class T, class O, class I>
GPU_FUNCTION tulle__pivot_rule factor_rule(const factor_job<T, O, I> &job) {
    return {job.tiny, job.boost, job.kind == TULLE_CHOLESKY, sizeof(T) == sizeof(float)};
}

template <class T, class O, class I>
GPU_FUNCTION double factor_judged(const factor_job<T, O, I> &job, double pivot, double most,
                                  int64_t row) {
    const tulle__pivot_rule rule = factor_rule(job);
    return factor_noted(tulle__weigh_pivot(&rule, pivot, most), row, job.seen);
}

template <class T, class O, class I>
factor_job<T, O, I> factor_job_of(const tulle__factor_task *t) {
    const tulle__schedule *s = t->schedule;
    return {t->rows,
            t->n,
            t->block,
            t->kind,
            t->boost,
            t->inverted,
            t->modified,
            t->tiny,
            t->from,
            static_cast<const O *>(t->offsets),
            static_cast<const I *>(t->cols_of),
            static_cast<T *>(t->values),
            t->pivots,
            t->seen,
            static_cast<const O *>(s->order),
            static_cast<const O *>(s->begins),
            static_cast<const O *>(s->places),
            static_cast<const O *>(s->diagonal),
            nullptr,
            nullptr};
}

inline size_t factor_flag_bytes(const tulle__factor_task *t) {
    return part_bytes<int>(t->rows) + part_bytes<uint64_t>(1);
}

/* Sets the flags and the ticket in the workspace to zero. */
template <class T, class O, class I>
tulle_status factor_flags(const tulle__factor_task *t, factor_job<T, O, I> *job) {
    parts cut(t->place, t->workspace);
    GPU_TRY(cut.take(t->rows, &job->done));
    GPU_TRY(cut.take(1, &job->ticket));
    GPU_TRY(TULLE__HERE(set_bytes)(t->place, job->done, 0, sizeof(int) * size_t(t->rows)));
    return TULLE__HERE(set_bytes)(t->place, job->ticket, 0, sizeof *job->ticket);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
