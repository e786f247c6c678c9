/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_levels.h"

#include "tools/common/fields.h"

tulle_status tool_solve_levels_take(const tulle_linop *M, tool_solve_levels *levels) {
    tulle_amg_info info;
    if (!levels->wanted || !M || tulle_amg_describe(M, &info) != TULLE_OK) return TULLE_OK;
    for (int l = 0; l < info.levels && l < TOOL_SOLVE_MOST_LEVELS; l++) {
        tulle_amg_level_info *level = &levels->level[l];
        const tulle_status status = tulle_amg_level_numbers(M, l, level);
        if (status != TULLE_OK) return status;
        levels->count++;
    }
    return tulle_amg_explain(M, levels->text, sizeof levels->text, NULL);
}

void tool_solve_levels_print(const cJSON *fields) {
    tool_say_fields(fields,
                    "<{?_hierarchy}\n{_hierarchy}><{?_none}  levels    none: the "
                    "preconditioner is not multigrid; try --amg\n>");
}

void tool_solve_levels_add(cJSON *json, const tool_solve_levels *levels) {
    if (!levels->wanted) return;
    cJSON *list = tool_json_list(json, "levels");
    tool_json_bool(json, "_none", levels->count == 0);
    if (levels->count > 0) tool_json_text(json, "_hierarchy", levels->text);
    for (int l = 0; l < levels->count; l++) {
        const tulle_amg_level_info *level = &levels->level[l];
        cJSON *item = tool_json_item(list);
        tool_json_int(item, "rows", level->rows);
        tool_json_int(item, "nnz", level->nnz);
        tool_json_bool(item, "passed", level->passed);
        tool_json_real(item, "strong_share", level->strong_share);
        tool_json_real(item, "split_ms", level->split_ms);
        tool_json_real(item, "interpolation_ms", level->interpolation_ms);
        tool_json_real(item, "product_ms", level->product_ms);
    }
}
