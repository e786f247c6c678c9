/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the level of each row, one more than the highest level for which it waits, in one launch.
 * When the last of the rows for which a row waits has been done (Kahn 1962; on GPUs Naumov 2011),
 * the warp that did it takes the row at once; or, if that warp has enough rows, a warp that waits
 * at a queue does. So levels have no barriers, and from one level to the next there are two trips
 * through memory: for followers, and for their counts. A level is its own flag: it is read from the
 * rows for which the row waits, each of which a warp has taken. A warp waits for levels of rows
 * that were taken earlier than its own, by warps that run; so it never waits for a warp that waits
 * for it, whatever blocks run. The rows that wait for a row are found through a list of the
 * entries' other ends, which is in any order: levels do not depend on it. */
#ifndef TULLE_TRISOLVE_GPU_FIND_LEVELS_CUH
#define TULLE_TRISOLVE_GPU_FIND_LEVELS_CUH

#include "gpu/loop.cuh"
#include "gpu/primitives.h"
#include "trisolve/gpu/poll_levels.cuh"
#include "trisolve/gpu/waits.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int level_threads = 128, level_flight = 4, level_counters = 3;

/* The lists of a row: it waits for others[before .. before_end - 1], and followers[after ..
 * after_end - 1] wait for it. One pack in memory. */
template <class I>
struct level_row {
    I before, before_end, after, after_end;
};

/* Adds to counts[i] the number of rows that wait for row i; ranks[k] is the number that did so
 * before entry k. */
template <class I>
GPU_KERNEL void count_followers(waits<I> w, I *counts, I *ranks) {
    for (int64_t k = loop_first(); k < w.entries; k += loop_stride()) {
        ranks[k] = atomic_add(counts + load(w.others + k), I(1));
    }
}

template <class I>
GPU_KERNEL void list_followers(waits<I> w, const I *begins, const I *ranks, I *followers) {
    int64_t row = 0;
    const warp_stretch stretch(w.entries);
    for (int64_t k = stretch.begin + lane(); k < stretch.end; k += warp_lanes) {
        row = row_of_entry(w.begins, w.rows, k, row);
        followers[load(begins + load(w.others + k)) + load_once(ranks + k)] = static_cast<I>(row);
    }
}

/* A counter in a cache line of its own, because many threads count at the same time. */
struct alignas(128) level_counter {
    int64_t value;
};

/* A queue of rows that are ready, by slot. A team that finds no row of its own takes a ticket, the
 * number of a slot, and polls that slot; the team that did the last row of all puts `all_found`
 * into the slots that are polled in vain. */
template <class I>
struct level_queue {
    static constexpr I nothing = -1, all_found = -2;
    I *rows;
    /* number of slots; tickets from there on are taken only when all rows are done */
    int64_t slots;
    level_counter *ready; /* number of slots that have been given to rows */
    level_counter *taken; /* number of tickets taken */
    level_counter *done;  /* number of rows done */
};

template <class I>
struct level_job {
    int64_t rows;
    const pack<I, 4> *row;
    const I *others, *followers;
    I *waiting; /* number of rows for which each row still waits */
    I *level;   /* level of each row; -1: unknown yet */
    level_queue<I> queue;
};

/* Counts the rows for which each row waits, and finds the rows that are ready from the start. */
template <class I>
GPU_KERNEL void begin_levels(waits<I> w, const I *follower_begins, level_job<I> job,
                             pack<I, 4> *rows) {
    const int64_t rounds = (w.rows + loop_stride() - 1) / loop_stride();
    for (int64_t k = 0; k < rounds; k++) {
        const int64_t i = loop_first() + k * loop_stride();
        bool ready = false;
        if (i < w.rows) {
            const I begin = load(w.begins + i), end = load(w.begins + i + 1);
            rows[i] = {{begin, end, load(follower_begins + i), load(follower_begins + i + 1)}};
            job.waiting[i] = end - begin;
            ready = begin == end;
        }
        const unsigned all = ballot(full_warp, ready);
        if (all == 0) continue;
        int64_t at =
            lane() == 0 ? atomic_add(&job.queue.ready->value, int64_t{count_bits(all)}) : 0;
        at = shuffle(full_warp, at, 0) + count_bits(all & ((1u << lane()) - 1));
        if (ready) job.queue.rows[at] = static_cast<I>(i);
    }
}

