/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"

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

static const tool_column columns[] = {
    {"", "{_best}"},
    {"choice", "{choice}"},
    {"kernel", "{kernel}"},
    {"params", "{params}"},
    {"pool", "{?_makes}<{?pooled}yes><{!pooled}no>"},
    {">median", "{ms:ms}"},
    {"~>10 %", "{ms_q10:ms}"},
    {"~>90 %", "{ms_q90:ms}"},
    {"~>cold", "{!_makes}{ms_cold:ms}"},
    {">GFLOP/s", "{!_uncounted}<{gflops:4g}>"},
    {">GB/s", "{!_makes}{gbs:4g}"},
    {">floor", "{floor:2f}"},
    {"~>prep", "{!_makes}<{?prep_ms}{prep_ms:ms}>"},
    {"~>peak", "{?_makes}<{peak_bytes:bytes}>"},
    {">beyond C", "{?_makes}<{extra_bytes:bytes}>"},
    {"~>extra", "{!_makes}{extra_bytes:bytes}"},
    {">error", "<{err:2g}>{_verdict}<{?_unsorted}, not sorted>"},
    {">parts", "{?of_parts}<{of_parts:2f}>"},
    {">iterations", "{?of_parts}<{iterations}>"},
    {">whole", "{?whole_ms}<{whole_ms:ms}>"},
    {">convert", "{?convert_ms}<{convert_ms:ms}>"},
    {NULL, NULL},
};

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
    tool_say_table(report, "rows", columns);
    if (rows->problem->operation->fields) bench_values_say(report, rows, count);
    say_scatter(rows, count);
    cJSON_Delete(report);
    fflush(tool_said());
}
