/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks zstd (Y. Collet, M. Kucherawy, RFC 8878, 2021). A file has one or more frames, and
 * between them frames to skip, with which pzstd begins its files. libarchive recognises zstd by the
 * first frame alone, and does not accept a frame to skip. */
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

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

/* Reads the next bytes of the file for libzstd; returns their number, 0 at the end, or -1. */
static int64_t feed(tulle__stream *stream) {
    const int64_t got = tulle__stream_raw(stream, &stream->packed);
    stream->packed_bytes = got > 0 ? (size_t)got : 0;
    stream->packed_used = 0;
    if (got == 0 && stream->in_member) {
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0,
                    "damaged zstd: the file ends in the middle of its compressed data");
        return -1;
    }
    return got;
}

int64_t tulle__zstd_next(tulle__stream *stream, const void **bytes) {
    ZSTD_outBuffer out = {.dst = stream->room + TULLE__STREAM_PIECE, .size = TULLE__STREAM_PIECE};
    *bytes = out.dst;
    while (out.pos == 0) {
        if (stream->packed_used == stream->packed_bytes && !stream->held_back) {
            const int64_t got = feed(stream);
            if (got <= 0) return got;
        }
        ZSTD_inBuffer in = {stream->packed, stream->packed_bytes, stream->packed_used};
        const size_t rc = ZSTD_decompressStream(stream->zstd, &out, &in);
        if (ZSTD_isError(rc)) return damaged(stream, rc);
        stream->packed_used = in.pos;
        stream->in_member = rc != 0;
        stream->members += rc == 0;
        stream->held_back = rc != 0 && out.pos == out.size;
    }
    return (int64_t)out.pos;
}
