/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics in the making, on the GPU: every block gathers its part in shared memory and adds it
 * to the total with a few atomics. All of it is integers, so that the order changes nothing. */
#ifndef TULLE_MATRIX_TALLY_CUH
#define TULLE_MATRIX_TALLY_CUH

#include "format/stats.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int64_t tally_none = INT64_MAX;
constexpr int tally_limbs = 4, tally_bins = 33;

/* Total of all blocks. The sum of squares is kept in four sums of 32-bit limbs, none of which
 * can overflow: a thread adds less than 2^32 to each. */
struct tally {
    int64_t bad = tally_none; /* first row or entry at fault */
    int64_t min_row = tally_none, max_row = 0;
    int64_t bandwidth = 0, disorder = 0; /* largest |column - row|; disorder: 1: neighbours are
                                            equal somewhere; 2: they fall */
    int64_t squares[tally_limbs] = {};
    int64_t bins[tally_bins] = {};
    int64_t first_offset = 0, last_offset = 0;
};

/* A thread's part of the statistics of the rows' lengths. Neighbouring rows are often alike, so
 * rows of the same bin are counted together. */
struct row_tally {
    int64_t min_row = tally_none, max_row = 0;
    tulle__uint128 squares = 0;
    int bin = 0, in_bin = 0;

    GPU_FUNCTION static int bin_of(uint64_t length) {
        int bits = length != 0;
        for (int shift = 32; shift > 0; shift /= 2) {
            if (length >> shift == 0) continue;
            length >>= shift;
            bits += shift;
        }
        return bits < tally_bins ? bits : tally_bins - 1;
    }
    GPU_FUNCTION void flush(shared<int> bins) {
        if (in_bin > 0) atomic_add(bins + bin, in_bin);
        in_bin = 0;
    }
    GPU_FUNCTION void add(int64_t length, shared<int> bins) {
        if (length < min_row) min_row = length;
        if (length > max_row) max_row = length;
        squares += static_cast<tulle__uint128>(length) * static_cast<tulle__uint128>(length);
        int its_bin = bin_of(static_cast<uint64_t>(length));
        if (its_bin != bin) flush(bins);
        bin = its_bin;
        in_bin++;
    }
    GPU_FUNCTION int64_t limb(int i) const {
        return static_cast<int64_t>(static_cast<uint64_t>(squares >> 32 * i) & UINT32_MAX);
    }
};

/* Adds the threads' numbers to a total that starts at the given value. */
GPU_FUNCTION void tally_least(int64_t *into, int64_t v, shared<int64_t> room) {
    v = block_reduce<least>(v, room);
    if (thread() == 0 && v != tally_none) atomic_min(into, v);
}
GPU_FUNCTION void tally_most(int64_t *into, int64_t v, shared<int64_t> room) {
    v = block_reduce<most>(v, room);
    if (thread() == 0 && v != 0) atomic_max(into, v);
}
GPU_FUNCTION void tally_total(int64_t *into, int64_t v, shared<int64_t> room) {
    v = block_reduce<total>(v, room);
    if (thread() == 0 && v != 0) atomic_add(into, v);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
