/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the members of a zip archive with libarchive, which compares their checksums. */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <string.h>

#include "io/file/npz.h"

static const char *const names[TULLE__NPZ_MEMBERS] = {
    "format.npy", "shape.npy", "indptr.npy", "indices.npy", "data.npy", "row.npy", "col.npy"};

const char *tulle__npz_name(tulle__npz_member member) {
    return names[member];
}

bool tulle__is_zip(const tulle__source *source) {
    return source->head_size >= 4 && !memcmp(source->head, "PK\3\4", 4);
}

static bool archive_trouble(struct archive *archive, tulle__trouble *trouble) {
    return tulle__archive_trouble(archive, trouble);
}

/* Fails if the source does not end like a zip archive: with a record of 22 bytes and a comment,
 * whose length stands at the end of the record. libarchive would also read archives with other
 * bytes behind this record. */
static bool check_end(tulle__source *source, tulle__trouble *trouble) {
    enum { RECORD = 22, LENGTH = 20, TAIL = RECORD + (1 << 16) };
    char *tail = tulle__host_alloc(source->ctx, TAIL);
    if (!tail) return tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    const int64_t size = source->size < TAIL ? source->size : TAIL;
    const bool good = tulle__source_read(source, source->size - size, tail, size, trouble) == size;
    bool found = false;
    for (int64_t at = size - RECORD; good && at >= 0 && !found; at--) {
        const unsigned char *length = (const unsigned char *)tail + at + LENGTH;
        found =
            !memcmp(tail + at, "PK\5\6", 4) && length[0] + 256 * length[1] == size - RECORD - at;
    }
    tulle__host_free(source->ctx, tail);
    if (!good) return false;
    return found || tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                                "the zip archive is cut off, or other bytes follow it: it does not "
                                "end with a zip archive's last record");
}

static int64_t read_member(void *user, void *to, int64_t bytes, tulle__trouble *trouble) {
    struct archive *archive = user;
    int64_t got = 0;
    while (got < bytes) {
        const la_ssize_t part = archive_read_data(archive, (char *)to + got, (size_t)(bytes - got));
        if (part == ARCHIVE_RETRY) continue;
        if (part < 0) archive_trouble(archive, trouble);
        if (part < 0) return -1;
        if (part == 0) break;
        got += part;
    }
    return got;
}

static bool add_member(tulle_ctx *cpu, const tulle__source *source, struct archive *archive,
                       tulle__npz_member which, tulle__npz *npz, tulle__trouble *trouble) {
    enum { MOST_PACKED = 1032 }; /* most bytes that deflate packs into one byte */
    tulle__npy *npy = &npz->member[which];
    const tulle__raw_source member = {.read = read_member,
                                      .user = archive,
                                      .most = (double)source->file_bytes * MOST_PACKED,
                                      .sure = source->file_bytes,
                                      .whole = names[which]};
    if (npy->raw.bytes)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0, "the zip archive holds %s twice",
                           names[which]);
    if (!tulle__npy_read(cpu, &member, npy, trouble)) return false;
    npz->bytes += npy->raw.count * npy->raw.size;
    return true;
}

static bool read_members(tulle_ctx *cpu, const tulle__source *source, struct archive *archive,
                         tulle__npz *npz, tulle__trouble *trouble) {
    struct archive_entry *entry;
    for (;;) {
        const int rc = archive_read_next_header(archive, &entry);
        if (rc == ARCHIVE_EOF) return true;
        if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN) return archive_trouble(archive, trouble);
        const char *name = archive_entry_pathname(entry);
        for (int i = 0; name && i < TULLE__NPZ_MEMBERS; i++) {
            if (strcmp(name, names[i]) != 0) continue;
            if (!add_member(cpu, source, archive, (tulle__npz_member)i, npz, trouble)) return false;
        }
    }
}

bool tulle__npz_read(tulle_ctx *cpu, tulle__source *source, tulle__npz *npz,
                     tulle__trouble *trouble) {
    enum { BLOCK = 1 << 18 };
    if (!source->seekable)
        return tulle__note(trouble, TULLE_UNSUPPORTED, 0,
                           "is a zip archive (.npz) in a pipe or in another compressed file, where "
                           "it cannot be read; give the .npz file itself");
    if (!check_end(source, trouble)) return false;
    struct archive *archive = archive_read_new();
    if (!archive) return tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    archive_read_support_format_zip_seekable(archive);
    const int rc = source->memory ? archive_read_open_memory(archive, source->memory,
                                                             (size_t)source->file_bytes)
                                  : archive_read_open_fd(archive, source->descriptor, BLOCK);
    const bool good = rc == ARCHIVE_OK ? read_members(cpu, source, archive, npz, trouble)
                                       : archive_trouble(archive, trouble);
    archive_read_free(archive);
    return good;
}
