/* SPDX-License-Identifier: Apache-2.0 */
/* A stream gives the unpacked bytes of a file in order. A caller that has read to the end knows
 * that every checksum of the compressed file is right. */
#ifndef TULLE_IO_FILE_STREAM_H
#define TULLE_IO_FILE_STREAM_H

#include <stddef.h>
#include <zlib.h>

#include "core/context.h"
#include "io/file/trouble.h"

enum { TULLE__STREAM_PIECE = 1 << 18 };

typedef struct tulle__stream {
    tulle_ctx *ctx;     /* context from whose memory the stream takes its own */
    int descriptor;     /* descriptor of the open file, or -1 */
    const char *memory; /* bytes of a file in memory, or NULL */
    int64_t size;       /* bytes of the file in memory */
    int64_t taken;      /* number of bytes of the file that have been read */
    /* number of bytes at the start of `room` that have been read and not been used */
    int64_t pending;
    /* room for a piece of the file, and for a piece of the unpacked bytes behind it */
    char *room;
    bool is_gzip, in_member, ended;
    /* true while only the caller's thread reads, which then reports progress for each piece */
    bool asks;
    /* number of members of a gzip file, or frames of a zstd file, that have been read to their
     * end */
    int64_t members;
    z_stream gzip; /* state of zlib, for a gzip file */
    /* state of libzstd, for a zstd file; else NULL. The two members below are the bytes of the file
     * that libzstd unpacks next. */
    struct ZSTD_DCtx_s *zstd;
    const void *packed;
    size_t packed_bytes, packed_used;
    /* true when libzstd holds unpacked bytes that did not fit in the last piece */
    bool held_back;
    struct archive *archive; /* libarchive's reader, for an xz file or one that is not compressed */
    char container[4];       /* "gz", "xz", "zst" or "" */
    tulle__trouble trouble;
} tulle__stream;

/* Opens a stream at the first byte of a file, which is in memory or open. A failure is noted in the
 * stream, which must still be closed. */
bool tulle__stream_open(tulle__stream *stream, tulle_ctx *ctx, int descriptor, const char *memory,
                        int64_t size);

/* Sets *bytes to the next unpacked bytes, which stay there until the next call; returns their
 * number, 0 at the end, or -1 after a failure. */
int64_t tulle__stream_next(tulle__stream *stream, const void **bytes);

void tulle__stream_close(tulle__stream *stream);

/* stream.c: gives the next bytes of the file itself, still packed; see tulle__stream_next for the
 * result. */
int64_t tulle__stream_raw(tulle__stream *stream, const void **bytes);

/* stream_gzip.c: unpacks gzip. */
bool tulle__gzip_open(tulle__stream *stream);
int64_t tulle__gzip_next(tulle__stream *stream, const void **bytes);

/* stream_zstd.c: unpacks zstd. tulle__zstd_begins returns true when the bytes are the begin of a
 * zstd file. */
bool tulle__zstd_begins(const char *bytes, int64_t size);
bool tulle__zstd_open(tulle__stream *stream);
int64_t tulle__zstd_next(tulle__stream *stream, const void **bytes);

/* Notes the last error of libarchive; returns false. */
bool tulle__archive_trouble(struct archive *archive, tulle__trouble *trouble);

#endif