/* A row that is ready. */
template <class I>
struct level_found {
    I number; /* number of the row; -1: none */
    level_row<I> row;
};

/* A warp, whose lanes are in teams with one row each. All lanes must call all functions. */
template <class I>
class level_warp {
  public:
    /* found: room for as many rows as the warp has teams. */
    GPU_FUNCTION level_warp(const level_job<I> &job, int team, int share,
                            shared<level_found<I>> found)
        : job_(job),
          queue_(job.queue),
          found_(found),
          team_(team),
          teams_(warp_lanes / team),
          mate_(static_cast<int>(lane()) % team),
          mine_(static_cast<int>(lane()) / team),
          want_(share < teams_ ? share : teams_) {}

    /* Works until all rows are done; returns the highest level that the lane has met. */
    GPU_FUNCTION I run() {
        while (!look()) {
            if (any(full_warp, number_ >= 0)) {
                find();
            } else if (done_ > 0) {
                tell();
            } else if (any(full_warp, ticket_ >= 0)) {
                spin_awake();
            } else {
                ask();
            }
        }
        return most_;
    }

  private:
    const level_job<I> &job_;
    const level_queue<I> &queue_;
    const shared<level_found<I>> found_;
    const int team_, teams_, mate_, mine_;
    int want_;            /* number of tickets to take next */
    bool asked_ = false;  /* true when the tickets have just been taken */
    int64_t ticket_ = -1; /* ticket of the team; -1: none */
    I number_ = -1;       /* number of the team's row; -1: none */
    level_row<I> row_ = {};
    int64_t done_ = 0; /* number of rows done and not yet counted in the queue */
    I most_ = 0;
    /* number of teams that may have the next rows, and number of rows found */
    int room_ = 0, count_ = 0;

    /* Teams with tickets poll for a row, with one lane each; returns true when all rows are
     * done. */
    GPU_FUNCTION bool look() {
        if (!any(full_warp, ticket_ >= 0)) return false;
        I next = queue_.nothing;
        if (ticket_ >= queue_.slots) {
            next = queue_.all_found;
        } else if (ticket_ >= 0 && mate_ == 0) {
            next = load_relaxed(queue_.rows + ticket_);
        }
        next = shuffle(full_warp, next, mine_ * team_);
        if (any(full_warp, next == queue_.all_found)) return true;
        if (next >= 0) {
            number_ = next;
            row_ = load_row(next);
            ticket_ = -1;
        }
        if (asked_) {
            const bool waits = any(full_warp, ticket_ >= 0);
            want_ = waits ? 1 : want_ * 2 < teams_ ? want_ * 2 : teams_;
            asked_ = false;
        }
        return false;
    }

    /* Adds the number of rows done to the queue's counter. */
    GPU_FUNCTION void tell() {
        int64_t all = lane() == 0 ? atomic_add(&queue_.done->value, done_) + done_ : 0;
        all = shuffle(full_warp, all, 0);
        done_ = 0;
        if (all == job_.rows) end();
    }
    /* Takes tickets: more if the last ones had no time to wait. */
    GPU_FUNCTION void ask() {
        int64_t first = 0;
        if (lane() == 0) first = atomic_add(&queue_.taken->value, int64_t{want_});
        first = shuffle(full_warp, first, 0);
        if (mine_ < want_) ticket_ = first + mine_;
        asked_ = true;
    }
    GPU_FUNCTION void end() const {
        int64_t from = 0, to = 0;
        if (lane() == 0) {
            to = atomic_add(&queue_.taken->value, queue_.slots);
            from = atomic_add(&queue_.ready->value, int64_t{0});
        }
        from = shuffle(full_warp, from, 0);
        to = shuffle(full_warp, to, 0);
        for (int64_t slot = from + lane(); slot < to; slot += warp_lanes) {
            store_relaxed(queue_.rows + slot, queue_.all_found);
        }
    }

    GPU_FUNCTION level_row<I> load_row(I number) const {
        const pack<I, 4> v = load(job_.row + number);
        return {v.at[0], v.at[1], v.at[2], v.at[3]};
    }

