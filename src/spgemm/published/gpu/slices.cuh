/* SPDX-License-Identifier: Apache-2.0 */
/* Terms that are all computed before they are added, and so by slices of rows, which bounds the
 * memory: as many rows as have no more multiplications than asked for, and at least one. Entries of
 * a slice stand apart, a row where its multiplications begin, until they move behind those of
 * earlier slices. */
#ifndef TULLE_SPGEMM_PUBLISHED_SLICES_CUH
#define TULLE_SPGEMM_PUBLISHED_SLICES_CUH

#include "gpu/primitives.h"
#include "spgemm/published/gpu/appended.cuh"
#include "spgemm/published/gpu/row_moves.cuh"
#include "spgemm/published/gpu/row_multiplications.cuh"
#include "spgemm/published/gpu/rows_job.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Number of multiplications before each entry of A, and so before each row. */
template <class O>
struct multiplication_places {
    const O *a_offsets;
    const int64_t *before;
    GPU_FUNCTION int64_t of_row(int64_t i) const { return load(before + load(a_offsets + i)); }
};

/* A slice: rows [row, row + rows), whose multiplications begin with number `first`. */
struct row_slice {
    int64_t row, rows, first, multiplications;
};

/* Beginning of a slice's row's multiplications, and of its room for as many entries. */
template <class O>
struct place_in_slice {
    multiplication_places<O> places;
    row_slice slice;
    GPU_FUNCTION int64_t operator()(int64_t i) const {
        return places.of_row(slice.row + i) - slice.first;
    }
};

/* before[e] := the number of multiplications of entry e of A, for a scan; before[entries] := 0. */
template <class V, class O, class C>
GPU_KERNEL void count_entry_multiplications(factors<V, O, C> f, int64_t entries, int64_t *before) {
    for (int64_t e = loop_first(); e <= entries; e += loop_stride()) {
        int64_t length = 0;
        if (e < entries) {
            C k = load(f.a_cols + e);
            length = load(f.b_offsets + k + 1) - load(f.b_offsets + k);
        }
        before[e] = length;
    }
}

/* Finds the next slice, by one thread. */
template <class O>
GPU_KERNEL void find_slice(multiplication_places<O> places, int64_t rows, int64_t row,
                           int64_t most_rows, int64_t most_multiplications, row_slice *found) {
    int64_t first = places.of_row(row), last = least::of(rows, row + most_rows), end = row + 1;
    TULLE__LOWER_BOUND(end, last, i, places.of_row(i + 1) - first <= most_multiplications);
    *found = {row, end - row, first, places.of_row(end) - first};
}

/* Calls each(multiplication of the slice, row of the slice, entry of A, entry of B) for all
 * multiplications of a slice. entries: number of A's entries. */
template <class V, class O, class C, class Each>
GPU_FUNCTION void each_in_slice(const factors<V, O, C> &f, const multiplication_places<O> &places,
                                int64_t entries, const row_slice &slice, Each each) {
    warp_stretch stretch(slice.multiplications);
    int64_t e = load(f.a_offsets + slice.row), i = slice.row;
    for (int64_t p = stretch.begin + lane(); p < stretch.end; p += warp_lanes) {
        e = row_of_entry(places.before, entries, slice.first + p, e);
        i = row_of_entry(f.a_offsets, f.rows, e, i);
        O q = load(f.b_offsets + load(f.a_cols + e)) +
              static_cast<O>(slice.first + p - load(places.before + e));
        each(p, i - slice.row, static_cast<O>(e), q);
    }
}

/* Arguments of a slice's work: room of its rows for entries, counts for those that each has, and
 * the factor of the sums. */
template <class V, class O, class C>
struct slice_job {
    const tulle__place *place;
    factors<V, O, C> f;
    int64_t entries; /* number of entries of A */
    multiplication_places<O> places;
    row_slice slice;
    const int64_t *numbers; /* number of multiplications of each of the slice's rows */
    C *cols;
    V *values;
    int64_t *counts; /* number of entries of each of the slice's rows */
    scalar<V> alpha;
    bool unsorted;

