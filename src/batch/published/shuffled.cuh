/* SPDX-License-Identifier: Apache-2.0 */
/* DAXPY of Afanasyev and others 2015, section 3.2, by its other way: "some kernels use shfl
 * instructions to avoid using shared memory at all".
 *
 * Taken literally: no shared memory; the next numbers of X are loaded while the last are
 * multiplied.
 * The paper prints no such kernel, so this is ours: b lanes have a row of X, a number each, and a
 * thread has its column of A in registers. A of 16 x 16 in f64 takes half a thread's registers, and
 * one block of threads then has a multiprocessor to itself. */
#ifndef TULLE_BATCH_PUBLISHED_SHUFFLED_CUH
#define TULLE_BATCH_PUBLISHED_SHUFFLED_CUH

#include "batch/published/groups.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, int b>
GPU_KERNEL GPU_RESIDENT(published_threads, (b * sizeof(V) <= 64 ? 2 : 1)) void shuffled_axpy_task(
    const tulle__task *task) {
    const tulle__task &t = task[block()];
    const int col = static_cast<int>(thread()) % b, rows = static_cast<int>(block_size()) / b;
    V column[b];
    GPU_UNROLL
    for (int m = 0; m < b; m++) column[m] = *number_of<const V>(t.a, m, col);
    int64_t row = thread() / b;
    V next = row < t.units ? *number_of<const V>(t.x, row, col) : V(0);
    for (int64_t first = 0; first < t.units; first += rows) {
        const V x = next;
        const int64_t following = row + rows;
        next = following < t.units ? *number_of<const V>(t.x, following, col) : V(0);
        V sum = 0;
        GPU_UNROLL
        for (int m = 0; m < b; m++) sum = fma(shuffle(full_warp, x, m, b), column[m], sum);
        if (row < t.units) store_sum(t, row, col, sum);
        row = following;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
