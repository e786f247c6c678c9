/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of order 1 in patches: what is kept of them, and their products. */
#include <math.h>

#include "fem/arrays.h"
#include "fem/functions.h"
#include "fem/patches/look.h"
#include "fem/patches/patched.h"

#define REAL double
#define FUNCTION(type, name) static inline type name
#define CALL(name, ...) name(__VA_ARGS__)
#define UNROLL
#include "fem/elements/isoparametric.h"

/* Cells of a patch, if the caller does not say: 2048 hexahedra have some 2500 nodes, whose 5
 * numbers are 100 KB of f64, so that two patches are on a multiprocessor at once. There are twice
 * as many triangles as nodes, and five to six times as many tetrahedra. */
enum { CELLS = 2048, TRIANGLES = 4096, TETRAHEDRA = 10240 };
/* Bytes of shared memory that a patch may take: half of what a multiprocessor of 228 KB has. */
enum { PATCH_BYTES = 113 * 1024 };

static int64_t cells_of_patch(tulle_shape shape) {
    if (shape == TULLE_TETRAHEDRON) return TETRAHEDRA;
    return shape == TULLE_TRIANGLE ? TRIANGLES : CELLS;
}

static void limit(const tulle__patched_making *m, tulle__patched_block *b) {
    const int64_t size = tulle_type_size(m->type);
    tulle__patching *p = &b->patching;
    p->more = tulle__free_more(b->shape, b->affine);
    p->round = TULLE__PATCH_ROUND;
    p->most_elements = m->patch > 0 ? m->patch : cells_of_patch(b->shape);
    p->most_nodes =
        PATCH_BYTES / size / tulle__patch_room(p->more, TULLE__PATCH_GROUP) * TULLE__PATCH_GROUP;
}

/* Coordinate d of a patch's nodes. In f32 they count from the middle, so that what they lose is
 * small beside the patch, wherever that is. */
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

static tulle_status bring_coordinates(const tulle__patched_making *m, const tulle__patches *host,
                                      tulle__patched_block *b) {
    const int dimension = tulle__cell_dimension(b->shape);
    const int64_t size = tulle_type_size(m->type), count = dimension * host->nodes;
    void *numbers = tulle__host_alloc(m->ctx, (size_t)(count * size));
    if (!numbers) return TULLE_OUT_OF_MEMORY;
#pragma omp parallel for num_threads(tulle__mesh_threads(m->ctx, host->nodes))
    for (int64_t p = 0; p < host->count; p++) {
        const tulle__patch *patch = &host->patch[p];
        for (int d = 0; d < dimension; d++) {
            put_coordinates(m->mesh, m->type, host->list + patch->node, patch->nodes, d, numbers,
                            dimension * patch->node + (int64_t)d * patch->nodes);
        }
    }
    const tulle_status status = tulle__array_copy(m->ctx, numbers, count, size, &b->coordinates);
    tulle__host_free(m->ctx, numbers);
    return status;
}

/* Numbers of cells, in the order of patches and of the type; NULL for NULL. */
static tulle_status bring_numbers(const tulle__patched_making *m, const tulle__patched_block *b,
                                  const int32_t *order, const double *of_cell, void **numbers) {
    const int64_t count = b->patching.count, size = tulle_type_size(m->type);
    if (!of_cell) return TULLE_OK;
    void *host = tulle__host_alloc(m->ctx, (size_t)(count * size));
    if (!host) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        tulle__put_number(m->type, host, k, of_cell[b->first + order[k]]);
    }
    const tulle_status status = tulle__array_copy(m->ctx, host, count, size, numbers);
    tulle__host_free(m->ctx, host);
    return status;
}

static double number_of(double of_all, const double *of_cell, int64_t cell) {
    return of_cell ? of_cell[cell] : of_all;
}

