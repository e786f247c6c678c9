/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/pace.h"

#include <math.h>

/* Share of the norm at the start that counts as no fall. */
static const double no_fall = 0.9;

/* Ratio of the falls of two quarters, as logarithms, up to which they count as alike. */
static const double alike = 4 / 3.0;

/* Foretells from the norm after half of the time how many quarters the rest takes; true if these
 * are more than two. */
static bool is_late(const tulle__pace *pace, double norm) {
    const double first = log(pace->start / pace->mark), second = log(pace->mark / norm);
    const bool steady = second <= alike * first && first <= alike * second;
    const double rest = log(norm / (pace->limit * pace->start));
    return !(rest <= (steady ? 2 : 4) * second);
}

static int look(void *user, int64_t iteration, double norm) {
    tulle__pace *pace = user;
    if (pace->monitor && pace->monitor(pace->user, iteration, norm) != 0) return 1;
    if (iteration == 0) pace->start = norm;
    if (pace->stall > 0 && iteration == pace->stall && norm >= no_fall * pace->start) {
        pace->stalled = true;
        return 1;
    }
    if (iteration == pace->stall) pace->mark = norm;
    if (pace->limit > 0 && iteration == 2 * pace->stall && is_late(pace, norm)) {
        pace->late = true;
        return 1;
    }
    if (iteration == 0 || norm > pace->largest) {
        pace->largest = norm;
        pace->at = iteration;
    }
    if (iteration != TULLE__EARLY || pace->slowest == 0) return 0;
    const double steps = (double)(iteration - pace->at);
    pace->factor = steps > 0 ? pow(norm / pace->largest, 1 / steps) : 1;
    pace->slow = pace->factor >= pace->slowest;
    return pace->slow;
}

void tulle__pace_begin(tulle__pace *pace, double slowest, int64_t stall,
                       tulle_solver_options *options) {
    *pace = (tulle__pace){.slowest = slowest,
                          .stall = stall,
                          .monitor = options->monitor,
                          .user = options->monitor_user};
    if (slowest == 0 && stall == 0) return;
    options->monitor = look;
    options->monitor_user = pace;
}

void tulle__pace_foretell(tulle__pace *pace, double limit) {
    pace->limit = pace->stall > 0 ? limit : 0;
}
