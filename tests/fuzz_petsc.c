/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target for libFuzzer: any bytes behind the class of PETSc's matrices; the first byte
 * chooses integers of 32 or of 64 bits. */
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum { MOST = 1 << 16, CLASS = 8 };
    static const char class[CLASS] = "\0\0\0\0\0\x12\x7b\x50";
    static uint8_t file[CLASS + MOST];
    if (size == 0) return 0;
    const size_t length = bytes[0] & 1 ? CLASS : CLASS / 2;
    const size_t rest = size - 1 < MOST ? size - 1 : MOST;
    memcpy(file, class + CLASS - length, length);
    memcpy(file + length, bytes + 1, rest);
    fuzz_load(file, length + rest, "fuzz");
    return 0;
}
