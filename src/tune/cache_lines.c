/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tune/cache_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/print.h"

/* Number of fields of an entry: twelve of the key (cache.c), the specification, and the time. */
enum { FIELDS = 14 };

/* Most bytes of a cache file; a larger file is none of tulle's. */
static const int64_t most_bytes = 64 << 20;

/* Returns true when the text is an entry: fields that are not empty and contain nothing but
 * readable characters, with a time at the end. */
static bool is_entry(const char *text, size_t length) {
    if (length == 0 || text[length - 1] != '\n') return false;
    int fields = 1;
    const char *field = text;
    for (const char *c = text; c < text + length - 1; c++) {
        bool ends = *c == '\t';
        if ((!ends && (unsigned char)*c < ' ') || (ends && c == field)) return false;
        fields += ends;
        if (ends) field = c + 1;
    }
    char *end = NULL;
    double ms = tulle__read_real(field, &end);
    return fields == FIELDS && end != field && *end == '\n' && ms >= 0 && isfinite(ms);
}

bool tulle__cache_next(tulle__cache_line *line, const char *end) {
    line->text += line->length;
    if (line->text == end) return false;
    const char *feed = memchr(line->text, '\n', (size_t)(end - line->text));
    line->length = (size_t)((feed ? feed + 1 : end) - line->text);
    bool empty = line->text[0] == '#' || line->text[0] == '\n';
    bool entry = !empty && is_entry(line->text, line->length);
    line->kind = empty ? TULLE__LINE_EMPTY : entry ? TULLE__LINE_ENTRY : TULLE__LINE_BROKEN;
    return true;
}

bool tulle__cache_has_key(const tulle__cache_line *line, const char *key) {
    size_t length = strlen(key);
    return line->length > length && memcmp(line->text, key, length) == 0 &&
           line->text[length] == '\t';
}

/* Reads up to `bytes` bytes; fewer only at the end of the file. */
static bool read_all(int file, char *text, size_t bytes, size_t *done) {
    *done = 0;
    while (*done < bytes) {
        ssize_t got = read(file, text + *done, bytes - *done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return false;
        if (got == 0) break;
        *done += (size_t)got;
    }
    return true;
}

static tulle_status cannot_read(const char *path) {
    return tulle__fail_file(TULLE_IO_ERROR, path, 0, "the tuning cache cannot be read: %s",
                            strerror(errno));
}

static tulle_status not_ours(const char *path) {
    return tulle__fail_file(TULLE_PARSE_ERROR, path, 0,
                            "is no tuning cache of tulle, and stays as it is; give the cache "
                            "another name, or remove the file");
}

static tulle_status read_open(tulle_ctx *ctx, const char *path, int file, char **text,
                              size_t *length) {
    static const char heading[] = TULLE__CACHE_HEADING;
    struct stat about;
    if (fstat(file, &about)) return cannot_read(path);
    if (!S_ISREG(about.st_mode) || about.st_size == 0) return TULLE_OK;
    if (about.st_size > most_bytes) return not_ours(path);
    *text = tulle__host_alloc(ctx, (size_t)about.st_size + 1);
    if (!*text) return TULLE_OUT_OF_MEMORY;
    if (!read_all(file, *text, (size_t)about.st_size, length)) return cannot_read(path);
    return strncmp(*text, heading, strlen(heading)) == 0 ? TULLE_OK : not_ours(path);
}

tulle_status tulle__cache_read(tulle_ctx *ctx, const char *path, char **text, size_t *length) {
    *text = NULL;
    *length = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return errno == ENOENT || errno == ENOTDIR ? TULLE_OK : cannot_read(path);
    tulle_status status = read_open(ctx, path, file, text, length);
    close(file);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__host_free(ctx, *text);
    *text = NULL;
    return status;
}
