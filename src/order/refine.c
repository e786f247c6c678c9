/* SPDX-License-Identifier: Apache-2.0 */
/* Improves a separator by passes of moves, to the left and to the right in turn. In a pass the node
 * of the highest gain moves first, even if its gain is negative, and the moves after the best
 * separator are undone. Moves to both sides in one pass would undo each other, and leave rougher
 * separators. Source: C. Fiduccia and R. Mattheyses, "A linear-time heuristic for improving network
 * partitions", DAC 1982; for separators of nodes: B. Hendrickson and E. Rothberg, "Improving the
 * run time and quality of nested dissection ordering", SIAM J. Sci. Comput. 20 (1998). */
#include "order/cut.h"

#include <stdlib.h>

/* PASSES: most passes. PATIENCE: most moves in a row without an improvement. */
enum { PASSES = 20, PATIENCE = 300 };

/* most_of_all: largest share of the whole weight that one side may have. imbalance: cost of sides
 * of different weights, as a share of the separator's weight, if one side has everything. */
static const double most_of_all = 0.6, imbalance = 0.25;

static int64_t total(const tulle__cut *cut) {
    return cut->weight[0] + cut->weight[1] + cut->weight[2];
}

static int64_t heavier(const tulle__cut *cut) {
    return cut->weight[0] > cut->weight[1] ? cut->weight[0] : cut->weight[1];
}

static int64_t most(const tulle__cut *cut) {
    return (int64_t)(most_of_all * (double)total(cut));
}

double tulle__cut_cost(const tulle__cut *cut) {
    const int64_t over = heavier(cut) - most(cut);
    const double apart = (double)llabs(cut->weight[0] - cut->weight[1]) / (double)total(cut);
    return (double)cut->weight[TULLE__BETWEEN] * (1 + imbalance * apart) +
           (over > 0 ? (double)over : 0);
}

static void offer_all(tulle__cut *cut) {
    tulle__cut_clear(cut);
    for (int32_t v = 0; v < cut->web->nodes; v++) {
        if (cut->side[v] == TULLE__BETWEEN) tulle__cut_offer(cut, v);
    }
}

/* Makes one pass of moves to one side; returns true if the pass has improved the separator. */
static bool pass(tulle__cut *cut, int to, int64_t *edges) {
    const int64_t limit = most(cut);
    const double before = tulle__cut_cost(cut);
    tulle__queue *q = &cut->to[to];
    double best = before;
    int64_t kept = 0;
    offer_all(cut);
    for (int since = 0; since < PATIENCE && q->count > 0;) {
        const int32_t v = q->heap[0];
        if (cut->weight[to] + cut->web->weight[v] > limit) {
            tulle__queue_drop(q, v);
            continue;
        }
        tulle__cut_move(cut, v, to);
        *edges += cut->web->begin[v + 1] - cut->web->begin[v];
        since++;
        const double cost = tulle__cut_cost(cut);
        if (cost >= best) continue;
        best = cost;
        kept = cut->logged;
        since = 0;
    }
    tulle__cut_undo(cut, kept);
    return best < before;
}

tulle_status tulle__cut_refine(tulle__dissection *d, tulle__cut *cut) {
    int to = cut->weight[TULLE__LEFT] <= cut->weight[TULLE__RIGHT] ? TULLE__LEFT : TULLE__RIGHT;
    int useless = 0;
    for (int i = 0; useless < 2 && i < PASSES; i++) {
        int64_t edges = cut->web->nodes;
        useless = pass(cut, to, &edges) ? 0 : useless + 1;
        to = 1 - to;
        TULLE__TRY(tulle__dissect_count(d, edges));
    }
    return TULLE_OK;
}
