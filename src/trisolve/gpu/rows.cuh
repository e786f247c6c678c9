/* SPDX-License-Identifier: Apache-2.0 */
/* Rows for which all numbers of X are known: the distribution among warps, and the work of a lane.
 * Sums are in the order of trisolve_poll, so that both give the same bits. */
#ifndef TULLE_TRISOLVE_GPU_ROWS_CUH
#define TULLE_TRISOLVE_GPU_ROWS_CUH

#include "gpu/loop.cuh"
#include "trisolve/gpu/diagonal.cuh"
#include "trisolve/row_shape.h"

namespace TULLE_GPU_NAMESPACE {

constexpr int row_flight = TULLE__ROW_FLIGHT;

/* Returns the number of turns of a warp for so many places, per strip. */
GPU_FUNCTION int64_t turns_of_strip(const tulle__row_shape &shape, int64_t places) {
    return (places + shape.groups - 1) / shape.groups;
}

/* Places `first` to `end` - 1, which do not wait for each other. */
struct place_range {
    int64_t first, end;
};

/* known: numbers of X; number r of place p, column c is at (p * b + r) * vectors + c, with zeros
 * where the last block has padding. */
template <class S, class V, class I, int most>
class lane_row {
  public:
    GPU_FUNCTION lane_row(const triangular<S, V, I> &a, const tulle__row_shape &shape)
        : b_(most == 1 ? 1 : a.size), coop_(shape.coop), alpha_(a.alpha.value()) {
        const int me = static_cast<int>(lane()), size = coop_ * b_ * shape.across;
        const int rest = me / shape.across;
        column_ = me % shape.across;
        first_ = rest / b_ % coop_;
        group_ = me / size;
        seated_ = group_ < shape.groups;
        lane_ = {b_, rest % b_, seated_ ? group_ * size + column_ : 0, shape.across};
    }

    /* Loads the data of a warp's turn that do not depend on X. All lanes must call this function
     * and the following ones. */
    GPU_FUNCTION void fetch(const triangular<S, V, I> &a, const tulle__row_shape &shape,
                            place_range range, int64_t turn) {
        const int64_t turns = turns_of_strip(shape, range.end - range.first);
        const int64_t strip = turn / turns;
        place_ = range.first + (turn - strip * turns) * shape.groups + group_;
        c_ = strip * shape.across + column_;
        const bool works = seated_ && strip < shape.strips && place_ < range.end && c_ < a.vectors;
        at_ = works ? load(a.begins + place_) + static_cast<I>(first_) : 0;
        end_ = works ? load(a.begins + place_ + 1) : 0;
        leads_ = works && first_ == 0;
        row_ = leads_ ? static_cast<int64_t>(load(a.order + place_)) * b_ + lane_.r : 0;
        real_ = leads_ && row_ < a.n;
        start_ = real_ ? alpha_ * a.from[row_ * a.from_row + c_ * a.from_col] : V(0);
        diagonal_ = {};
        if (leads_) {
            diagonal_.fetch(a, lane_, row_ / b_, load(a.diagonals + place_), a.n - row_ + lane_.r);
        }
        if constexpr (most == 1) fetch_entries(a);
    }

    GPU_FUNCTION void solve(const triangular<S, V, I> &a, V *known) {
        V sum = most == 1 ? sum_entries(a, known) : sum_blocks(a, known);
        for (int half = coop_ / 2; half > 0; half /= 2) {
            sum += shuffle_down(full_warp, sum, static_cast<unsigned>(half * b_ * lane_.apart));
        }
        const V x = diagonal_.solve(a, lane_, start_ - sum);
        if (leads_) known[(place_ * b_ + lane_.r) * a.vectors + c_] = real_ ? x : V(0);
        if (real_) a.x[row_ * a.x_row + c_ * a.x_col] = x;
    }

  private:
    int b_, coop_;
    V alpha_;
    int column_, first_, group_;
    bool seated_, leads_ = false, real_ = false;
    block_lane lane_;
    I at_ = 0, end_ = 0;
    int64_t place_ = 0, row_ = 0, c_ = 0;
    V start_ = 0;
    diagonal_row<V, most> diagonal_ = {};
    I from_[row_flight] = {}; /* places of the entries */
    V value_[row_flight] = {};

    GPU_FUNCTION bool has(int f) const { return at_ + static_cast<I>(f * coop_) < end_; }
    GPU_FUNCTION void fetch_entries(const triangular<S, V, I> &a) {
        I slot[row_flight];
        GPU_UNROLL
        for (int f = 0; f < row_flight; f++) {
            from_[f] = has(f) ? load_once(a.places + at_ + f * coop_) : I(0);
            slot[f] = has(f) ? load_once(a.slots + at_ + f * coop_) : I(0);
        }
        GPU_UNROLL
        for (int f = 0; f < row_flight; f++) value_[f] = has(f) ? a.value(slot[f], 1, 0) : V(0);
    }
    GPU_FUNCTION V sum_entries(const triangular<S, V, I> &a, const V *known) {
        V sum = 0;
        while (at_ < end_) {
            V x[row_flight];
            GPU_UNROLL
            for (int f = 0; f < row_flight; f++) {
                x[f] = has(f) ? known[from_[f] * a.vectors + c_] : V(0);
            }
            GPU_UNROLL
            for (int f = 0; f < row_flight; f++) {
                if (has(f)) sum += value_[f] * x[f];
            }
            at_ += static_cast<I>(row_flight * coop_);
            fetch_entries(a);
        }
        return sum;
    }
    GPU_FUNCTION V sum_blocks(const triangular<S, V, I> &a, const V *known) const {
        V sum = 0;
        for (I e = at_; e < end_; e += static_cast<I>(coop_)) {
            const int64_t slot = load_once(a.slots + e), place = load_once(a.places + e);
            for (int c = 0; c < b_; c++) {
                const int cell = a.cell(b_, lane_.r, c);
                if (!a.is_entry(slot, cell)) continue;
                sum += a.value(slot, b_, cell) * known[(place * b_ + c) * a.vectors + c_];
            }
        }
        return sum;
    }
};

/* Solves levels one after the other with one block, with a barrier between two levels: the first
 * level begins at place `first`, and level l has width(l) places. While a warp ends one level, it
 * has loaded the data of the next. */
template <class S, class V, class I, int most, class Width>
GPU_FUNCTION void solve_in_block(const triangular<S, V, I> &a, const tulle__row_shape &shape,
                                 int64_t first, int64_t levels, Width width, V *known) {
    const int64_t warp = thread() / warp_lanes, warps = block_size() / warp_lanes;
    lane_row<S, V, I, most> row(a, shape);
    int64_t end = first + width(0);
    row.fetch(a, shape, {first, end}, warp);
    for (int64_t l = 0; l < levels; l++) {
        const int64_t all = turns_of_strip(shape, end - first) * shape.strips;
        for (int64_t turn = warp; turn < all; turn += warps) {
            if (turn > warp) row.fetch(a, shape, {first, end}, turn);
            row.solve(a, known);
        }
        if (l + 1 == levels) break;
        first = end;
        end += width(l + 1);
        row.fetch(a, shape, {first, end}, warp);
        sync();
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
