/* SPDX-License-Identifier: Apache-2.0 */
/* Nested dissection: the order has first the nodes of both sides of a separator, each side ordered
 * in the same way, then the separator. Small parts are ordered by minimum degree, and parts that no
 * separator cuts well by AMD. Source: A. George, "Nested dissection of a regular finite element
 * mesh", SIAM J. Numer. Anal. 10 (1973). */
#include <string.h>

#include "order/dissect.h"
#include "order/fill.h"

/* Most nodes of a part that is not separated further. */
enum { LEAF = 60 };

/* A part of the graph that waits for its order. */
typedef struct part {
    tulle__web web;
    int32_t *names; /* number of each node in the whole graph */
    int64_t place;  /* place of the part's first node in the order */
} part;

static void part_free(tulle_ctx *ctx, part *p) {
    tulle__web_free(ctx, &p->web);
    tulle__host_free(ctx, p->names);
    p->names = NULL;
}

static tulle_status order_whole(tulle__dissection *d, const part *p, int32_t *order) {
    int64_t *found = NULL;
    const tulle__graph graph = {p->web.nodes, true, p->web.begin, p->web.neighbours};
    tulle_status status = tulle__dissect_array(d, graph.nodes, sizeof *found, (void **)&found);
    if (status == TULLE_OK) status = tulle__order_amd(d->function, d->ctx, &graph, found);
    for (int64_t i = 0; status == TULLE_OK && i < graph.nodes; i++) {
        order[p->place + i] = p->names[found[i]];
    }
    tulle__host_free(d->ctx, found);
    d->placed += graph.nodes;
    return status == TULLE_OK ? tulle__dissect_count(d, graph.begin[graph.nodes]) : status;
}

/* Makes a part of the nodes of one side; number[] is scratch for the nodes of p. */
static tulle_status take_side(tulle__dissection *d, const part *p, const unsigned char *side,
                              int wanted, int32_t *number, part *taken) {
    const tulle__web *web = &p->web;
    int64_t nodes = 0, ends = 0;
    for (int32_t v = 0; v < web->nodes; v++) {
        if (side[v] != wanted) continue;
        number[v] = (int32_t)nodes++;
        for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
            ends += side[web->neighbours[e]] == wanted;
        }
    }
    TULLE__TRY(tulle__dissect_array(d, nodes, sizeof *taken->names, (void **)&taken->names));
    TULLE__TRY(tulle__web_alloc(d, nodes, ends, &taken->web));
    ends = 0;
    for (int32_t v = 0; v < web->nodes; v++) {
        if (side[v] != wanted) continue;
        taken->names[number[v]] = p->names[v];
        taken->web.weight[number[v]] = web->weight[v];
        for (int64_t e = web->begin[v]; e < web->begin[v + 1]; e++) {
            if (side[web->neighbours[e]] != wanted) continue;
            taken->web.edges[ends] = web->edges[e];
            taken->web.neighbours[ends++] = number[web->neighbours[e]];
        }
        taken->web.begin[number[v] + 1] = ends;
    }
    return tulle__dissect_count(d, web->begin[web->nodes]);
}

/* Returns true for a useful separator: each side has more than a twentieth of the nodes, and the
 * separator fewer than half of them. Counts the nodes of each side. */
static bool is_useful(const part *p, const unsigned char *side, int64_t count[3]) {
    memset(count, 0, 3 * sizeof *count);
    for (int32_t v = 0; v < p->web.nodes; v++) count[side[v]]++;
    const int64_t fewer = count[0] < count[1] ? count[0] : count[1];
    return fewer > p->web.nodes / 20 && count[TULLE__BETWEEN] < p->web.nodes / 2;
}

/* Separates part p: makes its sides, which then wait for their order, and puts the separator into
 * its place. Orders all of p if no separator is useful. */
static tulle_status split(tulle__dissection *d, const part *p, unsigned char *side, int32_t *number,
                          part sides[2], int32_t *order) {
    int64_t count[3];
    TULLE__TRY(tulle__separate(d, &p->web, side));
    if (!is_useful(p, side, count)) return order_whole(d, p, order);
    for (int s = 0; s < 2; s++) {
        sides[s].place = s == TULLE__LEFT ? p->place : p->place + count[TULLE__LEFT];
        TULLE__TRY(take_side(d, p, side, s, number, &sides[s]));
    }
    int64_t at = p->place + count[TULLE__LEFT] + count[TULLE__RIGHT];
    for (int32_t v = 0; v < p->web.nodes; v++) {
        if (side[v] == TULLE__BETWEEN) order[at++] = p->names[v];
    }
    d->placed += count[TULLE__BETWEEN];
    return TULLE_OK;
}

