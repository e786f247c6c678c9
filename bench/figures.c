/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/figures.h"

#include <math.h>

#include "tools/common/fields.h"
#include "tools/common/json.h"

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
            tool_json_known(json, figure->name, value);
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

void bench_figures_say(const cJSON *report, const bench_row *rows, int count) {
    static const char *const formats[] = {"ms", "count", "2f"}; /* by trial_unit */
    enum { ROOM = 64 };
    const trial_figure *figures = rows->problem->operation->figures;
    char heading[TRIAL_FIGURES][ROOM], pattern[TRIAL_FIGURES][ROOM];
    tool_column columns[TRIAL_FIGURES + 3] = {{"kernel", "{kernel}"}, {">prep", "{prep_ms:ms}"}};
    int next = 2;
    for (int f = 0; figures[f].name; f++) {
        if (!is_known(rows, count, f)) continue;
        snprintf(heading[f], ROOM, ">%s", figures[f].heading);
        snprintf(pattern[f], ROOM, "<{%s:%s}>", figures[f].name, formats[figures[f].unit]);
        columns[next++] = (tool_column){heading[f], pattern[f]};
    }
    tool_say_table(report, "rows", columns);
}
