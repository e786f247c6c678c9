/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the part of XML that VTK's files use: tags and attributes. Declarations of document types
 * are not read, so that no text stands for a longer one, and all texts are pieces of the file. */
#define _GNU_SOURCE
#include <string.h>

#include "io/file/decimal.h"
#include "io/file/vtu.h"

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || tulle__is_digit(c) || c == '_' ||
           c == ':' || c == '-' || c == '.';
}

bool tulle__slice_is(tulle__slice slice, const char *text) {
    const size_t length = strlen(text);
    return (size_t)(slice.end - slice.begin) == length && !memcmp(slice.begin, text, length);
}

/* Moves behind a text that ends a comment or an instruction; fails if the file ends before that. */
static bool skip_to(tulle__vtu *vtu, const char *at, const char *text, const char *what) {
    tulle__msh *msh = vtu->msh;
    const char *found = memmem(at, (size_t)(msh->end - at), text, strlen(text));
    if (!found) return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "the file ends in %s", what);
    msh->at = found + strlen(text);
    return true;
}

/* Skips a comment or a processing instruction; *over is true if there was one. */
static bool skip_other(tulle__vtu *vtu, const char *at, bool *over) {
    const size_t left = (size_t)(vtu->msh->end - at);
    *over = true;
    if (left >= 4 && !memcmp(at, "<!--", 4)) return skip_to(vtu, at + 4, "-->", "a comment");
    if (left >= 2 && at[1] == '?') return skip_to(vtu, at + 2, "?>", "an instruction of XML");
    *over = false;
    if (left < 2 || at[1] != '!') return true;
    return tulle__msh_bad(vtu->msh, at, TULLE_UNSUPPORTED,
                          "declarations of XML are not read, and VTK writes none");
}

/* Returns the '>' that ends a tag. A '>' between quotes does not end the tag. */
static const char *find_end(const char *at, const char *end) {
    char quote = 0;
    for (; at < end; at++) {
        if (quote != 0) {
            quote = *at == quote ? 0 : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '>') {
            return at;
        } else if (*at == '<') {
            return NULL;
        }
    }
    return NULL;
}

static bool take_tag(tulle__vtu *vtu, const char *at, tulle__tag *tag) {
    tulle__msh *msh = vtu->msh;
    const char *name = at + 1, *end = find_end(name, msh->end);
    if (!end) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR,
                              "a tag of XML begins here, and no '>' "
                              "ends it");
    }
    tag->at = at;
    tag->closes = *name == '/';
    name += tag->closes;
    tag->empty = end > name && end[-1] == '/';
    const char *behind = name;
    while (behind < end && is_name(*behind)) behind++;
    tag->name = (tulle__slice){name, behind};
    tag->attributes = (tulle__slice){behind, end - tag->empty};
    msh->at = end + 1;
    return behind > name || tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "a tag without a name");
}

bool tulle__vtu_next(tulle__vtu *vtu, tulle__tag *tag) {
    tulle__msh *msh = vtu->msh;
    const char *before = msh->at;
    for (;;) {
        bool over;
        const char *at = memchr(msh->at, '<', (size_t)(msh->end - msh->at));
        if (!at) {
            return tulle__msh_bad(msh, msh->end, TULLE_PARSE_ERROR,
                                  "the file ends before </VTKFile>");
        }
        if (!skip_other(vtu, at, &over)) return false;
        if (over) {
            before = msh->at;
            continue;
        }
        tag->before = (tulle__slice){before, at};
        return take_tag(vtu, at, tag);
    }
}

/* Takes an attribute of the form name = "value", and the spaces before it. */
static bool take_attribute(const char **at, const char *end, tulle__slice *name,
                           tulle__slice *value) {
    const char *c = *at;
    name->begin = c;
    while (c < end && is_name(*c)) c++;
    name->end = c;
    while (c < end && is_space(*c)) c++;
    if (name->end == name->begin || c == end || *c != '=') return false;
    for (c++; c < end && is_space(*c);) c++;
    if (c == end || (*c != '"' && *c != '\'')) return false;
    value->begin = c + 1;
    value->end = memchr(c + 1, *c, (size_t)(end - c - 1));
    if (!value->end) return false;
    *at = value->end + 1;
    return true;
}

bool tulle__vtu_attribute(tulle__vtu *vtu, const tulle__tag *tag, const char *name,
                          tulle__slice *value, bool *has) {
    const char *at = tag->attributes.begin, *end = tag->attributes.end;
    *has = false;
    for (;;) {
        tulle__slice own, text;
        while (at < end && is_space(*at)) at++;
        if (at == end) return true;
        if (!take_attribute(&at, end, &own, &text)) {
            return tulle__msh_bad(vtu->msh, tag->at, TULLE_PARSE_ERROR,
                                  "an attribute of <%.*s> is not of the form name=\"value\"",
                                  (int)(tag->name.end - tag->name.begin), tag->name.begin);
        }
        if (!tulle__slice_is(own, name)) continue;
        *value = text;
        *has = true;
    }
}

bool tulle__vtu_number(tulle__vtu *vtu, tulle__slice text, const char *what, int64_t *number) {
    int64_t value = 0;
    bool good = text.end > text.begin;
    for (const char *c = text.begin; c < text.end && good; c++) {
        good = tulle__is_digit(*c) && !__builtin_mul_overflow(value, 10, &value) &&
               !__builtin_add_overflow(value, *c - '0', &value);
    }
    *number = value;
    return good || tulle__msh_bad(vtu->msh, text.begin, TULLE_PARSE_ERROR,
                                  "%s: '%.*s' is no number in range", what,
                                  (int)(text.end - text.begin < 24 ? text.end - text.begin : 24),
                                  text.begin);
}
