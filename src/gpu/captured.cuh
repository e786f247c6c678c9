/* SPDX-License-Identifier: Apache-2.0 */
/* Tells whether the work put into a place's stream runs, or is captured as a part of a graph. */
#ifndef TULLE_GPU_CAPTURED_CUH
#define TULLE_GPU_CAPTURED_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

#if defined(TULLE__EMULATOR)
namespace emulator {
bool is_captured(const tulle__place *place); /* defined by the emulator (device.h) */
}
inline tulle_status is_captured(const tulle__place *place, bool *captured) {
    *captured = emulator::is_captured(place);
    return TULLE_OK;
}
#else
tulle_status is_captured(const tulle__place *place, bool *captured);
#endif

}  // namespace TULLE_GPU_NAMESPACE

#endif
