/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions that are not inlined: kernels of many things share their code, and it is
 * compiled once. */
#ifndef TULLE_GPU_OUTLINE_CUH
#define TULLE_GPU_OUTLINE_CUH

#include "gpu/gpu.cuh"

/* Before a device function. */
#if defined(TULLE__EMULATOR)
#define GPU_OUTLINE inline
#else
#define GPU_OUTLINE __device__ __noinline__
#endif

#endif
