/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/fields.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/say.h"
#include "tools/common/table.h"

enum { WORD = 64 };

/* A field that a pattern names: the words between its braces, and its value. */
typedef struct field {
    char path[WORD], format[WORD]; /* words before and behind the colon; format "": no colon */
    char sign;                     /* '?', '!' or '*'; 0: none of them stands there */
    const cJSON *value;            /* NULL: there is no such field, or it is null */
} field;

static const cJSON *find(const cJSON *object, const char *path) {
    char key[WORD];
    while (object && *path) {
        const size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        object = cJSON_GetObjectItemCaseSensitive(object, key);
        path += length + (path[length] == '.');
    }
    return cJSON_IsNull(object) ? NULL : object;
}

/* Reads the field whose brace opens at `at`. */
static field field_at(const cJSON *fields, const char *at) {
    field f = {.sign = strchr("?!*", at[1]) ? at[1] : '\0'};
    const char *path = at + (f.sign ? 2 : 1);
    const size_t length = strcspn(path, ":}"), rest = strcspn(path + length, "}");
    snprintf(f.path, sizeof f.path, "%.*s", (int)length, path);
    if (rest > 0) snprintf(f.format, sizeof f.format, "%.*s", (int)rest - 1, path + length + 1);
    f.value = find(fields, f.path);
    return f;
}

/* Returns the number of a field; whole ones are kept as their digits (json.h). */
static double number_of(const cJSON *value) {
    return cJSON_IsRaw(value) ? strtod(value->valuestring, NULL) : value->valuedouble;
}

static bool is_true(const cJSON *value) {
    if (cJSON_IsNumber(value) || cJSON_IsRaw(value)) return number_of(value) != 0;
    if (cJSON_IsString(value)) return value->valuestring[0] != '\0';
    return value && !cJSON_IsFalse(value);
}

/* Returns true where the field lets its part stand. */
static bool is_kept(const field *f) {
    if (f->sign == '?') return is_true(f->value);
    return f->sign == '!' ? !is_true(f->value) : f->value != NULL;
}

/* Prints a number by a format such as "4g". */
static void say_rounded(double number, const char *format) {
    const int digits = atoi(format);
    const char letter = format[strspn(format, "0123456789")];
    if (letter == 'f') {
        tool_say("%.*f", digits, number);
    } else if (letter == 'e') {
        tool_say("%.*e", digits, number);
    } else {
        tool_say("%.*g", digits, number);
    }
}

static void say_number(const cJSON *value, const char *format) {
    const double number = number_of(value);
    char text[TOOL_HUMAN];
    if (strcmp(format, "count") == 0) {
        const int64_t whole = strtoll(value->valuestring, NULL, 10);
        tool_say("%s", tool_human_count(whole, text));
    } else if (strcmp(format, "bytes") == 0) {
        tool_say("%s", tool_human_bytes(number, text));
    } else if (strcmp(format, "ms") == 0) {
        tool_say("%s", tool_human_seconds(1e-3 * number, text));
    } else if (strcmp(format, "s") == 0) {
        tool_say("%s", tool_human_seconds(number, text));
    } else if (strcmp(format, "plural") == 0) {
        tool_say("%s", number == 1 ? "" : "s");
    } else {
        say_rounded(number, format[0] ? format : "6g");
    }
}

static void say_field(const field *f) {
    const bool digits = cJSON_IsRaw(f->value) && !f->format[0];
    if (f->sign) return;
    if (!f->value) {
        tool_say("{%s}", f->path);
    } else if (digits || cJSON_IsString(f->value)) {
        tool_say("%s", f->value->valuestring);
    } else {
        say_number(f->value, f->format);
    }
}

/* Returns the end of the field or the part that opens at `at`, behind its sign. */
static const char *end_of(const char *at) {
    int depth = 0;
    if (*at == '{') return at + strcspn(at, "}") + 1;
    do {
        depth += (*at == '<') - (*at == '>');
        at++;
    } while (depth > 0);
    return at;
}

/* Returns true where all fields of a part, but for those of parts in it, let the part stand. */
static bool is_whole(const cJSON *fields, const char *at, const char *end) {
    for (at += strcspn(at, "{<"); at < end; at += strcspn(at, "{<")) {
        const field f = field_at(fields, at);
        if (*at == '{' && !is_kept(&f)) return false;
        at = end_of(at);
    }
    return true;
}

static void say_part(const cJSON *fields, const char *at, const char *end);

/* Prints a part, or one with a list for each of its items, unless a field of it is missing. */
static void say_whole(const cJSON *fields, const char *at, const char *end) {
    if (strncmp(at, "{*", 2) == 0) {
        const field list = field_at(fields, at);
        const cJSON *item;
        cJSON_ArrayForEach(item, list.value) say_whole(item, end_of(at), end);
    } else if (is_whole(fields, at, end)) {
        say_part(fields, at, end);
    }
}

static void say_part(const cJSON *fields, const char *at, const char *end) {
    while (at < end) {
        const size_t opens = strcspn(at, "{<"), rest = (size_t)(end - at);
        const char *next = at + (opens < rest ? opens : rest);
        tool_say("%.*s", (int)(next - at), at);
        if (next == end) return;
        at = end_of(next);
        if (*next == '{') {
            const field f = field_at(fields, next);
            say_field(&f);
        } else {
            say_whole(fields, next + 1, at - 1);
        }
    }
}

void tool_say_fields(const cJSON *fields, const char *pattern) {
    say_part(fields, pattern, pattern + strlen(pattern));
}