    /* Finds the levels of the teams' rows, and the rows that become ready, which the teams take
     * next. */
    GPU_FUNCTION void find() {
        const bool free = ticket_ < 0;
        const unsigned frees = ballot(full_warp, free && mate_ == 0);
        room_ = count_bits(frees);
        count_ = 0;
        const I level = find_level();
        if (number_ >= 0 && mate_ == 0) store_relaxed(job_.level + number_, level);
        most_ = level > most_ ? level : most_;
        done_ += count_bits(ballot(full_warp, number_ >= 0 && mate_ == 0));
        sync_warp(full_warp);
        const int nth = count_bits(frees & ((1u << (mine_ * team_)) - 1));
        number_ = -1;
        if (free && nth < count_) {
            const level_found<I> next = found_[nth];
            number_ = next.number;
            row_ = next.row;
        }
        sync_warp(full_warp);
    }

    /* Returns the level of a team's row; the whole warp walks through long rows, one after the
     * other. */
    GPU_FUNCTION I find_level() {
        if (number_ < 0) row_ = {};
        const int64_t length = int64_t{row_.before_end} - row_.before + row_.after_end - row_.after;
        const bool is_long = length > int64_t{8} * level_flight * team_;
        unsigned left = ballot(full_warp, is_long && mate_ == 0);
        I level = 0;
        for (; left != 0; left &= left - 1) {
            const int on = first_bit(left);
            const I found = most_of(
                walk(shuffle(full_warp, row_.before, on), shuffle(full_warp, row_.before_end, on),
                     shuffle(full_warp, row_.after, on), shuffle(full_warp, row_.after_end, on),
                     static_cast<int>(lane()), warp_lanes),
                warp_lanes);
            if (mine_ == on / team_) level = found;
        }
        const I found =
            most_of(walk(is_long ? row_.before_end : row_.before, row_.before_end,
                         is_long ? row_.after_end : row_.after, row_.after_end, mate_, team_),
                    team_);
        return found > level ? found : level;
    }

    GPU_FUNCTION I most_of(I v, int lanes) const {
        for (int step = lanes / 2; step > 0; step /= 2) {
            const I other = shuffle_xor(full_warp, v, step);
            v = other > v ? other : v;
        }
        return v;
    }

    /* The lane's next neighbours of a row: rows for which it waits, and rows that wait for it; -1:
     * none. */
    struct neighbours {
        I other[level_flight], next[level_flight];
    };
    GPU_FUNCTION neighbours look_up(int64_t before, int64_t before_end, int64_t after,
                                    int64_t after_end, int step) const {
        neighbours n;
        GPU_UNROLL
        for (int f = 0; f < level_flight; f++) {
            n.other[f] = before < before_end ? load(job_.others + before) : I(-1);
            n.next[f] = after < after_end ? load(job_.followers + after) : I(-1);
            before += step;
            after += step;
        }
        return n;
    }

    /* Returns one more than the highest level of the lane's share of the rows before; the lane's
     * rows after wait for one row less. The lane takes every step-th neighbour from its own on, and
     * looks the next ones up while it waits for the levels of some. */
    GPU_FUNCTION I walk(int64_t before, int64_t before_end, int64_t after, int64_t after_end,
                        int own, int step) {
        I level = 0;
        before += own;
        after += own;
        const int64_t turn = int64_t{level_flight} * step;
        neighbours ahead = look_up(before, before_end, after, after_end, step);
        for (; any(full_warp, before < before_end || after < after_end);
             before += turn, after += turn) {
            const neighbours n = ahead;
            I known[level_flight];
            level_row<I> row[level_flight];
            bool ready[level_flight];
            GPU_UNROLL
            for (int f = 0; f < level_flight; f++) {
                known[f] = n.other[f] >= 0 ? load_relaxed(job_.level + n.other[f]) : I(0);
            }
            GPU_UNROLL
            for (int f = 0; f < level_flight; f++) {
                ready[f] = n.next[f] >= 0 && atomic_add(job_.waiting + n.next[f], I(-1)) == 1;
                row[f] = n.next[f] >= 0 ? load_row(n.next[f]) : level_row<I>{};
            }
            ahead = look_up(before + turn, before_end, after + turn, after_end, step);
            append(n.next, row, ready);
            await(n.other, known);
            GPU_UNROLL
            for (int f = 0; f < level_flight; f++) {
                if (n.other[f] >= 0 && known[f] >= level) level = known[f] + 1;
            }
        }
        return level;
    }

