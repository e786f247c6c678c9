/* SPDX-License-Identifier: Apache-2.0 */
/* Finds hanging nodes. The vertices of the rim are put into a tree of boxes; for each facet of the
 * rim a search goes through the boxes that the facet reaches into. The test of a box uses the facet
 * itself and not the box around the facet, so that a long facet that is askew to the axes reaches
 * into few boxes. */
#include <float.h>
#include <math.h>
#include <omp.h>

#include "mesh/facets.h"
#include "mesh/tree.h"
#include "mesh/vectors.h"

/* Largest distance at which a vertex hangs on a facet, relative to the facet's size. It is far
 * above the rounding errors of a point that was computed to be on the facet, and far below the size
 * of any cell. */
static const double near = 1e-8;

enum {
    STEPS = 20, /* number of steps of Newton's iteration for the nearest point of a quadrilateral */
    /* number of axes for a quadrilateral: its normal, and each edge with each axis of space */
    AXES = 13
};

static const char *const what = "looking for hanging nodes";

typedef struct search {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    const tulle__mesh_rim *rim;
    int dimension;
    tulle__tree tree; /* tree of the rim's vertices */
} search;

/* A direction along which a facet and a box may be separate, and the interval of the facet along
 * it. */
typedef struct axis {
    double along[3], low, high;
} axis;

/* A facet of the rim. In the facet's own coordinates the first corner is the origin, and the size
 * is from 1 / 2 to 1; so neither units nor a great distance from the origin matter. */
typedef struct facet {
    int corners, axes;
    int32_t node[TULLE_MESH_MOST_NODES];
    double origin[3], scale; /* own coordinates of a place x: scale (x - origin) */
    double x[TULLE__FACET_CORNERS][3];
    double low[3], high[3]; /* corners of the box around the facet */
    double reach;           /* largest distance of a vertex that hangs, in own coordinates */
    axis axis[AXES];
} facet;

/* Computes the own coordinates of a place; coordinates that the mesh does not have are 0. */
static void own(const search *s, const facet *f, const double *at, double x[3]) {
    for (int d = 0; d < 3; d++) x[d] = d < s->dimension ? f->scale * (at[d] - f->origin[d]) : 0;
}

static void add_axis(facet *f, const double a[3], const double b[3]) {
    axis *made = &f->axis[f->axes++];
    tulle__cross(a, b, made->along);
    made->low = INFINITY;
    made->high = -INFINITY;
    for (int c = 0; c < f->corners; c++) {
        const double at = tulle__dot(made->along, f->x[c]);
        made->low = fmin(made->low, at);
        made->high = fmax(made->high, at);
    }
}

/* Finds the axes along which a convex polygon and a box may be separate (S. Gottschalk, M. C. Lin,
 * D. Manocha, "OBBTree: a hierarchical structure for rapid interference detection", SIGGRAPH 1996),
 * without the axes of the box. */
