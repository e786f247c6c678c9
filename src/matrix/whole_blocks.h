/* SPDX-License-Identifier: Apache-2.0 */
/* BSR matrices of which all cells of all blocks are entries: operations work block by block. */
#ifndef TULLE_MATRIX_WHOLE_BLOCKS_H
#define TULLE_MATRIX_WHOLE_BLOCKS_H

#include "format/bsr.h"
#include "matrix/matrix.h"

/* Returns true where a matrix is in BSR and no cell is padding, nor outside of the matrix. */
static inline bool tulle__is_whole_blocks(const tulle_mat *M) {
    const tulle__pattern *p = M->pattern;
    const tulle_storage *s = &p->storage;
    return p->format == TULLE_BSR && s->full && p->rows % tulle__block_rows(s) == 0 &&
           p->cols % tulle__block_cols(s) == 0;
}

/* Return the numbers of rows and of columns of a block of op(M). */
static inline int64_t tulle__op_block_rows(tulle_trans op, const tulle_mat *M) {
    const tulle_storage *s = &M->pattern->storage;
    return op == TULLE_N ? tulle__block_rows(s) : tulle__block_cols(s);
}
static inline int64_t tulle__op_block_cols(tulle_trans op, const tulle_mat *M) {
    return tulle__op_block_rows(op == TULLE_N ? TULLE_T : TULLE_N, M);
}

#endif
