/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/standing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/names.h"

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

static bool better(const bench_made *row, const bench_made *best) {
    return !best || row->timing.ms < best->timing.ms;
}

/* The fastest right row of the peers, or of tulle's. */
static const bench_made *fastest(const bench_made *rows, int count, bool pooled, bool peers) {
    const bench_made *best = NULL;
    for (int i = 0; i < count; i++) {
        const bench_made *row = &rows[i];
        bool peer = row->variant->choice == BENCH_PEER;
        bool counts = row->variant->pooled == pooled && peer == peers && !bench_made_wrong(row);
        if (counts && row->variant->choice == BENCH_RULE) return row;
        if (counts && better(row, best)) best = row;
    }
    return best;
}

static void add_series(bench_standing *standing, const bench_made *rows, int count, bool pooled) {
    const bench_made *ours = fastest(rows, count, pooled, false);
    const bench_made *peer = fastest(rows, count, pooled, true);
    const bench_made *any = ours ? ours : peer;
    if (!any) return;
    bench_stand stand = {.type = any->making->a.type,
                         .pooled = pooled,
                         .class = bench_made_class(any),
                         .ratio = ours && peer ? peer->timing.ms / ours->timing.ms : 0};
    snprintf(stand.matrix, sizeof stand.matrix, "%s", any->matrix->name);
    add(standing, &stand);
}

void bench_standing_add(bench_standing *standing, const bench_made *rows, int count) {
    add_series(standing, rows, count, false);
    add_series(standing, rows, count, true);
}

static bool same(const bench_stand *a, const bench_stand *b) {
    return a->type == b->type && a->pooled == b->pooled && strcmp(a->class, b->class) == 0;
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
    fprintf(file,
            "tulle / best peer, %s, %s, class %s: geometric mean %.2f, least %.2f (%s), of %d",
            tool_type_name(kind->type), kind->pooled ? "with a pool" : "without a pool",
            kind->class, exp(logs / compared), least->ratio, least->matrix, compared);
    if (alone) fprintf(file, "; %d without one of both", alone);
    fputc('\n', file);
}

void bench_standing_print(const bench_standing *standing, FILE *file) {
    for (int i = 0; i < standing->count; i++) {
        if (i == 0) fputc('\n', file);
        if (first_of_kind(standing, i)) print_kind(standing, &standing->item[i], file);
    }
    fflush(file);
}

void bench_standing_free(bench_standing *standing) {
    free(standing->item);
    *standing = (bench_standing){0};
}
