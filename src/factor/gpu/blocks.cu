/* SPDX-License-Identifier: Apache-2.0 */
/* L U of blocks whose size the compiler knows, in one launch, with one block of threads per block
 * row. As in listed.cu, numbers of U are their own flags. Here they are the blocks of a row from
 * its diagonal block on, which follow each other and are loaded together, those of the next step
 * while this one is computed.
 *
 *   blocks        threads of a row in shared memory    of a wide row, in scratch
 *   2, 3, 4                       32                             256
 *   5                             64                             256
 *   8                            128                             256
 *   16                           256                             256
 *
 * Rows are wide if their mean has many blocks, as in factors with much fill, or if shared memory
 * does not hold a row (is_wide).
 *
 * Waiting. Blocks of threads take rows by a ticket, in the order of the schedule. A row takes the
 * earlier rows in the order of places, not of columns, if it may: the row for which it waits
 * longest comes last, and all work that does not depend on that row is done by then. L_ij must be
 * known before step k if U_jk exists. This is sure if row k then waits for row j, as it does in
 * symmetric patterns.
 *
 * Memory: the ticket, pivots of rows, and for wide rows as many numbers as the factors have, in the
 * workspace. Barriers are those of the block of threads. Sources: Afanasyev and others 2015,
 * section 3.4; waiting and order are tulle's. */
#define TULLE__PARTS 6
#include "factor/gpu/block_row.cuh"
#include "gpu/parts.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

template <class T, class O, class I, int b, bool wide>
GPU_KERNEL GPU_RESIDENT((row_threads<b, wide>),
                        (b == 8 && !wide ? 4 : 2)) void factor_rows(factor_job<T, O, I> job,
                                                                    block_rows<T> rows) {
    GPU_DYNAMIC_SHARED(step, memory);
    GPU_SHARED(double, sizes, (row_threads<b, wide> / warp_lanes));
    GPU_SHARED(uint64_t, taken, 1);
    job.block = b;
    block_row<T, O, I, b, wide> row(job, rows, memory, sizes);
    for (;;) {
        if (thread() == 0) taken[0] = atomic_add(job.ticket, uint64_t{1});
        sync();
        const int64_t place = static_cast<int64_t>(static_cast<uint64_t>(taken[0]));
        if (place >= job.rows) return;
        row.factorise(place);
        sync();
    }
}

size_t bytes_of(const row_memory &m) {
    return static_cast<size_t>(m.steps + m.places + m.cols + m.targets + m.numbers + m.piece) *
           sizeof(step);
}

/* Applies X(b) to each size of blocks. */
#define EACH_SIZE(X) X(2) X(3) X(4) X(5) X(8) X(16)

template <class T, class I, bool wide>
size_t room_in(const tulle__factor_task *t) {
    switch (t->block) {
#define X(b)                                                                                       \
    case b:                                                                                        \
        return bytes_of(memory_for<T, I, b, wide>(t->longest));
        EACH_SIZE(X)
#undef X
        default:
            return SIZE_MAX;
    }
}

/* Returns true when rows go through scratch: rows with many blocks, or rows that do not fit in
 * shared memory. There is code for that only for 32-bit indices. */
bool is_wide(const tulle__factor_task *t) {
    constexpr int64_t many = 48;
    constexpr size_t most_shared = 160 << 10;
    const size_t room = t->type == TULLE_F32 ? room_in<float, int64_t, false>(t)
                                             : room_in<double, int64_t, false>(t);
    return t->entries > many * t->rows || room > most_shared;
}

