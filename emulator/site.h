/* SPDX-License-Identifier: Apache-2.0 */
/* A place in a kernel's source; taken as a default argument, it is where the kernel called. */
#ifndef TULLE_GPU_EMULATOR_SITE_H
#define TULLE_GPU_EMULATOR_SITE_H

#if defined(__clang__) /* has std::source_location from 15 on, and takes it there from 16 on */

#include <stdint.h>

namespace tulle_emu::emulator {

class site {
  public:
    site() = default;
    static site current(unsigned line = __builtin_LINE(), const char *file = __builtin_FILE(),
                        const char *function = __builtin_FUNCTION()) {
        return site(line, file, function);
    }
    unsigned line() const { return static_cast<unsigned>(file_and_line_ >> address_bits); }
    const char *file_name() const {
        return reinterpret_cast<const char *>(file_and_line_ & ((uint64_t{1} << address_bits) - 1));
    }
    const char *function_name() const { return function_; }
    bool operator==(const site &other) const = default;

  private:
    static constexpr int address_bits = 48; /* of a process: so that a site fits in two registers */
    site(unsigned line, const char *file, const char *function)
        : file_and_line_(uint64_t{line} << address_bits | reinterpret_cast<uintptr_t>(file)),
          function_(function) {}
    uint64_t file_and_line_ = 0;
    const char *function_ = nullptr;
};

}  // namespace tulle_emu::emulator

#else

#include <source_location>

namespace tulle_emu::emulator {

using site = std::source_location;

}  // namespace tulle_emu::emulator

#endif

#endif
