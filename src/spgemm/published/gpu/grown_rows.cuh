/* SPDX-License-Identifier: Apache-2.0 */
/* Long rows whose memory grows, as BHSPARSE has it: each row gets room for a few entries; those
 * that turn out to have more get other room, twice as much, and go on where they stopped, round
 * after round. Room that became too small is kept, as there. Each round's room is an array of its
 * own, where BHSPARSE copies all that it has into one that is larger. */
#ifndef TULLE_SPGEMM_PUBLISHED_GROWN_ROWS_CUH
#define TULLE_SPGEMM_PUBLISHED_GROWN_ROWS_CUH

#include "spgemm/published/gpu/joined_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int64_t grown_first = 256; /* number of entries that a row has room for in the first
                                        round */

/* A row at the beginning of a round. */
struct grown_row {
    int64_t row, from, count; /* number of the row; beginning of its room in the round before,
                                 and number of entries there */
    int64_t e, next;          /* entries of A and of its row of B with which the row goes on */
};

/* A round, and the data of the round before that it needs. */
template <class V, class C>
struct grown_round {
    grown_row *rows;
    int64_t count; /* number of rows */
    int64_t room;  /* number of entries for which each row has room; the rooms of the rows follow
                      each other */
    C *cols;
    V *values;
    int64_t *found; /* number of entries of each row that is complete; 0: the row goes on */
    const C *old_cols;
    const V *old_values;
    int64_t old_room;
    grown_row *left; /* rows that go on, in any order */
    int64_t *left_count;

    int near_room() const { return static_cast<int>(room < joined_near ? room : joined_near); }
    /* Number of threads of a block: a quarter of the room, as BHSPARSE's blocks have. */
    int threads() const {
        const int64_t quarter = room / 4;
        return static_cast<int>(quarter < joined_threads ? quarter : joined_threads);
    }
};

/* Starts the first round; *most becomes the largest number of entries that the rows may have
 * together. */
template <class V, class O, class C>
GPU_KERNEL void begin_grown(factors<V, O, C> f, row_list<C> list, const int64_t *numbers,
                            int64_t cols, grown_row *rows, int64_t *most) {
    for (int64_t k = loop_first(); k < list.count; k += loop_stride()) {
        const int64_t row = list.at(k);
        rows[k] = {row, 0, 0, load(f.a_offsets + row), 0};
        atomic_add(most, least::of(load(numbers + row), cols));
    }
}

/* Does a round, a block for each row. */
template <class V, class O, class C>
GPU_KERNEL void grow_rows(rows_job<V, O, C> job, grown_round<V, C> round, int near_room) {
    GPU_DYNAMIC_SHARED(V, all);
    GPU_SHARED(int, scan, joined_threads / warp_lanes);
    grown_row state = round.rows[block()];
    const int64_t place = block() * round.room, old = state.from * round.old_room;
    joined_row<V, C> made(round.cols + place, round.values + place, round.room, all, near_room,
                          scan);
    const bool is_near = state.count <= near_room;
    for (int64_t k = thread(); k < state.count; k += block_size()) {
        const C column = load(round.old_cols + old + k);
        const V value = load(round.old_values + old + k);
        if (is_near) {
            made.near.cols[k] = column;
            made.near.values[k] = value;
        } else {
            made.far.cols[k] = column;
            made.far.values[k] = value;
        }
    }
    (is_near ? made.near.count : made.far.count) = state.count;
    sync();
    const bool complete = made.take_rows(job.f, state.row, &state.e, &state.next);
    made.flush();
    if (complete) made.scale(job.alpha.value());
    if (thread() != 0) return;
    round.found[block()] = complete ? made.count() : 0;
    if (complete) {
        job.counts[state.row] = made.count();
    } else {
        const int64_t at = atomic_add(round.left_count, int64_t{1});
        round.left[at] = {state.row, block(), made.count(), state.e, state.next};
    }
}

