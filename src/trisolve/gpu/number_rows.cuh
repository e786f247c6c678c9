/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of scalars that wait for numbers of X, solved by teams of lanes. Levels are a chain, whose
 * links go from the arrival of the last number for which a row waits to the storing of the row's
 * own number. So a lane that polls also computes the row's number as if all had arrived, and stores
 * it if they have: a branch for the rare case takes less time than a branch for each question. */
#ifndef TULLE_TRISOLVE_GPU_NUMBER_ROWS_CUH
#define TULLE_TRISOLVE_GPU_NUMBER_ROWS_CUH

#include "trisolve/gpu/awaited.cuh"
#include "trisolve/gpu/diagonal.cuh"
#include "trisolve/row_shape.h"

namespace TULLE_GPU_NAMESPACE {

/* Returns the sum over the lanes that share a row, in the first of them. */
template <class V>
GPU_FUNCTION V sum_of_lanes(V sum, int coop, int apart) {
    for (int half = coop / 2; half > 0; half /= 2) {
        sum += shuffle_down(full_warp, sum, static_cast<unsigned>(half * apart));
    }
    return sum;
}

/* The lanes that share a row: `coop` lanes, `apart` from each other. */
struct number_team {
    /* number and distance of the lanes, and this lane's number among them */
    int coop, apart, first;
    unsigned mates;
};

/* These three structs are a lane's part of a row: its place, the indices of its numbers of X and of
 * the matrix, and these numbers. */
template <class I>
struct number_place {
    int64_t place = -1, row = 0; /* place of the row, -1 for none, and the row */
    /* next entry, which may be behind the end, and too large for an I */
    int64_t at = 0;
    I end = 0, diagonal = 0;
};
template <class V, class I>
struct number_slots {
    number_place<I> here;
    I place[TULLE__ROW_FLIGHT], slot[TULLE__ROW_FLIGHT]; /* places and slots of entries; -1: none */
    V start = 0, diagonal = 1;
};
template <class V, class I, class Known>
struct number_row {
    number_place<I> here;
    Known from[TULLE__ROW_FLIGHT];
    /* values and numbers of X; zeros for missing entries */
    V value[TULLE__ROW_FLIGHT], found[TULLE__ROW_FLIGHT];
    V start = 0;
    divisor<V> own;
};
/* The next flight of a row with more than one: its numbers of the matrix, and the indices behind
 * them, are being loaded, so that a turn of a long row waits only for numbers of X. */
template <class V, class I>
struct number_flights {
    bool asked = false;
    I place[TULLE__ROW_FLIGHT] = {}, later_place[TULLE__ROW_FLIGHT] = {};
    I later_slot[TULLE__ROW_FLIGHT] = {};
    V value[TULLE__ROW_FLIGHT] = {};
};

/* known: pointer or gpu::shared to the numbers of X of a column, by place, `stride` apart. */
template <class S, class V, class I, class Known>
class number_rows {
    static constexpr int flight = TULLE__ROW_FLIGHT;

  public:
    GPU_FUNCTION number_rows(const triangular<S, V, I> &a, const number_team &team, int64_t column,
                             Known known, int64_t stride)
        : a_(a),
          team_(team),
          from_(a.from + column * a.from_col),
          x_(a.x + column * a.x_col),
          alpha_(a.alpha.value()),
          known_(known),
          stride_(stride) {}

    /* find() and the two functions after it make three steps, each of which needs the loads of the
     * step before. */
    GPU_FUNCTION number_place<I> find(int64_t place) const {
        number_place<I> p;
        if (place < 0 || place >= a_.rows) return p;
        p.place = place;
        p.row = static_cast<int64_t>(load(a_.order + place));
        p.at = static_cast<int64_t>(load(a_.begins + place)) + team_.first;
        p.end = load(a_.begins + place + 1);
        p.diagonal = load(a_.diagonals + place);
        return p;
    }
    GPU_FUNCTION number_slots<V, I> ask(const number_place<I> &here) const {
        number_slots<V, I> s;
        s.here = here;
        ask_entries(here.at, here.end, s.place, s.slot);
        if (here.place < 0 || team_.first != 0) return s;
        s.start = alpha_ * from_[here.row * a_.from_row];
        const bool unit =
            a_.diagonal == TULLE__DIAGONAL_UNIT || a_.diagonal == TULLE__DIAGONAL_UNIT_TRIANGLE;
        if (!unit) s.diagonal = a_.value(here.diagonal, 1, 0);
        return s;
    }
    GPU_FUNCTION number_row<V, I, Known> get(const number_slots<V, I> &s) const {
        number_row<V, I, Known> r;
        r.here = s.here;
        r.start = s.start;
        get_values(s.place, s.slot, r.value);
        await_entries(s.place, &r);
        r.own.set(s.diagonal, a_.diagonal == TULLE__DIAGONAL_INVERTED);
        return r;
    }

