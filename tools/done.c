/* SPDX-License-Identifier: Apache-2.0 */
#include "done.h"

int tool_report_done(const tool_common *common, const tool_done *done, const void *user) {
    const char *line = common->quiet ? "" : done->line;
    const tool_form form = {.add = done->add, .text = done->whole ? done->text : line};
    return tool_report_fields(common, &form, user);
}
