/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target for libFuzzer: any bytes as a Harwell-Boeing or Rutherford-Boeing file, which its
 * name makes it. */
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_load(bytes, size, "fuzz.rb");
    return 0;
}
