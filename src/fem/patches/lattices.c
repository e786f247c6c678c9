/* SPDX-License-Identifier: Apache-2.0 */
/* Hexahedra of order 2 in patches: what is kept of them, and their products. */
#include "fem/arrays.h"
#include "fem/functions.h"
#include "fem/patches/patched.h"

static void limit(const tulle__patched_making *m, tulle__patched_block *b) {
    tulle__patching *p = &b->patching;
    p->round = 1;
    p->by_place = true; /* threads that have cells in a row meet numbers in a row */
    p->most_elements =
        m->patch > 0 && m->patch < TULLE__LATTICE_CELLS ? m->patch : (int64_t)TULLE__LATTICE_CELLS;
    p->most_nodes = TULLE__LATTICE_MOST;
}

/* The arrays that numbers of cells are computed from, in the place's memory for that time. */
typedef struct sources {
    void *nodes, *coordinates, *diffusion, *reaction;
} sources;

static void close_sources(tulle_ctx *ctx, const sources *s) {
    tulle__free(ctx, s->reaction);
    tulle__free(ctx, s->diffusion);
    tulle__free(ctx, s->coordinates);
    tulle__free(ctx, s->nodes);
}

/* Nodes of cells, in the order of patches, as the mesh has them. */
static tulle_status bring_nodes(const tulle__patched_making *m, const tulle__lattice_patches *host,
                                sources *s) {
    const tulle__lattice_cells *cells = &m->lattices;
    const int64_t numbers = host->elements * TULLE__LATTICE;
    int32_t *nodes = tulle__host_alloc(m->ctx, (size_t)numbers * sizeof *nodes);
    if (!nodes) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < host->elements; k++) {
        for (int a = 0; a < TULLE__LATTICE; a++) {
            nodes[k * TULLE__LATTICE + a] =
                cells->nodes[(int64_t)host->order[k] * TULLE__LATTICE + cells->place[a]];
        }
    }
    const tulle_status status = tulle__array_copy(m->ctx, nodes, numbers, sizeof *nodes, &s->nodes);
    tulle__host_free(m->ctx, nodes);
    return status;
}

/* Numbers of cells, on the host, in the order of patches; nothing for NULL. */
static tulle_status bring_quantity(tulle_ctx *ctx, const double *of_cell, double number,
                                   const tulle__lattice_patches *host, void **array,
                                   tulle__cell_quantity *quantity) {
    *quantity = (tulle__cell_quantity){.number = number};
    if (!of_cell) return TULLE_OK;
    double *numbers = tulle__host_alloc(ctx, (size_t)host->elements * sizeof *numbers);
    if (!numbers) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < host->elements; k++) numbers[k] = of_cell[host->order[k]];
    const tulle_status status =
        tulle__array_copy(ctx, numbers, host->elements, sizeof *numbers, array);
    tulle__host_free(ctx, numbers);
    quantity->per = 1;
    quantity->numbers = *array;
    return status;
}

static tulle_status compute(const tulle__patched_making *m, const tulle__lattice_patches *host,
                            tulle__patched_block *b, sources *s) {
    const tulle_matrix_free_options *o = m->options;
    tulle__lattice_metrics_job job = {.type = m->type,
                                      .affine = b->affine,
                                      .massive = b->massive,
                                      .cells = {.shape = TULLE_HEXAHEDRON27,
                                                .count = host->elements,
                                                .dimension = 3,
                                                .stiff = true},
                                      .patches = host->count,
                                      .patch = b->lattices.patch};
    const int64_t each = tulle__lattice_points(b->affine) * tulle__lattice_numbers(b->massive);
    for (int a = 0; a < TULLE__LATTICE; a++) job.cells.place[a] = m->lattices.place[a];
    TULLE__TRY(
        tulle__array_new(m->ctx, host->elements, each * tulle_type_size(m->type), &b->numbers));
    TULLE__TRY(bring_nodes(m, host, s));
    TULLE__TRY(tulle__array_copy(m->ctx, m->mesh->arrays.coordinates, 3 * m->mesh->info.nodes,
                                 sizeof(double), &s->coordinates));
    TULLE__TRY(
        bring_quantity(m->ctx, o->cell_diffusion, o->diffusion, host, &s->diffusion, &job.cells.k));
    TULLE__TRY(
        bring_quantity(m->ctx, o->cell_reaction, o->reaction, host, &s->reaction, &job.cells.c));
    job.cells.nodes = s->nodes;
    job.cells.coordinates = s->coordinates;
    job.numbers = b->numbers;
    return m->ctx->backend->fem->lattice_metrics(&m->ctx->place, &job);
}

static tulle_status fill(const tulle__patched_making *m, tulle__patched_block *b) {
    tulle__lattice_patches host;
    sources s = {.nodes = NULL};
    b->massive = m->options->cell_reaction || m->options->reaction != 0;
    tulle_status status = tulle__ranks_fill(&b->patching, &m->rest, &host);
    if (status == TULLE_OK) {
        tulle__rest_rename(&m->rest, host.list, host.nodes);
        tulle__ranks_list_slots(&host, b->first_slot, &m->rest);
        status = tulle__ranks_bring(m->ctx, &host, &b->lattices);
    }
    if (status == TULLE_OK) status = compute(m, &host, b, &s);
    b->slots = host.slots;
    close_sources(m->ctx, &s);
    tulle__ranks_free(m->ctx, &host);
    return status;
}

static tulle_status multiply(const tulle__patched *own, const tulle__patched_block *b,
                             tulle_type type, const tulle__column *a) {
    const tulle__lattices_job job = {.type = type,
                                     .affine = b->affine,
                                     .massive = b->massive,
                                     .patches = b->lattices,
                                     .vectors = tulle__patched_vectors(own, b, type, a),
                                     .numbers = b->numbers,
                                     .room = own->room};
    return a->ctx->backend->fem->apply_lattices(&a->ctx->place, &job);
}

static int64_t room(const tulle__patched_block *b) {
    return 2 * (int64_t)b->patching.largest;
}

static void close_block(tulle_ctx *ctx, const tulle__patched_block *b) {
    tulle__free(ctx, b->numbers);
    tulle__ranks_release(ctx, &b->lattices);
}

const tulle__patch_kind tulle__lattices_kind = {
    .limit = limit, .fill = fill, .multiply = multiply, .room = room, .close = close_block};
