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

/* After an attempt: whether it was the cap that stopped it, which may then be tried once more. */
bool tulle__spgemm_was_refused(tulle__spgemm_run *run, tulle_status *status);

/* What attempts have left in the pool goes, so that a smaller one gets blocks of its own sizes. */
tulle_status tulle__spgemm_drop_kept(tulle__spgemm_run *run);

/* Whether an attempt that was refused found blocks in the pool that did not fit its requests, so
 * that the same one may do without them. */
static inline bool tulle__spgemm_pace_had_kept(const tulle__spgemm_pacing *pace) {
    return pace->before.pooled > 0;
}

/* The failure of a run that cannot be cut further. suffices: bytes of a cap under which the same
 * call surely is made, which may be more than needed; 0: none is known. what: of so many, or of
 * which number. */
tulle_status tulle__spgemm_too_small(tulle__spgemm_run *run, double suffices, const char *what,
                                     int64_t number);

#endif
