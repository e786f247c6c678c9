/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of results for which the host waits. */
#ifndef TULLE_GPU_FETCH_CUH
#define TULLE_GPU_FETCH_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Copies to the host, and waits for the copy. */
inline tulle_status to_host(const tulle__place *place, void *to, const void *from, size_t bytes) {
    GPU_TRY(TULLE__HERE(copy)(place, to, from, bytes));
    return TULLE__HERE(stream_wait)(place->device, place->stream);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
