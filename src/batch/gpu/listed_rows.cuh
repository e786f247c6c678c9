/* SPDX-License-Identifier: Apache-2.0 */
/* A block row of L U by a team of lanes, which has the row in shared memory, by steps that are
 * listed (factor/steps.h): so all addresses are known before numbers are, and the next stage's
 * numbers are on their way while this one's are taken, from the L2, to which they were sent for a
 * stage before.
 *
 * A stage is a division and subtractions behind it, as many as the team has groups of b lanes, or
 * such subtractions alone. Lane r of a group has row r of L_ik and of the block that its group
 * changes, and brings row r of U_kj, which all lanes of the group read, to shared memory, in packs.
 * All groups divide, so few a team take the fewest instructions; but large blocks leave shared
 * memory for few rows, which then need more lanes each. Blocks of 8 x 8 doubles are what the matrix
 * units take (gpu/tile.cuh): a warp then has a row, and subtracts from one block after another. */
#ifndef TULLE_BATCH_GPU_LISTED_ROWS_CUH
#define TULLE_BATCH_GPU_LISTED_ROWS_CUH

#include <math.h>

#include "batch/gpu/factor_lane.cuh"
#include "batch/task.h"
#include "factor/gpu/pivots.cuh"
#include "factor/gpu/row.cuh"
#include "factor/gpu/steps.cuh"
#include "gpu/ahead.cuh"
#include "gpu/tile.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Rows of blocks in shared memory are an odd number of numbers apart: lanes of a group, and groups,
 * meet few banks twice. Number x of blocks side by side is at in_shared(x). */
template <int b>
constexpr int row_width = b | 1;
template <int b>
GPU_FUNCTION int in_shared(int x) {
    return x + x / b * (row_width<b> - b);
}

/* Numbers of shared memory that are read at once, and where those of a stage's blocks are. */
template <class V, int b>
struct listed_blocks {
    static constexpr int at_once = b % 4 == 0 && sizeof(V) == sizeof(float) ? 4 : 2;
    using few = pack<V, at_once>;
    static constexpr int lanes = TULLE__LISTED_LANES(b, static_cast<int>(sizeof(V)));
    static constexpr bool on_units = b == tile_side && sizeof(V) == sizeof(double);
    static constexpr int cells = b * b, groups = lanes / b;
    static constexpr int most = on_units ? 8 : groups; /* subtractions of a stage */
    static constexpr int packs_of_row = (b + at_once - 1) / at_once;
    /* An odd number of packs apart: groups meet no bank twice. D_k comes last. */
    static constexpr int packs_of_block = b * packs_of_row | 1;
    static constexpr int place_of_D = on_units ? 0 : groups;
    static constexpr int packs = (place_of_D + 1) * packs_of_block;
    /* Lines of memory that a block lies in, at most. */
    static constexpr int line = 128, bytes = cells * static_cast<int>(sizeof(V));
    static constexpr int lines = bytes % line == 0   ? bytes / line
                                 : line % bytes == 0 ? 1
                                                     : bytes / line + 2;
    /* Returns the number of packs for rows of up to `longest` blocks, whose rows are an odd number
     * of numbers apart. */
    static constexpr int row_packs(int longest) {
        return (longest * b * row_width<b> + at_once - 1) / at_once;
    }
};

template <class V, int b>
class listed_row {
    using blocks = listed_blocks<V, b>;
    using few = typename blocks::few;
    static constexpr int cells = blocks::cells, groups = blocks::groups, width = row_width<b>,
                         lanes = blocks::lanes, most = blocks::most;
    static constexpr bool on_units = blocks::on_units;

