/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"

#include <inttypes.h>
#include <math.h>

#include "bench/figures.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/scatter.h"
#include "tools/common/table.h"
#include "trials/operation.h"

/* Prints the operation: "T X = B, lower, 8 by row", or "factors of A, values alone, lu_levels, fill
 * of level 1". */
static void print_operation(const trial_problem *p, FILE *file) {
    char block[TRIAL_BLOCK_TEXT];
    const char *formula = p->trans == TULLE_T ? p->operation->transposed : p->operation->formula;
    char fill[32] = "";
    if (p->fill > 0) snprintf(fill, sizeof fill, "fill of level %d", p->fill);
    const char *const parts[] = {formula, trial_operation_detail(p->operation, p->detail), fill,
                                 trial_block_text(&p->block, block)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i][0]) tool_say_to(file, "%s%s", i > 0 ? ", " : "", parts[i]);
    }
}

static void print_matrix(const trial_problem *p, FILE *file) {
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN], levels[TOOL_HUMAN];
    const tulle_mat_info *A = &p->info;
    tool_say_to(file, "  %s x %s, %s entries", tool_human_count(A->rows, rows),
                tool_human_count(A->cols, cols), tool_human_count(A->nnz, nnz));
    if (A->format != TULLE_CSR) tool_say_to(file, ", as %s", tool_format_name(A->format));
    if (p->levels > 0) tool_say_to(file, ", %s levels", tool_human_count(p->levels, levels));
}

/* Prints, for an iterative method, the iterations of a call and the times of its parts, in the line
 * below the floor. */
static void print_parts(const bench_row *row, FILE *file) {
    char product[TOOL_HUMAN], all[TOOL_HUMAN];
    tool_say_to(file,
                "  of an iteration, %" PRId64
                " in a call; parts %s: products alone %s, vectors as copies\n",
                row->iterations, tool_human_seconds(1e-3 * bench_row_parts_ms(row), all),
                tool_human_seconds(1e-3 * row->problem->product_ms, product));
}

static void print_heading(const bench_row *row, FILE *file) {
    const trial_problem *p = row->problem;
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    tool_say_to(file, "\n%s  ", row->matrix->name);
    print_operation(p, file);
    tool_say_to(file, " %s", tool_type_name(p->info.type));
    if (p->A) {
        tool_say_to(file, " %s", tool_index_name(p->info.index));
        print_matrix(p, file);
    }
    tool_say_to(file, "\n  floor %s: %s at %.4g GB/s; class %s\n",
                tool_human_seconds(1e-3 * bench_row_floor_ms(row), time),
                tool_human_bytes((double)p->minimal_bytes, bytes), row->place->copy_gbs,
                bench_row_class(row));
    if (p->iterations > 0) print_parts(row, file);
}

static const bench_row *fastest(const bench_row *rows, int count) {
    const bench_row *best = NULL;
    for (int i = 0; i < count; i++) {
        if (!bench_row_wrong(&rows[i]) &&
            (!best || bench_row_cost_ms(&rows[i]) < bench_row_cost_ms(best))) {
            best = &rows[i];
        }
    }
    return best;
}

static void add_time(tool_table *table, double ms) {
    char text[TOOL_HUMAN];
    tool_table_cell(table, "%s", tool_human_seconds(1e-3 * ms, text));
}

static void add_gflops(tool_table *table, double gflops) {
    if (isnan(gflops)) {
        tool_table_cell(table, "-");
    } else {
        tool_table_cell(table, "%.4g", gflops);
    }
}

static void add_iterations(tool_table *table, const bench_row *row) {
    tool_table_cell(table, "%.2f", bench_row_of_parts(row));
    tool_table_cell(table, "%" PRId64, row->iterations);
}

/* Adds the part of the median that converts and does not solve. */
static void add_conversion(tool_table *table, const bench_row *row) {
    if (row->convert_ms > 0) {
        add_time(table, row->convert_ms);
    } else {
        tool_table_cell(table, "-");
    }
}

