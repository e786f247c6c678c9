/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the entries beside the diagonal for which each row of op(T) waits, row by row. No step
 * takes longer because a row is long. */
#ifndef TULLE_TRISOLVE_GPU_WAITS_CUH
#define TULLE_TRISOLVE_GPU_WAITS_CUH

#include "format/entries.cuh"
#include "format/slots.h"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"
#include "trisolve/schedule.h"

namespace TULLE_GPU_NAMESPACE {

/* The integer type of a schedule's arrays. */
template <class O, class C>
struct schedule_index {
    using type = int64_t;
};
template <>
struct schedule_index<int32_t, int32_t> {
    using type = int32_t;
};

/* The lists: the entries of row i begin at begins[i], by ascending slot. */
template <class I>
struct waits {
    int64_t rows, entries;
    const I *begins, *others, *slots; /* others: row for which an entry waits */
};

/* Sets strict[e] to 1 for an entry beside the diagonal of T, else to 0; the element behind the
 * last entry is 0. diagonal[i]: number of entries from the first diagonal one of row i on; it
 * stays 0 for a row without one. *faulty: the first row with more than one, if that is lower
 * than before. */
template <class O, class C, class I>
GPU_KERNEL void mark_entries(csr_entries<O, C> A, bool upper, O *strict, I *diagonal,
                             int64_t *faulty) {
    const O stored = load(A.offsets + A.rows);
    A.each([&](int64_t row, int64_t e) {
        const int64_t col = load(A.cols + e);
        strict[e] = upper ? col > row : col < row;
        if (col != row) return;
        if (atomic_max(diagonal + row, static_cast<I>(stored - e)) > 0) atomic_min(faulty, row);
    });
    if (loop_first() == 0) strict[stored] = 0;
}

/* Lists the entries; before[e] is the number of entries beside the diagonal before entry e. */
template <class O, class C, class I>
GPU_KERNEL void list_rows(csr_entries<O, C> A, const O *before, I *others, I *slots) {
    A.each([&](int64_t, int64_t e) {
        const O at = load(before + e);
        if (load(before + e + 1) == at) return;
        others[at] = static_cast<I>(load(A.cols + e));
        slots[at] = static_cast<I>(e);
    });
}
template <class O, class C, class I>
GPU_KERNEL void begin_rows(csr_entries<O, C> A, const O *before, I *begins) {
    for (int64_t i = loop_first(); i <= A.rows; i += loop_stride()) {
        begins[i] = static_cast<I>(load(before + A.begin(i)));
    }
}

/* Counts the entries where columns ascend: the entries beside the diagonal of a row are those
 * before or behind it. counts[i]: their number; the element behind the last row is 0. diagonal: see
 * mark_entries. */
template <class O, class C, class I>
GPU_KERNEL void count_beside(csr_entries<O, C> A, bool upper, I *counts, I *diagonal) {
    const O stored = load(A.offsets + A.rows);
    for (int64_t i = loop_first(); i < A.rows; i += loop_stride()) {
        const O begin = load(A.offsets + i), end = load(A.offsets + i + 1);
        O low = begin, high = end;
        TULLE__LOWER_BOUND(low, high, e, load(A.cols + e) < i);
        const bool has = low < end && load(A.cols + low) == i;
        counts[i] = static_cast<I>(upper ? end - low - has : low - begin);
        diagonal[i] = static_cast<I>(has ? stored - low : 0);
    }
    if (loop_first() == 0) counts[A.rows] = 0;
}
template <class O, class C, class I>
GPU_KERNEL void list_beside(csr_entries<O, C> A, bool upper, int64_t entries, const I *begins,
                            I *others, I *slots) {
    int64_t row = 0;
    const warp_stretch stretch(entries);
    for (int64_t k = stretch.begin + lane(); k < stretch.end; k += warp_lanes) {
        row = row_of_entry(begins, A.rows, k, row);
        const int64_t e = upper ? A.begin(row + 1) - (load(begins + row + 1) - k)
                                : A.begin(row) + (k - load(begins + row));
        others[k] = static_cast<I>(load(A.cols + e));
        slots[k] = static_cast<I>(e);
    }
}

/* Lists the entries by columns, in two steps with a sort between them. */
template <class O, class C>
GPU_KERNEL void list_columns(csr_entries<O, C> A, const O *before, uint64_t *cols, int64_t *slots) {
    A.each([&](int64_t, int64_t e) {
        const O at = load(before + e);
        if (load(before + e + 1) == at) return;
        cols[at] = static_cast<uint64_t>(load(A.cols + e));
        slots[at] = e;
    });
}
template <class O, class C, class I>
GPU_KERNEL void split_columns(csr_entries<O, C> A, int64_t entries, const int64_t *sorted,
                              I *others, I *slots) {
    for (int64_t k = loop_first(); k < entries; k += loop_stride()) {
        const int64_t e = load(sorted + k);
        others[k] = static_cast<I>(row_of_entry(A.offsets, A.rows, e, 0));
        slots[k] = static_cast<I>(e);
    }
}
template <class I>
GPU_KERNEL void begin_columns(int64_t rows, int64_t entries, const uint64_t *cols, I *begins) {
    for (int64_t i = loop_first(); i <= rows; i += loop_stride()) {
        int64_t low = 0;
        TULLE__LOWER_BOUND(low, entries, k, static_cast<int64_t>(load(cols + k)) < i);
        begins[i] = static_cast<I>(low);
    }
}

template <class O, class C>
class waiting {
  public:
    using I = typename schedule_index<O, C>::type;

