/* SPDX-License-Identifier: Apache-2.0 */
/* The level of each row, one more than the highest that it waits for, by levels: who waits for
 * nothing else goes into a queue, and each row that leaves it is taken off those that wait for it
 * (Kahn 1962; on GPUs Naumov 2011). One launch finds a wide level, or all that one block can find
 * before the next wide one; so nothing ever looks in vain. Rows that wait for one another are found
 * by the other ends of the entries, which come in any order: levels do not depend on it. */
#ifndef TULLE_TRISOLVE_GPU_FIND_LEVELS_CUH
#define TULLE_TRISOLVE_GPU_FIND_LEVELS_CUH

#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"
#include "trisolve/gpu/waits.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int level_threads = 256, level_flight = 4;

/* Where the followers of a row stand. */
template <class I>
struct follower_span {
    I at, end;
};

/* Who waits for row i: its rows stand from begins[i] on. */
template <class I>
struct followers {
    const I *begins, *rows;

    GPU_FUNCTION follower_span<I> span(I row) const {
        return {load(begins + row), load(begins + row + 1)};
    }
};

/* counts[i] := counts[i] + how many wait for row i. */
template <class I>
GPU_KERNEL void count_followers(waits<I> w, I *counts) {
    for (int64_t k = loop_first(); k < w.entries; k += loop_stride()) {
        atomic_add(counts + load(w.others + k), I(1));
    }
}

/* next[i]: where the next one of row i goes. */
template <class I>
GPU_KERNEL void list_followers(waits<I> w, I *next, I *rows) {
    int64_t row = 0;
    const warp_stretch stretch(w.entries);
    for (int64_t k = stretch.begin + lane(); k < stretch.end; k += warp_lanes) {
        row = row_of_entry(w.begins, w.rows, k, row);
        const I at = atomic_add(next + load(w.others + k), I(1));
        rows[at] = static_cast<I>(row);
    }
}

/* A level that a launch begins with: its stretch of the queue. */
struct level_turn {
    int64_t level, begin, count;
};

/* The queue, in which each level is a stretch: of its rows what follows them. */
template <class I>
struct level_queue {
    follower_span<I> *spans;
    I *waiting;      /* of rows: for how many each still waits */
    I *level;        /* of rows */
    int64_t *levels; /* how many there are, once that is known; 0 before */
};

/* The level that is being found, of which *count have been. */
template <class I, class Count>
class next_level {
  public:
    GPU_FUNCTION next_level(const followers<I> &f, const level_queue<I> &q, int64_t level,
                            int64_t begin, Count count)
        : followers_(f), queue_(q), level_(static_cast<I>(level)), begin_(begin), count_(count) {}

