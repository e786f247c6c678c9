/* SPDX-License-Identifier: Apache-2.0 */
/* BHSPARSE: rows in bins by their multiplications, which bound their entries: of one multiplication
 * a copy; of up to 32 a heap a thread; of up to 512 expanded, sorted and contracted by a block; of
 * more, rows of B merged one after the other. Long rows have memory that grows, as published, or,
 * in slices of rows, room for all their multiplications. */
#include "spgemm/published/gpu/binned_rows.cuh"
#include "spgemm/published/gpu/grown_rows.cuh"
#include "spgemm/published/gpu/slices.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { SLICE };
const tulle__param params[] = {
    {"slice",
     "0: as published, all rows at once, long ones in memory that grows; else 2^slice products at "
     "a time, if a row has no more",
     4, slice_values}};

void defaults(const tulle__spgemm_task *, int *values) {
    values[SLICE] = slice_default;
}

template <class V, class O, class C>
struct binned_work {
    int64_t most_rows; /* most rows of a slice */

    int64_t bytes(int64_t) const {
        return static_cast<int64_t>(part_bytes<int64_t>(grouped_rows<C>::numbers) +
                                    part_bytes<C>(most_rows));
    }
    tulle_status run(const slice_job<V, O, C> &job) const {
        const int64_t rows = job.slice.rows;
        const tulle__place *place = job.place;
        scratch memory(place);
        grouped_rows<C> groups = {};
        GPU_TRY(groups.take(place, &memory, rows));
        GPU_TRY(groups.make(place, rows, job.numbers, bin_limits));
        GPU_TRY(GPU_SYMBOL(stream_wait)(place->device, place->stream));
        GPU_TRY(do_short_rows(place, job.rows(), job.place_of(), groups));
        const row_list<C> long_rows = groups.of(bin_joined);
        if (long_rows.count == 0) return TULLE_OK;
        return launch(
            place, joined_rows<V, O, C, place_in_slice<O>>,
            grid{long_rows.count, joined_threads, joined_bytes<V, C>(joined_near, joined_threads)},
            job.rows(), job.place_of(), long_rows);
    }
};

/* rooms[i] := the multiplications of row i, if it is in a bin before the last one, else 0, for a
 * scan; rooms[rows] := 0. */
GPU_KERNEL void count_room(int64_t rows, const int64_t *numbers, int64_t *rooms) {
    for (int64_t i = loop_first(); i <= rows; i += loop_stride()) {
        const int64_t number = i < rows ? load(numbers + i) : 0;
        rooms[i] = number <= sorted_most ? number : 0;
    }
}

/* Makes all rows at once. */
template <class V, class O, class C>
class grown_product {
  public:
    explicit grown_product(tulle__spgemm_task *task)
        : task_(task),
          place_(task->place),
          memory_(task->place),
          f_(make_factors<V, O, C>(task)),
          long_rows_(task->place) {}

    tulle_status run() {
        int64_t nnz = 0;
        GPU_TRY(analyse());
        GPU_TRY(task_->ends(task_, TULLE__SPGEMM_ANALYSIS));
        GPU_TRY(compute());
        GPU_TRY(exclusive_scan(place_, counts_, counts_, f_.rows + 1));
        GPU_TRY(to_host(place_, &nnz, counts_ + f_.rows, sizeof nnz));
        GPU_TRY(task_->ends(task_, TULLE__SPGEMM_COUNT));
        GPU_TRY(task_->make_c(task_, nnz));
        GPU_TRY(move());
        GPU_TRY(put_offsets(task_, counts_));
        return task_->ends(task_, TULLE__SPGEMM_COMPUTE);
    }

  private:
    /* Sums over all rows, which the device counts. */
    struct sums {
        multiplication_totals all;
        int64_t most; /* most entries of long rows */
        int64_t left; /* number of long rows that go on */
    };

