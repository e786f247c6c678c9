/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_amg_explain: a hierarchy in words. */
#include <inttypes.h>
#include <stdio.h>

#include "amg/amg.h"
#include "amg/jobs.h"
#include "comm/comm.h"
#include "core/page.h"
#include "core/print.h"

static double over(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

static const char *const families[] = {[TULLE_AMG_CLASSICAL] = "classical interpolation",
                                       [TULLE_AMG_AGGREGATION] = "plain aggregation, a W cycle",
                                       [TULLE_AMG_SMOOTHED] = "smoothed aggregation"};

static void say_head(tulle__page *t, const tulle__amg *own) {
    const tulle_amg_info *info = &own->info;
    tulle__page_say(t, "multigrid of %d levels: %.2f times A's entries, %.2f times its rows\n",
                    info->levels, info->operator_complexity, info->grid_complexity);
    tulle__page_say(t, "  family    %s\n", families[own->options.family]);
    if (own->nodes.block > 0) {
        tulle__page_say(t, "  nodes     of %d unknowns, near null space of %d columns",
                        own->nodes.block, own->nodes.columns);
        tulle__page_say(t, own->nodes.dropped > 0 ? ", %" PRId64 " of aggregates dropped\n" : "\n",
                        own->nodes.dropped);
    }
    if (own->dist) {
        tulle__page_say(t, "  shared    the rows of %d levels by %d processes\n", own->shared,
                        own->head.comm->functions.ranks);
    }
    tulle__page_say(t, "  held      %.4g MB beside A\n", 1e-6 * (double)info->bytes);
    tulle__page_say(t, "  setup     %.4g ms\n", info->setup_ms);
    const char *in = own->single ? ", computed in f32"
                     : own->unfit == TULLE__AMG_NOISY
                         ? ", in f64: coefficients jump too far for f32"
                     : own->unfit == TULLE__AMG_RANGE ? ", in f64: a number leaves the range of f32"
                                                      : "";
    tulle__page_say(t, "  smoother  polynomial of degree %d%s\n", own->options.degree, in);
}

/* Says how the last level is solved. */
static void say_last(tulle__page *t, const tulle__amg *own) {
    const tulle__amg_level *last = own->level + own->levels - 1;
    const char *how = "smoothed, which solves it";
    if (own->info.stalled) how = "smoothed, which does not solve it: coarsening has stalled";
    if (last->inverse) how = "solved by its inverse";
    tulle__page_say(t, "  last      %" PRId64 " rows, %s\n", last->info.rows, how);
}

/* Factor of an iteration from which on another way is advised. */
static const double slow = 0.9;

static void say_factor(tulle__page *t, double factor) {
    tulle__page_say(t, "  factor    %.2g of the residual is left after an iteration\n", factor);
    if (factor <= slow) return;
    tulle__page_say(t,
                    "            which is slow: try another family, or see amg.h for what A must "
                    "be like\n");
}

/* Times as text: "" where there was nothing to do. */
static const char *time_of(double ms, char text[16]) {
    snprintf(text, 16, "%s", "");
    if (ms > 0) tulle__print(text, 16, "%.3g", ms);
    return text;
}

static void say_level(tulle__page *t, const tulle__amg *own, int l) {
    const tulle_amg_level_info *level = &own->level[l].info;
    const double first = (double)own->level[0].info.nnz;
    char name[24], split[16], interpolation[16], product[16];
    snprintf(name, sizeof name, "%d%s", l, level->passed ? " passed" : "");
    tulle__page_say(t, "  %-9s %11" PRId64 " %13" PRId64 " %6.1f %7.3f", name, level->rows,
                    level->nnz, over((double)level->nnz, (double)level->rows),
                    over((double)level->nnz, first));
    if (l + 1 < own->levels) {
        tulle__page_say(t, " %8s %8s %8s", time_of(level->split_ms, split),
                        time_of(level->interpolation_ms, interpolation),
                        time_of(level->product_ms, product));
    }
    tulle__page_say(t, "\n");
}

static void say_levels(tulle__page *t, const tulle__amg *own) {
    tulle__page_say(t, "  %-9s %11s %13s %6s %7s %8s %8s %8s\n", "level", "rows", "entries",
                    "a row", "of A's", "split ms", "P ms", "R A P ms");
    for (int l = 0; l < own->levels; l++) say_level(t, own, l);
}

tulle_status tulle_amg_explain(const tulle_linop *M, char *text, size_t room, size_t *length) {
    tulle_amg_info info;
    tulle__page t;
    TULLE__TRY(tulle_amg_describe(M, &info));
    TULLE__TRY(tulle__page_begin(__func__, text, room, &t));
    tulle__amg *own = (tulle__amg *)(uintptr_t)M;
    double factor = 0;
    if (own->levels > 0 && own->A) TULLE__TRY(tulle__amg_find_factor(M->ctx, own, &factor));
    if (own->levels == 0) {
        tulle__page_say(&t, "multigrid without levels\n");
    } else {
        say_head(&t, own);
        say_last(&t, own);
        if (own->A) say_factor(&t, factor);
        say_levels(&t, own);
    }
    if (length) *length = t.length;
    return TULLE_OK;
}
