/* SPDX-License-Identifier: Apache-2.0 */
/* The work of a lane on values of L U. A team of lanes has a block row, or some blocks of one, and
 * a lane the same row of each: it alone reads and writes these numbers, but for the diagonal block,
 * which a team factorises together. Blocks are up to most x most, most a power of two. */
#ifndef TULLE_BATCH_GPU_FACTOR_LANE_CUH
#define TULLE_BATCH_GPU_FACTOR_LANE_CUH

#include <math.h>

#include "batch/task.h"
#include "factor/gpu/row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The numbers of A' are A's as they stand. */
template <class V>
GPU_FUNCTION bool factor_is_straight(const tulle__factor_task &f) {
    const tulle__factor_from &from = f.from;
    const tulle_type type = sizeof(V) == sizeof(float) ? TULLE_F32 : TULLE_F64;
    return from.type == type && !from.mask && !from.source && !from.row_scale && !from.col_scale &&
           from.shift == 0 && f.n % f.block == 0;
}

template <class V, int most>
class factor_lane {
  public:
    /* A row that is multiplied by several blocks: in registers, but where that takes too many. */
    static constexpr int kept = most <= 8 ? most : 1;

    GPU_FUNCTION explicit factor_lane(const tulle__task_factor &t)
        : f(t.whole),
          s(t.schedule),
          b(most == 1 ? 1 : t.whole.block),
          offsets_(t.whole.offsets),
          cols_(t.whole.cols_of),
          wide_offsets_(t.whole.index != TULLE_I32),
          wide_cols_(t.whole.index == TULLE_I64),
          values_(static_cast<V *>(t.whole.values)),
          straight_(factor_is_straight<V>(t.whole)) {
        while (team < b) team *= 2;
        r = static_cast<int>(thread()) % team;
        first_ = static_cast<int>(lane()) - r;
    }

    const tulle__factor_task &f;
    const tulle__schedule &s;
    int b, team = 1, r = 0; /* the first b lanes of a team have a row each: r */

    /* Returns number i of an array of the schedule, or of offsets. */
    GPU_FUNCTION int64_t at(const void *array, int64_t i) const {
        return number_at(array, wide_offsets_, i);
    }
    GPU_FUNCTION int64_t row_begin(int64_t i) const { return at(offsets_, i); }
    GPU_FUNCTION int64_t column(int64_t e) const { return number_at(cols_, wide_cols_, e); }
    GPU_FUNCTION V *block_at(int64_t e) const { return values_ + e * b * b; }
    /* The lane's row of block e. */
    GPU_FUNCTION V *own(int64_t e) const { return block_at(e) + r * b; }
    /* Blocks are as large as they may be, so that loops need no questions and 16 bytes come
     * at a time. */
    GPU_FUNCTION bool is_full() const { return b == most; }

    /* The lane's row of block e of A', which stands in row i; `largest` becomes the size of its
     * largest number, if it is larger. */
    GPU_FUNCTION void load_row(int64_t e, int64_t i, V (&row)[most], double &largest) const {
        if (straight_) {
            load_straight(e, row, largest);
        } else {
            load_any(e, i, row, largest);
        }
    }

    template <bool full>
    GPU_FUNCTION void get(const V *from, V (&row)[most]) const {
        if constexpr (full && at_once > 1) {
            const auto *packs = reinterpret_cast<const numbers_at_once *>(from);
            numbers_at_once found[most / at_once];
            GPU_UNROLL
            for (int p = 0; p < most / at_once; p++) found[p] = packs[p];
            GPU_UNROLL
            for (int c = 0; c < most; c++) row[c] = found[c / at_once].at[c % at_once];
        } else {
            GPU_UNROLL
            for (int c = 0; c < most; c++) row[c] = c < b ? from[c] : V(0);
        }
    }
    template <bool full>
    GPU_FUNCTION void put(const V (&row)[most], V *to) const {
        if constexpr (full && at_once > 1) {
            auto *packs = reinterpret_cast<numbers_at_once *>(to);
            GPU_UNROLL
            for (int p = 0; p < most / at_once; p++) {
                numbers_at_once some;
                GPU_UNROLL
                for (int c = 0; c < at_once; c++) some.at[c] = row[p * at_once + c];
                packs[p] = some;
            }
        } else {
            GPU_UNROLL
            for (int c = 0; c < most; c++) {
                if (c < b) to[c] = row[c];
            }
        }
    }

    /* The row that subtract() multiplies, which stands in memory. */
    GPU_FUNCTION void keep(const V *from, V (&left)[kept]) const {
        GPU_UNROLL
        for (int m = 0; m < kept; m++) left[m] = kept == most && m < b ? from[m] : V(0);
    }
    /* sum := sum - left B; left is what keep() made of the row at `from`. */
    template <bool full>
    GPU_FUNCTION void subtract(const V *from, const V (&left)[kept], const V *B,
                               V (&sum)[most]) const {
        if constexpr (kept == most) {
            GPU_UNROLL
            for (int m = 0; m < most; m++) {
                if (full || m < b) subtract_row<full>(left[m], B + m * b, sum);
            }
        } else {
            GPU_KEEP_LOOP
            for (int m = 0; m < b; m++) subtract_row<full>(from[m], B + m * b, sum);
        }
    }

