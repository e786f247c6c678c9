/* SPDX-License-Identifier: Apache-2.0 */
/* Vertices of the rim are put into the boxes of a grid, about as many boxes as vertices; each facet
 * of the rim then looks at those in the boxes that it reaches into. */
#include <float.h>
#include <math.h>

#include "mesh/facets.h"

/* How near a vertex must be to a facet to hang on it, of the facet's size; far above what rounding
 * does to a point that was computed to be there, far below any cell. */
static const double near = 1e-8;

enum { STEPS = 20 }; /* of Newton's iteration for the nearest point of a quadrilateral */

typedef struct search {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    const tulle__mesh_rim *rim;
    int dimension;
    int64_t side[3]; /* boxes along each axis */
    double width[3]; /* of a box */
    double rounding; /* of coordinates */
    int64_t *begin;  /* boxes + 1 */
    int32_t *vertex;
} search;

/* A facet of the rim: its corners and the box around them. */
typedef struct facet {
    int corners;
    int32_t node[TULLE_MESH_MOST_NODES];
    const double *x[TULLE__FACET_CORNERS];
    double low[3], high[3], size, reach;
} facet;

static int64_t box_along(const search *s, int d, double x) {
    const double at = (x - s->mesh->info.low[d]) / s->width[d];
    return at < 0 ? 0 : at < (double)s->side[d] ? (int64_t)at : s->side[d] - 1;
}

static int64_t box_of(const search *s, const int64_t at[3]) {
    return (at[2] * s->side[1] + at[1]) * s->side[0] + at[0];
}

static int64_t box_of_node(const search *s, int32_t node) {
    int64_t at[3] = {0, 0, 0};
    for (int d = 0; d < s->dimension; d++) at[d] = box_along(s, d, tulle__node(s->mesh, node)[d]);
    return box_of(s, at);
}

static void facet_of(const search *s, int64_t side, facet *f) {
    f->corners = tulle__side_nodes(s->mesh, side, f->node)->info.corners;
    double square = 0;
    for (int d = 0; d < s->dimension; d++) {
        f->low[d] = INFINITY;
        f->high[d] = -INFINITY;
        for (int c = 0; c < f->corners; c++) {
            f->x[c] = tulle__node(s->mesh, f->node[c]);
            f->low[d] = fmin(f->low[d], f->x[c][d]);
            f->high[d] = fmax(f->high[d], f->x[c][d]);
        }
        square += (f->high[d] - f->low[d]) * (f->high[d] - f->low[d]);
    }
    f->size = sqrt(square);
    f->reach = near * f->size + s->rounding;
}

/* The point at parameters u, v of a facet, and its derivatives. A line has u
 * alone, from 0 to 1; a triangle has u, v >= 0 with u + v <= 1; a quadrilateral both from 0 to 1.
 */
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

/* One step of Gauss and Newton towards the nearest point; false where the facet has no area. */
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

/* Neither a node of the facet nor one at the same place as a corner. */
static bool is_apart(const search *s, const facet *f, int32_t node) {
    const double *p = tulle__node(s->mesh, node);
    for (int c = 0; c < f->corners; c++) {
        double square = 0;
        for (int d = 0; d < s->dimension; d++) {
            square += (p[d] - f->x[c][d]) * (p[d] - f->x[c][d]);
        }
        if (f->node[c] == node || sqrt(square) <= f->reach) return false;
    }
    return true;
}

/* The lowest vertex that hangs on a facet, of a range of boxes; or -1. */
static int64_t look(const search *s, const facet *f, const int64_t first[3],
                    const int64_t last[3]) {
    int64_t found = -1, at[3];
    for (at[2] = first[2]; at[2] <= last[2]; at[2]++) {
        for (at[1] = first[1]; at[1] <= last[1]; at[1]++) {
            at[0] = first[0];
            const int64_t begin = s->begin[box_of(s, at)];
            at[0] = last[0];
            const int64_t end = s->begin[box_of(s, at) + 1];
            for (int64_t k = begin; k < end; k++) {
                const int32_t node = s->vertex[k];
                if ((found < 0 || node < found) && is_apart(s, f, node) &&
                    hangs(s, f, tulle__node(s->mesh, node)))
                    found = node;
            }
        }
    }
    return found;
}

static int64_t look_around(const search *s, int64_t side) {
    facet f;
    int64_t first[3] = {0, 0, 0}, last[3] = {0, 0, 0};
    facet_of(s, side, &f);
    for (int d = 0; d < s->dimension; d++) {
        first[d] = box_along(s, d, f.low[d] - f.reach);
        last[d] = box_along(s, d, f.high[d] + f.reach);
    }
    return look(s, &f, first, last);
}

