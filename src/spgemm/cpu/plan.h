/* SPDX-License-Identifier: Apache-2.0 */
/* Which rows spgemm_auto computes how on a CPU, and what scratch that takes. */
#ifndef TULLE_SPGEMM_CPU_PLAN_H
#define TULLE_SPGEMM_CPU_PLAN_H

#include "spgemm/cpu/chunks.h"
#include "spgemm/cpu/kin.h"
#include "spgemm/cpu/words.h"

typedef enum tulle__spgemm_way {
    TULLE__SPGEMM_COPY,  /* no entry of A or one: a row of B, scaled */
    TULLE__SPGEMM_RANKS, /* few products, compared with each other */
    TULLE__SPGEMM_TABLE, /* a hash table */
    TULLE__SPGEMM_DENSE  /* a dense accumulator */
} tulle__spgemm_way;

typedef struct tulle__spgemm_plan {
    tulle__spgemm_chunks chunks;
    tulle__spgemm_words words;
    uint8_t *kin;                          /* what rows are to the row before; NULL: little */
    int64_t window;                        /* columns of a dense accumulator */
    int64_t ranks_most, sparse, sparse0;
    bool lanes;                            /* that has a lane for each of several rows */
    int64_t table_products, table_columns; /* the most of a row in a table */
} tulle__spgemm_plan;

tulle_status tulle__spgemm_plan_make(const tulle__spgemm_task *task, tulle__spgemm_plan *plan);
void tulle__spgemm_plan_free(const tulle__spgemm_task *task, tulle__spgemm_plan *plan);

/* Rows of few products in a range of so many columns for each of them, in the mean: in a table the
 * row stays in the nearest cache, in a window each product may miss it. */
enum { TULLE__SPGEMM_FEW = 256, TULLE__SPGEMM_SPARSE = 512 };

static inline tulle__spgemm_way tulle__spgemm_way_of(const tulle__spgemm_plan *plan,
                                                     const tulle__spgemm_row *row) {
    if (row->end - row->begin <= 1) return TULLE__SPGEMM_COPY;
    if (row->span > plan->window) {
        return row->products <= plan->ranks_most && row->span <= INT32_MAX ? TULLE__SPGEMM_RANKS : TULLE__SPGEMM_TABLE;
    }
    if (row->span <= row->products * plan->sparse0) return TULLE__SPGEMM_DENSE;
    if (row->products <= plan->ranks_most) return TULLE__SPGEMM_RANKS;
    bool few = row->products <= TULLE__SPGEMM_FEW;
    return few && row->span > row->products * plan->sparse ? TULLE__SPGEMM_TABLE
                                                                   : TULLE__SPGEMM_DENSE;
}

#endif
