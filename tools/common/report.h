/* SPDX-License-Identifier: Apache-2.0 */
/* Reports at the end of a command: in lines for people, in JSON for programs, or, where the JSON
 * goes to a file, in both. */
#ifndef TOOL_REPORT_H
#define TOOL_REPORT_H

#include "tools/common/args.h"
#include "tools/common/json.h"

/* Prints the results that `user` points to, by tool_json_report or by tool_say. */
typedef void (*tool_print_fn)(const void *user);

/* Reports the results. Returns TOOL_OK, or, where the file cannot be written, prints why and
 * returns an exit code. */
int tool_report(const tool_common *common, tool_print_fn json, tool_print_fn text,
                const void *user);

/* Adds the fields of the results that `user` points to. */
typedef void (*tool_fields_fn)(cJSON *fields, const void *user);

/* A report by fields. */
typedef struct tool_form {
    tool_fields_fn add;
    const char *text; /* pattern that has the fields in it (fields.h) */
    /* Prints what no pattern can, such as tables, below the text. NULL: there is no more. */
    void (*more)(const cJSON *fields, const void *user);
} tool_form;

/* Reports the results by their fields, as tool_report does. */
int tool_report_fields(const tool_common *common, const tool_form *form, const void *user);

#endif
