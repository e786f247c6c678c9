/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/cell_kinds.h"

#include <inttypes.h>
#include <math.h>

#include "fem/assembly/jobs.h"

#define REAL double
#define FUNCTION(type, name) static inline type name
#define CALL(name, ...) name(__VA_ARGS__)
#define UNROLL
#include "fem/elements/isoparametric.h"

/* What is seen of a cell. */
typedef enum finding { AFFINE, GENERAL, BAD } finding;

/* One cell, looked at in f64. */
typedef struct look {
    tulle_shape shape;
    int dimension, nodes;
    double corner[3][TULLE__CELL_NODES], monomial[3][TULLE__CELL_NODES];
} look;

static look look_at(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes) {
    look l = {.shape = shape,
              .dimension = tulle__cell_dimension(shape),
              .nodes = tulle__cell_nodes(shape)};
    for (int d = 0; d < l.dimension; d++) {
        for (int i = 0; i < l.nodes; i++) l.corner[d][i] = tulle__node(mesh, nodes[i])[d];
        monomials(shape, l.corner[d], l.monomial[d]);
    }
    return l;
}

/* Products of coordinates of the reference cell: what bends it. */
static double bend_of(const look *l) {
    double most = 0;
    for (int d = 0; d < l->dimension; d++) {
        for (int m = 1; m < l->nodes; m++) {
            if ((m & (m - 1)) != 0) most = fmax(most, fabs(l->monomial[d][m]));
        }
    }
    return most;
}

/* Coordinates are known to a unit in their last place, and numbers of f32 to theirs: what is less
 * than that bends nothing. */
static bool is_affine(const look *l, tulle_type type) {
    double far = 0, column = INFINITY;
    if (tulle__is_affine(l->shape)) return true;
    for (int k = 0; k < l->dimension; k++) {
        double length = 0;
        for (int d = 0; d < l->dimension; d++) {
            length = fmax(length, fabs(l->monomial[d][1 << k]));
        }
        column = fmin(column, length);
    }
    for (int d = 0; d < l->dimension; d++) {
        for (int i = 0; i < l->nodes; i++) far = fmax(far, fabs(l->corner[d][i]));
    }
    return bend_of(l) <= fmax(0x1p-51 * far, (type == TULLE_F32 ? 0x1p-26 : 0x1p-55) * column);
}

bool tulle__is_cell_affine(const tulle_mesh *mesh, tulle_shape shape, const int32_t *nodes,
                           tulle_type type) {
    const look l = look_at(mesh, shape, nodes);
    return is_affine(&l, type);
}

static bool has_node_twice(const int32_t *nodes, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (nodes[i] == nodes[j]) return true;
        }
    }
    return false;
}

/* Whether the Jacobian's determinant is positive at all points of quadrature. */
static bool is_upright(look *l) {
    for (int q = 0; q < l->nodes; q++) {
        double at[3], column[3][3];
        point(l->shape, q, at);
        jacobian(l->shape, l->dimension, l->monomial, at, column);
        const double size = measure(l->shape, l->dimension, column, 1.0);
        if (!(size > 0 && isfinite(size))) return false;
        if (tulle__is_affine(l->shape)) return true;
    }
    return true;
}

static finding find(const tulle_mesh *mesh, const tulle_mesh_block *block, tulle_type type,
                    int64_t e) {
    const int32_t *nodes = tulle__element(block, e);
    look l = look_at(mesh, block->shape, nodes);
    if (has_node_twice(nodes, l.nodes) || !is_upright(&l)) return BAD;
    return is_affine(&l, type) ? AFFINE : GENERAL;
}

/* The middle of the box that a cell is in; the box's size is added. */
static tulle__centre centre_of(const tulle_mesh *mesh, const tulle_mesh_block *block, int64_t e,
                               double size[3]) {
    tulle__centre centre = {.element = (int32_t)e};
    const int32_t *nodes = tulle__element(block, e);
    for (int d = 0; d < mesh->arrays.dimension; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < tulle__cell_nodes(block->shape); i++) {
            low = fmin(low, tulle__node(mesh, nodes[i])[d]);
            high = fmax(high, tulle__node(mesh, nodes[i])[d]);
        }
        centre.at[d] = (float)(low + (high - low) / 2);
        size[d] += high - low;
    }
    return centre;
}

