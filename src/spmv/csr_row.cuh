/* SPDX-License-Identifier: Apache-2.0 */
/* How neighbouring lanes share a row of a CSR matrix: each walks it with a stride, four loads at a
 * time in flight, and shuffles add what they found. */
#ifndef TULLE_SPMV_CSR_ROW_CUH
#define TULLE_SPMV_CSR_ROW_CUH

#include "spmv/csr.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Entries that a lane loads before it uses the first: enough loads in flight to cover latency. */
constexpr int flight = 4;

/* An entry's column or value: where few lanes share a row, the next lines of the same rows are
 * wanted again at once and must stay in the L1; else every line is read by one load. */
template <bool stays, class T>
GPU_FUNCTION T load_entry(const T *p) {
    return stays ? load(p) : load_once(p);
}

/* The part of a row that lane `lane` of `coop` sums, a flight at a time. The four loads of columns
 * and values do not wait for each other, nor do the four of x. All flights but the last are whole
 * for all lanes and ask nothing in between, lest the compiler makes the loads wait for the answers
 * (docs/lab-notes.md, "csr_vector: rows of several flights"). */
template <bool stays, class V, class O, class C>
GPU_FUNCTION V partial_sum(const csr_product<V, O, C> &a, O begin, O end, int lane, int coop) {
    V sum = 0;
    C column[flight];
    V value[flight];
    O first = begin + lane, last = end - flight * coop + lane;
    GPU_KEEP_LOOP
    for (; first < last; first += flight * coop) {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            column[f] = load_entry<stays>(a.cols_of + (first + f * coop));
            value[f] = load_entry<stays>(a.values + (first + f * coop));
        }
        GPU_UNROLL
        for (int f = 0; f < flight; f++) sum += value[f] * load(a.x + column[f]);
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (first + f * coop < end) {
            column[f] = load_entry<stays>(a.cols_of + (first + f * coop));
            value[f] = load_entry<stays>(a.values + (first + f * coop));
        }
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        if (first + f * coop < end) sum += value[f] * load(a.x + column[f]);
    }
    return sum;
}

/* partial_sum steps past the end of a row by up to a flight of loads for each lane; 32-bit offsets
 * must hold such numbers too. */
inline bool holds_steps(const tulle__spmv_shape *shape, int64_t lanes) {
    return shape->index != TULLE_I32 || shape->nnz <= INT32_MAX - flight * lanes;
}

/* The first of every `coop` neighbouring lanes gets their sum. All lanes of the warp take part. */
template <class V>
GPU_FUNCTION V sum_of_lanes(V sum, int coop) {
    GPU_UNROLL
    for (int delta = coop / 2; delta > 0; delta /= 2) {
        sum += shuffle_down(full_warp, sum, static_cast<unsigned>(delta), coop);
    }
    return sum;
}

/* As many lanes as make a lane's share of the mean row one full flight of loads. */
inline int lanes_for_mean(const tulle__spmv_shape *shape) {
    int lanes = 1;
    while (lanes < 32 && lanes * flight < shape->stats->mean_row) lanes *= 2;
    return lanes;
}

/* For cost(): microseconds in which so many lanes walk the longest row, one flight of loads in two
 * thirds of one. Fitted to measurements (docs/lab-notes.md, "The first rule"). */
inline double longest_row_us(const tulle__spmv_shape *shape, double lanes) {
    return 0.67 * static_cast<double>(shape->stats->max_row) / (flight * lanes);
}

/* For cost(): the standard deviation of the rows' lengths, in means; 4 at most. Lanes of a warp
 * wait for the longest of its rows, which this stands for. */
inline double unevenness(const tulle__spmv_shape *shape) {
    double mean = shape->stats->mean_row > 0 ? shape->stats->mean_row : 1;
    double uneven = shape->stats->sd_row / mean;
    return uneven < 4 ? uneven : 4;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