    /* Those of the lanes' rows that are ready. All lanes of a warp call this and what follows. */
    template <int flight>
    GPU_FUNCTION void append(const I (&row)[flight], const follower_span<I> (&span)[flight],
                             const bool (&ready)[flight]) const {
        unsigned masks[flight];
        int all = 0;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            masks[f] = ballot(full_warp, ready[f]);
            all += count_bits(masks[f]);
        }
        if (all == 0) return;
        int64_t at = lane() == 0 ? atomic_add(count_, int64_t{all}) : 0;
        at = shuffle(full_warp, at, 0) + begin_;
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            if (ready[f]) {
                queue_.spans[at + count_bits(masks[f] & ((1u << lane()) - 1))] = span[f];
                queue_.level[row[f]] = level_;
            }
            at += count_bits(masks[f]);
        }
    }

    /* Each lane's rows, or -1, wait for one less. */
    template <int flight>
    GPU_FUNCTION void release(const I (&row)[flight]) const {
        follower_span<I> span[flight];
        bool ready[flight];
        GPU_UNROLL
        for (int f = 0; f < flight; f++) {
            const bool any = row[f] >= 0;
            ready[f] = any && atomic_add(queue_.waiting + row[f], I(-1)) == 1;
            span[f] = any ? followers_.span(row[f]) : follower_span<I>{};
        }
        append(row, span, ready);
    }

    /* All rows of the level before. Lanes of a team share a row, unless far more follows it than
     * the others': then the warp does. The thread's place among all is `first` of `threads`. */
    GPU_FUNCTION void find(int64_t before, int64_t count, int team, int64_t first,
                           int64_t threads) const {
        const int mate = static_cast<int>(lane()) % team, teams = warp_lanes / team;
        const int64_t group = static_cast<int64_t>(lane()) / team;
        for (int64_t base = first / warp_lanes * teams; base < count;
             base += threads / warp_lanes * teams) {
            follower_span<I> mine = {0, 0};
            if (base + group < count) mine = queue_.spans[before + base + group];
            const bool is_long = mine.end - mine.at > 4 * level_flight * team;
            release_many(mine, is_long && mate == 0);
            if (is_long) mine.at = mine.end;
            release_few(mine, mate, team);
        }
    }

  private:
    const followers<I> &followers_;
    const level_queue<I> &queue_;
    const I level_;
    const int64_t begin_;
    const Count count_;

    /* What follows the rows of some lanes, one row after the other. */
    GPU_FUNCTION void release_many(const follower_span<I> &mine, bool wanted) const {
        unsigned left = ballot(full_warp, wanted);
        for (; left != 0; left &= left - 1) {
            const int on = first_bit(left);
            const follower_span<I> all = {shuffle(full_warp, mine.at, on),
                                          shuffle(full_warp, mine.end, on)};
            release_few(all, static_cast<int>(lane()), warp_lanes);
        }
    }

    /* Of each team what follows its row. */
    GPU_FUNCTION void release_few(const follower_span<I> &mine, int mate, int team) const {
        int64_t k = static_cast<int64_t>(mine.at) + mate;
        while (any(full_warp, k < mine.end)) {
            I row[level_flight];
            GPU_UNROLL
            for (int f = 0; f < level_flight; f++) {
                row[f] = k < mine.end ? load(followers_.rows + k) : I(-1);
                k += team;
            }
            release(row);
        }
    }
};

/* Level 0, and for how many each row waits. */
template <class I>
GPU_KERNEL void begin_levels(waits<I> w, followers<I> f, level_queue<I> q, level_turn *turn) {
    const next_level<I, int64_t *> next(f, q, 0, 0, &turn->count);
    const int64_t rounds = (w.rows + loop_stride() - 1) / loop_stride();
    for (int64_t k = 0; k < rounds; k++) {
        const int64_t i = loop_first() + k * loop_stride();
        const I row[1] = {static_cast<I>(i)};
        follower_span<I> span[1] = {};
        bool ready[1] = {false};
        if (i < w.rows) {
            const I length = load(w.begins + i + 1) - load(w.begins + i);
            q.waiting[i] = length;
            ready[0] = length == 0;
            span[0] = f.span(row[0]);
        }
        next.append(row, span, ready);
    }
}

/* How rows are shared out. */
struct level_shape {
    int team;     /* lanes that share a row */
    int64_t thin; /* rows of a level that one block finds sooner than a launch of many */
};

/* Levels of few rows, by one block; the first one that is none ends up in *then. */
template <class I>
GPU_FUNCTION void advance_thin(const followers<I> &f, const level_queue<I> &q, level_turn turn,
                               level_shape shape, level_turn *then) {
    GPU_SHARED(int64_t, counts, 2);
    while (turn.count > 0 && turn.count <= shape.thin) {
        const shared<int64_t> count = counts + turn.level % 2;
        if (thread() == 0) *count = 0;
        sync();
        const int64_t end = turn.begin + turn.count;
        const next_level<I, shared<int64_t>> next(f, q, turn.level + 1, end, count);
        next.find(turn.begin, turn.count, shape.team, thread(), block_size());
        sync();
        turn.level++;
        turn.begin = end;
        turn.count = *count;
    }
    if (thread() > 0) return;
    *then = turn;
    if (turn.count == 0) *q.levels = turn.level;
}

/* From level *now on. *then, whose count is 0 before, becomes the first level that is left, and
 * *later gets such a count. */
template <class I>
GPU_KERNEL void advance_levels(followers<I> f, level_queue<I> q, level_shape shape,
                               const level_turn *now, level_turn *then, level_turn *later) {
    allow_next();
    await_previous();
    const int64_t level = now->level, begin = now->begin, count = now->count;
    if (loop_first() == 0) later->count = 0;
    if (count <= shape.thin) {
        if (block() == 0) advance_thin(f, q, {level, begin, count}, shape, then);
        return;
    }
    const next_level<I, int64_t *> next(f, q, level + 1, begin + count, &then->count);
    next.find(begin, count, shape.team, loop_first(), loop_stride());
    if (loop_first() > 0) return;
    then->level = level + 1;
    then->begin = begin + count;
}

