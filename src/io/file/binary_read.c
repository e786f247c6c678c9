/* SPDX-License-Identifier: Apache-2.0 */
#include <stdatomic.h>
#include <string.h>

#include "core/room.h"
#include "dense/functions.h"
#include "format/bsr.h"
#include "io/file/binary.h"
#include "matrix/functions.h"
#include "matrix/matrix.h"

/* The arrays that are being read and become a matrix. */
typedef struct loader {
    tulle_ctx *cpu;
    tulle__source *source;
    tulle__binary_header header;
    tulle__binary_layout layout;
    void *section[TULLE__SECTIONS];
} loader;

static const char *section_name(const loader *l, int section) {
    static const char *const names[TULLE__SECTIONS] = {"offsets", "columns", "values", "row order"};
    const bool is_mask = section == 3 && l->header.version == TULLE__BINARY_BSR;
    return is_mask ? "mask" : names[section];
}

static bool cut_off(tulle__trouble *trouble) {
    return tulle__note(trouble, TULLE_PARSE_ERROR, 0, "the binary file is cut off");
}

static bool no_memory(tulle__trouble *trouble) {
    return tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "%s", tulle_last_error()->message);
}

/* Checks the numbers of a file of blocks, which the sizes of the arrays are computed from. */
static bool check_blocks(const tulle__binary_header *h, tulle__trouble *trouble) {
    if (h->version != TULLE__BINARY_BSR) return true;
    const uint32_t most = TULLE__MOST_BLOCK;
    if (h->block_rows < 1 || h->block_rows > most || h->block_cols < 1 || h->block_cols > most)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                           "blocks of %u x %u in the header of the binary file; both sizes must "
                           "be 1 to %u",
                           h->block_rows, h->block_cols, most);
    const int64_t cells = (int64_t)h->block_rows * h->block_cols;
    if (h->blocks < 0 || h->blocks > INT64_MAX / cells)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                           "%lld blocks in the header of the binary file, a number that cannot be",
                           (long long)h->blocks);
    if (h->nnz > h->blocks * cells)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                           "the header of the binary file has %lld entries in %lld blocks of %u x "
                           "%u, which have fewer cells",
                           (long long)h->nnz, (long long)h->blocks, h->block_rows, h->block_cols);
    return true;
}

static bool check_header(loader *l, tulle__trouble *trouble) {
    const tulle__binary_header *h = &l->header;
    const size_t before = offsetof(tulle__binary_header, header_checksum);
    if (h->version == 1)
        return tulle__note(trouble, TULLE_UNSUPPORTED, 0,
                           "version 1 of the binary form, which this library no longer reads; "
                           "convert the matrix from its source again");
    if (h->header_checksum != tulle__checksum(h, before))
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                           "the header of the binary file is damaged");
    if (h->version < TULLE__BINARY_CSR || h->version > TULLE__BINARY_BSR)
        return tulle__note(trouble, TULLE_UNSUPPORTED, 0,
                           "version %u of the binary form; this library reads versions %d to %d",
                           h->version, TULLE__BINARY_CSR, TULLE__BINARY_BSR);
    if (h->index > TULLE_I64 || h->type >= TULLE__TYPE_COUNT || h->pattern > 1 || h->rows < 0 ||
        h->cols < 0 || h->nnz < 0 || h->heads < 0 || h->heads > h->rows || h->heads > h->nnz)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                           "the header of the binary file is not valid");
    if (!check_blocks(h, trouble)) return false;
    const int64_t slots = tulle__binary_slots(h);
    const int64_t most_index = h->index == TULLE_I64 ? INT64_MAX : INT32_MAX;
    const int64_t most_offset = h->index == TULLE_I32 ? INT32_MAX : INT64_MAX;
    if (h->rows > most_index || h->cols > most_index || slots > most_offset)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                           "the sizes in the header do not fit its index type");
    if (!tulle__binary_layout_of(h, &l->layout))
        return tulle__note(trouble, TULLE_TOO_LARGE, 0, "the sizes in the header are too large");
    if (l->source->size >= 0 && l->source->size < l->layout.end) return cut_off(trouble);
    char words[TULLE__ROOM_TEXT];
    const double ones =
        h->pattern ? (double)slots * (double)tulle_type_size(tulle__type_at((int)h->type)) : 0;
    const tulle_status status = tulle__room_for(l->cpu, (double)l->layout.end + ones, words);
    return status == TULLE_OK || tulle__note(trouble, status, 0, "the arrays take %s", words);
}

