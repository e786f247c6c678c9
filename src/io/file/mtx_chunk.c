/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the entries of a block of text, which is most of the work of reading. Texts end with a
 * newline, so that no loop needs to look for the end of the text. */
#include <math.h>
#include <string.h>

#include "io/file/digits.h"
#include "io/file/mtx.h"

/* Notes the reason why no index could be read at text. */
static const char *index_trouble(const char *text, const char *what, int64_t limit,
                                 tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    tulle__word(text, word);
    const char *p = text;
    while (tulle__is_digit(*p)) p++;
    if (*text == '\n') {
        tulle__note(trouble, TULLE_PARSE_ERROR, 0, "the line ends before the %s index", what);
    } else if (p == text || (*p != '\n' && !tulle__is_blank(*p))) {
        tulle__note(trouble, TULLE_PARSE_ERROR, 0, "'%s' is no %s index", word, what);
    } else {
        tulle__note(trouble, TULLE_PARSE_ERROR, 0, "%s index %s is out of range 1 to %lld", what,
                    word, (long long)limit);
    }
    return NULL;
}

/* Reads an index from 1 to limit, stores the index minus 1, and moves to the next item of the
 * line. */
static inline const char *read_index(const char *text, const char *what, int64_t limit,
                                     int64_t *index, tulle__trouble *trouble) {
    enum { DIGITS = 19 };
    uint64_t value = 0;
    const char *end = text;
    for (; tulle__is_digit(*end); end++) value = value * 10 + (uint64_t)(*end - '0');
    const bool good = end > text && end - text <= DIGITS &&
                      (tulle__is_blank(*end) || *end == '\n') && value - 1 < (uint64_t)limit;
    if (!good) return index_trouble(text, what, limit, trouble);
    *index = (int64_t)(value - 1);
    return tulle__skip_blanks(end);
}

static const char *value_trouble(const tulle__mtx_head *head, const char *text, const char *end,
                                 tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    tulle__word(text, word);
    if (*text == '\n') {
        tulle__note(trouble, TULLE_PARSE_ERROR, 0, "the line ends before the value");
    } else if (!end || (*end != '\n' && !tulle__is_blank(*end))) {
        tulle__note(trouble, TULLE_PARSE_ERROR, 0, "'%s' is no finite number", word);
    } else if (end - text > TULLE__NUMBER_LIMIT) {
        tulle__note(trouble, TULLE_PARSE_ERROR, 0, "a number is longer than %d characters",
                    TULLE__NUMBER_LIMIT);
    } else if (head->field == TULLE__INTEGER) {
        tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                    "'%s' is no whole number, which the field 'integer' asks for", word);
    }
    return NULL;
}

static const char *infinite(const char *text, const char *type, tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    tulle__note(trouble, TULLE_PARSE_ERROR, 0, "'%s' is too large for %s", tulle__word(text, word),
                type);
    return NULL;
}

static const char *negative(const char *text, tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    tulle__note(trouble, TULLE_PARSE_ERROR, 0,
                "'%s' is negative, which the field 'unsigned-integer' does not allow",
                tulle__word(text, word));
    return NULL;
}

static void count_one(int64_t i, tulle__counted *counted) {
    if (counted->count++ == 0) counted->first = i;
}

/* Reads value number i of the chunk, and moves to the next item of the line. */
static inline const char *read_value(const tulle__mtx_head *head, const char *text,
                                     const char *text_end, int64_t i, tulle__chunk *chunk) {
    const bool is_f32 = head->type == TULLE_F32;
    float f32 = 0;
    double f64 = 0;
    const char *end =
        is_f32 ? tulle__read_f32(text, text_end, &f32) : tulle__read_f64(text, text_end, &f64);
    const bool good = end && (tulle__is_blank(*end) || *end == '\n') &&
                      end - text <= TULLE__NUMBER_LIMIT &&
                      (head->field != TULLE__INTEGER || tulle__is_whole(text, end));
    if (!good) return value_trouble(head, text, end, &chunk->trouble);
    if (is_f32) {
        if (!isfinite(f32)) return infinite(text, "f32; read it as f64", &chunk->trouble);
        ((float *)chunk->values)[i] = f32;
    } else {
        if (!isfinite(f64)) return infinite(text, "f64", &chunk->trouble);
        ((double *)chunk->values)[i] = f64;
    }
    const double value = is_f32 ? (double)f32 : f64;
    if (value == 0 && tulle__is_other_than_0(text, end)) count_one(i, &chunk->vanished);
    if (head->field == TULLE__INTEGER) {
        if (value < 0 && head->is_unsigned) return negative(text, &chunk->trouble);
        if (fabs(value) >= tulle__first_gap(head->type) && !tulle__is_exact(text, end, value))
            count_one(i, &chunk->rounded);
    }
    return tulle__skip_blanks(end);
}

