/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tar archives and other streams with libarchive. SuiteSparse's archives hold NAME/NAME.mtx
 * (or .rb) and beside it files such as NAME/NAME_b.mtx, which are not the matrix. */
#define _GNU_SOURCE
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "io/file/source.h"

enum { MEMBER_ROOM = 512 };

/* Notes the stream's own trouble if there is any, else libarchive's. */
static bool archive_trouble(tulle__source *source, tulle__trouble *trouble) {
    const tulle__trouble *own = &source->stream.trouble;
    if (own->status != TULLE_OK) return tulle__note(trouble, own->status, 0, "%s", own->message);
    return tulle__archive_trouble(source->archive, trouble);
}

/* Notes that a file holds no bytes. If the stream has a trouble of its own, notes that instead:
 * libarchive takes a file whose first bytes cannot be unpacked for an empty one. */
static bool nothing_inside(tulle__source *source, tulle__trouble *trouble) {
    if (source->stream.trouble.status != TULLE_OK) return archive_trouble(source, trouble);
    return tulle__note(trouble, TULLE_PARSE_ERROR, 0, "is empty");
}

static la_ssize_t give(struct archive *archive, void *user, const void **bytes) {
    tulle__stream *stream = user;
    const int64_t got = tulle__stream_next(stream, bytes);
    if (got < 0) archive_set_error(archive, EIO, "%s", stream->trouble.message);
    return (la_ssize_t)got;
}

/* Opens the stream at its first byte, and a new libarchive reader of the unpacked bytes. */
static bool start(tulle__source *source, tulle__trouble *trouble) {
    /* only a stream that was read before can have moved the descriptor */
    if (!source->memory && source->file_bytes > 0) lseek(source->descriptor, 0, SEEK_SET);
    if (!tulle__stream_open(&source->stream, source->ctx, source->descriptor, source->memory,
                            source->file_bytes)) {
        const tulle__trouble *own = &source->stream.trouble;
        return tulle__note(trouble, own->status, 0, "%s", own->message);
    }
    source->stream.asks = true;
    struct archive *archive = archive_read_new();
    if (!archive) return tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    source->archive = archive;
    archive_read_support_format_tar(archive);
    archive_read_support_format_raw(archive);
    archive_read_support_format_empty(archive);
    const int rc = archive_read_open(archive, &source->stream, NULL, give, NULL);
    return rc == ARCHIVE_OK || archive_trouble(source, trouble);
}

void tulle__archive_close(tulle__source *source) {
    if (source->archive) archive_read_free(source->archive);
    source->archive = NULL;
    if (source->stream.ctx) tulle__stream_close(&source->stream);
}

/* Returns the length of a name without .mtx or .rb, or 0 where it has no such ending. */
static size_t stem_length(const char *name) {
    static const char *const endings[] = {".mtx", ".rb"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < 2; i++) {
        const size_t own = strlen(endings[i]);
        if (length > own && !strcmp(name + length - own, endings[i])) return length - own;
    }
    return 0;
}

/* Returns how well a member's path fits: 2 for NAME/NAME.mtx; 1 for any other .mtx file that
 * does not belong to a matrix of its folder's name; 0 for all others. The ending .rb counts like
 * .mtx. */
static int member_rank(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const size_t length = stem_length(base);
    if (length == 0) return 0;
    if (!slash) return 1;
    const char *folder = slash;
    while (folder > path && folder[-1] != '/') folder--;
    const size_t folder_length = (size_t)(slash - folder);
    if (strncmp(base, folder, folder_length)) return 1;
    if (length == folder_length) return 2;
    return base[folder_length] == '_' ? 0 : 1;
}

/* Goes to the next member that can be the matrix. *path is "" at the end of the archive. */
static bool next_member(tulle__source *source, char path[MEMBER_ROOM], int *rank,
                        tulle__trouble *trouble) {
    struct archive_entry *entry;
    for (;;) {
        const int rc = archive_read_next_header(source->archive, &entry);
        path[0] = 0;
        if (rc == ARCHIVE_EOF) return true;
        if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN) return archive_trouble(source, trouble);
        const char *member = archive_entry_pathname(entry);
        if (archive_entry_filetype(entry) != AE_IFREG || !member) continue;
        *rank = member_rank(member);
        if (*rank == 0) continue;
        snprintf(path, MEMBER_ROOM, "%s", member);
        return true;
    }
}

