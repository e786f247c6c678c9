/* SPDX-License-Identifier: Apache-2.0 */
/* Values of factors, L U, by one block of threads, level after level. A team of lanes has a block
 * row, and a lane the same row of each of its blocks: it alone reads and writes these numbers, but
 * for the diagonal block, which a team factorises together. Blocks are up to most x most, most a
 * power of two. */
#ifndef TULLE_BATCH_FACTOR_ROWS_CUH
#define TULLE_BATCH_FACTOR_ROWS_CUH

#include <math.h>

#include "batch/task.h"
#include "factor/gpu/row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Whether the numbers of A' are A's as they stand. */
template <class V>
GPU_FUNCTION bool factor_is_straight(const tulle__factor_task &f) {
    const tulle__factor_from &from = f.from;
    const tulle_type type = sizeof(V) == sizeof(float) ? TULLE_F32 : TULLE_F64;
    return from.type == type && !from.mask && !from.source && !from.row_scale && !from.col_scale &&
           from.shift == 0 && f.n % f.block == 0;
}

/* No pivot has been seen; all threads of the block call it. */
GPU_FUNCTION void forget_pivots(const tulle__task_factor &t) {
    if (thread() == 0) {
        *t.whole.seen = {TULLE__NONE_SEEN, TULLE__NONE_SEEN, TULLE__NONE_SEEN, TULLE__NONE_SEEN};
        fence();
    }
    sync();
}

template <class V, int most>
class factor_lane {
  public:
    GPU_FUNCTION explicit factor_lane(const tulle__task_factor &t)
        : f_(t.whole),
          s_(t.schedule),
          size_(tulle_offset_size(t.whole.index)),
          col_size_(tulle_index_size(t.whole.index)),
          b_(most == 1 ? 1 : t.whole.block),
          values_(static_cast<V *>(t.whole.values)),
          straight_(factor_is_straight<V>(t.whole)) {
        while (team_ < b_) team_ *= 2;
        r_ = static_cast<int>(thread()) % team_;
        first_ = static_cast<int>(lane()) - r_;
    }

    /* Rows at these places, none of which waits for another of them. All threads call it. */
    GPU_FUNCTION void take(int64_t begin, int64_t end) {
        const int64_t teams = block_size() / team_;
        for (int64_t p = begin; p < end; p += teams) {
            place_ = p + thread() / team_;
            works_ = place_ < end && r_ < b_;
            row_ = 0;
            double largest = 0;
            GPU_UNROLL
            for (int c = 0; c < most; c++) diagonal_[c] = 0;
            if (works_) {
                row_ = at(s_.order, place_);
                slot_ = at(s_.diagonal, place_);
                largest = load_row();
                eliminate();
            }
            for (int step = team_ / 2; step > 0; step /= 2) {
                const double other = shuffle_xor(full_warp, largest, step);
                largest = other > largest ? other : largest;
            }
            factorise(largest);
            f_.inverted ? store_inverse() : store_factors();
        }
    }

  private:
    const tulle__factor_task &f_;
    const tulle__schedule &s_;
    int64_t size_, col_size_;
    int b_;
    V *values_;
    bool straight_;                    /* number e of A' is number e of A */
    int team_ = 1, r_ = 0, first_ = 0; /* lanes of a team, the lane's row, the team's first lane */
    bool works_ = false;
    int64_t place_ = 0, row_ = 0, slot_ = 0; /* of the block row; its diagonal block */
    V diagonal_[most];                       /* a row of it */
    int pivot_ = 0;                          /* which row of it that was */

    GPU_FUNCTION int64_t at(const void *array, int64_t i) const {
        return tulle__get(array, size_, i);
    }
    GPU_FUNCTION int64_t column(int64_t e) const { return tulle__get(f_.cols_of, col_size_, e); }
    /* The lane's row of block e. */
    GPU_FUNCTION V *own(int64_t e) const { return values_ + (e * b_ + r_) * b_; }

    /* A' in place; the size of the lane's largest number. */
    GPU_FUNCTION double load_row() {
        double largest = 0;
        const int64_t end = at(f_.offsets, row_ + 1);
        for (int64_t e = at(f_.offsets, row_); e < end; e++) {
            V row[most];
            if (straight_) {
                load_straight(e, row, largest);
            } else {
                load_any(e, row, largest);
            }
            if (e != slot_) {
                store_own(row, own(e));
                continue;
            }
            GPU_UNROLL
            for (int c = 0; c < most; c++) diagonal_[c] = row[c];
        }
        return largest;
    }
    GPU_FUNCTION void load_straight(int64_t e, V (&row)[most], double &largest) const {
        load_own(row, static_cast<const V *>(f_.from.values) + (e * b_ + r_) * b_);
        GPU_UNROLL
        for (int c = 0; c < most; c++) {
            const double size =
                row[c] < 0 ? -static_cast<double>(row[c]) : static_cast<double>(row[c]);
            largest = size > largest ? size : largest;
        }
    }
    GPU_FUNCTION void load_any(int64_t e, V (&row)[most], double &largest) const {
        const int64_t j = column(e);
        GPU_UNROLL
        for (int c = 0; c < most; c++) row[c] = 0;
        GPU_KEEP_LOOP
        for (int c = 0; c < b_; c++) {
            const double number = factor_number_of(f_.from, f_.n, b_, e, row_, j, r_ * b_ + c);
            const double size = number < 0 ? -number : number;
            largest = size > largest ? size : largest;
            put(row, c, static_cast<V>(number));
        }
    }

