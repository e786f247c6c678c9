/* SPDX-License-Identifier: Apache-2.0 */
/* Values of L U in thin levels, those with too few rows for all teams of lanes, as the last ones of
 * complete factors are, with a row each. A warp has a block row: one of its teams divides,
 *
 *     L_ik := A_ik U_kk^-1,  and all subtract:  A_ij := A_ij - L_ik U_kj,  each for other j.
 *
 * Warps have as many rows as there are warps at a time, whatever levels these are of: each goes as
 * far as the rows in front of all of them let it, side by side with the others; then they end,
 * level by level. A number is the same sum as by a team: each entry is one lane's, and k rises. */
#ifndef TULLE_BATCH_GPU_THIN_ROWS_CUH
#define TULLE_BATCH_GPU_THIN_ROWS_CUH

#include "batch/gpu/factor_lane.cuh"
#include "core/search.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, int most>
class thin_rows {
  public:
    GPU_FUNCTION explicit thin_rows(const factor_lane<V, most> &lane)
        : lane_(lane),
          begins_(lane.s.level_begins),
          team_(static_cast<int>(gpu::lane()) / lane.team),
          teams_(warp_lanes / lane.team),
          warps_(block_size() / warp_lanes) {}

    /* Returns the end of the thin levels that follow each other from this one on, which itself need
     * not be thin. */
    GPU_FUNCTION int64_t end(int64_t level) const {
        while (level < lane_.s.levels && is_thin(level)) level++;
        return level;
    }

    /* Rows of levels. All threads of the block call it. */
    GPU_FUNCTION void take(int64_t level, int64_t end_level) {
        const int64_t end = begins_[end_level];
        for (int64_t p = begins_[level]; p < end; p += warps_) {
            const int64_t stop = p + warps_ < end ? p + warps_ : end;
            begin(p + thread() / warp_lanes, stop);
            eliminate(p);
            for (int64_t done = p; done < stop;) {
                const int64_t next = begins_[level + 1] < stop ? begins_[level + 1] : stop;
                if (place_ >= done && place_ < next) finish();
                sync();
                done = next;
                if (done == begins_[level + 1]) level++;
                eliminate(done);
            }
        }
    }

  private:
    static constexpr int kept = factor_lane<V, most>::kept;
    static constexpr int together = most <= 4 ? 2 : 1; /* blocks that a team has on their way */

    /* A step of elimination: row k, which stands at place `before`, the block (i, k), and where row
     * k has its diagonal block and ends. */
    struct step {
        int64_t before, e, k, pivot, end_k;
    };

    const factor_lane<V, most> &lane_;
    const int64_t *begins_; /* first position of each level */
    int team_, teams_;      /* team of the lane, and number of teams, in its warp */
    int64_t warps_;

    int64_t place_ = -1, end_ = 0; /* the row's position; the end of the row */
    int64_t step_ = 0, last_ = 0;  /* next and last step of elimination */
    double largest_ = 0;           /* largest number that the warp has met */
    step ahead_ = {};              /* step that the lane has looked at; lane taken_ has step_ */
    int taken_ = 0;

    /* The time of a level by teams and by warps: how many rows one has in turn, times the time of a
     * step, in products of blocks. A division takes as long as some of these. Who adds to the
     * diagonal in another order, for modified ILU, would have other sums. */
    GPU_FUNCTION bool is_thin(int64_t level) const {
        constexpr int64_t division = 4;
        if (lane_.f.modified != 0) return false;
        const int64_t rows = begins_[level + 1] - begins_[level];
        const int64_t row = lane_.at(lane_.s.order, begins_[level]);
        const int64_t length = (lane_.row_begin(row + 1) - lane_.row_begin(row)) / 2;
        const int64_t by_teams = up(rows, warps_ * teams_) * (division + length);
        return up(rows, warps_) * (division + up(length, teams_)) < by_teams;
    }
    GPU_FUNCTION static int64_t up(int64_t count, int64_t parts) {
        return (count + parts - 1) / parts;
    }

