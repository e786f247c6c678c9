/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C by ranks.h. Once for each type combination: no include guard. */
#include "spgemm/cpu/ranks.h"

/* Lists the columns of all multiplications, less the row's base. */
TULLE__INLINED void NAME(ranks_keys)(const tulle__spgemm_task *task, const tulle__spgemm_row *row,
                                     tulle__ranks_keys *keys) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    int64_t p = 0;
    for (int64_t e = row->begin; e < row->end; e++) {
        for (int64_t f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            keys->at[p++] = (int32_t)(b_cols[f] - row->base);
        }
    }
}

TULLE__INLINED int64_t NAME(ranks_count)(const tulle__spgemm_task *task,
                                         const tulle__spgemm_row *row) {
    tulle__ranks_keys keys, again;
    NAME(ranks_keys)(task, row, &keys);
    int64_t blocks = tulle__ranks_pad(&keys, row->multiplications);
    return tulle__ranks_again(&keys, row->multiplications, blocks, &again);
}

TULLE__INLINED int64_t NAME(ranks_row)(const tulle__spgemm_task *task, const tulle__spgemm_row *row,
                                       VALUE alpha, INDEX *cols, VALUE *values) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    tulle__ranks_keys keys, again, ranks;
    int32_t once[TULLE__RANKS_MOST + 1];
    NAME(ranks_keys)(task, row, &keys);
    int64_t blocks = tulle__ranks_pad(&keys, row->multiplications), p = 0;
    int64_t differ = tulle__ranks_again(&keys, row->multiplications, blocks, &again);
    tulle__ranks_once(&keys, row->multiplications, &again, once);
    tulle__ranks_of(&keys, blocks, once, differ, &ranks);
    for (int64_t k = 0; k < differ; k++) values[k] = -(VALUE)0;
    for (int64_t e = row->begin; e < row->end; e++) {
        VALUE factor = a_values[e];
        for (int64_t f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++, p++) {
            cols[ranks.at[p]] = (INDEX)(row->base + keys.at[p]);
            values[ranks.at[p]] += factor * b_values[f];
        }
    }
    for (int64_t k = 0; k < differ; k++) values[k] *= alpha;
    return differ;
}
