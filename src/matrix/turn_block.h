/* SPDX-License-Identifier: Apache-2.0 */
/* The transposition of blocks, number by number and word by word of the masks. Compiles as C17 and
 * as CUDA C++. */
#ifndef TULLE_MATRIX_TURN_BLOCK_H
#define TULLE_MATRIX_TURN_BLOCK_H

#include "format/bsr.h"
#include "matrix/functions.h"

/* Returns the cell, among those of all given blocks, that becomes a cell of block k. A transposed
 * block has `tall` columns. */
SLOTS_FUNCTION int64_t tulle__turned_cell(const tulle__block_turning *job, int64_t k, int cell) {
    const int row = cell % job->tall, column = cell / job->tall;
    return job->perm[k] * job->tall * job->wide + (int64_t)row * job->wide + column;
}

/* Returns the number of items of the task: values, or words of masks. */
SLOTS_FUNCTION int64_t tulle__turned_items(const tulle__block_turning *job) {
    const int64_t cells = (int64_t)job->tall * job->wide;
    return job->blocks * (job->values ? cells : tulle__mask_words(cells));
}

SLOTS_FUNCTION void tulle__turn_number(const tulle__block_turning *job, int64_t i) {
    const int64_t cells = (int64_t)job->tall * job->wide;
    tulle__move_value(job->type, job->out_values, i, job->values,
                      tulle__turned_cell(job, i / cells, (int)(i % cells)));
}

SLOTS_FUNCTION void tulle__turn_word(const tulle__block_turning *job, int64_t i) {
    const int64_t cells = (int64_t)job->tall * job->wide, words = tulle__mask_words(cells);
    const int64_t block = i / words, first = 32 * (i % words), given = job->perm[block];
    uint32_t word = 0;
    for (int64_t cell = first; cell < first + 32 && cell < cells; cell++) {
        const int64_t at = tulle__turned_cell(job, block, (int)cell) - given * cells;
        if (tulle__bit(job->mask, 32 * given * words + at)) word |= UINT32_C(1) << (cell - first);
    }
    job->out_mask[i] = word;
}

/* Moves item i of the task. */
SLOTS_FUNCTION void tulle__turn_item(const tulle__block_turning *job, int64_t i) {
    if (job->values) {
        tulle__turn_number(job, i);
    } else {
        tulle__turn_word(job, i);
    }
}

#endif