    /* The row of A_ik at `to` becomes that of A_ik D^-1, D being the block of row k. */
    template <bool full>
    GPU_FUNCTION void divide(V *to, const V *D, int64_t k) const {
        V row[most];
        if (most == 1) {
            to[0] = to[0] / D[0];
        } else if (f.inverted) {
            V left[kept];
            keep(to, left);
            GPU_UNROLL
            for (int c = 0; c < most; c++) row[c] = 0;
            subtract<full>(to, left, D, row);
            GPU_UNROLL
            for (int c = 0; c < most; c++) row[c] = -row[c];
            put<full>(row, to);
        } else {
            const uint8_t *pivots = f.pivots + k * b;
            get<full>(to, row);
            solve<full>(row, D);
            GPU_UNROLL
            for (int c = 0; c < most; c++) {
                if (full || c < b) to[pivots[c]] = row[c];
            }
        }
    }

    /* D := L and U of P D, or its inverse, into the diagonal block of row i, which is number e; a
     * lane has its row of D, and `largest` is what is known of the largest number of row i. All
     * lanes of a warp call this; those store that are told to. */
    GPU_FUNCTION void finish(V (&D)[most], int64_t i, int64_t e, double largest,
                             bool stores) const {
        int pivot = r;
        for (int step = team / 2; step > 0; step /= 2) {
            const double other = shuffle_xor(full_warp, largest, step);
            largest = other > largest ? other : largest;
        }
        GPU_KEEP_LOOP
        for (int k = 0; k < b; k++) {
            exchange(k, D, pivot);
            if (stores && r == k) judge(k, D, i, largest);
            eliminate(k, D);
        }
        f.inverted ? store_inverse(D, pivot, e, stores) : store_factors(D, pivot, i, e, stores);
    }

  private:
    static constexpr int of_16_bytes = 16 / static_cast<int>(sizeof(V)),
                         at_once = most < of_16_bytes ? 1 : of_16_bytes;
    using numbers_at_once = pack<V, at_once>;

    /* Fields of the task are read once: it lies in memory, like the numbers that change. */
    const void *offsets_, *cols_;
    bool wide_offsets_, wide_cols_;
    V *values_;
    bool straight_; /* number e of A' is number e of A */
    int first_ = 0; /* the team's first lane */

    GPU_FUNCTION static int64_t number_at(const void *array, bool wide, int64_t i) {
        return wide ? load(static_cast<const int64_t *>(array) + i)
                    : int64_t{load(static_cast<const int32_t *>(array) + i)};
    }

    GPU_FUNCTION void load_straight(int64_t e, V (&row)[most], double &largest) const {
        get<false>(static_cast<const V *>(f.from.values) + (e * b + r) * b, row);
        GPU_UNROLL
        for (int c = 0; c < most; c++) {
            const double size =
                row[c] < 0 ? -static_cast<double>(row[c]) : static_cast<double>(row[c]);
            largest = size > largest ? size : largest;
        }
    }
    GPU_FUNCTION void load_any(int64_t e, int64_t i, V (&row)[most], double &largest) const {
        const int64_t j = column(e);
        GPU_UNROLL
        for (int c = 0; c < most; c++) row[c] = 0;
        GPU_KEEP_LOOP
        for (int c = 0; c < b; c++) {
            const double number = factor_number_of(f.from, f.n, b, e, i, j, r * b + c);
            const double size = number < 0 ? -number : number;
            largest = size > largest ? size : largest;
            set(row, c, static_cast<V>(number));
        }
    }

    /* Number m of a row, m not known to the compiler; and v as number m. */
    GPU_FUNCTION static V pick(const V (&row)[most], int m) {
        V v = row[0];
        GPU_UNROLL
        for (int c = 1; c < most; c++) v = c == m ? row[c] : v;
        return v;
    }
    GPU_FUNCTION static void set(V (&row)[most], int m, V v) {
        GPU_UNROLL
        for (int c = 0; c < most; c++) row[c] = c == m ? v : row[c];
    }

    /* sum := sum - left times a row of a block. */
    template <bool full>
    GPU_FUNCTION void subtract_row(V left, const V *of_block, V (&sum)[most]) const {
        const V factor = -left;
        V row[most];
        get<full>(of_block, row);
        GPU_UNROLL
        for (int c = 0; c < most; c++) {
            if (full || c < b) sum[c] = fma(factor, row[c], sum[c]);
        }
    }

