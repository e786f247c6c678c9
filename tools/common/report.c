/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/report.h"

#include <string.h>

#include "tools/common/error.h"
#include "tools/common/fields.h"
#include "tools/common/output.h"

/* A report that is about to be written to a file. */
typedef struct letter {
    tool_print_fn print;
    const void *user;
} letter;

static tulle_status write_letter(FILE *file, const void *what) {
    const letter *l = what;
    tool_json_report_to(file);
    l->print(l->user);
    tool_json_report_to(stdout);
    return TULLE_OK;
}

int tool_report(const tool_common *common, tool_print_fn json, tool_print_fn text,
                const void *user) {
    const letter l = {json, user};
    if (!common->json || strcmp(common->json, "-") != 0) text(user);
    if (!common->json) return TOOL_OK;
    const tulle_status status = tool_write_text(common->json, &tool_file_json, write_letter, &l);
    return status == TULLE_OK ? TOOL_OK : tool_fail(status);
}

static tulle_status write_fields(FILE *file, const void *fields) {
    tool_json_write(fields, file, false);
    return TULLE_OK;
}

static void print_text(const cJSON *fields, const tool_form *form, const void *user) {
    tool_say_fields(fields, form->text);
    if (form->more) form->more(fields, user);
}

int tool_report_fields(const tool_common *common, const tool_form *form, const void *user) {
    cJSON *fields = tool_json_object();
    tulle_status status = TULLE_OK;
    form->add(fields, user);
    if (!common->json || strcmp(common->json, "-") != 0) print_text(fields, form, user);
    tool_json_drop_text(fields);
    if (common->json) {
        status = tool_write_text(common->json, &tool_file_json, write_fields, fields);
    }
    cJSON_Delete(fields);
    return status == TULLE_OK ? TOOL_OK : tool_fail(status);
}
