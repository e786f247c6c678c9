/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the steps of elimination. The columns that rows k and i have in common are found by
 * searching each column of the shorter row in the longer one. One lane per division does so; or,
 * where even the shorter row is long, a warp does so for one division after the other, with a table
 * of row i that serves neighbouring divisions. Successive rows with the same columns, such as those
 * of a node's unknowns, share one search, on both sides: row k + 1 has in common with row i the
 * same columns as row k, except column k + 1; and row i + 1 has in common with row k the same
 * columns as row i, in the same places. */
#include "factor/functions.h"
#include "factor/gpu/row.cuh"
#include "factor/gpu/row_table.cuh"
#include "factor/gpu/steps.cuh"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

constexpr int most_alone = 8;

/* A division: the ranges behind U_kk in row k and behind A_ik in row i. */
template <class O>
struct meeting {
    /* entry of U_kk and end of row k; entry of A_ik and end of row i */
    O pivot, behind_pivot, entry, behind_entry;
    O row, number;                                               /* begin of row i, and i itself */
    GPU_FUNCTION O length() const { return behind_entry - row; } /* number of entries of row i */
    GPU_FUNCTION bool k_is_shorter() const { return behind_pivot - pivot < behind_entry - entry; }
    GPU_FUNCTION bool k_is_much_longer() const {
        return behind_pivot - pivot > 4 * (behind_entry - entry);
    }
    GPU_FUNCTION O shorter() const {
        return (k_is_shorter() ? behind_pivot - pivot : behind_entry - entry) - 1;
    }
    GPU_FUNCTION meeting of_lane(int from) const {
        return {shuffle(full_warp, pivot, from), shuffle(full_warp, behind_pivot, from),
                shuffle(full_warp, entry, from), shuffle(full_warp, behind_entry, from),
                shuffle(full_warp, row, from),   shuffle(full_warp, number, from)};
    }
};

/* An entry of row k and one of row i in the same column; for a dropped product the number behind
 * row i that stands for it. */
template <class O>
struct pair_of {
    bool found;
    O in_k, in_i;
};

/* Sets twin[i] to 1 if row i has the columns of row i - 1, else to 0. Several lanes compare a row;
 * for most rows they compare only the ends. */
template <class O, class C>
GPU_KERNEL void mark_twins(int64_t rows, const O *offsets, const C *cols, uint8_t *twin) {
    constexpr int team = 8, teams = warp_lanes / team;
    const int mate = static_cast<int>(lane()) % team, mine = static_cast<int>(lane()) / team;
    const int64_t step = loop_stride() / team;
    for (int64_t first = loop_first() / warp_lanes * teams; first < rows; first += step) {
        const int64_t i = first + mine;
        O begin = 0, length = 0;
        bool same = false;
        if (i > 0 && i < rows) {
            begin = load(offsets + i);
            length = load(offsets + i + 1) - begin;
            same = length > most_alone && begin - load(offsets + i - 1) == length &&
                   load(cols + begin) == load(cols + begin - length) &&
                   load(cols + begin + length - 1) == load(cols + begin - 1);
        }
        for (O e = same ? static_cast<O>(mate) : length; e < length; e += team) {
            same = same && load(cols + begin + e) == load(cols + begin - length + e);
        }
        const unsigned all = ballot(full_warp, same) >> (mine * team) & ((1u << team) - 1);
        if (mate == 0 && i < rows) twin[i] = all == (1u << team) - 1;
    }
}

template <class O, class C>
struct pattern_of_steps {
    bool root, dropped; /* true for L L^T; true when dropped products are listed */
    int64_t rows, divisions;
    const O *offsets;
    const C *cols;
    const O *order, *begins, *places, *slots, *diagonal;
    const uint8_t *twin; /* result of mark_twins; NULL: rows do not share searches */
    const O *place_of;   /* place of each row, if there are twins */

