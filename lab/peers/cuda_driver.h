/* SPDX-License-Identifier: Apache-2.0 */
/* The CUDA driver, opened at run time; its header gives the types. */
#ifndef BENCH_PEERS_CUDA_DRIVER_H
#define BENCH_PEERS_CUDA_DRIVER_H

#include <cuda.h>

#include "bench/peer.h"

/* Functions of the driver, by the names that it exports. */
#define CUDA_DRIVER_FUNCTIONS(F)                                                                   \
    F(cuCtxGetDevice)                                                                              \
    F(cuGetErrorName)                                                                              \
    F(cuDeviceGetDefaultMemPool)                                                                   \
    F(cuMemPoolSetAttribute)                                                                       \
    F(cuMemPoolTrimTo)                                                                             \
    F(cuMemAllocAsync)                                                                             \
    F(cuMemFreeAsync)                                                                              \
    F(cuMemAlloc_v2)                                                                               \
    F(cuMemFree_v2)                                                                                \
    F(cuStreamCreate)                                                                              \
    F(cuStreamDestroy_v2)                                                                          \
    F(cuStreamSynchronize)                                                                         \
    F(cuStreamWaitEvent)                                                                           \
    F(cuEventCreate)                                                                               \
    F(cuEventDestroy_v2)                                                                           \
    F(cuEventRecord)                                                                               \
    F(cuModuleLoadData)                                                                            \
    F(cuModuleUnload)                                                                              \
    F(cuModuleGetFunction)                                                                         \
    F(cuLaunchKernel)

typedef struct cuda_driver {
    void *handle;
#define F(name) __typeof__(&name) name;
    CUDA_DRIVER_FUNCTIONS(F)
#undef F
} cuda_driver;

extern cuda_driver cuda;

/* Opens the driver, once. */
tulle_status cuda_driver_open(void);

/* Returns the status of tulle's that a result of the driver's stands for, with a record of the
 * call. */
tulle_status cuda_driver_status(CUresult result, const char *call);

/* Makes the calling function return the status of a call that fails. */
#define CUDA_TRY(name, ...)                                                                        \
    do {                                                                                           \
        tulle_status status_ = cuda_driver_status(cuda.name(__VA_ARGS__), #name);                  \
        if (status_ != TULLE_OK) return status_;                                                   \
    } while (0)

#endif
