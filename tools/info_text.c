/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "info_report.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

/* Returns a count with commas; one printf may have up to eight of them. */
static const char *count(int64_t number) {
    static char buffer[8][TOOL_HUMAN];
    static unsigned next;
    return tool_human_count(number, buffer[next++ % 8]);
}

static double percent(int64_t part, int64_t whole) {
    return whole ? 100 * (double)part / (double)whole : 100;
}

static void print_source(const tool_info_report *r) {
    const tulle_file_info *file = &r->source.file;
    char bytes[TOOL_HUMAN], time[TOOL_HUMAN], speed[TOOL_HUMAN];
    tool_human_seconds(r->source.seconds, time);
    if (!r->source.has_file) {
        tool_say("  made by       a generator, in %s\n", time);
        return;
    }
    tool_say("  file          %s, %s, %s; %s entries stored\n", file->container, file->field,
             file->symmetry, count(file->stored));
    tool_say("  read          %s in %s", tool_human_bytes((double)file->file_bytes, bytes), time);
    if (file->seconds > 0) {
        tool_human_bytes((double)file->text_bytes / file->seconds, speed);
        tool_say(": %s/s of content, %s entries/s", speed,
                 count((int64_t)((double)file->stored / file->seconds)));
    }
    tool_say("\n");
}

static void print_symmetry(const tool_info_report *r) {
    const tulle_facts *f = &r->facts;
    if (r->info.rows != r->info.cols) return;
    tool_say(
        "  symmetry      pattern %s (%.4g %% of the off-diagonal entries have a mirror),\n"
        "                values %s (%.4g %% have the same value there)\n",
        tool_info_pattern(r), percent(f->mirrored, f->off_diagonal), tool_info_values(r),
        percent(f->equal, f->off_diagonal));
    tool_say("  diagonal      %s of %s places stored, %s of them 0\n", count(f->diagonal),
             count(r->info.rows), count(f->diagonal_zero));
}

static void print_rows(const tulle_mat_info *info) {
    if (info->min_row == info->max_row) {
        tool_say("  rows          %s entr%s each", count(info->min_row),
                 info->min_row == 1 ? "y" : "ies");
    } else {
        tool_say("  rows          %s to %s entries, mean %.4g, standard deviation %.4g",
                 count(info->min_row), count(info->max_row), info->mean_row, info->sd_row);
    }
    tool_say(", %s empty\n", count(info->empty_rows));
}

static void print_facts(const tool_info_report *r) {
    const tulle_mat_info *info = &r->info;
    const tulle_facts *f = &r->facts;
    double places = (double)info->rows * (double)info->cols;
    tool_say("%s\n", r->name);
    tool_say("  shape         %s x %s\n", count(info->rows), count(info->cols));
    tool_say("  entries       %s, %.3g %% of all places\n", count(info->nnz),
             places > 0 ? 100 * (double)info->nnz / places : 0);
    print_source(r);
    tool_say("  values        %s; |a| from %.4g to %.4g, %s stored zeros, %s Inf or NaN\n",
             tool_type_name(info->type), f->smallest, f->largest, count(f->zeros),
             count(f->not_finite));
    print_symmetry(r);
    print_rows(info);
    tool_say("  bandwidth     %s (largest |column - row|)\n", count(info->bandwidth));
}

static int64_t bin_start(int bin) {
    return bin ? (int64_t)1 << (bin - 1) : 0;
}

/* Prints a bar, whose length is at most what a line has room for behind its numbers. */
static void print_bar(double share, tool_terminal terminal) {
    enum { LONGEST = 40, NUMBERS = 41 };
    const int room = terminal.columns - NUMBERS;
    const int longest = room < 1 ? 1 : room < LONGEST ? room : LONGEST;
    int length = (int)(share * longest + 0.5);
    for (int i = 0; i < (length ? length : 1); i++) tool_say("%s", terminal.utf8 ? "█" : "#");
}

static void print_bin(const tulle_mat_info *info, int bin, int64_t most, tool_terminal terminal) {
    char range[64];
    int64_t rows = info->row_histogram[bin];
    /* No row is outside of the shortest and the longest one. */
    const int64_t start = bin_start(bin), end = bin ? bin_start(bin + 1) - 1 : 0;
    const int64_t from = start > info->min_row ? start : info->min_row;
    const int64_t to = end < info->max_row ? end : info->max_row;
    if (from == to) {
        snprintf(range, sizeof range, "%s", count(from));
    } else {
        snprintf(range, sizeof range, "%s to %s", count(from), count(to));
    }
    tool_say("  %21s  %14s%s", range, count(rows), rows ? "  " : "");
    if (rows) print_bar((double)rows / (double)most, terminal);
    tool_say("\n");
}

static void print_histogram(const tulle_mat_info *info, tool_terminal terminal) {
    int first = 32, last = 0;
    int64_t most = 1;
    for (int bin = 0; bin < 33; bin++) {
        int64_t rows = info->row_histogram[bin];
        if (rows && bin < first) first = bin;
        if (rows) last = bin;
        if (rows > most) most = rows;
    }
    if (last < first) return;
    tool_say("\nRow lengths\n  %21s  %14s\n", "entries", "rows");
    for (int bin = first; bin <= last; bin++) print_bin(info, bin, most, terminal);
}

void tool_info_print(const tool_info_report *report, tool_terminal terminal) {
    print_facts(report);
    print_histogram(&report->info, terminal);
    tool_info_print_advice(report);
}
