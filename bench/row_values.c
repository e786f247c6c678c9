/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/row_values.h"

#include <math.h>

#include "tools/common/fields.h"
#include "tools/common/json.h"
#include "tools/common/say.h"

static void add_parts(cJSON *json, const trial_values *values, const char *key) {
    cJSON *list = cJSON_AddArrayToObject(json, key);
    for (int i = 0; i < values->parts; i++) {
        cJSON_AddItemToArray(list, cJSON_CreateDoubleArray(values->part[i], TRIAL_PART));
    }
}

static bool is_whole(trial_unit unit) {
    return unit == TRIAL_COUNT || unit == TRIAL_BYTES;
}

void bench_values_add(cJSON *json, const bench_row *row) {
    const trial_key *keys = row->problem->operation->fields;
    for (int i = 0; keys[i] != TRIAL_KEYS; i++) {
        const trial_field *field = &trial_field_of[keys[i]];
        const double value = row->values.of[i];
        if (field->unit == TRIAL_LIST) {
            add_parts(json, &row->values, field->key);
        } else if (is_whole(field->unit) && !isnan(value)) {
            tool_json_int(json, field->key, (int64_t)value);
        } else {
            tool_json_known(json, field->key, value);
        }
    }
}

static bool any_row_knows(const bench_row *rows, int count, int i) {
    for (int r = 0; r < count; r++) {
        if (!isnan(rows[r].values.of[i])) return true;
    }
    return false;
}

static bool knows_any(const bench_row *row) {
    const trial_key *keys = row->problem->operation->fields;
    for (int i = 0; keys[i] != TRIAL_KEYS; i++) {
        if (trial_field_of[keys[i]].unit != TRIAL_LIST && !isnan(row->values.of[i])) return true;
    }
    return false;
}

/* Makes a list of the rows that have values, in the report that has the list "rows". */
static void list_rows(cJSON *report, const bench_row *rows, int count) {
    cJSON *list = tool_json_list(report, "valued");
    cJSON *row = cJSON_GetObjectItemCaseSensitive(report, "rows")->child;
    for (int i = 0; i < count; i++, row = row->next) {
        if (knows_any(&rows[i])) cJSON_AddItemReferenceToArray(list, row);
    }
}

/* Returns the format of a number of this unit (tools/common/fields.h). */
static const char *format_of(trial_unit unit) {
    switch (unit) {
        case TRIAL_MS:
            return "ms";
        case TRIAL_COUNT:
            return "count";
        case TRIAL_BYTES:
            return "bytes";
        default:
            return "2f";
    }
}

void bench_values_say(cJSON *report, const bench_row *rows, int count) {
    enum { ROOM = 64 };
    const trial_key *keys = rows->problem->operation->fields;
    char heading[TRIAL_VALUES][ROOM], pattern[TRIAL_VALUES][ROOM];
    tool_column columns[TRIAL_VALUES + 5] = {{"kernel", "{kernel}"},
                                             {"params", "{?_makes}{params}"},
                                             {"pool", "{?_makes}<{?pooled}yes><{!pooled}no>"},
                                             {">prep", "{!_makes}{prep_ms:ms}"}};
    int next = 4;
    for (int i = 0; keys[i] != TRIAL_KEYS; i++) {
        const trial_field *field = &trial_field_of[keys[i]];
        if (field->unit == TRIAL_LIST || !any_row_knows(rows, count, i)) continue;
        snprintf(heading[i], ROOM, ">%s", field->label);
        snprintf(pattern[i], ROOM, "<{%s:%s}>", field->key, format_of(field->unit));
        columns[next++] = (tool_column){heading[i], pattern[i]};
    }
    if (next == 4) return;
    list_rows(report, rows, count);
    if (rows->problem->operation->makes) tool_say("  phases of a call that waits after each:\n");
    tool_say_table(report, "valued", columns);
}
