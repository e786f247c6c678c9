/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/kind.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "tools/common/error.h"

const tool_file_kind tool_file_matrix = {
    "matrix file", (const char *const[]){"%%MatrixMarket", "\x89TULLE", "\x1f\x8b", "\xfd\x37zXZ",
                                         "\x28\xb5\x2f\xfd", NULL}};
const tool_file_kind tool_file_array = {"Matrix Market array",
                                        (const char *const[]){"%%MatrixMarket matrix array", NULL}};
const tool_file_kind tool_file_mesh = {
    "mesh file", (const char *const[]){"$MeshFormat", "<?xml", "\x1f\x8b", "\xfd\x37zXZ",
                                       "\x28\xb5\x2f\xfd", NULL}};
const tool_file_kind tool_file_svg = {"SVG picture", (const char *const[]){"<svg", "<?xml", NULL}};
const tool_file_kind tool_file_json = {"JSON file", (const char *const[]){"{", "[", NULL}};
const tool_file_kind tool_file_rows = {"file of JSON lines", (const char *const[]){"{\"", NULL}};

static bool begins_with(const char *head, size_t length, const char *const *begin) {
    for (; *begin; begin++) {
        size_t span = strlen(*begin);
        if (length >= span && strncasecmp(head, *begin, span) == 0) return true;
    }
    return false;
}

tulle_status tool_check_kind(const char *path, const tool_file_kind *kind) {
    char head[64];
    struct stat there;
    if (stat(path, &there) != 0 || !S_ISREG(there.st_mode) || there.st_size == 0) return TULLE_OK;
    FILE *file = fopen(path, "r");
    if (!file) return tool_record(TULLE_IO_ERROR, "%s: %s", path, strerror(errno));
    size_t length = fread(head, 1, sizeof head, file);
    fclose(file);
    if (begins_with(head, length, kind->begin)) return TULLE_OK;
    return tool_record(TULLE_INVALID_ARGUMENT,
                       "%s: is no %s, and stays as it is; give another name, or remove the file",
                       path, kind->name);
}
