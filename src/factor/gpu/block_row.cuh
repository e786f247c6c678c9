/* SPDX-License-Identifier: Apache-2.0 */
/* A block row of L U that a block of threads factorises, for blocks whose size the compiler knows;
 * blocks.cu describes the waiting of rows for each other.
 *
 * Lane r of a group of b lanes has row r of a block: of L_ik, as soon as D_k is ready, and of all
 * blocks of the row that L_ik changes. */
#ifndef TULLE_FACTOR_GPU_BLOCK_ROW_CUH
#define TULLE_FACTOR_GPU_BLOCK_ROW_CUH

#include "core/search.h"
#include "factor/gpu/pivots.cuh"
#include "factor/gpu/row.cuh"
#include "factor/gpu/row_layout.cuh"
#include "trisolve/gpu/awaited.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The data of a call that all rows share. */
template <class T>
struct block_rows {
    uint64_t *pivots; /* [rows] pivots of each row */
    T *scratch;       /* numbers of wide rows, as many as the factors have */
    bool symmetric;   /* true when the pattern is symmetric */
    row_memory room;
};

/* A row that is being factorised. All threads call all functions, except those that one warp
 * calls. */
template <class T, class O, class I, int b, bool wide>
class block_row {
  public:
    static constexpr int cells = b * b, threads = row_threads<b, wide>,
                         warps = threads / warp_lanes;

    GPU_FUNCTION block_row(const factor_job<T, O, I> &job, const block_rows<T> &rows,
                           shared<step> memory, shared<double> sizes)
        : job_(job),
          pivots_(rows.pivots),
          scratch_(rows.scratch),
          symmetric_(rows.symmetric),
          sizes_(sizes),
          me_(static_cast<int>(thread())),
          lane_(static_cast<int>(lane())),
          groups_(warp_lanes / b),
          group_(lane_ / b),
          r_(lane_ % b),
          mate_(group_ < groups_ ? group_ * b : 0) {
        const row_memory &room = rows.room;
        int64_t at = 0;
        steps_ = part_of(memory, at, room.steps);
        places_ = shared<int64_t>(part_of(memory, at += room.steps, room.places));
        cols_ = shared<I>(part_of(memory, at += room.places, room.cols));
        targets_ = shared<int>(part_of(memory, at += room.cols, room.targets));
        at += room.targets;
        if constexpr (!wide) row_ = shared<T>(part_of(memory, at, room.numbers));
        const shared<step> last = part_of(memory, at + room.numbers, room.piece);
        piece_ = shared<T>(last);
        packs_ = shared<numbers_at_once>(last);
    }

    GPU_FUNCTION void factorise(int64_t place) {
        i_ = load(job_.order + place);
        begin_ = load(job_.offsets + i_);
        length_ = static_cast<int>(load(job_.offsets + i_ + 1) - begin_);
        lower_ = static_cast<int>(load(job_.diagonal + place) - begin_);
        if constexpr (wide) row_ = scratch_ + begin_ * cells;
        const double largest = begin(load(job_.begins + place));
        eliminate();
        if (warps == 1 || me_ >= warp_lanes) publish(lower_ + 1, length_);
        if (me_ < warp_lanes) finish(largest);
        for (int x = me_; x < lower_ * cells; x += threads) {
            number(begin_, x) = row_[in_row(x)];
        }
    }

  private:
    using layout = block_layout<T, b, wide>;
    static constexpr int at_once = layout::at_once;
    using numbers_at_once = pack<T, at_once>;

    const factor_job<T, O, I> &job_;
    uint64_t *pivots_; /* [rows] pivots of the rows before */
    T *scratch_;
    bool symmetric_;
    shared<step> steps_;
    shared<int64_t> places_;
    shared<I> cols_;
    shared<int> targets_; /* place in the row of each block of the piece, or -1 */
    typename row_numbers<T, wide>::type row_{};
    shared<T> piece_;
    shared<numbers_at_once> packs_; /* the piece's numbers, as packs */
    shared<double> sizes_;
    /* mate_: first lane of the group; lanes that are left over go with the first group */
    int me_, lane_, groups_, group_, r_, mate_;
    int64_t i_ = 0;
    O begin_ = 0;
    int length_ = 0, lower_ = 0;

