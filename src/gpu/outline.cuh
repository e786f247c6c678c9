/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions that are not inlined: large kernels share their code, which is compiled once. */
#ifndef TULLE_GPU_OUTLINE_CUH
#define TULLE_GPU_OUTLINE_CUH

#include "gpu/gpu.cuh"

/* Stands before a device function that is not to be inlined. */
#if defined(TULLE__EMULATOR)
#define GPU_OUTLINE inline
#else
#define GPU_OUTLINE __device__ __noinline__
#endif

#endif
