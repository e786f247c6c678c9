/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator that counts what is out, and fails at the n-th request. */
#ifndef TESTS_COUNTING_H
#define TESTS_COUNTING_H

#include "tulle/context.h"

typedef struct {
    int64_t requests; /* so far */
    int64_t fail_at;  /* the request that fails, from 1; 0: none does */
    int64_t live;     /* blocks that are out, */
    int64_t bytes;    /* their bytes, */
    int64_t most;     /* and the most that these have been */
} counting;

/* Host memory; also good for CPU and emulated devices. */
tulle_allocator counting_allocator(counting *c);

#endif