  public:
    GPU_FUNCTION listed_row(const tulle__task_factor &t, shared<few> row, shared<few> piece)
        : f_(t.whole),
          s_(t.schedule),
          words_(static_cast<const int32_t *>(t.steps)),
          word_begins_(static_cast<const int32_t *>(t.step_begins)),
          offsets_(static_cast<const int32_t *>(t.whole.offsets)),
          cols_(static_cast<const int32_t *>(t.whole.cols_of)),
          values_(static_cast<V *>(t.whole.values)),
          row_(shared<V>(row)),
          piece_(piece),
          straight_(factor_is_straight<V>(t.whole)),
          inverted_(t.whole.inverted),
          me_(static_cast<int>(lane()) % lanes),
          first_(static_cast<int>(lane()) - me_),
          group_(me_ / b),
          r_(me_ % b),
          mate_(first_ + (group_ < groups ? group_ * b : 0)) {}

    /* Sends for the numbers of the row at a place, which factorise() waits for. They depend on no
     * other row. */
    GPU_FUNCTION void begin(int64_t place) {
        const int32_t *diagonal = static_cast<const int32_t *>(s_.diagonal);
        i_ = load(static_cast<const int32_t *>(s_.order) + place);
        at_ = load(word_begins_ + place);
        end_ = load(word_begins_ + place + 1);
        begin_ = load(offsets_ + i_);
        length_ = load(offsets_ + i_ + 1) - begin_;
        lower_ = load(diagonal + place) - begin_;
        divided_ = 0;
        GPU_UNROLL
        for (int c = 0; c < b; c++) column_[c] = c;
        if (straight_) {
            const V *from = static_cast<const V *>(f_.from.values) + int64_t{begin_} * cells;
            for (int x = me_; x < length_ * cells; x += lanes) {
                copy_async<sizeof(V)>(row_ + in_shared<b>(x), from + x);
            }
        }
        copy_commit();
        read_words();
    }

    /* All lanes of a warp call it; some of its teams work, on rows that were begun. */
    GPU_FUNCTION void factorise(bool works) {
        const double largest = settle_row(works ? length_ * cells : 0);
        eliminate(works);
        finish(works, largest);
        if (works) store();
        sync_warp(full_warp);
    }

  private:
    const tulle__factor_task &f_;
    const tulle__schedule &s_;
    const int32_t *words_, *word_begins_, *offsets_, *cols_;
    V *values_;
    shared<V> row_;
    shared<few> piece_;
    bool straight_, inverted_;
    int me_, first_, group_, r_, mate_; /* in the team, whose first lane is first_; mate_: the first
                                           lane of the group. Lanes that are left over go with the
                                           first group */
    int i_ = 0, begin_ = 0, length_ = 0, lower_ = 0;

    int at_ = 0, end_ = 0;           /* words of the row that no stage has yet */
    int32_t word_ = 0, divisor_ = 0; /* the lane's of the next ones; row k of the next division */
    int divided_ = 0, pivot_ = 0;    /* divisions that stages have; D_k of the last of them */

    struct stage {
        bool divides;
        int count;    /* subtractions */
        int32_t word; /* the lane's group's, or, on the units, the lane's */
    };
    /* Rows r of the next stage's blocks, on their way. */
    V next_U_[b] = {}, next_D_[b] = {};
    int next_pivot_ = 0;

    V L_[b] = {};        /* row r of L_ik; number c belongs to column column_[c] */
    int column_[b] = {}; /* row of D_k at row c of P D_k */
    V tile_L_[2] = {}, tile_U_[on_units ? 2 * most : 1] = {}; /* -L_ik and all U_kj */

    /* The largest of the row's numbers, which are there. */
    GPU_FUNCTION double settle_row(int count) {
        double largest = 0;
        copy_wait<0>();
        for (int x = me_; x < count; x += lanes) {
            double number = 0;
            if (straight_) {
                const V v = row_[in_shared<b>(x)];
                number = static_cast<double>(v);
            } else {
                const int e = begin_ + x / cells;
                number = factor_number_of(f_.from, f_.n, b, e, i_, load(cols_ + e), x % cells);
                row_[in_shared<b>(x)] = static_cast<V>(number);
            }
            const double size = number < 0 ? -number : number;
            largest = size > largest ? size : largest;
        }
        GPU_UNROLL
        for (int apart = lanes / 2; apart > 0; apart /= 2) {
            const double other = shuffle_xor(full_warp, largest, apart);
            largest = other > largest ? other : largest;
        }
        sync_warp(full_warp);
        return largest;
    }