    GPU_FUNCTION meeting<O> meeting_of(int64_t division, int64_t place) const {
        const O i = load(order + place), entry = load(slots + division);
        const O pivot = load(diagonal + load(places + division));
        return {pivot,
                load(offsets + load(cols + entry) + 1),
                entry,
                load(offsets + i + 1),
                load(offsets + i),
                i};
    }
    GPU_FUNCTION bool is_twin(int64_t row) const {
        return twin && row < rows && load(twin + row) != 0;
    }
    /* Returns the division, by the same pivot, of a row with the same columns as that of m. */
    GPU_FUNCTION int64_t division_in(int64_t row, const meeting<O> &m) const {
        return int64_t{load(begins + load(place_of + row))} + (m.entry - m.row);
    }
    /* Returns the number of columns of row i or row k that are searched for. */
    GPU_FUNCTION O looks(const meeting<O> &m) const {
        if (root) return m.behind_entry - m.entry - 2;
        return dropped ? m.behind_pivot - m.pivot - 1 : m.shorter();
    }
    /* Returns the pair for the n-th of these columns: L_jk, where j is the n-th column of row i
     * between k and i. */
    GPU_FUNCTION pair_of<O> look_below(const meeting<O> &m, O n) const {
        const O at = m.entry + 1 + n;
        const C j = load(cols + at), k = load(cols + m.entry);
        const O end = load(offsets + j + 1), other = factor_find(cols, load(offsets + j), end, k);
        return {other < end && load(cols + other) == k, other, at};
    }
    /* Returns the pair for the n-th column of the shorter row, or of row k. */
    GPU_FUNCTION pair_of<O> look(const meeting<O> &m, O n) const {
        if (root) return look_below(m, n);
        const bool in_k = dropped || m.k_is_shorter();
        const O at = (in_k ? m.pivot : m.entry) + 1 + n;
        const O first = (in_k ? m.entry : m.pivot) + 1;
        const O end = in_k ? m.behind_entry : m.behind_pivot;
        const C col = load(cols + at);
        const O other = factor_find(cols, first, end, col);
        const bool found = other < end && load(cols + other) == col;
        return in_k ? pair_or_drop(m, {found, at, other}) : pair_of<O>{found, other, at};
    }
    GPU_FUNCTION pair_of<O> pair_or_drop(const meeting<O> &m, const pair_of<O> &pair) const {
        if (pair.found || !dropped || pair.in_k >= m.behind_pivot) return pair;
        return {true, pair.in_k, m.behind_entry + (pair.in_k - m.pivot - 1)};
    }

    /* Returns true when the division of this lane is by U_kk, that of the lane before by U_jj with
     * j = k - 1 in the same row, and row j's search serves row k. All lanes must call it at the
     * same time. */
    GPU_FUNCTION bool is_served(bool looks_together, const meeting<O> &m) const {
        const O before = shuffle_up(full_warp, m.entry, 1);
        const unsigned all = ballot(full_warp, looks_together);
        if (!twin || !looks_together || lane() == 0 || (all >> (lane() - 1) & 1) == 0) return false;
        const C k = load(cols + m.entry);
        return before + 1 == m.entry && load(cols + before) + 1 == k && load(twin + k) != 0;
    }

    /* Returns true when the row before has the same division, by U_kk, and the same columns: its
     * search serves this row, or is served itself. */
    GPU_FUNCTION bool is_followed(const meeting<O> &m) const {
        return is_twin(m.number) && int64_t{load(cols + m.entry)} + 1 < m.number;
    }

