/* SPDX-License-Identifier: Apache-2.0 */
/* A source gives the bytes of a file: a plain file or memory, which any thread may read at any
 * position, or a compressed stream, which is read in order. */
#ifndef TULLE_IO_FILE_SOURCE_H
#define TULLE_IO_FILE_SOURCE_H

#include <stddef.h>

#include "core/context.h"
#include "io/file/stream.h"

enum { TULLE__HEAD_ROOM = 512 };

typedef struct tulle__source {
    tulle_ctx *ctx;       /* context from whose memory the source takes its own */
    const char *name;     /* name of the file, for messages */
    char container[8];    /* kind of container, as tulle_file_info has it */
    bool seekable;        /* true when any thread can read bytes at any position */
    int64_t size;         /* bytes that the source gives; -1: unknown before the end */
    int64_t file_bytes;   /* bytes of the file itself; 0: unknown */
    int descriptor;       /* descriptor of the open file, or -1 */
    const char *memory;   /* bytes of a file in memory, or NULL */
    tulle__stream stream; /* not seekable: the bytes behind the compression */
    /* not seekable: libarchive's reader of the bytes behind the compression, which reads tar
     * archives */
    struct archive *archive;
    bool ended;
    char head[TULLE__HEAD_ROOM]; /* first bytes that the source gives */
    int64_t head_size;
    int64_t at; /* not seekable: number of bytes that have been given */
} tulle__source;

/* Opens the file, looks at its first bytes and prepares to unpack it. After a failure nothing is
 * left open. */
bool tulle__source_open(tulle__source *source, tulle_ctx *ctx, const char *path,
                        tulle__trouble *trouble);

/* Opens a file that is in memory; see tulle__source_open. */
bool tulle__source_open_memory(tulle__source *source, tulle_ctx *ctx, const void *bytes,
                               int64_t size, const char *name, tulle__trouble *trouble);

void tulle__source_close(tulle__source *source);

/* Reads up to `bytes` bytes from position `at` on, or of a stream from the end of the last call on;
 * fewer only at the end. Returns the number of bytes, or -1. */
int64_t tulle__source_read(tulle__source *source, int64_t at, void *to, int64_t bytes,
                           tulle__trouble *trouble);

/* Returns the number of bytes of a stream's file that have been read so far. */
int64_t tulle__source_consumed(const tulle__source *source);

/* Returns the most bytes that the source can give, judged by the size of its file: deflate packs at
 * most 1032 bytes into one (zlib's own figure). Returns infinity where nothing is known. */
double tulle__source_most(const tulle__source *source);

/* Returns true when a stream's compressed data are damaged behind the bytes that have been read.
 * Reads on, to the end or for `bytes` bytes, into scratch memory of 64 KB. A fault in the unpacked
 * text may be only a consequence of damage. */
bool tulle__source_is_damaged(tulle__source *source, int64_t bytes, char *scratch,
                              tulle__trouble *trouble);

/* source_archive.c: opens a file that is compressed or a tar archive, and finds the matrix's file
 * in the archive. */
bool tulle__archive_open(tulle__source *source, tulle__trouble *trouble);
int64_t tulle__archive_read(tulle__source *source, void *to, int64_t bytes,
                            tulle__trouble *trouble);
void tulle__archive_close(tulle__source *source);

#endif
