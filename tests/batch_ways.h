/* SPDX-License-Identifier: Apache-2.0 */
/* Ways of running a batch that take any task on any place. Those of published kernels, which take
 * the paper's tasks alone on a GPU, have test_batch_published.c. */
#ifndef TESTS_BATCH_WAYS_H
#define TESTS_BATCH_WAYS_H

#include "tulle/batch.h"

/* The first of them are repeatable on a GPU, too, and can be captured. */
enum { REPEATABLE_WAYS = 2, ANY_WAYS = 3 };

/* Number i, counted round. */
static inline tulle_batch_way any_way(int i) {
    static const tulle_batch_way ways[ANY_WAYS] = {TULLE_BATCH_GROUPED, TULLE_BATCH_STREAMS,
                                                   TULLE_BATCH_SHARED};
    return ways[i % ANY_WAYS];
}

#endif