static bool read_header(loader *l, tulle__trouble *trouble) {
    const int64_t size = sizeof l->header;
    const int64_t got = tulle__source_read(l->source, 0, &l->header, size, trouble);
    if (got < 0) return false;
    if (got < size) return cut_off(trouble);
    return check_header(l, trouble);
}

/* Reads an array piece by piece; the thread that reads a piece computes its checksum while the
 * piece is in the cache. */
static bool read_pieces(const loader *l, int section, uint64_t *sums, tulle__trouble *trouble) {
    const int64_t bytes = l->layout.bytes[section], at = l->layout.at[section];
    const int64_t pieces = tulle__checksum_pieces(bytes);
    const int all = l->cpu->place.threads, threads = pieces < all ? (int)pieces + !pieces : all;
    bool good = true;
#pragma omp parallel for num_threads(threads) schedule(dynamic) reduction(&& : good)
    for (int64_t i = 0; i < pieces; i++) {
        const int64_t begin = i * TULLE__CHECKSUM_PIECE;
        const int64_t size =
            bytes - begin < TULLE__CHECKSUM_PIECE ? bytes - begin : TULLE__CHECKSUM_PIECE;
        char *to = (char *)l->section[section] + begin;
        tulle__trouble own = {0};
        if (tulle__source_read(l->source, at + begin, to, size, &own) == size) {
            sums[i] = tulle__checksum(to, (size_t)size);
        } else {
            good = false;
#pragma omp critical(tulle_binary_trouble)
            tulle__note(trouble, own.status ? own.status : TULLE_IO_ERROR, 0, "%s",
                        own.status ? own.message : "the binary file is cut off");
        }
    }
    return good;
}

/* Enlarges the memory of an array that is being read. */
static bool grow(loader *l, int section, int64_t got, int64_t room, tulle__trouble *trouble) {
    void *larger;
    if (tulle__alloc(l->cpu, (size_t)room, &larger) != TULLE_OK) return no_memory(trouble);
    if (got > 0) memcpy(larger, l->section[section], (size_t)got);
    tulle__free(l->cpu, l->section[section]);
    l->section[section] = larger;
    return true;
}

/* Reads an array of a stream. A stream's length is unknown, so the memory grows with the bytes that
 * have been read. */
static bool read_growing(loader *l, int section, tulle__trouble *trouble) {
    enum { FIRST = 1 << 24 };
    const int64_t bytes = l->layout.bytes[section];
    int64_t room = 0, got = 0;
    while (got < bytes) {
        room = room == 0 ? FIRST : bytes - room < room ? bytes : 2 * room;
        if (room > bytes) room = bytes;
        if (!grow(l, section, got, room, trouble)) return false;
        const int64_t part = tulle__source_read(l->source, 0, (char *)l->section[section] + got,
                                                room - got, trouble);
        if (part < 0) return false;
        got += part;
        if (got < room) return cut_off(trouble);
    }
    return true;
}

/* Reads the padding between two arrays of a stream, and drops it. */
static bool skip_padding(loader *l, int section, tulle__trouble *trouble) {
    char padding[TULLE__BINARY_ALIGNMENT];
    const int64_t end = l->layout.at[section] + l->layout.bytes[section];
    const int64_t next = section + 1 < TULLE__SECTIONS ? l->layout.at[section + 1] : l->layout.end;
    const int64_t got = tulle__source_read(l->source, 0, padding, next - end, trouble);
    if (got < 0) return false;
    return got == next - end || cut_off(trouble);
}

/* Reads an array and computes the checksums of its pieces. The memory for the checksums is
 * allocated here; for a stream only after the array has been read, which proves its size. */
