/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for a product whose pattern is known; see core/place.h. */
#ifndef TULLE_SPGEMM_FUNCTIONS_H
#define TULLE_SPGEMM_FUNCTIONS_H

#include "spgemm/blocks.h"
#include "spgemm/spgemm.h"

TULLE_BEGIN

/* Data that an update keeps to compute values alone: each back end keeps in its own terms how
 * threads share out the rows of C. */
typedef struct tulle__spgemm_kept {
    void *arrays[8]; /* arrays of the context's pool; NULL: none */
    int64_t bytes;   /* bytes of these arrays */
    int64_t own[64];
} tulle__spgemm_kept;

/* One row of A and some columns of B, as operands of their own: the rows of B that the row meets,
 * in its order, between these columns. */
typedef struct tulle__spgemm_strip {
    int64_t begin, end;     /* entries of A's row */
    int64_t low, high;      /* range of columns of B, [low, high) */
    void *numbers;          /* columns of the strip's A: 0, 1, 2, ... */
    void *offsets;          /* offsets of the strip's B, one more than `numbers` */
    void *cols_of, *values; /* columns, counted from low, and values of the strip's B */
} tulle__spgemm_strip;

/* The list of functions. A task's C is given with its pattern, whose columns rise and have as
 * many bytes as those of A and B. */
#define TULLE__SPGEMM_FUNCTIONS(F)                                                                 \
    /* update.*: keep_product sets *outside to the first row of C that lacks an entry of the       \
     * product, or to -1 and then fills kept, whose arrays are the caller's to free, also after    \
     * a failure. Waits. */                                                                        \
    F(keep_product, (tulle__spgemm_task * task, tulle__spgemm_kept * kept, int64_t * outside))     \
    F(update_product, (tulle__spgemm_task * task, const tulle__spgemm_kept *kept))                 \
    /* strip.*: the strip of a task's operands, its numbers and offsets (waits), then the rest. */ \
    F(count_strip,                                                                                 \
      (const tulle__spgemm_task *task, const tulle__spgemm_strip *strip, int64_t *host_nnz))       \
    F(fill_strip, (const tulle__spgemm_task *task, const tulle__spgemm_strip *strip))              \
    /* lengths.*: the number of entries of each row as a byte, by offsets of 4 or 8 bytes each,    \
     * and *unfit: 1 where a byte is too small for one, else 0 */                                  \
    F(take_lengths, (const tulle__place *place, int64_t rows, int64_t size, const void *offsets,   \
                     int64_t *unfit, uint8_t *lengths))                                            \
    /* blocks_outside.*: the first block row of a product in blocks in which C lacks a block of    \
     * it, or -1 (waits). */                                                                       \
    F(find_outside_blocks, (const tulle__blocks_task *task, int64_t *host_outside))                \
    /* Adds `by` to numbers of 4 or 8 bytes each. */                                               \
    F(raise_numbers,                                                                               \
      (const tulle__place *place, int64_t count, int64_t by, int64_t size, void *numbers))

typedef struct tulle__spgemm_functions {
    TULLE__SPGEMM_FUNCTIONS(TULLE__MEMBER)
} tulle__spgemm_functions;

TULLE__SPGEMM_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
