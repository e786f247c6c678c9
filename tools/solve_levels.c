/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_levels.h"

#include <string.h>

#include "tools/common/say.h"
#include "tools/common/table.h"

tulle_status tool_solve_levels_take(const tulle_linop *M, tool_solve_levels *levels) {
    tulle_amg_info info;
    levels->wanted = true;
    levels->count = 0;
    if (!M || tulle_amg_describe(M, &info) != TULLE_OK) return TULLE_OK;
    for (int l = 0; l < info.levels && l < TOOL_SOLVE_MOST_LEVELS; l++) {
        tulle_amg_level_info *level = &levels->level[l];
        const tulle_status status = tulle_amg_level(M, l, level);
        if (status != TULLE_OK) return status;
        level->A = level->P = level->R = NULL; /* the matrices live as long as M */
        levels->count++;
    }
    return TULLE_OK;
}

static void print_ms(tool_table *table, double ms) {
    char time[TOOL_HUMAN];
    tool_table_cell(table, "%s", ms > 0 ? tool_human_seconds(1e-3 * ms, time) : "");
}

static void print_level(tool_table *table, int l, const tulle_amg_level_info *level) {
    char rows[TOOL_HUMAN], entries[TOOL_HUMAN];
    tool_table_cell(table, "%d%s", l, level->passed ? " passed" : "");
    tool_table_cell(table, "%s", tool_human_count(level->rows, rows));
    tool_table_cell(table, "%s", tool_human_count(level->nnz, entries));
    tool_table_cell(table, "%.1f", level->rows > 0 ? (double)level->nnz / (double)level->rows : 0);
    print_ms(table, level->split_ms);
    print_ms(table, level->interpolation_ms);
    print_ms(table, level->product_ms);
}

void tool_solve_levels_print(const tool_solve_levels *levels) {
    static const char *const headings[] = {"level",   ">rows",           ">entries",      ">a row",
                                           "~>split", "~>interpolation", "~>next matrix", NULL};
    if (!levels->wanted) return;
    if (levels->count == 0) {
        tool_say("  levels    none: the preconditioner is not multigrid; try --precond amg\n");
        return;
    }
    tool_say("\n");
    tool_table *table = tool_table_create(headings);
    for (int l = 0; l < levels->count; l++) print_level(table, l, &levels->level[l]);
    tool_table_print(table, tool_said(), 2);
}

void tool_solve_levels_add(cJSON *json, const tool_solve_levels *levels) {
    if (!levels->wanted) return;
    cJSON *list = tool_json_list(json, "levels");
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
