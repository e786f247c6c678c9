/* SPDX-License-Identifier: Apache-2.0 */
/* A thin layer over cJSON: 64-bit integers whole, NaN and infinities as null, no memory: the
 * program ends as tool_alloc does. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

cJSON *tool_json_object(void);
cJSON *tool_json_array(void);
void tool_json_text(cJSON *object, const char *key, const char *text); /* NULL: null */
void tool_json_int(cJSON *object, const char *key, int64_t number);
void tool_json_real(cJSON *object, const char *key, double number);
void tool_json_bool(cJSON *object, const char *key, bool value);
cJSON *tool_json_child(cJSON *object, const char *key); /* a new object in it */
cJSON *tool_json_list(cJSON *object, const char *key);  /* a new array in it */
cJSON *tool_json_item(cJSON *array);                    /* a new object at its end */
void tool_json_push_int(cJSON *array, int64_t number);
void tool_json_push_real(cJSON *array, double number);
void tool_json_push_text(cJSON *array, const char *text);

/* Prints it, indented or as one line, with a newline, and frees it. */
void tool_json_print(cJSON *json, FILE *file, bool one_line);

/* The same for the report of a command, which goes to standard output or to the file that
 * tool_json_report_to had last (tools/common/report.h). */
void tool_json_report(cJSON *json);
void tool_json_report_to(FILE *file);

#endif
