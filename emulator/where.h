/* SPDX-License-Identifier: Apache-2.0 */
/* A place in a kernel's source in four bytes: a site where the kernel called one of
 * gpu.cuh's names, else the address of the code. */
#ifndef TULLE_GPU_EMULATOR_WHERE_H
#define TULLE_GPU_EMULATOR_WHERE_H

#include <stdint.h>

#include "gpu/gpu.cuh"

namespace tulle_emu::emulator {

class where {
  public:
    where() = default;
    where(site at);
    explicit where(const void *code);
    int32_t offset = 0; /* from a constant of this library, with a bit that says what it leads to;
                           0: unknown */
};

struct source_line {
    char file[128];
    unsigned line;
    char function[256];
};

/* Looks it up: for code, in the debugging information, by addr2line. */
source_line line_of(where at);

}  // namespace tulle_emu::emulator

#endif
