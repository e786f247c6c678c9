/* SPDX-License-Identifier: Apache-2.0 */
/* A fuzz target for libFuzzer: any header and arrays of tulle's binary form, under checksums that
 * are right, so that mistakes are looked for behind them. The bytes are those of a file. */
#include "format/bsr.h"
#include "fuzzing.h"
#include "io/file/binary.h"

/* Returns true when the positions of the arrays can be computed of the header. */
static bool has_positions(const tulle__binary_header *h) {
    enum { MOST = 1 << 20 };
    const bool bsr = h->version == TULLE__BINARY_BSR;
    return h->index <= TULLE_I64 && h->type < TULLE__TYPE_COUNT && h->rows >= 0 && h->nnz >= 0 &&
           h->heads >= 0 && h->blocks >= 0 && h->blocks < MOST &&
           (!bsr ||
            (h->block_rows - 1 < TULLE__MOST_BLOCK && h->block_cols - 1 < TULLE__MOST_BLOCK));
}

/* Puts the checksum of each array that lies in the file where the header has it. */
static void sign(uint8_t *file, size_t size) {
    tulle__binary_header header;
    tulle__binary_layout layout;
    memcpy(&header, file, sizeof header);
    memcpy(header.magic, TULLE__BINARY_MAGIC, sizeof header.magic);
    const bool found = has_positions(&header) && tulle__binary_layout_of(&header, &layout);
    for (int i = 0; found && i < TULLE__SECTIONS; i++) {
        const size_t at = (size_t)layout.at[i], bytes = (size_t)layout.bytes[i];
        if (at > size || bytes > size - at) continue;
        const uint64_t sum = tulle__checksum(file + at, bytes);
        header.checksum[i] = tulle__checksum(&sum, bytes > 0 ? sizeof sum : 0);
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
