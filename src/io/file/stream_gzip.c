/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks gzip (P. Deutsch, RFC 1952, 1996). A file has one or more members, each with the CRC-32
 * and the length of its unpacked bytes, which zlib compares. Zeros behind the last member are
 * padding, as on tapes. Any other bytes there are an error. */
#include <string.h>

#include "io/file/stream.h"

/* zlib's parameter windowBits for files of gzip only. */
enum { GZIP_WINDOW = 15 + 16 };

bool tulle__gzip_open(tulle__stream *stream) {
    if (inflateInit2(&stream->gzip, GZIP_WINDOW) != Z_OK)
        return tulle__note(&stream->trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    stream->is_gzip = true;
    stream->in_member = true;
    strcpy(stream->container, "gz");
    return true;
}

static int64_t damaged(tulle__stream *stream, int rc) {
    const char *why = stream->gzip.msg ? stream->gzip.msg : "unknown error";
    const bool header = !strcmp(why, "incorrect header check");
    if (rc == Z_MEM_ERROR)
        tulle__note(&stream->trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    else if (!strcmp(why, "incorrect data check"))
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0,
                    "damaged gzip: its checksum does not match");
    else if (!strcmp(why, "incorrect length check"))
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0, "damaged gzip: its length does not match");
    else if (header && stream->members > 0)
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0,
                    "damaged gzip: surplus bytes behind the compressed data");
    else
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0, "damaged gzip: %s", why);
    return -1;
}

/* Gives zlib the next bytes of the file; returns their number, 0 at the end, or -1. */
static int64_t feed(tulle__stream *stream) {
    const void *bytes;
    const int64_t got = tulle__stream_raw(stream, &bytes);
    stream->gzip.next_in = (Bytef *)bytes;
    stream->gzip.avail_in = got > 0 ? (uInt)got : 0;
    return got;
}

/* Skips padding, and goes to the next member. Returns 0 where there is none. */
static int64_t next_member(tulle__stream *stream) {
    z_stream *gzip = &stream->gzip;
    for (;;) {
        while (gzip->avail_in > 0 && *gzip->next_in == 0) {
            gzip->next_in++;
            gzip->avail_in--;
        }
        if (gzip->avail_in > 0) break;
        const int64_t got = feed(stream);
        if (got <= 0) return got;
    }
    inflateReset(gzip);
    stream->in_member = true;
    return 1;
}

int64_t tulle__gzip_next(tulle__stream *stream, const void **bytes) {
    z_stream *gzip = &stream->gzip;
    *bytes = stream->room + TULLE__STREAM_PIECE;
    gzip->next_out = (Bytef *)stream->room + TULLE__STREAM_PIECE;
    gzip->avail_out = TULLE__STREAM_PIECE;
    while (gzip->avail_out == TULLE__STREAM_PIECE) {
        const int64_t more = !stream->in_member    ? next_member(stream)
                             : gzip->avail_in == 0 ? feed(stream)
                                                   : 1;
        if (more < 0) return -1;
        if (more == 0 && !stream->in_member) return 0;
        const int rc = inflate(gzip, Z_NO_FLUSH);
        if (rc == Z_STREAM_END) {
            stream->in_member = false;
            stream->members++;
        } else if (rc == Z_BUF_ERROR || (rc == Z_OK && more == 0)) {
            if (more > 0) continue;
            tulle__note(&stream->trouble, TULLE_IO_ERROR, 0,
                        "damaged gzip: the file ends in the middle of its compressed data");
            return -1;
        } else if (rc != Z_OK) {
            return damaged(stream, rc);
        }
    }
    return TULLE__STREAM_PIECE - gzip->avail_out;
}
