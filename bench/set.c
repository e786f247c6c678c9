/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/set.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/find.h"
#include "tools/common/error.h"

static void add(bench_set *set, const char *name, size_t length) {
    if (set->count == set->room) {
        int room = set->room ? 2 * set->room : 64;
        char **larger = tool_alloc((size_t)room, sizeof *larger);
        if (set->count) memcpy(larger, set->item, (size_t)set->count * sizeof *larger);
        free(set->item);
        set->item = larger;
        set->room = room;
    }
    char *copy = tool_alloc(length + 1, 1);
    memcpy(copy, name, length);
    set->item[set->count++] = copy;
}

/* Adds the matrix of a line, without the line's comment and the space around the name. */
static void add_line(bench_set *set, const char *line) {
    line += strspn(line, " \t");
    size_t length = strcspn(line, "#\r\n");
    while (length && strchr(" \t", line[length - 1])) length--;
    if (length) add(set, line, length);
}

static bool find_set(const char *name, char path[BENCH_PATH]) {
    struct stat unused;
    char file[BENCH_PATH];
    snprintf(path, BENCH_PATH, "%s", name);
    if (stat(path, &unused) == 0) return true;
    snprintf(file, sizeof file, "sets/%.200s.txt", name);
    return !strchr(name, '/') && bench_find(file, path);
}

static int read_set(const char *name, bench_set *set) {
    char path[BENCH_PATH];
    if (!find_set(name, path)) {
        return tool_complain(TOOL_BAD_INPUT, "bench: --set: no file %s and no set of that name",
                             name);
    }
    FILE *file = fopen(path, "r");
    if (!file) return tool_complain(TOOL_BAD_INPUT, "%s: %s", path, strerror(errno));
    char *line = NULL;
    size_t room = 0;
    int before = set->count;
    errno = 0;
    while (getline(&line, &room, file) > 0) add_line(set, line);
    int error = ferror(file) ? errno : 0;
    free(line);
    fclose(file);
    if (error) return tool_complain(TOOL_BAD_INPUT, "%s: %s", path, strerror(error));
    if (set->count > before) return TOOL_OK;
    return tool_complain(TOOL_BAD_INPUT, "%s: no matrix in this set", path);
}

static void keep_shard(bench_set *set, int64_t number, int64_t count) {
    int kept = 0;
    for (int i = 0; i < set->count; i++) {
        if (i % count == number - 1) {
            set->item[kept++] = set->item[i];
        } else {
            free(set->item[i]);
        }
    }
    set->count = kept;
}

int bench_set_open(const bench_settings *settings, bench_set *set) {
    *set = (bench_set){0};
    for (int i = 0; i < settings->operand_count; i++) {
        add(set, settings->operand[i], strlen(settings->operand[i]));
    }
    int code = settings->set ? read_set(settings->set, set) : TOOL_OK;
    if (code == TOOL_OK && set->count == 0) {
        code = tool_misuse("bench", "nothing to measure: name a matrix or a --set");
    }
    if (code == TOOL_OK) keep_shard(set, settings->shard_number, settings->shard_count);
    if (code != TOOL_OK) bench_set_close(set);
    return code;
}

void bench_set_close(bench_set *set) {
    for (int i = 0; i < set->count; i++) free(set->item[i]);
    free(set->item);
    *set = (bench_set){0};
}
