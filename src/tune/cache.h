/* SPDX-License-Identifier: Apache-2.0 */
/* Results of tuning in a text file that processes share. A line is an entry: the fields of a key,
 * the specification, and its time in ms, with tabs between them. The first line says that
 * the file is a cache, and no other file is read or replaced; more lines that begin with # are for
 * people; any other line is ignored, and dropped when the file is next written. */
#ifndef TULLE_TUNE_CACHE_H
#define TULLE_TUNE_CACHE_H

#include "core/cache_file.h"
#include "core/context.h"
#include "spmv/spmv.h"
#include "tulle/tune.h"

enum { TULLE__CACHE_KEY = 512 };

typedef struct tulle__cache {
    char path[TULLE__CACHE_PATH]; /* "": there is none */
    bool own_folder;              /* the path is the default one, whose folders may be made */
    char *text;                   /* what the file held, from tulle__host_alloc; NULL: nothing */
    size_t length;
    int entries, ignored;
} tulle__cache;

typedef struct tulle__cache_entry {
    char key[TULLE__CACHE_KEY];
    char spec[TULLE_SPEC_TEXT];
    double ms;
} tulle__cache_entry;

/* The key of a product on a context's place. */
void tulle__cache_key(const tulle_ctx *ctx, const tulle__spmv_shape *shape,
                      char key[TULLE__CACHE_KEY]);

/* file: as in tulle_tuner_options. A file that cannot be read is empty. TULLE_INVALID_ARGUMENT (a
 * path too long), TULLE_PARSE_ERROR (no cache), TULLE_OUT_OF_MEMORY. */
tulle_status tulle__cache_open(tulle_ctx *ctx, const char *file, tulle__cache *cache);
void tulle__cache_close(tulle_ctx *ctx, tulle__cache *cache);

/* Looks entry->key up and fills the rest. */
bool tulle__cache_find(const tulle__cache *cache, tulle__cache_entry *entry);

/* Puts entries into the file, in the place of those with the same keys. TULLE_IO_ERROR,
 * TULLE_PARSE_ERROR (by now it is no cache), TULLE_OUT_OF_MEMORY, TULLE_TOO_LARGE; then the file is
 * as it was. */
tulle_status tulle__cache_write(tulle_ctx *ctx, const tulle__cache *cache,
                                const tulle__cache_entry *entries, int count);

#endif