    GPU_FUNCTION void read_words() {
        word_ = me_ <= most && at_ + me_ < end_ ? load(words_ + at_ + me_) : 0;
        divisor_ = divided_ < lower_ ? load(cols_ + begin_ + divided_) : 0;
    }

    /* Numbers of a row of a block that this kernel writes. */
    GPU_FUNCTION void fetch(int64_t block, V (&row)[b]) const {
        const V *from = values_ + block * cells + r_ * b;
        if constexpr (b % blocks::at_once == 0) {
            GPU_UNROLL
            for (int p = 0; p < blocks::packs_of_row; p++) {
                const few numbers = reinterpret_cast<const few *>(from)[p];
                GPU_UNROLL
                for (int q = 0; q < blocks::at_once; q++) {
                    row[p * blocks::at_once + q] = numbers.at[q];
                }
            }
        } else {
            GPU_UNROLL
            for (int c = 0; c < b; c++) row[c] = from[c];
        }
    }

    GPU_FUNCTION step_word<int32_t> subtraction(const stage &s, int p) const {
        return step_word<int32_t>(shuffle(full_warp, s.word, p + s.divides));
    }
    /* The tiles of a stage are loaded while it divides. */
    GPU_FUNCTION void fetch_tiles(const stage &s) {
        const int cell = me_ % 4 * b + me_ / 4;
        GPU_UNROLL
        for (int p = 0; p < most; p++) {
            const int64_t block = pivot_ + subtraction(s, p).behind();
            if (p >= s.count) continue;
            tile_U_[2 * p] = values_[block * cells + cell];
            tile_U_[2 * p + 1] = values_[block * cells + cells / 2 + cell];
        }
    }

    /* The next stage as its words give it, which are there; words 0: there is none. */
    struct outlook {
        bool divides;
        int words;
    };
    GPU_FUNCTION outlook look(bool wanted) const {
        constexpr unsigned team = full_warp >> (warp_lanes - lanes);
        const int left = wanted ? end_ - at_ : 0;
        const bool divides = me_ < left && step_word<int32_t>(word_).divides();
        const unsigned divisions = ballot(full_warp, divides) >> first_ & team;
        const int first = static_cast<int>(divisions & 1u), most_words = most + first;
        /* number of words before the next division */
        const int words = first_bit((divisions & ~1u) | 1u << most_words);
        return {first != 0, left < words ? left : words};
    }

    /* Asks for the numbers of the next stage, to the L2; the numbers of the stage before are on
     * their way already. */
    GPU_FUNCTION void send_for(const outlook &o) const {
        const int32_t head = shuffle(full_warp, word_, first_);
        if (me_ >= o.words) return;
        const step_word<int32_t> word(word_);
        const int pivot = o.divides ? static_cast<int>(step_word<int32_t>(head).entry()) : pivot_;
        const int block = word.divides() ? pivot : pivot + static_cast<int>(word.behind());
        const char *from = reinterpret_cast<const char *>(values_ + int64_t{block} * cells);
        GPU_UNROLL
        for (int l = 0; l < blocks::lines; l++) {
            const int at = l * blocks::line;
            send_ahead(from + (at < blocks::bytes ? at : blocks::bytes - 1));
        }
    }

    /* The next stage, or nothing. Sends for its numbers and the next words. */
    GPU_FUNCTION stage plan(const outlook &o) {
        const int divides = o.divides;
        const int32_t head = shuffle(full_warp, word_, first_);
        const int32_t own = shuffle(full_warp, word_, first_ + (group_ + divides) % lanes);
        if (o.words == 0) return {false, 0, 0};
        const stage s = {o.divides, o.words - divides, on_units ? word_ : own};
        if (s.divides) {
            pivot_ = static_cast<int>(step_word<int32_t>(head).entry());
            fetch(pivot_, next_D_);
            if (!inverted_) next_pivot_ = f_.pivots[int64_t{divisor_} * b + r_];
        }
        if constexpr (!on_units) {
            if (group_ < s.count) fetch(pivot_ + step_word<int32_t>(own).behind(), next_U_);
        }
        divided_ += divides;
        at_ += o.words;
        read_words();
        return s;
    }

