/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "io/file/mtx.h"

static char lower(char c) {
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Returns true, and moves *text behind the word, when the word at *text is this one; upper and
 * lower case are the same. */
static bool take_word(const char **text, const char *word) {
    size_t length = 0;
    for (; word[length]; length++) {
        if (lower((*text)[length]) != lower(word[length])) return false;
    }
    const char next = (*text)[length];
    if (next != '\n' && !tulle__is_blank(next)) return false;
    *text = tulle__skip_blanks(*text + length);
    return true;
}

/* Takes one of several words; returns the word's index in the list, or -1. */
static int take_one(const char **text, const char *const *words, int count) {
    for (int i = 0; i < count; i++) {
        if (take_word(text, words[i])) return i;
    }
    return -1;
}

static bool bad_word(const char *text, const char *what, const char *expected, int64_t line,
                     tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    return tulle__note(trouble, TULLE_PARSE_ERROR, line, "'%s' is no %s; expected %s",
                       tulle__word(text, word), what, expected);
}

static bool read_banner(tulle__mtx_head *head, const char *text, tulle__trouble *trouble) {
    static const char *const formats[] = {"coordinate", "array"};
    enum { UNSIGNED = 3, COMPLEX = 5, FIELDS };
    static const char *const fields[] = {"real",    "double", "integer", "unsigned-integer",
                                         "pattern", "complex"};
    static const tulle__field field_of[] = {TULLE__REAL, TULLE__REAL, TULLE__INTEGER,
                                            TULLE__INTEGER, TULLE__PATTERN};
    static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    const int64_t line = head->lines;
    if (!take_word(&text, "%%MatrixMarket"))
        return tulle__note(trouble, TULLE_PARSE_ERROR, line,
                           "this is not a Matrix Market file: it does not start with "
                           "%%%%MatrixMarket");
    if (!take_word(&text, "matrix"))
        return bad_word(text, "object that is read here", "'matrix'", line, trouble);
    const int format = take_one(&text, formats, 2);
    if (format < 0) return bad_word(text, "format", "coordinate or array", line, trouble);
    const int field = take_one(&text, fields, FIELDS);
    if (field < 0) return bad_word(text, "field", "real, integer or pattern", line, trouble);
    const int symmetry = take_one(&text, symmetries, 4);
    if (symmetry < 0)
        return bad_word(text, "symmetry", "general, symmetric or skew-symmetric", line, trouble);
    if (*text != '\n') return bad_word(text, "part of the banner", "the line's end", line, trouble);
    if (field == COMPLEX || symmetry == 3)
        return tulle__note(trouble, TULLE_UNSUPPORTED, line,
                           "%s matrices are not supported; real, integer and pattern ones are",
                           symmetry == 3 ? "Hermitian" : "complex");
    head->array = format == 1;
    head->field = field_of[field];
    head->is_unsigned = field == UNSIGNED;
    head->symmetry = (tulle__symmetry)symmetry;
    head->has_banner = true;
    if (head->field == TULLE__PATTERN && head->array)
        return tulle__note(trouble, TULLE_PARSE_ERROR, line, "an array cannot be a pattern");
    if (head->field == TULLE__PATTERN && head->symmetry == TULLE__SKEW)
        return tulle__note(trouble, TULLE_PARSE_ERROR, line, "a pattern cannot be skew-symmetric");
    return true;
}

/* Takes a size, which consists of digits and is at most 2^63 - 1. */
static bool take_size(const char **text, const char *what, int64_t *size, int64_t line,
                      tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    const char *p = *text;
    int64_t value = 0;
    bool overflow = false;
    for (; *p >= '0' && *p <= '9'; p++) {
        overflow = overflow || __builtin_mul_overflow(value, 10, &value) ||
                   __builtin_add_overflow(value, *p - '0', &value);
    }
    if (**text == '\n')
        return tulle__note(trouble, TULLE_PARSE_ERROR, line, "the size line lacks the number of %s",
                           what);
    if (p == *text || (*p != '\n' && !tulle__is_blank(*p)))
        return tulle__note(trouble, TULLE_PARSE_ERROR, line, "'%s' is no number of %s",
                           tulle__word(*text, word), what);
    if (overflow)
        return tulle__note(trouble, TULLE_TOO_LARGE, line,
                           "the number of %s, %s, does not fit in 63 bits", what,
                           tulle__word(*text, word));
    *text = tulle__skip_blanks(p);
    *size = value;
    return true;
}

bool tulle__mtx_array_size(const tulle__mtx_head *head, int64_t *count) {
    int64_t twice;
    if (head->symmetry == TULLE__GENERAL)
        return !__builtin_mul_overflow(head->rows, head->cols, count);
    const bool skew = head->symmetry == TULLE__SKEW;
    if (head->rows == 0) return *count = 0, true;
    if (head->rows == INT64_MAX) return false;
    if (__builtin_mul_overflow(head->rows, head->rows + (skew ? -1 : 1), &twice)) return false;
    *count = twice / 2;
    return true;
}

static bool read_sizes(tulle__mtx_head *head, const char *text, tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    const int64_t line = head->lines;
    if (!take_size(&text, "rows", &head->rows, line, trouble)) return false;
    if (!take_size(&text, "columns", &head->cols, line, trouble)) return false;
    if (!head->array && !take_size(&text, "entries", &head->stored, line, trouble)) return false;
    if (*text != '\n')
        return tulle__note(trouble, TULLE_PARSE_ERROR, line, "surplus text '%s' on the size line",
                           tulle__word(text, word));
    if (head->symmetry != TULLE__GENERAL && head->rows != head->cols)
        return tulle__note(trouble, TULLE_PARSE_ERROR, line,
                           "a symmetric matrix must be square, not %lld x %lld",
                           (long long)head->rows, (long long)head->cols);
    if (head->array && !tulle__mtx_array_size(head, &head->stored))
        return tulle__note(trouble, TULLE_TOO_LARGE, line,
                           "an array of %lld x %lld has too many values", (long long)head->rows,
                           (long long)head->cols);
    head->wide = head->rows > INT32_MAX || head->cols > INT32_MAX;
    head->done = true;
    return true;
}

/* Returns the text behind the byte order mark with which some editors begin a UTF-8 text. */
static const char *skip_mark(const char *text) {
    static const char mark[] = "\xef\xbb\xbf";
    return text + (strncmp(text, mark, sizeof mark - 1) ? 0 : sizeof mark - 1);
}

static bool read_line(tulle__mtx_head *head, const char *line, int64_t bytes,
                      tulle__trouble *trouble) {
    const char *text = tulle__skip_blanks(head->lines == 0 ? skip_mark(line) : line);
    head->lines++;
    if (!head->has_banner && *text != '\n') return read_banner(head, text, trouble);
    if (bytes > TULLE__LINE_LIMIT)
        return tulle__note(trouble, TULLE_PARSE_ERROR, head->lines,
                           "the line is longer than %d bytes", TULLE__LINE_LIMIT);
    if (*text != '%' && *text != '\n') return read_sizes(head, text, trouble);
    head->skipped += bytes;
    if (head->skipped > TULLE__SKIP_LIMIT)
        return tulle__note(trouble, TULLE_PARSE_ERROR, head->lines,
                           "more than %d MiB of comments and blank lines", TULLE__SKIP_LIMIT >> 20);
    return true;
}

const char *tulle__mtx_read_head(tulle__mtx_head *head, const char *text, const char *end,
                                 tulle__trouble *trouble) {
    while (text < end && !head->done) {
        const char *next = (const char *)memchr(text, '\n', (size_t)(end - text)) + 1;
        if (!read_line(head, text, next - text, trouble)) return NULL;
        text = next;
    }
    return text;
}