    static constexpr int most = piece_blocks<b, wide>,
                         numbers = (most * cells + threads - 1) / threads,
                         looks = (most + threads - 1) / threads;
    T next_[numbers] = {}; /* numbers of the next piece, which are being loaded */
    uint64_t next_pivots_ = no_pivots;
    I next_col_[looks] = {};

    T L_[b] = {}; /* row r of L_ik; number c belongs to column order_(c) */
    uint64_t order_ = 0;

    /* Blocks of row k: `count` blocks from `from` on, of those that step s takes. */
    struct piece {
        int s, from, count;
        int64_t first;
    };

    GPU_FUNCTION static int in_row(int block, int r, int c) {
        return wide ? layout::in_scratch(block, r, c) : layout::in_shared(block, r, c);
    }
    GPU_FUNCTION static int in_row(int x) {
        return wide ? layout::in_scratch(x) : layout::in_shared(x);
    }

    /* Gets the lane's row of a block of the row. */
    GPU_FUNCTION void get_row(int block, T (&row)[b]) const {
        if constexpr (at_once > 1) {
            const auto *from =
                reinterpret_cast<const numbers_at_once *>(row_ + int64_t{block} * cells) + r_;
            numbers_at_once found[b / at_once];
            GPU_UNROLL
            for (int p = 0; p < b / at_once; p++) found[p] = from[int64_t{p} * b];
            GPU_UNROLL
            for (int c = 0; c < b; c++) row[c] = found[c / at_once].at[c % at_once];
        } else {
            const int from = in_row(block, r_, 0);
            GPU_UNROLL
            for (int c = 0; c < b; c++) row[c] = row_[from + c];
        }
    }
    GPU_FUNCTION void put_row(int block, const T (&row)[b]) {
        if constexpr (at_once > 1) {
            auto *to = reinterpret_cast<numbers_at_once *>(row_ + int64_t{block} * cells) + r_;
            GPU_UNROLL
            for (int p = 0; p < b / at_once; p++) {
                numbers_at_once some;
                GPU_UNROLL
                for (int c = 0; c < at_once; c++) some.at[c] = row[p * at_once + c];
                to[int64_t{p} * b] = some;
            }
        } else {
            const int to = in_row(block, r_, 0);
            GPU_UNROLL
            for (int c = 0; c < b; c++) row_[to + c] = row[c];
        }
    }
    /* Gets row m of a block of the piece. */
    GPU_FUNCTION void get_piece(int block, int m, T (&row)[b]) const {
        const int from = layout::in_shared(block, m, 0);
        if constexpr (at_once > 1) {
            GPU_UNROLL
            for (int p = 0; p < b / at_once; p++) {
                const numbers_at_once found = packs_[from / at_once + p];
                GPU_UNROLL
                for (int c = 0; c < at_once; c++) row[p * at_once + c] = found.at[c];
            }
        } else {
            GPU_UNROLL
            for (int c = 0; c < b; c++) row[c] = piece_[from + c];
        }
    }

    GPU_FUNCTION T &number(int64_t block, int x) const { return job_.values[block * cells + x]; }

    /* Loads the numbers of A' into the row, and finds the entries for which the row waits; returns
     * the size of the largest number. */
    GPU_FUNCTION double begin(O waits) {
        for (int x = me_; x < length_; x += threads) cols_[x] = load(job_.cols + begin_ + x);
        for (int x = me_; x < lower_; x += threads) places_[x] = load(job_.places + waits + x);
        sync();
        const bool by_place = symmetric_ || (!wide && may_go_by_place());
        for (int x = me_; x < lower_; x += threads) {
            const int64_t place = places_[x];
            int before = by_place ? 0 : x;
            for (int y = 0; y < lower_ && by_place; y++) before += places_[y] < place;
            const int64_t first = load(job_.diagonal + place);
            steps_[before] = {first, x, static_cast<int>(end_of_row(x) - first)};
        }
        constexpr int flight = 4;
        const int all = length_ * cells;
        double largest = 0;
        for (int x = me_; x < all; x += flight * threads) {
            double found[flight];
            GPU_UNROLL
            for (int f = 0; f < flight; f++) {
                const int y = x + f * threads;
                found[f] = y < all ? factor_number(job_, begin_ + y / cells, i_,
                                                   static_cast<I>(cols_[y / cells]), y % cells)
                                   : 0;
            }
            GPU_UNROLL
            for (int f = 0; f < flight; f++) {
                const int y = x + f * threads;
                if (y < all) row_[in_row(y)] = static_cast<T>(found[f]);
                const double size = found[f] < 0 ? -found[f] : found[f];
                largest = size > largest ? size : largest;
            }
        }
        for (int apart = warp_lanes / 2; apart > 0; apart /= 2) {
            const double other = shuffle_xor(full_warp, largest, apart);
            largest = other > largest ? other : largest;
        }
        if (lane_ == 0) sizes_[me_ / warp_lanes] = largest;
        sync();
        for (int warp = 0; warp < warps; warp++) {
            const double other = sizes_[warp];
            largest = other > largest ? other : largest;
        }
        return largest;
    }

