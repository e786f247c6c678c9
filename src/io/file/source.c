/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "io/file/source.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_descriptor(int descriptor, int64_t at, char *to, int64_t bytes, int64_t *got) {
    *got = 0;
    while (*got < bytes) {
        const ssize_t part =
            pread(descriptor, to + *got, (size_t)(bytes - *got), (off_t)(at + *got));
        if (part == 0) return true;
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return false;
        *got += part;
    }
    return true;
}

static int64_t read_seekable(tulle__source *source, int64_t at, void *to, int64_t bytes,
                             tulle__trouble *trouble) {
    const int64_t left = source->size - at;
    if (bytes > left) bytes = left > 0 ? left : 0;
    if (source->memory) {
        memcpy(to, source->memory + at, (size_t)bytes);
        return bytes;
    }
    int64_t got;
    if (!read_descriptor(source->descriptor, at, to, bytes, &got)) {
        tulle__note(trouble, TULLE_IO_ERROR, 0, "cannot be read: %s", strerror(errno));
        return -1;
    }
    if (got < bytes) {
        tulle__note(trouble, TULLE_IO_ERROR, 0, "became shorter while it was read");
        return -1;
    }
    return got;
}

static int64_t read_stream(tulle__source *source, char *to, int64_t bytes,
                           tulle__trouble *trouble) {
    int64_t given = 0;
    if (source->at < source->head_size) {
        given = source->head_size - source->at;
        if (given > bytes) given = bytes;
        memcpy(to, source->head + source->at, (size_t)given);
    }
    const int64_t rest = tulle__archive_read(source, to + given, bytes - given, trouble);
    if (rest < 0) return -1;
    source->at += given + rest;
    return given + rest;
}

int64_t tulle__source_read(tulle__source *source, int64_t at, void *to, int64_t bytes,
                           tulle__trouble *trouble) {
    return source->seekable ? read_seekable(source, at, to, bytes, trouble)
                            : read_stream(source, to, bytes, trouble);
}

int64_t tulle__source_consumed(const tulle__source *source) {
    return source->seekable ? source->at : source->stream.taken;
}

double tulle__source_most(const tulle__source *source) {
    enum { MOST_PACKED = 1032 };
    const bool as_it_is = source->seekable || !strcmp(source->container, "tar");
    if (source->file_bytes == 0 || (!as_it_is && !source->stream.is_gzip)) return INFINITY;
    return (double)source->file_bytes * (as_it_is ? 1 : MOST_PACKED);
}

bool tulle__source_is_damaged(tulle__source *source, int64_t bytes, char *scratch,
                              tulle__trouble *trouble) {
    enum { SCRATCH = 1 << 16 };
    if (source->seekable) return false;
    int64_t got = 1;
    for (; bytes > 0 && got > 0; bytes -= got)
        got = tulle__source_read(source, 0, scratch, SCRATCH, trouble);
    return got < 0;
}

/* Returns true when the first bytes are those of a compressed file or of a tar archive. */
static bool is_wrapped(const char *head, int64_t size) {
    static const struct {
        int at, length;
        const char *bytes;
    } magics[] = {
        {0, 2, "\x1f\x8b"},
        {0, 6,
         "\xfd"
         "7zXZ\0"},
        {257, 5, "ustar"},
    };
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
        const int end = magics[i].at + magics[i].length;
        if (size >= end && !memcmp(head + magics[i].at, magics[i].bytes, (size_t)magics[i].length))
            return true;
    }
    return tulle__zstd_begins(head, size);
}

/* Opens a regular file or memory as a plain source or as a compressed one, by its first bytes. */
static bool open_seekable(tulle__source *source, tulle__trouble *trouble) {
    if (source->file_bytes == 0) return tulle__note(trouble, TULLE_PARSE_ERROR, 0, "is empty");
    source->seekable = true;
    source->size = source->file_bytes;
    source->head_size = tulle__source_read(source, 0, source->head, TULLE__HEAD_ROOM, trouble);
    if (source->head_size < 0) return false;
    strcpy(source->container, "plain");
    if (!is_wrapped(source->head, source->head_size)) return true;
    source->seekable = false;
    source->size = -1;
    return tulle__archive_open(source, trouble);
}

static bool open_descriptor(tulle__source *source, tulle__trouble *trouble) {
    struct stat about;
    if (fstat(source->descriptor, &about))
        return tulle__note(trouble, TULLE_IO_ERROR, 0, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return tulle__note(trouble, TULLE_IO_ERROR, 0, "is a directory; give the name of a file");
    if (S_ISREG(about.st_mode)) {
        source->file_bytes = about.st_size;
        return open_seekable(source, trouble);
    }
    source->size = -1;
    return tulle__archive_open(source, trouble);
}

bool tulle__source_open(tulle__source *source, tulle_ctx *ctx, const char *path,
                        tulle__trouble *trouble) {
    memset(source, 0, sizeof *source);
    source->ctx = ctx;
    source->name = path;
    source->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (source->descriptor < 0)
        return tulle__note(trouble, TULLE_IO_ERROR, 0, "cannot be opened: %s", strerror(errno));
    if (open_descriptor(source, trouble)) return true;
    tulle__source_close(source);
    return false;
}

bool tulle__source_open_memory(tulle__source *source, tulle_ctx *ctx, const void *bytes,
                               int64_t size, const char *name, tulle__trouble *trouble) {
    memset(source, 0, sizeof *source);
    source->ctx = ctx;
    source->name = name;
    source->descriptor = -1;
    source->memory = bytes;
    source->file_bytes = size;
    if (open_seekable(source, trouble)) return true;
    tulle__source_close(source);
    return false;
}

void tulle__source_close(tulle__source *source) {
    tulle__archive_close(source);
    if (source->descriptor >= 0) close(source->descriptor);
    source->descriptor = -1;
}