/* Moves the rows that a round has completed to their place in C, one warp per row. */
template <class V, class C>
GPU_KERNEL void move_grown(grown_round<V, C> round, const int64_t *offsets, C *cols, V *values) {
    for (int64_t k = loop_first() / warp_lanes; k < round.count; k += loop_stride() / warp_lanes) {
        const int64_t count = load(round.found + k), from = k * round.room;
        if (count == 0) continue;
        const int64_t to = load(offsets + load(&round.rows[k].row));
        for (int64_t e = lane(); e < count; e += warp_lanes) {
            cols[to + e] = load_once(round.cols + from + e);
            values[to + e] = load_once(round.values + from + e);
        }
    }
}

/* All rounds of the rows of a list, and their memory. */
template <class V, class O, class C>
class grown_rows {
  public:
    explicit grown_rows(const tulle__place *place) : place_(place) {}
    grown_rows(const grown_rows &) = delete;
    grown_rows &operator=(const grown_rows &) = delete;
    ~grown_rows() {
        for (int k = 0; k < taken_; k++) services->free(place_->ctx, memory_[k]);
    }

    /* Bytes that the rows may hold at most; they have at most `most` entries together. */
    static double bound(int64_t rows, int64_t most) {
        constexpr double entry = sizeof(C) + sizeof(V);
        /* A row has its last room because half of it was too small, and the rooms before it are
         * half as large each: together less than four times its entries, or its first room. */
        const double entries =
            4 * static_cast<double>(most) + static_cast<double>(rows * grown_first);
        /* A row has a state for each of its rounds, whose rooms have 256 entries and more. */
        const double states =
            entries / static_cast<double>(grown_first) + static_cast<double>(rows);
        return entries * entry + states * (2 * sizeof(grown_row) + sizeof(int64_t));
    }

    /* Lists the rows as they begin; *most lies on the device. */
    tulle_status begin(const factors<V, O, C> &f, const row_list<C> &list, const int64_t *numbers,
                       int64_t cols, int64_t *most) {
        round_.count = list.count;
        GPU_TRY(get(list.count, &round_.rows));
        return launch(place_, begin_grown<V, O, C>, loop_grid(list.count), f, list, numbers, cols,
                      round_.rows, most);
    }
    /* Does all rounds; left_count: a number on the device. */
    tulle_status run(const rows_job<V, O, C> &job, int64_t *left_count) {
        round_.left_count = left_count;
        for (round_.room = grown_first; round_.count > 0; round_.room *= 2) {
            GPU_TRY(run_round(job));
            rounds_[done_++] = round_;
            round_.old_cols = round_.cols;
            round_.old_values = round_.values;
            round_.old_room = round_.room;
            round_.rows = round_.left;
            GPU_TRY(to_host(place_, &round_.count, left_count, sizeof round_.count));
        }
        return TULLE_OK;
    }
    tulle_status move(const int64_t *offsets, C *cols, V *values) const {
        for (int k = 0; k < done_; k++) {
            GPU_TRY(launch(place_, move_grown<V, C>, loop_grid(rounds_[k].count * warp_lanes),
                           rounds_[k], offsets, cols, values));
        }
        return TULLE_OK;
    }

  private:
    /* Rounds end because a row has no more entries than numbers of 64 bits count. */
    enum { most_rounds = 64, arrays = 4 };

    template <class T>
    tulle_status get(int64_t count, T **array) {
        void *raw = nullptr;
        GPU_TRY(services->alloc(place_->ctx, static_cast<size_t>(count) * sizeof(T), &raw));
        *array = static_cast<T *>(raw);
        memory_[taken_++] = raw;
        return TULLE_OK;
    }
    tulle_status run_round(const rows_job<V, O, C> &job) {
        const grown_round<V, C> &r = round_;
        GPU_TRY(get(r.count * r.room, &round_.cols));
        GPU_TRY(get(r.count * r.room, &round_.values));
        GPU_TRY(get(r.count, &round_.found));
        GPU_TRY(get(r.count, &round_.left));
        GPU_TRY(TULLE__HERE(set_bytes)(place_, r.left_count, 0, sizeof *r.left_count));
        return launch(place_, grow_rows<V, O, C>,
                      grid{r.count, r.threads(), joined_bytes<V, C>(r.near_room(), r.threads())},
                      job, r, r.near_room());
    }

    const tulle__place *place_;
    grown_round<V, C> round_ = {};
    grown_round<V, C> rounds_[most_rounds];
    int done_ = 0, taken_ = 0;
    void *memory_[most_rounds * arrays + 1];
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