static tulle_status open_kind(tulle_ctx *ctx, const tulle_mesh_block *block, bool affine,
                              int64_t first, int64_t count, tulle__cell_kind *c) {
    *c = (tulle__cell_kind){
        .shape = block->shape,
        .affine = affine,
        .first = first,
        .patching = {.ctx = ctx, .nodes = block->nodes, .each = tulle__cell_nodes(block->shape)}};
    if (count == 0) return TULLE_OK;
    c->patching.centres = tulle__host_alloc(ctx, (size_t)count * sizeof *c->patching.centres);
    return c->patching.centres ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static void list_cells(const tulle_mesh *mesh, const tulle_mesh_block *block,
                       const uint8_t *findings, tulle__cell_kind kinds[2]) {
    for (int64_t e = 0; e < block->count; e++) {
        tulle__patching *p = &kinds[findings[e]].patching;
        p->centres[p->count++] = centre_of(mesh, block, e, p->size);
    }
    for (int k = AFFINE; k <= GENERAL; k++) {
        tulle__patching *p = &kinds[k].patching;
        for (int d = 0; d < 3 && p->count > 0; d++) p->size[d] /= (double)p->count;
    }
}

static int64_t first_cell_of(const tulle_mesh *mesh, int64_t block) {
    int64_t cells = 0;
    for (int64_t b = 0; b < block; b++) cells += mesh->blocks[b].count;
    return cells;
}

tulle_status tulle__cell_kinds_sort(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                    int64_t block, tulle_type type, tulle__cell_kind kinds[2]) {
    const tulle_mesh_block *b = &mesh->blocks[block];
    const int64_t first = first_cell_of(mesh, block);
    int64_t bad = INT64_MAX, affine = 0;
    uint8_t *findings = tulle__host_alloc(ctx, (size_t)b->count);
    if (!findings) return TULLE_OUT_OF_MEMORY;
#pragma omp parallel for reduction(min : bad) reduction(+ : affine) \
    num_threads(tulle__mesh_threads(ctx, b->count))
    for (int64_t e = 0; e < b->count; e++) {
        const finding found = find(mesh, b, type, e);
        findings[e] = (uint8_t)found;
        affine += found == AFFINE;
        if (found == BAD && e < bad) bad = e;
    }
    tulle_status status = TULLE_OK;
    if (bad < INT64_MAX) {
        status = tulle__fail(TULLE_INVALID_MESH, function, "mesh", first + bad,
                             "cell %" PRId64 " is turned over, without volume, or has a node twice",
                             first + bad);
    }
    if (status == TULLE_OK) status = open_kind(ctx, b, true, first, affine, &kinds[AFFINE]);
    if (status == TULLE_OK) {
        status = open_kind(ctx, b, false, first, b->count - affine, &kinds[GENERAL]);
    }
    if (status == TULLE_OK) list_cells(mesh, b, findings, kinds);
    tulle__host_free(ctx, findings);
    return status;
}

static tulle_status bring(tulle_ctx *ctx, const void *host, int64_t count, int64_t size,
                          void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, array));
    return tulle__copy_wait(ctx, *array, host, bytes);
}

/* Coordinate d of a patch's nodes. In f32 they count from the middle, so that what is lost of them
 * is small beside the patch, wherever that is. */
static void put_coordinates(const tulle_mesh *mesh, tulle_type type, const uint32_t *list,
                            int32_t nodes, int d, void *to, int64_t first) {
    double low = INFINITY, high = -INFINITY;
    for (int32_t l = 0; l < nodes; l++) {
        if (list[l] == TULLE__PATCH_NONE) continue;
        const double x = tulle__node(mesh, list[l] & TULLE__PATCH_NODE)[d];
        low = fmin(low, x);
        high = fmax(high, x);
    }
    const double origin = type == TULLE_F32 ? low + (high - low) / 2 : 0;
    for (int32_t l = 0; l < nodes; l++) {
        const bool none = list[l] == TULLE__PATCH_NONE;
        const double x = none ? origin : tulle__node(mesh, list[l] & TULLE__PATCH_NODE)[d];
        tulle__put_number(type, to, first + l, x - origin);
    }
}

static tulle_status bring_coordinates(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_type type,
                                      const tulle__patches *host, tulle__cell_kind *c) {
    const int dimension = tulle__cell_dimension(c->shape);
    const int64_t size = tulle_type_size(type), count = dimension * host->nodes;
    void *numbers = tulle__host_alloc(ctx, (size_t)(count * size));
    if (!numbers) return TULLE_OUT_OF_MEMORY;
#pragma omp parallel for num_threads(tulle__mesh_threads(ctx, host->nodes))
    for (int64_t p = 0; p < host->count; p++) {
        const tulle__patch *patch = &host->patch[p];
        for (int d = 0; d < dimension; d++) {
            put_coordinates(mesh, type, host->list + patch->node, patch->nodes, d, numbers,
                            dimension * patch->node + (int64_t)d * patch->nodes);
        }
    }
    const tulle_status status = bring(ctx, numbers, count, size, &c->coordinates);
    tulle__host_free(ctx, numbers);
    return status;
}

/* Numbers of cells, in the order of patches and of the type; NULL for NULL. */
static tulle_status bring_numbers(tulle_ctx *ctx, const tulle__cell_kind *c, const int32_t *order,
                                  tulle_type type, const double *of_cell, void **numbers) {
    const int64_t count = c->patches.elements, size = tulle_type_size(type);
    if (!of_cell) return TULLE_OK;
    void *host = tulle__host_alloc(ctx, (size_t)(count * size));
    if (!host) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < count; k++)
        tulle__put_number(type, host, k, of_cell[c->first + order[k]]);
    const tulle_status status = bring(ctx, host, count, size, numbers);
    tulle__host_free(ctx, host);
    return status;
}

static double number_of(double of_all, const double *of_cell, int64_t cell) {
    return of_cell ? of_cell[cell] : of_all;
}

