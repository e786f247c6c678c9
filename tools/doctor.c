/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "doctor_report.h"
#include "subcommands.h"
#include "tools/common/args.h"
#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/report.h"
#include "tulle/advanced.h"

static const char *const examples[] = {
    "tulle doctor",
    "tulle doctor --json",
    NULL,
};

static tulle_status look_at_gpus(tool_doctor_report *report) {
    int count = tulle_device_count(TULLE_CUDA);
    tulle_status status = TULLE_OK;
    for (int i = 0; i < count && i < TOOL_MOST_GPUS && status == TULLE_OK; i++) {
        char where[32];
        snprintf(where, sizeof where, "cuda:%d", i);
        status = tool_check_place(where, true, &report->gpu[i]);
        report->gpu_count = i + 1;
    }
    return status;
}

static tulle_status examine(tool_doctor_report *report) {
    report->machine = tool_look_at_machine();
    tulle_status status = tool_check_place("cpu", true, &report->cpu);
    if (status == TULLE_OK) status = look_at_gpus(report);
    if (status == TULLE_OK) status = tool_check_place("emulated", false, &report->emulator);
    if (status == TULLE_OK) status = tool_check_packers(report->packers);
    return status;
}

int tulle_tool_doctor(int argc, char **argv) {
    tool_common common = tool_common_defaults();
    const tool_option options[] = {TOOL_JSON(&common)};
    const tool_command command = {
        .name = "doctor",
        .operands = "",
        .about =
            "Looks at this machine: processors, caches, memory, GPUs and their driver; measures\n"
            "bandwidth; multiplies a small matrix at every place and checks the result; writes "
            "and\n"
            "reads compressed files; and says what is missing and how to get it. The exit code is "
            "0\n"
            "if the CPU part works.",
        .examples = examples,
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    tool_parsed parsed = tool_parse(&command, argc, argv);
    if (parsed.stop) return parsed.code;

    static tool_doctor_report report;
    tulle_status status = examine(&report);
    if (status != TULLE_OK) return tool_fail(status);
    tool_doctor_remark(&report);
    const tool_form form = {.add = tool_doctor_add, .text = tool_doctor_text};
    const int code = tool_report_fields(&common, &form, &report);
    return report.cpu.works ? code : TOOL_FAILED;
}
