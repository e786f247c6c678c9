/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "bench/report.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/scatter.h"
#include "tools/common/table.h"
#include "trials/making.h"

static void print_heading(const bench_row *row, FILE *file) {
    const trial_making *m = trial_making_of(row->problem);
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN], result[TOOL_HUMAN], bytes[TOOL_HUMAN],
        time[TOOL_HUMAN], products[TOOL_HUMAN];
    tool_say_to(file, "\n%s  C = %s %s %s  %s x %s, %s entries", row->matrix->name,
                m->second ? m->operation->makes->together : row->problem->operation->formula,
                tool_type_name(m->a.type), tool_index_name(m->a.index),
                tool_human_count(m->a.rows, rows), tool_human_count(m->a.cols, cols),
                tool_human_count(m->a.nnz, nnz));
    if (m->second) tool_say_to(file, "; B: %s", m->second);
    tool_say_to(file, "\n  C: %s entries", tool_human_count(row->made.nnz, result));
    if (m->products > 0) {
        tool_say_to(file, " of %s products, %.3g each", tool_human_count(m->products, products),
                    (double)m->products / (double)row->made.nnz);
    }
    tool_say_to(file, "\n  floor %s: %s at %.4g GB/s; class %s\n",
                tool_human_seconds(1e-3 * bench_row_floor_ms(row), time),
                tool_human_bytes((double)bench_row_minimal_bytes(row), bytes), row->place->copy_gbs,
                bench_row_class(row));
}

static const bench_row *fastest(const bench_row *rows, int count, bool pooled) {
    const bench_row *best = NULL;
    for (int i = 0; i < count; i++) {
        bool other = rows[i].variant->pooled != pooled;
        if (other || bench_row_wrong(&rows[i])) continue;
        if (!best || rows[i].timing.ms < best->timing.ms) best = &rows[i];
    }
    return best;
}

static void add_time(tool_table *table, double ms) {
    char text[TOOL_HUMAN];
    tool_table_cell(table, "%s", tool_human_seconds(1e-3 * ms, text));
}

static void add_bytes(tool_table *table, int64_t bytes) {
    char text[TOOL_HUMAN];
    tool_table_cell(table, "%s", bytes < 0 ? "-" : tool_human_bytes((double)bytes, text));
}

static void add_verdict(tool_table *table, const bench_row *row) {
    const char *order = row->made.sorted ? "" : ", not sorted";
    if (isnan(row->err)) {
        tool_table_cell(table, "not checked");
    } else if (isinf(row->err)) {
        tool_table_cell(table, "pattern WRONG");
    } else {
        tool_table_cell(table, "%.2g%s%s", row->err, bench_row_wrong(row) ? " WRONG" : "", order);
    }
}

static void add_row(tool_table *table, const bench_row *row, bool best) {
    tool_table_cell(table, "%s", best ? "*" : "");
    tool_table_cell(table, "%s", trial_choice_name(row->variant->choice));
    tool_table_cell(table, "%s", row->kernel);
    tool_table_cell(table, "%s", row->params);
    tool_table_cell(table, "%s", row->variant->pooled ? "yes" : "no");
    add_time(table, row->timing.ms);
    add_time(table, row->timing.q10);
    add_time(table, row->timing.q90);
    if (trial_making_of(row->problem)->products > 0)
        tool_table_cell(table, "%.4g", bench_row_gflops(row));
    tool_table_cell(table, "%.2f", bench_row_floor(row));
    add_bytes(table, row->made.reported ? row->made.report.bound_bytes : -1);
    add_bytes(table, row->made.peak_bytes);
    add_bytes(table, bench_made_extra(row));
    add_verdict(table, row);
}

static void print_times(const bench_row *rows, int count, FILE *file) {
    static const char *const with_products[] = {
        "",         "choice", "kernel",  "params", "pool",      ">median", "~>10 %", "~>90 %",
        ">GFLOP/s", ">floor", "~>bound", "~>peak", ">beyond C", ">error",  NULL};
    static const char *const without[] = {"",        "choice",    "kernel", "params", "pool",
                                          ">median", "~>10 %",    "~>90 %", ">floor", "~>bound",
                                          "~>peak",  ">beyond C", ">error", NULL};
    tool_table *table =
        tool_table_create(trial_making_of(rows[0].problem)->products > 0 ? with_products : without);
    const bench_row *best[2] = {fastest(rows, count, false), fastest(rows, count, true)};
    for (int i = 0; i < count; i++) {
        add_row(table, &rows[i], &rows[i] == best[rows[i].variant->pooled]);
    }
    tool_table_print(table, file, 2);
}

static void add_phases(tool_table *table, const bench_row *row) {
    const tulle_spgemm_report *r = &row->made.report;
    tool_table_cell(table, "%s", row->kernel);
    tool_table_cell(table, "%s", row->params);
    tool_table_cell(table, "%s", row->variant->pooled ? "yes" : "no");
    add_time(table, r->operands_ms);
    add_time(table, r->analysis_ms);
    add_time(table, r->count_ms);
    add_time(table, r->allocate_ms);
    add_time(table, r->compute_ms);
    add_time(table, r->finish_ms);
    add_time(table, r->total_ms);
}

static void print_phases(const bench_row *rows, int count, FILE *file) {
    static const char *const headings[] = {"kernel",    "params", "pool",      ">operands",
                                           ">analysis", ">count", ">allocate", ">compute",
                                           ">finish",   ">all",   NULL};
    tool_table *table = tool_table_create(headings);
    for (int i = 0; i < count; i++) {
        if (rows[i].made.reported) add_phases(table, &rows[i]);
    }
    tool_say_to(file, "  phases of a call that waits after each:\n");
    tool_table_print(table, file, 2);
}

void bench_made_report(const bench_row *rows, int count, FILE *file) {
    if (count == 0) return;
    print_heading(&rows[0], file);
    print_times(rows, count, file);
    bool any = false;
    for (int i = 0; i < count; i++) any = any || rows[i].made.reported;
    if (any) print_phases(rows, count, file);
    int scattered = 0;
    for (int i = 0; i < count; i++) scattered += tool_scatters(&rows[i].timing);
    bench_report_scatter(rows[0].place, scattered, count, file);
    fflush(file);
}
