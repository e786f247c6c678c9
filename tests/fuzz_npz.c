/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target for libFuzzer: any members in a zip archive that is right otherwise, its checksums
 * too, so that mistakes are looked for behind them. A member is a byte that chooses its name, two
 * with its length, the highest first, and its bytes. */
#include "fuzzing.h"
#include "zip_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const char *const names[] = {"format.npy", "shape.npy", "indptr.npy", "indices.npy",
                                        "data.npy",   "row.npy",   "col.npy",    "other.npy"};
    enum { BEFORE = 3, MOST = 1 << 12 };
    static zip_file zip;
    zip_begin(&zip);
    while (size > BEFORE && zip.members < ZIP_MEMBERS) {
        size_t length = bytes[1] * (size_t)256 + bytes[2];
        if (length > size - BEFORE) length = size - BEFORE;
        if (length > MOST) length = MOST;
        zip_add(&zip, names[bytes[0] % 8], bytes + BEFORE, length);
        bytes += BEFORE + length;
        size -= BEFORE + length;
    }
    zip_end(&zip);
    fuzz_load(zip.file.bytes, zip.file.size, "fuzz");
    return 0;
}