static bool read_section(loader *l, int section, uint64_t **sums, tulle__trouble *trouble) {
    const int64_t bytes = l->layout.bytes[section];
    const size_t sum_bytes = (size_t)tulle__checksum_pieces(bytes) * sizeof **sums;
    if (!l->source->seekable) {
        if (!read_growing(l, section, trouble) || !skip_padding(l, section, trouble)) return false;
        *sums = tulle__host_alloc(l->cpu, sum_bytes);
        if (!*sums) return no_memory(trouble);
        tulle__checksum_array(l->section[section], bytes, l->cpu->place.threads, *sums);
        return true;
    }
    *sums = tulle__host_alloc(l->cpu, sum_bytes);
    if (!*sums || tulle__alloc(l->cpu, (size_t)bytes, &l->section[section]) != TULLE_OK)
        return no_memory(trouble);
    return read_pieces(l, section, *sums, trouble);
}

static tulle_status load_section(loader *l, int section) {
    const int64_t bytes = l->layout.bytes[section];
    const size_t sum_bytes = (size_t)tulle__checksum_pieces(bytes) * sizeof(uint64_t);
    tulle__trouble trouble = {0};
    uint64_t *sums = NULL;
    bool good = read_section(l, section, &sums, &trouble);
    if (good && tulle__checksum(sums, sum_bytes) != l->header.checksum[section])
        good = tulle__note(&trouble, TULLE_PARSE_ERROR, 0,
                           "the binary file is damaged: the checksum of its %s is wrong",
                           section_name(l, section));
    tulle__host_free(l->cpu, sums);
    if (!good) return tulle__fail_trouble(l->source->name, &trouble);
    return tulle__progress(l->cpu, "reading", l->layout.at[section] + bytes, l->layout.end);
}

static tulle_status fill_ones(loader *l) {
    const tulle_type type = tulle__type_at((int)l->header.type);
    const int64_t slots = tulle__binary_slots(&l->header);
    size_t bytes;
    TULLE__TRY(tulle__size(slots, tulle_type_size(type), 0, &bytes));
    TULLE__TRY(tulle__alloc(l->cpu, bytes, &l->section[2]));
    if (slots == 0) return TULLE_OK;
    return l->cpu->backend->dense->fill(&l->cpu->place, type, slots, 1, slots, TULLE_COLUMN_MAJOR,
                                        l->section[2], 1);
}

/* Checks the pattern. The checksums find damage, but not a file that a faulty program wrote. */
static tulle_status check_pattern(loader *l, const tulle__pattern_view *view, tulle__stats *stats) {
    TULLE__TRY(l->cpu->backend->matrix->check_pattern(&l->cpu->place, view, stats));
    if (stats->bad_kind == TULLE__BAD_NONE) return TULLE_OK;
    return tulle__fail_file(TULLE_PARSE_ERROR, l->source->name, 0,
                            stats->bad_kind == TULLE__BAD_COLUMN
                                ? "column %lld of row %lld (from 0) is out of range"
                                : "offset %lld at row %lld (from 0) is not valid",
                            (long long)stats->bad_value, (long long)stats->bad_row);
}

static tulle_status adopt_csr(loader *l, tulle_mat **A) {
    const tulle__binary_header *h = &l->header;
    const tulle__pattern_view view = {.rows = h->rows,
                                      .cols = h->cols,
                                      .nnz = h->nnz,
                                      .format = TULLE_CSR,
                                      .index = (tulle_index)h->index,
                                      .offsets = l->section[0],
                                      .cols_of = l->section[1]};
    tulle__stats stats;
    TULLE__TRY(check_pattern(l, &view, &stats));
    return tulle__mat_adopt(l->cpu, &view, tulle__type_at((int)h->type), l->section[2], &stats, A);
}

static void give_back(void *user, void *array) {
    tulle__free(user, array);
}

/* Makes a DCSR or BSR matrix with the public function, which checks everything. After a failure the
 * arrays still belong to the loader. */
