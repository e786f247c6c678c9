/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/quadratic_kinds.h"

#include <inttypes.h>
#include <math.h>

#include "fem/elements/reference.h"
#include "fem/functions.h"

#define REAL double
#define FUNCTION(type, name) static inline type name
#define CALL(name, ...) name(__VA_ARGS__)
#define UNROLL
#include "fem/elements/isoparametric.h"
/* The formulas come before what is made of them. */
#include "fem/elements/quadratic.h"

/* What is seen of a cell. */
typedef enum finding { GENERAL, AFFINE, BAD } finding;

enum { MIDDLE = TULLE__LATTICE / 2 };

/* Coordinates of a cell, from its middle on, and the largest one as it is. */
static double place_cell(const tulle_mesh *mesh, const int32_t *nodes,
                         double x[3][TULLE__LATTICE]) {
    const double *middle = tulle__node(mesh, nodes[MIDDLE]);
    double far = 0;
    for (int l = 0; l < TULLE__LATTICE; l++) {
        for (int d = 0; d < 3; d++) {
            const double at = tulle__node(mesh, nodes[l])[d];
            x[d][l] = at - middle[d];
            far = fmax(far, fabs(at));
        }
    }
    return far;
}

/* Columns of the Jacobian in the middle. */
static void columns_of(double x[3][TULLE__LATTICE], double column[3][3]) {
    for (int k = 0; k < 3; k++) {
        const int step = tulle__lattice_nodes(k);
        for (int d = 0; d < 3; d++) column[k][d] = (x[d][MIDDLE + step] - x[d][MIDDLE - step]) / 2;
    }
}

/* Coordinates are known to a unit in their last place, and numbers of f32 to theirs: what is less
 * than that bends nothing. */
static bool is_affine(double x[3][TULLE__LATTICE], double column[3][3], double far,
                      tulle_type type) {
    double off = 0, shortest = INFINITY;
    for (int k = 0; k < 3; k++) {
        double length = 0;
        for (int d = 0; d < 3; d++) length = fmax(length, fabs(column[k][d]));
        shortest = fmin(shortest, length);
    }
    for (int l = 0; l < TULLE__LATTICE; l++) {
        for (int d = 0; d < 3; d++) {
            double there = x[d][l];
            for (int k = 0; k < 3; k++) there -= column[k][d] * (tulle__lattice_digit(l, k) - 1);
            off = fmax(off, fabs(there));
        }
    }
    return off <= fmax(0x1p-50 * far, (type == TULLE_F32 ? 0x1p-26 : 0x1p-55) * shortest);
}

/* Whether the Jacobian's determinant is positive at all points of quadrature. */
static bool is_upright(double x[3][TULLE__LATTICE]) {
    for (int d = 0; d < 3; d++) to_points(3, x[d]);
    for (int q = 0; q < TULLE__LATTICE; q++) {
        double column[3][3];
        for (int k = 0; k < 3; k++) {
            for (int d = 0; d < 3; d++) column[k][d] = point_slope(q, k, x[d]);
        }
        const double size = measure(TULLE_HEXAHEDRON27, 3, column, 1.0);
        if (!(size > 0 && isfinite(size))) return false;
    }
    return true;
}

static bool has_node_twice(const int32_t *nodes) {
    for (int i = 0; i < TULLE__LATTICE; i++) {
        for (int j = 0; j < i; j++) {
            if (nodes[i] == nodes[j]) return true;
        }
    }
    return false;
}

static finding find(const tulle_mesh *mesh, const int32_t *nodes, tulle_type type) {
    double x[3][TULLE__LATTICE], column[3][3];
    if (has_node_twice(nodes)) return BAD;
    const double far = place_cell(mesh, nodes, x);
    columns_of(x, column);
    if (is_affine(x, column, far, type)) {
        const double size = measure(TULLE_HEXAHEDRON27, 3, column, 1.0);
        return size > 0 && isfinite(size) ? AFFINE : BAD;
    }
    return is_upright(x) ? GENERAL : BAD;
}

static void copy_nodes(const tulle_mesh *mesh, tulle__lattice_cells *cells) {
    int64_t cell = 0;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        for (int64_t e = 0; e < block->count; e++, cell++) {
            for (int a = 0; a < TULLE__LATTICE; a++) {
                cells->nodes[cell * TULLE__LATTICE + cells->place[a]] = tulle__element(block, e)[a];
            }
        }
    }
}

