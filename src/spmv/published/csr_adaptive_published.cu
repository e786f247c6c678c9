/* SPDX-License-Identifier: Apache-2.0 */
/* CSR-Adaptive as published: Hiranandani, IV.C, after Greathouse and Daga (SC 2014). The host walks
 * over the rows once and cuts them into row blocks: a row block takes rows as long as their entries
 * together are no more than the threads of a thread block, `block`; a row that has more is alone.
 * Each row block has one thread block. CSR-Stream, for several rows: a thread multiplies one entry
 * and keeps the product in shared memory, which has room for as many; then a thread adds up a row,
 * from left to right. CSR-Vector, for a single row: the whole thread block walks it (long 1,
 * Hiranandani's change) or one warp (long 0, as in 2014), and the sums of its threads are added in
 * halves through shared memory.
 *
 * The printed code is followed where it differs from the text: a row block of one row that would
 * fit goes to CSR-Vector, too. Not taken literally: the sums in halves, which rely there on warps
 * in step, have barriers. The launch has as many blocks as there are row blocks, which only the
 * walk tells: so the kernel runs with a plan only, and the walk's time is the plan's. */
#include "gpu/fetch.cuh"
#include "spmv/gpu/csr_models.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, LONG };
/* Sizes of thread blocks: Hiranandani's example in the text has 64 threads, her measurements have
 * 1024. */
const int block_values[] = {64, 256, 1024};
const int long_values[] = {0, 1};
const tulle__param params[] = {
    {"block", "threads of a block, and most entries of a row block of several rows", 3,
     block_values},
    {"long", "who sums a row block of one row; 0: a warp, 1: the block", 2, long_values}};

/* Largest number of row blocks: the entries of one and the first row of the next do not fit
 * together, so two neighbours have more than `block` entries. */
int64_t most_row_blocks(const tulle__spmv_shape *shape, const int *values) {
    int64_t by_entries = 2 * (shape->nnz / (values[BLOCK] + 1)) + 1;
    return by_entries < shape->rows ? by_entries : shape->rows;
}

template <class V, class O, class C>
GPU_FUNCTION void finish(const csr_product<V, O, C> &a, int64_t row, V sum) {
    a.y[row] = combine(a.alpha.value(), sum, a.beta.value(), a.y + row);
}

template <class V, class O, class C>
GPU_FUNCTION void csr_stream(const csr_product<V, O, C> &a, int64_t first, int64_t behind,
                             shared<V> products) {
    int self = static_cast<int>(thread());
    O begin = load(a.offsets + first);
    int count = static_cast<int>(load(a.offsets + behind) - begin);
    if (self < count) {
        O e = begin + self;
        products[self] = load_once(a.values + e) * load(a.x + load_once(a.cols_of + e));
    }
    sync();
    for (int64_t row = first + self; row < behind; row += block_size()) {
        int end = static_cast<int>(load(a.offsets + row + 1) - begin);
        V sum = 0;
        for (int p = static_cast<int>(load(a.offsets + row) - begin); p < end; p++) {
            sum += products[p];
        }
        finish(a, row, sum);
    }
}

/* Sums a single row, by the first `walkers` threads, a power of two of them. */
template <class V, class O, class C>
GPU_FUNCTION void csr_vector(const csr_product<V, O, C> &a, int64_t row, int walkers,
                             shared<V> sums) {
    int self = static_cast<int>(thread());
    if (self < walkers) {
        O end = load(a.offsets + row + 1);
        V sum = 0;
        for (int64_t e = int64_t{load(a.offsets + row)} + self; e < end; e += walkers) {
            sum += load_once(a.values + e) * load(a.x + load_once(a.cols_of + e));
        }
        sums[self] = sum;
    }
    for (int half = walkers / 2; half > 0; half /= 2) {
        sync();
        if (self < half) sums[self] += sums[self + half];
    }
    if (self == 0) finish(a, row, V(sums[0]));
}

