/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the head. Its lines have a title; numbers of lines; type and sizes; formats; and, where
 * right-hand sides follow the matrix, their kind. The lengths of the lists follow from the sizes,
 * so the numbers of lines only tell whether there are values and right-hand sides. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "io/file/rb.h"

enum { CODE = 3, NUMBERS = 14 };

/* Returns the start of the line behind the next newline, or NULL. */
static const char *next_line(const char *text, const char *end) {
    const char *newline = text ? memchr(text, '\n', (size_t)(end - text)) : NULL;
    return newline ? newline + 1 : NULL;
}

static bool is_one_of(char letter, const char *letters) {
    return letter != '\0' && strchr(letters, toupper((unsigned char)letter));
}

/* Returns true for a code of three letters: the kind of values, the symmetry, and A for assembled
 * or E for elements. */
static bool is_code(const char *text) {
    return is_one_of(text[0], "RCPIQ") && is_one_of(text[1], "SUHZR") && is_one_of(text[2], "AE");
}

/* Returns true when the third line begins with the code and eleven blanks, and numbers follow. */
static bool looks_so(const char *head, int64_t size) {
    const char *end = head + size;
    const char *third = next_line(next_line(head, end), end);
    if (!third || end - third <= NUMBERS || !is_code(third)) return false;
    for (int i = CODE; i < NUMBERS; i++) {
        if (third[i] != ' ') return false;
    }
    return true;
}

/* Returns true when the name ends with "rb", "hb", or a code such as "rua", before an ending of
 * compression. */
static bool is_named_so(const char *name) {
    static const char *const packed[] = {".gz", ".xz", ".zst"};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        const size_t own = strlen(packed[i]);
        if (length > own && !strcasecmp(name + length - own, packed[i])) {
            length -= own;
            break;
        }
    }
    const char *end = name + length;
    if (length > 3 && end[-3] == '.') return is_one_of(end[-2], "RH") && is_one_of(end[-1], "B");
    return length > 4 && end[-4] == '.' && is_code(end - 3);
}

bool tulle__is_rb(const tulle__source *source) {
    if (looks_so(source->head, source->head_size)) return true;
    const bool has_banner = source->head_size >= 2 && !memcmp(source->head, "%%", 2);
    return !has_banner && is_named_so(source->name);
}

static bool next(tulle__lines *lines, tulle__trouble *trouble) {
    if (tulle__lines_next(lines, trouble)) return true;
    return tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                       "the file ends inside the head of a Harwell-Boeing or Rutherford-Boeing "
                       "file");
}

/* Reads all integers, which must not be negative, up to the end of the line; returns their number,
 * or -1. */
static int read_numbers(const tulle__lines *lines, const char *text, int64_t *numbers, int most,
                        tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    int count = 0;
    for (text = tulle__skip_blanks(text); *text != '\n'; count++) {
        const char *start = text;
        int64_t number = 0;
        bool fits = true;
        for (; *text >= '0' && *text <= '9'; text++)
            fits = fits && !__builtin_mul_overflow(number, 10, &number) &&
                   !__builtin_add_overflow(number, *text - '0', &number);
        if (text == start || !fits || count == most || (*text != '\n' && !tulle__is_blank(*text))) {
            tulle__note(trouble, fits ? TULLE_PARSE_ERROR : TULLE_TOO_LARGE, lines->number,
                        count == most ? "surplus text '%s' behind the numbers of the head"
                        : fits        ? "'%s' is no number from 0 on"
                                      : "the number %s does not fit in 63 bits",
                        tulle__word(start, word));
            return -1;
        }
        numbers[count] = number;
        text = tulle__skip_blanks(text);
    }
    return count;
}

/* Reads line 2: the numbers of lines in all, of offsets, of indices, of values and, in some files,
 * of right-hand sides. */
static bool read_lines(tulle__lines *lines, tulle__rb_head *rb, tulle__trouble *trouble) {
    enum { VALUES = 3, SIDES = 4, MOST };
    int64_t numbers[MOST] = {0};
    if (!next(lines, trouble)) return false;
    const int count = read_numbers(lines, lines->text, numbers, MOST, trouble);
    if (count < 0) return false;
    rb->value_lines = numbers[VALUES];
    rb->side_lines = numbers[SIDES];
    return count > VALUES || tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                                         "the line has %d numbers of lines, fewer than 4", count);
}

static bool unsupported(const tulle__lines *lines, const char *code, const char *what,
                        tulle__trouble *trouble) {
    return tulle__note(trouble, TULLE_UNSUPPORTED, lines->number,
                       "%c%c%c: %s; assembled real, integer and pattern matrices are read", code[0],
                       code[1], code[2], what);
}

