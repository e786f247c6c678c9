/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a whole file with one thread, list by list, into the chunks that Matrix Market files are
 * read into. The columns are compressed; the offsets give each index its column. The memory in use
 * depends on the text that has been read. Right-hand sides behind the matrix are skipped. */
#include <string.h>

#include "core/room.h"
#include "io/file/rb.h"

enum { CHUNK = 1 << 16, SLAB = 1 << 22 };

typedef struct reader {
    tulle_ctx *cpu;
    tulle__lines lines;
    tulle__rb_head rb;
    tulle__chunks *chunks;
    int64_t *offsets; /* cols + 1 offsets, the first 0; owned, from tulle__alloc */
    tulle__trouble trouble;
} reader;

static bool no_memory(reader *r) {
    return tulle__note(&r->trouble, TULLE_OUT_OF_MEMORY, 0, "%s", tulle_last_error()->message);
}

/* Fails if memory has no room for the offsets, the chunks and the entries. No more fields are
 * counted than the file can hold. */
static bool check_room(reader *r) {
    const tulle__mtx_head *head = r->rb.head;
    const tulle__rb_format *format = r->rb.format;
    const double most = tulle__source_most(r->lines.blocks.source);
    size_t each;
    char words[TULLE__ROOM_TEXT];
    if (tulle__chunk_bytes(head, 1, &each) != TULLE_OK) return true;
    double entries = (double)head->stored, offsets = (double)head->cols + 1;
    if (entries > most / format[TULLE__RB_INDICES].width)
        entries = most / format[TULLE__RB_INDICES].width;
    if (offsets > most / format[TULLE__RB_OFFSETS].width)
        offsets = most / format[TULLE__RB_OFFSETS].width;
    const double copied = (head->wide ? 16 : 8) + (double)tulle_type_size(head->type);
    const double bytes = entries * ((double)each + copied) + offsets * sizeof *r->offsets;
    const tulle_status status = tulle__room_for(r->cpu, bytes, words);
    return status == TULLE_OK ||
           tulle__note(&r->trouble, status, head->lines, "to read %lld entries takes %s",
                       (long long)head->stored, words);
}

static bool grow_offsets(reader *r, int64_t count, int64_t *room) {
    enum { FIRST = 1 << 12 };
    const int64_t all = r->rb.head->cols + 1;
    const int64_t wanted = *room == 0 ? FIRST : *room > all / 2 ? all : 2 * *room;
    size_t bytes;
    void *larger;
    *room = wanted < all ? wanted : all;
    if (tulle__size(*room, sizeof *r->offsets, 0, &bytes) != TULLE_OK ||
        tulle__alloc(r->cpu, bytes, &larger) != TULLE_OK)
        return no_memory(r);
    if (count > 0) memcpy(larger, r->offsets, (size_t)count * sizeof *r->offsets);
    tulle__free(r->cpu, r->offsets);
    r->offsets = larger;
    return true;
}

/* Checks an offset: the first one must be 1, each other one no smaller than the one before, the
 * last one 1 more than the number of entries. */
static bool check_offset(reader *r, int64_t i, int64_t offset) {
    const tulle__mtx_head *head = r->rb.head;
    const int64_t line = r->lines.number, before = i > 0 ? r->offsets[i - 1] + 1 : 1;
    if (i == 0 && offset != 1)
        return tulle__note(&r->trouble, TULLE_PARSE_ERROR, line,
                           "the first offset is %lld, and must be 1", (long long)offset);
    if (offset < before)
        return tulle__note(&r->trouble, TULLE_PARSE_ERROR, line,
                           "the offsets descend from %lld to %lld in column %lld",
                           (long long)before, (long long)offset, (long long)i);
    if (offset - 1 > head->stored || (i == head->cols && offset - 1 != head->stored))
        return tulle__note(&r->trouble, TULLE_PARSE_ERROR, line,
                           "offset %lld does not fit the %lld entries that the head promises",
                           (long long)offset, (long long)head->stored);
    return true;
}

static bool read_offsets(reader *r) {
    tulle__fields fields = tulle__fields_of(&r->lines, &r->rb.format[TULLE__RB_OFFSETS], "offset",
                                            r->rb.head->cols + 1);
    int64_t room = 0, offset;
    for (int64_t i = 0; i <= r->rb.head->cols; i++) {
        if (!tulle__field_integer(&fields, &offset, &r->trouble)) return false;
        if (!check_offset(r, i, offset)) return false;
        if (i == room && !grow_offsets(r, i, &room)) return false;
        r->offsets[i] = offset - 1;
    }
    return tulle__fields_end(&fields, &r->trouble);
}

