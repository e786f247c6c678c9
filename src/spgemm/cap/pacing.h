/* SPDX-License-Identifier: Apache-2.0 */
/* The size of pieces that a context's cap lets a product be made in: a piece that is refused
 * memory is halved, and after one that took less than half of the room the next is twice as
 * large. */
#ifndef TULLE_SPGEMM_PACING_H
#define TULLE_SPGEMM_PACING_H

#include "spgemm/product.h"

/* Number of rows or columns of the next piece, and the memory of the context in use before an
 * attempt to make it. */
typedef struct tulle__spgemm_pacing {
    int64_t size;
    tulle_memory_usage before;
} tulle__spgemm_pacing;

/* Call these before and after an attempt to make a piece; refused: true when the attempt was
 * refused memory. */
void tulle__spgemm_pace_start(tulle__spgemm_run *run, tulle__spgemm_pacing *pace);
void tulle__spgemm_pace_stop(tulle__spgemm_run *run, tulle__spgemm_pacing *pace, bool refused);

/* Returns true, after an attempt, when the cap stopped it, so that it may be tried once more;
 * *status is then that of giving back the pool's kept blocks. */
bool tulle__spgemm_was_refused(tulle__spgemm_run *run, tulle_status *status);

/* Frees the blocks that attempts have left in the pool, so that a smaller one gets blocks of its
 * own sizes. */
tulle_status tulle__spgemm_drop_kept(tulle__spgemm_run *run);

/* True when an attempt that was refused found blocks in the pool that did not fit its requests,
 * so that the same one may do without them. */
static inline bool tulle__spgemm_pace_had_kept(const tulle__spgemm_pacing *pace) {
    return pace->before.pooled > 0;
}

/* Fails a run that cannot be cut further. suffices: bytes of a cap under which the same call
 * surely is made, which may be more than needed; 0: none is known. what: names the piece, by its
 * number `number`. */
tulle_status tulle__spgemm_too_small(tulle__spgemm_run *run, double suffices, const char *what,
                                     int64_t number);

#endif