    GPU_FUNCTION void write(int block, int m, const V (&row)[b]) const {
        GPU_UNROLL
        for (int p = 0; p < blocks::packs_of_row; p++) {
            few numbers = {};
            GPU_UNROLL
            for (int q = 0; q < blocks::at_once; q++) {
                if (p * blocks::at_once + q < b) numbers.at[q] = row[p * blocks::at_once + q];
            }
            piece_[block * blocks::packs_of_block + m * blocks::packs_of_row + p] = numbers;
        }
    }
    /* Rows of U_kj stand as the numbers of L_ do; of D_k, what is divided by as what is multiplied
     * by. */
    GPU_FUNCTION void settle(const stage &s) {
        if (!inverted_ && any(full_warp, s.divides)) settle_pivots(s.divides);
        if (s.divides && me_ < b) write(blocks::place_of_D, r_, next_D_);
        if constexpr (!on_units) {
            if (group_ >= s.count || group_ == groups) return;
            int m = r_;
            GPU_UNROLL
            for (int c = 0; c < b; c++) m = column_[c] == r_ ? c : m;
            write(group_, m, next_U_);
        }
    }
    GPU_FUNCTION void settle_pivots(bool divides) {
        V own = next_D_[0];
        GPU_UNROLL
        for (int c = 0; c < b; c++) {
            const int column = shuffle(full_warp, next_pivot_, first_ + c);
            column_[c] = divides ? column : column_[c];
            own = c == r_ ? next_D_[c] : own;
        }
        own = V(1) / own;
        GPU_UNROLL
        for (int c = 0; c < b; c++) next_D_[c] = c == r_ ? own : next_D_[c];
    }

    GPU_FUNCTION void eliminate(bool works) {
        int division = 0;
        bool more = works && at_ < end_;
        stage next = plan(look(more));
        if constexpr (on_units) fetch_tiles(next);
        outlook ahead = look(more && at_ < end_);
        send_for(ahead);
        while (any(full_warp, more)) {
            const stage now = next;
            sync_warp(full_warp);
            settle(now);
            more = more && at_ < end_;
            next = plan(ahead);
            sync_warp(full_warp);
            if (now.divides) divide(division * b * width);
            sync_warp(full_warp);
            if (now.divides && me_ < b) write_L(division * b * width);
            ahead = look(more && at_ < end_);
            send_for(ahead);
            if constexpr (on_units) {
                sync_warp(full_warp);
                if (now.divides) read_tile(division * b * width);
                subtract_on_units(now);
                fetch_tiles(next);
            } else {
                subtract(now);
            }
            division += now.divides;
        }
        sync_warp(full_warp);
    }

    /* Row m of a block of the stage. */
    GPU_FUNCTION void read(int block, int m, V (&row)[b]) const {
        GPU_UNROLL
        for (int p = 0; p < blocks::packs_of_row; p++) {
            const few numbers =
                piece_[block * blocks::packs_of_block + m * blocks::packs_of_row + p];
            GPU_UNROLL
            for (int q = 0; q < blocks::at_once; q++) {
                if (p * blocks::at_once + q < b) row[p * blocks::at_once + q] = numbers.at[q];
            }
        }
    }

