/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/seen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/json.h"

enum { PARTS = 7, KEY = 1200 };

static const char *const names[PARTS] = {"machine", "backend", "matrix", "type",
                                         "trans",   "request", "index"};

struct bench_seen {
    /* keys, two for each row: with the index type, and without; ascending once all rows are read */
    char **key;
    size_t count, room;
};

/* Writes each part of a key on a line of its own; the index type comes last, so that it can be left
 * out. */
static void join(const char *const part[PARTS], char key[KEY]) {
    snprintf(key, KEY, "%s\n%s\n%s\n%s\n%s\n%s\n%s", part[0], part[1], part[2], part[3], part[4],
             part[5], part[6]);
}

static void add(bench_seen *seen, const char *const part[PARTS]) {
    char key[KEY];
    join(part, key);
    if (seen->count == seen->room) {
        size_t room = seen->room ? 2 * seen->room : 256;
        char **larger = tool_alloc(room, sizeof *larger);
        if (seen->count) memcpy(larger, seen->key, seen->count * sizeof *larger);
        free(seen->key);
        seen->key = larger;
        seen->room = room;
    }
    char *copy = tool_alloc(strlen(key) + 1, 1);
    strcpy(copy, key);
    seen->key[seen->count++] = copy;
}

static void add_line(bench_seen *seen, const char *line) {
    cJSON *json = cJSON_Parse(line);
    const char *part[PARTS];
    bool complete = json != NULL;
    for (int i = 0; i < PARTS && complete; i++) {
        part[i] = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, names[i]));
        complete = part[i] != NULL;
    }
    if (complete) {
        add(seen, part);
        part[PARTS - 1] = "";
        add(seen, part);
    }
    cJSON_Delete(json);
}

static int ascending(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

bench_seen *bench_seen_open(const char *path) {
    bench_seen *seen = tool_alloc(1, sizeof *seen);
    FILE *file = path ? fopen(path, "r") : NULL;
    if (path && !file && errno != ENOENT) {
        (void)tool_record(TULLE_IO_ERROR, "%s: %s", path, strerror(errno));
        bench_seen_close(seen);
        return NULL;
    }
    if (!file) return seen;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) add_line(seen, line);
    bool failed = ferror(file) != 0;
    free(line);
    fclose(file);
    if (failed) {
        (void)tool_record(TULLE_IO_ERROR, "%s: cannot be read", path);
        bench_seen_close(seen);
        return NULL;
    }
    if (seen->count) qsort(seen->key, seen->count, sizeof *seen->key, ascending);
    return seen;
}

void bench_seen_close(bench_seen *seen) {
    if (!seen) return;
    for (size_t i = 0; i < seen->count; i++) free(seen->key[i]);
    free(seen->key);
    free(seen);
}

bool bench_seen_has(const bench_seen *seen, const bench_key *key) {
    const char *const part[PARTS] = {key->machine,
                                     key->backend,
                                     key->matrix,
                                     key->type,
                                     key->trans,
                                     key->request,
                                     key->index ? key->index : ""};
    char text[KEY];
    join(part, text);
    const char *wanted = text;
    return seen->count &&
           bsearch(&wanted, seen->key, seen->count, sizeof *seen->key, ascending) != NULL;
}
