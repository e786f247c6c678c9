/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/sweep.h"

/* Largest time of a point, relative to the best, at which the point is measured again, for each
 * round. The first round is cold: a kernel's code is loaded when it first runs. */
static const double within[] = {8, 2, 1.5, 1.25, 1.1, 1.1, 1.05, 1.05, 1.05, 1.05, 1.05, 1.05};
enum { ROUNDS = 1 + sizeof within / sizeof *within };

static int count_points(const tulle__space *space) {
    int count = 0;
    tulle__point point;
    for (bool more = tulle__space_first(space, &point); more;
         more = tulle__space_next(space, &point)) {
        count++;
    }
    return count;
}

tulle_status tulle__sweep_start(tulle_ctx *ctx, const tulle__space *space, tulle__sweep *sweep) {
    *sweep = (tulle__sweep){0};
    int count = count_points(space);
    size_t bytes = 0;
    TULLE__TRY(tulle__size(count, sizeof *sweep->point, 0, &bytes));
    sweep->point = tulle__host_alloc(ctx, bytes);
    if (!sweep->point) return TULLE_OUT_OF_MEMORY;
    tulle__point point;
    for (bool more = tulle__space_first(space, &point); more;
         more = tulle__space_next(space, &point)) {
        bool start = tulle__same_point(&point, &space->terrain.candidate[0].home);
        if (start) sweep->best = sweep->count;
        sweep->point[sweep->count++].point = point;
    }
    return TULLE_OK;
}

/* Returns true when the point is measured in this round. */
static bool is_in(const tulle__sweep *sweep, const tulle__sample *trial) {
    if (sweep->round == 0) return true;
    const tulle__sample *best = &sweep->point[sweep->best];
    return trial->samples == sweep->round && trial->ms <= within[sweep->round - 1] * best->ms;
}

static void find_best(tulle__sweep *sweep) {
    for (int i = 0; i < sweep->count; i++) {
        const tulle__sample *trial = &sweep->point[i], *best = &sweep->point[sweep->best];
        bool first = best->samples == 0;
        if (trial->samples > 0 && (first || trial->ms < best->ms)) sweep->best = i;
    }
}

void tulle__sweep_step(tulle__sweep *sweep, double ms) {
    if (sweep->over) return;
    if (ms >= 0) tulle__sample_add(&sweep->point[sweep->now], ms);
    find_best(sweep);
    do {
        if (++sweep->now == sweep->count) {
            sweep->now = 0;
            sweep->round++;
        }
        sweep->over = sweep->round == ROUNDS;
    } while (!sweep->over && !is_in(sweep, &sweep->point[sweep->now]));
    if (sweep->over) sweep->now = sweep->best;
}
