/* SPDX-License-Identifier: Apache-2.0 */
/* A file that is being written. The file gets its name when it is complete; after a failure no file
 * of that name appears. */
#ifndef TULLE_IO_FILE_SINK_H
#define TULLE_IO_FILE_SINK_H

#include "core/context.h"
#include "core/replace.h"
#include "io/file/trouble.h"

typedef struct tulle__sink {
    tulle_ctx *cpu;
    const char *path;
    tulle__replacement file;
    struct archive *archive;  /* compressor to gzip or xz, or NULL */
    struct ZSTD_CCtx_s *zstd; /* compressor to zstd, or NULL */
    char *packed;             /* buffer for the output of zstd */
} tulle__sink;

/* Opens the file, which is compressed where the path ends in .gz, .xz or .zst. After a failure
 * nothing is left on the disk. */
bool tulle__sink_open(tulle__sink *sink, tulle_ctx *cpu, const char *path, tulle__trouble *trouble);

bool tulle__sink_write(tulle__sink *sink, const void *bytes, size_t size, tulle__trouble *trouble);

/* Closes the file: gives the file its name if keep is true, else removes the file. */
bool tulle__sink_close(tulle__sink *sink, bool keep, tulle__trouble *trouble);

/* Returns true when a path ends with a suffix. */
bool tulle__has_suffix(const char *path, const char *suffix);

#endif