template <class T, class O, class I, int b, bool wide>
tulle_status run_sized(const tulle__factor_task *t) {
    factor_job<T, O, I> job = factor_job_of<T, O, I>(t);
    block_rows<T> rows = {nullptr, nullptr, t->symmetric, memory_for<T, I, b, wide>(t->longest)};
    const int64_t numbers = t->entries * b * b;
    parts cut(t->place, t->workspace);
    GPU_TRY(cut.take(1, &job.ticket));
    GPU_TRY(cut.take(t->rows, &rows.pivots));
    if (wide) GPU_TRY(cut.take(numbers, &rows.scratch));
    GPU_TRY(GPU_SYMBOL(set_bytes)(t->place, job.ticket, 0, sizeof *job.ticket));
    GPU_TRY(GPU_SYMBOL(set_bytes)(t->place, rows.pivots, awaited_byte,
                                  static_cast<size_t>(t->rows) * sizeof *rows.pivots));
    GPU_TRY(GPU_SYMBOL(set_bytes)(t->place, job.values, awaited_byte,
                                  static_cast<size_t>(numbers) * sizeof(T)));
    constexpr int threads = row_threads<b, wide>;
    const auto kernel = factor_rows<T, O, I, b, wide>;
    const size_t bytes = bytes_of(rows.room);
    int64_t blocks = 0;
    GPU_TRY(resident_blocks(t->place, kernel, threads, bytes, &blocks));
    const int64_t wanted = int64_t{t->device->multiprocessors} * t->params[0];
    if (blocks > wanted) blocks = wanted;
    return launch(t->place, kernel, {t->rows < blocks ? t->rows : blocks, threads, bytes}, job,
                  rows);
}

}  // namespace

template <class T, class O, class I>
tulle_status run_blocks(const tulle__factor_task *t) {
    const bool wide = is_wide(t);
    switch (t->block) {
#define X(b)                                                                                       \
    case b:                                                                                        \
        if constexpr (sizeof(O) == 4) {                                                            \
            if (wide) return run_sized<T, O, I, b, true>(t);                                       \
        }                                                                                          \
        return run_sized<T, O, I, b, false>(t);
        EACH_SIZE(X)
#undef X
        default:
            return TULLE_UNSUPPORTED;
    }
}

GPU_PARTS_ALL(run_blocks, const tulle__factor_task *);

#if TULLE__IN_PART(1)
namespace {

/* Returns false for factors in which dropped products count, because these would have to be
 * computed too. */
bool eligible(const tulle__factor_task *t) {
    constexpr size_t most_shared = 160 << 10;
    if (t->kind != TULLE_LU || t->modified > 0 || room_in<double, int64_t, true>(t) > most_shared) {
        return false;
    }
    return t->index == TULLE_I32 || !is_wide(t);
}

size_t workspace(const tulle__factor_task *t) {
    const size_t bytes = part_bytes<uint64_t>(1) + part_bytes<uint64_t>(t->rows);
    const int64_t numbers = t->entries * t->block * t->block;
    if (!is_wide(t)) return bytes;
    return bytes +
           (t->type == TULLE_F32 ? part_bytes<float>(numbers) : part_bytes<double>(numbers));
}

/* Chooses as many blocks of threads as take the rows of the next few levels; more would only poll
 * and wait. */
void defaults(const tulle__factor_task *t, int *params) {
    constexpr int64_t levels_ahead = 12;
    const int64_t rows = levels_ahead * t->rows / t->schedule->levels;
    params[0] = 2;
    while (int64_t{params[0]} * t->device->multiprocessors < rows && params[0] < 32) params[0] *= 2;
}

const int block_counts[] = {1, 2, 4, 8, 16, 32};
const tulle__param params[] = {{"blocks", "block rows of a multiprocessor", 6, block_counts}};

}  // namespace
#endif
}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)

extern "C" const tulle__factor_kernel GPU_SYMBOL(factor_blocks);
const tulle__factor_kernel GPU_SYMBOL(factor_blocks) = {
    .head = {.name = "factor_blocks",
             .also = "factor_bsr_lu",
             .summary = "blocks of 2, 3, 4, 5, 8 or 16: numbers of U are their own flags",
             .source = "Afanasyev and others 2015, section 3.4; waiting and order: tulle",
             .format = TULLE_BSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__DEFAULT,
             .param_count = 1,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .run = GPU_RUN_ALL(gpu::run_blocks)};
#endif
