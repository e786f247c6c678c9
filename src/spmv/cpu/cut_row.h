/* SPDX-License-Identifier: Apache-2.0 */
/* The cuts of the merge path of pieces.h, once for each type combination: the cut before item d
 * lies at the first row i with offsets[i + 1] > d - i - 1 and at the entry d - i. No include
 * guard, on purpose. */

static int64_t NAME(cut_row)(const tulle__spmv_task *task, int64_t d) {
    const OFFSET *offsets = task->offsets, *ends = offsets + 1;
    int64_t rows = task->shape.rows, nnz = task->shape.nnz;
    int64_t low = d > nnz ? d - nnz : 0;
    TULLE__LOWER_BOUND(low, d < rows ? d : rows, middle,
                       ends[middle] - offsets[0] <= d - middle - 1);
    return low;
}
