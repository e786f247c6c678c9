/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a separator. The graph is made coarser until it is small; the best of some separators of
 * the coarsest graph is carried back and refined on each finer graph. For the first graph another
 * separator is found by the distance from one end of the graph, and the better one is taken: on
 * regular grids separators by distance are slanted, and smaller than the planes that the coarser
 * graphs lead to. */
#include <string.h>

#include "order/cut.h"

/* TRIALS: number of separators that are tried. COARSEST: most nodes of a graph that is not made
 * coarser. */
enum { TRIALS = 8, COARSEST = 100 };

/* Finds the best of several separators that grow from random nodes. */
static tulle_status start(tulle__dissection *d, tulle__cut *cut, const tulle__web *web,
                          unsigned char *side, unsigned char *trial, double *best) {
    for (int i = 0; i < TRIALS; i++) {
        tulle__cut_start(cut, web, trial);
        tulle__cut_grow(d, cut);
        TULLE__TRY(tulle__cut_refine(d, cut));
        const double cost = tulle__cut_cost(cut);
        if (i > 0 && cost >= *best) continue;
        *best = cost;
        memcpy(side, trial, (size_t)web->nodes);
    }
    return TULLE_OK;
}

static tulle_status start_alone(tulle__dissection *d, const tulle__web *web, unsigned char *side,
                                double *cost) {
    unsigned char *trial = NULL;
    tulle__cut cut;
    tulle_status status = tulle__cut_alloc(d, web->nodes, &cut);
    if (status == TULLE_OK) status = tulle__dissect_array(d, web->nodes, 1, (void **)&trial);
    if (status == TULLE_OK) status = start(d, &cut, web, side, trial, cost);
    tulle__cut_free(d->ctx, &cut);
    tulle__host_free(d->ctx, trial);
    return status;
}

/* Computes the sides of the finer graph from those of the coarse one, and refines them. */
static tulle_status carry_back(tulle__dissection *d, const tulle__web *web, const int32_t *group,
                               const unsigned char *coarse, unsigned char *side, double *cost) {
    tulle__cut cut;
    tulle_status status = tulle__cut_alloc(d, web->nodes, &cut);
    if (status == TULLE_OK) {
        for (int32_t v = 0; v < web->nodes; v++) side[v] = coarse[group[v]];
        tulle__cut_weigh(&cut, web, side);
        status = tulle__cut_refine(d, &cut);
        *cost = tulle__cut_cost(&cut);
    }
    tulle__cut_free(d->ctx, &cut);
    return status;
}

/* Finds a separator of nodes that are equally far from one end of the graph. */
static tulle_status by_distance(tulle__dissection *d, const tulle__web *web, unsigned char *side,
                                double *cost) {
    tulle__cut cut;
    tulle_status status = tulle__cut_alloc(d, web->nodes, &cut);
    if (status == TULLE_OK) {
        tulle__cut_start(&cut, web, side);
        tulle__cut_near(d, &cut);
        status = tulle__dissect_count(d, 3 * web->begin[web->nodes]);
    }
    if (status == TULLE_OK) status = tulle__cut_refine(d, &cut);
    if (status == TULLE_OK) *cost = tulle__cut_cost(&cut);
    tulle__cut_free(d->ctx, &cut);
    return status;
}

static tulle_status separate(tulle__dissection *d, const tulle__web *web, unsigned char *side,
                             double *cost);

static tulle_status by_coarser(tulle__dissection *d, const tulle__web *web, const int32_t *group,
                               int32_t groups, unsigned char *side, double *cost) {
    tulle__web coarse;
    unsigned char *coarse_side = NULL;
    tulle_status status = tulle__web_merge(d, web, group, groups, &coarse);
    if (status == TULLE_OK) status = tulle__dissect_array(d, groups, 1, (void **)&coarse_side);
    if (status == TULLE_OK) status = separate(d, &coarse, coarse_side, cost);
    tulle__web_free(d->ctx, &coarse);
    if (status == TULLE_OK) status = carry_back(d, web, group, coarse_side, side, cost);
    tulle__host_free(d->ctx, coarse_side);
    return status;
}

/* Separates a graph by way of a coarser one, if that has fewer nodes by a twentieth; else
 * directly. */
static tulle_status separate(tulle__dissection *d, const tulle__web *web, unsigned char *side,
                             double *cost) {
    if (web->nodes <= COARSEST) return start_alone(d, web, side, cost);
    int32_t *group = NULL, groups = 0;
    int64_t weight = 0;
    for (int32_t v = 0; v < web->nodes; v++) weight += web->weight[v];
    tulle_status status = tulle__dissect_array(d, web->nodes, sizeof *group, (void **)&group);
    if (status == TULLE_OK) {
        status = tulle__web_match(d, web, 1 + weight * 3 / (2 * COARSEST), group, &groups);
    }
    if (status == TULLE_OK) {
        status = groups < web->nodes - web->nodes / 20
                     ? by_coarser(d, web, group, groups, side, cost)
                     : start_alone(d, web, side, cost);
    }
    tulle__host_free(d->ctx, group);
    return status;
}

tulle_status tulle__separate(tulle__dissection *d, const tulle__web *web, unsigned char *side) {
    unsigned char *other = NULL;
    double cost = 0, another = 0;
    tulle_status status = separate(d, web, side, &cost);
    if (status == TULLE_OK) status = tulle__dissect_array(d, web->nodes, 1, (void **)&other);
    if (status == TULLE_OK) status = by_distance(d, web, other, &another);
    if (status == TULLE_OK && another < cost) memcpy(side, other, (size_t)web->nodes);
    tulle__host_free(d->ctx, other);
    return status;
}