    GPU_FUNCTION int64_t end_of_row(int x) const {
        return load(job_.offsets + static_cast<int64_t>(static_cast<I>(cols_[x])) + 1);
    }
    /* Returns true when all U_kj that change an L_ij are of rows k with a lower place than row
     * j. */
    GPU_FUNCTION bool may_go_by_place() const {
        bool may = true;
        for (int x = me_; x < lower_; x += threads) {
            const int64_t place = places_[x], end = end_of_row(x);
            for (int64_t f = load(job_.diagonal + place) + 1; f < end; f++) {
                const int64_t col = load(job_.cols + f);
                if (col >= i_) break;
                const int at = position(static_cast<I>(col));
                if (at >= 0) may = may && places_[at] > place;
            }
        }
        const bool of_warp = all(full_warp, may);
        if (lane_ == 0) sizes_[me_ / warp_lanes] = of_warp ? 1 : 0;
        sync();
        for (int warp = 0; warp < warps; warp++) may = may && sizes_[warp] > 0;
        sync();
        return may;
    }

    GPU_FUNCTION bool next_piece(piece *p) const {
        const step now = steps_[p->s];
        p->from += most;
        if (p->from >= now.blocks) {
            p->s++;
            p->from = 0;
        }
        return begin_piece(p);
    }
    GPU_FUNCTION bool begin_piece(piece *p) const {
        if (p->s >= lower_) return false;
        const step now = steps_[p->s];
        const int left = now.blocks - p->from;
        p->count = left < most ? left : most;
        p->first = now.first + p->from;
        return true;
    }

    /* Starts loading a piece, for which settle() waits. */
    GPU_FUNCTION void send_for(const piece &p) {
        GPU_UNROLL
        for (int u = 0; u < numbers; u++) {
            const int x = me_ + u * threads;
            next_[u] = x < p.count * cells ? load_relaxed(&number(p.first, x)) : T(0);
        }
        GPU_UNROLL
        for (int u = 0; u < looks; u++) {
            const int x = me_ + u * threads;
            next_col_[u] = x < p.count ? load(job_.cols + p.first + x) : I(0);
        }
        if (p.from == 0 && !job_.inverted) next_pivots_ = load_relaxed(pivots_ + row_of(p));
    }
    GPU_FUNCTION int64_t row_of(const piece &p) const {
        const step now = steps_[p.s];
        return static_cast<int64_t>(static_cast<I>(cols_[now.at]));
    }
    GPU_FUNCTION void settle(const piece &p) {
        GPU_UNROLL
        for (int u = 0; u < looks; u++) {
            const int x = me_ + u * threads;
            if (x < p.count) targets_[x] = p.from + x == 0 ? -1 : position(next_col_[u]);
        }
        if constexpr (wide) await_last(p);
        for (;;) {
            if (next_pivots_ == awaited_pivots) next_pivots_ = load_relaxed(pivots_ + row_of(p));
            bool all = next_pivots_ != awaited_pivots;
            GPU_UNROLL
            for (int u = 0; u < numbers; u++) {
                if (!is_awaited(next_[u])) continue;
                next_[u] = load_relaxed(&number(p.first, me_ + u * threads));
                all = all && !is_awaited(next_[u]);
            }
            if (all) break;
            spin_awake();
        }
        GPU_UNROLL
        for (int u = 0; u < numbers; u++) {
            const int x = me_ + u * threads;
            if (x < p.count * cells) piece_[layout::in_shared(x)] = next_[u];
        }
    }
    /* If a number is missing, the thread polls one number until it arrives: all rows under way wait
     * for the same one, whose numbers arrive together. */
    GPU_FUNCTION void await_last(const piece &p) {
        bool missing = false;
        GPU_UNROLL
        for (int u = 0; u < numbers; u++) missing = missing || is_awaited(next_[u]);
        if (!missing) return;
        const int last = me_ + (p.count * cells - 1 - me_) / threads * threads;
        for (T found = load_relaxed(&number(p.first, last)); is_awaited(found);) {
            spin_awake();
            found = load_relaxed(&number(p.first, last));
        }
    }
    /* Returns the place of a column in the row, or -1. */
    GPU_FUNCTION int position(I col) const {
        int low = 0;
        TULLE__LOWER_BOUND(low, length_, x, static_cast<I>(cols_[x]) < col);
        return low < length_ && static_cast<I>(cols_[low]) == col ? low : -1;
    }