    /* y D = a, P D = L U, y = z P: w U = a, z L = w. */
    template <bool full>
    GPU_FUNCTION void solve(V (&row)[most], const V *D) const {
        if constexpr (most <= 4) {
            solve_at_once<full>(row, D);
        } else {
            solve_in_turn(row, D);
        }
    }
    /* Solves with all of D loaded at once, where there are registers for it. */
    template <bool full>
    GPU_FUNCTION void solve_at_once(V (&row)[most], const V *D) const {
        V of_D[most][most];
        GPU_UNROLL
        for (int m = 0; m < most; m++) {
            if (full || m < b) get<full>(D + m * b, of_D[m]);
        }
        GPU_UNROLL
        for (int m = 0; m < most; m++) {
            if (!full && m >= b) continue;
            row[m] = row[m] / of_D[m][m];
            GPU_UNROLL
            for (int c = m + 1; c < most; c++) {
                if (full || c < b) row[c] = fma(-row[m], of_D[m][c], row[c]);
            }
        }
        GPU_UNROLL
        for (int m = most - 1; m > 0; m--) {
            if (!full && m >= b) continue;
            GPU_UNROLL
            for (int c = 0; c < m; c++) row[c] = fma(-row[m], of_D[m][c], row[c]);
        }
    }
    GPU_FUNCTION void solve_in_turn(V (&row)[most], const V *D) const {
        GPU_KEEP_LOOP
        for (int m = 0; m < b; m++) {
            const V w = pick(row, m) / D[m * b + m];
            GPU_UNROLL
            for (int c = 1; c < most; c++) {
                if (c > m && c < b) row[c] = fma(-w, D[m * b + c], row[c]);
            }
            set(row, m, w);
        }
        GPU_KEEP_LOOP
        for (int m = b - 1; m > 0; m--) {
            const V z = pick(row, m);
            GPU_UNROLL
            for (int c = 0; c < most - 1; c++) {
                if (c < m) row[c] = fma(-z, D[m * b + c], row[c]);
            }
        }
    }

    /* The first of the largest numbers of column k from row k on comes to the diagonal; pivot:
     * which row of D the lane's was. */
    GPU_FUNCTION void exchange(int k, V (&D)[most], int &pivot) const {
        const double number = static_cast<double>(pick(D, k));
        const double size = number < 0 ? -number : number;
        double largest = shuffle(full_warp, size, first_ + k);
        int best = k;
        for (int other_row = k + 1; other_row < b; other_row++) {
            const double other = shuffle(full_warp, size, first_ + other_row);
            if (other > largest) {
                largest = other;
                best = other_row;
            }
        }
        const int from = first_ + (r == k ? best : r == best ? k : r);
        pivot = shuffle(full_warp, pivot, from);
        GPU_UNROLL
        for (int c = 0; c < most; c++) D[c] = shuffle(full_warp, D[c], from);
    }
    GPU_FUNCTION void judge(int k, V (&D)[most], int64_t i, double largest) const {
        const tulle__pivot_rule rule = tulle__rule_of(&f);
        const tulle__judged judged =
            tulle__weigh_pivot(&rule, static_cast<double>(pick(D, k)), largest);
        set(D, k, static_cast<V>(factor_noted(judged, i * b + k, f.seen)));
    }
    /* Column k of L, and what it changes. */
    GPU_FUNCTION void eliminate(int k, V (&D)[most]) const {
        const V pivot = shuffle(full_warp, pick(D, k), first_ + k);
        const bool below = r > k && r < b;
        const V left = below ? pick(D, k) / pivot : V(0);
        if (below) set(D, k, left);
        GPU_UNROLL
        for (int c = 1; c < most; c++) {
            const V above = shuffle(full_warp, D[c], first_ + k);
            if (below && c > k && c < b) D[c] = fma(-left, above, D[c]);
        }
    }

    GPU_FUNCTION void store_factors(const V (&D)[most], int pivot, int64_t i, int64_t e,
                                    bool stores) const {
        if (!stores) return;
        put<false>(D, own(e));
        if (f.pivots) f.pivots[i * b + r] = static_cast<uint8_t>(pivot);
    }

    /* A lane has a column of D^-1: L U x = P e. All lanes of a warp call this. */
    GPU_FUNCTION void store_inverse(const V (&D)[most], int pivot, int64_t e, bool stores) const {
        V x[most];
        GPU_UNROLL
        for (int c = 0; c < most; c++) x[c] = 0;
        GPU_KEEP_LOOP
        for (int row = 0; row < b; row++) {
            const V start = shuffle(full_warp, pivot, first_ + row) == r ? V(1) : V(0);
            set(x, row, less_known(D, row, 0, row, x, start));
        }
        GPU_KEEP_LOOP
        for (int row = b - 1; row >= 0; row--) {
            const V sum = less_known(D, row, row + 1, b, x, pick(x, row));
            const V number = sum / shuffle(full_warp, pick(D, row), first_ + row);
            set(x, row, number);
            if (stores) block_at(e)[row * b + r] = number;
        }
    }
    /* sum, less the numbers from `begin` to `end` of a row of D times those of x. */
    GPU_FUNCTION V less_known(const V (&D)[most], int row, int begin, int end, const V (&x)[most],
                              V sum) const {
        GPU_UNROLL
        for (int m = 0; m < most; m++) {
            const V number = shuffle(full_warp, D[m], first_ + row);
            if (m >= begin && m < end) sum = fma(-number, x[m], sum);
        }
        return sum;
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