/* Multiplies. starts: the first row of each row block, and then the number of rows. */
template <class V, class O, class C>
GPU_KERNEL void forward(csr_product<V, O, C> a, const O *starts, int walkers) {
    GPU_DYNAMIC_SHARED(V, kept);
    int64_t first = load(starts + block()), behind = load(starts + block() + 1);
    if (behind - first > 1) {
        csr_stream(a, first, behind, kept);
    } else {
        csr_vector(a, first, walkers, kept);
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const int *values = task->params;
    return launch(
        task->place, forward<V, O, C>,
        {task->prepared_count, values[BLOCK], static_cast<size_t>(values[BLOCK]) * sizeof(V)},
        make_product<V, O, C>(task), static_cast<const O *>(task->prepared),
        values[LONG] ? values[BLOCK] : 32);
}

/* Walks over the rows. Offsets come to the host, and starts go to the device, a piece at a time:
 * it takes no memory that grows with the matrix. */
template <class O>
class walk_over_rows {
  public:
    walk_over_rows(const tulle__place *place, O *found) : place_(place), found_(found) {}

    tulle_status run(const O *offsets, int64_t rows, int most, int64_t *count) {
        O start = 0; /* first row of the row block under way */
        O begin = 0; /* offset of its first row */
        for (int64_t row = 0; row < rows; row += piece) {
            const int64_t left = rows - row, taken = left < piece ? left : piece;
            GPU_TRY(to_host(place_, offsets_, offsets + row,
                            static_cast<size_t>(taken + 1) * sizeof(O)));
            if (row == 0) {
                begin = offsets_[0];
                GPU_TRY(put(0));
            }
            for (int64_t r = 0; r < taken; r++) {
                const bool fits = offsets_[r + 1] - begin <= most;
                if (fits || row + r == start) continue;
                start = static_cast<O>(row + r);
                begin = offsets_[r];
                GPU_TRY(put(start));
            }
        }
        *count = count_;
        GPU_TRY(put(static_cast<O>(rows)));
        return flush();
    }

  private:
    static constexpr int piece = 16384, starts_piece = 4096;
    const tulle__place *place_;
    O *found_;
    int64_t count_ = 0, written_ = 0;
    O offsets_[piece + 1], starts_[starts_piece];

    tulle_status put(O start) {
        starts_[count_++ - written_] = start;
        return count_ - written_ == starts_piece ? flush() : TULLE_OK;
    }
    tulle_status flush() {
        const size_t bytes = static_cast<size_t>(count_ - written_) * sizeof(O);
        GPU_TRY(GPU_SYMBOL(copy)(place_, found_ + written_, starts_, bytes));
        written_ = count_;
        return GPU_SYMBOL(stream_wait)(place_->device, place_->stream);
    }
};

tulle_status prepare(const tulle__spmv_task *task, void *found, int64_t *count) {
    walk_over_rows<int32_t> walk(task->place, static_cast<int32_t *>(found));
    return walk.run(static_cast<const int32_t *>(task->offsets), task->shape.rows,
                    task->params[BLOCK], count);
}

size_t starts_bytes(const tulle__spmv_shape *shape, const int *values) {
    return static_cast<size_t>(most_row_blocks(shape, values) + 1) *
           static_cast<size_t>(tulle_offset_size(shape->index));
}

void defaults(const tulle__spmv_shape *, int *values) {
    values[BLOCK] = 1024;
    values[LONG] = 1;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return most_row_blocks(shape, values) <= INT32_MAX;
}

/* Bytes: a thread block also loads the beginning and end of its row block. */
int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero) +
           2 * static_cast<int64_t>(starts_bytes(shape, values));
}

/* Cost: a thread block streams, waits and then adds, one thread per row, which takes twice the time
 * of csr_adaptive for even rows, measured with thread blocks of Hiranandani's size; and the longest
 * row. */
double cost(const tulle__spmv_shape *shape, const int *values) {
    double all = 2 * (TULLE__ADAPTIVE_EVEN + TULLE__ADAPTIVE_UNEVEN * unevenness(shape)) *
                     static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
                 row_bytes(shape);
    return 3 * launch_cost(shape) + all + longest_bytes(shape, values[LONG] ? values[BLOCK] : 32);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_adaptive_published);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_adaptive_published) = {
    .head = {.name = "spmv_csr_adaptive_published",
             .summary =
                 "row blocks by a walk of the host's; a thread sums a row, a block a long one",
             .source = "Hiranandani, IV.C; Greathouse and Daga, SC 2014",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__NEEDS_PLAN | TULLE__HISTORICAL,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .prepared_bytes = gpu::starts_bytes,
    .prepare = gpu::prepare,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_I32(gpu::run),
};
