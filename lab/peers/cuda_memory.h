/* SPDX-License-Identifier: Apache-2.0 */
/* Takes device memory as the user of a library does, from the driver, which is opened at run time:
 * from the device anew (as cudaMalloc does), or from the device's own pool, which keeps freed
 * memory (as cudaMallocAsync does). */
#ifndef BENCH_PEERS_CUDA_MEMORY_H
#define BENCH_PEERS_CUDA_MEMORY_H

#include <cuda.h>

#include "bench/peer.h"

enum { CUDA_MEMORY_BLOCKS = 16 };

typedef struct cuda_memory {
    CUstream stream;
    CUmemoryPool pool;
    bool pooled; /* the next blocks come from the pool */
    /* bytes held now, and the most held; most bytes that may be held, 0: any number */
    int64_t held, peak, cap;
    struct {
        CUdeviceptr pointer;
        int64_t bytes;
        bool pooled;
    } block[CUDA_MEMORY_BLOCKS];
    int count;
} cuda_memory;

/* Opens memory for the stream of a context, whose device is the thread's current one. cap: the most
 * bytes that may be held; 0: any number. */
tulle_status cuda_memory_open(const tulle_ctx *ctx, int64_t cap, cuda_memory *memory);

/* Takes a block of at least so many bytes, and never NULL. */
tulle_status cuda_memory_take(cuda_memory *memory, size_t bytes, void **pointer);

/* These functions give one block back, or all; NULL is allowed. */
tulle_status cuda_memory_return(cuda_memory *memory, const void *pointer);
void cuda_memory_return_all(cuda_memory *memory);

/* Gives all blocks back, and the memory that the pool keeps. */
void cuda_memory_close(cuda_memory *memory);

#endif
