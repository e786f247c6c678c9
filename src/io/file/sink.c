/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
#include "io/file/sink.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

bool tulle__has_suffix(const char *path, const char *suffix) {
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && !strcmp(path + length - tail, suffix);
}

static bool cannot(const char *what, int error, tulle__trouble *trouble) {
    return tulle__note(trouble, error == ENOMEM ? TULLE_OUT_OF_MEMORY : TULLE_IO_ERROR, 0,
                       "cannot be %s: %s", what, error ? strerror(error) : "unknown error");
}

static bool archive_trouble(tulle__sink *sink, tulle__trouble *trouble) {
    return cannot("written", archive_errno(sink->archive), trouble);
}

static bool open_archive(tulle__sink *sink, int (*add_filter)(struct archive *),
                         tulle__trouble *trouble) {
    struct archive_entry *entry = archive_entry_new();
    sink->archive = archive_write_new();
    if (!entry || !sink->archive) {
        archive_entry_free(entry);
        return cannot("written", ENOMEM, trouble);
    }
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_pathname(entry, "matrix");
    const bool good = add_filter(sink->archive) == ARCHIVE_OK &&
                      archive_write_set_format_raw(sink->archive) == ARCHIVE_OK &&
                      archive_write_open_fd(sink->archive, sink->file.descriptor) == ARCHIVE_OK &&
                      archive_write_header(sink->archive, entry) == ARCHIVE_OK;
    archive_entry_free(entry);
    return good || archive_trouble(sink, trouble);
}

/* Opens a zstd compressor of libzstd: libarchive writes zstd without a checksum. */
static bool open_zstd(tulle__sink *sink, tulle__trouble *trouble) {
    sink->packed = tulle__host_alloc(sink->cpu, ZSTD_CStreamOutSize());
    sink->zstd = ZSTD_createCCtx();
    if (!sink->packed || !sink->zstd) return cannot("written", ENOMEM, trouble);
    const size_t rc = ZSTD_CCtx_setParameter(sink->zstd, ZSTD_c_checksumFlag, 1);
    return !ZSTD_isError(rc) || cannot("written", 0, trouble);
}

static bool open_filter(tulle__sink *sink, tulle__trouble *trouble) {
    static const struct {
        const char *suffix;
        int (*add)(struct archive *);
    } filters[] = {{".gz", archive_write_add_filter_gzip}, {".xz", archive_write_add_filter_xz}};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (tulle__has_suffix(sink->path, filters[i].suffix))
            return open_archive(sink, filters[i].add, trouble);
    }
    return !tulle__has_suffix(sink->path, ".zst") || open_zstd(sink, trouble);
}

bool tulle__sink_open(tulle__sink *sink, tulle_ctx *cpu, const char *path,
                      tulle__trouble *trouble) {
    *sink = (tulle__sink){.cpu = cpu, .path = path};
    if (!tulle__replace_open(&sink->file, path)) return cannot(sink->file.failed, errno, trouble);
    if (open_filter(sink, trouble)) return true;
    tulle__sink_close(sink, false, trouble);
    return false;
}

static bool write_file(tulle__sink *sink, const char *at, size_t size, tulle__trouble *trouble) {
    while (size > 0) {
        const ssize_t part = write(sink->file.descriptor, at, size);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return cannot("written", errno, trouble);
        at += part;
        size -= (size_t)part;
    }
    return true;
}

static bool write_archive(tulle__sink *sink, const char *at, size_t size, tulle__trouble *trouble) {
    while (size > 0) {
        const la_ssize_t part = archive_write_data(sink->archive, at, size);
        if (part < 0) return archive_trouble(sink, trouble);
        at += part;
        size -= (size_t)part;
    }
    return true;
}

/* Compresses bytes and writes the compressed ones. With ZSTD_e_continue some may stay in the
 * compressor; with ZSTD_e_end all are written. */
static bool write_zstd(tulle__sink *sink, const void *bytes, size_t size, ZSTD_EndDirective until,
                       tulle__trouble *trouble) {
    ZSTD_inBuffer in = {.src = bytes, .size = size};
    size_t left;
    do {
        ZSTD_outBuffer out = {.dst = sink->packed, .size = ZSTD_CStreamOutSize()};
        left = ZSTD_compressStream2(sink->zstd, &out, &in, until);
        if (ZSTD_isError(left)) return cannot("written", ENOMEM, trouble);
        if (!write_file(sink, sink->packed, out.pos, trouble)) return false;
    } while (until == ZSTD_e_end ? left > 0 : in.pos < in.size);
    return true;
}

bool tulle__sink_write(tulle__sink *sink, const void *bytes, size_t size, tulle__trouble *trouble) {
    if (sink->archive) return write_archive(sink, bytes, size, trouble);
    if (sink->zstd) return write_zstd(sink, bytes, size, ZSTD_e_continue, trouble);
    return write_file(sink, bytes, size, trouble);
}

/* Closes the archive, also when the file is not kept: only then libarchive frees its compressor. */
static bool close_archive(tulle__sink *sink, bool keep, tulle__trouble *trouble) {
    if (!sink->archive) return true;
    const bool good =
        archive_write_close(sink->archive) == ARCHIVE_OK || !keep || archive_trouble(sink, trouble);
    archive_write_free(sink->archive);
    return good;
}

static bool close_zstd(tulle__sink *sink, bool keep, tulle__trouble *trouble) {
    const bool good = !sink->zstd || !keep || write_zstd(sink, "", 0, ZSTD_e_end, trouble);
    ZSTD_freeCCtx(sink->zstd);
    tulle__host_free(sink->cpu, sink->packed);
    return good;
}

bool tulle__sink_close(tulle__sink *sink, bool keep, tulle__trouble *trouble) {
    bool good = close_archive(sink, keep, trouble);
    good = close_zstd(sink, keep, trouble) && good;
    if (!tulle__replace_close(&sink->file, keep && good))
        good = cannot(sink->file.failed, errno, trouble);
    return good;
}
