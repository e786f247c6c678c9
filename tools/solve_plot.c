/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_plot.h"

#include <inttypes.h>
#include <math.h>

#include "svg_page.h"
#include "tools/common/output.h"
#include "tools/common/table.h"

enum {
    WIDE = 560, /* width of the plot in pixels */
    HIGH = 320, /* height of the plot in pixels */
    LEFT = 96,
    TOP = 64,
    BELOW = 64,
    RIGHT = 32,
    MOST_POINTS = 2000, /* number of points of the line, at most */
    MOST_LABELS = 8     /* number of labels of the axis of norms, at most */
};

typedef struct plot {
    const tool_solve_summary *summary;
    char title[256];
    int low, high; /* powers of 10 at the ends of the axis */
    int64_t last;  /* number of the last iteration */
} plot;

static double x_of(const plot *p, int64_t iteration) {
    return LEFT + WIDE * (double)iteration / (double)(p->last > 0 ? p->last : 1);
}

/* Zeros stand at the bottom. */
static double y_of(const plot *p, double norm) {
    const double place = norm > 0 ? log10(norm) : p->low;
    const double share = (place - p->low) / (p->high - p->low);
    return TOP + HIGH * (1 - fmin(fmax(share, 0), 1));
}

static void take(double norm, double *least, double *largest) {
    if (!(norm > 0) || !isfinite(norm)) return;
    *least = fmin(*least, norm);
    *largest = fmax(*largest, norm);
}

/* Finds whole powers of 10 around all norms and the limit. */
static void find_range(plot *p) {
    const tool_history *h = &p->summary->history;
    double least = INFINITY, largest = 0;
    for (int64_t i = 0; i < h->count; i++) take(h->norm[i], &least, &largest);
    take(p->summary->report.solver.limit, &least, &largest);
    if (!(largest > 0)) least = largest = 1;
    p->low = (int)floor(log10(least));
    p->high = (int)ceil(log10(largest));
    if (p->high == p->low) p->high++;
    p->last = h->count > 0 ? h->count - 1 : 0;
}

static void print_norms(const plot *p, FILE *file) {
    const int step = (p->high - p->low + MOST_LABELS - 1) / MOST_LABELS;
    for (int power = p->low; power <= p->high; power += step) {
        const double y = y_of(p, pow(10, power));
        fprintf(file, "<path d=\"M%d %.1fh%d\" stroke=\"#ddd\"/>\n", LEFT, y, WIDE);
        fprintf(file, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">1e%d</text>\n", LEFT - 6,
                y + 4, power);
    }
}

static void print_axes(const plot *p, FILE *file) {
    const tool_solve_summary *s = p->summary;
    char text[TOOL_HUMAN];
    print_norms(p, file);
    fprintf(file,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
            "stroke=\"#000\"/>\n",
            LEFT, TOP, WIDE, HIGH);
    fprintf(file, "<text x=\"%d\" y=\"%d\">0</text>\n", LEFT, TOP + HIGH + 18);
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", LEFT + WIDE,
            TOP + HIGH + 18, tool_human_count(p->last, text));
    fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">iterations</text>\n",
            LEFT + WIDE / 2, TOP + HIGH + 18);
    fprintf(
        file,
        "<text transform=\"translate(%d %d) rotate(-90)\" text-anchor=\"middle\">%s%s, as %s has "
        "it on its way</text>\n",
        LEFT - 60, TOP + HIGH / 2, tool_solve_is_preconditioned(s) ? "preconditioned " : "",
        tool_solve_residual(s), tulle_method_name(s->report.method));
}

/* Numbers that are not finite part the line. */
static void print_line(const plot *p, FILE *file) {
    const tool_history *h = &p->summary->history;
    const int64_t step = h->count / MOST_POINTS + 1;
    bool open = false;
    fprintf(file, "<path fill=\"none\" stroke=\"#123a6b\" stroke-width=\"1.5\" d=\"");
    for (int64_t i = 0; i < h->count; i = i < p->last && i + step > p->last ? p->last : i + step) {
        const bool finite = isfinite(h->norm[i]);
        if (finite) {
            fprintf(file, "%c%.1f %.1f", open ? 'L' : 'M', x_of(p, i), y_of(p, h->norm[i]));
        }
        open = finite;
    }
    fprintf(file, "\"/>\n");
}

static void print_limit(const plot *p, FILE *file) {
    const double y = y_of(p, p->summary->report.solver.limit);
    fprintf(file,
            "<path d=\"M%d %.1fh%d\" stroke=\"#b00\" stroke-dasharray=\"6 4\"/>\n"
            "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#b00\">wanted</text>\n",
            LEFT, y, WIDE, LEFT + WIDE - 6, y - 5);
}

static void print_caption(const plot *p, FILE *file) {
    const tulle_solver_report *r = &p->summary->report.solver;
    char count[TOOL_HUMAN];
    fprintf(file, "<text x=\"%d\" y=\"%d\">%s after %s iterations</text>\n", LEFT, TOP + HIGH + 44,
            tulle_outcome_name(r->outcome), tool_human_count(r->iterations, count));
}

static tulle_status print(FILE *file, const void *what) {
    const plot *p = what;
    tool_svg_begin(file, LEFT + WIDE + RIGHT, TOP + HIGH + BELOW, LEFT, p->title);
    print_axes(p, file);
    print_limit(p, file);
    print_line(p, file);
    print_caption(p, file);
    tool_svg_end(file);
    return TULLE_OK;
}

tulle_status tool_solve_plot(const tool_solve_summary *summary, const char *path) {
    plot p = {.summary = summary};
    const tulle_solve_report *r = &summary->report;
    snprintf(p.title, sizeof p.title, "%s: %s, %s", summary->trial.A.name,
             tulle_method_name(r->method), r->precond);
    find_range(&p);
    return tool_write_text(path, &tool_file_svg, print, &p);
}