/* About as many boxes as vertices, in the shape of the mesh. */
static void shape_grid(search *s, int64_t vertices) {
    const tulle_mesh_info *info = &s->mesh->info;
    double extent[3] = {0}, longest = 0, largest = 0;
    for (int d = 0; d < s->dimension; d++) {
        extent[d] = info->high[d] - info->low[d];
        longest = fmax(longest, extent[d]);
        largest = fmax(largest, fmax(fabs(info->low[d]), fabs(info->high[d])));
    }
    const double along = pow((double)vertices, 1.0 / s->dimension);
    for (int d = 0; d < 3; d++) s->side[d] = 1;
    for (int d = 0; d < s->dimension; d++) {
        if (longest > 0 && isfinite(longest))
            s->side[d] = 1 + (int64_t)(along * extent[d] / longest);
        s->width[d] = extent[d] > 0 ? extent[d] / (double)s->side[d] : 1;
    }
    s->rounding = 4 * DBL_EPSILON * largest;
}

/* The corners of the rim's facets, each once. */
static tulle_status mark_vertices(const search *s, unsigned char *is_vertex) {
    for (int64_t i = 0; i < s->rim->count; i++) {
        int32_t node[TULLE_MESH_MOST_NODES];
        const tulle__shape *shape = tulle__side_nodes(s->mesh, s->rim->side[i], node);
        for (int c = 0; c < shape->info.corners; c++) is_vertex[node[c]] = 1;
    }
    return tulle__progress(s->ctx, "looking for hanging nodes", 0, s->rim->count);
}

static tulle_status fill_grid(search *s, const unsigned char *is_vertex) {
    const int64_t nodes = s->mesh->info.nodes;
    int64_t vertices = 0;
    void *array;
    for (int64_t i = 0; i < nodes; i++) vertices += is_vertex[i];
    shape_grid(s, vertices);
    const int64_t boxes = s->side[0] * s->side[1] * s->side[2];
    TULLE__TRY(tulle__mesh_array(s->ctx, boxes + 2, sizeof *s->begin, &array));
    s->begin = array;
    TULLE__TRY(tulle__mesh_array(s->ctx, vertices, sizeof *s->vertex, &array));
    s->vertex = array;
    for (int64_t i = 0; i < nodes; i++) {
        if (is_vertex[i]) s->begin[box_of_node(s, (int32_t)i) + 2]++;
    }
    for (int64_t b = 0; b < boxes; b++) s->begin[b + 2] += s->begin[b + 1];
    for (int64_t i = 0; i < nodes; i++) {
        if (is_vertex[i]) s->vertex[s->begin[box_of_node(s, (int32_t)i) + 1]++] = (int32_t)i;
    }
    return TULLE_OK;
}

static tulle_status search_rim(search *s, tulle__mesh_fault *fault) {
    const tulle__mesh_rim *rim = s->rim;
    int64_t first = rim->count;
#pragma omp parallel for num_threads(tulle__mesh_threads(s->ctx, rim->count))                      \
    schedule(dynamic, 256) reduction(min                                                           \
                                     : first)
    for (int64_t i = 0; i < rim->count; i++) {
        if (i < first && look_around(s, rim->side[i]) >= 0) first = i;
    }
    if (first < rim->count) {
        *fault = (tulle__mesh_fault){.kind = TULLE__MESH_HANGING,
                                     .element = rim->side[first] / TULLE_MESH_MOST_FACETS,
                                     .facet = (int)(rim->side[first] % TULLE_MESH_MOST_FACETS),
                                     .node = look_around(s, rim->side[first])};
    }
    return tulle__progress(s->ctx, "looking for hanging nodes", rim->count, rim->count);
}

tulle_status tulle__mesh_find_hanging(tulle_ctx *ctx, const tulle_mesh *mesh,
                                      const tulle__mesh_rim *rim, tulle__mesh_fault *fault) {
    search s = {.ctx = ctx, .mesh = mesh, .rim = rim, .dimension = mesh->info.dimension};
    void *is_vertex;
    *fault = (tulle__mesh_fault){.kind = TULLE__MESH_GOOD};
    if (rim->count == 0) return TULLE_OK;
    TULLE__TRY(tulle__mesh_array(ctx, mesh->info.nodes, 1, &is_vertex));
    tulle_status status = mark_vertices(&s, is_vertex);
    if (status == TULLE_OK) status = fill_grid(&s, is_vertex);
    if (status == TULLE_OK) status = search_rim(&s, fault);
    tulle__host_free(ctx, is_vertex);
    tulle__host_free(ctx, s.begin);
    tulle__host_free(ctx, s.vertex);
    return status;
}