/* What is kept of a cell whose Jacobian is constant, from place `first` of `to` on. */
static void put_metric(look *l, double diffusion, double reaction, const tulle__metrics *metrics,
                       tulle_type type, void *to, int64_t first) {
    const bool simplex = tulle__is_simplex(l->shape);
    const double middle[3] = {0, 0, 0}, factor = simplex ? 1 : ldexp(1, -l->dimension);
    double column[3][3], G[TULLE__CELL_METRIC];
    jacobian(l->shape, l->dimension, l->monomial, middle, column);
    const double share = weight(l->shape, simplex ? (double)l->nodes : 1.0);
    const double size = metric(l->shape, l->dimension, column, share, G);
    for (int i = 0; i < l->dimension; i++) {
        for (int j = i; j < l->dimension; j++) {
            const int64_t at = first + tulle__packed_at(l->dimension, i, j) * TULLE__METRIC_LANES;
            tulle__put_number(type, to, at, factor * diffusion * G[tulle__metric_at(i, j)]);
        }
    }
    if (!metrics->massive) return;
    const double part = simplex ? size / (l->nodes * (l->nodes + 1)) : factor * size;
    tulle__put_number(type, to, first + (metrics->each - 1) * TULLE__METRIC_LANES, reaction * part);
}

static void put_metrics(const tulle_mesh *mesh, const tulle_matrix_free_options *o, tulle_type type,
                        const int32_t *order, const tulle__cell_kind *c, int threads,
                        void *numbers) {
    const tulle__metrics *metrics = &c->metrics;
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < c->patches.elements; k++) {
        const int64_t cell = c->first + order[k];
        look l = look_at(mesh, c->shape, c->patching.nodes + (int64_t)order[k] * c->patching.each);
        put_metric(&l, number_of(o->diffusion, o->cell_diffusion, cell),
                   number_of(o->reaction, o->cell_reaction, cell), metrics, type, numbers,
                   tulle__metric_first(metrics->each, (uint32_t)k));
    }
}

static tulle_status bring_metrics(tulle_ctx *ctx, const tulle_mesh *mesh,
                                  const tulle_matrix_free_options *o, tulle_type type,
                                  const int32_t *order, tulle__cell_kind *c) {
    const int64_t cells = c->patches.elements, size = tulle_type_size(type);
    const int64_t lanes =
        (cells + TULLE__METRIC_LANES - 1) / TULLE__METRIC_LANES * TULLE__METRIC_LANES;
    tulle__metrics *metrics = &c->metrics;
    metrics->massive = o->cell_reaction || o->reaction != 0;
    metrics->each = tulle__metric_numbers(c->shape) + metrics->massive;
    metrics->count = cells;
    void *array = NULL, *numbers = tulle__host_alloc(ctx, (size_t)(lanes * metrics->each * size));
    if (!numbers) return TULLE_OUT_OF_MEMORY;
    put_metrics(mesh, o, type, order, c, tulle__mesh_threads(ctx, cells), numbers);
    tulle_status status = tulle__metrics_join(ctx, mesh, type, order, c, numbers);
    if (status == TULLE_OK && !metrics->kind) {
        status = bring(ctx, numbers, lanes * metrics->each, size, &array);
        metrics->numbers = array;
    }
    tulle__host_free(ctx, numbers);
    return status;
}

/* What is kept of cells, in the order of patches, whose lists are those of nodes. */
static tulle_status bring_geometry(tulle_ctx *ctx, const tulle_mesh *mesh,
                                   const tulle_matrix_free_options *options, tulle_type type,
                                   const tulle__patches *host, tulle__cell_kind *c) {
    if (c->affine) return bring_metrics(ctx, mesh, options, type, host->order, c);
    TULLE__TRY(bring_coordinates(ctx, mesh, type, host, c));
    TULLE__TRY(bring_numbers(ctx, c, host->order, type, options->cell_diffusion, &c->diffusion));
    return bring_numbers(ctx, c, host->order, type, options->cell_reaction, &c->reaction);
}

tulle_status tulle__cell_kind_fill(tulle_ctx *ctx, const tulle_mesh *mesh,
                                   const tulle_matrix_free_options *options, tulle_type type,
                                   const tulle__rest_making *rest, tulle__cell_kind *c,
                                   tulle__patches *host) {
    *host = c->patches;
    TULLE__TRY(tulle__patches_fill(&c->patching, rest->touched, rest->masked, host));
    TULLE__TRY(bring_geometry(ctx, mesh, options, type, host, c));
    tulle__rest_rename(rest, host->list, host->nodes);
    return tulle__patches_bring(ctx, host, &c->patches);
}

void tulle__cell_kind_close(tulle_ctx *ctx, tulle__cell_kind *c) {
    tulle__free(ctx, c->reaction);
    tulle__free(ctx, c->diffusion);
    tulle__free(ctx, c->coordinates);
    tulle__free(ctx, c->metrics.kind);
    tulle__free(ctx, c->metrics.numbers);
    tulle__patches_release(ctx, &c->patches);
    tulle__host_free(ctx, c->patching.begins);
    tulle__host_free(ctx, c->patching.centres);
}