/* Opens the archive again and goes to the member with a given path. */
static bool back_to_member(tulle__source *source, const char *wanted, tulle__trouble *trouble) {
    tulle__archive_close(source);
    if (!start(source, trouble)) return false;
    char path[MEMBER_ROOM];
    int rank;
    do {
        if (!next_member(source, path, &rank, trouble)) return false;
    } while (path[0] && strcmp(path, wanted));
    return path[0] || tulle__note(trouble, TULLE_IO_ERROR, 0, "changed while it was read");
}

static bool find_member(tulle__source *source, tulle__trouble *trouble) {
    char path[MEMBER_ROOM], only[MEMBER_ROOM] = "";
    int rank = 0, candidates = 0;
    for (;;) {
        if (!next_member(source, path, &rank, trouble)) return false;
        if (!path[0]) break;
        if (rank == 2) return true;
        candidates++;
        memcpy(only, path, sizeof only);
    }
    if (candidates == 0)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0, "the archive holds no .mtx or .rb file");
    if (candidates > 1)
        return tulle__note(
            trouble, TULLE_PARSE_ERROR, 0,
            "the archive holds %d .mtx or .rb files, none named like its folder; unpack "
            "it and give one of them",
            candidates);
    return back_to_member(source, only, trouble);
}

/* Sets the kind of container, such as "gz" or "tar.xz". */
static void name_container(tulle__source *source, bool tar) {
    const char *filter = source->stream.container;
    if (!filter[0]) {
        strcpy(source->container, tar ? "tar" : "plain");
    } else {
        snprintf(source->container, sizeof source->container, "%s%s", tar ? "tar." : "", filter);
    }
}

bool tulle__archive_open(tulle__source *source, tulle__trouble *trouble) {
    if (!start(source, trouble)) return false;
    struct archive_entry *entry;
    const int rc = archive_read_next_header(source->archive, &entry);
    if (rc == ARCHIVE_EOF) return nothing_inside(source, trouble);
    if (rc != ARCHIVE_OK && rc != ARCHIVE_WARN) return archive_trouble(source, trouble);
    const int format = archive_format(source->archive) & ARCHIVE_FORMAT_BASE_MASK;
    const bool tar = format == ARCHIVE_FORMAT_TAR;
    name_container(source, tar);
    if (tar) {
        /* the reader has passed the first member, so the archive must be read again from its
         * begin */
        if (source->file_bytes == 0)
            return tulle__note(trouble, TULLE_UNSUPPORTED, 0,
                               "a tar archive cannot be read from a pipe; give the file itself");
        tulle__archive_close(source);
        if (!start(source, trouble) || !find_member(source, trouble)) return false;
    }
    source->head_size = tulle__archive_read(source, source->head, TULLE__HEAD_ROOM, trouble);
    /* other threads may read on, and only the caller's thread may report progress */
    source->stream.asks = false;
    if (source->head_size < 0) return false;
    return source->head_size > 0 || nothing_inside(source, trouble);
}

/* Reads the rest of the file behind the matrix, so that the checksums of all data are compared. */
static int64_t read_to_the_end(tulle__source *source, tulle__trouble *trouble) {
    const void *bytes;
    int64_t got;
    do {
        got = tulle__stream_next(&source->stream, &bytes);
    } while (got > 0);
    source->ended = true;
    if (got < 0) archive_trouble(source, trouble);
    return got;
}

int64_t tulle__archive_read(tulle__source *source, void *to, int64_t bytes,
                            tulle__trouble *trouble) {
    int64_t got = 0;
    while (got < bytes && !source->ended) {
        const la_ssize_t part =
            archive_read_data(source->archive, (char *)to + got, (size_t)(bytes - got));
        if (part == ARCHIVE_RETRY) continue;
        if (part < 0) {
            archive_trouble(source, trouble);
            return -1;
        }
        if (part == 0 && read_to_the_end(source, trouble) < 0) return -1;
        got += part;
    }
    return got;
}