    GPU_FUNCTION void await(const I (&other)[level_flight], I (&known)[level_flight]) const {
        for (;;) {
            bool waits = false;
            GPU_UNROLL
            for (int f = 0; f < level_flight; f++) waits = waits || known[f] < 0;
            if (!any(full_warp, waits)) return;
            spin_awake();
            GPU_UNROLL
            for (int f = 0; f < level_flight; f++) {
                if (known[f] < 0) known[f] = load_relaxed(job_.level + other[f]);
            }
        }
    }

    /* Distributes rows that are ready: to teams of this warp, and the rest to the queue. */
    GPU_FUNCTION void append(const I (&number)[level_flight],
                             const level_row<I> (&row)[level_flight],
                             const bool (&ready)[level_flight]) {
        const int first = count_ > room_ ? count_ : room_; /* first row for the queue */
        int rank[level_flight];
        GPU_UNROLL
        for (int f = 0; f < level_flight; f++) {
            const unsigned all = ballot(full_warp, ready[f]);
            rank[f] = count_ + count_bits(all & ((1u << lane()) - 1));
            count_ += count_bits(all);
            if (ready[f] && rank[f] < room_) found_[rank[f]] = {number[f], row[f]};
        }
        if (count_ <= first) return;
        int64_t at = 0;
        if (lane() == 0) at = atomic_add(&queue_.ready->value, int64_t{count_ - first});
        at = shuffle(full_warp, at, 0) - first;
        GPU_UNROLL
        for (int f = 0; f < level_flight; f++) {
            if (ready[f] && rank[f] >= room_) store_relaxed(queue_.rows + at + rank[f], number[f]);
        }
    }
};

/* team: lanes that share a row. *levels must be 0 before. */
template <class I>
GPU_KERNEL void find_levels(level_job<I> job, int team, int64_t *levels) {
    GPU_SHARED(level_found<I>, found, level_threads);
    const int64_t warps = loop_stride() / warp_lanes;
    const int64_t share = load_relaxed(&job.queue.ready->value) / warps;
    const int first = static_cast<int>(thread()) / warp_lanes * warp_lanes;
    level_warp<I> warp(job, team,
                       share < 1            ? 1
                       : share < warp_lanes ? static_cast<int>(share)
                                            : warp_lanes,
                       part_of(found, first, warp_lanes));
    I most = warp.run();
    for (int step = warp_lanes / 2; step > 0; step /= 2) {
        const I other = shuffle_xor(full_warp, most, step);
        most = other > most ? other : most;
    }
    if (lane() == 0) atomic_max(levels, int64_t{most} + 1);
}

/* Finds the level of each row and, on the device, *levels, which must be 0 before. */
template <class I>
class level_search {
  public:
    level_search(const tulle__place *place, const waits<I> &w, bool falling, I *level,
                 int64_t *levels)
        : place_(place), waits_(w), falling_(falling), own_(place), levels_(levels) {
        job_.level = level;
    }

    /* longest: most rows for which one row waits. queued: poll_levels.cuh must not be used, even if
     * it would fit. */
    tulle_status run(int64_t longest, bool queued) {
        bool polled = false;
        if (waits_.rows == 0) return TULLE_OK;
        GPU_TRY(fill(job_.level, waits_.rows, 0xff));
        if (!queued) GPU_TRY(poll(longest, &polled));
        if (polled) return TULLE_OK;
        GPU_TRY(make_room());
        GPU_TRY(list());
        GPU_TRY(begin());
        return launch(place_, find_levels<I>, {blocks_, level_threads}, job_, team(longest),
                      levels_);
    }

  private:
    /* The number of blocks that fit on the device is divided by this number: as many blocks as fit
     * would keep each other from issuing instructions. */
    static constexpr int64_t blocks_in_vain = 4;

    const tulle__place *place_;
    const waits<I> waits_;
    const bool falling_;
    scratch own_;
    int64_t *levels_, blocks_ = 0;
    I *begins_ = nullptr; /* begin of each row's followers */
    level_job<I> job_ = {};

    template <class T>
    tulle_status fill(T *array, int64_t count, int byte) const {
        return GPU_SYMBOL(set_bytes)(place_, array, byte, static_cast<size_t>(count) * sizeof(T));
    }