/* Fills level, of each row, and *levels, on the device and on the host. Waits. */
template <class I>
class level_search {
  public:
    level_search(const tulle__place *place, const waits<I> &w, I *level, int64_t *levels)
        : place_(place), waits_(w), own_(place) {
        queue_.level = level;
        queue_.levels = levels;
    }

    tulle_status run(int64_t *levels) {
        *levels = 0;
        if (waits_.rows == 0) return TULLE_OK;
        GPU_TRY(list());
        GPU_TRY(begin());
        int64_t launched = 0;
        for (int batch = 1; *levels == 0; batch = batch < most_batch ? 4 * batch : batch) {
            for (int k = 0; k < batch; k++) GPU_TRY(advance(launched++));
            GPU_TRY(to_host(place_, levels, queue_.levels, sizeof *levels));
        }
        return TULLE_OK;
    }

  private:
    static constexpr int most_batch = 64, turn_count = 3;
    static constexpr int64_t thin_followers = 1024; /* that one block releases sooner */
    static constexpr int64_t blocks_in_vain = 4;    /* as many as fit delay a level of some rows */

    const tulle__place *place_;
    const waits<I> waits_;
    scratch own_;
    followers<I> followers_ = {};
    level_queue<I> queue_ = {};
    level_turn *turns_ = nullptr; /* what a launch begins with, the next one, and the one after */
    int64_t blocks_ = 0;
    level_shape shape_ = {};

    tulle_status take(int64_t count, I **array) {
        GPU_TRY(own_.get(count, array));
        return GPU_SYMBOL(set_bytes)(place_, *array, 0, static_cast<size_t>(count) * sizeof(I));
    }

    tulle_status list() {
        const int64_t rows = waits_.rows, entries = waits_.entries;
        I *begins = nullptr, *next = nullptr, *listed = nullptr;
        GPU_TRY(take(rows + 1, &begins));
        GPU_TRY(own_.get(rows + 1, &next));
        GPU_TRY(own_.get(entries, &listed));
        GPU_TRY(launch(place_, count_followers<I>, loop_grid(entries), waits_, begins));
        GPU_TRY(exclusive_scan(place_, begins, begins, rows + 1));
        GPU_TRY(GPU_SYMBOL(copy)(place_, next, begins, static_cast<size_t>(rows + 1) * sizeof(I)));
        GPU_TRY(launch(place_, list_followers<I>, loop_grid(entries), waits_, next, listed));
        followers_ = {begins, listed};
        return TULLE_OK;
    }

    tulle_status begin() {
        const int64_t rows = waits_.rows;
        GPU_TRY(own_.get(rows, &queue_.spans));
        GPU_TRY(own_.get(rows, &queue_.waiting));
        GPU_TRY(own_.get(turn_count, &turns_));
        GPU_TRY(GPU_SYMBOL(set_bytes)(place_, turns_, 0, turn_count * sizeof *turns_));
        GPU_TRY(resident_blocks(place_, advance_levels<I>, level_threads, 0, &blocks_));
        const int64_t needed = (rows + level_threads - 1) / level_threads;
        blocks_ = blocks_ > blocks_in_vain ? blocks_ / blocks_in_vain : 1;
        if (blocks_ > needed) blocks_ = needed;
        const int64_t mean = waits_.entries / rows;
        shape_ = {1, thin_followers / (1 + mean)};
        while (shape_.team < warp_lanes && int64_t{shape_.team} * level_flight < mean) {
            shape_.team *= 2;
        }
        return launch(place_, begin_levels<I>, loop_grid(rows), waits_, followers_, queue_, turns_);
    }

    tulle_status advance(int64_t turn) const {
        return launch_early(place_, advance_levels<I>, {blocks_, level_threads}, followers_, queue_,
                            shape_, turns_ + turn % turn_count, turns_ + (turn + 1) % turn_count,
                            turns_ + (turn + 2) % turn_count);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