    GPU_FUNCTION void eliminate() {
        piece p = {0, 0, 0, 0};
        /* place of L_ in the row, once all threads have taken the numbers there */
        int written = -1;
        bool more = begin_piece(&p);
        if (more) send_for(p);
        while (more) {
            sync();
            if (p.from == 0) write_L(written);
            settle(p);
            const piece now = p;
            if (now.from == 0) order_ = next_pivots_;
            more = next_piece(&p);
            if (more) send_for(p);
            sync();
            if (now.from == 0) {
                const step at = steps_[now.s];
                written = at.at;
                divide(written);
            }
            update(now);
        }
        sync();
        write_L(written);
        sync();
    }
    GPU_FUNCTION void write_L(int at) {
        if (at < 0 || me_ >= b) return;
        GPU_UNROLL
        for (int c = 0; c < b; c++) {
            row_[in_row(at, r_, pivot_of(order_, c))] = L_[c];
        }
    }

    /* Computes L_ := row r of A_ik D_k^-1, where D_k is the first block of the piece. y D = a with
     * P D = L U is w U = a, z L = w, y = z P. */
    GPU_FUNCTION void divide(int at) {
        T a[b], of_U[b];
        get_row(at, a);
        if (job_.inverted) {
            GPU_UNROLL
            for (int c = 0; c < b; c++) L_[c] = T(0);
            GPU_UNROLL
            for (int m = 0; m < b; m++) {
                get_piece(0, m, of_U);
                GPU_UNROLL
                for (int c = 0; c < b; c++) L_[c] += a[m] * of_U[c];
            }
            return;
        }
        const T own = T(1) / piece_[r_ * layout::width + r_];
        T inverse[b];
        GPU_UNROLL
        for (int c = 0; c < b; c++) inverse[c] = shuffle(full_warp, own, mate_ + c);
        GPU_UNROLL
        for (int m = 0; m < b; m++) {
            a[m] *= inverse[m];
            get_piece(0, m, of_U);
            GPU_UNROLL
            for (int c = m + 1; c < b; c++) a[c] -= a[m] * of_U[c];
        }
        GPU_UNROLL
        for (int m = b - 1; m > 0; m--) {
            get_piece(0, m, of_U);
            GPU_UNROLL
            for (int c = 0; c < m; c++) a[c] -= a[m] * of_U[c];
        }
        GPU_UNROLL
        for (int c = 0; c < b; c++) L_[c] = a[c];
    }

    /* Computes A_ij := A_ij - L_ik U_kj for the blocks of the piece that the row has. */
    GPU_FUNCTION void update(const piece &p) {
        if (group_ == groups_) return;
        const int first = me_ / warp_lanes * groups_ + group_;
        for (int x = first; x < p.count; x += warps * groups_) {
            const int target = targets_[x];
            if (target < 0) continue;
            T sum[b], of_U[b];
            get_row(target, sum);
            GPU_UNROLL
            for (int m = 0; m < b; m++) {
                get_piece(x, pivot_of(order_, m), of_U);
                GPU_UNROLL
                for (int c = 0; c < b; c++) sum[c] -= L_[m] * of_U[c];
            }
            put_row(target, sum);
        }
    }