    /* Uses poll_levels.cuh if half of all rows fit on the device at the same time, and if no lane
     * has so many entries of one row that the rows behind it wait for that alone. Rows that come in
     * turns wait for the slowest row of a warp: 325,000 rows of the web take 0.3 ms instead of 1.0,
     * 10^6 rows of it 29 ms instead of 2.4. */
    tulle_status poll(int64_t longest, bool *polled) {
        constexpr int most_mean = 64, most_longest = 512, turns = 2;
        const int64_t rows = waits_.rows;
        int64_t blocks = 0, *taken = nullptr;
        int lanes = 1;
        while (lanes < warp_lanes && (int64_t{lanes} * most_mean < waits_.entries / rows ||
                                      int64_t{lanes} * most_longest < longest)) {
            lanes *= 2;
        }
        GPU_TRY(resident_blocks(place_, poll_levels<I>, level_threads, 0, &blocks));
        const int64_t needed = (rows * lanes + level_threads - 1) / level_threads;
        if (needed > turns * blocks || int64_t{lanes} * most_longest < longest) return TULLE_OK;
        *polled = true;
        GPU_TRY(own_.get(1, &taken));
        GPU_TRY(fill(taken, 1, 0));
        return launch(place_, poll_levels<I>, {needed < blocks ? needed : blocks, level_threads},
                      waits_, falling_, lanes, job_.level, taken, levels_);
    }

    /* Makes one allocation for all arrays, because each takes the driver some 20 us. */
    tulle_status make_room() {
        const int64_t rows = waits_.rows, entries = waits_.entries;
        const int64_t needed = (rows + level_threads - 1) / level_threads;
        GPU_TRY(resident_blocks(place_, find_levels<I>, level_threads, 0, &blocks_));
        blocks_ = blocks_ > blocks_in_vain ? blocks_ / blocks_in_vain : 1;
        if (blocks_ > needed) blocks_ = needed;
        /* rows, and a ticket for each team that waits in vain */
        job_.queue.slots = rows + blocks_ * level_threads;
        return own_.reserve(part_bytes<I>(rows + 1) + 2 * part_bytes<I>(entries) +
                            part_bytes<pack<I, 4>>(rows) + part_bytes<I>(rows) +
                            part_bytes<I>(job_.queue.slots) +
                            part_bytes<level_counter>(level_counters));
    }

    tulle_status list() {
        const int64_t rows = waits_.rows, entries = waits_.entries;
        I *ranks = nullptr, *followers = nullptr;
        GPU_TRY(own_.get(rows + 1, &begins_));
        GPU_TRY(own_.get(entries, &followers));
        GPU_TRY(own_.get(entries, &ranks));
        GPU_TRY(fill(begins_, rows + 1, 0));
        GPU_TRY(launch(place_, count_followers<I>, loop_grid(entries), waits_, begins_, ranks));
        GPU_TRY(exclusive_scan(place_, begins_, begins_, rows + 1));
        GPU_TRY(launch(place_, list_followers<I>, loop_grid(entries), waits_, begins_, ranks,
                       followers));
        job_.followers = followers;
        return TULLE_OK;
    }

    tulle_status begin() {
        const int64_t rows = waits_.rows;
        level_counter *counter = nullptr;
        pack<I, 4> *row = nullptr;
        level_queue<I> &queue = job_.queue;
        GPU_TRY(own_.get(rows, &row));
        GPU_TRY(own_.get(rows, &job_.waiting));
        GPU_TRY(own_.get(queue.slots, &queue.rows));
        GPU_TRY(own_.get(level_counters, &counter));
        GPU_TRY(fill(counter, level_counters, 0));
        GPU_TRY(fill(queue.rows, queue.slots, 0xff));
        queue.ready = counter;
        queue.taken = counter + 1;
        queue.done = counter + 2;
        job_.rows = rows;
        job_.row = row;
        job_.others = waits_.others;
        return launch(place_, begin_levels<I>, loop_grid(rows), waits_, begins_, job_, row);
    }

    /* Returns the number of lanes that take a row of mean length in one turn; a few if some rows
     * are far longer, because one of these would keep a warp's other rows waiting. */
    int team(int64_t longest) const {
        constexpr int few = 8, most_turns = 8;
        const int64_t mean = waits_.entries / waits_.rows;
        int lanes = 1;
        while (lanes < warp_lanes &&
               (int64_t{lanes} * level_flight < mean ||
                (lanes < few && int64_t{lanes} * level_flight * most_turns < longest))) {
            lanes *= 2;
        }
        return lanes;
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