    place_in_slice<O> place_of() const { return {places, slice}; }
    rows_job<V, O, C> rows() const { return {f, slice.row, numbers, cols, values, counts, alpha}; }
};

/* Product by slices. Work is a type with int64_t bytes(multiplications), the scratch for a slice,
 * and tulle_status run(slice_job), which fills cols, values and counts. */
template <class V, class O, class C, class Work>
class sliced_product {
  public:
    sliced_product(tulle__spgemm_task *task, const Work &work, int64_t most_multiplications,
                   int64_t most_rows)
        : task_(task),
          place_(task->place),
          memory_(task->place),
          f_(make_factors<V, O, C>(task)),
          work_(work),
          most_multiplications_(most_multiplications),
          most_rows_(most_rows),
          kept_(task->place) {}

    tulle_status run() {
        GPU_TRY(analyse());
        GPU_TRY(task_->ends(task_, TULLE__SPGEMM_ANALYSIS));
        if (f_.rows == 0) {
            GPU_TRY(task_->ends(task_, TULLE__SPGEMM_COUNT));
            GPU_TRY(task_->make_c(task_, 0));
        }
        for (int64_t row = 0; row < f_.rows;) {
            row_slice slice;
            GPU_TRY(next_slice(row, &slice));
            GPU_TRY(do_slice(slice));
            row += slice.rows;
        }
        GPU_TRY(exclusive_scan(place_, counts_, counts_, f_.rows + 1));
        GPU_TRY(put_offsets(task_, counts_));
        return task_->ends(task_, TULLE__SPGEMM_COMPUTE);
    }

  private:
    tulle_status analyse() {
        const int64_t rows = f_.rows, entries = task_->a.nnz;
        int64_t *before = nullptr;
        multiplication_totals *found = nullptr;
        char *all = nullptr;
        size_t bytes = 3 * part_bytes<int64_t>(rows + 1) + part_bytes<int64_t>(entries + 1) +
                       part_bytes<multiplication_totals>(1) + part_bytes<row_slice>(1);
        held_ = static_cast<int64_t>(bytes) + scan_bytes(rows > entries ? rows : entries);
        GPU_TRY(memory_.get(static_cast<int64_t>(bytes), &all));
        parts cut(place_, all);
        GPU_TRY(cut.take(rows + 1, &numbers_));
        GPU_TRY(cut.take(rows + 1, &counts_));
        GPU_TRY(cut.take(rows + 1, &begins_));
        GPU_TRY(cut.take(entries + 1, &before));
        GPU_TRY(cut.take(1, &found));
        GPU_TRY(cut.take(1, &found_));
        places_ = {f_.a_offsets, before};
        GPU_TRY(zero(found, sizeof *found));
        GPU_TRY(zero(counts_, static_cast<size_t>(rows + 1) * sizeof *counts_));
        GPU_TRY(launch(place_, count_row_multiplications<V, O, C>, loop_grid(rows * warp_lanes), f_,
                       task_->b.cols, false, numbers_, found));
        GPU_TRY(launch(place_, count_entry_multiplications<V, O, C>, loop_grid(entries + 1), f_,
                       entries, before));
        GPU_TRY(exclusive_scan(place_, before, before, entries + 1));
        GPU_TRY(to_host(place_, &totals_, found, sizeof totals_));
        task_->multiplications = totals_.multiplications;
        task_->bound_bytes = bound();
        return TULLE_OK;
    }
    tulle_status zero(void *array, size_t bytes) const {
        return TULLE__HERE(set_bytes)(place_, array, 0, bytes);
    }

    /* Bytes that the call may hold at most: memory that stays, the largest slice with room for
     * its entries, and C; where there may be several slices, entries are kept before they are
     * C's. */
    int64_t bound() const {
        constexpr int64_t entry = sizeof(C) + sizeof(V);
        int64_t largest =
            most_multiplications_ > totals_.longest ? most_multiplications_ : totals_.longest;
        if (largest > totals_.multiplications) largest = totals_.multiplications;
        bool several = totals_.multiplications > most_multiplications_ || f_.rows > most_rows_;
        double all = static_cast<double>(held_) + static_cast<double>(work_.bytes(largest)) +
                     static_cast<double>(f_.rows + 1) * sizeof(int64_t) +
                     static_cast<double>(largest) * entry +
                     static_cast<double>(totals_.entries) * entry * (several ? 3 : 1);
        return all < 9e18 ? static_cast<int64_t>(all) : INT64_MAX;
    }