    tulle_status analyse() {
        const int64_t rows = f_.rows;
        sums found = {};
        int64_t *numbers = nullptr;
        size_t bytes = 3 * part_bytes<int64_t>(rows + 1) + part_bytes<sums>(1);
        char *all = nullptr;
        GPU_TRY(memory_.get(static_cast<int64_t>(bytes), &all));
        parts cut(place_, all);
        GPU_TRY(cut.take(rows + 1, &numbers));
        GPU_TRY(cut.take(rows + 1, &counts_));
        GPU_TRY(cut.take(rows + 1, &begins_));
        GPU_TRY(cut.take(1, &sums_));
        numbers_ = numbers;
        GPU_TRY(groups_.take(place_, &memory_, rows));
        GPU_TRY(TULLE__HERE(set_bytes)(place_, sums_, 0, sizeof *sums_));
        GPU_TRY(TULLE__HERE(set_bytes)(place_, counts_, 0,
                                       static_cast<size_t>(rows + 1) * sizeof *counts_));
        GPU_TRY(launch(place_, count_row_multiplications<V, O, C>, loop_grid(rows * warp_lanes), f_,
                       task_->b.cols, false, numbers, &sums_->all));
        GPU_TRY(groups_.make(place_, rows, numbers_, bin_limits));
        GPU_TRY(launch(place_, count_room, loop_grid(rows + 1), rows, numbers_, begins_));
        GPU_TRY(exclusive_scan(place_, begins_, begins_, rows + 1));
        GPU_TRY(to_host(place_, &room_, begins_ + rows, sizeof room_));
        if (long_list().count > 0) {
            GPU_TRY(long_rows_.begin(f_, long_list(), numbers_, task_->b.cols, &sums_->most));
        }
        GPU_TRY(to_host(place_, &found, sums_, sizeof found));
        task_->multiplications = found.all.multiplications;
        task_->bound_bytes = bound(found, static_cast<int64_t>(bytes));
        return TULLE_OK;
    }
    row_list<C> long_list() const { return groups_.of(bin_joined); }

    int64_t bound(const sums &found, int64_t held) const {
        constexpr int64_t entry = sizeof(C) + sizeof(V);
        const double groups =
            part_bytes<int64_t>(grouped_rows<C>::numbers) + part_bytes<C>(f_.rows);
        double all = static_cast<double>(held + scan_bytes(f_.rows)) + groups +
                     static_cast<double>(f_.rows + 1) * sizeof(int64_t) +
                     static_cast<double>(room_ + found.all.entries) * entry +
                     grown_rows<V, O, C>::bound(long_list().count, found.most);
        return all < 9e18 ? static_cast<int64_t>(all) : INT64_MAX;
    }

    tulle_status compute() {
        GPU_TRY(memory_.get(room_, &cols_));
        GPU_TRY(memory_.get(room_, &values_));
        const rows_job<V, O, C> job = {
            f_, 0, numbers_, cols_, values_, counts_, make_scalar<V>(task_->alpha)};
        GPU_TRY(do_short_rows(place_, job, room_of_row{begins_}, groups_));
        return long_rows_.run(job, &sums_->left);
    }
    /* Moves rows into C. C's offsets stand now where counts were. */
    tulle_status move() const {
        C *cols = static_cast<C *>(task_->c.cols_of);
        V *values = static_cast<V *>(task_->c.values);
        row_list<C> short_rows = groups_.of(bin_one);
        short_rows.count += groups_.rows[bin_heap] + groups_.rows[bin_sorted];
        GPU_TRY(launch(place_, move_rows<V, C, room_of_row>,
                       loop_grid(short_rows.count * warp_lanes), short_rows, room_of_row{begins_},
                       cols_, values_, counts_, cols, values));
        return long_rows_.move(counts_, cols, values);
    }

    tulle__spgemm_task *task_;
    const tulle__place *place_;
    scratch memory_;
    factors<V, O, C> f_;
    grouped_rows<C> groups_ = {};
    grown_rows<V, O, C> long_rows_;
    const int64_t *numbers_ = nullptr; /* number of multiplications of each row */
    int64_t *counts_ = nullptr;        /* number of entries of each row, then the beginnings of
                                          rows */
    int64_t *begins_ = nullptr;        /* places where short rows have room */
    sums *sums_ = nullptr;
    C *cols_ = nullptr; /* columns of short rows */
    V *values_ = nullptr;
    int64_t room_ = 0; /* most entries of short rows */
};

template <class V, class O, class C>
tulle_status run(tulle__spgemm_task *task) {
    constexpr int64_t most_rows = 1 << 24;
    const int slice = task->params[SLICE];
    task->no_pieces = slice == 0;
    if (slice == 0) return grown_product<V, O, C>(task).run();
    const int64_t rows = task->a.rows < most_rows ? task->a.rows : most_rows;
    sliced_product<V, O, C, binned_work<V, O, C>> product(task, binned_work<V, O, C>{rows},
                                                          slice_multiplications(slice), most_rows);
    return product.run();
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spgemm_kernel GPU_SYMBOL(spgemm_bhsparse);
const tulle__spgemm_kernel GPU_SYMBOL(spgemm_bhsparse) = {
    .head = {.name = "spgemm_bhsparse",
             .summary =
                 "rows in bins by their products: heaps, bitonic expand-sort-contract, merges",
             .source = "Liu, Vinter, IPDPS 2014 (BHSPARSE), as paper 4 compares with",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__HISTORICAL,
             .param_count = 1,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .run = GPU_RUN_ALL(gpu::run),
};
