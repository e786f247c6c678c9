/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is being written: it appears under its name when it is whole, or not at all. */
#ifndef TULLE_IO_FILE_SINK_H
#define TULLE_IO_FILE_SINK_H

#include "core/context.h"
#include "core/replace.h"
#include "io/file/trouble.h"

typedef struct tulle__sink {
    tulle_ctx *cpu;
    const char *path;
    tulle__replacement file;
    struct archive *archive;  /* compresses to gzip or xz; NULL: does not */
    struct ZSTD_CCtx_s *zstd; /* compresses to zstd; NULL: does not */
    char *packed;             /* what comes out of that */
} tulle__sink;

/* Opens it; compressed where the path ends in .gz, .xz or .zst. On failure nothing is left. */
bool tulle__sink_open(tulle__sink *sink, tulle_ctx *cpu, const char *path, tulle__trouble *trouble);

bool tulle__sink_write(tulle__sink *sink, const void *bytes, size_t size, tulle__trouble *trouble);

/* Ends it: with keep the file gets its name, else it goes away. */
bool tulle__sink_close(tulle__sink *sink, bool keep, tulle__trouble *trouble);

/* Whether a path ends so. */
bool tulle__has_suffix(const char *path, const char *suffix);

#endif