static tulle_status adopt_layout(loader *l, tulle_format format, const tulle_storage *storage,
                                 tulle_mat **A) {
    const tulle__binary_header *h = &l->header;
    const bool bsr = format == TULLE_BSR;
    const tulle_mat_arrays arrays = {.offsets = l->section[0],
                                     .cols = l->section[1],
                                     .values = l->section[2],
                                     .order = bsr ? NULL : l->section[3],
                                     .mask = bsr ? l->section[3] : NULL};
    const tulle_mat_options take = {.ownership = TULLE_TAKE, .release = give_back, .user = l->cpu};
    const tulle_status status =
        tulle_mat_create(l->cpu, h->rows, h->cols, format, storage, (tulle_index)h->index, &arrays,
                         tulle__type_at((int)h->type), &take, A);
    if (status != TULLE_INVALID_MATRIX) return status;
    return tulle__fail_file(TULLE_PARSE_ERROR, l->source->name, 0, "%s",
                            tulle_last_error()->message);
}

static tulle_status adopt_dcsr(loader *l, tulle_mat **A) {
    const tulle_storage storage = {.stored = l->header.nnz, .heads = l->header.heads};
    return adopt_layout(l, TULLE_DCSR, &storage, A);
}

/* Makes the BSR matrix, and compares the entries of its mask with the number in the header. */
static tulle_status adopt_bsr(loader *l, tulle_mat **A) {
    const tulle_storage storage = tulle__binary_storage(&l->header);
    tulle_mat_info about;
    TULLE__TRY(adopt_layout(l, TULLE_BSR, &storage, A));
    memset(l->section, 0, sizeof l->section);
    TULLE__TRY(tulle_mat_describe(*A, &about));
    if (about.nnz == l->header.nnz) return TULLE_OK;
    return tulle__fail_file(TULLE_PARSE_ERROR, l->source->name, 0,
                            "the mask has %lld entries, and the header %lld", (long long)about.nnz,
                            (long long)l->header.nnz);
}

/* Fails if the file has bytes behind the arrays. A stream that has been read to its end has had its
 * checksums compared. */
static tulle_status expect_end(loader *l) {
    tulle__trouble trouble = {0};
    char surplus = 0;
    const int64_t got = l->source->seekable
                            ? l->source->size > l->layout.end
                            : tulle__source_read(l->source, 0, &surplus, 1, &trouble);
    if (got > 0)
        tulle__note(&trouble, TULLE_PARSE_ERROR, 0,
                    "surplus bytes behind the arrays of the binary file");
    return got == 0 ? TULLE_OK : tulle__fail_trouble(l->source->name, &trouble);
}

static tulle_status load_arrays(loader *l, tulle_mat **A) {
    const tulle__binary_header *h = &l->header;
    TULLE__TRY(load_section(l, 0));
    TULLE__TRY(load_section(l, 1));
    TULLE__TRY(h->pattern ? fill_ones(l) : load_section(l, 2));
    if (tulle__binary_sections(h) == TULLE__SECTIONS) TULLE__TRY(load_section(l, 3));
    TULLE__TRY(expect_end(l));
    return h->version == TULLE__BINARY_BSR    ? adopt_bsr(l, A)
           : h->version == TULLE__BINARY_DCSR ? adopt_dcsr(l, A)
                                              : adopt_csr(l, A);
}

tulle_status tulle__binary_load(tulle_ctx *cpu, tulle__source *source, tulle_mat **A,
                                tulle_file_info *info) {
    loader l = {.cpu = cpu, .source = source};
    tulle__trouble trouble = {0};
    if (!read_header(&l, &trouble)) return tulle__fail_trouble(source->name, &trouble);
    const tulle_status status = load_arrays(&l, A);
    if (status != TULLE_OK) {
        for (int i = 0; i < TULLE__SECTIONS; i++) tulle__free(cpu, l.section[i]);
        return status;
    }
    info->stored = l.header.nnz;
    info->text_bytes = l.layout.end;
    strcpy(info->field, l.header.pattern ? "pattern" : "real");
    strcpy(info->symmetry, "general");
    strcpy(info->container, "binary");
    return TULLE_OK;
}
