/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a row that several lanes share. */
#ifndef TULLE_FACTOR_GPU_TEAM_STEPS_CUH
#define TULLE_FACTOR_GPU_TEAM_STEPS_CUH

#include "factor/gpu/listed_row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Returns the index of the highest bit that is set; v must not be 0. */
GPU_FUNCTION int last_bit(unsigned v) {
    for (int by = 1; by < 32; by *= 2) v |= v >> by;
    return count_bits(v) - 1;
}

/* Each lane loads some steps at a time into slots, which the team takes in turn, one at a time, and
 * fills again. All lanes of the warp must call these functions at the same time. */
template <class T, class O, class W>
class team_steps {
    static constexpr int slots = 4;
    /* a word that no step has: it would be 0 numbers behind a pivot */
    static constexpr W no_step = 0;

  public:
    GPU_FUNCTION team_steps(const listed_steps<O, W> &steps, const T *values, const row_team &t,
                            int64_t begin, int64_t end)
        : words_(steps.words), values_(values), at_(begin + t.lane), end_(end) {
        turns_ = (end - begin + t.lanes - 1) >> t.bits;
        GPU_UNROLL
        for (int s = 0; s < slots; s++) read_word(s, t);
        GPU_UNROLL
        for (int s = 0; s < slots; s++) fill(s, true, t);
        unfilled_ = turns_ > slots ? turns_ - slots : 0;
    }
    /* Returns true when all steps have been taken. */
    GPU_FUNCTION bool done() const { return turns_ == 0; }

    GPU_FUNCTION void look() {
        GPU_UNROLL
        for (int s = 0; s < slots; s++) {
            if (from_[s] >= 0 && is_awaited(found_[s]))
                found_[s] = load_relaxed(values_ + from_[s]);
        }
    }

    /* Takes the steps whose numbers have arrived, up to the first one that has to wait. own: the
     * row of the factors. */
    template <class Row>
    GPU_FUNCTION void take(T *own, const Row &row, const row_team &t) {
        GPU_UNROLL
        for (int s = 0; s < slots; s++) {
            const bool turn = turns_ > 0 && slot_ == s;
            if (t.lanes == warp_lanes && !turn) continue; /* true for all lanes or for none */
            const bool taken = take_slot(s, turn, own, row, t);
            if (taken) {
                turns_--;
                slot_ = (s + 1) % slots;
            }
            const bool fills = taken && unfilled_ > 0;
            if (!any(full_warp, fills)) continue;
            fill(s, fills, t);
            if (fills) unfilled_--;
        }
    }

  private:
    const W *words_;
    const T *values_;
    int64_t at_, end_; /* word that the lane reads next, which may be behind the end */
    /* number of slots still to be taken, and of those that are not filled */
    int64_t turns_, unfilled_;
    int64_t pivot_ = 0;         /* entry of the pivot of the last division loaded */
    int divided_ = -1;          /* number of that division in the row; -1: none yet */
    int slot_ = 0;              /* slot that is taken next */
    int by_[slots], to_[slots]; /* places of A_ik and A_ij in the row; to is -1 for a division */
    O from_[slots];             /* index of the number of U; -1: no step, or it has been taken */
    T found_[slots];
    W word_[slots]; /* word of the slot's next step */

    GPU_FUNCTION void read_word(int s, const row_team &t) {
        word_[s] = at_ < end_ ? load_once(words_ + at_) : no_step;
        at_ += t.lanes;
    }

    /* Starts loading the next steps, if a team wants them. */
    GPU_FUNCTION void fill(int s, bool wanted, const row_team &t) {
        const W word = wanted ? word_[s] : no_step;
        const step_word<W> step(word);
        const bool divides = word != no_step && step.divides();
        const unsigned divisions = ballot(full_warp, divides) & t.mask;
        const unsigned before = divisions & t.up_to_me();
        const int me = static_cast<int>(lane());
        const O entry = static_cast<O>(step.entry());
        const O own = shuffle(full_warp, entry, before != 0 ? last_bit(before) : me);
        const O last = shuffle(full_warp, entry, divisions != 0 ? last_bit(divisions) : me);
        const int64_t pivot = before != 0 ? own : pivot_;
        const int by = divided_ + count_bits(before);
        if (!wanted) return;
        if (divisions != 0) pivot_ = last;
        divided_ += count_bits(divisions);
        by_[s] = by;
        to_[s] = divides ? -1 : static_cast<int>(step.to());
        from_[s] = word != no_step ? static_cast<O>(pivot + (divides ? 0 : step.behind())) : O(-1);
        if (from_[s] >= 0) found_[s] = load_relaxed(values_ + from_[s]);
        read_word(s, t);
    }

    GPU_FUNCTION bool divides(int s) const { return to_[s] < 0; }

    /* Takes the slot whose turn it is; returns true if all of it is taken. It goes in rounds:
     * successive divisions, then the subtractions for the last of them, before the next
     * divisions. */
    template <class Row>
    GPU_FUNCTION bool take_slot(int s, bool turn, T *own, const Row &row, const row_team &t) {
        const bool has = turn && from_[s] >= 0, there = has && !is_awaited(found_[s]);
        if (!any(full_warp, there)) return false;
        const unsigned missing = ballot(full_warp, has && !there) & t.mask;
        const bool mine = there && (missing & t.up_to_me()) == 0;
        const unsigned divisions = ballot(full_warp, mine && divides(s)) & t.mask;
        const unsigned firsts = divisions & ~(divisions << 1 & t.mask);
        const int round = count_bits(firsts & t.up_to_me());
        const int first = any(full_warp, mine && round == 0) ? 0 : 1;
        for (int now = first; any(full_warp, mine && round >= now); now++) {
            if (mine && divides(s) && round == now) divide(s, own, row);
            sync_warp(full_warp);
            if (mine && !divides(s) && round == now) subtract(s, row);
            sync_warp(full_warp);
        }
        if (mine) from_[s] = -1;
        return turn && missing == 0;
    }
    template <class Row>
    GPU_FUNCTION void divide(int s, T *own, const Row &row) const {
        const T factor = row.get(by_[s]) / found_[s];
        row.put(by_[s], factor);
        store_relaxed(own + by_[s], never_awaited(factor));
    }
    template <class Row>
    GPU_FUNCTION void subtract(int s, const Row &row) const {
        const T number = row.get(to_[s]), factor = row.get(by_[s]);
        row.put(to_[s], number - factor * found_[s]);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
