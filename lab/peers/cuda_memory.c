/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUSPARSE
#include "lab/peers/cuda_memory.h"

#include <inttypes.h>

#include "lab/peers/cuda_driver.h"
#include "tools/common/error.h"

/* Sets the bytes that the pool keeps when all memory was given back. */
static tulle_status keep(const cuda_memory *memory, cuuint64_t bytes) {
    CUDA_TRY(cuMemPoolSetAttribute, memory->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes);
    return TULLE_OK;
}

tulle_status cuda_memory_open(const tulle_ctx *ctx, int64_t cap, cuda_memory *memory) {
    *memory = (cuda_memory){.stream = (CUstream)tulle_ctx_stream(ctx), .cap = cap};
    tulle_status status = cuda_driver_open();
    if (status != TULLE_OK) return status;
    CUdevice device;
    CUDA_TRY(cuCtxGetDevice, &device);
    CUDA_TRY(cuDeviceGetDefaultMemPool, &memory->pool, device);
    return keep(memory, UINT64_MAX);
}

static tulle_status check_cap(const cuda_memory *memory, int64_t bytes) {
    if (memory->cap == 0 || bytes <= memory->cap - memory->held) return TULLE_OK;
    return tool_record(TULLE_OUT_OF_MEMORY,
                       "%" PRId64 " bytes more would pass the cap of %" PRId64 " (%" PRId64
                       " are in use)",
                       bytes, memory->cap, memory->held);
}

static tulle_status allocate(const cuda_memory *memory, size_t bytes, CUdeviceptr *pointer) {
    if (memory->pooled) {
        CUDA_TRY(cuMemAllocAsync, pointer, bytes, memory->stream);
    } else {
        CUDA_TRY(cuMemAlloc_v2, pointer, bytes);
    }
    return TULLE_OK;
}

tulle_status cuda_memory_take(cuda_memory *memory, size_t bytes, void **pointer) {
    if (memory->count == CUDA_MEMORY_BLOCKS) {
        return tool_record(TULLE_INVALID_ARGUMENT, "a peer takes more than %d blocks",
                           CUDA_MEMORY_BLOCKS);
    }
    CUdeviceptr made = 0;
    int64_t size = bytes > 0 ? (int64_t)bytes : 1;
    tulle_status status = check_cap(memory, size);
    if (status == TULLE_OK) status = allocate(memory, (size_t)size, &made);
    if (status != TULLE_OK) return status;
    int next = memory->count++;
    memory->block[next].pointer = made;
    memory->block[next].bytes = size;
    memory->block[next].pooled = memory->pooled;
    memory->held += size;
    if (memory->held > memory->peak) memory->peak = memory->held;
    *pointer = (void *)(uintptr_t)made;
    return TULLE_OK;
}

static tulle_status give_back(cuda_memory *memory, int i) {
    CUdeviceptr pointer = memory->block[i].pointer;
    bool pooled = memory->block[i].pooled;
    memory->held -= memory->block[i].bytes;
    memory->block[i] = memory->block[--memory->count];
    if (pooled) {
        CUDA_TRY(cuMemFreeAsync, pointer, memory->stream);
    } else {
        CUDA_TRY(cuMemFree_v2, pointer);
    }
    return TULLE_OK;
}

tulle_status cuda_memory_return(cuda_memory *memory, const void *pointer) {
    for (int i = 0; i < memory->count; i++) {
        if (memory->block[i].pointer == (CUdeviceptr)(uintptr_t)pointer) {
            return give_back(memory, i);
        }
    }
    return TULLE_OK;
}

/* Gives all blocks back. A call that fails here fails again in the next call of the driver's, which
 * reports it. */
void cuda_memory_return_all(cuda_memory *memory) {
    while (memory->count > 0) (void)give_back(memory, memory->count - 1);
}

void cuda_memory_close(cuda_memory *memory) {
    if (!cuda.handle || !memory->pool) return;
    cuda_memory_return_all(memory);
    (void)cuda.cuStreamSynchronize(memory->stream);
    (void)keep(memory, 0);
    (void)cuda.cuMemPoolTrimTo(memory->pool, 0);
}

#endif
