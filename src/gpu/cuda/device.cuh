/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_GPU_CUDA_DEVICE_CUH
#define TULLE_GPU_CUDA_DEVICE_CUH

#include <cuda.h>

#include "gpu/gpu.cuh"

namespace tulle_cuda {
struct side; /* a stream that is lent for a while; defined in side.cu */
}

/* A GPU. All contexts that have the GPU open share the struct. */
struct tulle__device {
    int ordinal;
    /* number of times that the device is open; guarded by the lock in device.cu */
    int opens;
    CUcontext primary; /* primary context, held while the device is open */
    int64_t cache_bytes;
    bool can_overlap; /* true when the code for the device has allow_next and await_previous */
    /* buffer that flush_cache reads; made at its first use, guarded by the lock in measure.cu */
    void *flush;
    uint64_t reached; /* bits of the ordinals below 64 of devices whose memory this one has been
                         allowed to reach, or cannot; guarded by the lock in side.cu */
    tulle_cuda::side *sides; /* side streams that are not lent, guarded by the lock in side.cu */
};

namespace tulle_cuda {

/* Destroys the device's side streams. The device must be current, and no side stream lent. */
void close_sides(tulle__device *device);

/* Makes a device current in a scope. The primary context is pushed and popped: to set the caller's
 * device again at the end would create a context on a GPU that the caller may never use. A context
 * of the caller's own on the same device stays current. */
class on_device {
  public:
    explicit on_device(const tulle__device *device);
    on_device(const on_device &) = delete;
    on_device &operator=(const on_device &) = delete;
    ~on_device();
    tulle_status status() const { return status_; }

  private:
    tulle_status status_;
    bool pushed_ = false;
};

}  // namespace tulle_cuda

#endif
