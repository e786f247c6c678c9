/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the lengths of the rows in the report of tulle info. */
#include <stdio.h>

#include "info_report.h"
#include "tools/common/say.h"
#include "tools/common/table.h"

/* Returns a count with commas; one printf may have up to eight of them. */
static const char *count(int64_t number) {
    static char buffer[8][TOOL_HUMAN];
    static unsigned next;
    return tool_human_count(number, buffer[next++ % 8]);
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

void tool_info_print_histogram(const tulle_mat_info *info, tool_terminal terminal) {
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
