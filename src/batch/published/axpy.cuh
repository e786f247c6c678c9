/* SPDX-License-Identifier: Apache-2.0 */
/* DAXPY of Afanasyev and others 2015, section 3.2: Y := Y +- X A, where A is b x b, and X and Y are
 * cut into blocks of b rows.
 *
 * Taken literally: a thread has its column of A in registers; a block of X goes from global memory
 * into registers while the one before it, which lies in shared memory, is multiplied; the order of
 * barriers. Section 3.4 calls two of its steps sparse generalisations of this kernel, and SLE needs
 * a third: axpy_blocks is all of them, told where blocks of X are and what becomes of a product.
 * Not taken literally: the printed kernel never loads Y, and leaves the rows behind the last whole
 * block out, so that both are added; A of 16 x 16 in f64 is in shared memory, because two blocks of
 * threads leave a thread 32 registers ("in the most cases", says the paper); alpha and beta are any
 * numbers. */
#ifndef TULLE_BATCH_PUBLISHED_AXPY_CUH
#define TULLE_BATCH_PUBLISHED_AXPY_CUH

#include "batch/published/groups.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The small block, of which a thread needs its column. */
template <class V, int b>
class small_block {
  public:
    static constexpr bool in_registers = b * sizeof(V) <= 64;
    static constexpr int room = in_registers ? 1 : b * b; /* numbers of shared memory */

    /* get(row, col) reads it. All threads call this, after a barrier behind the last use of the
     * memory. */
    template <class Get>
    GPU_FUNCTION small_block(shared<V> memory, Get get) : memory_(memory) {
        const group_of<b> g;
        if constexpr (in_registers) {
            GPU_UNROLL
            for (int m = 0; m < b; m++) column_[m] = get(m, g.col);
        } else {
            if (g.group == 0) memory[g.own()] = get(g.row, g.col);
            sync();
        }
    }

    /* A row, times the thread's column. */
    GPU_FUNCTION V times(shared<V> row) const {
        const int col = static_cast<int>(thread()) % b;
        V sum = 0;
        GPU_UNROLL
        for (int m = 0; m < b; m++) {
            if constexpr (in_registers) {
                sum = fma(V(row[m]), column_[m], sum);
            } else {
                sum = fma(V(row[m]), V(memory_[m * b + col]), sum);
            }
        }
        return sum;
    }

  private:
    shared<V> memory_;
    V column_[in_registers ? b : 1];
};

/* store(i, row, col, number of X_i A) for all blocks i below count; load(i, row, col) is a number
 * of X_i. room: a number a thread. All threads call it; when it returns, none reads X or A anymore.
 */
template <class V, int b, class Load, class Store>
GPU_FUNCTION void axpy_blocks(const small_block<V, b> &A, int64_t count, shared<V> room, Load load,
                              Store store) {
    const group_of<b> g;
    const shared<V> X = room + g.group * g.size;
    int64_t i = g.group;
    if (count == 0) return;
    if (i < count) X[g.own()] = load(i, g.row, g.col);
    sync();
    for (int64_t first = 0; first + g.groups < count; first += g.groups) {
        const int64_t following = i + g.groups;
        const V next = following < count ? load(following, g.row, g.col) : V(0);
        const V sum = A.times(X + g.row * b);
        sync();
        store(i, g.row, g.col, sum);
        X[g.own()] = next;
        sync();
        i = following;
    }
    const V sum = i < count ? A.times(X + g.row * b) : V(0);
    sync();
    if (i < count) store(i, g.row, g.col, sum);
}

template <class V, int b>
GPU_KERNEL GPU_RESIDENT(published_threads, 2) void axpy_task(const tulle__task *task) {
    using small = small_block<V, b>;
    GPU_SHARED(V, room, published_threads);
    GPU_SHARED(V, memory, small::room);
    const tulle__task &t = task[block()];
    const small A(memory, [&](int row, int col) { return *number_of<const V>(t.a, row, col); });
    axpy_blocks<V, b>(
        A, (t.units + b - 1) / b, room,
        [&](int64_t i, int row, int col) {
            const int64_t at = i * b + row;
            return at < t.units ? *number_of<const V>(t.x, at, col) : V(0);
        },
        [&](int64_t i, int row, int col, V sum) {
            const int64_t at = i * b + row;
            if (at < t.units) store_sum(t, at, col, sum);
        });
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
