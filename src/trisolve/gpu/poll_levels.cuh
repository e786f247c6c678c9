/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the level of each row where all rows, or nearly all, are under way at the same time: a row
 * polls the levels for which it waits until it knows them all. A level is its own flag. From one
 * level to the next there is one trip through memory, where a queue of rows that are ready
 * (find_levels.cuh) has several, and needs lists of followers. But all rows poll again and again,
 * so that many of them would keep each other from memory. A warp takes rows in the order in which
 * they may wait for one another, and leaves them when all are known: the rows for which it waits
 * are its own, or were taken earlier by a warp that runs. */
#ifndef TULLE_TRISOLVE_GPU_POLL_LEVELS_CUH
#define TULLE_TRISOLVE_GPU_POLL_LEVELS_CUH

#include "gpu/loop.cuh"
#include "trisolve/gpu/waits.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int poll_flight = 4;

/* The rows for which a row waits, or a lane's share of them; some of them are polled together. */
template <class I>
class level_watch {
  public:
    GPU_FUNCTION level_watch(const I *others, int64_t begin, int64_t end, int step)
        : others_(others), next_(begin), end_(end), step_(step) {
        GPU_UNROLL
        for (int f = 0; f < poll_flight; f++) other_[f] = -1;
    }
    GPU_FUNCTION I found() const { return found_; }

    /* Polls each level that is not known yet; returns true when all are known. */
    GPU_FUNCTION bool look(const I *level) {
        I known[poll_flight];
        bool all = true;
        GPU_UNROLL
        for (int f = 0; f < poll_flight; f++) {
            if (other_[f] >= 0 || next_ >= end_) continue;
            other_[f] = load(others_ + next_);
            next_ += step_;
        }
        GPU_UNROLL
        for (int f = 0; f < poll_flight; f++) {
            known[f] = other_[f] >= 0 ? load_relaxed(level + other_[f]) : I(-1);
        }
        GPU_UNROLL
        for (int f = 0; f < poll_flight; f++) {
            if (known[f] >= found_) found_ = known[f] + 1;
            if (known[f] >= 0) other_[f] = -1;
            all = all && other_[f] < 0;
        }
        return all && next_ >= end_;
    }

  private:
    const I *others_;
    int64_t next_, end_;
    const int step_;
    I other_[poll_flight], found_ = 0; /* rows that are polled, -1 for none; highest level found */
};

template <class I>
GPU_FUNCTION I most_of_team(I v, int team) {
    for (int step = team / 2; step > 0; step /= 2) {
        const I other = shuffle_xor(full_warp, v, step);
        v = other > v ? other : v;
    }
    return v;
}

/* Returns the level of a team's row, or -1 if it has none. All lanes must call it. */
template <class I>
GPU_FUNCTION I poll_level(const waits<I> &w, int64_t row, int team, I *level) {
    const int mate = static_cast<int>(lane()) % team;
    const unsigned mates = (full_warp >> (warp_lanes - team)) << (lane() - mate);
    const bool has = row >= 0;
    level_watch<I> watch(w.others, has ? int64_t{load(w.begins + row)} + mate : 0,
                         has ? int64_t{load(w.begins + row + 1)} : 0, team);
    for (bool told = !has; any(full_warp, !told);) {
        const unsigned known = ballot(full_warp, watch.look(level));
        const bool ready = !told && (known & mates) == mates;
        if (!any(full_warp, ready)) {
            spin_awake();
            continue;
        }
        const I most = most_of_team(watch.found(), team);
        if (ready && mate == 0) store_relaxed(level + row, most);
        told = told || ready;
    }
    const I most = most_of_team(watch.found(), team);
    return has ? most : I(-1);
}

/* falling: true when a row waits for others behind it. team: lanes that share a row. level must be
 * -1 before. *taken: number of times that a warp has taken rows; *taken and *levels must be 0
 * before. */
template <class I>
GPU_KERNEL void poll_levels(waits<I> w, bool falling, int team, I *level, int64_t *taken,
                            int64_t *levels) {
    const int64_t teams = warp_lanes / team, own = lane() / team;
    I most = -1;
    for (;;) {
        int64_t turn = lane() == 0 ? atomic_add(taken, int64_t{1}) : 0;
        turn = shuffle(full_warp, turn, 0);
        if (turn * teams >= w.rows) break;
        const int64_t nth = turn * teams + own;
        const int64_t row = nth >= w.rows ? -1 : falling ? w.rows - 1 - nth : nth;
        const I found = poll_level(w, row, team, level);
        most = found > most ? found : most;
    }
    most = most_of_team(most, warp_lanes);
    if (lane() == 0 && most >= 0) atomic_max(levels, int64_t{most} + 1);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
