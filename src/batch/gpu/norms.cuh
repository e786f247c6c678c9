/* SPDX-License-Identifier: Apache-2.0 */
/* Norms of columns in pieces, as a whole GPU has them (vector/reduce.cu). */
#ifndef TULLE_BATCH_GPU_NORMS_CUH
#define TULLE_BATCH_GPU_NORMS_CUH

#include "batch/gpu/pieces.cuh"
#include "gpu/outline.cuh"
#include "vector/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_FUNCTION reduction<V> norms_of(const tulle__batch_job &job, const tulle__task &t) {
    const strided<V> x = {static_cast<V *>(t.x.data), t.x.row, t.x.col};
    const strided<const V> read = {x.data, x.row, x.col};
    return {t.units, t.k2, t.norm.pieces, t.norm.width,
            read,    x,    read,          job.scratch + t.first_scratch};
}

template <class V, class Reduced>
GPU_OUTLINE void norms_piece(const tulle__batch_job &job, const tulle__task &t, int64_t piece,
                             shared<double> room) {
    const reduction<V> r = norms_of<V>(job, t);
    const auto put_result = [&](int64_t c, V number) { *number_of<V>(t.y, 0, c) = number; };
    if (t.lie == TULLE__LIE_COLUMNS) {
        reduce_piece<true, V>(Reduced{}, r, piece, room, put_result);
    } else {
        reduce_piece<false, V>(Reduced{}, r, piece, room, put_result);
    }
}

template <class V>
GPU_FUNCTION void run_norms_piece(const tulle__batch_job &job, const tulle__task &t, int64_t piece,
                                  shared<double> room) {
    sync();
    if (t.kind == TULLE__TASK_NORM_MAX) {
        norms_piece<V, reduced_norm_max<V>>(job, t, piece, room);
    } else {
        norms_piece<V, reduced_norm2<V>>(job, t, piece, room);
    }
}

/* Joins the partial norms of all pieces. */
template <class V, class Reduced>
GPU_OUTLINE void join_norms_by(const tulle__batch_job &job, const tulle__task &t,
                               shared<double> room) {
    const double *partials = job.scratch + t.first_scratch;
    for (int64_t first = 0; first < t.k2; first += finish_width) {
        const int64_t c = first + thread() % finish_width;
        const double all = reduce_partials_of<Reduced>(partials, t.norm.pieces, t.k2, c, room);
        if (thread() < finish_width && c < t.k2) *number_of<V>(t.y, 0, c) = static_cast<V>(all);
    }
}

template <class V>
GPU_FUNCTION void join_norms(const tulle__batch_job &job, const tulle__task &t,
                             shared<double> room) {
    if (t.norm.pieces == 1) return;
    if (t.kind == TULLE__TASK_NORM_MAX) {
        join_norms_by<V, reduced_norm_max<V>>(job, t, room);
    } else {
        join_norms_by<V, reduced_norm2<V>>(job, t, room);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
