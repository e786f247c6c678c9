/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the path of a search, for people and for programs. */
#include "bench/tuning.h"
#include "tools/common/error.h"
#include "tools/common/fields.h"
#include "tools/common/json.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

/* The paper looks at the search after so many calls (Reguly and Giles 2012; slides, "Dynamic
 * run-time tuning"). */
enum { FEW_CALLS = 7 };

/* Returns the fields of a call of the online search; released with cJSON_Delete. */
static cJSON *fields_of(const bench_tuning *t, int i) {
    const bench_call_made *call = &t->call[i];
    const bench_tuned *ran = &t->tuned[call->ran], *best = &t->tuned[call->best];
    const bench_row_step step = {.search = "online",
                                 .call = i + 1,
                                 .ms = call->ms,
                                 .counts = call->counts,
                                 .best = best->variant.spec,
                                 .best_ms = best->row.timing.ms,
                                 .of_exhaustive = bench_tuning_of_exhaustive(t, call->best)};
    cJSON *json = bench_row_step_fields(&ran->row, &step);
    tool_json_text(json, "_ran", ran->variant.spec);
    tool_json_bool(json, "_is_cold", call->ms > 0 && !call->counts);
    tool_json_bool(json, "_ran_best", call->best == call->ran);
    return json;
}

static void print_path(const bench_tuning *t) {
    static const tool_column columns[] = {{">call", "{call}"},
                                          {"ran", "{_ran}"},
                                          {">in the call", "<{?call_ms}{call_ms:ms}>"},
                                          {">alone", "{ms:ms}"},
                                          {"", "<{?_is_cold}cold>"},
                                          {"best", "<{!_ran_best}{best}>"},
                                          {">of exhaustive", "<{of_exhaustive:3f}>"},
                                          {NULL, NULL}};
    cJSON *report = tool_json_object(), *calls = tool_json_list(report, "calls");
    for (int i = 0; i < t->calls; i++) cJSON_AddItemToArray(calls, fields_of(t, i));
    tool_say_table(report, "calls", columns);
    cJSON_Delete(report);
}

/* Returns the longest time, measured outside of the search, of the kernels that were run, over that
 * of the first call's kernel. */
static double dearest(const bench_tuning *t) {
    double worst = 0;
    for (int i = 0; i < t->calls; i++) {
        double ms = t->tuned[t->call[i].ran].row.timing.ms;
        worst = ms > worst ? ms : worst;
    }
    return worst / t->tuned[t->call[0].ran].row.timing.ms;
}

static void print_online(const bench_tuning *t) {
    const bench_call_made *last = &t->call[t->calls - 1];
    print_path(t);
    if (t->from_cache) {
        tool_say("  from the cache: %s\n", t->tuned[last->best].variant.spec);
    } else if (t->settled > 0) {
        tool_say("  settled after %d calls; the dearest took %.2f times the first\n", t->settled,
                 dearest(t));
    }
    if (t->exhaustive < 0 || t->from_cache) return;
    int few = t->calls < FEW_CALLS ? t->calls : FEW_CALLS;
    tool_say("  of exhaustive: %.3f at the start, %.3f after %d calls, %.3f in the end\n",
             bench_tuning_of_exhaustive(t, t->call[0].ran),
             bench_tuning_of_exhaustive(t, t->call[few - 1].best), few,
             bench_tuning_of_exhaustive(t, last->best));
}

static void print_heading(const bench_tuning *t) {
    const bench_row row = {.place = t->place,
                           .matrix = t->matrix,
                           .problem = t->problem,
                           .variant = &t->tuned->variant};
    cJSON *fields = bench_row_fields(&row);
    tool_say_fields(fields,
                    "{matrix}  {_formula} {type} {index}  {rows:count} x {cols:count}, "
                    "{nnz:count} entries\n");
    cJSON_Delete(fields);
}

void bench_tuning_report(const bench_tuning *t) {
    char time[TOOL_HUMAN];
    print_heading(t);
    if (t->calls > 0) print_online(t);
    if (t->exhaustive >= 0) {
        tool_say("  exhaustive, %d points: %s, %s\n", t->points,
                 t->tuned[t->exhaustive].variant.spec,
                 tool_human_seconds(1e-3 * t->tuned[t->exhaustive].row.timing.ms, time));
    }
    if (t->cache.ignored_lines > 0) {
        tool_say("  %s: broken lines, ignored: %d\n", t->cache.path, t->cache.ignored_lines);
    }
}

bool bench_tuning_write(const bench_tuning *t, FILE *file) {
    bool written = true;
    for (int i = 0; i < t->calls && written; i++) written = bench_row_print(fields_of(t, i), file);
    if (t->exhaustive < 0 || !written) return written;
    const bench_tuned *best = &t->tuned[t->exhaustive];
    const bench_row_step step = {.search = "exhaustive",
                                 .call = t->points,
                                 .ms = best->row.timing.ms,
                                 .counts = true,
                                 .best = best->variant.spec,
                                 .best_ms = best->row.timing.ms,
                                 .of_exhaustive = 1};
    return bench_row_print(bench_row_step_fields(&best->row, &step), file);
}