    tulle_status next_slice(int64_t row, row_slice *slice) const {
        GPU_TRY(launch(place_, find_slice<O>, grid{1, 1}, places_, f_.rows, row, most_rows_,
                       most_multiplications_, found_));
        return to_host(place_, slice, found_, sizeof *slice);
    }

    tulle_status do_slice(const row_slice &slice) {
        scratch room(place_);
        C *cols = nullptr;
        V *values = nullptr;
        int64_t entries = 0;
        GPU_TRY(room.get(slice.multiplications, &cols));
        GPU_TRY(room.get(slice.multiplications, &values));
        slice_job<V, O, C> job = {place_,
                                  f_,
                                  task_->a.nnz,
                                  places_,
                                  slice,
                                  numbers_ + slice.row,
                                  cols,
                                  values,
                                  counts_ + slice.row,
                                  make_scalar<V>(task_->alpha),
                                  task_->unsorted};
        if (slice.multiplications > 0) GPU_TRY(work_.run(job));
        GPU_TRY(exclusive_scan(place_, counts_ + slice.row, begins_, slice.rows + 1));
        GPU_TRY(to_host(place_, &entries, begins_ + slice.rows, sizeof entries));
        if (slice.row + slice.rows == f_.rows) return finish(job, entries);
        GPU_TRY(kept_.make_room(entries));
        GPU_TRY(move(job, kept_.next_col(), kept_.next_value()));
        kept_.add(entries);
        return TULLE_OK;
    }
    /* Makes the last slice, whose entries go into C at once. */
    tulle_status finish(const slice_job<V, O, C> &job, int64_t entries) {
        GPU_TRY(task_->ends(task_, TULLE__SPGEMM_COUNT));
        GPU_TRY(task_->make_c(task_, kept_.count() + entries));
        C *cols = static_cast<C *>(task_->c.cols_of);
        V *values = static_cast<V *>(task_->c.values);
        GPU_TRY(kept_.copy_to(cols, values));
        return move(job, cols + kept_.count(), values + kept_.count());
    }
    tulle_status move(const slice_job<V, O, C> &job, C *cols, V *values) const {
        return launch(place_, move_rows<V, C, place_in_slice<O>>,
                      loop_grid(job.slice.rows * warp_lanes), row_list<C>{nullptr, job.slice.rows},
                      job.place_of(), job.cols, job.values, begins_, cols, values);
    }

    tulle__spgemm_task *task_;
    const tulle__place *place_;
    scratch memory_;
    factors<V, O, C> f_;
    Work work_;
    int64_t most_multiplications_, most_rows_;
    appended_entries<V, C> kept_;
    multiplication_places<O> places_ = {};
    multiplication_totals totals_ = {};
    int64_t *numbers_ = nullptr; /* number of multiplications of each row */
    int64_t *counts_ = nullptr;  /* number of entries of each row, then the beginnings of rows */
    int64_t *begins_ = nullptr;  /* beginnings of a slice's rows */
    row_slice *found_ = nullptr;
    int64_t held_ = 0; /* bytes of scratch, but for slices */
};

/* Number of multiplications that are made at a time: 2^slice, more only for a row that has more; 0:
 * all, as published. */
inline const int slice_values[] = {0, 12, 18, 24};
inline int64_t slice_multiplications(int slice) {
    return slice == 0 ? INT64_MAX : int64_t{1} << slice;
}
inline const tulle__param slice_param = {
    "slice", "2^slice products at a time, if a row has no more: less memory, or less time", 3,
    slice_values + 1};
constexpr int slice_default = 24;

}  // namespace TULLE_GPU_NAMESPACE

#endif