    /* Number m of a row, m not known to the compiler; and v as number m. */
    GPU_FUNCTION static V pick(const V (&row)[most], int m) {
        V v = row[0];
        GPU_UNROLL
        for (int c = 1; c < most; c++) v = c == m ? row[c] : v;
        return v;
    }
    GPU_FUNCTION static void put(V (&row)[most], int m, V v) {
        GPU_UNROLL
        for (int c = 0; c < most; c++) row[c] = c == m ? v : row[c];
    }
    GPU_FUNCTION void load_own(V (&row)[most], const V *from) const {
        GPU_UNROLL
        for (int c = 0; c < most; c++) row[c] = c < b_ ? from[c] : V(0);
    }
    GPU_FUNCTION void store_own(const V (&row)[most], V *to) const {
        GPU_UNROLL
        for (int c = 0; c < most; c++) {
            if (c < b_) to[c] = row[c];
        }
    }

    /* sum := sum - left B, left in memory. */
    GPU_FUNCTION void subtract_product(const V *left, const V *B, V (&sum)[most]) const {
        GPU_KEEP_LOOP
        for (int m = 0; m < b_; m++) {
            const V factor = -left[m];
            GPU_UNROLL
            for (int c = 0; c < most; c++) {
                if (c < b_) sum[c] = fma(factor, B[m * b_ + c], sum[c]);
            }
        }
    }

    GPU_FUNCTION void eliminate() {
        const int64_t last = at(s_.begins, place_ + 1);
        for (int64_t s = at(s_.begins, place_); s < last; s++) {
            const int64_t before = at(s_.places, s), e = at(s_.slots, s);
            const int64_t k = at(s_.order, before), pivot = at(s_.diagonal, before);
            divide(own(e), values_ + pivot * b_ * b_, k);
            subtract(e, k, pivot);
        }
    }

    /* The row of A_ik becomes that of A_ik U_kk^-1. */
    GPU_FUNCTION void divide(V *to, const V *D, int64_t k) const {
        V row[most];
        if (most == 1) {
            to[0] = to[0] / D[0];
        } else if (f_.inverted) {
            GPU_UNROLL
            for (int c = 0; c < most; c++) row[c] = 0;
            subtract_product(to, D, row);
            GPU_UNROLL
            for (int c = 0; c < most; c++) row[c] = -row[c];
            store_own(row, to);
        } else {
            const uint8_t *pivots = f_.pivots + k * b_;
            load_own(row, to);
            solve(row, D);
            GPU_UNROLL
            for (int c = 0; c < most; c++) {
                if (c < b_) to[pivots[c]] = row[c];
            }
        }
    }
    /* y D = a, P D = L U, y = z P: w U = a, z L = w. */
    GPU_FUNCTION void solve(V (&row)[most], const V *D) const {
        GPU_KEEP_LOOP
        for (int m = 0; m < b_; m++) {
            const V w = pick(row, m) / D[m * b_ + m];
            GPU_UNROLL
            for (int c = 1; c < most; c++) {
                if (c > m && c < b_) row[c] = fma(-w, D[m * b_ + c], row[c]);
            }
            put(row, m, w);
        }
        GPU_KEEP_LOOP
        for (int m = b_ - 1; m > 0; m--) {
            const V z = pick(row, m);
            GPU_UNROLL
            for (int c = 0; c < most - 1; c++) {
                if (c < m) row[c] = fma(-z, D[m * b_ + c], row[c]);
            }
        }
    }

    /* A_ij := A_ij - L_ik U_kj where the pattern has (i, j); else it counts as modified ILU says.
     */
    GPU_FUNCTION void subtract(int64_t e, int64_t k, int64_t pivot) {
        const int64_t end_k = at(f_.offsets, k + 1), end = at(f_.offsets, row_ + 1);
        int64_t to = e + 1;
        for (int64_t u = pivot + 1; u < end_k; u++) {
            const int64_t j = column(u);
            while (to < end && column(to) < j) to++;
            const bool there = to < end && column(to) == j, diagonal = there && to == slot_;
            if (!there && f_.modified == 0) continue;
            V sum[most];
            GPU_UNROLL
            for (int c = 0; c < most; c++) {
                sum[c] = diagonal ? diagonal_[c] : there && c < b_ ? own(to)[c] : V(0);
            }
            subtract_product(own(e), values_ + u * b_ * b_, sum);
            if (there && !diagonal) store_own(sum, own(to));
            const V share = there ? V(0) : static_cast<V>(f_.modified);
            GPU_UNROLL
            for (int c = 0; c < most; c++) {
                diagonal_[c] = diagonal ? sum[c]
                               : there  ? diagonal_[c]
                                        : diagonal_[c] + share * sum[c];
            }
        }
    }

