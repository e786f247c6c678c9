/* SPDX-License-Identifier: Apache-2.0 */
/* Reads fields. Fields stand at the places that the format gives, with or without blanks between
 * them. Some programs, SciPy's hb_write among them, name another width in the format than they
 * write. So a line that has as many words as fields, one of them across the border of two fields,
 * is read word by word. */
#include <math.h>
#include <string.h>

#include "io/file/digits.h"
#include "io/file/rb.h"

/* FIELD_ROOM: characters of the copy of a field, which may get an exponent. WIDEST: most characters
 * of a field. */
enum { FIELD_ROOM = 512, WIDEST = 256 };

tulle__fields tulle__fields_of(tulle__lines *lines, const tulle__rb_format *format,
                               const char *what, int64_t count) {
    return (tulle__fields){.lines = lines, .format = format, .what = what, .left = count};
}

/* Copies the current field as a word for messages. */
static const char *word_of(const tulle__fields *fields, char word[TULLE__WORD_ROOM]) {
    char text[TULLE__WORD_ROOM];
    int64_t length = fields->end - fields->text;
    if (length > TULLE__WORD_ROOM - 1) length = TULLE__WORD_ROOM - 1;
    for (int64_t i = 0; i < length; i++)
        text[i] = (char)(tulle__is_blank(fields->text[i]) ? '_' : fields->text[i]);
    text[length] = '\n';
    return tulle__word(text, word);
}

static const char *word_end(const char *text, const char *end) {
    while (text < end && !tulle__is_blank(*text)) text++;
    return text;
}

/* Returns true when the line has as many words as it should have fields, and one word is not inside
 * the place of its field. */
static bool is_out_of_place(const tulle__fields *fields) {
    const tulle__rb_format *format = fields->format;
    const tulle__lines *lines = fields->lines;
    const int64_t due = fields->left < format->repeat ? fields->left : format->repeat;
    const int64_t width = format->gap + format->width;
    int64_t words = 0;
    bool elsewhere = false;
    for (const char *p = tulle__skip_blanks(lines->text); p < lines->end; words++) {
        const char *end = word_end(p, lines->end);
        elsewhere = elsewhere || (p - lines->text) / width != words ||
                    (end - 1 - lines->text) / width != words;
        p = tulle__skip_blanks(end);
    }
    return elsewhere && words == due;
}

static bool next_line(tulle__fields *fields, tulle__trouble *trouble) {
    tulle__lines *lines = fields->lines;
    if (tulle__lines_next(lines, trouble)) {
        fields->on_line = 0;
        fields->by_words = is_out_of_place(fields);
        return true;
    }
    return tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                       "the file is cut off: it ends before another %s", fields->what);
}

/* Takes the field at the place that the format gives; fails if the place is blank. */
static bool take_place(tulle__fields *fields, tulle__trouble *trouble) {
    const tulle__rb_format *format = fields->format;
    const tulle__lines *lines = fields->lines;
    const int64_t length = lines->end - lines->text;
    int64_t begin = (int64_t)fields->on_line * (format->gap + format->width) + format->gap;
    int64_t end = begin + format->width < length ? begin + format->width : length;
    while (begin < end && tulle__is_blank(lines->text[begin])) begin++;
    while (begin < end && tulle__is_blank(lines->text[end - 1])) end--;
    fields->text = lines->text + begin;
    fields->end = lines->text + end;
    return begin < end || tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                                      "field %d of the line is blank, and should be the next %s",
                                      fields->on_line + 1, fields->what);
}

/* Takes the next word of the line, which must exist. */
static bool take_word(tulle__fields *fields, tulle__trouble *trouble) {
    const tulle__lines *lines = fields->lines;
    fields->text = tulle__skip_blanks(fields->on_line == 0 ? lines->text : fields->end);
    fields->end = word_end(fields->text, lines->end);
    return fields->end - fields->text <= WIDEST ||
           tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                       "a %s is longer than %d characters", fields->what, WIDEST);
}

static bool next_field(tulle__fields *fields, tulle__trouble *trouble) {
    const bool is_first = !fields->text || fields->on_line == fields->format->repeat;
    if (is_first && !next_line(fields, trouble)) return false;
    if (!(fields->by_words ? take_word : take_place)(fields, trouble)) return false;
    fields->on_line++;
    fields->left--;
    return true;
}

bool tulle__field_integer(tulle__fields *fields, int64_t *number, tulle__trouble *trouble) {
    enum { DIGITS = 18 };
    char word[TULLE__WORD_ROOM];
    if (!next_field(fields, trouble)) return false;
    const char *p = fields->text;
    *number = 0;
    for (; p < fields->end && tulle__is_digit(*p) && p - fields->text < DIGITS; p++)
        *number = *number * 10 + (*p - '0');
    return p == fields->end || tulle__note(trouble, TULLE_PARSE_ERROR, fields->lines->number,
                                           "'%s' is no %s", word_of(fields, word), fields->what);
}

