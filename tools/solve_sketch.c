/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_sketch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/say.h"
#include "tools/common/table.h"

enum {
    HIGH = 12,   /* lines of the sketch */
    MARGIN = 10, /* characters before the axis: "  1.0e-12 " */
    LEAST_WIDE = 20,
    MOST_WIDE = 100 /* columns behind the axis */
};

/* The cells of the sketch, line 0 at the top. */
typedef struct sketch {
    int wide;         /* columns that are used */
    double low, high; /* decimal logarithms at the bottom and at the top */
    bool set[HIGH][MOST_WIDE];
} sketch;

static int line_of(const sketch *s, double norm) {
    const double place = (s->high - log10(norm)) / (s->high - s->low) * (HIGH - 1);
    return (int)fmin(fmax(round(place), 0), HIGH - 1);
}

/* Finds the range of all norms that have a logarithm; returns false where none has. */
static bool find_range(sketch *s, const tool_history *h) {
    double least = INFINITY, largest = 0;
    for (int64_t i = 0; i < h->count; i++) {
        if (!(h->norm[i] > 0) || !isfinite(h->norm[i])) continue;
        least = fmin(least, h->norm[i]);
        largest = fmax(largest, h->norm[i]);
    }
    if (!(largest > 0)) return false;
    s->high = log10(largest);
    s->low = fmin(log10(least), s->high - 1);
    return true;
}

/* Each column has the iterations from its own first one to the next column's, so that no norm is
 * left out where there are more iterations than columns. */
static void set_cells(sketch *s, const tool_history *h) {
    for (int64_t i = 0; i < h->count; i++) {
        if (!(h->norm[i] > 0) || !isfinite(h->norm[i])) continue;
        const int column = (int)(i * s->wide / h->count);
        s->set[line_of(s, h->norm[i])][column] = true;
    }
}

static void print_line(const sketch *s, int line, const char *mark) {
    int last = -1;
    for (int column = 0; column < s->wide; column++) {
        if (s->set[line][column]) last = column;
    }
    for (int column = 0; column <= last; column++)
        tool_say("%s", s->set[line][column] ? mark : " ");
    tool_say("\n");
}

void tool_solve_sketch(const tool_solve_summary *summary, tool_terminal terminal) {
    const tool_history *h = &summary->history;
    sketch s = {.wide = terminal.columns - MARGIN - 2};
    char count[TOOL_HUMAN];
    if (!find_range(&s, h)) return;
    s.wide = s.wide < LEAST_WIDE ? LEAST_WIDE : s.wide > MOST_WIDE ? MOST_WIDE : s.wide;
    if (s.wide > h->count) s.wide = (int)h->count;
    set_cells(&s, h);
    tool_say("\n%s%s by iteration, as %s has it; the residual above is of x itself\n",
             tool_solve_is_preconditioned(summary) ? "Preconditioned " : "",
             tool_solve_residual(summary), tulle_method_name(summary->report.method));
    for (int line = 0; line < HIGH; line++) {
        const double place = s.high - (s.high - s.low) * line / (HIGH - 1);
        tool_say("%*.1e %s", MARGIN - 1, pow(10, place), terminal.utf8 ? "│" : "|");
        print_line(&s, line, terminal.utf8 ? "•" : "*");
    }
    tool_say("%*s %s\n", MARGIN - 1, "0", terminal.utf8 ? "└" : "+");
    tool_say("%*s to iteration %s\n", MARGIN - 1, "", tool_human_count(h->count - 1, count));
}
