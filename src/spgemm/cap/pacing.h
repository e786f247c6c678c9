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

/* True when an attempt that was refused found blocks in the pool that did not fit its requests,
 * so that the same one may do without them. */
static inline bool tulle__spgemm_pace_had_kept(const tulle__spgemm_pacing *pace) {
    return pace->before.pooled > 0;
}

#endif