    waiting(const tulle__place *place, const tulle__schedule_task *task, scratch *memory)
        : place_(place),
          A_(blocks_of(task)),
          block_(task->pattern.format == TULLE_BSR ? task->pattern.storage.block : 1),
          stored_(task->pattern.format == TULLE_BSR ? tulle__bsr_blocks(&task->pattern.storage)
                                                    : task->pattern.nnz),
          rising_(task->rising),
          upper_(task->upper),
          op_(task->op),
          memory_(memory) {}

    int64_t block() const { return block_; }
    int64_t stored() const { return stored_; }

    /* Makes the lists, in scratch memory; diagonal and faulty: see mark_entries. Waits. */
    tulle_status list(I *diagonal, int64_t *faulty, waits<I> *made) {
        if (rising_ && op_ == TULLE_N) return list_rising(diagonal, made);
        scratch own(place_);
        O *before = nullptr, entries = 0;
        GPU_TRY(own.get(stored_ + 1, &before));
        GPU_TRY(launch(place_, mark_entries<O, C, I>, loop_grid(stored_ > 0 ? stored_ : 1), A_,
                       upper_, before, diagonal, faulty));
        GPU_TRY(exclusive_scan(place_, before, before, stored_ + 1));
        GPU_TRY(to_host(place_, &entries, before + stored_, sizeof entries));
        I *begins = nullptr, *others = nullptr, *slots = nullptr;
        GPU_TRY(memory_->get(A_.rows + 1, &begins));
        GPU_TRY(memory_->reserve(2 * part_bytes<I>(entries)));
        GPU_TRY(memory_->get(entries, &others));
        GPU_TRY(memory_->get(entries, &slots));
        *made = {A_.rows, entries, begins, others, slots};
        if (op_ == TULLE_T) return by_columns(entries, before, begins, others, slots);
        GPU_TRY(launch(place_, list_rows<O, C, I>, loop_grid(stored_), A_, before, others, slots));
        return launch(place_, begin_rows<O, C, I>, loop_grid(A_.rows + 1), A_, before, begins);
    }

  private:
    const tulle__place *place_;
    csr_entries<O, C> A_;
    int64_t block_, stored_; /* for BSR: size of a block, and number of stored blocks */
    bool rising_, upper_;
    tulle_trans op_;
    scratch *memory_;

    static csr_entries<O, C> blocks_of(const tulle__schedule_task *task) {
        tulle__pattern_view blocks = task->pattern;
        blocks.rows = task->rows;
        return csr_entries<O, C>(blocks);
    }
    tulle_status list_rising(I *diagonal, waits<I> *made) {
        I *begins = nullptr, *others = nullptr, *slots = nullptr, entries = 0;
        GPU_TRY(memory_->get(A_.rows + 1, &begins));
        GPU_TRY(launch(place_, count_beside<O, C, I>, loop_grid(A_.rows > 0 ? A_.rows : 1), A_,
                       upper_, begins, diagonal));
        GPU_TRY(exclusive_scan(place_, begins, begins, A_.rows + 1));
        GPU_TRY(to_host(place_, &entries, begins + A_.rows, sizeof entries));
        GPU_TRY(memory_->reserve(2 * part_bytes<I>(entries)));
        GPU_TRY(memory_->get(entries, &others));
        GPU_TRY(memory_->get(entries, &slots));
        *made = {A_.rows, entries, begins, others, slots};
        return launch(place_, list_beside<O, C, I>, loop_grid(entries), A_, upper_,
                      static_cast<int64_t>(entries), begins, others, slots);
    }
    tulle_status by_columns(int64_t entries, const O *before, I *begins, I *others, I *slots) {
        scratch own(place_);
        uint64_t *cols = nullptr, *sorted_cols = nullptr;
        int64_t *listed = nullptr, *sorted = nullptr;
        GPU_TRY(own.reserve(4 * part_bytes<int64_t>(entries)));
        GPU_TRY(own.get(entries, &cols));
        GPU_TRY(own.get(entries, &sorted_cols));
        GPU_TRY(own.get(entries, &listed));
        GPU_TRY(own.get(entries, &sorted));
        GPU_TRY(launch(place_, list_columns<O, C>, loop_grid(stored_), A_, before, cols, listed));
        GPU_TRY(sort_pairs(place_, entries, cols, sorted_cols, listed, sorted, key_bits(A_.rows)));
        GPU_TRY(launch(place_, split_columns<O, C, I>, loop_grid(entries), A_, entries, sorted,
                       others, slots));
        return launch(place_, begin_columns<I>, loop_grid(A_.rows + 1), A_.rows, entries,
                      sorted_cols, begins);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
