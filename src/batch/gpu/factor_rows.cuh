/* SPDX-License-Identifier: Apache-2.0 */
/* Values of factors, L U, by one block of threads, level after level: a team of lanes has a block
 * row, or, where levels are thin, a warp has one (thin_rows.cuh). */
#ifndef TULLE_BATCH_GPU_FACTOR_ROWS_CUH
#define TULLE_BATCH_GPU_FACTOR_ROWS_CUH

#include "batch/gpu/factor_lane.cuh"
#include "batch/gpu/telling.cuh"
#include "batch/gpu/thin_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A team's block row. What becomes of its diagonal block is in registers until it is factorised. */
template <class V, int most>
class team_row {
  public:
    GPU_FUNCTION explicit team_row(const factor_lane<V, most> &lane) : lane_(lane) {}

    /* Rows at these places, none of which waits for another of them. All threads call it. */
    GPU_FUNCTION void take(int64_t begin, int64_t end) {
        const int64_t teams = block_size() / lane_.team;
        for (int64_t p = begin; p < end; p += teams) {
            place_ = p + thread() / lane_.team;
            const bool works = place_ < end && lane_.r < lane_.b;
            row_ = 0;
            double largest = 0;
            GPU_UNROLL
            for (int c = 0; c < most; c++) diagonal_[c] = 0;
            if (works) {
                row_ = lane_.at(lane_.s.order, place_);
                slot_ = lane_.at(lane_.s.diagonal, place_);
                largest = load_row();
                eliminate();
            }
            lane_.finish(diagonal_, row_, slot_, largest, works);
        }
    }

  private:
    const factor_lane<V, most> &lane_;
    int64_t place_ = 0, row_ = 0, slot_ = 0; /* position, row, diagonal block */
    V diagonal_[most];                       /* the lane's row of the diagonal block */

    /* A' in place; the size of the lane's largest number. */
    GPU_FUNCTION double load_row() {
        double largest = 0;
        const int64_t end = lane_.row_begin(row_ + 1);
        for (int64_t e = lane_.row_begin(row_); e < end; e++) {
            V row[most];
            lane_.load_row(e, row_, row, largest);
            if (e != slot_) {
                lane_.template put<false>(row, lane_.own(e));
                continue;
            }
            GPU_UNROLL
            for (int c = 0; c < most; c++) diagonal_[c] = row[c];
        }
        return largest;
    }

    GPU_FUNCTION void eliminate() {
        const tulle__schedule &s = lane_.s;
        const int64_t last = lane_.at(s.begins, place_ + 1);
        for (int64_t step = lane_.at(s.begins, place_); step < last; step++) {
            const int64_t before = lane_.at(s.places, step), e = lane_.at(s.slots, step);
            const int64_t k = lane_.at(s.order, before), pivot = lane_.at(s.diagonal, before);
            lane_.template divide<false>(lane_.own(e), lane_.block_at(pivot), k);
            subtract(e, k, pivot);
        }
    }

    /* A_ij := A_ij - L_ik U_kj where the pattern has (i, j); else it counts as modified ILU says.
     */
    GPU_FUNCTION void subtract(int64_t e, int64_t k, int64_t pivot) {
        const double modified = lane_.f.modified;
        const int64_t end_k = lane_.row_begin(k + 1);
        const int64_t end = lane_.row_begin(row_ + 1);
        const V *from = lane_.own(e);
        V left[factor_lane<V, most>::kept];
        lane_.keep(from, left);
        int64_t to = e + 1;
        for (int64_t u = pivot + 1; u < end_k; u++) {
            const int64_t j = lane_.column(u);
            while (to < end && lane_.column(to) < j) to++;
            const bool there = to < end && lane_.column(to) == j, diagonal = there && to == slot_;
            if (!there && modified == 0) continue;
            V sum[most];
            GPU_UNROLL
            for (int c = 0; c < most; c++) {
                sum[c] = diagonal ? diagonal_[c] : there && c < lane_.b ? lane_.own(to)[c] : V(0);
            }
            lane_.template subtract<false>(from, left, lane_.block_at(u), sum);
            if (there && !diagonal) lane_.template put<false>(sum, lane_.own(to));
            const V share = there ? V(0) : static_cast<V>(modified);
            GPU_UNROLL
            for (int c = 0; c < most; c++) {
                diagonal_[c] = diagonal ? sum[c]
                               : there  ? diagonal_[c]
                                        : diagonal_[c] + share * sum[c];
            }
        }
    }
};

template <class V, int most>
GPU_FUNCTION void factor_by_levels(const tulle__batch_job &job, const tulle__task &t) {
    const tulle__task_factor &f = t.factor;
    const int64_t *begins = f.schedule.level_begins;
    forget_pivots(f);
    const factor_lane<V, most> lane(f);
    team_row<V, most> rows(lane);
    thin_rows<V, most> thin(lane);
    for (int64_t l = 0; l < f.schedule.levels;) {
        const int64_t end = thin.end(l);
        if (end > l) {
            thin.take(l, end);
            l = end;
            continue;
        }
        rows.take(begins[l], begins[l + 1]);
        sync();
        l++;
    }
    if (thread() == 0) tell(job, t, f.whole.seen, f.order);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