    /* Calls visit(division, n, twins, m, pair) for the n-th subtraction of a division; m is that of
     * the division so many before it, in its row or in a row with the same columns. Then one lane
     * calls end(division, subtractions, m). */
    template <class Visit, class End>
    GPU_FUNCTION void each(const row_table<C> &table, Visit visit, End end) const {
        int64_t place = 0, in_table = -1;
        const warp_stretch stretch(divisions);
        for (int64_t first = stretch.begin; first < stretch.end; first += warp_lanes) {
            const int64_t mine = first + lane();
            meeting<O> m = {};
            if (mine < stretch.end) {
                place = row_of_entry(begins, rows, mine, place);
                m = meeting_of(mine, place);
            }
            const bool alone = mine < stretch.end && looks(m) <= most_alone;
            const bool together = mine < stretch.end && !alone && !is_followed(m);
            const bool served = is_served(together, m);
            if (alone) end(mine, meet(mine, m, visit), m);
            const unsigned all_served = ballot(full_warp, served);
            unsigned rest = ballot(full_warp, together && !served);
            for (; rest != 0; rest &= rest - 1) {
                const int next = first_bit(rest), nth = static_cast<int>(lane()) - next;
                const int twins = first_bit(~(all_served >> next >> 1));
                const meeting<O> shared = m.of_lane(next);
                O count = 0;
                if (!root && shared.length() <= row_table<C>::most && !shared.k_is_much_longer()) {
                    if (in_table != shared.row) {
                        table.fill(cols + shared.row, static_cast<int>(shared.length()));
                    }
                    in_table = shared.row;
                    count = meet_in_table(first + next, twins, shared, table, visit);
                } else {
                    count = meet_together(first + next, twins, shared, visit);
                }
                const bool ends = nth >= 0 && nth <= twins;
                if (ends) end(mine, count - static_cast<O>(nth), m);
                for (int64_t row = shared.number + 1; is_twin(row); row++) {
                    if (ends) end(division_in(row, m), count - static_cast<O>(nth), m);
                }
            }
        }
    }
    template <class Visit>
    GPU_FUNCTION O meet(int64_t division, const meeting<O> &m, Visit visit) const {
        O count = 0;
        for (O n = 0; n < looks(m); n++) {
            const pair_of<O> pair = look(m, n);
            if (pair.found) visit(division, count++, 0, m, pair);
        }
        return count;
    }
    template <class Visit>
    GPU_FUNCTION O meet_in_table(int64_t division, int twins, const meeting<O> &m,
                                 const row_table<C> &table, Visit visit) const {
        O count = 0;
        for (O first = m.pivot + 1; first < m.behind_pivot; first += warp_lanes) {
            const O in_k = first + static_cast<O>(lane());
            const int at = in_k < m.behind_pivot ? table.find(load(cols + in_k)) : -1;
            const pair_of<O> pair = pair_or_drop(m, {at >= 0, in_k, m.row + at});
            count = visit_found(division, twins, count, m, pair, visit);
        }
        return count;
    }
    template <class Visit>
    GPU_FUNCTION O meet_together(int64_t division, int twins, const meeting<O> &m,
                                 Visit visit) const {
        O count = 0;
        for (O first = 0; first < looks(m); first += warp_lanes) {
            const O n = first + static_cast<O>(lane());
            pair_of<O> pair = {};
            if (n < looks(m)) pair = look(m, n);
            count = visit_found(division, twins, count, m, pair, visit);
        }
        return count;
    }
    /* Visits the subtraction of each lane, behind `count` earlier ones; returns the new count. If
     * there is a twin, the first subtraction is that of column k + 1, and so on, and is not the
     * twin's. */
    template <class Visit>
    GPU_FUNCTION O visit_found(int64_t division, int twins, O count, const meeting<O> &m,
                               const pair_of<O> &pair, Visit visit) const {
        const unsigned found = ballot(full_warp, pair.found);
        const int before = count_bits(found & ((1u << lane()) - 1));
        const O n = count + static_cast<O>(before);
        int64_t row = m.number, first = division;
        for (bool more = true; more; more = is_twin(row)) {
            if (row > m.number) first = division_in(row, m);
            for (int t = 0; pair.found && t <= twins && t <= n; t++) {
                visit(first + t, n - static_cast<O>(t), t, m, pair);
            }
            row++;
        }
        return count + static_cast<O>(count_bits(found));
    }
};