static bool read_code(const tulle__lines *lines, tulle__mtx_head *head, tulle__trouble *trouble) {
    char code[CODE + 1] = "", word[TULLE__WORD_ROOM];
    if (lines->end - lines->text < CODE || !is_code(lines->text))
        return tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                           "'%s' is no type of a matrix, such as RUA or PSA",
                           tulle__word(lines->text, word));
    for (int i = 0; i < CODE; i++) code[i] = (char)toupper((unsigned char)lines->text[i]);
    if (code[0] == 'C')
        return unsupported(lines, code, "complex numbers are not supported", trouble);
    if (code[1] == 'H')
        return unsupported(lines, code, "Hermitian matrices are not supported", trouble);
    if (code[2] == 'E')
        return unsupported(lines, code, "matrices of unassembled elements are not supported",
                           trouble);
    if (code[0] == 'Q')
        return unsupported(lines, code, "values in a file of their own are not supported", trouble);
    head->field = code[0] == 'R' ? TULLE__REAL : code[0] == 'I' ? TULLE__INTEGER : TULLE__PATTERN;
    head->symmetry = code[1] == 'S'   ? TULLE__SYMMETRIC
                     : code[1] == 'Z' ? TULLE__SKEW
                                      : TULLE__GENERAL;
    if (head->field == TULLE__PATTERN && head->symmetry == TULLE__SKEW)
        return tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                           "a pattern cannot be skew-symmetric");
    return true;
}

/* Reads line 3: the code, and the numbers of rows, columns, entries and entries of elements; the
 * last one must be 0. */
static bool read_sizes(tulle__lines *lines, tulle__mtx_head *head, tulle__trouble *trouble) {
    enum { ROWS, COLS, ENTRIES, ELEMENTS, MOST };
    int64_t numbers[MOST] = {0};
    if (!next(lines, trouble) || !read_code(lines, head, trouble)) return false;
    const int count = read_numbers(lines, lines->text + CODE, numbers, MOST, trouble);
    if (count < 0) return false;
    if (count <= ENTRIES)
        return tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                           "the line lacks the number of %s",
                           count == ROWS   ? "rows"
                           : count == COLS ? "columns"
                                           : "entries");
    head->rows = numbers[ROWS];
    head->cols = numbers[COLS];
    head->stored = numbers[ENTRIES];
    head->wide = head->rows > INT32_MAX || head->cols > INT32_MAX;
    if (head->symmetry != TULLE__GENERAL && head->rows != head->cols)
        return tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                           "a symmetric matrix must be square, not %lld x %lld",
                           (long long)head->rows, (long long)head->cols);
    return head->cols < INT64_MAX ||
           tulle__note(trouble, TULLE_TOO_LARGE, lines->number,
                       "the offsets of %lld columns are too many", (long long)head->cols);
}

/* Reads line 4: the formats of offsets, of indices and, unless the matrix is a pattern, of
 * values. */
static bool read_formats(tulle__lines *lines, tulle__rb_head *rb, tulle__trouble *trouble) {
    static const char *const names[] = {"offsets", "indices", "values"};
    enum { ROOM = 256 };
    char text[ROOM], word[TULLE__WORD_ROOM];
    if (!next(lines, trouble)) return false;
    const int64_t length = lines->end - lines->text;
    const size_t kept = length < ROOM ? (size_t)length : ROOM - 1;
    const char *at = text;
    memcpy(text, lines->text, kept);
    text[kept] = 0;
    const int lists = rb->head->field == TULLE__PATTERN ? TULLE__RB_VALUES : TULLE__RB_LISTS;
    for (int i = 0; i < lists; i++) {
        const char *start = at;
        at = tulle__rb_read_format(start, &rb->format[i]);
        if (at && (i == TULLE__RB_VALUES || rb->format[i].integer)) continue;
        const int64_t skipped = start - text + (int64_t)strspn(start, " \t");
        return tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                           "'%s' is no format of %s that is read, such as %s",
                           tulle__word(lines->text + skipped, word), names[i],
                           i == TULLE__RB_VALUES ? "(5E16.8)" : "(16I5)");
    }
    return true;
}

bool tulle__rb_read_head(tulle__lines *lines, tulle__rb_head *rb, tulle__trouble *trouble) {
    if (!next(lines, trouble)) return false;
    if (!read_lines(lines, rb, trouble) || !read_sizes(lines, rb->head, trouble)) return false;
    if (rb->head->field != TULLE__PATTERN && rb->value_lines == 0 && rb->head->stored > 0)
        return tulle__note(trouble, TULLE_PARSE_ERROR, 2,
                           "the head promises no lines of values, which its type calls for");
    if (!read_formats(lines, rb, trouble)) return false;
    if (rb->side_lines > 0 && !next(lines, trouble)) return false;
    rb->head->lines = lines->number;
    return true;
}
