/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "core/cache_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int tulle__cache_default_path(char path[TULLE__CACHE_PATH]) {
    const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    path[0] = '\0';
    if (cache && cache[0] == '/') {
        return snprintf(path, TULLE__CACHE_PATH, "%s/tulle/tuning.txt", cache);
    }
    if (home && home[0] == '/') {
        return snprintf(path, TULLE__CACHE_PATH, "%s/.cache/tulle/tuning.txt", home);
    }
    return 0;
}

/* Opens a regular file; -1: it is none, or cannot be opened. */
static int open_regular(const char *path, int flags) {
    struct stat about;
    int file = path[0] ? open(path, flags | O_CLOEXEC | O_NONBLOCK) : -1;
    if (file < 0 || (fstat(file, &about) == 0 && S_ISREG(about.st_mode))) return file;
    close(file);
    return -1;
}

bool tulle__cache_file_find(const char *path, const char *key, char *field, size_t room) {
    int file = open_regular(path, O_RDONLY);
    FILE *stream = file < 0 ? NULL : fdopen(file, "r");
    if (!stream && file >= 0) close(file);
    if (!stream) return false;
    char *line = NULL;
    size_t size = 0, length = strlen(key);
    ssize_t got;
    bool found = false;
    while ((got = getline(&line, &size, stream)) > 0) {
        bool whole = line[got - 1] == '\n' && (size_t)got > length;
        if (!whole || memcmp(line, key, length) != 0 || line[length] != '\t') continue;
        size_t wide = strcspn(line + length + 1, "\t\n");
        if (wide >= room) continue;
        memcpy(field, line + length + 1, wide);
        field[wide] = '\0';
        found = true;
    }
    free(line);
    fclose(stream);
    return found;
}

/* True for an empty file, or one with our heading: a file of another kind stays as it is. */
static bool is_ours(int file, off_t end) {
    static const char heading[] = TULLE__CACHE_HEADING;
    const size_t length = strlen(heading);
    char first[sizeof heading];
    return end == 0 || (pread(file, first, length, 0) == (ssize_t)length &&
                        memcmp(first, heading, length) == 0);
}

/* One write at the end of the file, so that what other processes write at the same time is not torn
 * apart; a line that somebody left open is ended first. */
void tulle__cache_file_append(const char *path, const char *lines) {
    int file = open_regular(path, O_RDWR | O_APPEND);
    if (file < 0) return;
    char last = '\n', *text = NULL;
    off_t end = lseek(file, 0, SEEK_END);
    bool read_last = is_ours(file, end) && (end <= 0 || pread(file, &last, 1, end - 1) == 1);
    const char *before = end <= 0 ? TULLE__CACHE_HEADING : last == '\n' ? "" : "\n";
    int length = read_last ? asprintf(&text, "%s%s", before, lines) : -1;
    if (length > 0 && write(file, text, (size_t)length) != length) {
        /* a line of which only a part was written is not read as a result (tune/cache.h), so its
         * measurement is repeated */
    }
    if (length >= 0) free(text);
    close(file);
}
