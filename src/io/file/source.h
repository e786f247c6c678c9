/* SPDX-License-Identifier: Apache-2.0 */
/* Where bytes come from: a plain file or memory, which any thread may read anywhere, or a
 * compressed stream, which is read in order. */
#ifndef TULLE_IO_FILE_SOURCE_H
#define TULLE_IO_FILE_SOURCE_H

#include <stddef.h>

#include "core/context.h"
#include "io/file/stream.h"

enum { TULLE__HEAD_ROOM = 512 };

typedef struct tulle__source {
    tulle_ctx *ctx;          /* whose memory it has */
    const char *name;        /* of the file, for messages */
    char container[8];       /* as in tulle_file_info */
    bool seekable;           /* bytes can be read anywhere, by any thread */
    int64_t size;            /* of what it gives; -1: not known before the end */
    int64_t file_bytes;      /* of the file itself; 0: not known */
    int descriptor;          /* of the file, or -1 */
    const char *memory;      /* the file's bytes, or NULL */
    tulle__stream stream;    /* else: what is behind its compression */
    struct archive *archive; /* and behind its tar */
    bool ended;
    char head[TULLE__HEAD_ROOM]; /* the first bytes that it gives */
    int64_t head_size;
    int64_t at; /* of a stream: what has been given already */
} tulle__source;

/* Opens the file, looks at its first bytes and gets behind its compression. On failure nothing is
 * left open. */
bool tulle__source_open(tulle__source *source, tulle_ctx *ctx, const char *path,
                        tulle__trouble *trouble);

/* The same for a file that is in memory. */
bool tulle__source_open_memory(tulle__source *source, tulle_ctx *ctx, const void *bytes,
                               int64_t size, const char *name, tulle__trouble *trouble);

void tulle__source_close(tulle__source *source);

/* Reads up to `bytes` bytes from position `at` on (streams: from where the last call ended);
 * fewer only at the end. Returns how many, or -1. */
int64_t tulle__source_read(tulle__source *source, int64_t at, void *to, int64_t bytes,
                           tulle__trouble *trouble);

/* How many bytes of a stream's file have been taken in so far. */
int64_t tulle__source_consumed(const tulle__source *source);

/* Returns the most bytes that the source can give, as far as the size of its file says: deflate
 * packs at most 1032 bytes to one (zlib's own figure). Infinite where nothing is known. */
double tulle__source_most(const tulle__source *source);

/* Whether a stream's container is damaged behind what has been read: reads on, to the end or for so
 * many bytes, into memory for 64 KB. A fault in what it holds may be no more than that. */
bool tulle__source_is_damaged(tulle__source *source, int64_t bytes, char *scratch,
                              tulle__trouble *trouble);

/* source_archive.c: gets behind compression, behind tar with libarchive, and to the matrix inside.
 */
bool tulle__archive_open(tulle__source *source, tulle__trouble *trouble);
int64_t tulle__archive_read(tulle__source *source, void *to, int64_t bytes,
                            tulle__trouble *trouble);
void tulle__archive_close(tulle__source *source);

#endif
