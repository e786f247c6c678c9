/* SPDX-License-Identifier: Apache-2.0 */
#include "sparse_command.h"

#include <string.h>

#include "tools/common/error.h"
#include "tools/common/output.h"
#include "tools/common/progress.h"

tool_sparse_settings tool_sparse_defaults(void) {
    return (tool_sparse_settings){.common = tool_common_defaults()};
}

void tool_sparse_set_up(const tool_sparse_settings *settings, tool_sparse *sparse) {
    sparse->A.op = settings->transpose_a ? TULLE_T : TULLE_N;
    sparse->B.op = settings->transpose_b ? TULLE_T : TULLE_N;
    sparse->check = settings->check;
    sparse->repeat = settings->repeat;
    sparse->index_given = settings->index > 0;
    if (sparse->index_given) sparse->index = (tulle_index)(settings->index - 1);
}

int tool_sparse_do(const tool_common *common, const char *output,
                   const tool_sparse_command *command) {
    tulle_ctx *ctx = NULL;
    tulle_status status = output ? tool_check_output(output) : TULLE_OK;
    if (status == TULLE_OK) status = tool_open_capped(common->on, common->memory, &ctx);
    if (status == TULLE_OK) status = command->work(ctx, command->user);
    tulle_ctx_destroy(ctx);
    if (status != TULLE_OK) return tool_fail(status);
    const tool_done done = {.whole = command->sparse->check || command->sparse->repeat > 0,
                            .add = command->add,
                            .line = command->line,
                            .text = command->text};
    const int code = tool_report_done(common, &done, command->summary);
    return command->result->error.units <= 1 ? code : TOOL_FAILED;
}

bool tool_sparse_both_stdin(char **operand, int count) {
    return count > 1 && strcmp(operand[0], "-") == 0 && strcmp(operand[1], "-") == 0;
}
