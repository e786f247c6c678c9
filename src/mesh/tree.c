/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a tree of boxes. The places are sorted once along each axis. A box is cut across its
 * longest side so that each half has half of the places; the orders along the other axes are
 * divided without sorting again. */
#include "mesh/tree.h"

#include <string.h>

#include "mesh/sort.h"

/* least number of places of a box that is not cut; the most is below twice as many */
enum { LEAF = 8 };

/* A coordinate, and the index of its place. */
typedef struct mark {
    double x;
    int32_t place;
} mark;

typedef struct growing {
    tulle_ctx *ctx;
    const char *what;
    tulle__tree *tree;
    double *at;          /* coordinates of the places, in the order in which places are found */
    mark *marks;         /* scratch for sorting, one mark per place */
    int32_t *order[3];   /* places in the order along each axis, box by box */
    int32_t *aside;      /* scratch for the places of the second half of a box */
    unsigned char *left; /* for each place: 1 if the first half of its box has it */
} growing;

static int compare_marks(const void *a, const void *b) {
    const double left = ((const mark *)a)->x, right = ((const mark *)b)->x;
    return left < right ? -1 : left > right;
}

static tulle_status sort_along(growing *g, int d) {
    const int64_t places = g->tree->places;
    void *array;
    TULLE__TRY(tulle__mesh_array(g->ctx, places, sizeof **g->order, &array));
    g->order[d] = array;
    for (int64_t i = 0; i < places; i++) {
        g->marks[i] = (mark){g->at[i * g->tree->dimension + d], (int32_t)i};
        TULLE__TRY(tulle__ask(g->ctx, g->what, i, places));
    }
    TULLE__TRY(tulle__sort(g->ctx, g->what, g->marks, places, sizeof *g->marks, compare_marks));
    for (int64_t i = 0; i < places; i++) g->order[d][i] = g->marks[i].place;
    return TULLE_OK;
}

/* A node and its coordinates. */
typedef struct point {
    double x[3];
    int32_t node;
} point;

static int compare_places(const point *a, const point *b) {
    for (int d = 0; d < 3; d++) {
        if (a->x[d] != b->x[d]) return a->x[d] < b->x[d] ? -1 : 1;
    }
    return 0;
}

static int compare_points(const void *a, const void *b) {
    const point *left = a, *right = b;
    const int order = compare_places(left, right);
    if (order != 0) return order;
    return left->node < right->node ? -1 : left->node > right->node;
}

static tulle_status sort_points(growing *g, const tulle_mesh *mesh, const int32_t *nodes,
                                int64_t count, point *points) {
    for (int64_t i = 0; i < count; i++) {
        TULLE__TRY(tulle__ask(g->ctx, g->what, i, count));
        points[i].node = nodes[i];
        for (int d = 0; d < mesh->arrays.dimension; d++)
            points[i].x[d] = tulle__node(mesh, nodes[i])[d];
    }
    return tulle__sort(g->ctx, g->what, points, count, sizeof *points, compare_points);
}

/* Lists each place once, with the lowest node at that place. */
static tulle_status take_places(growing *g, const point *points, int64_t count) {
    tulle__tree *tree = g->tree;
    void *array;
    for (int64_t i = 0; i < count; i++)
        tree->places += i == 0 || compare_places(&points[i - 1], &points[i]) != 0;
    TULLE__TRY(tulle__mesh_array(g->ctx, tree->places, sizeof *tree->node, &array));
    tree->node = array;
    TULLE__TRY(tulle__mesh_array(g->ctx, tree->places, tree->dimension * 8, &array));
    g->at = array;
    int64_t place = 0;
    for (int64_t i = 0; i < count; i++) {
        TULLE__TRY(tulle__ask(g->ctx, g->what, i, count));
        if (i > 0 && compare_places(&points[i - 1], &points[i]) == 0) continue;
        for (int d = 0; d < tree->dimension; d++)
            g->at[place * tree->dimension + d] = points[i].x[d];
        tree->node[place++] = points[i].node;
    }
    return TULLE_OK;
}

static tulle_status find_places(growing *g, const tulle_mesh *mesh, const int32_t *nodes,
                                int64_t count) {
    void *points;
    TULLE__TRY(tulle__mesh_array(g->ctx, count, sizeof(point), &points));
    tulle_status status = sort_points(g, mesh, nodes, count, points);
    if (status == TULLE_OK) status = take_places(g, points, count);
    tulle__host_free(g->ctx, points);
    return status;
}

/* Measures the box around places, and returns the axis along which the box is longest. */
static int measure_box(const growing *g, int64_t begin, int64_t end, double *box) {
    const int dimension = g->tree->dimension;
    int longest = 0;
    for (int d = 0; d < dimension; d++) {
        box[d] = g->at[(int64_t)g->order[d][begin] * dimension + d];
        box[dimension + d] = g->at[(int64_t)g->order[d][end - 1] * dimension + d];
        if (box[dimension + d] - box[d] > box[dimension + longest] - box[longest]) longest = d;
    }
    return longest;
}

