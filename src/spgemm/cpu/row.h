/* SPDX-License-Identifier: Apache-2.0 */
/* A row of C before it is computed: its number of multiplications and its range of columns, which
 * follow from the row of A and the ends of the rows of B. Once for each index type: no include
 * guard. */

/* Prefetches rows of B some entries ahead, and their offsets earlier still, because rows of B
 * lie anywhere in memory. */
static inline void NAME(ask_ahead)(const tulle__spgemm_task *task, int64_t e) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const char *b_values = task->b.values;
    if (e + 2 * TULLE__SPGEMM_AHEAD >= task->a.nnz) return;
    int64_t begin = b_offsets[a_cols[e + TULLE__SPGEMM_AHEAD]];
    __builtin_prefetch(b_offsets + a_cols[e + 2 * TULLE__SPGEMM_AHEAD]);
    __builtin_prefetch(b_cols + begin);
    __builtin_prefetch(b_values + begin * tulle_type_size(task->type));
}

/* Finds the range of columns of C's row from the ends of B's rows, whose columns rise. */
static inline tulle__spgemm_row NAME(row_at)(const tulle__spgemm_task *task, int64_t i) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    tulle__spgemm_row row = {.begin = a_offsets[i], .end = a_offsets[i + 1]};
    int64_t first = INT64_MAX, last = -1;
    for (int64_t e = row.begin; e < row.end; e++) {
        NAME(ask_ahead)(task, e);
        int64_t begin = b_offsets[a_cols[e]], end = b_offsets[a_cols[e] + 1];
        if (begin == end) continue;
        row.multiplications += end - begin;
        if (b_cols[begin] < first) first = b_cols[begin];
        if (b_cols[end - 1] > last) last = b_cols[end - 1];
    }
    if (last < 0) return row;
    row.base = first / 64 * 64;
    row.span = last + 1 - row.base;
    return row;
}
