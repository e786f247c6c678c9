/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_GPU_CUDA_DEVICE_CUH
#define TULLE_GPU_CUDA_DEVICE_CUH

#include <cuda.h>

#include "gpu/gpu.cuh"

namespace tulle_cuda {
struct side; /* side.cu */
}

/* A GPU. The same struct for everyone who has it open. */
struct tulle__device {
    int ordinal;
    int opens;         /* how often it is open; guarded by device.cu */
    CUcontext primary; /* held while it is open */
    int64_t cache_bytes;
    bool can_overlap; /* the code for it knows allow_next and await_previous */
    void *flush;      /* what flush_cache reads; made at the first use, guarded by measure.cu */
    tulle_cuda::side *sides; /* streams that nobody has borrowed, guarded by side.cu */
};

namespace tulle_cuda {

/* Ends the device's side streams; it is current, and none is lent. */
void close_sides(tulle__device *device);

/* Makes a device current in its scope. The caller's current device is not set anew at the end,
 * which would create a context on a GPU that the caller may never use: the primary context is
 * pushed and popped. A context of the caller's own on the same device stays. */
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
