/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_details.h"

#include "tools/common/fields.h"
#include "tools/common/names.h"

#define TEXT                                                                                       \
    "{name}: {summary}\n<  also called  {also}\n>"                                                 \
    "  source       {source}\n"                                                                    \
    "  operation    {operation}\n"                                                                 \
    "  runs on      <{?_gpu}GPUs and the emulator><{!_gpu}CPUs>\n"                                 \
    "  format       {format}\n"                                                                    \
    "  types       <{*types} {type}/{index}>\n"                                                    \
    "  A x          <{?forward}yes><{!forward}no><{?repeatable}, repeatable>\n"                    \
    "  A' x         <{?transposed}yes><{!transposed}no><{?repeatable_t}, repeatable>\n"            \
    "  plan         <{?needs_plan}needed>"                                                         \
    "<{!needs_plan}<{?has_plan}helps><{!has_plan}none>>\n"                                         \
    "<{?historical}  historical   yes: as it was published, for comparison\n>"                     \
    "<{*params}  parameter    {name}: {help}; one of<{*values} {}>\n>"

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

/* Returns true if a kernel takes the type with some indices. */
static bool takes(const tulle_kernel_info *info, tulle_type type) {
    const bool *with = info->supports[type];
    return with[TULLE_I32] || with[TULLE_I64] || with[TULLE_I64_I32];
}

void tool_kernel_add_json(void *list, const tool_kernel *kernel) {
    const tulle_kernel_info *info = &kernel->info;
    cJSON *item = tool_json_item(list);
    tool_json_text(item, "name", info->name);
    if (info->also) tool_json_text(item, "also", info->also);
    tool_json_text(item, "operation", info->operation);
    tool_json_bool(item, "_gpu", info->gpu);
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
    tool_json_bool(item, "_f32", takes(info, TULLE_F32));
    tool_json_bool(item, "_f64", takes(info, TULLE_F64));
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

void tool_kernel_print(const tool_kernel *kernel) {
    cJSON *list = tool_json_array();
    tool_kernel_add_json(list, kernel);
    tool_say_fields(list->child, TEXT);
    cJSON_Delete(list);
}
