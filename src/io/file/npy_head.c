/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the head of a NumPy array: a dictionary in Python's notation with three keys, such as
 * {'descr': '<f8', 'fortran_order': False, 'shape': (3,), }. */
#include <string.h>

#include "io/file/npy.h"

enum { TYPE_ROOM = 24 };

/* The text that is being read, and the array that the text describes. */
typedef struct head {
    const char *at;
    const char *whole; /* name of the array in messages */
    tulle__npy *npy;
    tulle__trouble *trouble;
} head;

static bool bad_head(head *h) {
    return tulle__note(h->trouble, TULLE_PARSE_ERROR, 0,
                       "the head of %s is no description of an array", h->whole);
}

static void skip_blanks(head *h) {
    h->at += strspn(h->at, " \n\t");
}

static bool take(head *h, char sign) {
    skip_blanks(h);
    if (*h->at != sign) return false;
    h->at++;
    return true;
}

/* Takes a string between quotes of either kind. Characters other than printable ASCII become
 * '?'. */
static bool take_string(head *h, char text[TYPE_ROOM]) {
    skip_blanks(h);
    const char quote = *h->at;
    if (quote != '\'' && quote != '"') return bad_head(h);
    const char *end = strchr(h->at + 1, quote);
    if (!end || end - h->at > TYPE_ROOM) return bad_head(h);
    const size_t length = (size_t)(end - h->at - 1);
    for (size_t i = 0; i < length; i++) {
        const char c = h->at[1 + i];
        text[i] = (char)(c >= ' ' && c <= '~' ? c : '?');
    }
    text[length] = 0;
    h->at = end + 1;
    return true;
}

static bool take_bool(head *h, bool *is_true) {
    skip_blanks(h);
    const size_t length = strspn(h->at, "TrueFals");
    *is_true = length == 4 && !strncmp(h->at, "True", length);
    if (!*is_true && (length != 5 || strncmp(h->at, "False", length) != 0)) return bad_head(h);
    h->at += length;
    return true;
}

/* Takes a number, and the L that version 2 of Python writes behind numbers. */
static bool take_number(head *h, int64_t *number) {
    const char *start = h->at;
    *number = 0;
    for (; *h->at >= '0' && *h->at <= '9'; h->at++) {
        if (__builtin_mul_overflow(*number, 10, number) ||
            __builtin_add_overflow(*number, *h->at - '0', number))
            return tulle__note(h->trouble, TULLE_TOO_LARGE, 0,
                               "the shape of %s does not fit in 63 bits", h->whole);
    }
    if (h->at == start) return bad_head(h);
    if (*h->at == 'L') h->at++;
    return true;
}

static bool take_shape(head *h) {
    tulle__npy *npy = h->npy;
    npy->dimensions = 0;
    npy->raw.count = 1;
    if (!take(h, '(')) return bad_head(h);
    while (!take(h, ')')) {
        int64_t size;
        if (npy->dimensions == TULLE__NPY_DIMENSIONS)
            return tulle__note(h->trouble, TULLE_PARSE_ERROR, 0, "%s has more than %d dimensions",
                               h->whole, TULLE__NPY_DIMENSIONS);
        if (!take_number(h, &size)) return false;
        npy->shape[npy->dimensions++] = size;
        if (__builtin_mul_overflow(npy->raw.count, size, &npy->raw.count))
            return tulle__note(h->trouble, TULLE_TOO_LARGE, 0,
                               "the shape of %s does not fit in 63 bits", h->whole);
        if (!take(h, ',') && *h->at != ')') return bad_head(h);
    }
    return true;
}

static bool other_type(head *h, const char *type) {
    const char kind = type[0] ? type[1] : 0;
    if (kind == 'c')
        return tulle__note(h->trouble, TULLE_UNSUPPORTED, 0,
                           "%s holds complex numbers, which are not supported; real and integer "
                           "ones are",
                           h->whole);
    return tulle__note(h->trouble, TULLE_UNSUPPORTED, 0,
                       "%s holds numbers of NumPy's type '%s', which is not read; convert the "
                       "matrix with A.astype('float64')",
                       h->whole, type);
}

/* Reads a type such as <f8, which consists of the order of bytes, the kind, and the number of bytes
 * or characters. */
static bool read_type(head *h, const char *type) {
    enum { MOST_TEXT = 64, UNICODE = 4 };
    tulle__raw *raw = &h->npy->raw;
    const bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (!type[0] || !strchr("<>=|", type[0])) return other_type(h, type);
    head size = {.at = type + (type[1] ? 2 : 1), .whole = h->whole, .trouble = h->trouble};
    if (!strchr("biufSU", type[1]) || !take_number(&size, &raw->size) || *size.at ||
        raw->size > MOST_TEXT) {
        *h->trouble = (tulle__trouble){0};
        return other_type(h, type);
    }
    raw->unit = raw->size;
    bool good = raw->size == 1 || raw->size == 2 || raw->size == 4 || raw->size == 8;
    switch (type[1]) {
        case 'b':
            raw->kind = TULLE__RAW_BOOL;
            good = raw->size == 1;
            break;
        case 'i':
            raw->kind = TULLE__RAW_SIGNED;
            break;
        case 'u':
            raw->kind = TULLE__RAW_UNSIGNED;
            break;
        case 'f':
            raw->kind = TULLE__RAW_FLOAT;
            good = raw->size == 4 || raw->size == 8;
            break;
        default:
            raw->kind = TULLE__RAW_TEXT;
            raw->unit = type[1] == 'U' ? UNICODE : 1;
            raw->size *= raw->unit;
            good = raw->size > 0;
    }
    raw->swapped = (type[0] == '<' && !is_little) || (type[0] == '>' && is_little);
    return good || other_type(h, type);
}

enum { TYPE = 1, ORDER = 2, SHAPE = 4, ALL = 7 };

/* Reads the value of a key, and adds the key to the set of keys that have been read. */
static bool read_value(head *h, const char *key, int *keys) {
    char type[TYPE_ROOM];
    const int which = !strcmp(key, "descr")           ? TYPE
                      : !strcmp(key, "fortran_order") ? ORDER
                      : !strcmp(key, "shape")         ? SHAPE
                                                      : ALL;
    if (*keys & which) return bad_head(h);
    *keys |= which;
    skip_blanks(h);
    if (which == ORDER) return take_bool(h, &h->npy->first_fastest);
    if (which == SHAPE) return take_shape(h);
    if (which == ALL) return bad_head(h);
    if (*h->at == '[') return other_type(h, "|V");
    return take_string(h, type) && read_type(h, type);
}

bool tulle__npy_read_head(const char *text, const char *whole, tulle__npy *npy,
                          tulle__trouble *trouble) {
    head h = {text, whole, npy, trouble};
    char key[TYPE_ROOM];
    int keys = 0;
    if (!take(&h, '{')) return bad_head(&h);
    while (!take(&h, '}')) {
        if (!take_string(&h, key)) return false;
        if (!take(&h, ':')) return bad_head(&h);
        if (!read_value(&h, key, &keys)) return false;
        if (!take(&h, ',') && *h.at != '}') return bad_head(&h);
    }
    skip_blanks(&h);
    return (keys == ALL && !*h.at) || bad_head(&h);
}
