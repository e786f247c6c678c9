/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_details.h"

#include <stdio.h>

#include "tools/common/names.h"
#include "tools/common/say.h"

static const char *yes_no(bool value) {
    return value ? "yes" : "no";
}

static void print_types(const tulle_kernel_info *info) {
    tool_say("  types       ");
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int index = 0; index < 3; index++) {
            if (!info->supports[type][index]) continue;
            tool_say(" %s/%s", tool_type_name((tulle_type)type),
                     tool_index_name((tulle_index)index));
        }
    }
    tool_say("\n");
}

static void print_params(const tool_kernel *kernel) {
    for (int p = 0; p < kernel->info.param_count; p++) {
        tulle_param_info param;
        if (tulle_kernel_param(kernel->backend, kernel->number, p, &param) != TULLE_OK) return;
        tool_say("  parameter    %s: %s; one of", param.name, param.help);
        for (int v = 0; v < param.value_count; v++) tool_say(" %d", param.values[v]);
        tool_say("\n");
    }
}

void tool_kernel_print(const tool_kernel *kernel) {
    const tulle_kernel_info *info = &kernel->info;
    tool_say("%s: %s\n", info->name, info->summary);
    if (info->also) tool_say("  also called  %s\n", info->also);
    tool_say("  source       %s\n", info->source);
    tool_say("  operation    %s\n", info->operation);
    tool_say("  runs on      %s\n", info->gpu ? "GPUs and the emulator" : "CPUs");
    tool_say("  format       %s\n", tool_format_name(info->format));
    print_types(info);
    tool_say("  A x          %s%s\n", yes_no(info->forward),
             info->repeatable ? ", repeatable" : "");
    tool_say("  A' x         %s%s\n", yes_no(info->transposed),
             info->repeatable_t ? ", repeatable" : "");
    tool_say("  plan         %s\n", info->needs_plan ? "needed"
                                    : info->has_plan ? "helps"
                                                     : "none");
    if (info->historical) tool_say("  historical   yes: as it was published, for comparison\n");
    print_params(kernel);
}

static void add_params(cJSON *item, const tool_kernel *kernel) {
    cJSON *params = tool_json_list(item, "params");
    for (int p = 0; p < kernel->info.param_count; p++) {
        tulle_param_info param;
        if (tulle_kernel_param(kernel->backend, kernel->number, p, &param) != TULLE_OK) return;
        cJSON *entry = tool_json_item(params);
        tool_json_text(entry, "name", param.name);
        tool_json_text(entry, "help", param.help);
        cJSON *values = tool_json_list(entry, "values");
        for (int v = 0; v < param.value_count; v++) tool_json_push_int(values, param.values[v]);
    }
}

void tool_kernel_add_json(void *list, const tool_kernel *kernel) {
    const tulle_kernel_info *info = &kernel->info;
    cJSON *item = tool_json_item(list);
    tool_json_text(item, "name", info->name);
    if (info->also) tool_json_text(item, "also", info->also);
    tool_json_text(item, "operation", info->operation);
    tool_json_text(item, "backend", info->gpu ? "gpu" : "cpu");
    tool_json_text(item, "format", tool_format_name(info->format));
    tool_json_text(item, "summary", info->summary);
    tool_json_text(item, "source", info->source);
    tool_json_bool(item, "forward", info->forward);
    tool_json_bool(item, "transposed", info->transposed);
    tool_json_bool(item, "repeatable", info->repeatable);
    tool_json_bool(item, "repeatable_t", info->repeatable_t);
    tool_json_bool(item, "needs_plan", info->needs_plan);
    tool_json_bool(item, "has_plan", info->has_plan);
    tool_json_bool(item, "historical", info->historical);
    cJSON *types = tool_json_list(item, "types");
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int index = 0; index < 3; index++) {
            if (!info->supports[type][index]) continue;
            cJSON *combination = tool_json_item(types);
            tool_json_text(combination, "type", tool_type_name((tulle_type)type));
            tool_json_text(combination, "index", tool_index_name((tulle_index)index));
        }
    }
    add_params(item, kernel);
}
