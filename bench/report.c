/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"

#include <stdio.h>

#include "bench/row_values.h"
#include "tools/common/fields.h"
#include "tools/common/json.h"
#include "tools/common/say.h"
#include "tools/common/scatter.h"
#include "trials/operation.h"

#define HEADING                                                                                    \
    "\n{matrix}  <{?_makes}C = >{_formula}<{?detail}, {detail}><, fill of level {fill}>"           \
    "<{?_block}, {_block}> {type}"                                                                 \
    "<{?format} {index}  {rows:count} x {cols:count}, {nnz:count} entries<, as {_as}>"             \
    "<{?levels}, {levels:count} levels>><; B: {second}>\n"                                         \
    "<  C: {nnz_c:count} entries< of {products:count} products, {compression:3g} each>\n>"         \
    "  floor {_floor_ms:ms}: {_floor_bytes:bytes} at {copy_gbs:4g} GB/s; class {class}\n"          \
    "<  of an iteration, {iterations} in a call; parts {parts_ms:ms}: products alone "             \
    "{product_ms:ms}, vectors as copies\n>"

/* Columns of the table: the field whose label is the heading, how the heading is aligned (table.h),
 * and the pattern of the cells; heading: another heading than the label, where the column tells the
 * field of some operations alone, or no field. */
static const struct {
    trial_key key;
    const char *aligned, *pattern, *heading;
} columns[] = {
    {TRIAL_KEYS, "", "{_best}", ""},
    {TRIAL_KEY_choice, "", "{choice}", NULL},
    {TRIAL_KEY_kernel, "", "{kernel}", NULL},
    {TRIAL_KEY_params, "", "{params}", NULL},
    {TRIAL_KEY_processes, ">", "{?processes}<{processes}>", NULL},
    {TRIAL_KEY_pooled, "", "{?_makes}<{?pooled}yes><{!pooled}no>", NULL},
    {TRIAL_KEY_ms, ">", "{ms:ms}", NULL},
    {TRIAL_KEY_ms_q10, "~>", "{ms_q10:ms}", NULL},
    {TRIAL_KEY_ms_q90, "~>", "{ms_q90:ms}", NULL},
    {TRIAL_KEY_ms_cold, "~>", "{!_makes}{ms_cold:ms}", NULL},
    {TRIAL_KEY_gflops, ">", "{!_uncounted}<{gflops:4g}>", NULL},
    {TRIAL_KEY_gbs, ">", "{!_makes}{gbs:4g}", NULL},
    {TRIAL_KEY_floor, ">", "{floor:2f}", NULL},
    {TRIAL_KEY_prep_ms, "~>", "{!_makes}<{?prep_ms}{prep_ms:ms}>", NULL},
    {TRIAL_KEY_peak_bytes, "~>", "{?_makes}<{peak_bytes:bytes}>", NULL},
    {TRIAL_KEY_extra_bytes, ">", "{?_makes}<{extra_bytes:bytes}>", "beyond C"},
    {TRIAL_KEY_extra_bytes, "~>", "{!_makes}{extra_bytes:bytes}", NULL},
    {TRIAL_KEY_err, ">", "<{err:2g}>{_verdict}<{?_unsorted}, not sorted>", NULL},
    {TRIAL_KEY_of_parts, ">", "{?of_parts}<{of_parts:2f}>", NULL},
    {TRIAL_KEY_iterations, ">", "{?of_parts}<{iterations}>", NULL},
    {TRIAL_KEY_whole_ms, ">", "{?whole_ms}<{whole_ms:ms}>", NULL},
    {TRIAL_KEY_convert_ms, ">", "{?convert_ms}<{convert_ms:ms}>", NULL},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void say_rows(const cJSON *report) {
    enum { ROOM = 64 };
    char heading[COLUMNS][ROOM];
    tool_column all[COLUMNS + 1] = {{NULL, NULL}};
    for (int c = 0; c < COLUMNS; c++) {
        const char *own = columns[c].heading;
        const char *label = own ? own : trial_field_of[columns[c].key].label;
        snprintf(heading[c], ROOM, "%s%s", columns[c].aligned, label);
        all[c] = (tool_column){heading[c], columns[c].pattern};
    }
    tool_say_table(report, "rows", all);
}

static const bench_row *fastest(const bench_row *rows, int count, bool pooled) {
    const bench_row *best = NULL;
    for (int i = 0; i < count; i++) {
        if (rows[i].variant->pooled != pooled || bench_row_wrong(&rows[i])) continue;
        if (!best || bench_row_cost_ms(&rows[i]) < bench_row_cost_ms(best)) best = &rows[i];
    }
    return best;
}

/* Says that timings scatter, where some do, and which settings help. */
static void say_scatter(const bench_row *rows, int count) {
    const tool_load load = tool_load_now();
    char text[TOOL_SCATTER_ROOM];
    int scattered = 0;
    for (int i = 0; i < count; i++) scattered += tool_scatters(&rows[i].timing);
    tool_scatter_text(scattered, count, rows->place->device.backend == TULLE_CUDA, &load, text);
    if (text[0]) tool_say("  %s\n", text);
}

void bench_report(const bench_row *rows, int count) {
    if (count == 0) return;
    const bench_row *best[] = {fastest(rows, count, false), fastest(rows, count, true)};
    cJSON *report = tool_json_object(), *all = tool_json_list(report, "rows");
    for (int i = 0; i < count; i++) {
        cJSON *row = bench_row_fields(&rows[i]);
        tool_json_text(row, "_best", &rows[i] == best[rows[i].variant->pooled] ? "*" : "");
        cJSON_AddItemToArray(all, row);
    }
    tool_say_fields(all->child, HEADING);
    say_rows(report);
    if (rows->problem->operation->fields) bench_values_say(report, rows, count);
    say_scatter(rows, count);
    cJSON_Delete(report);
    fflush(tool_said());
}
