/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows on a GPU: one team of 8 or 32 lanes per row, by the mean length of the rows. Each
 * lane adds every 8th or 32nd entry, and the lanes join their sums in pairs, in a fixed order. */
#include "algebra/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Mean length of rows from which on a whole warp is of use. */
constexpr int64_t long_mean_row = 24;

template <class V, class O>
struct summing {
    int64_t rows;
    const O *offsets;
    const V *values;
    tulle_sum_kind kind;
    V *y;
};

template <int lanes>
GPU_FUNCTION double join_lanes(tulle_sum_kind kind, double sum) {
    for (int distance = lanes / 2; distance > 0; distance /= 2) {
        sum = tulle__sum_join(kind, sum, shuffle_xor(full_warp, sum, distance));
    }
    return sum;
}

template <int lanes, class V, class O>
GPU_KERNEL void sum_rows(summing<V, O> t) {
    constexpr int teams = warp_lanes / lanes;
    const int in_team = static_cast<int>(lane()) % lanes;
    const int64_t step = loop_stride() / warp_lanes * teams;
    for (int64_t first = loop_first() / warp_lanes * teams; first < t.rows; first += step) {
        const int64_t row = first + lane() / lanes;
        const bool has = row < t.rows;
        const int64_t begin = has ? load(t.offsets + row) : 0;
        const int64_t end = has ? load(t.offsets + row + 1) : 0;
        double sum = 0;
        for (int64_t k = begin + in_team; k < end; k += lanes) {
            sum = tulle__sum_add(t.kind, sum, static_cast<double>(load_once(t.values + k)));
        }
        sum = join_lanes<lanes>(t.kind, sum);
        if (has && in_team == 0) t.y[row] = static_cast<V>(sum);
    }
}

template <int lanes, class V, class O>
tulle_status launch_sums(const tulle__place *place, const summing<V, O> &t) {
    const int64_t threads = (t.rows / (warp_lanes / lanes) + 1) * warp_lanes;
    return launch(place, sum_rows<lanes, V, O>, loop_grid(threads), t);
}

template <class V, class O>
tulle_status sum(const tulle__place *place, const tulle__summing *job) {
    const tulle__pattern_view *csr = job->csr;
    const summing<V, O> t = {csr->rows, static_cast<const O *>(csr->offsets),
                             static_cast<const V *>(job->values), job->kind,
                             static_cast<V *>(job->y)};
    return csr->nnz / csr->rows >= long_mean_row ? launch_sums<warp_lanes>(place, t)
                                                 : launch_sums<8>(place, t);
}

template <class V>
tulle_status sum_type(const tulle__place *place, const tulle__summing *job) {
    return job->csr->index == TULLE_I32 ? sum<V, int32_t>(place, job) : sum<V, int64_t>(place, job);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(sum_rows)(const tulle__place *place, const tulle__summing *job) {
    return job->type == TULLE_F32 ? gpu::sum_type<float>(place, job)
                                  : gpu::sum_type<double>(place, job);
}
