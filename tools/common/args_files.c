/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/args_files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tools/common/error.h"

/* Returns whether two paths lie in one folder; the files need not be there. */
static bool same_folder(const char *a, const char *b) {
    const char *path[2] = {a, b};
    struct stat there[2];
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(path[i], '/');
        char *folder = slash ? strndup(path[i], (size_t)(slash - path[i]) + 1) : strdup(".");
        const bool found = folder && stat(folder, there + i) == 0;
        free(folder);
        if (!found) return false;
    }
    return there[0].st_dev == there[1].st_dev && there[0].st_ino == there[1].st_ino;
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Returns true if two paths name one file, which may be a file yet to be made. */
static bool is_same_file(const char *a, const char *b) {
    struct stat first, second;
    const bool has_first = stat(a, &first) == 0, has_second = stat(b, &second) == 0;
    if (has_first != has_second) return false;
    if (has_first) return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    return strcmp(name_of(a), name_of(b)) == 0 && same_folder(a, b);
}

/* Returns the path that an option was given; NULL: none, or standard input or output. */
static const char *path_of(const tool_option *option) {
    const bool is_text = option->kind == TOOL_TEXT || option->kind == TOOL_FILE;
    const char *path = is_text ? *(const char *const *)option->target : NULL;
    return path && strcmp(path, "-") != 0 ? path : NULL;
}

static int check_option(const tool_command *command, int own, const char *path) {
    const tool_option *option = command->options + own;
    for (int i = 0; i < command->option_count; i++) {
        const tool_option *other = command->options + i;
        const char *also = i == own ? NULL : path_of(other);
        if (!also || !is_same_file(path, also)) continue;
        return tool_misuse(command->name, "--%s and --%s name the same file, %s: it would be %s",
                           option->name, other->name, path,
                           other->replaces ? "written twice" : "replaced");
    }
    return TOOL_OK;
}

int tool_args_check_files(const tool_command *command, int count, char *const *operand) {
    for (int i = 0; i < command->option_count; i++) {
        const tool_option *option = command->options + i;
        const char *path = option->replaces ? path_of(option) : NULL;
        if (!path) continue;
        for (int k = 0; k < count; k++) {
            if (!is_same_file(path, operand[k])) continue;
            return tool_misuse(command->name, "--%s would replace %s, which the command names, too",
                               option->name, operand[k]);
        }
        const int failed = check_option(command, i, path);
        if (failed) return failed;
    }
    return TOOL_OK;
}
