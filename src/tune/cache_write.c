/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a cache file. Under a lock on a file beside it, the file is read again, merged with the
 * new entries, and replaced by a rename, so that no reader sees a half of it and no writer's
 * entries are lost. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/print.h"
#include "core/replace.h"
#include "tune/cache.h"
#include "tune/cache_lines.h"

/* MOST_ENTRIES: most entries of the file; the oldest ones are dropped. */
enum { MOST_ENTRIES = 10000, TIME_TEXT = 32 };

static const char heading[] = TULLE__CACHE_HEADING;

typedef struct {
    char path[TULLE__CACHE_PATH + TULLE__CACHE_ENDING];
} beside;

static beside name_beside(const tulle__cache *cache, const char *ending) {
    beside name;
    snprintf(name.path, sizeof name.path, "%s%s", cache->path, ending);
    return name;
}

/* Makes the two folders at the end of the path, of which the last is "tulle". They may exist
 * already; any other failure shows when the file is made. */
static void make_folders(const tulle__cache *cache) {
    char path[TULLE__CACHE_PATH];
    for (int folders = 2; folders > 0; folders--) {
        snprintf(path, sizeof path, "%s", cache->path);
        for (int cut = 0; cut < folders; cut++) *strrchr(path, '/') = '\0';
        mkdir(path, 0777);
    }
}

static tulle_status cannot(const char *path, const char *what) {
    return tulle__fail_file(TULLE_IO_ERROR, path, 0, "the tuning cache cannot be %s: %s", what,
                            strerror(errno));
}

/* Locks the cache, after other writers; closing the file unlocks it. */
static tulle_status lock(const tulle__cache *cache, int *file) {
    beside name = name_beside(cache, ".lock");
    *file = open(name.path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*file < 0) return cannot(name.path, "locked");
    int failed;
    do {
        failed = flock(*file, LOCK_EX);
    } while (failed && errno == EINTR);
    return failed ? cannot(name.path, "locked") : TULLE_OK;
}

static bool is_replaced(const tulle__cache_line *line, const tulle__cache_entry *entries,
                        int count) {
    for (int i = 0; i < count; i++) {
        if (tulle__cache_has_key(line, entries[i].key)) return true;
    }
    return false;
}

/* Appends to the new text the lines of the old one that stay: those of people behind the heading,
 * and the entries but the first `drop`; returns the number of these entries. */
static int keep(const char *old, size_t old_length, const tulle__cache_entry *entries, int count,
                int drop, char *text, size_t *length) {
    int kept = 0;
    tulle__cache_line line = {.text = old};
    while (old && tulle__cache_next(&line, old + old_length)) {
        bool is_entry = line.kind == TULLE__LINE_ENTRY;
        if (is_entry && (is_replaced(&line, entries, count) || ++kept <= drop)) continue;
        if (line.kind == TULLE__LINE_BROKEN || line.text == old || !text) continue;
        memcpy(text + *length, line.text, line.length);
        *length += line.length;
    }
    return kept;
}

static void append(const tulle__cache_entry *entry, char *text, size_t room, size_t *length) {
    int n = tulle__print(text + *length, room - *length, "%s\t%s\t%.6g\n", entry->key, entry->spec,
                         entry->ms);
    *length += n > 0 ? (size_t)n : 0;
}

/* Makes the new text of the file, in memory of tulle__host_alloc. */
static tulle_status merge(tulle_ctx *ctx, const tulle__cache *cache,
                          const tulle__cache_entry *entries, int count, char **text,
                          size_t *length) {
    char *old = NULL;
    size_t old_length = 0, room = 0;
    TULLE__TRY(tulle__cache_read(ctx, cache->path, &old, &old_length));
    tulle_status status = tulle__size(count, sizeof *entries + TIME_TEXT,
                                      (int64_t)(old_length + sizeof heading), &room);
    *text = status == TULLE_OK ? tulle__host_alloc(ctx, room) : NULL;
    if (!*text) {
        tulle__host_free(ctx, old);
        return status == TULLE_OK ? TULLE_OUT_OF_MEMORY : status;
    }
    *length = strlen(heading);
    memcpy(*text, heading, *length);
    int kept = keep(old, old_length, entries, count, 0, NULL, length);
    int drop = kept + count > MOST_ENTRIES ? kept + count - MOST_ENTRIES : 0;
    keep(old, old_length, entries, count, drop, *text, length);
    for (int i = 0; i < count; i++) append(&entries[i], *text, room, length);
    tulle__host_free(ctx, old);
    return TULLE_OK;
}

static bool write_all(int file, const char *text, size_t length) {
    while (length > 0) {
        ssize_t done = write(file, text, length);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        text += done;
        length -= (size_t)done;
    }
    return true;
}

static tulle_status replace(const tulle__cache *cache, const char *text, size_t length) {
    struct stat about;
    if (stat(cache->path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return tulle__fail_file(TULLE_IO_ERROR, cache->path, 0,
                                "the tuning cache cannot be written: it is no regular file");
    }
    tulle__replacement file;
    bool good = tulle__replace_open(&file, cache->path);
    if (good) {
        const bool written = write_all(file.descriptor, text, length);
        const int error = errno;
        good = tulle__replace_close(&file, written) && written;
        if (!written) errno = error;
    }
    return good ? TULLE_OK : cannot(cache->path, "written");
}

static tulle_status write_locked(tulle_ctx *ctx, const tulle__cache *cache,
                                 const tulle__cache_entry *entries, int count) {
    char *text = NULL;
    size_t length = 0;
    TULLE__TRY(merge(ctx, cache, entries, count, &text, &length));
    tulle_status status = replace(cache, text, length);
    tulle__host_free(ctx, text);
    return status;
}

tulle_status tulle__cache_write(tulle_ctx *ctx, const tulle__cache *cache,
                                const tulle__cache_entry *entries, int count) {
    int file = -1;
    if (cache->own_folder) make_folders(cache);
    tulle_status status = lock(cache, &file);
    if (status == TULLE_OK) status = write_locked(ctx, cache, entries, count);
    if (file >= 0) close(file);
    return status;
}