static tulle_status split_alone(tulle__dissection *d, const part *p, part sides[2],
                                int32_t *order) {
    unsigned char *side = NULL;
    int32_t *number = NULL;
    tulle_status status = tulle__dissect_array(d, p->web.nodes, 1, (void **)&side);
    if (status == TULLE_OK) {
        status = tulle__dissect_array(d, p->web.nodes, sizeof *number, (void **)&number);
    }
    if (status == TULLE_OK) status = split(d, p, side, number, sides, order);
    tulle__host_free(d->ctx, side);
    tulle__host_free(d->ctx, number);
    return status;
}

/* Orders a part. A side has at most 19/20 of the nodes, so that the calls are at most log(2^31) /
 * log(20 / 19) = 419 deep. */
static tulle_status order_part(tulle__dissection *d, part *p, int32_t *order) {
    tulle_status status;
    part sides[2] = {{.names = NULL}, {.names = NULL}};
    if (p->web.nodes <= LEAF) {
        status = tulle__dissect_leaf(d, p->names, p->web.nodes, order + p->place);
        d->placed += p->web.nodes;
    } else {
        status = split_alone(d, p, sides, order);
    }
    if (p->web.begin != d->whole->begin) part_free(d->ctx, p);
    for (int s = 0; s < 2; s++) {
        if (status == TULLE_OK && sides[s].names) status = order_part(d, &sides[s], order);
        part_free(d->ctx, &sides[s]);
    }
    return status;
}

/* Makes the graph in which each set of twins is one node. */
static tulle_status merge_twins(tulle__dissection *d, const tulle__graph *graph, int32_t *group,
                                part *all) {
    const int64_t ends = graph->begin[graph->nodes];
    tulle__web web;
    int32_t groups = 0;
    tulle_status status = tulle__web_alloc(d, graph->nodes, ends, &web);
    if (status == TULLE_OK) {
        memcpy(web.begin, graph->begin, (size_t)(graph->nodes + 1) * sizeof *web.begin);
        if (ends > 0) memcpy(web.neighbours, graph->neighbours, (size_t)ends * 4);
        for (int32_t v = 0; v < web.nodes; v++) web.weight[v] = 1;
        for (int64_t e = 0; e < ends; e++) web.edges[e] = 1;
        status = tulle__web_twins(d, &web, group, &groups);
    }
    if (status == TULLE_OK) status = tulle__web_merge(d, &web, group, groups, &all->web);
    tulle__web_free(d->ctx, &web);
    d->nodes = groups;
    return status;
}

/* Makes the order of the nodes from found[], the order of the groups; the nodes of a group follow
 * each other, ascending. begin[] comes zeroed; for each group it has first the number of nodes,
 * then the place of the next one. */
static void spread(const int32_t *group, const int32_t *found, int64_t nodes, int64_t groups,
                   int64_t *begin, int64_t *order) {
    for (int64_t v = 0; v < nodes; v++) begin[group[v]]++;
    int64_t at = 0;
    for (int64_t i = 0; i < groups; i++) {
        const int64_t size = begin[found[i]];
        begin[found[i]] = at;
        at += size;
    }
    for (int64_t v = 0; v < nodes; v++) order[begin[group[v]]++] = v;
}

static tulle_status order_groups(tulle__dissection *d, const tulle__graph *graph, part *all,
                                 const int32_t *group, int64_t *order) {
    const int32_t groups = all->web.nodes;
    int32_t *found = NULL;
    int64_t *begin = NULL;
    tulle_status status = tulle__dissect_array(d, groups, sizeof *found, (void **)&found);
    if (status == TULLE_OK) {
        status = tulle__dissect_array(d, groups, sizeof *begin, (void **)&begin);
    }
    if (status == TULLE_OK) {
        status = tulle__dissect_array(d, groups, sizeof *all->names, (void **)&all->names);
    }
    if (status == TULLE_OK) {
        status = tulle__dissect_array(d, groups, sizeof *d->column, (void **)&d->column);
    }
    if (status == TULLE_OK) {
        for (int32_t g = 0; g < groups; g++) all->names[g] = g;
        d->whole = &all->web;
        status = order_part(d, all, found);
    }
    if (status == TULLE_OK) spread(group, found, graph->nodes, groups, begin, order);
    tulle__host_free(d->ctx, found);
    tulle__host_free(d->ctx, begin);
    tulle__host_free(d->ctx, d->column);
    return status;
}

tulle_status tulle__order_nested(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                                 int64_t *order) {
    if (!graph->narrow) {
        return tulle__fail(TULLE_TOO_LARGE, function, "A", -1,
                           "nested dissection takes 2^31 - 1 nodes, not %lld; TULLE_AMD takes more",
                           (long long)graph->nodes);
    }
    tulle__dissection d = {.ctx = ctx, .function = function, .random = 1};
    part all = {.names = NULL};
    int32_t *group = NULL;
    tulle_status status = tulle__dissect_array(&d, graph->nodes, sizeof *group, (void **)&group);
    if (status == TULLE_OK) status = merge_twins(&d, graph, group, &all);
    if (status == TULLE_OK) status = order_groups(&d, graph, &all, group, order);
    part_free(ctx, &all);
    tulle__host_free(ctx, group);
    return status;
}
