/* SPDX-License-Identifier: Apache-2.0 */
/* Computes one number from each column on the GPU: inner products and norms, f32 in f64 too. A
 * block takes a piece of the rows of one or several columns; a second, small launch joins the
 * pieces in a fixed order. A single piece needs no second launch. */
#include "vector/reduce.cuh"

#include "vector/functions.h"

namespace TULLE_GPU_NAMESPACE {

template <bool whole, class V, class Reduced>
GPU_KERNEL GPU_RESIDENT(loop_threads, 3) void reduce_pieces(Reduced reduced, reduction<V> r,
                                                            V *result) {
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    reduced.ready();
    reduce_piece<whole, V>(reduced, r, block(), room,
                           [&](int64_t c, V number) { result[c] = number; });
}

template <class V, class Reduced>
GPU_KERNEL void reduce_partials(const double *partials, int64_t pieces, int64_t cols, V *result) {
    GPU_SHARED(double, room, loop_threads);
    allow_next();
    await_previous();
    const int64_t c = static_cast<int64_t>(block()) * finish_width + thread() % finish_width;
    const double all = reduce_partials_of<Reduced>(partials, pieces, cols, c, room);
    if (thread() < finish_width && c < cols) result[c] = static_cast<V>(all);
}

template <class V, class Reduced>
tulle_status reduce_by(const tulle__place *place, const tulle__reduction *job, Reduced reduced) {
    const reduction<V> r{job->rows,
                         job->cols,
                         job->pieces,
                         job->width,
                         make_strided<const V>(job->x),
                         make_strided<V>(job->y),
                         make_strided<const V>(job->z),
                         job->partials};
    V *result = static_cast<V *>(job->result);
    const bool whole = tulle__lies_in_packs(&job->x, job->cols, sizeof(V)) &&
                       tulle__lies_in_packs(&job->y, job->cols, sizeof(V)) &&
                       tulle__lies_in_packs(&job->z, job->cols, sizeof(V));
    const int64_t groups = job->cols / job->width + (job->cols % job->width != 0);
    const grid all{groups * job->pieces, loop_threads};
    GPU_TRY(whole ? launch_early(place, reduce_pieces<true, V, Reduced>, all, reduced, r, result)
                  : launch_early(place, reduce_pieces<false, V, Reduced>, all, reduced, r, result));
    if (job->pieces == 1) return TULLE_OK;
    const int64_t blocks = job->cols / finish_width + (job->cols % finish_width != 0);
    return launch_early(place, reduce_partials<V, Reduced>, {blocks, loop_threads}, job->partials,
                        job->pieces, job->cols, result);
}

template <class V>
tulle_status reduce_in(const tulle__place *place, const tulle__reduction *r) {
    switch (r->what) {
        case TULLE__REDUCED_DOT:
            return reduce_by<V>(place, r, reduced_dot<V>{});
        case TULLE__REDUCED_NORM2:
            return reduce_by<V>(place, r, reduced_norm2<V>{});
        case TULLE__REDUCED_NORM_MAX:
            return reduce_by<V>(place, r, reduced_norm_max<V>{});
        case TULLE__REDUCED_AXPY_DOT:
            break;
    }
    return reduce_by<V>(place, r, reduced_axpy_dot<V>{r->z_is_y, make_scalar<V>(r->alpha), V(0)});
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(reduce)(const tulle__place *place, const tulle__reduction *r) {
    return r->type == TULLE_F32 ? gpu::reduce_in<float>(place, r)
                                : gpu::reduce_in<double>(place, r);
}