    /* L_ik := A_ik D_k^-1, which is at `at` of the row: y D = a with P D = L U is w U = a, z L = w,
     * y = z P. */
    GPU_FUNCTION void divide(int at) {
        V a[b], D[b];
        GPU_UNROLL
        for (int c = 0; c < b; c++) a[c] = row_[at + r_ * width + c];
        if (inverted_) return multiply(a);
        GPU_UNROLL
        for (int m = 0; m < b; m++) {
            read(blocks::place_of_D, m, D);
            a[m] *= D[m];
            GPU_UNROLL
            for (int c = m + 1; c < b; c++) a[c] = fma(-a[m], D[c], a[c]);
        }
        GPU_UNROLL
        for (int m = b - 1; m > 0; m--) {
            read(blocks::place_of_D, m, D);
            GPU_UNROLL
            for (int c = 0; c < m; c++) a[c] = fma(-a[m], D[c], a[c]);
        }
        GPU_UNROLL
        for (int c = 0; c < b; c++) L_[c] = a[c];
    }
    GPU_FUNCTION void write_L(int at) const {
        GPU_UNROLL
        for (int c = 0; c < b; c++) row_[at + r_ * width + column_[c]] = L_[c];
    }
    GPU_FUNCTION void multiply(const V (&a)[b]) {
        V D[b];
        GPU_UNROLL
        for (int c = 0; c < b; c++) L_[c] = V(0);
        GPU_UNROLL
        for (int m = 0; m < b; m++) {
            read(blocks::place_of_D, m, D);
            GPU_UNROLL
            for (int c = 0; c < b; c++) L_[c] = fma(a[m], D[c], L_[c]);
        }
    }

    /* A_ij := A_ij - L_ik U_kj, one block per group. */
    GPU_FUNCTION void subtract(const stage &s) {
        if (group_ >= s.count || group_ == groups) return;
        const int at = (static_cast<int>(step_word<int32_t>(s.word).to()) * b + r_) * width;
        V sum[b], U[b];
        GPU_UNROLL
        for (int c = 0; c < b; c++) sum[c] = row_[at + c];
        GPU_UNROLL
        for (int m = 0; m < b; m++) {
            read(group_, m, U);
            GPU_UNROLL
            for (int c = 0; c < b; c++) sum[c] = fma(-L_[m], U[c], sum[c]);
        }
        GPU_UNROLL
        for (int c = 0; c < b; c++) row_[at + c] = sum[c];
    }

    /* -L_ik, which stands at `at` of the row. */
    GPU_FUNCTION void read_tile(int at) {
        const V left = row_[at + me_ / 4 * width + me_ % 4];
        const V right = row_[at + me_ / 4 * width + me_ % 4 + 4];
        tile_L_[0] = -left;
        tile_L_[1] = -right;
    }
    /* Four blocks at a time, which are others, so that their numbers come together. */
    GPU_FUNCTION void subtract_on_units(const stage &s) {
        constexpr int some = 4;
        GPU_UNROLL
        for (int first = 0; first < most; first += some) {
            tile_f64 sum[some] = {};
            int at[some];
            if (first >= s.count) break;
            GPU_UNROLL
            for (int p = 0; p < some; p++) {
                const int to = static_cast<int>(subtraction(s, first + p).to());
                at[p] = (to * b + me_ / 4) * width + 2 * (me_ % 4);
                if (first + p >= s.count) continue;
                sum[p].c[0] = row_[at[p]];
                sum[p].c[1] = row_[at[p] + 1];
            }
            GPU_UNROLL
            for (int p = 0; p < some; p++) {
                multiply_add_8x8x4(sum[p], tile_L_[0], tile_U_[2 * (first + p)]);
                multiply_add_8x8x4(sum[p], tile_L_[1], tile_U_[2 * (first + p) + 1]);
            }
            GPU_UNROLL
            for (int p = 0; p < some; p++) {
                if (first + p >= s.count) continue;
                row_[at[p]] = sum[p].c[0];
                row_[at[p] + 1] = sum[p].c[1];
            }
        }
    }

