/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Fortran formats as files of sparse matrices have them: one edit descriptor for the whole
 * line, such as (16I5), (5E16.8), (1P,4D20.12), (1P4E20.12E3) or (3(1X,E23.15)). */
#include <ctype.h>

#include "io/file/rb.h"

enum { MOST = 4096, WIDEST = 256 };

static const char *skip(const char *text) {
    while (*text == ' ' || *text == '\t') text++;
    return text;
}

/* Takes a number of up to four digits; returns -1 where there is none. */
static int take_number(const char **text) {
    const char *p = skip(*text);
    int number = -1;
    for (; *p >= '0' && *p <= '9' && number < MOST; p++)
        number = (number < 0 ? 0 : number) * 10 + *p - '0';
    *text = skip(p);
    return number;
}

static bool take(const char **text, char letter) {
    const char *p = skip(*text);
    if (toupper((unsigned char)*p) != letter) return false;
    *text = skip(p + 1);
    return true;
}

/* Takes "1P", "1P," or nothing. */
static void take_scale(const char **text, tulle__rb_format *format) {
    const char *p = *text;
    const bool minus = take(&p, '-');
    const int scale = take_number(&p);
    if (scale < 0 || !take(&p, 'P')) return;
    format->scale = minus ? -scale : scale;
    take(&p, ',');
    *text = p;
}

/* Takes "1X," or nothing. */
static void take_gap(const char **text, tulle__rb_format *format) {
    const char *p = *text;
    const int gap = take_number(&p);
    if (!take(&p, 'X')) return;
    format->gap = gap < 0 ? 1 : gap;
    take(&p, ',');
    *text = p;
}

/* Takes the letters of a real number: D, E, EN, ES, F or G. */
static bool take_letters(const char **text) {
    if (take(text, 'D') || take(text, 'F') || take(text, 'G')) return true;
    if (!take(text, 'E')) return false;
    if (!take(text, 'N')) take(text, 'S');
    return true;
}

/* Takes "E16.8", "E16.8E3" or "I5". */
static bool take_field(const char **text, tulle__rb_format *format) {
    format->integer = take(text, 'I');
    if (!format->integer && !take_letters(text)) return false;
    format->width = take_number(text);
    format->decimals = take(text, '.') ? take_number(text) : 0;
    if (format->width < 1 || format->decimals < 0) return false;
    if (format->integer) format->decimals = 0; /* I5.3 means at least three digits, and no point */
    return !take(text, 'E') || take_number(text) > 0;
}

const char *tulle__rb_read_format(const char *text, tulle__rb_format *format) {
    *format = (tulle__rb_format){.repeat = 1};
    if (!take(&text, '(')) return NULL;
    take_scale(&text, format);
    const char *before = text;
    const int repeat = take_number(&text);
    const bool inner = take(&text, '(');
    if (!inner) text = before;
    take_scale(&text, format);
    take_gap(&text, format);
    const int own = take_number(&text);
    if (!take_field(&text, format)) return NULL;
    if (inner && !take(&text, ')')) return NULL;
    if (!take(&text, ')')) return NULL;
    if (repeat == 0 || own == 0) return NULL;
    if (own > 1 && format->gap) return NULL; /* the gap would stand before the first field only */
    const int64_t fields = (inner && repeat > 0 ? repeat : 1) * (int64_t)(own > 0 ? own : 1);
    if (fields * (format->gap + format->width) >= TULLE__LINE_LIMIT || format->width > WIDEST)
        return NULL;
    format->repeat = (int)fields;
    return text;
}