/* Returns the place where the exponent begins: its letter or, as in 1.5-101, its sign; end where
 * there is no exponent. */
static const char *exponent_of(const char *text, const char *end) {
    for (const char *p = text; p < end; p++) {
        if (strchr("eEdD", *p) || (p > text && (*p == '+' || *p == '-'))) return p;
    }
    return end;
}

/* Copies the field in the form that the reader of decimal numbers takes, with a newline at its end.
 * A blank behind the letter of the exponent is left out. The format's rule for numbers without a
 * point or an exponent becomes part of the exponent. Returns NULL if the exponent is no number. */
static const char *normalise(const tulle__fields *fields, char text[FIELD_ROOM]) {
    const tulle__rb_format *format = fields->format;
    const char *exponent = exponent_of(fields->text, fields->end), *p = exponent;
    const size_t digits = (size_t)(exponent - fields->text);
    const bool has_point = memchr(fields->text, '.', digits) != NULL;
    const bool has_exponent = exponent < fields->end;
    const int shift = -(has_point ? 0 : format->decimals) - (has_exponent ? 0 : format->scale);
    int64_t value = 0;
    memcpy(text, fields->text, digits);
    if (!has_exponent && shift == 0) {
        text[digits] = '\n';
        return text + digits;
    }
    if (p < fields->end && *p != '+' && *p != '-') p++;
    while (p < fields->end && tulle__is_blank(*p)) p++;
    const bool minus = p < fields->end && *p == '-';
    if (p < fields->end && (*p == '+' || *p == '-')) p++;
    if (has_exponent && p == fields->end) return NULL;
    for (; p < fields->end && tulle__is_digit(*p); p++) {
        if (value < 100000) value = value * 10 + (*p - '0');
    }
    if (p < fields->end) return NULL;
    const int length = snprintf(text + digits, FIELD_ROOM - digits, "e%lld\n",
                                (long long)(minus ? -value : value) + shift);
    return text + digits + length - 1;
}

static bool bad_value(const tulle__fields *fields, const char *why, tulle__trouble *trouble) {
    char word[TULLE__WORD_ROOM];
    return tulle__note(trouble, TULLE_PARSE_ERROR, fields->lines->number, "'%s' is %s",
                       word_of(fields, word), why);
}

static void count_one(int64_t line, int64_t *count, int64_t *first_line) {
    if ((*count)++ == 0) *first_line = line;
}

bool tulle__field_value(tulle__fields *fields, const tulle__mtx_head *head, void *values,
                        int64_t at, tulle__chunks *counts, tulle__trouble *trouble) {
    const bool is_f32 = head->type == TULLE_F32;
    char text[FIELD_ROOM];
    float f32 = 0;
    double f64 = 0;
    if (!next_field(fields, trouble)) return false;
    const char *end = normalise(fields, text), *behind = NULL;
    if (end)
        behind =
            is_f32 ? tulle__read_f32(text, end + 1, &f32) : tulle__read_f64(text, end + 1, &f64);
    if (!end || behind != end) return bad_value(fields, "no finite number", trouble);
    if (head->field == TULLE__INTEGER && !tulle__is_whole(text, end))
        return bad_value(fields, "no whole number, which a matrix of integers asks for", trouble);
    const double value = is_f32 ? (double)f32 : f64;
    if (!isfinite(value))
        return bad_value(fields, is_f32 ? "too large for f32; read it as f64" : "too large for f64",
                         trouble);
    if (is_f32) {
        ((float *)values)[at] = f32;
    } else {
        ((double *)values)[at] = f64;
    }
    const int64_t line = fields->lines->number;
    if (value == 0 && tulle__is_other_than_0(text, end))
        count_one(line, &counts->vanished, &counts->vanished_line);
    if (head->field == TULLE__INTEGER && fabs(value) >= tulle__first_gap(head->type) &&
        !tulle__is_exact(text, end, value))
        count_one(line, &counts->rounded, &counts->rounded_line);
    return true;
}

bool tulle__fields_end(const tulle__fields *fields, tulle__trouble *trouble) {
    const tulle__rb_format *format = fields->format;
    const tulle__lines *lines = fields->lines;
    const int64_t given = (int64_t)fields->on_line * (format->gap + format->width);
    if (!fields->text || fields->by_words) return true;
    for (const char *p = lines->text + given; p < lines->end; p++) {
        if (!tulle__is_blank(*p))
            return tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                               "surplus text behind the last %s", fields->what);
    }
    return true;
}