static void find_axes(const search *s, facet *f) {
    static const double unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int edges = f->corners == 2 ? 1 : f->corners;
    f->axes = 0;
    for (int e = 0; e < edges; e++) {
        const double *from = f->x[e], *to = f->x[(e + 1) % f->corners];
        const double edge[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
        for (int d = s->dimension == 2 ? 2 : 0; d < 3; d++) add_axis(f, edge, unit[d]);
    }
    if (f->corners == 2) return;
    const double *p = f->x[1], *q = f->x[f->corners - 1], *r = f->x[2];
    const double over[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
    add_axis(f, over, r);
}

static void facet_of(const search *s, int64_t side, facet *f) {
    double longest = 0, largest = 0, square = 0;
    int exponent = 0;
    f->corners = tulle__side_nodes(s->mesh, side, f->node)->info.corners;
    for (int d = 0; d < s->dimension; d++) {
        f->origin[d] = tulle__node(s->mesh, f->node[0])[d];
        f->low[d] = INFINITY;
        f->high[d] = -INFINITY;
        for (int c = 0; c < f->corners; c++) {
            const double x = tulle__node(s->mesh, f->node[c])[d];
            f->low[d] = fmin(f->low[d], x);
            f->high[d] = fmax(f->high[d], x);
        }
        longest = fmax(longest, f->high[d] - f->low[d]);
        largest = fmax(largest, fmax(fabs(f->low[d]), fabs(f->high[d])));
    }
    if (isfinite(longest)) frexp(longest, &exponent);
    f->scale = ldexp(1, exponent > -DBL_MAX_EXP + 2 ? -exponent : DBL_MAX_EXP - 2);
    for (int c = 0; c < f->corners; c++) own(s, f, tulle__node(s->mesh, f->node[c]), f->x[c]);
    for (int d = 0; d < s->dimension; d++) {
        const double side_of = f->scale * (f->high[d] - f->low[d]);
        square += side_of * side_of;
    }
    f->reach = near * sqrt(square) + f->scale * (4 * DBL_EPSILON * largest);
    find_axes(s, f);
}

/* Computes the point at parameters u, v of a facet, and its derivatives. A line has u alone, from 0
 * to 1; a triangle has u, v >= 0 with u + v <= 1; a quadrilateral has both from 0 to 1. */
static void point_at(const search *s, const facet *f, double u, double v, double x[3],
                     double along[2][3]) {
    for (int d = 0; d < s->dimension; d++) {
        const double a = f->x[0][d], b = f->x[1][d];
        if (f->corners < 4) {
            const double c = f->corners == 3 ? f->x[2][d] - a : 0;
            x[d] = a + u * (b - a) + v * c;
            along[0][d] = b - a;
            along[1][d] = c;
        } else {
            const double c = f->x[2][d], e = f->x[3][d];
            x[d] = (1 - u) * (1 - v) * a + u * (1 - v) * b + u * v * c + (1 - u) * v * e;
            along[0][d] = (1 - v) * (b - a) + v * (c - e);
            along[1][d] = (1 - u) * (e - a) + u * (c - b);
        }
    }
}

/* Makes one step of Gauss and Newton towards the nearest point; returns false where the facet has
 * no area. */
static bool step(const search *s, const facet *f, const double *p, double uv[2]) {
    double x[3], along[2][3], g[2] = {0, 0}, m[3] = {0, 0, 0};
    point_at(s, f, uv[0], uv[1], x, along);
    for (int d = 0; d < s->dimension; d++) {
        for (int k = 0; k < 2; k++) {
            g[k] += along[k][d] * (p[d] - x[d]);
            m[2 * k] += along[k][d] * along[k][d];
        }
        m[1] += along[0][d] * along[1][d];
    }
    if (f->corners == 2) {
        uv[0] += g[0] / m[0];
        return m[0] > 0;
    }
    const double det = m[0] * m[2] - m[1] * m[1];
    if (!(det > 0)) return false;
    uv[0] += (m[2] * g[0] - m[1] * g[1]) / det;
    uv[1] += (m[0] * g[1] - m[1] * g[0]) / det;
    return true;
}

static bool hangs(const search *s, const facet *f, const double *p) {
    double uv[2] = {0, 0}, x[3], along[2][3], square = 0;
    if (f->corners == 4) uv[0] = uv[1] = 0.5;
    for (int i = 0; i < (f->corners == 4 ? STEPS : 1); i++) {
        if (!step(s, f, p, uv)) return false;
    }
    point_at(s, f, uv[0], uv[1], x, along);
    for (int d = 0; d < s->dimension; d++) square += (x[d] - p[d]) * (x[d] - p[d]);
    const double u = uv[0], v = uv[1], most = f->corners == 3 ? u + v : fmax(u, v);
    return sqrt(square) <= f->reach && u >= -near && v >= -near && most <= 1 + near;
}

/* Returns true when a node is not within reach of any corner of the facet. A node that is a corner,
 * or coincides with one, is within reach. */
static bool is_apart(const search *s, const facet *f, const double *p) {
    for (int c = 0; c < f->corners; c++) {
        double square = 0;
        for (int d = 0; d < s->dimension; d++) {
            square += (p[d] - f->x[c][d]) * (p[d] - f->x[c][d]);
        }
        if (sqrt(square) <= f->reach) return false;
    }
    return true;
}

/* A box in a facet's own coordinates, given by its middle and half its sides. */
typedef struct own_box {
    double middle[3], half[3];
} own_box;

static bool is_beyond(const facet *f, const axis *a, const own_box *b) {
    double half = 0, norm = 0;
    for (int d = 0; d < 3; d++) {
        half += fabs(a->along[d]) * b->half[d];
        norm += fabs(a->along[d]);
    }
    const double at = tulle__dot(a->along, b->middle);
    const double more = 3 * f->reach * norm + 16 * DBL_EPSILON * (half + fabs(at));
    return at - half > a->high + more || at + half < a->low - more;
}

/* Returns true when a whole box is within reach of one corner of the facet. Then no node in the box
 * hangs on the facet, however many nodes coincide there. */
static bool is_at_corner(const facet *f, const own_box *b) {
    for (int c = 0; c < f->corners; c++) {
        double square = 0;
        for (int d = 0; d < 3; d++) {
            const double most = fabs(b->middle[d] - f->x[c][d]) + b->half[d];
            square += most * most;
        }
        if (sqrt(square) <= f->reach) return true;
    }
    return false;
}

/* Returns true when a node in a box may hang on the facet. */
static bool may_hang(const search *s, const facet *f, const double *box) {
    const double *low = box, *high = box + s->dimension;
    own_box b = {.half = {0}};
    for (int d = 0; d < s->dimension; d++) {
        const double from = f->scale * (low[d] - f->origin[d]);
        const double to = f->scale * (high[d] - f->origin[d]);
        if (from > f->scale * (f->high[d] - f->origin[d]) + 3 * f->reach) return false;
        if (to < f->scale * (f->low[d] - f->origin[d]) - 3 * f->reach) return false;
        b.middle[d] = from / 2 + to / 2;
        b.half[d] = to / 2 - from / 2;
    }
    for (int a = 0; a < f->axes; a++) {
        if (is_beyond(f, &f->axis[a], &b)) return false;
    }
    return !is_at_corner(f, &b);
}

/* Returns the lowest of the nodes in a box that hang on a facet, or `found` if that is lower; the
 * box is a leaf of the tree. */
static int64_t look_into(const search *s, const facet *f, int64_t leaf, int64_t found,
                         int64_t *steps) {
    const tulle__tree *tree = &s->tree;
    const int64_t end = tulle__tree_begin(tree, tree->depth, leaf + 1);
    for (int64_t k = tulle__tree_begin(tree, tree->depth, leaf); k < end; k++) {
        double p[3];
        ++*steps;
        if (found >= 0 && tree->node[k] > found) continue;
        own(s, f, tree->at + k * s->dimension, p);
        if (is_apart(s, f, p) && hangs(s, f, p)) found = tree->node[k];
    }
    return found;
}

/* Returns the lowest vertex that hangs on a facet, or -1. Adds the boxes and vertices looked at to
 * *steps. */
static int64_t look_around(const search *s, int64_t side, int64_t *steps) {
    const tulle__tree *tree = &s->tree;
    const int64_t leaves = (int64_t)1 << tree->depth;
    int64_t stack[TULLE__TREE_DEPTH + 1], found = -1;
    int waiting = 1;
    facet f;
    facet_of(s, side, &f);
    stack[0] = 0;
    while (waiting > 0) {
        const int64_t box = stack[--waiting];
        ++*steps;
        if (!may_hang(s, &f, tree->box + box * 2 * s->dimension)) continue;
        if (box >= leaves - 1) {
            found = look_into(s, &f, box - (leaves - 1), found, steps);
        } else {
            stack[waiting++] = 2 * box + 2;
            stack[waiting++] = 2 * box + 1;
        }
    }
    return found;
}

/* Marks the corners of the rim's facets, and counts them. */
static tulle_status mark_vertices(const search *s, unsigned char *is_vertex, int64_t *vertices) {
    for (int64_t i = 0; i < s->rim->count; i++) {
        int32_t node[TULLE_MESH_MOST_NODES];
        TULLE__TRY(tulle__ask(s->ctx, what, i, s->rim->count));
        const tulle__shape *shape = tulle__side_nodes(s->mesh, s->rim->side[i], node);
        for (int c = 0; c < shape->info.corners; c++) {
            *vertices += !is_vertex[node[c]];
            is_vertex[node[c]] = 1;
        }
    }
    return TULLE_OK;
}

static tulle_status grow_tree(search *s, const unsigned char *is_vertex, int64_t vertices) {
    const int64_t nodes = s->mesh->info.nodes;
    int64_t next = 0;
    void *array;
    TULLE__TRY(tulle__mesh_array(s->ctx, vertices, sizeof(int32_t), &array));
    int32_t *vertex = array;
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < nodes && status == TULLE_OK; i++) {
        status = tulle__ask(s->ctx, what, i, nodes);
        if (is_vertex[i]) vertex[next++] = (int32_t)i;
    }
    if (status == TULLE_OK)
        status = tulle__tree_make(s->ctx, what, s->mesh, vertex, vertices, &s->tree);
    tulle__host_free(s->ctx, vertex);
    return status;
}

/* Searches the rim with all threads. The caller's own thread reports progress each time that it has
 * looked at so many boxes and vertices, because the number for one facet is not known before. */
static tulle_status search_rim(search *s, tulle__mesh_fault *fault) {
    const tulle__mesh_rim *rim = s->rim;
    const int threads = tulle__mesh_threads(s->ctx, rim->count);
    int64_t first = rim->count, steps = 0;
    tulle_status status = tulle__progress(s->ctx, what, 0, rim->count);
    atomic_bool stop = status != TULLE_OK;
#pragma omp parallel num_threads(threads) reduction(min : first) reduction(+ : steps)
    {
        const bool caller = omp_get_thread_num() == 0;
        int64_t told = 0;
#pragma omp for schedule(dynamic, 64)
        for (int64_t i = 0; i < rim->count; i++) {
            if (i >= first || atomic_load_explicit(&stop, memory_order_relaxed)) continue;
            if (look_around(s, rim->side[i], &steps) >= 0) first = i;
            if (!caller || steps - told < TULLE__ASK) continue;
            told = steps;
            status = tulle__progress(s->ctx, what, i, rim->count);
            if (status != TULLE_OK) atomic_store(&stop, true);
        }
    }
    TULLE__TRY(status);
    if (first < rim->count) {
        *fault = (tulle__mesh_fault){.kind = TULLE__MESH_HANGING,
                                     .element = rim->side[first] / TULLE_MESH_MOST_FACETS,
                                     .facet = (int)(rim->side[first] % TULLE_MESH_MOST_FACETS),
                                     .node = look_around(s, rim->side[first], &steps)};
    }
    fault->steps = steps;
    return tulle__progress(s->ctx, what, rim->count, rim->count);
}

tulle_status tulle__mesh_find_hanging(tulle_ctx *ctx, const tulle_mesh *mesh,
                                      const tulle__mesh_rim *rim, tulle__mesh_fault *fault) {
    search s = {.ctx = ctx, .mesh = mesh, .rim = rim, .dimension = mesh->info.dimension};
    int64_t vertices = 0;
    void *is_vertex;
    *fault = (tulle__mesh_fault){.kind = TULLE__MESH_GOOD};
    if (rim->count == 0) return TULLE_OK;
    TULLE__TRY(tulle__mesh_array(ctx, mesh->info.nodes, 1, &is_vertex));
    tulle_status status = mark_vertices(&s, is_vertex, &vertices);
    if (status == TULLE_OK) status = grow_tree(&s, is_vertex, vertices);
    tulle__host_free(ctx, is_vertex);
    if (status == TULLE_OK) status = search_rim(&s, fault);
    tulle__tree_free(ctx, &s.tree);
    return status;
}
