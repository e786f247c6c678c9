/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a file in order, behind its compression. Whoever reads to the end knows that every
 * checksum of the container is right. */
#ifndef TULLE_IO_FILE_STREAM_H
#define TULLE_IO_FILE_STREAM_H

#include <stddef.h>
#include <zlib.h>

#include "core/context.h"
#include "io/file/trouble.h"

enum { TULLE__STREAM_PIECE = 1 << 18 };

typedef struct tulle__stream {
    tulle_ctx *ctx;     /* whose memory it has */
    int descriptor;     /* of the file, or -1 */
    const char *memory; /* the file's bytes, or NULL */
    int64_t size;       /* of those */
    int64_t taken;      /* bytes of the file that have been read */
    int64_t pending;    /* of those, the first ones, which nobody has got yet */
    char *room;         /* a piece of the file, and one of what it unpacks to */
    bool is_gzip, in_member, ended;
    bool asks;       /* the caller's own thread reads: whether to go on is asked for each piece */
    int64_t members; /* of a gzip file, or frames of a zstd one, that are through */
    z_stream gzip;   /* where it is one */
    struct ZSTD_DCtx_s *zstd; /* where it is zstd, with what of the file is to be unpacked next: */
    const void *packed;
    size_t packed_bytes, packed_used;
    bool held_back;          /* by zstd, text that a piece had no room for */
    struct archive *archive; /* else: xz, or as it is */
    char container[4];       /* "gz", "xz", "zst" or "" */
    tulle__trouble trouble;
} tulle__stream;

/* Begins at the start of a file, which is in memory or open. On failure the trouble is noted, and
 * the stream must still be closed. */
bool tulle__stream_open(tulle__stream *stream, tulle_ctx *ctx, int descriptor, const char *memory,
                        int64_t size);

/* The next bytes: where they are, until the next call, and how many; 0: the end; -1: trouble. */
int64_t tulle__stream_next(tulle__stream *stream, const void **bytes);

void tulle__stream_close(tulle__stream *stream);

/* stream.c: the next bytes of the file itself. */
int64_t tulle__stream_raw(tulle__stream *stream, const void **bytes);

/* stream_gzip.c */
bool tulle__gzip_open(tulle__stream *stream);
int64_t tulle__gzip_next(tulle__stream *stream, const void **bytes);

/* stream_zstd.c */
bool tulle__zstd_begins(const char *bytes, int64_t size); /* whether a file that begins so is one */
bool tulle__zstd_open(tulle__stream *stream);
int64_t tulle__zstd_next(tulle__stream *stream, const void **bytes);

/* What libarchive complains of. */
bool tulle__archive_trouble(struct archive *archive, tulle__trouble *trouble);

#endif
