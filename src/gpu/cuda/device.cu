/* SPDX-License-Identifier: Apache-2.0 */
/* Counts, opens and describes GPUs, and makes one current. */
#include "gpu/cuda/device.cuh"

#include <cudaTypedefs.h>
#include <pthread.h>
#include <stdio.h>

#include "gpu/gpu.cuh"

static constexpr int max_devices = 64;

/* guards the members opens and primary of all devices */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tulle__device devices[max_devices];

static pthread_once_t probed = PTHREAD_ONCE_INIT;
static int found;
static char missing[200];

/* Functions of the driver, found by way of the runtime. Nothing links to the driver's library,
 * which may be missing. */
static struct {
    PFN_cuCtxPushCurrent_v4000 push;
    PFN_cuCtxPopCurrent_v4000 pop;
    PFN_cuDevicePrimaryCtxRetain_v7000 retain;
    PFN_cuDevicePrimaryCtxRelease_v11000 release;
} driver;

/* Returns the runtime's error for an error of the driver, which has the same number. */
static cudaError_t as_runtime(CUresult result) {
    return static_cast<cudaError_t>(result);
}

template <class Function>
static cudaError_t find(const char *name, [[maybe_unused]] unsigned version, Function *function) {
    void *entry = nullptr;
#if CUDART_VERSION >= 12050
    cudaError_t error =
        cudaGetDriverEntryPointByVersion(name, &entry, version, cudaEnableDefault, nullptr);
#else
    cudaError_t error = cudaGetDriverEntryPoint(name, &entry, cudaEnableDefault, nullptr);
#endif
    *function = reinterpret_cast<Function>(entry);
    return error == cudaSuccess && !entry ? cudaErrorSymbolNotFound : error;
}

static cudaError_t find_driver() {
    cudaError_t errors[] = {find("cuCtxPushCurrent", 4000, &driver.push),
                            find("cuCtxPopCurrent", 4000, &driver.pop),
                            find("cuDevicePrimaryCtxRetain", 7000, &driver.retain),
                            find("cuDevicePrimaryCtxRelease", 11000, &driver.release)};
    for (cudaError_t error : errors) {
        if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
}

static void say_what_is_missing(cudaError_t error) {
    int has = 0, needs = 0;
    cudaDriverGetVersion(&has);
    cudaRuntimeGetVersion(&needs);
    if (has == 0) {
        snprintf(missing, sizeof missing, "no NVIDIA driver (libcuda.so.1 cannot be opened)");
    } else if (error == cudaErrorInsufficientDriver) {
        snprintf(missing, sizeof missing,
                 "the NVIDIA driver is too old: it has CUDA %d.%d, this library needs %d.0",
                 has / 1000, has % 1000 / 10, needs / 1000);
    } else {
        snprintf(missing, sizeof missing, "the NVIDIA driver finds no usable GPU: %s",
                 cudaGetErrorString(error));
    }
}

static void probe() {
    cudaError_t error = cudaGetDeviceCount(&found);
    if (error == cudaSuccess && found == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) error = find_driver();
    if (error != cudaSuccess) {
        found = 0;
        say_what_is_missing(error);
        cudaGetLastError();
    }
    if (found > max_devices) found = max_devices;
}

tulle_status GPU_SYMBOL(device_count)(int *count, const char **why_none) {
    pthread_once(&probed, probe);
    *count = found;
    *why_none = missing;
    return TULLE_OK;
}

namespace tulle_cuda {

on_device::on_device(const tulle__device *device) {
    int current = -1;
    status_ = check(cudaGetDevice(&current), "cudaGetDevice");
    if (status_ != TULLE_OK || current == device->ordinal) return;
    status_ = check(as_runtime(driver.push(device->primary)), "cuCtxPushCurrent");
    pushed_ = status_ == TULLE_OK;
}

on_device::~on_device() {
    CUcontext popped;
    if (pushed_) driver.pop(&popped);
}

}  // namespace tulle_cuda

GPU_KERNEL void nothing() {}

/* Finds out whether this build has code for the device, and for which compute capability; fails if
 * it has none. */
static tulle_status check_code(tulle__device *device) {
    constexpr int first_that_overlaps = 90;
    gpu::on_device here(device);
    GPU_TRY(here.status());
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, nothing);
    device->can_overlap = error == cudaSuccess && attributes.binaryVersion >= first_that_overlaps;
    if (error == cudaSuccess) return TULLE_OK;
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device->ordinal) != cudaSuccess) {
        return gpu::check(error, "cudaFuncGetAttributes");
    }
    cudaGetLastError();
    return gpu::services->fail(
        TULLE_NO_DEVICE, nullptr, nullptr, -1,
        "this build of tulle has no code for GPU %d (%s, compute capability %d.%d): %s",
        device->ordinal, properties.name, properties.major, properties.minor,
        cudaGetErrorString(error));
}

static tulle_status start(tulle__device *device, int ordinal) {
    int cache = 0;
    GPU_TRY(gpu::check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, ordinal),
                       "cudaDeviceGetAttribute"));
    device->ordinal = ordinal;
    device->cache_bytes = cache;
    GPU_TRY(gpu::check(as_runtime(driver.retain(&device->primary, ordinal)),
                       "cuDevicePrimaryCtxRetain"));
    tulle_status status = check_code(device);
    if (status != TULLE_OK) driver.release(ordinal);
    return status;
}

tulle_status GPU_SYMBOL(open)(int ordinal, tulle__device **device) {
    *device = nullptr;
    pthread_once(&probed, probe);
    if (found == 0) {
        return gpu::services->fail(TULLE_NO_DEVICE, nullptr, nullptr, -1, "%s", missing);
    }
    if (ordinal < 0 || ordinal >= found) {
        return gpu::services->fail(TULLE_NO_DEVICE, nullptr, nullptr, -1,
                                   "there is no GPU %d: they are numbered from 0 to %d", ordinal,
                                   found - 1);
    }
    pthread_mutex_lock(&lock);
    tulle__device *opened = &devices[ordinal];
    tulle_status status = opened->opens > 0 ? TULLE_OK : start(opened, ordinal);
    if (status == TULLE_OK) {
        opened->opens++;
        *device = opened;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

static void stop(tulle__device *device) {
    {
        gpu::on_device here(device);
        if (here.status() == TULLE_OK) {
            cudaFree(device->flush);
            gpu::close_sides(device);
        }
    }
    driver.release(device->ordinal);
    *device = {};
}

tulle_status GPU_SYMBOL(close)(tulle__device *device) {
    pthread_mutex_lock(&lock);
    if (--device->opens == 0) stop(device);
    pthread_mutex_unlock(&lock);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(describe)(tulle__device *device, tulle_device_info *info) {
    cudaDeviceProp properties;
    GPU_TRY(gpu::check(cudaGetDeviceProperties(&properties, device->ordinal),
                       "cudaGetDeviceProperties"));
    *info = {};
    info->backend = TULLE_CUDA;
    snprintf(info->name, sizeof info->name, "%.*s", static_cast<int>(sizeof info->name - 1),
             properties.name);
    info->multiprocessors = properties.multiProcessorCount;
    info->architecture = 10 * properties.major + properties.minor;
    info->warp = properties.warpSize;
    info->cache_bytes = device->cache_bytes;
    info->memory_bytes = static_cast<int64_t>(properties.totalGlobalMem);
    info->shared_per_block = static_cast<int64_t>(properties.sharedMemPerBlockOptin);
    return gpu::check(cudaDriverGetVersion(&info->driver), "cudaDriverGetVersion");
}
