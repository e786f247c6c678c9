/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that are captured from the context's stream. */
#include "gpu/captured.cuh"
#include "gpu/cuda/device.cuh"
#include "gpu/gpu.cuh"

static cudaStream_t stream_of(const tulle__place *place) {
    return static_cast<cudaStream_t>(place->stream);
}

/* Begins a capture, in the mode in which other threads of the program may make calls that a capture
 * forbids. */
tulle_status GPU_SYMBOL(capture_begin)(const tulle__place *place) {
    gpu::on_device here(place->device);
    GPU_TRY(here.status());
    return gpu::check(cudaStreamBeginCapture(stream_of(place), cudaStreamCaptureModeThreadLocal),
                      "cudaStreamBeginCapture");
}

tulle_status GPU_SYMBOL(capture_end)(const tulle__place *place, void **graph) {
    *graph = nullptr;
    gpu::on_device here(place->device);
    GPU_TRY(here.status());
    cudaGraph_t captured = nullptr;
    cudaGraphExec_t made = nullptr;
    GPU_TRY(gpu::check(cudaStreamEndCapture(stream_of(place), &captured), "cudaStreamEndCapture"));
    tulle_status status =
        gpu::check(cudaGraphInstantiate(&made, captured, 0), "cudaGraphInstantiate");
    cudaGraphDestroy(captured);
    *graph = made;
    return status;
}

tulle_status GPU_SYMBOL(graph_launch)(const tulle__place *place, void *graph) {
    gpu::on_device here(place->device);
    GPU_TRY(here.status());
    return gpu::check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), stream_of(place)),
                      "cudaGraphLaunch");
}

tulle_status GPU_SYMBOL(graph_destroy)(tulle__device *device, void *graph) {
    gpu::on_device here(device);
    GPU_TRY(here.status());
    return gpu::check(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)),
                      "cudaGraphExecDestroy");
}

namespace tulle_cuda {

tulle_status is_captured(const tulle__place *place, bool *captured) {
    *captured = false;
    on_device here(place->device);
    GPU_TRY(here.status());
    cudaStreamCaptureStatus found = cudaStreamCaptureStatusNone;
    GPU_TRY(check(cudaStreamIsCapturing(stream_of(place), &found), "cudaStreamIsCapturing"));
    *captured = found == cudaStreamCaptureStatusActive;
    return TULLE_OK;
}

}  // namespace tulle_cuda
