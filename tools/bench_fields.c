/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_fields.h"

#include "tools/common/fields.h"
#include "tools/common/json.h"
#include "trials/field.h"

void tool_bench_print_fields(void) {
    static const tool_column columns[] = {
        {"field", "{key}"}, {"unit", "{unit}"}, {"meaning", "{about}"}, {NULL, NULL}};
    cJSON *json = tool_json_object(), *list = tool_json_list(json, "fields");
    for (int i = 0; i < TRIAL_KEYS; i++) {
        const trial_field *field = &trial_field_of[i];
        cJSON *item = tool_json_item(list);
        tool_json_text(item, "key", field->key);
        tool_json_text(item, "unit", trial_unit_name(field->unit));
        tool_json_text(item, "about", field->about);
    }
    tool_say_list(json, "fields", columns);
    cJSON_Delete(json);
}
