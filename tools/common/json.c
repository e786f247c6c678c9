/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/utf8.h"

static FILE *report; /* stream of reports; NULL: standard output */

/* Gives cJSON its memory; cJSON never sees a failure, since the program ends instead. */
static void *allocate(size_t bytes) {
    return tool_alloc(bytes, 1);
}

static void use_our_memory(void) {
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = allocate, .free_fn = free});
}

cJSON *tool_json_object(void) {
    use_our_memory();
    return cJSON_CreateObject();
}

cJSON *tool_json_array(void) {
    use_our_memory();
    return cJSON_CreateArray();
}

void tool_json_text(cJSON *object, const char *key, const char *text) {
    cJSON_AddItemToObject(object, key, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

/* Makes a whole number from its digits as text, because cJSON's numbers are doubles. */
static cJSON *whole(int64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRId64, number);
    return cJSON_CreateRaw(text);
}

void tool_json_int(cJSON *object, const char *key, int64_t number) {
    cJSON_AddItemToObject(object, key, whole(number));
}

void tool_json_real(cJSON *object, const char *key, double number) {
    cJSON_AddNumberToObject(object, key, number);
}

void tool_json_known(cJSON *object, const char *key, double number) {
    cJSON_AddItemToObject(object, key,
                          isnan(number) ? cJSON_CreateNull() : cJSON_CreateNumber(number));
}

void tool_json_bool(cJSON *object, const char *key, bool value) {
    cJSON_AddBoolToObject(object, key, value);
}

cJSON *tool_json_child(cJSON *object, const char *key) {
    return cJSON_AddObjectToObject(object, key);
}

cJSON *tool_json_list(cJSON *object, const char *key) {
    return cJSON_AddArrayToObject(object, key);
}

cJSON *tool_json_item(cJSON *array) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(array, item);
    return item;
}

void tool_json_push_int(cJSON *array, int64_t number) {
    cJSON_AddItemToArray(array, whole(number));
}

void tool_json_push_real(cJSON *array, double number) {
    cJSON_AddItemToArray(array, cJSON_CreateNumber(number));
}

void tool_json_push_text(cJSON *array, const char *text) {
    cJSON_AddItemToArray(array, cJSON_CreateString(text));
}

/* Makes a byte that is no UTF-8 (file names may have such) a '?'. */
static void make_utf8(char *text) {
    for (char *c = text; *c;) {
        const size_t length = tool_utf8_length(c);
        if (length == 0) *c = '?';
        c += length ? length : 1;
    }
}

void tool_json_write(const cJSON *json, FILE *file, bool one_line) {
    char *text = one_line ? cJSON_PrintUnformatted(json) : cJSON_Print(json);
    make_utf8(text);
    fprintf(file, "%s\n", text);
    cJSON_free(text);
}

void tool_json_print(cJSON *json, FILE *file, bool one_line) {
    tool_json_write(json, file, one_line);
    cJSON_Delete(json);
}

void tool_json_drop_text(cJSON *json) {
    cJSON *next;
    for (cJSON *item = json->child; item; item = next) {
        next = item->next;
        if (item->string && item->string[0] == '_') {
            cJSON_Delete(cJSON_DetachItemViaPointer(json, item));
        } else {
            tool_json_drop_text(item);
        }
    }
}

void tool_json_report_to(FILE *file) {
    report = file;
}

void tool_json_report(cJSON *json) {
    tool_json_drop_text(json);
    tool_json_print(json, report ? report : stdout, false);
}
