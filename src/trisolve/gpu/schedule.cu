/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a schedule: the entries for which rows wait, the levels of rows, rows sorted by level, and
 * the entries in that order. The host waits for numbers four times. */
#include "gpu/fetch.cuh"
#include "gpu/reduce.cuh"
#include "trisolve/functions.h"
#include "trisolve/gpu/find_levels.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* Numbers that are found on the device, and then copied to the host. */
struct found {
    int64_t faulty = INT64_MAX; /* first row at fault */
    int64_t longest = 0, levels = 0;
};

/* The places of the diagonal blocks. */
template <class I>
struct diagonals {
    tulle__pattern_view pattern;
    int64_t size, stored;
    const I *left; /* result of mark_entries */

    /* Returns the slot of a block row's diagonal block, or -1. */
    GPU_FUNCTION int64_t slot(int64_t i) const {
        const int64_t from_end = load(left + i);
        return from_end > 0 ? stored - from_end : -1;
    }
    /* Returns the first row of the matrix in block row i whose diagonal entry is missing, or
     * INT64_MAX. */
    GPU_FUNCTION int64_t faulty_row(int64_t i) const {
        const int64_t block = slot(i), first = i * size;
        if (block < 0) return first;
        if (pattern.format == TULLE_CSR) return INT64_MAX;
        for (int64_t r = 0; !pattern.storage.full && r < size && first + r < pattern.rows; r++) {
            const int64_t cell = tulle__cell_bit(&pattern.storage, block, r * size + r);
            if (!tulle__bit(pattern.mask, cell)) return first + r;
        }
        return INT64_MAX;
    }
};

template <class I>
GPU_KERNEL void look_at_rows(waits<I> w, diagonals<I> diagonal, found *all) {
    GPU_SHARED(int64_t, room, loop_warps);
    int64_t faulty = INT64_MAX, longest = 0;
    for (int64_t i = loop_first(); i < w.rows; i += loop_stride()) {
        const int64_t length = load(w.begins + i + 1) - load(w.begins + i);
        const int64_t row = diagonal.faulty_row(i);
        if (length > longest) longest = length;
        if (row < faulty) faulty = row;
    }
    faulty = block_reduce<least>(faulty, room);
    longest = block_reduce<most>(longest, room);
    if (thread() > 0) return;
    if (faulty < INT64_MAX) atomic_min(&all->faulty, faulty);
    if (longest > 0) atomic_max(&all->longest, longest);
}

template <class I>
GPU_KERNEL void number_rows(int64_t count, const I *level, uint64_t *keys, int64_t *rows) {
    for (int64_t i = loop_first(); i < count; i += loop_stride()) {
        keys[i] = static_cast<uint64_t>(load(level + i));
        rows[i] = i;
    }
}

/* The arrays of a schedule. */
template <class I>
struct places {
    I *order, *begins, *others, *slots, *diagonal;
};

/* Fills the data of places from the rows in their order and the levels: all of a place but its
 * entries, whose number is stored for the scan of begins; the place of each row; and the begins of
 * levels. */
template <class I>
GPU_KERNEL void place_rows(waits<I> w, const int64_t *rows, const uint64_t *levels,
                           int64_t level_count, diagonals<I> diagonal, places<I> s, I *place_of,
                           int64_t *level_begins) {
    for (int64_t p = loop_first(); p < w.rows; p += loop_stride()) {
        const int64_t row = load(rows + p);
        s.order[p] = static_cast<I>(row);
        s.begins[p] = load(w.begins + row + 1) - load(w.begins + row);
        s.diagonal[p] = static_cast<I>(diagonal.slot(row));
        place_of[row] = static_cast<I>(p);
        const uint64_t level = load(levels + p);
        if (p == 0 || load(levels + p - 1) != level) level_begins[level] = p;
    }
    if (loop_first() > 0) return;
    s.begins[w.rows] = 0;
    level_begins[level_count] = w.rows;
}

/* backward: entries are stored by falling slot. */
template <class I>
GPU_KERNEL void place_entries(waits<I> w, bool backward, const I *order, const I *begins,
                              const I *place_of, I *others, I *slots) {
    int64_t p = 0;
    const warp_stretch stretch(w.entries);
    for (int64_t k = stretch.begin + lane(); k < stretch.end; k += warp_lanes) {
        p = row_of_entry(begins, w.rows, k, p);
        const int64_t row = load(order + p);
        const int64_t from = backward ? load(w.begins + row) + load(begins + p + 1) - 1 - k
                                      : load(w.begins + row) + k - load(begins + p);
        others[k] = load(place_of + load(w.others + from));
        slots[k] = load(w.slots + from);
    }
}

template <class O, class C>
class scheduling {
  public:
    using I = typename schedule_index<O, C>::type;

    scheduling(const tulle__place *place, const tulle__schedule_task *task,
               tulle__schedule *schedule)
        : place_(place), task_(task), schedule_(schedule), memory_(place) {}