    /* D := L and U of P D; all lanes of a warp call this. */
    GPU_FUNCTION void factorise(double largest) {
        pivot_ = r_;
        GPU_KEEP_LOOP
        for (int k = 0; k < b_; k++) {
            exchange(k);
            if (works_ && r_ == k) judge(k, largest);
            const V pivot = shuffle(full_warp, pick(diagonal_, k), first_ + k);
            const bool below = r_ > k && r_ < b_;
            const V left = below ? pick(diagonal_, k) / pivot : V(0);
            if (below) put(diagonal_, k, left);
            GPU_UNROLL
            for (int c = 1; c < most; c++) {
                const V above = shuffle(full_warp, diagonal_[c], first_ + k);
                if (below && c > k && c < b_) diagonal_[c] = fma(-left, above, diagonal_[c]);
            }
        }
    }
    /* The first of the largest numbers of column k from row k on comes to the diagonal. */
    GPU_FUNCTION void exchange(int k) {
        const double number = static_cast<double>(pick(diagonal_, k));
        const double size = number < 0 ? -number : number;
        double largest = shuffle(full_warp, size, first_ + k);
        int best = k;
        for (int r = k + 1; r < b_; r++) {
            const double other = shuffle(full_warp, size, first_ + r);
            if (other > largest) {
                largest = other;
                best = r;
            }
        }
        const int from = first_ + (r_ == k ? best : r_ == best ? k : r_);
        pivot_ = shuffle(full_warp, pivot_, from);
        GPU_UNROLL
        for (int c = 0; c < most; c++) diagonal_[c] = shuffle(full_warp, diagonal_[c], from);
    }
    GPU_FUNCTION void judge(int k, double largest) {
        const tulle__judged judged = tulle__weigh_pivot(static_cast<double>(pick(diagonal_, k)),
                                                        f_.tiny, largest, f_.boost, false);
        put(diagonal_, k, static_cast<V>(factor_noted(judged, row_ * b_ + k, f_.seen)));
    }

    GPU_FUNCTION void store_factors() const {
        if (!works_) return;
        store_own(diagonal_, own(slot_));
        if (f_.pivots) f_.pivots[row_ * b_ + r_] = static_cast<uint8_t>(pivot_);
    }

    /* A lane has a column of D^-1: L U x = P e. All lanes of a warp call this. */
    GPU_FUNCTION void store_inverse() const {
        V x[most];
        GPU_UNROLL
        for (int c = 0; c < most; c++) x[c] = 0;
        GPU_KEEP_LOOP
        for (int r = 0; r < b_; r++) {
            const V start = shuffle(full_warp, pivot_, first_ + r) == r_ ? V(1) : V(0);
            put(x, r, less_known(r, 0, r, x, start));
        }
        GPU_KEEP_LOOP
        for (int r = b_ - 1; r >= 0; r--) {
            const V sum = less_known(r, r + 1, b_, x, pick(x, r));
            const V number = sum / shuffle(full_warp, pick(diagonal_, r), first_ + r);
            put(x, r, number);
            if (works_) values_[(slot_ * b_ + r) * b_ + r_] = number;
        }
    }
    /* sum, less the numbers from `begin` to `end` of row r of the block times those of x. */
    GPU_FUNCTION V less_known(int r, int begin, int end, const V (&x)[most], V sum) const {
        GPU_UNROLL
        for (int m = 0; m < most; m++) {
            const V number = shuffle(full_warp, diagonal_[m], first_ + r);
            if (m >= begin && m < end) sum = fma(-number, x[m], sum);
        }
        return sum;
    }
};

/* What a task on factors has to tell; all that it depends on is done. */
GPU_FUNCTION void tell(const tulle__batch_job &job, const tulle__task &t,
                       const tulle__pivots_seen *seen, const int64_t *order) {
    const bool bad = load_relaxed(&seen->bad) != TULLE__NONE_SEEN;
    const int64_t row = load_relaxed(&seen->bad_first);
    job.reports[t.number] = {bad ? TULLE_ZERO_PIVOT : TULLE_OK,
                             bad ? (order ? order[row] : row) : -1};
}

template <class V, int most>
GPU_FUNCTION void factor_by_levels(const tulle__batch_job &job, const tulle__task &t) {
    const tulle__task_factor &f = t.factor;
    forget_pivots(f);
    factor_lane<V, most> lane(f);
    for (int64_t l = 0; l < f.schedule.levels; l++) {
        lane.take(f.schedule.level_begins[l], f.schedule.level_begins[l + 1]);
        sync();
    }
    if (thread() == 0) tell(job, t, f.whole.seen, f.order);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
