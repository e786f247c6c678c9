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

constexpr int level_threads = 256, level_flight = 4, level_long = 128;
constexpr int64_t thin_level = 2 * level_threads;

/* Who waits for row i: its rows stand from begins[i] on. */
template <class I>
struct followers {
    const I *begins, *rows;
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

/* The queue, in which each level is a stretch, and what is known of it. */
template <class I>
struct level_queue {
    I *rows;
    I *begins, *counts; /* of levels: where a level begins, and how many are in it so far */
    I *waiting;         /* of rows: for how many each still waits */
    I *level;           /* of rows */
    int64_t *levels;    /* how many there are, once that is known; 0 before */

    /* Appends those of the lanes' rows that are ready to level l, which begins at `begin`. All
     * lanes of a warp call this. */
    template <int count>
    GPU_FUNCTION void append(I l, I begin, const I (&row)[count],
                             const bool (&ready)[count]) const {
        unsigned masks[count], before = 0;
        int all = 0;
        for (int f = 0; f < count; f++) {
            masks[f] = ballot(full_warp, ready[f]);
            all += count_bits(masks[f]);
        }
        if (all == 0) return;
        I at = lane() == 0 ? atomic_add(counts + l, static_cast<I>(all)) : I(0);
        at = shuffle(full_warp, at, 0) + begin;
        for (int f = 0; f < count; f++) {
            if (ready[f]) {
                const unsigned lower = masks[f] & ((1u << lane()) - 1);
                rows[at + static_cast<I>(before) + static_cast<I>(count_bits(lower))] = row[f];
                level[row[f]] = l;
            }
            before += static_cast<unsigned>(count_bits(masks[f]));
        }
    }

    /* Takes those that wait off, where lanes have one: -1 is none. */
    template <int count>
    GPU_FUNCTION void release(I l, I begin, const I (&row)[count]) const {
        bool ready[count];
        GPU_UNROLL
        for (int f = 0; f < count; f++) {
            ready[f] = row[f] >= 0 && atomic_add(waiting + row[f], I(-1)) == 1;
        }
        append(l, begin, row, ready);
    }
};

/* Level 0, and for how many each row waits. */
template <class I>
GPU_KERNEL void begin_levels(waits<I> w, level_queue<I> q) {
    const int64_t rounds = (w.rows + loop_stride() - 1) / loop_stride();
    for (int64_t k = 0; k < rounds; k++) {
        const int64_t i = loop_first() + k * loop_stride();
        const I row[1] = {static_cast<I>(i)};
        bool ready[1] = {false};
        if (i < w.rows) {
            const I length = load(w.begins + i + 1) - load(w.begins + i);
            q.waiting[i] = length;
            ready[0] = length == 0;
        }
        q.append(I(0), I(0), row, ready);
    }
}

/* What follows a row whose followers are many: the whole warp takes them. */
template <class I>
GPU_FUNCTION void release_many(const followers<I> &f, const level_queue<I> &q, I l, I begin, I at,
                               I end) {
    unsigned left = ballot(full_warp, end - at > level_long);
    for (; left != 0; left &= left - 1) {
        const int on = first_bit(left);
        const int64_t last = static_cast<int64_t>(shuffle(full_warp, end, on));
        int64_t k = static_cast<int64_t>(shuffle(full_warp, at, on));
        for (; k < last; k += int64_t{level_flight} * warp_lanes) {
            I row[level_flight];
            GPU_UNROLL
            for (int g = 0; g < level_flight; g++) {
                const int64_t e = k + g * warp_lanes + lane();
                row[g] = e < last ? load(f.rows + e) : I(-1);
            }
            q.release(l, begin, row);
        }
    }
}

/* All rows of level l, which are `count` from `begin` on: the warp of thread `first` takes those of
 * its threads, and so on in steps of `stride`. */
template <class I>
GPU_FUNCTION void release_level(const followers<I> &f, const level_queue<I> &q, I l, int64_t begin,
                                int64_t count, int64_t first, int64_t stride) {
    const I next = l + 1, next_begin = static_cast<I>(begin + count);
    for (int64_t base = first - lane(); base < count; base += stride) {
        I at = 0, end = 0;
        if (base + lane() < count) {
            const I row = q.rows[begin + base + lane()];
            at = load(f.begins + row);
            end = load(f.begins + row + 1);
        }
        release_many(f, q, next, next_begin, at, end);
        if (end - at > level_long) at = end;
        while (any(full_warp, at < end)) {
            I row[level_flight];
            GPU_UNROLL
            for (int g = 0; g < level_flight; g++) {
                row[g] = end - at > g ? load(f.rows + at + g) : I(-1);
            }
            q.release(next, next_begin, row);
            at = end - at > level_flight ? at + level_flight : end;
        }
    }
}

/* From level *now on; *then becomes the next one. */
template <class I>
GPU_KERNEL void advance_levels(followers<I> f, level_queue<I> q, const I *now, I *then) {
    allow_next();
    await_previous();
    I l = *now;
    int64_t begin = static_cast<int64_t>(q.begins[l]), count = static_cast<int64_t>(q.counts[l]);
    if (count > thin_level) {
        release_level(f, q, l, begin, count, loop_first(), loop_stride());
        if (loop_first() > 0) return;
        q.begins[l + 1] = static_cast<I>(begin + count);
        *then = l + 1;
        return;
    }
    if (block() > 0) return;
    while (count > 0 && count <= thin_level) {
        release_level(f, q, l, begin, count, thread(), block_size());
        begin += count;
        l++;
        if (thread() == 0) q.begins[l] = static_cast<I>(begin);
        sync();
        count = static_cast<int64_t>(q.counts[l]);
    }
    if (thread() > 0) return;
    *then = l;
    if (count == 0) *q.levels = static_cast<int64_t>(l);
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
    static constexpr int most_batch = 64;

    const tulle__place *place_;
    const waits<I> waits_;
    scratch own_;
    followers<I> followers_ = {};
    level_queue<I> queue_ = {};
    I *turns_ = nullptr; /* two levels, in turns what is and what will be */
    int64_t blocks_ = 0;

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
        GPU_TRY(own_.get(rows, &queue_.rows));
        GPU_TRY(own_.get(rows, &queue_.waiting));
        GPU_TRY(take(rows + 1, &queue_.begins));
        GPU_TRY(take(rows + 1, &queue_.counts));
        GPU_TRY(take(2, &turns_));
        GPU_TRY(resident_blocks(place_, advance_levels<I>, level_threads, 0, &blocks_));
        const int64_t needed = (rows + level_threads - 1) / level_threads;
        if (blocks_ > needed) blocks_ = needed;
        return launch(place_, begin_levels<I>, loop_grid(rows), waits_, queue_);
    }

    tulle_status advance(int64_t turn) const {
        return launch_early(place_, advance_levels<I>, {blocks_, level_threads}, followers_, queue_,
                            turns_ + turn % 2, turns_ + (turn + 1) % 2);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