template <class O>
GPU_KERNEL void number_places(int64_t rows, const O *order, O *place_of) {
    for (int64_t p = loop_first(); p < rows; p += loop_stride()) {
        place_of[load(order + p)] = static_cast<O>(p);
    }
}

/* Sets counts[division] to its number of steps; the element behind the last is 0. */
template <class O, class C>
GPU_KERNEL void count_steps(pattern_of_steps<O, C> a, int64_t *counts) {
    GPU_SHARED(int, slots, loop_warps *row_table<C>::slots);
    GPU_SHARED(C, columns, loop_warps * row_table<C>::most);
    const auto table = row_table<C>::of_warp(slots, columns);
    a.each(
        table, [](int64_t, O, int, const meeting<O> &, const pair_of<O> &) {},
        [&](int64_t division, O subtractions, const meeting<O> &) {
            counts[division] = 1 + static_cast<int64_t>(subtractions);
        });
    if (loop_first() == 0) counts[a.divisions] = 0;
}

/* Computes the begins of the steps of places from those of divisions. *longest must be 0 before. */
template <class O>
GPU_KERNEL void begin_places(int64_t rows, const O *divisions, const int64_t *before, O *begins,
                             int64_t *longest) {
    GPU_SHARED(int64_t, room, loop_warps);
    int64_t steps = 0;
    for (int64_t p = loop_first(); p <= rows; p += loop_stride()) {
        const int64_t begin = load(before + load(divisions + p));
        begins[p] = static_cast<O>(begin);
        const int64_t end = p < rows ? load(before + load(divisions + p + 1)) : begin;
        if (end - begin > steps) steps = end - begin;
    }
    steps = block_reduce<most>(steps, room);
    if (thread() == 0 && steps > 0) atomic_max(longest, steps);
}

template <class O, class C, class W>
GPU_KERNEL void fill_steps(pattern_of_steps<O, C> a, const int64_t *before, W *words) {
    GPU_SHARED(int, slots, loop_warps *row_table<C>::slots);
    GPU_SHARED(C, columns, loop_warps * row_table<C>::most);
    const auto table = row_table<C>::of_warp(slots, columns);
    a.each(
        table,
        [&](int64_t division, O n, int twins, const meeting<O> &m, const pair_of<O> &pair) {
            words[load(before + division) + 1 + n] =
                step_word<W>::subtraction(pair.in_k - m.pivot - twins, pair.in_i - m.row);
        },
        [&](int64_t division, O, const meeting<O> &m) {
            words[load(before + division)] = step_word<W>::division(m.pivot);
        });
}

template <class O, class C>
class listing {
  public:
    listing(const tulle__place *place, const tulle__steps_task *t, tulle__steps *steps)
        : place_(place),
          task_(t),
          steps_(steps),
          memory_(place),
          own_(place),
          pattern_{t->kind == TULLE_CHOLESKY,
                   t->dropped,
                   t->rows,
                   t->schedule->entries,
                   static_cast<const O *>(t->offsets),
                   static_cast<const C *>(t->cols_of),
                   static_cast<const O *>(t->schedule->order),
                   static_cast<const O *>(t->schedule->begins),
                   static_cast<const O *>(t->schedule->places),
                   static_cast<const O *>(t->schedule->slots),
                   static_cast<const O *>(t->schedule->diagonal),
                   nullptr,
                   nullptr} {}

    tulle_status run() {
        constexpr bool narrow = sizeof(O) == sizeof(int32_t);
        if (pattern_.root && task_->entries > step_word<int64_t>::most_numbers) return TULLE_OK;
        GPU_TRY(count());
        if (count_ > task_->most || (narrow && count_ > INT32_MAX)) return TULLE_OK;
        GPU_TRY(begin());
        if constexpr (narrow) {
            const int64_t rows_long = (pattern_.dropped ? 2 : 1) * task_->longest;
            const int64_t apart = pattern_.root ? task_->entries : rows_long;
            if (apart <= step_word<int32_t>::most_numbers) return fill<int32_t>();
        }
        return fill<int64_t>();
    }

