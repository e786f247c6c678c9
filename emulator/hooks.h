/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_GPU_EMULATOR_HOOKS_H
#define TULLE_GPU_EMULATOR_HOOKS_H

#include <stddef.h>

namespace tulle_emu::emulator {

/* Compiled code, of a kernel or of the host, is about to access memory: global.cpp. The device
 * takes numbers at multiples of their alignment alone. */
void touched(bool writes, const void *p, size_t bytes, size_t alignment, const void *code);

}  // namespace tulle_emu::emulator

#endif