static inline void store_indices(const tulle__mtx_head *head, int64_t i, int64_t row, int64_t col,
                                 tulle__chunk *chunk) {
    if (head->wide) {
        ((int64_t *)chunk->rows_of)[i] = row;
        ((int64_t *)chunk->cols_of)[i] = col;
    } else {
        ((int32_t *)chunk->rows_of)[i] = (int32_t)row;
        ((int32_t *)chunk->cols_of)[i] = (int32_t)col;
    }
}

/* Reads the entry that begins at text; returns the end of the line, or NULL. */
static inline const char *read_entry(const tulle__mtx_head *head, const char *text,
                                     const char *text_end, tulle__chunk *chunk) {
    const int64_t i = chunk->count;
    if (!head->array) {
        int64_t row = 0, col = 0;
        text = read_index(text, "row", head->rows, &row, &chunk->trouble);
        if (!text) return NULL;
        text = read_index(text, "column", head->cols, &col, &chunk->trouble);
        if (!text) return NULL;
        store_indices(head, i, row, col, chunk);
        chunk->mirrored += row != col;
        if (row == col && head->symmetry == TULLE__SKEW) {
            tulle__note(&chunk->trouble, TULLE_PARSE_ERROR, 0,
                        "a skew-symmetric matrix cannot have an entry on the diagonal");
            return NULL;
        }
    }
    if (head->field != TULLE__PATTERN) {
        text = read_value(head, text, text_end, i, chunk);
        if (!text) return NULL;
    }
    if (*text != '\n') {
        char word[TULLE__WORD_ROOM];
        tulle__note(&chunk->trouble, TULLE_PARSE_ERROR, 0, "surplus text '%s' behind the entry",
                    tulle__word(text, word));
        return NULL;
    }
    chunk->count++;
    return text;
}

/* Allocates the list of the entries' lines, which is needed from the first line without an entry
 * on. */
static bool keep_lines(tulle__chunk *chunk) {
    if (chunk->line_of) return true;
    const size_t bytes = (size_t)(chunk->room + 1) * sizeof *chunk->line_of;
    void *lines;
    if (tulle__alloc(chunk->ctx, bytes, &lines) != TULLE_OK)
        return tulle__note(&chunk->trouble, TULLE_OUT_OF_MEMORY, 0, "out of memory");
    chunk->line_of = lines;
    for (int64_t i = 0; i < chunk->count; i++) chunk->line_of[i] = (int32_t)i;
    return true;
}

/* Reads one line; returns the start of the next one, or NULL. */
static inline const char *read_line(const tulle__mtx_head *head, const char *line, const char *end,
                                    tulle__chunk *chunk) {
    const char *text = tulle__skip_blanks(line), *newline;
    if (*text == '%' || *text == '\n') {
        if (!keep_lines(chunk)) return NULL;
        newline = memchr(text, '\n', (size_t)(end - text));
        chunk->skipped += newline + 1 - line;
    } else {
        if (chunk->line_of) chunk->line_of[chunk->count] = (int32_t)chunk->lines;
        newline = read_entry(head, text, end, chunk);
    }
    if (newline && newline - line >= TULLE__LINE_LIMIT) {
        tulle__note(&chunk->trouble, TULLE_PARSE_ERROR, 0, "the line is longer than %d bytes",
                    TULLE__LINE_LIMIT);
        return NULL;
    }
    return newline ? newline + 1 : NULL;
}

void tulle__mtx_read_chunk(const tulle__mtx_head *head, const char *text, const char *end,
                           tulle__chunk *chunk) {
    while (text < end) {
        text = read_line(head, text, end, chunk);
        chunk->lines++;
        if (!text) {
            chunk->trouble.line = chunk->lines;
            return;
        }
    }
}

static int64_t index_bytes(const tulle__mtx_head *head) {
    return head->array ? 0 : head->wide ? 8 : 4;
}

static int64_t value_bytes(const tulle__mtx_head *head) {
    return head->field == TULLE__PATTERN ? 0 : tulle_type_size(head->type);
}

tulle_status tulle__chunk_bytes(const tulle__mtx_head *head, int64_t room, size_t *bytes) {
    return tulle__size(room, 2 * index_bytes(head) + value_bytes(head), 0, bytes);
}

void tulle__chunk_place(const tulle__mtx_head *head, int64_t room, void *memory,
                        tulle__chunk *chunk) {
    const int64_t index = index_bytes(head), value = value_bytes(head);
    chunk->room = room;
    if (room == 0) return;
    /* the arrays with the larger items come first, which keeps all items aligned */
    const int64_t before = index == 8 ? 0 : room * value;
    if (value) chunk->values = (char *)memory + (index == 8 ? 2 * room * index : 0);
    if (index) chunk->rows_of = (char *)memory + before;
    if (index) chunk->cols_of = (char *)memory + before + room * index;
}
