/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/report.h"

#include <math.h>

#include "tools/common/names.h"
#include "tools/common/table.h"

/* "A x", or "A X, 8 by row,". */
static const char *name_product(const bench_problem *problem, char text[2 * BENCH_BLOCK_TEXT]) {
    char block[BENCH_BLOCK_TEXT];
    const char *A = problem->trans == TULLE_T ? "A'" : "A";
    if (!bench_is_block(&problem->block)) {
        snprintf(text, 2 * BENCH_BLOCK_TEXT, "%s x", A);
    } else {
        snprintf(text, 2 * BENCH_BLOCK_TEXT, "%s X, %s,", A,
                 bench_block_text(&problem->block, block));
    }
    return text;
}

static void print_heading(const bench_row *row, FILE *file) {
    const tulle_mat_info *A = &row->problem->info;
    char rows[TOOL_HUMAN], cols[TOOL_HUMAN], nnz[TOOL_HUMAN], bytes[TOOL_HUMAN], time[TOOL_HUMAN];
    char product[2 * BENCH_BLOCK_TEXT];
    bool csr = A->format == TULLE_CSR;
    fprintf(file, "\n%s  %s %s %s  %s x %s, %s entries%s%s\n", row->matrix->name,
            name_product(row->problem, product), tool_type_name(A->type), tool_index_name(A->index),
            tool_human_count(A->rows, rows), tool_human_count(A->cols, cols),
            tool_human_count(A->nnz, nnz), csr ? "" : ", as ",
            csr ? "" : tool_format_name(A->format));
    fprintf(file, "  floor %s: %s at %.4g GB/s; class %s\n",
            tool_human_seconds(1e-3 * bench_floor_ms(row->place, row->problem), time),
            tool_human_bytes((double)row->problem->minimal_bytes, bytes), row->place->copy_gbs,
            bench_row_class(row));
}

static const bench_row *fastest(const bench_row *rows, int count) {
    const bench_row *best = NULL;
    for (int i = 0; i < count; i++) {
        bool wrong = rows[i].err > 1;
        if (!wrong && (!best || rows[i].timing.ms < best->timing.ms)) best = &rows[i];
    }
    return best;
}

static void add_time(tool_table *table, double ms) {
    char text[TOOL_HUMAN];
    tool_table_cell(table, "%s", tool_human_seconds(1e-3 * ms, text));
}

static void add_row(tool_table *table, const bench_row *row, bool best) {
    char text[TOOL_HUMAN];
    tool_table_cell(table, "%s", best ? "*" : "");
    tool_table_cell(table, "%s", bench_choice_name(row->variant->choice));
    tool_table_cell(table, "%s", row->kernel);
    tool_table_cell(table, "%s", row->params);
    add_time(table, row->timing.ms);
    add_time(table, row->timing.q10);
    add_time(table, row->timing.q90);
    add_time(table, row->timing.cold);
    tool_table_cell(table, "%.4g", bench_row_gflops(row));
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
}

void bench_report(const bench_row *rows, int count, FILE *file) {
    static const char *const headings[] = {"",       "choice", "kernel", "params",   ">median",
                                           ">10 %",  ">90 %",  ">cold",  ">GFLOP/s", ">GB/s",
                                           ">floor", ">prep",  ">extra", ">error",   NULL};
    if (count == 0) return;
    print_heading(&rows[0], file);
    tool_table *table = tool_table_create(headings);
    const bench_row *best = fastest(rows, count);
    for (int i = 0; i < count; i++) add_row(table, &rows[i], &rows[i] == best);
    tool_table_print(table, file, 2);
    fflush(file);
}
