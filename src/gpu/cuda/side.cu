/* SPDX-License-Identifier: Apache-2.0 */
/* Streams beside a place's own stream, which belong to the device and are lent for a while. Work of
 * the last borrower may still run when the next one takes a stream, which then only waits a little
 * longer. */
#include <pthread.h>
#include <stdlib.h>

#include "gpu/cuda/device.cuh"
#include "gpu/peers.cuh"

namespace tulle_cuda {

struct side {
    cudaStream_t stream;
    cudaEvent_t event;
    side *next;
};

/* guards the side streams of all devices */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static side *take_free(tulle__device *device) {
    pthread_mutex_lock(&lock);
    side *taken = device->sides;
    if (taken) device->sides = taken->next;
    pthread_mutex_unlock(&lock);
    return taken;
}

static void give_back(tulle__device *device, side *taken) {
    pthread_mutex_lock(&lock);
    taken->next = device->sides;
    device->sides = taken;
    pthread_mutex_unlock(&lock);
}

static tulle_status make_side(side **made) {
    side *s = static_cast<side *>(calloc(1, sizeof *s));
    if (!s) return services->fail(TULLE_OUT_OF_MEMORY, nullptr, nullptr, -1, "no host memory left");
    tulle_status status =
        check(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking), "cudaStreamCreate");
    if (status == TULLE_OK) {
        status =
            check(cudaEventCreateWithFlags(&s->event, cudaEventDisableTiming), "cudaEventCreate");
        if (status != TULLE_OK) cudaStreamDestroy(s->stream);
    }
    if (status == TULLE_OK) {
        *made = s;
    } else {
        free(s);
    }
    return status;
}

void close_sides(tulle__device *device) {
    while (side *s = take_free(device)) {
        cudaEventDestroy(s->event);
        cudaStreamDestroy(s->stream);
        free(s);
    }
}

static cudaStream_t stream_of(const tulle__place *place) {
    return static_cast<cudaStream_t>(place->stream);
}

tulle_status side_by_side::next(const tulle__place **other) {
    *other = place_;
    if (count_ == most) return TULLE_OK;
    on_device here(place_->device);
    GPU_TRY(here.status());
    side *s = take_free(place_->device);
    if (!s) GPU_TRY(make_side(&s));
    sides_[count_] = s;
    others_[count_] = *place_;
    others_[count_].stream = s->stream;
    count_++;
    GPU_TRY(check(cudaEventRecord(s->event, stream_of(place_)), "cudaEventRecord"));
    GPU_TRY(check(cudaStreamWaitEvent(s->stream, s->event, 0), "cudaStreamWaitEvent"));
    *other = &others_[count_ - 1];
    return TULLE_OK;
}

tulle_status side_by_side::join() {
    tulle_status status = TULLE_OK;
    on_device here(place_->device);
    for (int k = 0; k < count_; k++) {
        side *s = sides_[k];
        cudaError_t error = cudaEventRecord(s->event, s->stream);
        if (error == cudaSuccess) error = cudaStreamWaitEvent(stream_of(place_), s->event, 0);
        if (error != cudaSuccess) status = check(error, "cudaStreamWaitEvent");
        give_back(place_->device, s);
    }
    count_ = 0;
    return status;
}

/* Lets a device reach the memory of another one, where the hardware can: then copies between them
 * do not pass through the host's memory. The device is current. */
static tulle_status reach(tulle__device *device, const tulle__device *other) {
    const uint64_t bit = other->ordinal < 64 ? uint64_t(1) << other->ordinal : 0;
    tulle_status status = TULLE_OK;
    pthread_mutex_lock(&lock);
    if (other->ordinal != device->ordinal && !(device->reached & bit)) {
        int can = 0;
        status = check(cudaDeviceCanAccessPeer(&can, device->ordinal, other->ordinal),
                       "cudaDeviceCanAccessPeer");
        cudaError_t error = can ? cudaDeviceEnablePeerAccess(other->ordinal, 0) : cudaSuccess;
        if (error == cudaErrorPeerAccessAlreadyEnabled) {
            cudaGetLastError(); /* the program has done so itself */
        } else if (status == TULLE_OK) {
            status = check(error, "cudaDeviceEnablePeerAccess");
        }
        if (status == TULLE_OK) device->reached |= bit;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

tulle_status fetch_from(const tulle__place *place, void *to, tulle__device *other, const void *from,
                        size_t bytes) {
    if (bytes == 0) return TULLE_OK;
    tulle__device *device = place->device;
    on_device here(device);
    GPU_TRY(here.status());
    GPU_TRY(reach(device, other));
    side *s = take_free(device);
    if (!s) GPU_TRY(make_side(&s));
    tulle_status status =
        check(cudaMemcpyPeerAsync(to, device->ordinal, from, other->ordinal, bytes, s->stream),
              "cudaMemcpyPeerAsync");
    if (status == TULLE_OK) {
        status = check(cudaStreamSynchronize(s->stream), "cudaStreamSynchronize");
    }
    give_back(device, s);
    return status;
}

}  // namespace tulle_cuda