/* The numbers that are kept of a cell whose Jacobian is constant, from place `first` of `to` on. */
static void put_metric(tulle__look *l, double diffusion, double reaction,
                       const tulle__metrics *metrics, tulle_type type, void *to, int64_t first) {
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

static void put_metrics(const tulle__patched_making *m, const int32_t *order,
                        const tulle__patched_block *b, void *numbers) {
    const tulle_matrix_free_options *o = m->options;
    const tulle__patching *p = &b->patching;
#pragma omp parallel for num_threads(tulle__mesh_threads(m->ctx, p->count))
    for (int64_t k = 0; k < p->count; k++) {
        const int64_t cell = b->first + order[k];
        tulle__look l = tulle__look_at(m->mesh, b->shape, p->nodes + (int64_t)order[k] * p->each);
        put_metric(&l, number_of(o->diffusion, o->cell_diffusion, cell),
                   number_of(o->reaction, o->cell_reaction, cell), &b->metrics, m->type, numbers,
                   tulle__metric_first(b->metrics.each, (uint32_t)k));
    }
}

static tulle_status bring_metrics(const tulle__patched_making *m, const int32_t *order,
                                  tulle__patched_block *b) {
    const int64_t cells = b->patching.count, size = tulle_type_size(m->type);
    const int64_t lanes =
        (cells + TULLE__METRIC_LANES - 1) / TULLE__METRIC_LANES * TULLE__METRIC_LANES;
    tulle__metrics *metrics = &b->metrics;
    metrics->massive = m->options->cell_reaction || m->options->reaction != 0;
    metrics->each = tulle__metric_numbers(b->shape) + metrics->massive;
    metrics->count = cells;
    void *numbers = tulle__host_alloc(m->ctx, (size_t)(lanes * metrics->each * size));
    if (!numbers) return TULLE_OUT_OF_MEMORY;
    put_metrics(m, order, b, numbers);
    tulle_status status = tulle__metrics_join(m, order, b, numbers);
    if (status == TULLE_OK && !metrics->kind) {
        status = tulle__array_copy(m->ctx, numbers, lanes * metrics->each, size, &metrics->numbers);
    }
    tulle__host_free(m->ctx, numbers);
    return status;
}

/* Brings what is kept of cells, in the order of patches, whose lists are those of nodes. */
static tulle_status bring_geometry(const tulle__patched_making *m, const tulle__patches *host,
                                   tulle__patched_block *b) {
    const tulle_matrix_free_options *o = m->options;
    if (b->affine) return bring_metrics(m, host->order, b);
    b->diffusion = o->diffusion;
    b->reaction = o->reaction;
    TULLE__TRY(bring_coordinates(m, host, b));
    TULLE__TRY(bring_numbers(m, b, host->order, o->cell_diffusion, &b->of_diffusion));
    return bring_numbers(m, b, host->order, o->cell_reaction, &b->of_reaction);
}

static tulle_status fill(const tulle__patched_making *m, tulle__patched_block *b) {
    tulle__patches host;
    tulle_status status = tulle__steps_fill(&b->patching, &m->rest, &host);
    if (status == TULLE_OK) status = bring_geometry(m, &host, b);
    if (status == TULLE_OK) {
        tulle__rest_rename(&m->rest, host.list, host.nodes);
        tulle__steps_list_slots(&host, b->first_slot, &m->rest);
        status = tulle__steps_bring(m->ctx, &host, &b->patches);
    }
    b->slots = host.slots;
    tulle__steps_free(m->ctx, &host);
    return status;
}

static tulle_status multiply(const tulle__patched *own, const tulle__patched_block *b,
                             tulle_type type, const tulle__column *a) {
    const tulle__patches_job job = {
        .type = type,
        .shape = b->shape,
        .affine = b->affine,
        .patches = b->patches,
        .vectors = tulle__patched_vectors(own, b, type, a),
        .metrics = b->metrics,
        .coordinates = b->coordinates,
        .diffusion = {.of_element = b->of_diffusion, .number = b->diffusion},
        .reaction = {.of_element = b->of_reaction, .number = b->reaction},
        .room = own->room};
    return a->ctx->backend->fem->apply_patches(&a->ctx->place, &job);
}

static int64_t room(const tulle__patched_block *b) {
    return tulle__patch_room(b->patching.more, b->patching.largest);
}

static void close_block(tulle_ctx *ctx, const tulle__patched_block *b) {
    tulle__free(ctx, b->of_reaction);
    tulle__free(ctx, b->of_diffusion);
    tulle__free(ctx, b->coordinates);
    tulle__free(ctx, b->metrics.kind);
    tulle__free(ctx, b->metrics.numbers);
    tulle__steps_release(ctx, &b->patches);
}

const tulle__patch_kind tulle__cells_kind = {
    .limit = limit, .fill = fill, .multiply = multiply, .room = room, .close = close_block};
