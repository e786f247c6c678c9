/* SPDX-License-Identifier: Apache-2.0 */
/* The operand of a product: a vector, or a multivector. */
#ifndef TRIAL_BLOCKS_H
#define TRIAL_BLOCKS_H

#include <stdbool.h>

#include "tulle/tulle.h"

/* The columns of X and Y, and how both lie; one column is a vector, for tulle_spmv. */
typedef struct trial_block {
    int64_t vectors;
    tulle_layout layout;
} trial_block;

enum { TRIAL_MOST_BLOCKS = 64, TRIAL_BLOCK_TEXT = 32 };

typedef struct trial_blocks {
    trial_block item[TRIAL_MOST_BLOCKS];
    int count;
} trial_blocks;

static const trial_block trial_one_vector = {.vectors = 1, .layout = TULLE_COLUMN_MAJOR};

static inline bool trial_is_block(const trial_block *block) {
    return block->vectors > 1;
}

const char *trial_layout_name(tulle_layout layout); /* "row" */

/* Writes the block for people, such as "8 by row", or "" for a vector, and returns `text`. */
const char *trial_block_text(const trial_block *block, char text[TRIAL_BLOCK_TEXT]);

/* Reads lists of numbers of vectors and of layouts, such as "1,8,32" and "row,column": makes a
 * block of each number with each layout, and of 1 only one. Returns an exit code. */
int trial_blocks_parse(const char *vectors, const char *layouts, trial_blocks *blocks);

#endif