    /* The warp's next row, if there is one before `stop`: A' in place. */
    GPU_FUNCTION void begin(int64_t place, int64_t stop) {
        place_ = place < stop ? place : -1;
        step_ = last_ = 0;
        largest_ = 0;
        if (place_ < 0) return;
        const int64_t row_number = lane_.at(lane_.s.order, place_);
        step_ = lane_.at(lane_.s.begins, place_);
        last_ = lane_.at(lane_.s.begins, place_ + 1);
        end_ = lane_.row_begin(row_number + 1);
        look_ahead();
        const int64_t first = lane_.r < lane_.b ? lane_.row_begin(row_number) + team_ : end_;
        for (int64_t e = first; e < end_; e += teams_) {
            V row[most];
            lane_.load_row(e, row_number, row, largest_);
            lane_.template put<false>(row, lane_.own(e));
        }
        for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
            const double other = shuffle_xor(full_warp, largest_, lanes);
            largest_ = other > largest_ ? other : largest_;
        }
        sync_warp(full_warp);
    }

    /* Lanes look at steps from step_ on, one each. */
    GPU_FUNCTION void look_ahead() {
        const tulle__schedule &s = lane_.s;
        const int64_t at = step_ + gpu::lane();
        taken_ = 0;
        if (at >= last_) return;
        ahead_.before = lane_.at(s.places, at);
        ahead_.e = lane_.at(s.slots, at);
        ahead_.k = lane_.at(s.order, ahead_.before);
        ahead_.pivot = lane_.at(s.diagonal, ahead_.before);
        ahead_.end_k = lane_.row_begin(ahead_.k + 1);
    }
    GPU_FUNCTION int64_t of_step(int64_t of_lane) const {
        return shuffle(full_warp, of_lane, taken_);
    }

    /* Steps with rows before place `done`, up to the first that needs another. */
    GPU_FUNCTION void eliminate(int64_t done) {
        lane_.is_full() ? eliminate<true>(done) : eliminate<false>(done);
    }
    template <bool full>
    GPU_FUNCTION void eliminate(int64_t done) {
        const bool has_row = lane_.r < lane_.b;
        for (; step_ < last_; step_++, taken_++) {
            if (taken_ == warp_lanes) look_ahead();
            if (of_step(ahead_.before) >= done) return;
            const int64_t e = of_step(ahead_.e), k = of_step(ahead_.k);
            const int64_t pivot = of_step(ahead_.pivot), end_k = of_step(ahead_.end_k);
            if (team_ == 0 && has_row) {
                lane_.template divide<full>(lane_.own(e), lane_.block_at(pivot), k);
            }
            sync_warp(full_warp);
            if (has_row) subtract<full>(e, pivot, end_k);
            sync_warp(full_warp);
        }
    }

    /* The team's part of A_ij := A_ij - L_ik U_kj, e being (i, k). Several blocks are on their way
     * at a time; what is not in the pattern is computed in vain. */
    template <bool full>
    GPU_FUNCTION void subtract(int64_t e, int64_t pivot, int64_t end_k) const {
        const V *from = lane_.own(e);
        V left[kept];
        lane_.keep(from, left);
        int64_t to = e + 1, guess = e + 1 + team_;
        for (int64_t u = pivot + 1 + team_; u < end_k; u += int64_t{teams_} * together) {
            int64_t target[together], of_u[together];
            find(u, end_k, to, guess, target);
            V sum[together][most];
            GPU_UNROLL
            for (int t = 0; t < together; t++) {
                of_u[t] = u + int64_t{t} * teams_ < end_k ? u + int64_t{t} * teams_ : u;
                lane_.template get<full>(lane_.own(target[t] < 0 ? e : target[t]), sum[t]);
            }
            GPU_UNROLL
            for (int t = 0; t < together; t++) {
                lane_.template subtract<full>(from, left, lane_.block_at(of_u[t]), sum[t]);
            }
            GPU_UNROLL
            for (int t = 0; t < together; t++) {
                if (target[t] >= 0) lane_.template put<full>(sum[t], lane_.own(target[t]));
            }
        }
    }

    /* Finds the positions in the row of the columns of blocks u, u + teams, ... of row k, or -1.
     * They are looked for behind `to`. Where the row has all columns that row k has from one block
     * to the next, as it often has near its end, the next one is at `guess`. */
    GPU_FUNCTION void find(int64_t u, int64_t end_k, int64_t &to, int64_t &guess,
                           int64_t (&target)[together]) const {
        int64_t column[together], there[together];
        GPU_UNROLL
        for (int t = 0; t < together; t++) {
            const int64_t at = guess + int64_t{t} * teams_;
            column[t] =
                u + int64_t{t} * teams_ < end_k ? lane_.column(u + int64_t{t} * teams_) : -1;
            there[t] = at < end_ ? lane_.column(at) : -1;
        }
        GPU_UNROLL
        for (int t = 0; t < together; t++) {
            target[t] = -1;
            if (column[t] < 0) continue;
            const bool hit = column[t] == there[t];
            to = hit ? guess + int64_t{t} * teams_ : first_from(to, column[t]);
            if (hit || (to < end_ && lane_.column(to) == column[t])) target[t] = to;
        }
        guess = to + teams_;
    }
    /* The first block of the row from `begin` on whose column is not below j, or the row's end. */
    GPU_FUNCTION int64_t first_from(int64_t begin, int64_t j) const {
        int64_t low = begin;
        TULLE__LOWER_BOUND(low, end_, at, lane_.column(at) < j);
        return low;
    }

    /* The diagonal block, which the first team stores where all its lanes have read. */
    GPU_FUNCTION void finish() const {
        const bool stores = team_ == 0 && lane_.r < lane_.b;
        const int64_t slot = lane_.at(lane_.s.diagonal, place_);
        V D[most];
        GPU_UNROLL
        for (int c = 0; c < most; c++) D[c] = 0;
        if (stores) lane_.template get<false>(lane_.own(slot), D);
        sync_warp(full_warp);
        lane_.finish(D, lane_.at(lane_.s.order, place_), slot, largest_, stores);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
