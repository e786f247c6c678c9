/* SPDX-License-Identifier: Apache-2.0 */
/* Reports the path of a search, for people and for programs. */
#include <math.h>
#include <string.h>

#include "bench/tuning.h"
#include "tools/common/error.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

/* The paper looks at the search after so many calls (Reguly and Giles 2012; slides, "Dynamic
 * run-time tuning"). */
enum { FEW_CALLS = 7 };

static void add_time(tool_table *table, double ms) {
    char text[TOOL_HUMAN];
    tool_table_cell(table, "%s", ms > 0 ? tool_human_seconds(1e-3 * ms, text) : "-");
}

static void add_ratio(tool_table *table, double ratio) {
    tool_table_cell(table, isnan(ratio) ? "-" : "%.3f", ratio);
}

static void add_call(tool_table *table, const bench_tuning *t, int i) {
    const bench_call_made *call = &t->call[i];
    const bench_tuned *ran = &t->tuned[call->ran], *best = &t->tuned[call->best];
    tool_table_cell(table, "%d", i + 1);
    tool_table_cell(table, "%s", ran->variant.spec);
    add_time(table, call->ms);
    add_time(table, ran->row.timing.ms);
    tool_table_cell(table, "%s", call->ms > 0 && !call->counts ? "cold" : "");
    tool_table_cell(table, "%s", call->best == call->ran ? "" : best->variant.spec);
    add_ratio(table, bench_tuning_of_exhaustive(t, call->best));
}

static void print_path(const bench_tuning *t, FILE *file) {
    static const char *const headings[] = {">call", "ran",  ">in the call",   ">alone",
                                           "",      "best", ">of exhaustive", NULL};
    tool_table *table = tool_table_create(headings);
    for (int i = 0; i < t->calls; i++) add_call(table, t, i);
    tool_table_print(table, file, 2);
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

static void print_online(const bench_tuning *t, FILE *file) {
    const bench_call_made *last = &t->call[t->calls - 1];
    print_path(t, file);
    if (t->from_cache) {
        tool_say_to(file, "  from the cache: %s\n", t->tuned[last->best].variant.spec);
    } else if (t->settled > 0) {
        tool_say_to(file, "  settled after %d calls; the dearest took %.2f times the first\n",
                    t->settled, dearest(t));
    }
    if (t->exhaustive < 0 || t->from_cache) return;
    int few = t->calls < FEW_CALLS ? t->calls : FEW_CALLS;
    tool_say_to(file, "  of exhaustive: %.3f at the start, %.3f after %d calls, %.3f in the end\n",
                bench_tuning_of_exhaustive(t, t->call[0].ran),
                bench_tuning_of_exhaustive(t, t->call[few - 1].best), few,
                bench_tuning_of_exhaustive(t, last->best));
}

void bench_tuning_report(const bench_tuning *t, FILE *file) {
    const tulle_mat_info *A = &t->problem->info;
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN], time[TOOL_HUMAN];
    tool_say_to(file, "%s  %s %s %s  %s x %s, %s entries\n", t->matrix->name,
                t->problem->trans == TULLE_T ? "A' x" : "A x", tool_type_name(A->type),
                tool_index_name(A->index), tool_human_count(A->rows, rows),
                tool_human_count(A->cols, cols), tool_human_count(A->nnz, nnz));
    if (t->calls > 0) print_online(t, file);
    if (t->exhaustive >= 0) {
        tool_say_to(file, "  exhaustive, %d points: %s, %s\n", t->points,
                    t->tuned[t->exhaustive].variant.spec,
                    tool_human_seconds(1e-3 * t->tuned[t->exhaustive].row.timing.ms, time));
    }
    if (t->cache.ignored_lines > 0) {
        tool_say_to(file, "  %s: broken lines, ignored: %d\n", t->cache.path,
                    t->cache.ignored_lines);
    }
}

bool bench_tuning_write(const bench_tuning *t, FILE *file) {
    bool written = true;
    for (int i = 0; i < t->calls && written; i++) {
        const bench_call_made *call = &t->call[i];
        const bench_tuned *best = &t->tuned[call->best];
        const bench_row_step step = {.search = "online",
                                     .call = i + 1,
                                     .ms = call->ms,
                                     .counts = call->counts,
                                     .best = best->variant.spec,
                                     .best_ms = best->row.timing.ms,
                                     .of_exhaustive = bench_tuning_of_exhaustive(t, call->best)};
        written = bench_row_write_step(&t->tuned[call->ran].row, &step, file);
    }
    if (t->exhaustive < 0 || !written) return written;
    const bench_tuned *best = &t->tuned[t->exhaustive];
    const bench_row_step step = {.search = "exhaustive",
                                 .call = t->points,
                                 .ms = best->row.timing.ms,
                                 .counts = true,
                                 .best = best->variant.spec,
                                 .best_ms = best->row.timing.ms,
                                 .of_exhaustive = 1};
    return bench_row_write_step(&best->row, &step, file);
}
