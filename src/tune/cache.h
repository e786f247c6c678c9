/* SPDX-License-Identifier: Apache-2.0 */
/* Results of tuning, in a text file that processes share. A line is an entry: the fields of a key,
 * the specification, and its time in milliseconds, with tabs between them. The first line tells
 * that the file is a cache; any other file is neither read nor replaced. Further lines that begin
 * with # are for people; all other lines are ignored, and dropped when the file is next written. */
#ifndef TULLE_TUNE_CACHE_H
#define TULLE_TUNE_CACHE_H

#include "core/cache_file.h"
#include "core/context.h"
#include "spmv/spmv.h"
#include "tulle/tune.h"

enum { TULLE__CACHE_KEY = 512 };

typedef struct tulle__cache {
    char path[TULLE__CACHE_PATH]; /* path of the file; "" for no file */
    /* true when the path is the default one, whose folders may be made */
    bool own_folder;
    /* contents of the file, from tulle__host_alloc; NULL: no contents */
    char *text;
    size_t length;
    int entries, ignored;
} tulle__cache;

typedef struct tulle__cache_entry {
    char key[TULLE__CACHE_KEY];
    char spec[TULLE_SPEC_TEXT];
    double ms;
} tulle__cache_entry;

/* Writes the key of a product on a context's place. */
void tulle__cache_key(const tulle_ctx *ctx, const tulle__spmv_shape *shape,
                      char key[TULLE__CACHE_KEY]);

/* Opens and reads a cache; file: as in tulle_tuner_options. A file that cannot be read counts as
 * empty. Fails with TULLE_INVALID_ARGUMENT (the path is too long), TULLE_PARSE_ERROR (the file is
 * no cache), TULLE_OUT_OF_MEMORY. */
tulle_status tulle__cache_open(tulle_ctx *ctx, const char *file, tulle__cache *cache);
void tulle__cache_close(tulle_ctx *ctx, tulle__cache *cache);

/* Looks entry->key up, and fills the other members of the entry; returns false if the cache does
 * not have the key. */
bool tulle__cache_find(const tulle__cache *cache, tulle__cache_entry *entry);

/* Writes entries into the file, in place of those with the same keys. Fails with TULLE_IO_ERROR,
 * TULLE_PARSE_ERROR (the file is no longer a cache), TULLE_OUT_OF_MEMORY, TULLE_TOO_LARGE; the file
 * then stays as it was. */
tulle_status tulle__cache_write(tulle_ctx *ctx, const tulle__cache *cache,
                                const tulle__cache_entry *entries, int count);

#endif
