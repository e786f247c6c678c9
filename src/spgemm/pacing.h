/* SPDX-License-Identifier: Apache-2.0 */
/* How large pieces are that a context's cap lets a product be made in: one that is refused memory
 * is halved, and one that took less than half of the room lets the next be twice as large. */
#ifndef TULLE_SPGEMM_PACING_H
#define TULLE_SPGEMM_PACING_H

#include "spgemm/product.h"

/* Pieces of so many rows, or columns. */
typedef struct tulle__spgemm_pacing {
    int64_t size;
    tulle_memory_usage before;
} tulle__spgemm_pacing;

/* Around an attempt; refused: it was. */
void tulle__spgemm_pace_start(tulle__spgemm_run *run, tulle__spgemm_pacing *pace);
void tulle__spgemm_pace_stop(tulle__spgemm_run *run, tulle__spgemm_pacing *pace, bool refused);

/* After an attempt: whether it was the cap that stopped it, which may then be tried once more, and
 * run->wanted is what it asked for. */
bool tulle__spgemm_was_refused(tulle__spgemm_run *run, tulle_status *status);

/* What attempts have left in the pool goes, so that a smaller one gets blocks of its own sizes. */
tulle_status tulle__spgemm_drop_kept(tulle__spgemm_run *run);

/* The failure of a run that cannot be cut further. what: of so many, or of which number. */
tulle_status tulle__spgemm_too_small(tulle__spgemm_run *run, size_t wanted, const char *what,
                                     int64_t number);

#endif
