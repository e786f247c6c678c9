/* SPDX-License-Identifier: Apache-2.0 */
/* The wishes that kernels made by gpu::prefer_shared, for tests: the emulated device has no L1. */
#ifndef TULLE_GPU_EMULATOR_CARVE_H
#define TULLE_GPU_EMULATOR_CARVE_H

namespace tulle_emu::emulator {

/* The percentage that a kernel asked for last; -1: it never did. */
int preferred_shared(const void *kernel);

}  // namespace tulle_emu::emulator

#endif
