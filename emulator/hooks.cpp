/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler calls these before each access to memory that a kernel's own code makes: GCC under
 * -fsanitize=thread (and no other part of that sanitizer is linked), clang under
 * -fsanitize-coverage=trace-loads,trace-stores, which goes together with its AddressSanitizer. The
 * library exports none of them. */
#include <stddef.h>

#include "emulator/hooks.h"

using tulle_emu::emulator::touched;

/* GCC calls those of a size for what is aligned to it, or to 8 bytes; clang for all there is. */
constexpr size_t aligned(size_t bytes) {
    return bytes < 8 ? bytes : 8;
}

#define HOOK(name, writes, bytes, alignment)                                                       \
    extern "C" void name(void *p) {                                                                \
        touched(writes, p, bytes, alignment, __builtin_return_address(0));                         \
    }
#define HOOKS_OF_SIZE(bytes)                                                                       \
    HOOK(__tsan_read##bytes, false, bytes, aligned(bytes))                                         \
    HOOK(__tsan_write##bytes, true, bytes, aligned(bytes))                                         \
    HOOK(__tsan_unaligned_read##bytes, false, bytes, 1)                                            \
    HOOK(__tsan_unaligned_write##bytes, true, bytes, 1)                                            \
    HOOK(__sanitizer_cov_load##bytes, false, bytes, 1)                                             \
    HOOK(__sanitizer_cov_store##bytes, true, bytes, 1)
HOOKS_OF_SIZE(1)
HOOKS_OF_SIZE(2)
HOOKS_OF_SIZE(4)
HOOKS_OF_SIZE(8)
HOOKS_OF_SIZE(16)

extern "C" void __tsan_init() {}
extern "C" void __tsan_func_entry(void *) {}
extern "C" void __tsan_func_exit() {}
extern "C" void __tsan_read_range(void *p, size_t bytes) {
    touched(false, p, bytes, 1, __builtin_return_address(0));
}
extern "C" void __tsan_write_range(void *p, size_t bytes) {
    touched(true, p, bytes, 1, __builtin_return_address(0));
}
