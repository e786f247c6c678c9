/* SPDX-License-Identifier: Apache-2.0 */
/* Errors, launches, memory, streams, copies and events of the CUDA runtime. */
#include "gpu/cuda/device.cuh"
#include "gpu/gpu.cuh"

static tulle_status status_of(cudaError_t error) {
    switch (error) {
        case cudaSuccess:
        /* at the end of the process the driver frees everything anyway */
        case cudaErrorCudartUnloading:
            return TULLE_OK;
        case cudaErrorMemoryAllocation:
            return TULLE_OUT_OF_MEMORY;
        case cudaErrorNoDevice:
        case cudaErrorInvalidDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorInitializationError:
        case cudaErrorDevicesUnavailable:
        case cudaErrorSystemDriverMismatch:
        case cudaErrorSystemNotReady:
        case cudaErrorNoKernelImageForDevice:
        case cudaErrorUnsupportedPtxVersion:
        case cudaErrorStartupFailure:
            return TULLE_NO_DEVICE;
        /* a handle of the caller's stream or allocator, the only handles from outside */
        case cudaErrorInvalidResourceHandle:
            return TULLE_INVALID_ARGUMENT;
        case cudaErrorStreamCaptureUnsupported:
        case cudaErrorStreamCaptureInvalidated:
        case cudaErrorStreamCaptureImplicit:
        case cudaErrorCapturedEvent:
        case cudaErrorLaunchOutOfResources: /* this kernel cannot run on this GPU */
            return TULLE_UNSUPPORTED;
        default:
            return TULLE_DEVICE_FAULT;
    }
}

namespace tulle_cuda {

tulle_status check(cudaError_t error, const char *what) {
    tulle_status status = status_of(error);
    if (status == TULLE_OK) return TULLE_OK;
    /* clears an error that leaves the device usable, so that a later call does not return it
     * again */
    cudaGetLastError();
    const char *advice = status == TULLE_DEVICE_FAULT ? "; the context is lost, destroy it" : "";
    return services->fail(status, nullptr, nullptr, -1, "%s: %s%s", what, cudaGetErrorString(error),
                          advice);
}

/* Bytes of dynamic shared memory that a kernel may have without asking for more. A kernel has 48
 * KB; it may declare a part of these itself, and the dynamic memory comes on top. */
static constexpr size_t shared_without_asking = 16 * 1024;

static tulle_status ask_for_shared(const void *kernel, size_t bytes) {
    if (bytes <= shared_without_asking) return TULLE_OK;
    return check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(bytes)),
                 "cudaFuncSetAttribute");
}

tulle_status resident_raw(const tulle__place *place, const void *kernel, int threads,
                          size_t dynamic_shared, int64_t *blocks) {
    on_device here(place->device);
    GPU_TRY(here.status());
    GPU_TRY(ask_for_shared(kernel, dynamic_shared));
    int each = 0, multiprocessors = 0;
    GPU_TRY(
        check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, dynamic_shared),
              "cudaOccupancyMaxActiveBlocksPerMultiprocessor"));
    GPU_TRY(check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount,
                                         place->device->ordinal),
                  "cudaDeviceGetAttribute"));
    *blocks = static_cast<int64_t>(each) * multiprocessors;
    return TULLE_OK;
}

tulle_status launch_raw(const tulle__place *place, const void *kernel, grid g, void **arguments,
                        bool early) {
    constexpr int64_t most_blocks = INT32_MAX;
    if (g.blocks == 0) return TULLE_OK;
    if (g.blocks < 0 || g.blocks > most_blocks) {
        return services->fail(TULLE_TOO_LARGE, nullptr, nullptr, -1,
                              "a grid of %lld blocks: a GPU takes at most %lld",
                              static_cast<long long>(g.blocks),
                              static_cast<long long>(most_blocks));
    }
    on_device here(place->device);
    GPU_TRY(here.status());
    GPU_TRY(ask_for_shared(kernel, g.dynamic_shared));
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(static_cast<unsigned>(g.blocks));
    config.blockDim = dim3(static_cast<unsigned>(g.threads));
    config.dynamicSmemBytes = g.dynamic_shared;
    config.stream = static_cast<cudaStream_t>(place->stream);
    config.attrs = &overlap;
    config.numAttrs = early && place->device->can_overlap ? 1 : 0;
    return check(cudaLaunchKernelExC(&config, kernel, arguments), "kernel launch");
}

}  // namespace tulle_cuda

static cudaStream_t stream_of(const tulle__place *place) {
    return static_cast<cudaStream_t>(place->stream);
}

tulle_status GPU_SYMBOL(allocate)(tulle__device *device, size_t bytes, void **pointer) {
    *pointer = nullptr;
    gpu::on_device here(device);
    GPU_TRY(here.status());
    return gpu::check(cudaMalloc(pointer, bytes), "cudaMalloc");
}

