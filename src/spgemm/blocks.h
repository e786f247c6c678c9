/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a kernel for products in blocks, and its task: C := alpha A B, where A, B and C
 * are BSR without padding, C's pattern is known and has every block of the product. A block of C
 * adds the products of blocks in the order of A's row of blocks, and within these the terms of a
 * number in the order of the columns of A, which is the order of the product by numbers. */
#ifndef TULLE_SPGEMM_BLOCKS_H
#define TULLE_SPGEMM_BLOCKS_H

#include "core/kernel.h"
#include "core/place.h"
#include "core/search.h"
#include "format/bsr.h"

TULLE_BEGIN

/* The pattern of blocks of an operand or of C, and its values. Columns ascend in each row. */
typedef struct tulle__block_operand {
    int64_t rows, cols, blocks; /* numbers of block rows, of block columns, and of blocks */
    tulle_index index;
    const void *offsets, *cols_of, *values;
} tulle__block_operand;

/* Blocks of A have tall x inner cells, those of B inner x wide, and those of C tall x wide. The
 * three patterns may have index types of their own. */
typedef struct tulle__blocks_task {
    const tulle__place *place;
    tulle_type type;
    int tall, inner, wide;
    tulle__block_operand a, b, c;
    void *values; /* out: the values of C */
    tulle_scalar alpha;
    const int *params;
} tulle__blocks_task;

typedef struct tulle__blocks_kernel {
    tulle__kernel head;
    tulle_status (*run[TULLE__VALUES_COUNT])(const tulle__blocks_task *task);
} tulle__blocks_kernel;

static inline const tulle__blocks_kernel *tulle__blocks_of(const tulle__kernel *kernel) {
    return (const tulle__blocks_kernel *)(const void *)kernel;
}

SLOTS_FUNCTION int64_t tulle__block_offset(const tulle__block_operand *m, int64_t row) {
    return tulle__get(m->offsets, tulle_offset_size(m->index), row);
}

SLOTS_FUNCTION int64_t tulle__block_column(const tulle__block_operand *m, int64_t block) {
    return tulle__get(m->cols_of, tulle_index_size(m->index), block);
}

/* Returns the block in the range [begin, end) of a row that has the column, or -1. */
SLOTS_FUNCTION int64_t tulle__block_at(const tulle__block_operand *m, int64_t begin, int64_t end,
                                       int64_t column) {
    int64_t at = begin;
    TULLE__LOWER_BOUND(at, end, i, tulle__block_column(m, i) < column);
    return at < end && tulle__block_column(m, at) == column ? at : -1;
}

TULLE_END
#endif
