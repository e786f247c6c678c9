/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a cache file. */
#ifndef TULLE_TUNE_CACHE_LINES_H
#define TULLE_TUNE_CACHE_LINES_H

#include "core/cache_file.h"
#include "core/context.h"

/* Room for what stands behind the path of the file in names of files beside it. */
enum { TULLE__CACHE_ENDING = 48 };

typedef enum tulle__cache_kind {
    TULLE__LINE_EMPTY, /* or for people */
    TULLE__LINE_ENTRY,
    TULLE__LINE_BROKEN
} tulle__cache_kind;

/* Start with text where the first line begins, and length 0. */
typedef struct tulle__cache_line {
    const char *text;
    size_t length; /* with its line feed, which the last line may lack */
    tulle__cache_kind kind;
} tulle__cache_line;

/* Moves on to the next line; false at the end. */
bool tulle__cache_next(tulle__cache_line *line, const char *end);

/* Whether an entry is one for the key. */
bool tulle__cache_has_key(const tulle__cache_line *line, const char *key);

/* The file's bytes and a '\0', from tulle__host_alloc; NULL where there is none, or an empty or
 * special one. TULLE_IO_ERROR: it cannot be read; TULLE_PARSE_ERROR: it is something else than a
 * cache, which nobody may replace; TULLE_OUT_OF_MEMORY. */
tulle_status tulle__cache_read(tulle_ctx *ctx, const char *path, char **text, size_t *length);

#endif