tulle_status tulle__lattice_cells_open(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                       tulle_type type, tulle__lattice_cells *cells) {
    int64_t bad = INT64_MAX;
    *cells = (tulle__lattice_cells){.count = mesh->info.cells};
    tulle__lattice_places(TULLE_HEXAHEDRON27, cells->place);
    cells->nodes =
        tulle__host_alloc(ctx, (size_t)cells->count * TULLE__LATTICE * sizeof *cells->nodes);
    cells->affine = tulle__host_alloc(ctx, (size_t)cells->count);
    if (!cells->nodes || !cells->affine) return TULLE_OUT_OF_MEMORY;
    copy_nodes(mesh, cells);
#pragma omp parallel for reduction(min : bad) num_threads(tulle__mesh_threads(ctx, cells->count))
    for (int64_t c = 0; c < cells->count; c++) {
        const finding found = find(mesh, cells->nodes + c * TULLE__LATTICE, type);
        cells->affine[c] = found == AFFINE;
        if (found == BAD && c < bad) bad = c;
    }
    if (bad == INT64_MAX) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_MESH, function, "mesh", bad,
                       "cell %" PRId64 " is turned over, without volume, or has a node twice", bad);
}

void tulle__lattice_cells_close(tulle_ctx *ctx, tulle__lattice_cells *cells) {
    tulle__host_free(ctx, cells->affine);
    tulle__host_free(ctx, cells->nodes);
}

/* The middle of the box that a cell is in; the box's size is added. */
static tulle__centre centre_of(const tulle_mesh *mesh, const int32_t *nodes, int64_t cell,
                               double size[3]) {
    tulle__centre centre = {.element = (int32_t)cell};
    for (int d = 0; d < 3; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < TULLE__LATTICE; i++) {
            low = fmin(low, tulle__node(mesh, nodes[i])[d]);
            high = fmax(high, tulle__node(mesh, nodes[i])[d]);
        }
        centre.at[d] = (float)(low + (high - low) / 2);
        size[d] += high - low;
    }
    return centre;
}

tulle_status tulle__lattice_kind_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                      const tulle__lattice_cells *cells, bool affine, int64_t most,
                                      tulle__lattice_kind *kind) {
    int64_t count = 0;
    for (int64_t c = 0; c < cells->count; c++) count += cells->affine[c] == affine;
    *kind = (tulle__lattice_kind){
        .affine = affine,
        .patching = {
            .ctx = ctx, .nodes = cells->nodes, .node_count = mesh->info.nodes, .most = most}};
    if (count == 0) return TULLE_OK;
    tulle__lattice_patching *p = &kind->patching;
    p->centres = tulle__host_alloc(ctx, (size_t)count * sizeof *p->centres);
    if (!p->centres) return TULLE_OUT_OF_MEMORY;
    for (int64_t c = 0; c < cells->count; c++) {
        if (cells->affine[c] != affine) continue;
        p->centres[p->count++] = centre_of(mesh, cells->nodes + c * TULLE__LATTICE, c, p->size);
    }
    for (int d = 0; d < 3; d++) p->size[d] /= (double)count;
    return TULLE_OK;
}

static tulle_status bring(tulle_ctx *ctx, const void *host, int64_t count, int64_t size,
                          void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, array));
    return tulle__copy_wait(ctx, *array, host, bytes);
}

/* Arrays of the place's, of which those of a failed call are NULL. */
static tulle_status bring_patches(tulle_ctx *ctx, const tulle__lattice_patches *host,
                                  tulle__lattice_patches *to) {
    void *array = NULL;
    *to = *host;
    to->patch = NULL;
    to->list = NULL;
    to->slot_of = to->places = to->from = NULL;
    to->rank_ends = to->order = NULL;
    TULLE__TRY(bring(ctx, host->patch, host->count, sizeof *host->patch, &array));
    to->patch = array;
    TULLE__TRY(bring(ctx, host->list, host->nodes, sizeof *host->list, &array));
    to->list = array;
    TULLE__TRY(bring(ctx, host->slot_of, host->nodes, sizeof *host->slot_of, &array));
    to->slot_of = array;
    TULLE__TRY(bring(ctx, host->places, host->places_count, sizeof *host->places, &array));
    to->places = array;
    TULLE__TRY(bring(ctx, host->from, host->places_count, sizeof *host->from, &array));
    to->from = array;
    TULLE__TRY(bring(ctx, host->rank_ends, host->ranks, sizeof *host->rank_ends, &array));
    to->rank_ends = array;
    return TULLE_OK;
}

/* What the numbers are computed from, in the place's memory for that time. */
typedef struct sources {
    tulle_ctx *ctx;
    void *nodes, *coordinates, *diffusion, *reaction;
} sources;

static void close_sources(const sources *s) {
    tulle__free(s->ctx, s->reaction);
    tulle__free(s->ctx, s->diffusion);
    tulle__free(s->ctx, s->coordinates);
    tulle__free(s->ctx, s->nodes);
}

