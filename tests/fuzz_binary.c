/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target for libFuzzer: any header and arrays of tulle's binary form, under checksums that
 * are right, so that mistakes are looked for behind them. The bytes are those of a file. */
#include "fuzzing.h"
#include "io/file/binary.h"

/* Puts the checksum of each array that lies in the file where the header has it. */
static void sign(uint8_t *file, size_t size) {
    tulle__binary_header header;
    tulle__binary_layout layout;
    memcpy(&header, file, sizeof header);
    memcpy(header.magic, TULLE__BINARY_MAGIC, sizeof header.magic);
    const bool is_sized = header.index <= TULLE_I64 && header.type < TULLE__TYPE_COUNT &&
                          (header.version != TULLE__BINARY_BSR ||
                           (header.block_rows - 1 < 16 && header.block_cols - 1 < 16 &&
                            header.blocks >= 0 && header.blocks < 1 << 20));
    if (is_sized && tulle__binary_layout_of(&header, &layout)) {
        for (int i = 0; i < TULLE__SECTIONS; i++) {
            const int64_t bytes = layout.bytes[i];
            if (bytes < 0 || bytes > TULLE__CHECKSUM_PIECE || layout.at[i] + bytes > (int64_t)size)
                continue;
            const uint64_t sum = tulle__checksum(file + layout.at[i], (size_t)bytes);
            header.checksum[i] = tulle__checksum(&sum, bytes > 0 ? sizeof sum : 0);
        }
    }
    header.header_checksum =
        tulle__checksum(&header, offsetof(tulle__binary_header, header_checksum));
    memcpy(file, &header, sizeof header);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    enum { MOST = 1 << 14 };
    static uint8_t file[MOST];
    if (size < sizeof(tulle__binary_header)) return 0;
    if (size > MOST) size = MOST;
    memcpy(file, bytes, size);
    sign(file, size);
    fuzz_load(file, size, "fuzz");
    return 0;
}