tulle_status GPU_SYMBOL(release)(tulle__device *device, void *pointer) {
    gpu::on_device here(device);
    GPU_TRY(here.status());
    return gpu::check(cudaFree(pointer), "cudaFree");
}

tulle_status GPU_SYMBOL(host_allocate)(tulle__device *device, size_t bytes, void **pointer) {
    *pointer = nullptr;
    gpu::on_device here(device);
    GPU_TRY(here.status());
    return gpu::check(cudaMallocHost(pointer, bytes), "cudaMallocHost");
}

tulle_status GPU_SYMBOL(host_release)(tulle__device *device, void *pointer) {
    gpu::on_device here(device);
    GPU_TRY(here.status());
    return gpu::check(cudaFreeHost(pointer), "cudaFreeHost");
}

/* Creates a stream that waits for the legacy default stream, and that stream for it, so that a
 * caller's plain cudaMemcpy before or after a call of tulle needs no further care. */
tulle_status GPU_SYMBOL(stream_create)(tulle__device *device, void **stream) {
    *stream = nullptr;
    gpu::on_device here(device);
    GPU_TRY(here.status());
    cudaStream_t made = nullptr;
    GPU_TRY(gpu::check(cudaStreamCreateWithFlags(&made, cudaStreamDefault), "cudaStreamCreate"));
    *stream = made;
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(stream_destroy)(tulle__device *device, void *stream) {
    gpu::on_device here(device);
    GPU_TRY(here.status());
    return gpu::check(cudaStreamDestroy(static_cast<cudaStream_t>(stream)), "cudaStreamDestroy");
}

tulle_status GPU_SYMBOL(stream_wait)(tulle__device *device, void *stream) {
    gpu::on_device here(device);
    GPU_TRY(here.status());
    return gpu::check(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)),
                      "cudaStreamSynchronize");
}

tulle_status GPU_SYMBOL(copy)(const tulle__place *place, void *to, const void *from, size_t bytes) {
    if (bytes == 0) return TULLE_OK;
    gpu::on_device here(place->device);
    GPU_TRY(here.status());
    return gpu::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream_of(place)),
                      "cudaMemcpyAsync");
}

tulle_status GPU_SYMBOL(set_bytes)(const tulle__place *place, void *to, int byte, size_t bytes) {
    if (bytes == 0) return TULLE_OK;
    gpu::on_device here(place->device);
    GPU_TRY(here.status());
    return gpu::check(cudaMemsetAsync(to, byte, bytes, stream_of(place)), "cudaMemsetAsync");
}

tulle_status GPU_SYMBOL(event_create)(tulle__device *device, void **event) {
    *event = nullptr;
    gpu::on_device here(device);
    GPU_TRY(here.status());
    cudaEvent_t made = nullptr;
    GPU_TRY(gpu::check(cudaEventCreate(&made), "cudaEventCreate"));
    *event = made;
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(event_destroy)(tulle__device *device, void *event) {
    gpu::on_device here(device);
    GPU_TRY(here.status());
    return gpu::check(cudaEventDestroy(static_cast<cudaEvent_t>(event)), "cudaEventDestroy");
}

tulle_status GPU_SYMBOL(event_record)(const tulle__place *place, void *event) {
    gpu::on_device here(place->device);
    GPU_TRY(here.status());
    return gpu::check(cudaEventRecord(static_cast<cudaEvent_t>(event), stream_of(place)),
                      "cudaEventRecord");
}

tulle_status GPU_SYMBOL(event_between)(tulle__device *device, void *from, void *to, double *ms) {
    gpu::on_device here(device);
    GPU_TRY(here.status());
    cudaEvent_t first = static_cast<cudaEvent_t>(from), second = static_cast<cudaEvent_t>(to);
    GPU_TRY(gpu::check(cudaEventSynchronize(first), "cudaEventSynchronize"));
    GPU_TRY(gpu::check(cudaEventSynchronize(second), "cudaEventSynchronize"));
    float elapsed = 0;
    GPU_TRY(gpu::check(cudaEventElapsedTime(&elapsed, first, second), "cudaEventElapsedTime"));
    *ms = static_cast<double>(elapsed);
    return TULLE_OK;
}

/* Returns whether an event is done. cudaErrorNotReady is an answer, and is cleared so that a later
 * call does not return it as an error. */
tulle_status GPU_SYMBOL(event_done)(tulle__device *device, void *event, bool *done) {
    gpu::on_device here(device);
    GPU_TRY(here.status());
    cudaError_t state = cudaEventQuery(static_cast<cudaEvent_t>(event));
    *done = state == cudaSuccess;
    if (state != cudaErrorNotReady) return gpu::check(state, "cudaEventQuery");
    cudaGetLastError();
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(watch)(tulle__device *, void *, size_t, tulle__watch) {
    return TULLE_OK;
}
