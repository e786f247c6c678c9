/* SPDX-License-Identifier: Apache-2.0 */
/* Neighbouring lanes share a row of a CSR matrix: each walks it with a stride, four loads at a
 * time in flight, and shuffles add their sums. */
#ifndef TULLE_SPMV_GPU_CSR_ROW_CUH
#define TULLE_SPMV_GPU_CSR_ROW_CUH

#include "spmv/gpu/csr.cuh"
#include "spmv/gpu/csr_costs.h"

namespace TULLE_GPU_NAMESPACE {

/* Number of entries that a lane loads before it uses the first: enough loads in flight to cover
 * latency. */
constexpr int flight = 4;

/* Called between a thread's first columns and its first values; here, nothing. */
struct at_once {
    GPU_FUNCTION void operator()() const {}
};

/* Sums the part of a row that lane `lane` of `coop` has, a flight at a time. The loads of a
 * flight do not wait for each other: addresses are constants away from two pointers, and a
 * predicate is one comparison, which leaves the registers to the loads (docs/lab-notes.md,
 * "csr_vector: two pointers"). Columns are asked for before `ready` returns, values and x after
 * it. */
template <bool stays, class V, class O, class C, class Ready = at_once>
GPU_FUNCTION V partial_sum(const csr_product<V, O, C> &a, O begin, O end, int lane, int coop,
                           Ready ready = {}) {
    V sum = 0;
    C column[flight];
    V value[flight];
    O left = end - begin - lane;
    O first = left > 0 ? begin + lane : 0;
    const C *columns = a.cols_of + first;
    const V *values = a.values + first;
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (left > f * coop) column[f] = load_entry<stays>(columns + f * coop);
    }
    ready();
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (left > f * coop) value[f] = load_value<stays>(values + f * coop);
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (left > f * coop) sum += value[f] * load_awaited(a.x + column[f]);
    }
    GPU_KEEP_LOOP
    for (left -= flight * coop; left > 0; left -= flight * coop) {
        columns += flight * coop;
        values += flight * coop;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (left > f * coop) {
                column[f] = load_entry<stays>(columns + f * coop);
                value[f] = load_value<stays>(values + f * coop);
            }
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (left > f * coop) sum += value[f] * load_awaited(a.x + column[f]);
        }
    }
    return sum;
}

/* Adds over every `coop` neighbouring lanes, of which the first gets the sum. All lanes of the
 * warp take part. */
template <class V>
GPU_FUNCTION V sum_of_lanes(V sum, int coop) {
    GPU_UNROLL
    for (int delta = coop / 2; delta > 0; delta /= 2) {
        sum += shuffle_down(full_warp, sum, static_cast<unsigned>(delta), coop);
    }
    return sum;
}

/* Number of lanes of a row: as few as leave each at most so many entries of the mean row; one
 * lane takes a few more, since neighbours share its lines in the L1, unless the rows' lengths
 * differ or, in f64, the matrix comes from the cache. From sweeps over 57 matrices on an H200
 * (docs/lab-notes.md, "csr_vector: lanes and blocks"). */
inline int lanes_for_mean(const tulle__spmv_shape *shape) {
    bool f32 = shape->type == TULLE_F32;
    bool from_memory = tulle__spmv_minimal_bytes(shape, true) > 4 * shape->device->cache_bytes;
    double mean = shape->stats->mean_row, most = f32 ? 6.5 : 5.5;
    double most_alone = f32 || from_memory ? 8 : 5.2;
    if (mean + shape->stats->sd_row / 2 <= most_alone) return 1;
    int lanes = 2;
    while (lanes < 32 && lanes * most < mean) lanes *= 2;
    return lanes;
}

/* Microseconds in which so many lanes walk the longest row, given those of a flight; for cost(). */
inline double longest_row_us(const tulle__spmv_shape *shape, double lanes,
                             double flight_us = TULLE__VECTOR_FLIGHT) {
    return flight_us * static_cast<double>(shape->stats->max_row) / (flight * lanes);
}

/* Standard deviation of the rows' lengths, in means, 4 at most; for cost(). Lanes of a warp wait
 * for the longest of its rows, which this stands for. */
inline double unevenness(const tulle__spmv_shape *shape) {
    double mean = shape->stats->mean_row > 0 ? shape->stats->mean_row : 1;
    double uneven = shape->stats->sd_row / mean;
    return uneven < 4 ? uneven : 4;
}

inline int64_t resident_threads(const tulle__spmv_shape *shape) {
    constexpr int64_t of_a_multiprocessor = 2048;
    return of_a_multiprocessor * shape->device->multiprocessors;
}

/* Number of lanes of a row where rows are few, so that threads would be too: lanes up to the
 * mean row's entries, as long as the threads are not many more than the device holds, or twice
 * that where rows are uneven. */
inline int lanes_for_few(const tulle__spmv_shape *shape, int lanes) {
    constexpr double waves = 1.2;
    double uneven = unevenness(shape) < 1 ? unevenness(shape) : 1;
    double room = waves * (1 + uneven) * static_cast<double>(resident_threads(shape));
    double rows = static_cast<double>(shape->rows);
    while (lanes < 32 && 2 * lanes <= shape->stats->mean_row && 2 * lanes * rows <= room) {
        lanes *= 2;
    }
    return lanes;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
