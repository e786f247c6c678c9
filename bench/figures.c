/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/figures.h"

#include <math.h>

#include "tools/common/table.h"

static void add_parts(cJSON *json, const trial_figures *figures, const char *name) {
    cJSON *list = cJSON_AddArrayToObject(json, name);
    for (int i = 0; i < figures->parts; i++) {
        cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(figures->part[i], TRIAL_PART));
    }
}

void bench_figures_add(cJSON *json, const bench_row *row) {
    const trial_operation *operation = row->problem->operation;
    for (int i = 0; operation->figures[i].name; i++) {
        const trial_figure *figure = &operation->figures[i];
        const double value = row->figures.of[i];
        if (figure->unit == TRIAL_COUNT && !isnan(value)) {
            tool_json_int(json, figure->name, (int64_t)value);
        } else {
            tool_json_real(json, figure->name, value);
        }
    }
    if (operation->parts) add_parts(json, &row->figures, operation->parts);
}

static bool is_known(const bench_row *rows, int count, int figure) {
    for (int i = 0; i < count; i++) {
        if (!isnan(rows[i].figures.of[figure])) return true;
    }
    return false;
}

static void add_figure(tool_table *table, trial_unit unit, double value) {
    char text[TOOL_HUMAN];
    if (isnan(value)) {
        tool_table_cell(table, "-");
    } else if (unit == TRIAL_MS) {
        tool_table_cell(table, "%s", tool_human_seconds(1e-3 * value, text));
    } else if (unit == TRIAL_COUNT) {
        tool_table_cell(table, "%s", tool_human_count((int64_t)value, text));
    } else {
        tool_table_cell(table, "%.2f", value);
    }
}

void bench_figures_print(const bench_row *rows, int count, FILE *file) {
    const trial_figure *figures = rows[0].problem->operation->figures;
    char heading[TRIAL_FIGURES][TOOL_HUMAN];
    const char *headings[TRIAL_FIGURES + 3] = {"kernel", ">prep"};
    int shown[TRIAL_FIGURES], columns = 0;
    for (int f = 0; figures[f].name; f++) {
        if (!is_known(rows, count, f)) continue;
        snprintf(heading[columns], TOOL_HUMAN, ">%s", figures[f].heading);
        headings[columns + 2] = heading[columns];
        shown[columns++] = f;
    }
    tool_table *table = tool_table_create(headings);
    for (int i = 0; i < count; i++) {
        tool_table_cell(table, "%s", rows[i].kernel);
        add_figure(table, TRIAL_MS, rows[i].prep_ms);
        for (int c = 0; c < columns; c++) {
            add_figure(table, figures[shown[c]].unit, rows[i].figures.of[shown[c]]);
        }
    }
    tool_table_print(table, file, 2);
}
