/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a cache file. */
#ifndef TULLE_TUNE_CACHE_LINES_H
#define TULLE_TUNE_CACHE_LINES_H

#include "core/cache_file.h"
#include "core/context.h"

/* Most characters behind the path of the file in the names of files beside it. */
enum { TULLE__CACHE_ENDING = 48 };

typedef enum tulle__cache_kind {
    TULLE__LINE_EMPTY, /* an empty line, or a line for people */
    TULLE__LINE_ENTRY,
    TULLE__LINE_BROKEN
} tulle__cache_kind;

/* A line of the text. Before the first call of tulle__cache_next, text is the start of the file and
 * length is 0. */
typedef struct tulle__cache_line {
    const char *text;
    size_t length; /* length of the line with its line feed, which the last line may lack */
    tulle__cache_kind kind;
} tulle__cache_line;

/* Moves to the next line; returns false at the end. */
bool tulle__cache_next(tulle__cache_line *line, const char *end);

/* Returns true when an entry has the key. */
bool tulle__cache_has_key(const tulle__cache_line *line, const char *key);

/* Reads the file's bytes, and puts a '\0' behind them, in memory of tulle__host_alloc; *text is
 * NULL for a file that is missing, empty or special. Fails with TULLE_IO_ERROR (the file cannot
 * be read), TULLE_PARSE_ERROR (the file is no cache, and must not be replaced),
 * TULLE_OUT_OF_MEMORY. */
tulle_status tulle__cache_read(tulle_ctx *ctx, const char *path, char **text, size_t *length);

#endif
