/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
#include "tools/common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/replace.h"
#include "tools/common/error.h"

static bool ends_with(const char *text, size_t length, const char *ending) {
    size_t span = strlen(ending);
    return length > span && strncmp(text + length - span, ending, span) == 0;
}

/* Returns the length of a path without the ending of a compressor. */
static size_t unpacked_length(const char *path) {
    static const char *const packed[] = {".gz", ".xz", ".zst"};
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        if (ends_with(path, length, packed[i])) return length - strlen(packed[i]);
    }
    return length;
}

static bool is_stdout(const char *path) {
    return strcmp(path, "-") == 0;
}

const char *tool_output_name(const char *path) {
    return is_stdout(path) ? "standard output" : path;
}

bool tool_is_array_name(const char *path) {
    return is_stdout(path) || ends_with(path, strlen(path), ".mtx");
}

bool tool_is_binary_name(const char *path) {
    return ends_with(path, unpacked_length(path), ".tulle");
}

static bool has_good_ending(const char *path) {
    return is_stdout(path) || tool_is_binary_name(path) ||
           ends_with(path, unpacked_length(path), ".mtx");
}

/* Returns true unless the folder of the path is missing. */
static bool has_folder(const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path) return true;
    char *folder = strndup(path, (size_t)(slash - path));
    struct stat there;
    const bool found = !folder || stat(folder, &there) == 0 || errno != ENOENT;
    free(folder);
    return found;
}

/* Fails where the path is no regular file, such as a device: a file is replaced by renaming, which
 * must not happen to a device. */
static tulle_status check_regular(const char *path) {
    struct stat there;
    if (is_stdout(path)) return TULLE_OK;
    if (!has_folder(path)) {
        return tool_record(TULLE_IO_ERROR, "%s: cannot be created: %s", path, strerror(ENOENT));
    }
    if (stat(path, &there) != 0 || S_ISREG(there.st_mode)) return TULLE_OK;
    return tool_record(TULLE_IO_ERROR, "%s: %s; give the name of a file", path,
                       S_ISDIR(there.st_mode) ? "is a directory" : "is no regular file");
}

tulle_status tool_check_text_output(const char *path, const tool_file_kind *kind) {
    tulle_status status = check_regular(path);
    return status == TULLE_OK ? tool_check_kind(path, kind) : status;
}

tulle_status tool_check_output(const char *path) {
    tulle_status status = check_regular(path);
    if (status != TULLE_OK) return status;
    if (has_good_ending(path)) return tool_check_kind(path, &tool_file_matrix);
    return tool_record(
        TULLE_INVALID_ARGUMENT,
        "%s: the name must end in .mtx or .tulle, or in one of them with .gz, .xz or "
        ".zst behind it",
        path);
}

static tulle_status cannot_write(const char *path) {
    return tool_record(TULLE_IO_ERROR, "%s: cannot be written: %s", path, strerror(errno));
}

/* Opens a stream of its own on a descriptor, so that closing the stream leaves the descriptor
 * open. */
static FILE *stream_of(int descriptor) {
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    FILE *file = own < 0 ? NULL : fdopen(own, "w");
    if (!file && own >= 0) close(own);
    return file;
}

static tulle_status print_into(int descriptor, const char *path, tool_write_fn write,
                               const void *what) {
    FILE *file = stream_of(descriptor);
    if (!file) return cannot_write(path);
    tulle_status status = write(file, what);
    bool written = !ferror(file);
    written = fclose(file) == 0 && written;
    return status == TULLE_OK && !written ? cannot_write(path) : status;
}

tulle_status tool_write_text(const char *path, const tool_file_kind *kind, tool_write_fn write,
                             const void *what) {
    tulle__replacement file;
    tulle_status status = tool_check_text_output(path, kind);
    if (status != TULLE_OK) return status;
    if (is_stdout(path)) return write(stdout, what);
    if (!tulle__replace_open(&file, path)) return cannot_write(path);
    status = print_into(file.descriptor, path, write, what);
    const bool kept = tulle__replace_close(&file, status == TULLE_OK);
    return status == TULLE_OK && !kept ? cannot_write(path) : status;
}

static tulle_status copy_to_stdout(const char *path) {
    char bytes[1 << 16];
    FILE *file = fopen(path, "r");
    if (!file) return cannot_write(path);
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;) {
        fwrite(bytes, 1, count, stdout);
    }
    const bool failed = ferror(file);
    fclose(file);
    return failed ? cannot_write(path) : TULLE_OK;
}

tulle_status tool_write_path(const char *path, const char *ending, tool_write_path_fn write,
                             void *user) {
    char name[TULLE__PATH];
    const char *folder = getenv("TMPDIR");
    if (!is_stdout(path)) return write(path, user);
    snprintf(name, sizeof name, "%s/tulle-XXXXXX%s", folder && folder[0] ? folder : "/tmp", ending);
    const int descriptor = mkstemps(name, (int)strlen(ending));
    if (descriptor < 0) return cannot_write(name);
    close(descriptor);
    tulle_status status = write(name, user);
    if (status == TULLE_OK) status = copy_to_stdout(name);
    unlink(name);
    return status;
}