static tulle_status bring_nodes(const tulle__lattice_cells *cells,
                                const tulle__lattice_patches *host, sources *s) {
    const int64_t numbers = host->elements * TULLE__LATTICE;
    int32_t *nodes = tulle__host_alloc(s->ctx, (size_t)numbers * sizeof *nodes);
    if (!nodes) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < host->elements; k++) {
        for (int a = 0; a < TULLE__LATTICE; a++) {
            nodes[k * TULLE__LATTICE + a] =
                cells->nodes[(int64_t)host->order[k] * TULLE__LATTICE + cells->place[a]];
        }
    }
    const tulle_status status = bring(s->ctx, nodes, numbers, sizeof *nodes, &s->nodes);
    tulle__host_free(s->ctx, nodes);
    return status;
}

/* Numbers of cells, on the host, in the order of patches; nothing for NULL. */
static tulle_status bring_quantity(const double *of_cell, double number,
                                   const tulle__lattice_patches *host, const sources *s,
                                   void **array, tulle__cell_quantity *quantity) {
    *quantity = (tulle__cell_quantity){.number = number};
    if (!of_cell) return TULLE_OK;
    double *numbers = tulle__host_alloc(s->ctx, (size_t)host->elements * sizeof *numbers);
    if (!numbers) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < host->elements; k++) numbers[k] = of_cell[host->order[k]];
    const tulle_status status = bring(s->ctx, numbers, host->elements, sizeof *numbers, array);
    tulle__host_free(s->ctx, numbers);
    quantity->per = 1;
    quantity->numbers = *array;
    return status;
}

static tulle_status compute(const tulle_mesh *mesh, const tulle__lattice_cells *cells,
                            const tulle_matrix_free_options *o, tulle_type type,
                            const tulle__lattice_patches *host, tulle__lattice_kind *kind,
                            sources *s) {
    tulle__lattice_metrics_job job = {.type = type,
                                      .affine = kind->affine,
                                      .massive = tulle__lattice_massive(o),
                                      .cells = {.shape = TULLE_HEXAHEDRON27,
                                                .count = host->elements,
                                                .dimension = 3,
                                                .stiff = true},
                                      .patches = host->count,
                                      .patch = kind->patches.patch};
    size_t bytes;
    const int64_t each = tulle__lattice_points(kind->affine) * tulle__lattice_numbers(job.massive);
    for (int a = 0; a < TULLE__LATTICE; a++) job.cells.place[a] = cells->place[a];
    TULLE__TRY(tulle__size(host->elements, each * tulle_type_size(type), 0, &bytes));
    TULLE__TRY(tulle__alloc(s->ctx, bytes, &kind->numbers));
    TULLE__TRY(bring_nodes(cells, host, s));
    TULLE__TRY(bring(s->ctx, mesh->arrays.coordinates, 3 * mesh->info.nodes, sizeof(double),
                     &s->coordinates));
    TULLE__TRY(
        bring_quantity(o->cell_diffusion, o->diffusion, host, s, &s->diffusion, &job.cells.k));
    TULLE__TRY(bring_quantity(o->cell_reaction, o->reaction, host, s, &s->reaction, &job.cells.c));
    job.cells.nodes = s->nodes;
    job.cells.coordinates = s->coordinates;
    job.numbers = kind->numbers;
    return s->ctx->backend->fem->lattice_metrics(&s->ctx->place, &job);
}

tulle_status tulle__lattice_kind_bring(tulle_ctx *ctx, const tulle_mesh *mesh,
                                       const tulle__lattice_cells *cells,
                                       const tulle_matrix_free_options *options, tulle_type type,
                                       const tulle__lattice_patches *host,
                                       tulle__lattice_kind *kind) {
    sources s = {.ctx = ctx};
    tulle_status status = bring_patches(ctx, host, &kind->patches);
    if (status == TULLE_OK) status = compute(mesh, cells, options, type, host, kind, &s);
    close_sources(&s);
    return status;
}

void tulle__lattice_kind_close(tulle_ctx *ctx, tulle__lattice_kind *kind) {
    tulle__free(ctx, kind->numbers);
    tulle__free(ctx, kind->patches.rank_ends);
    tulle__free(ctx, kind->patches.from);
    tulle__free(ctx, kind->patches.places);
    tulle__free(ctx, kind->patches.slot_of);
    tulle__free(ctx, kind->patches.list);
    tulle__free(ctx, kind->patches.patch);
    tulle__host_free(ctx, kind->patching.begins);
    tulle__host_free(ctx, kind->patching.centres);
}