/* Returns whether the row has the time of preparing and of a solution together. */
static bool is_whole(const bench_row *row) {
    return row->iterations > 0 || row->problem->whole;
}

static bool any_converts(const bench_row *rows, int count) {
    bool any = false;
    for (int i = 0; i < count; i++) any |= rows[i].convert_ms > 0;
    return any;
}

static void add_row(tool_table *table, const bench_row *row, bool best, bool converts) {
    char text[TOOL_HUMAN];
    tool_table_cell(table, "%s", best ? "*" : "");
    tool_table_cell(table, "%s", trial_choice_name(row->variant->choice));
    tool_table_cell(table, "%s", row->kernel);
    tool_table_cell(table, "%s", row->params);
    add_time(table, row->timing.ms);
    add_time(table, row->timing.q10);
    add_time(table, row->timing.q90);
    add_time(table, row->timing.cold);
    add_gflops(table, bench_row_gflops(row));
    tool_table_cell(table, "%.4g", bench_row_gbs(row));
    tool_table_cell(table, "%.2f", bench_row_floor(row));
    if (row->prep_ms > 0) {
        add_time(table, row->prep_ms);
    } else {
        tool_table_cell(table, "-");
    }
    tool_table_cell(table, "%s", tool_human_bytes((double)row->extra_bytes, text));
    if (isnan(row->err)) {
        tool_table_cell(table, "not checked");
    } else {
        tool_table_cell(table, "%.2g%s", row->err, row->err > 1 ? " WRONG" : "");
    }
    if (row->iterations > 0) add_iterations(table, row);
    if (is_whole(row)) add_time(table, bench_row_whole_ms(row));
    if (converts) add_conversion(table, row);
}

void bench_report_scatter(const bench_place *place, int scattered, int count, FILE *file) {
    const tool_load load = tool_load_now();
    char text[TOOL_SCATTER_ROOM];
    tool_scatter_text(scattered, count, place->device.backend == TULLE_CUDA, &load, text);
    if (text[0]) tool_say_to(file, "  %s\n", text);
}

enum { MOST_HEADINGS = 18 };

/* Lists the headings of the columns that add_row fills. */
static void list_headings(const bench_row *row, bool converts,
                          const char *headings[MOST_HEADINGS + 1]) {
    static const char *const of_all[] = {"",       "choice", "kernel",  "params",   ">median",
                                         "~>10 %", "~>90 %", "~>cold",  ">GFLOP/s", ">GB/s",
                                         ">floor", "~>prep", "~>extra", ">error"};
    int count = 0;
    for (; count < (int)(sizeof of_all / sizeof *of_all); count++) headings[count] = of_all[count];
    if (row->iterations > 0) {
        headings[count++] = ">parts";
        headings[count++] = ">iterations";
    }
    if (is_whole(row)) headings[count++] = ">whole";
    if (converts) headings[count++] = ">convert";
}

void bench_report(const bench_row *rows, int count, FILE *file) {
    if (count == 0) return;
    if (rows[0].problem->operation->makes) {
        bench_made_report(rows, count, file);
        return;
    }
    const bool converts = any_converts(rows, count);
    const char *headings[MOST_HEADINGS + 1] = {NULL};
    list_headings(&rows[0], converts, headings);
    print_heading(&rows[0], file);
    tool_table *table = tool_table_create(headings);
    const bench_row *best = fastest(rows, count);
    for (int i = 0; i < count; i++) add_row(table, &rows[i], &rows[i] == best, converts);
    tool_table_print(table, file, 2);
    if (rows[0].problem->operation->figures) bench_figures_print(rows, count, file);
    int scattered = 0;
    for (int i = 0; i < count; i++) scattered += tool_scatters(&rows[i].timing);
    bench_report_scatter(rows[0].place, scattered, count, file);
    fflush(file);
}