    /* Solves a row; all lanes of the warp must call it at the same time. */
    GPU_FUNCTION void solve(number_row<V, I, Known> *r) const {
        V sum = 0;
        bool stored = r->here.place < 0;
        if (any(full_warp, has_more(*r))) take_flights(r, &sum, &stored);
        do {
            spin_awake();
            const bool came = look(r);
            finish(*r, added(*r, sum), of_team(came), &stored);
        } while (!all(full_warp, stored));
    }

  private:
    const triangular<S, V, I> &a_;
    const number_team team_;
    const V *const from_;
    V *const x_;
    const V alpha_;
    const Known known_;
    const int64_t stride_;

    GPU_FUNCTION void ask_entries(int64_t at, I end, I *place, I *slot) const {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const int64_t e = at + int64_t{f} * team_.coop;
            const bool any = e < static_cast<int64_t>(end);
            place[f] = any ? load_once(a_.places + e) : I(-1);
            slot[f] = any ? load_once(a_.slots + e) : I(0);
        }
    }
    GPU_FUNCTION void get_values(const I *place, const I *slot, V *value) const {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) value[f] = place[f] >= 0 ? a_.value(slot[f], 1, 0) : V(0);
    }
    GPU_FUNCTION void await_entries(const I *place, number_row<V, I, Known> *r) const {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const bool any = place[f] >= 0;
            r->found[f] = 0;
            if (any) make_awaited(&r->found[f]);
            r->from[f] = known_ + (any ? static_cast<int64_t>(place[f]) * stride_ : 0);
        }
    }

    /* Takes all but the last flight of each lane. Rows of other teams, for which these may wait,
     * are finished meanwhile; the code for that is left out where there can be none. */
    GPU_FUNCTION void take_flights(number_row<V, I, Known> *r, V *sum, bool *stored) const {
        number_flights<V, I> next;
        bool more = has_more(*r);
        while (any(full_warp, more)) {
            spin_awake();
            const bool came = look(r), ready = of_team(came && !more);
            const V now = added(*r, *sum);
            if (any(full_warp, ready && !*stored)) finish(*r, now, ready, stored);
            if (!came || !more) continue;
            *sum = now;
            go_on(r, &next);
            more = has_more(*r);
        }
    }
    GPU_FUNCTION V added(const number_row<V, I, Known> &r, V sum) const {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) sum += r.value[f] * r.found[f];
        return sum;
    }
    /* Computes the row's number, and stores it if all numbers have arrived. */
    GPU_FUNCTION void finish(const number_row<V, I, Known> &r, V sum, bool ready,
                             bool *stored) const {
        const Known to = known_ + (r.here.place < 0 ? 0 : r.here.place * stride_);
        const V rest = r.start - sum_of_lanes(sum, team_.coop, team_.apart);
        const bool stores = ready && !*stored && team_.first == 0;
        V x;
        const bool plain = r.own.try_divide(rest, &x);
        *stored |= ready;
        if (stores && plain) put(to, r, x);
        const bool odd = stores && !plain;
        if (any(full_warp, odd)) {
            if (odd) put(to, r, never_awaited(r.own.divide(rest)));
        }
    }

    /* Polls the lane's flight; returns true when all of it has arrived. */
    GPU_FUNCTION bool look(number_row<V, I, Known> *r) const {
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (is_awaited(r->found[f])) r->found[f] = load_relaxed(r->from[f]);
        }
        bool awaits = false;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) awaits |= is_awaited(r->found[f]);
        return !awaits;
    }
    GPU_FUNCTION bool of_team(bool mine) const {
        if (team_.coop == 1) return mine;
        return (ballot(full_warp, mine) & team_.mates) == team_.mates;
    }

    GPU_FUNCTION int64_t after(const number_row<V, I, Known> &r) const {
        return r.here.at + int64_t{flight} * team_.coop;
    }
    GPU_FUNCTION bool has_more(const number_row<V, I, Known> &r) const {
        return after(r) < static_cast<int64_t>(r.here.end);
    }
    GPU_FUNCTION void go_on(number_row<V, I, Known> *r, number_flights<V, I> *next) const {
        const int64_t turn = int64_t{flight} * team_.coop;
        r->here.at += turn;
        if (!next->asked) {
            I slot[flight];
            next->asked = true;
            ask_entries(r->here.at, r->here.end, next->place, slot);
            ask_entries(r->here.at + turn, r->here.end, next->later_place, next->later_slot);
            get_values(next->place, slot, next->value);
        }
        await_entries(next->place, r);
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            r->value[f] = next->value[f];
            next->place[f] = next->later_place[f];
        }
        get_values(next->place, next->later_slot, next->value);
        ask_entries(r->here.at + 2 * turn, r->here.end, next->later_place, next->later_slot);
    }

    GPU_FUNCTION void put(Known to, const number_row<V, I, Known> &r, V x) const {
        store_relaxed(to, x);
        x_[r.here.row * a_.x_row] = x;
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
