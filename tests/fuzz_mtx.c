/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target for libFuzzer: any bytes through every reader. */
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_load(bytes, size, "fuzz");
    return 0;
}
