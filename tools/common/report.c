/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/report.h"

#include <string.h>

#include "tools/common/error.h"
#include "tools/common/json.h"
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
