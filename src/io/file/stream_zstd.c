/* SPDX-License-Identifier: Apache-2.0 */
/* zstd (Y. Collet, M. Kucherawy, RFC 8878, 2021): frames one after the other, and between them
 * frames to skip, as pzstd begins its files with. libarchive's reader knows a file by its first
 * frame alone and takes none of those for zstd. */
#include <string.h>

#include "io/file/stream.h"

bool tulle__zstd_begins(const char *bytes, int64_t size) {
    const bool skipped =
        size >= 4 && (bytes[0] & '\xf0') == '\x50' && !memcmp(bytes + 1, "\x2a\x4d\x18", 3);
    return skipped || (size >= 4 && !memcmp(bytes, "\x28\xb5\x2f\xfd", 4));
}

bool tulle__zstd_open(tulle__stream *stream) {
    stream->zstd = ZSTD_createDCtx();
    if (!stream->zstd)
        return tulle__note(&stream->trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    strcpy(stream->container, "zst");
    return true;
}

static int64_t damaged(tulle__stream *stream, size_t rc) {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(rc);
    if (code == ZSTD_error_memory_allocation)
        tulle__note(&stream->trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    else if (code == ZSTD_error_checksum_wrong)
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0,
                    "damaged zstd: its checksum does not match");
    else if (code == ZSTD_error_prefix_unknown && stream->members > 0)
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0,
                    "damaged zstd: surplus bytes behind the compressed data");
    else
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0, "damaged zstd: %s", ZSTD_getErrorName(rc));
    return -1;
}

/* More of the file for zstd; 0 at its end. */
static int64_t feed(tulle__stream *stream) {
    const int64_t got = tulle__stream_raw(stream, &stream->packed.src);
    stream->packed.size = got > 0 ? (size_t)got : 0;
    stream->packed.pos = 0;
    return got;
}

int64_t tulle__zstd_next(tulle__stream *stream, const void **bytes) {
    ZSTD_outBuffer out = {.dst = stream->room + TULLE__STREAM_PIECE, .size = TULLE__STREAM_PIECE};
    *bytes = out.dst;
    while (out.pos == 0) {
        /* zstd may hold bytes back that a full piece had no room for */
        if (stream->packed.pos == stream->packed.size && !stream->held_back) {
            const int64_t got = feed(stream);
            if (got < 0) return -1;
            if (got == 0 && !stream->in_member) return 0;
            if (got == 0) {
                tulle__note(&stream->trouble, TULLE_IO_ERROR, 0, "damaged zstd: it is cut off");
                return -1;
            }
        }
        const size_t rc = ZSTD_decompressStream(stream->zstd, &out, &stream->packed);
        if (ZSTD_isError(rc)) return damaged(stream, rc);
        stream->in_member = rc != 0;
        stream->members += rc == 0;
        stream->held_back = out.pos == out.size && rc != 0;
    }
    return (int64_t)out.pos;
}
