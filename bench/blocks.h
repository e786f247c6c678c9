/* SPDX-License-Identifier: Apache-2.0 */
/* What a product multiplies: a vector, or a multivector. */
#ifndef BENCH_BLOCKS_H
#define BENCH_BLOCKS_H

#include <stdbool.h>

#include "tulle/tulle.h"

/* The columns of X and Y, and how both lie; one column is a vector, for tulle_spmv. */
typedef struct bench_block {
    int64_t vectors;
    tulle_layout layout;
} bench_block;

enum { BENCH_MOST_BLOCKS = 64, BENCH_BLOCK_TEXT = 32 };

typedef struct bench_blocks {
    bench_block item[BENCH_MOST_BLOCKS];
    int count;
} bench_blocks;

static const bench_block bench_one_vector = {.vectors = 1, .layout = TULLE_COLUMN_MAJOR};

static inline bool bench_is_block(const bench_block *block) {
    return block->vectors > 1;
}

const char *bench_layout_name(tulle_layout layout); /* "row" */

/* "8 by row"; "" for a vector. */
const char *bench_block_text(const bench_block *block, char text[BENCH_BLOCK_TEXT]);

/* "1,8,32" with "row,column": every number with every layout, and 1 once. An exit code. */
int bench_blocks_parse(const char *vectors, const char *layouts, bench_blocks *blocks);

#endif