    tulle_status run() {
        I *left = nullptr;
        const int64_t rows = task_->rows;
        GPU_TRY(memory_.reserve(part_bytes<found>(1) + 4 * part_bytes<I>(rows + 1)));
        GPU_TRY(memory_.get(1, &found_));
        GPU_TRY(memory_.get(rows, &left));
        GPU_TRY(memory_.get(rows, &level_));
        GPU_TRY(GPU_SYMBOL(copy)(place_, found_, &host_, sizeof host_));
        GPU_TRY(memory_.get(rows, &place_of_));
        GPU_TRY(GPU_SYMBOL(set_bytes)(place_, left, 0, static_cast<size_t>(rows) * sizeof(I)));
        waiting<O, C> lists(place_, task_, &memory_);
        diagonal_ = {task_->pattern, lists.block(), lists.stored(), left};
        GPU_TRY(lists.list(left, &found_->faulty, &waits_));
        GPU_TRY(find());
        GPU_TRY(task_->make(place_, task_, schedule_));
        return fill();
    }

  private:
    const tulle__place *place_;
    const tulle__schedule_task *task_;
    tulle__schedule *schedule_;
    scratch memory_;
    found host_, *found_ = nullptr;
    I *level_ = nullptr, *place_of_ = nullptr; /* level and place of each row */
    diagonals<I> diagonal_ = {};
    waits<I> waits_ = {};

    bool falling() const { return !tulle__waits_for_lower(task_); }
    static I *as_index(void *array) { return static_cast<I *>(array); }

    tulle_status find() {
        const int64_t rows = waits_.rows;
        GPU_TRY(launch(place_, look_at_rows<I>, loop_grid(rows, loop_blocks_once), waits_,
                       diagonal_, found_));
        level_search<I> search(place_, waits_, falling(), level_, &found_->levels);
        GPU_TRY(to_host(place_, &host_, found_, sizeof host_));
        GPU_TRY(search.run(host_.longest, task_->queued));
        GPU_TRY(to_host(place_, &host_, found_, sizeof host_));
        schedule_->rows = rows;
        schedule_->entries = waits_.entries;
        schedule_->levels = host_.levels;
        schedule_->longest = host_.longest;
        schedule_->faulty_row = host_.faulty < INT64_MAX ? host_.faulty : -1;
        return TULLE_OK;
    }

    tulle_status fill() {
        const int64_t rows = waits_.rows, levels = schedule_->levels;
        const places<I> s = {as_index(schedule_->order), as_index(schedule_->begins),
                             as_index(schedule_->places), as_index(schedule_->slots),
                             as_index(schedule_->diagonal)};
        int64_t *level_begins = nullptr;
        GPU_TRY(memory_.get(levels + 1, &level_begins));
        GPU_TRY(fill_rows(s, level_begins));
        GPU_TRY(exclusive_scan(place_, s.begins, s.begins, rows + 1));
        GPU_TRY(launch(place_, place_entries<I>, loop_grid(waits_.entries), waits_,
                       task_->op == TULLE_T && falling(), s.order, s.begins, place_of_, s.others,
                       s.slots));
        GPU_TRY(to_host(place_, schedule_->level_begins, level_begins,
                        static_cast<size_t>(levels + 1) * sizeof *level_begins));
        for (int64_t l = 0; l < levels; l++) {
            const int64_t width = schedule_->level_begins[l + 1] - schedule_->level_begins[l];
            if (width > schedule_->widest) schedule_->widest = width;
        }
        return TULLE_OK;
    }

    tulle_status fill_rows(const places<I> &s, int64_t *level_begins) {
        const int64_t rows = waits_.rows, levels = schedule_->levels;
        scratch own(place_);
        uint64_t *keys = nullptr, *sorted_keys = nullptr;
        int64_t *numbers = nullptr, *sorted = nullptr;
        GPU_TRY(own.reserve(4 * part_bytes<int64_t>(rows)));
        GPU_TRY(own.get(rows, &keys));
        GPU_TRY(own.get(rows, &sorted_keys));
        GPU_TRY(own.get(rows, &numbers));
        GPU_TRY(own.get(rows, &sorted));
        GPU_TRY(launch(place_, number_rows<I>, loop_grid(rows), rows, level_, keys, numbers));
        GPU_TRY(sort_pairs(place_, rows, keys, sorted_keys, numbers, sorted, key_bits(levels)));
        return launch(place_, place_rows<I>, loop_grid(rows > 0 ? rows : 1), waits_, sorted,
                      sorted_keys, levels, diagonal_, s, place_of_, level_begins);
    }
};

template <class O, class C>
tulle_status make(const tulle__place *place, const tulle__schedule_task *task,
                  tulle__schedule *schedule) {
    scheduling<O, C> s(place, task, schedule);
    return s.run();
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(make_schedule)(const tulle__place *place, const tulle__schedule_task *task,
                                       tulle__schedule *schedule) {
    switch (task->pattern.index) {
        case TULLE_I64_I32:
            return gpu::make<int64_t, int32_t>(place, task, schedule);
        case TULLE_I64:
            return gpu::make<int64_t, int64_t>(place, task, schedule);
        default:
            return gpu::make<int32_t, int32_t>(place, task, schedule);
    }
}