    /* The diagonal block; all groups do the same. The row that is the pivot stays with its lane,
     * which learns at which row of P D it stands. Who does not work has a block of ones. */
    GPU_FUNCTION void finish(bool works, double largest) {
        const int at = lower_ * b * width;
        V a[b], inverse[b];
        GPU_UNROLL
        for (int c = 0; c < b; c++) {
            a[c] = c == r_ ? V(1) : V(0);
            if (works) a[c] = row_[at + r_ * width + c];
        }
        int stands = -1;
        uint64_t pivots = 0;
        GPU_UNROLL
        for (int k = 0; k < b; k++) {
            const int best = pivot_row(a[k], stands >= 0), from = mate_ + best;
            pivots |= static_cast<uint64_t>(best) << (4 * k);
            const double found = static_cast<double>(shuffle(full_warp, a[k], from));
            const V pivot = static_cast<V>(works ? judged(found, largest, k) : found);
            inverse[k] = V(1) / pivot;
            if (r_ == best) {
                stands = k;
                a[k] = pivot;
            }
            if (stands < 0) a[k] *= inverse[k];
            GPU_UNROLL
            for (int c = k + 1; c < b; c++) {
                const V of_pivot = shuffle(full_warp, a[c], from);
                if (stands < 0) a[c] = fma(-a[k], of_pivot, a[c]);
            }
        }
        sync_warp(full_warp);
        if (works && me_ < b) {
            GPU_UNROLL
            for (int c = 0; c < b; c++) row_[at + stands * width + c] = a[c];
            if (!inverted_) f_.pivots[int64_t{i_} * b + stands] = static_cast<uint8_t>(r_);
        }
        sync_warp(full_warp);
        if (inverted_) invert(works, inverse, pivots, at);
    }
    /* The row with the largest number, of those that are no pivot yet. */
    GPU_FUNCTION int pivot_row(V v, bool done) const {
        unsigned key = done ? 0u : pivot_key(v, r_);
        GPU_UNROLL
        for (int apart = (b & (b - 1)) == 0 ? b / 2 : lanes / 2; apart > 0; apart /= 2) {
            const unsigned other = shuffle_xor(full_warp, key, apart);
            key = other > key ? other : key;
        }
        return 15 - static_cast<int>(key & 15u);
    }
    GPU_FUNCTION double judged(double pivot, double largest, int k) const {
        const tulle__pivot_rule rule = tulle__rule_of(&f_);
        const tulle__judged j = tulle__weigh_pivot(&rule, pivot, largest);
        return me_ == 0 ? factor_noted(j, int64_t{i_} * b + k, f_.seen) : j.pivot;
    }
    /* Column r of D^-1: L U x = P e_r. */
    GPU_FUNCTION void invert(bool works, const V (&inverse)[b], uint64_t pivots, int at) {
        V x[b];
        GPU_UNROLL
        for (int m = 0; m < b; m++) x[m] = pivot_of(pivots, m) == r_ ? V(1) : V(0);
        if (works) solve(at, inverse, x);
        sync_warp(full_warp);
        if (works && me_ < b) {
            GPU_UNROLL
            for (int m = 0; m < b; m++) row_[at + m * width + r_] = x[m];
        }
        sync_warp(full_warp);
    }
    GPU_FUNCTION void solve(int at, const V (&inverse)[b], V (&x)[b]) const {
        GPU_UNROLL
        for (int m = 0; m < b; m++) {
            GPU_UNROLL
            for (int q = m + 1; q < b; q++) {
                const V number = row_[at + q * width + m];
                x[q] = fma(-number, x[m], x[q]);
            }
        }
        GPU_UNROLL
        for (int m = b - 1; m >= 0; m--) {
            x[m] *= inverse[m];
            GPU_UNROLL
            for (int q = 0; q < m; q++) {
                const V number = row_[at + q * width + m];
                x[q] = fma(-number, x[m], x[q]);
            }
        }
    }

    GPU_FUNCTION void store() const {
        V *to = values_ + int64_t{begin_} * cells;
        for (int x = me_; x < length_ * cells; x += lanes) to[x] = row_[in_shared<b>(x)];
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