/* Adds a chunk for the next entries. */
static tulle__chunk *next_chunk(reader *r, int64_t entries) {
    size_t bytes;
    void *memory;
    tulle__chunk *chunk = tulle__chunk_add(r->cpu, r->chunks, &r->trouble);
    if (!chunk) return NULL;
    if (tulle__chunk_bytes(r->rb.head, entries, &bytes) != TULLE_OK ||
        tulle__slab_take(r->cpu, &r->chunks->slabs, SLAB, bytes, &memory) != TULLE_OK) {
        no_memory(r);
        return NULL;
    }
    tulle__chunk_place(r->rb.head, entries, memory, chunk);
    return chunk;
}

static void put_entry(const tulle__mtx_head *head, tulle__chunk *chunk, int64_t row, int64_t col) {
    if (head->wide) {
        ((int64_t *)chunk->rows_of)[chunk->count] = row;
        ((int64_t *)chunk->cols_of)[chunk->count] = col;
    } else {
        ((int32_t *)chunk->rows_of)[chunk->count] = (int32_t)row;
        ((int32_t *)chunk->cols_of)[chunk->count] = (int32_t)col;
    }
    chunk->count++;
    chunk->mirrored += row != col;
}

static bool check_index(reader *r, int64_t row, int64_t col) {
    const tulle__mtx_head *head = r->rb.head;
    if (row < 1 || row > head->rows)
        return tulle__note(&r->trouble, TULLE_PARSE_ERROR, r->lines.number,
                           "row index %lld is out of range 1 to %lld", (long long)row,
                           (long long)head->rows);
    return head->symmetry != TULLE__SKEW || row - 1 != col ||
           tulle__note(&r->trouble, TULLE_PARSE_ERROR, r->lines.number,
                       "a skew-symmetric matrix cannot have an entry on the diagonal");
}

static bool read_indices(reader *r) {
    const int64_t stored = r->rb.head->stored;
    tulle__fields fields =
        tulle__fields_of(&r->lines, &r->rb.format[TULLE__RB_INDICES], "row index", stored);
    tulle__chunk *chunk = NULL;
    for (int64_t k = 0, col = 0, row; k < stored; k++) {
        if (k % CHUNK == 0) chunk = next_chunk(r, stored - k < CHUNK ? stored - k : CHUNK);
        if (!chunk || !tulle__field_integer(&fields, &row, &r->trouble)) return false;
        while (r->offsets[col + 1] <= k) col++;
        if (!check_index(r, row, col)) return false;
        put_entry(r->rb.head, chunk, row - 1, col);
    }
    return tulle__fields_end(&fields, &r->trouble);
}

static bool read_values(reader *r) {
    tulle__fields fields =
        tulle__fields_of(&r->lines, &r->rb.format[TULLE__RB_VALUES], "value", r->rb.head->stored);
    for (int64_t c = 0; c < r->chunks->count; c++) {
        const tulle__chunk *chunk = r->chunks->chunk[c];
        for (int64_t i = 0; i < chunk->count; i++) {
            if (!tulle__field_value(&fields, r->rb.head, chunk->values, i, r->chunks, &r->trouble))
                return false;
        }
    }
    return tulle__fields_end(&fields, &r->trouble);
}

/* Reads to the end of the file, so that the checksums of a compressed file are compared. Right-hand
 * sides and blanks may stand behind the matrix, and nothing else. */
static bool read_rest(reader *r) {
    while (tulle__lines_next(&r->lines, &r->trouble)) {
        if (r->rb.side_lines == 0 && *tulle__skip_blanks(r->lines.text) != '\n')
            return tulle__note(&r->trouble, TULLE_PARSE_ERROR, r->lines.number,
                               "surplus text behind the matrix");
    }
    return r->trouble.status == TULLE_OK;
}

static bool read_all(reader *r) {
    const bool good = tulle__rb_read_head(&r->lines, &r->rb, &r->trouble) && check_room(r) &&
                      read_offsets(r) && read_indices(r) &&
                      (r->rb.head->field == TULLE__PATTERN || read_values(r)) && read_rest(r);
    r->chunks->text_bytes = r->lines.bytes;
    return good;
}

/* Replaces a fault of the text in a damaged compressed file by the damage, which has caused the
 * fault. */
static void look_for_damage(reader *r) {
    enum { MOST = 1 << 28 };
    tulle__trouble damage = {0};
    if (r->trouble.status == TULLE_PARSE_ERROR &&
        tulle__source_is_damaged(r->lines.blocks.source, MOST, r->lines.block.text, &damage))
        r->trouble = damage;
}

tulle_status tulle__rb_read(tulle_ctx *cpu, tulle__source *source, tulle__mtx_head *head,
                            tulle__chunks *chunks) {
    reader r = {.cpu = cpu, .rb = {.head = head}, .chunks = chunks};
    tulle_status status = tulle__lines_open(cpu, source, &r.lines);
    if (status == TULLE_OK && !read_all(&r)) {
        look_for_damage(&r);
        status = tulle__fail_trouble(source->name, &r.trouble);
    }
    tulle__lines_close(&r.lines);
    tulle__free(cpu, r.offsets);
    if (status != TULLE_OK) tulle__chunks_free(cpu, chunks);
    return status;
}
