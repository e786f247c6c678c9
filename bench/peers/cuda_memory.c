/* SPDX-License-Identifier: Apache-2.0 */
#ifdef TULLE_PEER_CUSPARSE
#include "bench/peers/cuda_memory.h"

#include <dlfcn.h>
#include <inttypes.h>

#include "tools/common/error.h"

/* By the names that the driver exports. */
#define DRIVER_FUNCTIONS(F)                                                                        \
    F(cuCtxGetDevice)                                                                              \
    F(cuGetErrorName)                                                                              \
    F(cuDeviceGetDefaultMemPool)                                                                   \
    F(cuMemPoolSetAttribute)                                                                       \
    F(cuMemPoolTrimTo)                                                                             \
    F(cuMemAllocAsync)                                                                             \
    F(cuMemFreeAsync)                                                                              \
    F(cuStreamSynchronize)                                                                         \
    F(cuMemAlloc_v2)                                                                               \
    F(cuMemFree_v2)

static struct {
    void *handle;
#define F(name) __typeof__(&name) name;
    DRIVER_FUNCTIONS(F)
#undef F
} driver;

static const char *find_functions(void) {
#define F(name)                                                                                    \
    *(void **)&driver.name = dlsym(driver.handle, #name);                                          \
    if (!driver.name) return #name;
    DRIVER_FUNCTIONS(F)
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (driver.handle) return TULLE_OK;
    driver.handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver.handle) return tool_record(TULLE_NOT_FOUND, "%s", dlerror());
    const char *missing = find_functions();
    if (!missing) return TULLE_OK;
    dlclose(driver.handle);
    driver.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libcuda.so.1 has no %s: the driver is too old", missing);
}

static tulle_status status_of(CUresult result, const char *call) {
    if (result == CUDA_SUCCESS) return TULLE_OK;
    const char *name = NULL;
    (void)driver.cuGetErrorName(result, &name);
    tulle_status meaning =
        result == CUDA_ERROR_OUT_OF_MEMORY ? TULLE_OUT_OF_MEMORY : TULLE_DEVICE_FAULT;
    return tool_record(meaning, "%s: %s", call, name ? name : "an unknown error");
}

#define DRIVER_TRY(name, ...)                                                                      \
    do {                                                                                           \
        tulle_status status_ = status_of(driver.name(__VA_ARGS__), #name);                         \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

/* How much the pool keeps when all was given back. */
static tulle_status keep(const cuda_memory *memory, cuuint64_t bytes) {
    DRIVER_TRY(cuMemPoolSetAttribute, memory->pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &bytes);
    return TULLE_OK;
}

tulle_status cuda_memory_open(const tulle_ctx *ctx, int64_t cap, cuda_memory *memory) {
    *memory = (cuda_memory){.stream = (CUstream)tulle_ctx_stream(ctx), .cap = cap};
    tulle_status status = load();
    if (status != TULLE_OK) return status;
    CUdevice device;
    DRIVER_TRY(cuCtxGetDevice, &device);
    DRIVER_TRY(cuDeviceGetDefaultMemPool, &memory->pool, device);
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
        DRIVER_TRY(cuMemAllocAsync, pointer, bytes, memory->stream);
    } else {
        DRIVER_TRY(cuMemAlloc_v2, pointer, bytes);
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
        DRIVER_TRY(cuMemFreeAsync, pointer, memory->stream);
    } else {
        DRIVER_TRY(cuMemFree_v2, pointer);
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

/* What fails here fails again in the next call, which says so. */
void cuda_memory_return_all(cuda_memory *memory) {
    while (memory->count > 0) (void)give_back(memory, memory->count - 1);
}

void cuda_memory_close(cuda_memory *memory) {
    if (!driver.handle || !memory->pool) return;
    cuda_memory_return_all(memory);
    (void)driver.cuStreamSynchronize(memory->stream);
    (void)keep(memory, 0);
    (void)driver.cuMemPoolTrimTo(memory->pool, 0);
}

#endif
