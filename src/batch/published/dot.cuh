/* SPDX-License-Identifier: Apache-2.0 */
/* DOT of Afanasyev and others 2015, section 3.1: R := R + X^T Z, where X and Z have b columns and
 * are cut into blocks of b rows.
 *
 * Taken literally: a group has two blocks in shared memory and three in registers, of which a
 * thread has a number each: the next of X and of Z, which are loaded while the last are multiplied,
 * and its sum, which is gathered when all blocks are done; the order of barriers. Not taken
 * literally: the printed loop multiplies each block of X by one constant B and transposes nothing,
 * which is no dot product, so that both are as formula (1.2) has them; rows behind the last whole
 * block count; sums are in f64 also where numbers are in f32, as tulle_batch_dot promises; groups'
 * sums are added in the order of groups, so that results repeat; alpha and beta are any numbers. */
#ifndef TULLE_BATCH_PUBLISHED_DOT_CUH
#define TULLE_BATCH_PUBLISHED_DOT_CUH

#include "batch/published/groups.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A thread's number of block i, or zero behind the last row. */
template <class V, int b>
GPU_FUNCTION V number_of_block(const tulle__strided &s, int64_t rows, int64_t i, int row, int col) {
    const int64_t at = i * b + row;
    return at < rows ? *number_of<const V>(s, at, col) : V(0);
}

/* sum + number (row, col) of X^T Z. */
template <class V, int b>
GPU_FUNCTION double add_block(shared<V> X, shared<V> Z, int row, int col, double sum) {
    GPU_UNROLL
    for (int m = 0; m < b; m++) {
        sum = fma(static_cast<double>(V(X[m * b + row])), static_cast<double>(V(Z[m * b + col])),
                  sum);
    }
    return sum;
}

template <class V, int b>
GPU_KERNEL GPU_RESIDENT(published_threads, 2) void dot_task(const tulle__task *task) {
    GPU_SHARED(V, all_x, published_threads);
    GPU_SHARED(V, all_z, published_threads);
    GPU_SHARED(double, sums, published_threads);
    const tulle__task &t = task[block()];
    const group_of<b> g;
    const shared<V> X = all_x + g.group * g.size, Z = all_z + g.group * g.size;
    const int64_t blocks = (t.units + b - 1) / b;
    int64_t i = g.group;
    double sum = 0;
    X[g.own()] = number_of_block<V, b>(t.x, t.units, i, g.row, g.col);
    Z[g.own()] = number_of_block<V, b>(t.a, t.units, i, g.row, g.col);
    sync();
    for (int64_t first = 0; first + g.groups < blocks; first += g.groups) {
        i += g.groups;
        const V x = number_of_block<V, b>(t.x, t.units, i, g.row, g.col);
        const V z = number_of_block<V, b>(t.a, t.units, i, g.row, g.col);
        sum = add_block<V, b>(X, Z, g.row, g.col, sum);
        sync();
        X[g.own()] = x;
        Z[g.own()] = z;
        sync();
    }
    sums[thread()] = add_block<V, b>(X, Z, g.row, g.col, sum);
    sync();
    if (g.group > 0) return;
    double gathered = sums[g.own()];
    for (int other = 1; other < g.groups; other++) gathered += sums[other * g.size + g.own()];
    V *to = number_of<V>(t.y, g.row, g.col);
    const double product = t.alpha * gathered;
    *to = static_cast<V>(t.beta == 0 ? product : product + t.beta * static_cast<double>(*to));
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
