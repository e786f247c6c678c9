/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between devices; src/gpu/cuda and emulator/ define the function. */
#ifndef TULLE_GPU_PEERS_CUH
#define TULLE_GPU_PEERS_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Copies from the memory of a device, another one or the same, beside the place's stream, and
 * waits. No work that is not done yet may write the memory, or use that to which it is copied. GPUs
 * that reach each other's memory copy without the host's. */
tulle_status fetch_from(const tulle__place *place, void *to, tulle__device *other, const void *from,
                        size_t bytes);

}  // namespace TULLE_GPU_NAMESPACE

#endif