  private:
    const tulle__place *place_;
    const tulle__steps_task *task_;
    tulle__steps *steps_;
    scratch memory_, own_; /* memory for the steps, and scratch for this work */
    pattern_of_steps<O, C> pattern_;
    int64_t *before_ = nullptr, count_ = 0; /* begin of each division's steps; number of steps */
    O *begins_ = nullptr;

    grid divisions() const { return loop_grid(pattern_.divisions > 0 ? pattern_.divisions : 1); }

    /* Finds twins if rows are long enough for lanes to share one, and if no row lists more steps
     * than it finds. */
    tulle_status find_twins() {
        uint8_t *twin = nullptr;
        O *place_of = nullptr;
        if (pattern_.root || pattern_.dropped || task_->longest <= most_alone) return TULLE_OK;
        GPU_TRY(own_.get(task_->rows, &twin));
        GPU_TRY(own_.get(task_->rows, &place_of));
        GPU_TRY(launch(place_, number_places<O>, loop_grid(task_->rows), task_->rows,
                       pattern_.order, place_of));
        GPU_TRY(launch(place_, mark_twins<O, C>, loop_grid(task_->rows), task_->rows,
                       pattern_.offsets, pattern_.cols, twin));
        pattern_.twin = twin;
        pattern_.place_of = place_of;
        return TULLE_OK;
    }
    tulle_status count() {
        const int64_t all = pattern_.divisions + 1;
        GPU_TRY(own_.reserve(part_bytes<uint8_t>(task_->rows) + part_bytes<O>(task_->rows) +
                             part_bytes<int64_t>(all) + part_bytes<int64_t>(1)));
        GPU_TRY(find_twins());
        GPU_TRY(own_.get(all, &before_));
        GPU_TRY(launch(place_, count_steps<O, C>, divisions(), pattern_, before_));
        GPU_TRY(exclusive_scan(place_, before_, before_, all));
        return to_host(place_, &count_, before_ + pattern_.divisions, sizeof count_);
    }
    tulle_status begin() {
        int64_t *longest = nullptr;
        GPU_TRY(own_.get(1, &longest));
        GPU_TRY(memory_.get(task_->rows + 1, &begins_));
        GPU_TRY(GPU_SYMBOL(set_bytes)(place_, longest, 0, sizeof *longest));
        GPU_TRY(launch(place_, begin_places<O>, loop_grid(task_->rows + 1), task_->rows,
                       pattern_.begins, before_, begins_, longest));
        return to_host(place_, &steps_->longest, longest, sizeof *longest);
    }
    template <class W>
    tulle_status fill() {
        W *words = nullptr;
        GPU_TRY(memory_.get(count_, &words));
        GPU_TRY(launch(place_, fill_steps<O, C, W>, divisions(), pattern_, before_, words));
        steps_->count = count_;
        steps_->begins = memory_.hand_over(begins_);
        steps_->words = memory_.hand_over(words);
        steps_->wide = sizeof(W) == sizeof(int64_t);
        steps_->bytes = (task_->rows + 1) * static_cast<int64_t>(sizeof(O)) +
                        count_ * static_cast<int64_t>(sizeof(W));
        return TULLE_OK;
    }
};

template <class O, class C>
tulle_status list(const tulle__place *place, const tulle__steps_task *task, tulle__steps *steps) {
    return listing<O, C>(place, task, steps).run();
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(list_steps)(const tulle__place *place, const tulle__steps_task *task,
                                    tulle__steps *steps) {
    switch (task->index) {
        case TULLE_I32:
            return gpu::list<int32_t, int32_t>(place, task, steps);
        case TULLE_I64_I32:
            return gpu::list<int64_t, int32_t>(place, task, steps);
        default:
            return gpu::list<int64_t, int64_t>(place, task, steps);
    }
}