/* Divides the places of a box into two halves, in each of which the places keep their order. */
static tulle_status part(const growing *g, int longest, int64_t begin, int64_t middle,
                         int64_t end) {
    for (int64_t i = begin; i < end; i++) {
        TULLE__TRY(tulle__ask(g->ctx, g->what, i, g->tree->places));
        g->left[g->order[longest][i]] = i < middle;
    }
    for (int d = 0; d < g->tree->dimension; d++) {
        int64_t first = begin, second = 0;
        for (int64_t i = begin; d != longest && i < end; i++) {
            const int32_t place = g->order[d][i];
            TULLE__TRY(tulle__ask(g->ctx, g->what, i, g->tree->places));
            if (g->left[place]) {
                g->order[d][first++] = place;
            } else {
                g->aside[second++] = place;
            }
        }
        if (second > 0) memcpy(g->order[d] + first, g->aside, (size_t)second * sizeof *g->aside);
    }
    return TULLE_OK;
}

/* Measures the boxes of a level, and cuts them in halves unless the level is the last one. */
static tulle_status cut_level(const growing *g, int level) {
    const tulle__tree *tree = g->tree;
    const int64_t boxes = (int64_t)1 << level;
    for (int64_t i = 0; i < boxes; i++) {
        TULLE__TRY(tulle__ask(g->ctx, g->what, i, boxes));
        const int64_t begin = tulle__tree_begin(tree, level, i);
        const int64_t end = tulle__tree_begin(tree, level, i + 1);
        const int longest =
            measure_box(g, begin, end, tree->box + (boxes - 1 + i) * 2 * tree->dimension);
        if (level == tree->depth) continue;
        TULLE__TRY(part(g, longest, begin, tulle__tree_begin(tree, level + 1, 2 * i + 1), end));
    }
    return TULLE_OK;
}

static tulle_status prepare(growing *g) {
    tulle__tree *tree = g->tree;
    void *array;
    while (tree->places >> (tree->depth + 1) >= LEAF) tree->depth++;
    const int64_t boxes = ((int64_t)2 << tree->depth) - 1;
    TULLE__TRY(tulle__mesh_array(g->ctx, boxes, 2 * tree->dimension * 8, &array));
    tree->box = array;
    TULLE__TRY(tulle__mesh_array(g->ctx, tree->places, sizeof *g->marks, &array));
    g->marks = array;
    for (int d = 0; d < tree->dimension; d++) TULLE__TRY(sort_along(g, d));
    tulle__host_free(g->ctx, g->marks);
    g->marks = NULL;
    TULLE__TRY(tulle__mesh_array(g->ctx, tree->places, sizeof *g->aside, &array));
    g->aside = array;
    TULLE__TRY(tulle__mesh_array(g->ctx, tree->places, 1, &array));
    g->left = array;
    return TULLE_OK;
}

/* Puts the nodes and coordinates into the order of the boxes. */
static tulle_status settle(growing *g) {
    tulle__tree *tree = g->tree;
    const int dimension = tree->dimension;
    void *array;
    TULLE__TRY(tulle__mesh_array(g->ctx, tree->places, dimension * 8, &array));
    tree->at = array;
    for (int64_t i = 0; i < tree->places; i++) {
        const int64_t place = g->order[0][i];
        TULLE__TRY(tulle__ask(g->ctx, g->what, i, tree->places));
        memcpy(tree->at + i * dimension, g->at + place * dimension,
               (size_t)dimension * sizeof *tree->at);
        g->aside[i] = tree->node[place];
    }
    memcpy(tree->node, g->aside, (size_t)tree->places * sizeof *tree->node);
    return TULLE_OK;
}

static tulle_status grow(growing *g, const tulle_mesh *mesh, const int32_t *nodes, int64_t count) {
    TULLE__TRY(find_places(g, mesh, nodes, count));
    TULLE__TRY(prepare(g));
    for (int level = 0; level <= g->tree->depth; level++) TULLE__TRY(cut_level(g, level));
    return settle(g);
}

tulle_status tulle__tree_make(tulle_ctx *ctx, const char *what, const tulle_mesh *mesh,
                              const int32_t *nodes, int64_t count, tulle__tree *tree) {
    *tree = (tulle__tree){.dimension = mesh->arrays.dimension};
    growing g = {.ctx = ctx, .what = what, .tree = tree};
    if (count == 0) return TULLE_OK;
    const tulle_status status = grow(&g, mesh, nodes, count);
    void *const arrays[] = {g.at, g.marks, g.order[0], g.order[1], g.order[2], g.aside, g.left};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tulle__host_free(ctx, arrays[i]);
    if (status != TULLE_OK) tulle__tree_free(ctx, tree);
    return status;
}

void tulle__tree_free(tulle_ctx *ctx, tulle__tree *tree) {
    tulle__host_free(ctx, tree->node);
    tulle__host_free(ctx, tree->at);
    tulle__host_free(ctx, tree->box);
    *tree = (tulle__tree){.places = 0};
}
