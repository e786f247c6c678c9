/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/standing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/names.h"
#include "tools/common/say.h"
#include "trials/operation.h"

static void add(bench_standing *standing, const bench_stand *stand) {
    if (standing->count == standing->room) {
        int room = standing->room ? 2 * standing->room : 32;
        bench_stand *item = tool_alloc((size_t)room, sizeof *item);
        if (standing->count) {
            memcpy(item, standing->item, (size_t)standing->count * sizeof *item);
        }
        free(standing->item);
        standing->item = item;
        standing->room = room;
    }
    standing->item[standing->count++] = *stand;
}

/* A row that may be the best of its side, tulle's or the peers'. */
typedef struct contender {
    double ms;
    const bench_variant *variant;
    bool right;
} contender;

static bool better(const contender *row, const contender *best) {
    return !best || row->ms < best->ms;
}

/* Returns the fastest right row of the peers, or of tulle's; the right row of tulle's own rule
 * comes before all others. */
static const contender *fastest(const contender *rows, int count, bool pooled, bool peers) {
    const contender *best = NULL;
    for (int i = 0; i < count; i++) {
        const contender *row = &rows[i];
        bool peer = row->variant->choice == TRIAL_PEER;
        bool counts = row->variant->pooled == pooled && peer == peers && row->right;
        if (counts && row->variant->choice == TRIAL_RULE) return row;
        if (counts && better(row, best)) best = row;
    }
    return best;
}

/* Adds the stand, with the ratio of the times of the two sides' rows, unless neither side has a
 * row. */
static void compare(bench_standing *standing, const contender *rows, int count, bool pooled,
                    bench_stand *stand) {
    const contender *ours = fastest(rows, count, pooled, false);
    const contender *peer = fastest(rows, count, pooled, true);
    stand->ratio = ours && peer ? peer->ms / ours->ms : 0;
    if (ours || peer) add(standing, stand);
}

/* Returns the text that all requests of these rows have behind the name of the variant, "trisolve
 * as lower". */
static const char *series_of(const bench_row *row) {
    static const char before[] = " for ";
    const char *found = strstr(row->variant->request, before);
    return found ? found + sizeof before - 1 : "";
}

/* Returns whether the row computes the same result as others: a peer that has a check of its own
 * computes something else. */
static bool is_alike(const bench_row *row) {
    return row->variant->choice != TRIAL_PEER || !row->variant->peer->peer->error;
}

/* Names the series of a row: operations that make matrices have one with memory from a pool and one
 * without; for all others the requests tell series apart. */
static void name_series(const bench_row *row, bool pooled, bench_stand *stand) {
    const bool transposed = row->problem->trans == TULLE_T;
    if (row->problem->operation->makes) {
        snprintf(stand->series, sizeof stand->series, pooled ? "with a pool" : "without a pool");
    } else {
        snprintf(stand->series, sizeof stand->series, "%s%s", series_of(row),
                 transposed ? ", transposed" : "");
    }
}

void bench_standing_add(bench_standing *standing, const bench_row *rows, int count) {
    contender *all = tool_alloc((size_t)count + 1, sizeof *all);
    for (int i = 0; i < count; i++) {
        all[i] = (contender){bench_row_cost_ms(&rows[i]), rows[i].variant,
                             .right = !bench_row_wrong(&rows[i]) && is_alike(&rows[i])};
    }
    for (int pooled = 0; pooled < 2 && count > 0; pooled++) {
        bench_stand stand = {.type = rows->problem->info.type, .class = bench_row_class(rows)};
        name_series(rows, pooled, &stand);
        snprintf(stand.matrix, sizeof stand.matrix, "%s", rows->matrix->name);
        compare(standing, all, count, pooled, &stand);
    }
    free(all);
}

static bool same(const bench_stand *a, const bench_stand *b) {
    return a->type == b->type && strcmp(a->series, b->series) == 0 &&
           strcmp(a->class, b->class) == 0;
}

static bool first_of_kind(const bench_standing *standing, int i) {
    for (int j = 0; j < i; j++) {
        if (same(&standing->item[j], &standing->item[i])) return false;
    }
    return true;
}

static void print_kind(const bench_standing *standing, const bench_stand *kind, FILE *file) {
    const bench_stand *least = NULL;
    double logs = 0;
    int compared = 0, alone = 0;
    for (int i = 0; i < standing->count; i++) {
        const bench_stand *stand = &standing->item[i];
        if (!same(stand, kind)) continue;
        alone += stand->ratio <= 0;
        if (stand->ratio <= 0) continue;
        compared++;
        logs += log(stand->ratio);
        if (!least || stand->ratio < least->ratio) least = stand;
    }
    if (!least) return;
    tool_say_to(file,
                "tulle / best peer, %s, %s, class %s: geometric mean %.2f, least %.2f (%s), of %d",
                tool_type_name(kind->type), kind->series, kind->class, exp(logs / compared),
                least->ratio, least->matrix, compared);
    if (alone) tool_say_to(file, "; %d without one of both", alone);
    tool_say_to(file, "\n");
}

void bench_standing_print(const bench_standing *standing, FILE *file) {
    for (int i = 0; i < standing->count; i++) {
        if (i == 0) tool_say_to(file, "\n");
        if (first_of_kind(standing, i)) print_kind(standing, &standing->item[i], file);
    }
    fflush(file);
}

void bench_standing_free(bench_standing *standing) {
    free(standing->item);
    *standing = (bench_standing){0};
}
