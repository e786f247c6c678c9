/* SPDX-License-Identifier: Apache-2.0 */
/* Device memory as the user of a library takes it, from the driver, which is opened at run time:
 * from the device anew (what cudaMalloc does), or from the device's own pool, which keeps what it
 * was given (what cudaMallocAsync does). */
#ifndef BENCH_PEERS_CUDA_MEMORY_H
#define BENCH_PEERS_CUDA_MEMORY_H

#include <cuda.h>

#include "bench/peer.h"

enum { CUDA_MEMORY_BLOCKS = 16 };

typedef struct cuda_memory {
    CUstream stream;
    CUmemoryPool pool;
    bool pooled;             /* where the next ones come from */
    int64_t held, peak, cap; /* bytes; cap 0: none */
    struct {
        CUdeviceptr pointer;
        int64_t bytes;
        bool pooled;
    } block[CUDA_MEMORY_BLOCKS];
    int count;
} cuda_memory;

/* For the stream of a context, whose device is the thread's current one. cap: most bytes, or 0. */
tulle_status cuda_memory_open(const tulle_ctx *ctx, int64_t cap, cuda_memory *memory);

/* At least so many bytes, and never NULL. */
tulle_status cuda_memory_take(cuda_memory *memory, size_t bytes, void **pointer);

/* Gives one back, or all; NULL is fine. */
tulle_status cuda_memory_return(cuda_memory *memory, const void *pointer);
void cuda_memory_return_all(cuda_memory *memory);

/* The same, and what the pool keeps. */
void cuda_memory_close(cuda_memory *memory);

#endif
