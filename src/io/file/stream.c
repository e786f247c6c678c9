/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a file by its first bytes, and reads its bytes. libarchive unpacks xz, whose library
 * compares checksums. libarchive's reader of gzip does not compare them, and its reader of zstd
 * refuses files that begin with a skippable frame; so zlib and libzstd read these formats here. */
#define _GNU_SOURCE
#include "io/file/stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { MAGIC = 4 };

/* Reads up to `bytes` bytes of the open file; returns their number, 0 at the end, or -1. */
static int64_t read_some(tulle__stream *stream, char *to, int64_t bytes) {
    for (;;) {
        const ssize_t got = read(stream->descriptor, to, (size_t)bytes);
        if (got >= 0) return got;
        if (errno == EINTR) continue;
        tulle__note(&stream->trouble, TULLE_IO_ERROR, 0, "cannot be read: %s", strerror(errno));
        return -1;
    }
}

int64_t tulle__stream_raw(tulle__stream *stream, const void **bytes) {
    int64_t got = stream->pending;
    stream->pending = 0;
    *bytes = stream->room;
    if (got > 0) return got;
    if (stream->asks && tulle__progress(stream->ctx, "reading", stream->taken, stream->size)) {
        tulle__note(&stream->trouble, TULLE_CANCELLED, 0, "reading was cancelled");
        return -1;
    }
    if (stream->memory) {
        *bytes = stream->memory + stream->taken;
        got = stream->size - stream->taken;
        if (got > TULLE__STREAM_PIECE) got = TULLE__STREAM_PIECE;
    } else {
        got = read_some(stream, stream->room, TULLE__STREAM_PIECE);
    }
    if (got > 0) stream->taken += got;
    return got;
}

/* Reads the first bytes of the open file, of which a pipe may give one at a time. */
static bool look(tulle__stream *stream) {
    int64_t got = 1;
    while (stream->pending < MAGIC && got > 0) {
        got = read_some(stream, stream->room + stream->pending,
                        TULLE__STREAM_PIECE - stream->pending);
        if (got < 0) return false;
        stream->pending += got;
    }
    stream->taken = stream->pending;
    return true;
}

bool tulle__archive_trouble(struct archive *archive, tulle__trouble *trouble) {
    const char *why = archive_error_string(archive);
    if (archive_errno(archive) == ENOMEM)
        return tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory: %s", why ? why : "");
    return tulle__note(trouble, TULLE_IO_ERROR, 0,
                       "the compressed data are damaged or cut off: %.150s",
                       why ? why : "unknown error");
}

static la_ssize_t give(struct archive *archive, void *user, const void **bytes) {
    tulle__stream *stream = user;
    const int64_t got = tulle__stream_raw(stream, bytes);
    if (got < 0) archive_set_error(archive, EIO, "%s", stream->trouble.message);
    return (la_ssize_t)got;
}

static bool open_archive(tulle__stream *stream) {
    struct archive *archive = archive_read_new();
    if (!archive) return tulle__note(&stream->trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    stream->archive = archive;
    archive_read_support_filter_xz(archive);
    archive_read_support_format_raw(archive);
    archive_read_support_format_empty(archive);
    if (archive_read_open(archive, stream, NULL, give, NULL) != ARCHIVE_OK)
        return tulle__archive_trouble(archive, &stream->trouble);
    struct archive_entry *entry;
    const int rc = archive_read_next_header(archive, &entry);
    stream->ended = rc == ARCHIVE_EOF;
    if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN && rc != ARCHIVE_EOF)
        return tulle__archive_trouble(archive, &stream->trouble);
    const int filter = archive_filter_code(archive, 0);
    strcpy(stream->container, filter == ARCHIVE_FILTER_XZ ? "xz" : "");
    return true;
}

static int64_t archive_next(tulle__stream *stream, const void **bytes) {
    la_int64_t at;
    size_t got = 0;
    int rc;
    do {
        rc = archive_read_data_block(stream->archive, bytes, &got, &at);
    } while (rc == ARCHIVE_RETRY || (rc == ARCHIVE_OK && got == 0));
    if (rc == ARCHIVE_OK) return (int64_t)got;
    if (rc == ARCHIVE_EOF) return 0;
    tulle__archive_trouble(stream->archive, &stream->trouble);
    return -1;
}

/* Opens the unpacker that the first bytes of the file call for. */
static bool open_by(tulle__stream *stream, const char *bytes, int64_t size) {
    if (size >= 2 && !memcmp(bytes, "\x1f\x8b", 2)) return tulle__gzip_open(stream);
    return tulle__zstd_begins(bytes, size) ? tulle__zstd_open(stream) : open_archive(stream);
}

bool tulle__stream_open(tulle__stream *stream, tulle_ctx *ctx, int descriptor, const char *memory,
                        int64_t size) {
    *stream = (tulle__stream){.ctx = ctx, .descriptor = descriptor, .memory = memory, .size = size};
    stream->room = tulle__host_alloc(ctx, 2 * TULLE__STREAM_PIECE);
    if (!stream->room)
        return tulle__note(&stream->trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    if (memory) return open_by(stream, memory, size);
    return look(stream) && open_by(stream, stream->room, stream->pending);
}

int64_t tulle__stream_next(tulle__stream *stream, const void **bytes) {
    if (stream->trouble.status != TULLE_OK) return -1;
    if (stream->ended) return 0;
    const int64_t got = stream->is_gzip ? tulle__gzip_next(stream, bytes)
                        : stream->zstd  ? tulle__zstd_next(stream, bytes)
                                        : archive_next(stream, bytes);
    stream->ended = got == 0;
    return got;
}

void tulle__stream_close(tulle__stream *stream) {
    if (stream->is_gzip) inflateEnd(&stream->gzip);
    ZSTD_freeDCtx(stream->zstd);
    if (stream->archive) archive_read_free(stream->archive);
    tulle__host_free(stream->ctx, stream->room);
    *stream = (tulle__stream){.descriptor = -1};
}
