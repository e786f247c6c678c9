/* SPDX-License-Identifier: Apache-2.0 */
/* A thin layer over cJSON: 64-bit integers stay exact, NaN and infinities become null, and without
 * memory the program ends as in tool_alloc. */
#ifndef TOOL_JSON_H
#define TOOL_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cjson/cJSON.h>

cJSON *tool_json_object(void);
cJSON *tool_json_array(void);
void tool_json_text(cJSON *object, const char *key, const char *text); /* NULL becomes null */
void tool_json_int(cJSON *object, const char *key, int64_t number);
void tool_json_real(cJSON *object, const char *key, double number);
void tool_json_known(cJSON *object, const char *key, double number); /* NaN is null in text, too */
void tool_json_bool(cJSON *object, const char *key, bool value);
cJSON *tool_json_child(cJSON *object, const char *key); /* adds a new object to an object */
cJSON *tool_json_list(cJSON *object, const char *key);  /* adds a new array to an object */
cJSON *tool_json_item(cJSON *array);                    /* adds a new object to an array */
void tool_json_push_int(cJSON *array, int64_t number);
void tool_json_push_real(cJSON *array, double number);
void tool_json_push_text(cJSON *array, const char *text);

/* Prints the JSON, indented or as one line, with a newline, and frees it. */
void tool_json_print(cJSON *json, FILE *file, bool one_line);

/* Prints the JSON as tool_json_print does, and keeps it. */
void tool_json_write(const cJSON *json, FILE *file, bool one_line);

/* Removes the fields of an object that are for text alone: their keys begin with '_' (fields.h). */
void tool_json_drop_text(cJSON *json);

/* Prints the JSON as the report of a command, to standard output or to the stream that the last
 * tool_json_report_to named (tools/common/report.h), and frees it. */
void tool_json_report(cJSON *json);
void tool_json_report_to(FILE *file);

#endif
