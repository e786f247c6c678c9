/* SPDX-License-Identifier: Apache-2.0 */
#include "done.h"

#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

static void nothing(const void *user) {
    (void)user;
}

int tool_report_done(const tool_common *common, const tool_done *done, const void *user) {
    const tool_print_fn line = common->quiet ? nothing : done->line;
    return tool_report(common, done->json, done->whole ? done->text : line, user);
}

void tool_say_done(double ms, const char *kernel, const tulle_device_info *device) {
    char time[TOOL_HUMAN];
    tool_say("; %s", tool_human_seconds(1e-3 * ms, time));
    if (kernel) tool_say(" by %s", kernel);
    tool_say(" on %s", tool_backend_name(device->backend));
    if (device->threads > 0) {
        tool_say(", %d thread%s\n", device->threads, device->threads == 1 ? "" : "s");
    } else {
        tool_say(", %s\n", device->name);
    }
}