    /* Stores the numbers of blocks for which other rows wait. If there are several warps, one is
     * left for the diagonal block. */
    GPU_FUNCTION void publish(int first, int end) {
        constexpr int flight = wide ? 8 : 4, idle = warps == 1 ? 0 : warp_lanes;
        constexpr int step = threads - idle;
        const int all = end * cells;
        for (int x = first * cells + me_ - idle; x < all; x += flight * step) {
            T found[flight];
            GPU_UNROLL
            for (int f = 0; f < flight; f++) {
                const int y = x + f * step;
                found[f] = y < all ? static_cast<T>(row_[in_row(y)]) : T(0);
            }
            GPU_UNROLL
            for (int f = 0; f < flight; f++) {
                const int y = x + f * step;
                if (y < all) store_relaxed(&number(begin_, y), never_awaited(found[f]));
            }
        }
    }

    /* Factorises the diagonal block, with one warp, whose groups all do the same. */
    GPU_FUNCTION void finish(double largest) {
        const int64_t diagonal = begin_ + lower_;
        T a[b], inverse[b];
        get_row(lower_, a);
        int stands = 0; /* row of P D for this lane, once it is known */
        bool done = false;
        uint64_t pivots = 0;
        GPU_UNROLL
        for (int k = 0; k < b; k++) {
            unsigned key = done ? 0u : pivot_key(a[k], r_);
            GPU_UNROLL
            for (int apart = (b & (b - 1)) == 0 ? b / 2 : warp_lanes / 2; apart > 0; apart /= 2) {
                const unsigned other = shuffle_xor(full_warp, key, apart);
                key = other > key ? other : key;
            }
            const int best = 15 - static_cast<int>(key & 15u), from = mate_ + best;
            const T pivot = static_cast<T>(
                judged(static_cast<double>(shuffle(full_warp, a[k], from)), largest, k));
            pivots |= static_cast<uint64_t>(best) << (4 * k);
            inverse[k] = T(1) / pivot;
            const bool is_pivot = r_ == best;
            if (is_pivot) {
                stands = k;
                a[k] = pivot;
            }
            done = done || is_pivot;
            if (!done) a[k] *= inverse[k];
            GPU_UNROLL
            for (int c = k + 1; c < b; c++) {
                const T of_pivot = shuffle(full_warp, a[c], from);
                if (!done) a[c] -= a[k] * of_pivot;
            }
        }
        if (job_.inverted) {
            invert(a, inverse, stands, pivots);
            return;
        }
        if (lane_ >= b) return;
        GPU_UNROLL
        for (int c = 0; c < b; c++) {
            store_relaxed(&number(diagonal, stands * b + c), never_awaited(a[c]));
        }
        job_.pivots[i_ * b + stands] = static_cast<uint8_t>(r_);
        if (lane_ == 0) store_relaxed(pivots_ + i_, pivots);
    }
    GPU_FUNCTION double judged(double pivot, double largest, int k) const {
        if (lane_ == 0) return factor_judged(job_, pivot, largest, i_ * b + k);
        const tulle__pivot_rule rule = factor_rule(job_);
        return tulle__weigh_pivot(&rule, pivot, largest).pivot;
    }

    /* Computes column r of D^-1: L U x = P e_r. */
    GPU_FUNCTION void invert(const T (&a)[b], const T (&inverse)[b], int stands, uint64_t pivots) {
        sync_warp(full_warp);
        if (lane_ < b) {
            GPU_UNROLL
            for (int c = 0; c < b; c++) row_[in_row(lower_, stands, c)] = a[c];
        }
        sync_warp(full_warp);
        if (lane_ >= b) return;
        T x[b];
        GPU_UNROLL
        for (int m = 0; m < b; m++) x[m] = pivot_of(pivots, m) == r_ ? T(1) : T(0);
        GPU_UNROLL
        for (int m = 0; m < b; m++) {
            GPU_UNROLL
            for (int q = m + 1; q < b; q++) x[q] -= row_[in_row(lower_, q, m)] * x[m];
        }
        GPU_UNROLL
        for (int m = b - 1; m >= 0; m--) {
            x[m] *= inverse[m];
            GPU_UNROLL
            for (int q = 0; q < m; q++) x[q] -= row_[in_row(lower_, q, m)] * x[m];
            store_relaxed(&number(begin_ + lower_, m * b + r_), never_awaited(x[m]));
        }
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
