/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/fields.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
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
static void put_rounded(FILE *to, double number, const char *format) {
    const int digits = atoi(format);
    const char letter = format[strspn(format, "0123456789")];
    if (letter == 'f') {
        fprintf(to, "%.*f", digits, number);
    } else if (letter == 'e') {
        fprintf(to, "%.*e", digits, number);
    } else {
        fprintf(to, "%.*g", digits, number);
    }
}

static void put_number(FILE *to, const cJSON *value, const char *format) {
    const double number = number_of(value);
    char text[TOOL_HUMAN];
    if (strcmp(format, "count") == 0) {
        fputs(tool_human_count(strtoll(value->valuestring, NULL, 10), text), to);
    } else if (strcmp(format, "bytes") == 0) {
        fputs(tool_human_bytes(number, text), to);
    } else if (strcmp(format, "ms") == 0) {
        fputs(tool_human_seconds(1e-3 * number, text), to);
    } else if (strcmp(format, "s") == 0) {
        fputs(tool_human_seconds(number, text), to);
    } else if (strcmp(format, "plural") == 0) {
        fputs(number == 1 ? "" : "s", to);
    } else {
        put_rounded(to, number, format[0] ? format : "6g");
    }
}

static void put_field(FILE *to, const field *f) {
    const bool digits = cJSON_IsRaw(f->value) && !f->format[0];
    if (f->sign) return;
    if (!f->value) {
        fprintf(to, "{%s}", f->path);
    } else if (digits || cJSON_IsString(f->value)) {
        fputs(f->value->valuestring, to);
    } else {
        put_number(to, f->value, f->format);
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

static void put_part(FILE *to, const cJSON *fields, const char *at, const char *end);

/* Prints a part, or one with a list for each of its items, unless a field of it is missing. */
static void put_whole(FILE *to, const cJSON *fields, const char *at, const char *end) {
    if (strncmp(at, "{*", 2) == 0) {
        const field list = field_at(fields, at);
        const cJSON *item = list.value ? list.value->child : NULL;
        for (; item; item = item->next) put_whole(to, item, end_of(at), end);
    } else if (is_whole(fields, at, end)) {
        put_part(to, fields, at, end);
    }
}

static void put_part(FILE *to, const cJSON *fields, const char *at, const char *end) {
    while (at < end) {
        const size_t opens = strcspn(at, "{<"), rest = (size_t)(end - at);
        const char *next = at + (opens < rest ? opens : rest);
        fwrite(at, 1, (size_t)(next - at), to);
        if (next == end) return;
        at = end_of(next);
        if (*next == '{') {
            const field f = field_at(fields, next);
            put_field(to, &f);
        } else {
            put_whole(to, fields, next + 1, at - 1);
        }
    }
}

/* Returns the filled pattern; released with free. */
static char *text_of(const cJSON *fields, const char *pattern) {
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (to) put_part(to, fields, pattern, pattern + strlen(pattern));
    if (!to || fclose(to) != 0) {
        exit(tool_complain(TOOL_NO_RESOURCE, "out of memory: no room for a report"));
    }
    return text;
}

void tool_say_fields(const cJSON *fields, const char *pattern) {
    char *text = text_of(fields, pattern);
    tool_say("%s", text);
    free(text);
}

/* Returns true unless the pattern of a column begins with a field that lets it stand in no row. */
static bool stands(const cJSON *list, const char *pattern) {
    const bool asks = strncmp(pattern, "{?", 2) == 0 || strncmp(pattern, "{!", 2) == 0;
    for (const cJSON *item = list->child; asks && item; item = item->next) {
        const field f = field_at(item, pattern);
        if (is_kept(&f)) return true;
    }
    return !asks;
}

static void say_columns(const cJSON *fields, const char *key, const tool_column *columns,
                        int indent) {
    const char *headings[TOOL_COLUMNS + 1] = {NULL}, *patterns[TOOL_COLUMNS];
    int count = 0;
    const cJSON *list = find(fields, key);
    if (!list || !list->child) return;
    for (; columns->heading; columns++) {
        if (!stands(list, columns->pattern)) continue;
        assert(count < TOOL_COLUMNS);
        headings[count] = columns->heading;
        patterns[count++] = columns->pattern;
    }
    tool_table *table = tool_table_create(headings);
    for (const cJSON *item = list->child; item; item = item->next) {
        for (int c = 0; c < count; c++) {
            char *text = text_of(item, patterns[c]);
            tool_table_cell(table, "%s", *text || !strchr(headings[c], '>') ? text : "-");
            free(text);
        }
    }
    tool_table_print(table, tool_said(), indent);
}

void tool_say_table(const cJSON *fields, const char *key, const tool_column *columns) {
    say_columns(fields, key, columns, 2);
}

void tool_say_list(const cJSON *fields, const char *key, const tool_column *columns) {
    say_columns(fields, key, columns, 0);
}
