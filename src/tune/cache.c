/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a cache file, as a whole; cache_write.c writes it. */
#define _GNU_SOURCE
#include "tune/cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/print.h"
#include "tulle/version.h"
#include "tune/cache_lines.h"
#include "tune/fingerprint.h"

static const char *const type_names[] = {"f32", "f64"};
static const char *const index_names[] = {"32", "64/32", "64"};

void tulle__cache_key(const tulle_ctx *ctx, const tulle__spmv_shape *shape,
                      char key[TULLE__CACHE_KEY]) {
    char device[sizeof ctx->info.name];
    snprintf(device, sizeof device, "%s", ctx->info.name);
    for (char *c = device; *c; c++) {
        if ((unsigned char)*c < ' ') *c = ' ';
    }
    snprintf(key, TULLE__CACHE_KEY,
             "%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%" PRId64 "\t%016" PRIx64,
             device[0] ? device : "?", ctx->info.architecture, ctx->info.threads, tulle_version(),
             shape->trans == TULLE_T ? "spmv_t" : "spmv",
             type_names[tulle__type_index(shape->type)], index_names[shape->index],
             tulle_format_name(shape->format), shape->rows, shape->cols, shape->nnz,
             tulle__fingerprint(shape));
}

static void count_lines(tulle__cache *cache) {
    tulle__cache_line line = {.text = cache->text};
    const char *end = cache->text + cache->length;
    while (tulle__cache_next(&line, end)) {
        cache->entries += line.kind == TULLE__LINE_ENTRY;
        cache->ignored += line.kind == TULLE__LINE_BROKEN;
    }
}

tulle_status tulle__cache_open(tulle_ctx *ctx, const char *file, tulle__cache *cache) {
    *cache = (tulle__cache){.own_folder = !file};
    int length = file ? snprintf(cache->path, sizeof cache->path, "%s", file)
                      : tulle__cache_default_path(cache->path);
    if (length >= TULLE__CACHE_PATH - TULLE__CACHE_ENDING) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_tuner_create", "options", -1,
                           "the path of the cache file is too long (%d bytes)", length);
    }
    if (!cache->path[0]) return TULLE_OK;
    tulle_status status = tulle__cache_read(ctx, cache->path, &cache->text, &cache->length);
    if (cache->text) count_lines(cache);
    return status == TULLE_IO_ERROR ? TULLE_OK : status;
}

void tulle__cache_close(tulle_ctx *ctx, tulle__cache *cache) {
    tulle__host_free(ctx, cache->text);
    cache->text = NULL;
}

bool tulle__cache_find(const tulle__cache *cache, tulle__cache_entry *entry) {
    tulle__cache_line line = {.text = cache->text};
    const char *end = cache->text ? cache->text + cache->length : NULL;
    while (cache->text && tulle__cache_next(&line, end)) {
        if (line.kind != TULLE__LINE_ENTRY || !tulle__cache_has_key(&line, entry->key)) continue;
        const char *spec = line.text + strlen(entry->key) + 1;
        size_t length = strcspn(spec, "\t");
        if (length >= TULLE_SPEC_TEXT) continue;
        memcpy(entry->spec, spec, length);
        entry->spec[length] = '\0';
        entry->ms = tulle__read_real(spec + length + 1, NULL);
        return true;
    }
    return false;
}
