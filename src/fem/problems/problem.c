/* SPDX-License-Identifier: Apache-2.0 */
/* The birth and death of problems on meshes: from a draft on the host to arrays in the context's
 * memory. */
#include "fem/problems/problem.h"

#include <math.h>
#include <string.h>

#include "fem/elements/reference.h"
#include "fem/elements/tabulated.h"
#include "fem/patches/look.h"
#include "fem/problems/scales.h"
#include "fem/problems/units.h"

tulle_status tulle__draft_block(tulle__problem_draft *draft, tulle_shape shape, int64_t count,
                                tulle__body **body) {
    void *nodes = NULL;
    const int64_t bytes = tulle__cell_nodes(shape) * (int64_t)sizeof(int32_t);
    tulle__cells *cells = &draft->body[draft->blocks].cells;
    *body = &draft->body[draft->blocks++];
    *cells =
        (tulle__cells){.shape = shape, .count = count, .dimension = draft->mesh->arrays.dimension};
    TULLE__TRY(tulle__mesh_array(draft->ctx, count, bytes, &nodes));
    cells->nodes = nodes;
    if (tulle__is_quadratic(shape)) tulle__lattice_places(shape, cells->place);
    if (tulle__is_tabulated(shape)) return tulle__tabulate(draft->ctx, shape, &cells->table);
    return TULLE_OK;
}

int64_t tulle__cells_count(const tulle_mesh *mesh, tulle_shape shape) {
    int64_t count = 0;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        if (block->shape == shape) count += block->count;
    }
    return count;
}

/* A mesh's cells of one shape, in its order. */
static tulle_status draft_cells(tulle__problem_draft *draft, tulle_shape shape) {
    const tulle_mesh *mesh = draft->mesh;
    const int64_t count = tulle__cells_count(mesh, shape);
    tulle__body *body = NULL;
    if (count == 0) return TULLE_OK;
    TULLE__TRY(tulle__draft_block(draft, shape, count, &body));
    int32_t *to = (int32_t *)body->cells.nodes;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        const size_t numbers = (size_t)block->count * (size_t)tulle__cell_nodes(shape);
        if (block->shape != shape) continue;
        memcpy(to, block->nodes, numbers * sizeof *to);
        to += numbers;
    }
    return draft->kind->fill(draft, body);
}

/* Unknowns of nodes that no cell has are given, as 0, before conditions are. */
static tulle_status draft_unknowns(tulle__problem_draft *draft) {
    void *given = NULL, *masked = NULL;
    const int64_t unknowns = draft->mesh->info.nodes * draft->unknowns;
    TULLE__TRY(tulle__mesh_array(draft->ctx, unknowns, sizeof *draft->given, &given));
    draft->given = given;
    TULLE__TRY(tulle__mesh_array(draft->ctx, unknowns, 1, &masked));
    draft->masked = masked;
    memset(masked, 1, (size_t)unknowns);
    for (int b = 0; b < draft->blocks; b++) {
        const tulle__cells *cells = &draft->body[b].cells;
        const int64_t places = cells->count * tulle__cell_nodes(cells->shape);
        for (int64_t i = 0; i < places; i++) {
            memset(draft->masked + (int64_t)cells->nodes[i] * draft->unknowns, 0,
                   (size_t)draft->unknowns);
        }
    }
    return TULLE_OK;
}

static tulle_status draft_all(tulle__problem_draft *draft) {
    static const tulle_shape shapes[] = {
        TULLE_TRIANGLE,       TULLE_QUADRILATERAL, TULLE_TETRAHEDRON,    TULLE_HEXAHEDRON,
        TULLE_QUADRILATERAL9, TULLE_HEXAHEDRON27,  TULLE_TRIANGLE6,      TULLE_TETRAHEDRON10,
        TULLE_PRISM,          TULLE_PYRAMID,       TULLE_QUADRILATERAL8, TULLE_HEXAHEDRON20};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        TULLE__TRY(draft_cells(draft, shapes[s]));
    }
    TULLE__TRY(draft_unknowns(draft));
    TULLE__TRY(tulle__draft_conditions(draft));
    return tulle__draft_periods(draft);
}

/* The rows become the problem's own. */
static void free_draft(tulle__problem_draft *draft) {
    for (int b = 0; b < draft->blocks; b++) {
        tulle__cell_quantity *all[TULLE__PROBLEM_QUANTITIES];
        tulle__body_quantities(&draft->body[b], all);
        tulle__host_free(draft->ctx, (void *)draft->body[b].cells.nodes);
        tulle__host_free(draft->ctx, (void *)draft->body[b].cells.table);
        for (int i = 0; i < TULLE__PROBLEM_QUANTITIES; i++) {
            tulle__host_free(draft->ctx, (void *)all[i]->numbers);
        }
        tulle__host_free(draft->ctx, draft->lists[b]);
    }
    tulle__host_free(draft->ctx, draft->masked_rows);
    tulle__host_free(draft->ctx, draft->given_rows);
    tulle__host_free(draft->ctx, draft->given);
    tulle__host_free(draft->ctx, draft->masked);
    tulle_mesh_destroy(draft->boundary);
}

/* A copy of an array of the host's. */
static tulle_status send(tulle__problem *P, const void *host, int64_t count, int64_t size,
                         void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(P->ctx, bytes, array));
    P->arrays[P->array_count++] = *array;
    P->bytes += (int64_t)bytes;
    return tulle__copy_wait(P->ctx, *array, host, bytes);
}

static tulle_status send_quantities(tulle__problem *P, tulle__body *body) {
    tulle__cell_quantity *all[TULLE__PROBLEM_QUANTITIES];
    tulle__body_quantities(body, all);
    for (int i = 0; i < TULLE__PROBLEM_QUANTITIES; i++) {
        void *numbers = NULL;
        if (all[i]->per == 0) continue;
        TULLE__TRY(send(P, all[i]->numbers, body->cells.count,
                        all[i]->per * (int64_t)sizeof(double), &numbers));
        all[i]->numbers = numbers;
    }
    return TULLE_OK;
}

static tulle_status send_block(tulle__problem *P, const tulle__body *draft, const int32_t *rows,
                               int b) {
    tulle__cells *cells = &P->body[b].cells;
    const tulle_shape shape = draft->cells.shape;
    const int nodes = tulle__cell_nodes(shape);
    void *list = NULL;
    P->body[b] = *draft;
    cells->coordinates = P->coordinates;
    TULLE__TRY(send(P, draft->cells.nodes, cells->count, nodes * (int64_t)sizeof(int32_t), &list));
    cells->nodes = list;
    if (rows) TULLE__TRY(send(P, rows, cells->count, nodes * (int64_t)sizeof(int32_t), &list));
    P->elements[b] =
        (tulle_elements){.count = cells->count, .nodes = nodes, .list = list, .index = TULLE_I32};
    if (cells->table) {
        TULLE__TRY(send(P, cells->table, tulle__table_numbers(shape), sizeof(double), &list));
        cells->table = list;
    }
    return send_quantities(P, &P->body[b]);
}

/* The diagonal entries of rows that are given. */
static tulle_status send_scales(tulle__problem *P, const tulle__problem_draft *draft,
                                tulle__scaling *s) {
    void *array = NULL;
    TULLE__TRY(tulle__scaling_open(s));
    for (int b = 0; b < draft->blocks; b++) {
        const tulle__body *body = &draft->body[b];
        TULLE__TRY(
            tulle__scales_of_block(s, body, draft->rows ? draft->lists[b] : body->cells.nodes));
    }
    tulle__scaling_finish(s);
    TULLE__TRY(send(P, s->scales, s->rows, sizeof *P->scales, &array));
    P->scales = array;
    return TULLE_OK;
}

static tulle_status send_rows(tulle__problem *P, const tulle__problem_draft *draft) {
    const uint8_t *masked = draft->rows ? draft->masked_rows : draft->masked;
    const int64_t rows = P->nodes * P->unknowns;
    void *array = NULL;
    for (int64_t i = 0; i < rows; i++) P->given += masked[i];
    if (P->given > 0) {
        tulle__scaling s = {.kind = P->kind,
                            .ctx = P->ctx,
                            .mesh = draft->mesh,
                            .rows = rows,
                            .unknowns = P->unknowns,
                            .masked = masked};
        const tulle_status status = send_scales(P, draft, &s);
        tulle__host_free(P->ctx, s.scales);
        TULLE__TRY(status);
    }
    TULLE__TRY(send(P, masked, rows, 1, &array));
    P->masked = array;
    P->given_rows = P->given_unknowns;
    if (!draft->rows) return TULLE_OK;
    TULLE__TRY(send(P, draft->given_rows, rows, sizeof *P->given_rows, &array));
    P->given_rows = array;
    return TULLE_OK;
}

static tulle_status send_all(tulle__problem *P, const tulle__problem_draft *draft) {
    const tulle_mesh_arrays *a = &draft->mesh->arrays;
    void *coordinates = NULL, *given = NULL;
    P->unknowns = draft->unknowns;
    P->mesh_nodes = a->node_count;
    P->nodes = draft->rows ? draft->row_count : a->node_count;
    TULLE__TRY(send(P, a->coordinates, a->node_count, a->dimension * (int64_t)sizeof(double),
                    &coordinates));
    P->coordinates = coordinates;
    TULLE__TRY(send(P, draft->given, a->node_count * P->unknowns, sizeof(double), &given));
    P->given_unknowns = given;
    TULLE__TRY(send_rows(P, draft));
    for (int b = 0; b < draft->blocks; b++) {
        TULLE__TRY(send_block(P, &draft->body[b], draft->lists[b], b));
        P->blocks = b + 1;
    }
    return TULLE_OK;
}

/* Cells with one Jacobian, k and c each need no matrices (affine.h). */
static bool is_affine(const tulle__problem_draft *draft) {
    const tulle__cells *cells = &draft->body[0].cells;
    int64_t others = 0;
    if (draft->kind != &tulle__diffusion_kind) return false;
    if (draft->blocks != 1 || cells->shape != TULLE_HEXAHEDRON) return false;
    if (cells->k.per > 1 || cells->c.per > 1) return false;
#pragma omp parallel for reduction(+ : others) num_threads(tulle__mesh_threads(draft->ctx, cells->count))
    for (int64_t e = 0; e < cells->count; e++) {
        const int32_t *nodes = cells->nodes + e * TULLE__CELL_NODES;
        others += !tulle__is_cell_affine(draft->mesh, cells->shape, nodes, TULLE_F64);
    }
    return others == 0;
}

/* The draft's numbers and its mesh, in units of the mesh. What multiplies derivatives has two
 * lengths less. */
static void change_units(const tulle__mesh_units *units, tulle__problem_draft *draft,
                         tulle__problem *P) {
    const int64_t unknowns = units->mesh.info.nodes * draft->unknowns;
    draft->mesh = &units->mesh;
    for (int b = 0; b < draft->blocks; b++) {
        tulle__body *body = &draft->body[b];
        tulle__cells *cells = &body->cells;
        const int lengths = tulle__shape_of(cells->shape)->info.dimension;
        tulle__quantity_in_units(units, lengths - 2, cells->count, &cells->k, &P->most_matrix);
        tulle__quantity_in_units(units, lengths - 2, cells->count, &body->lambda, &P->most_matrix);
        tulle__quantity_in_units(units, lengths - 2, cells->count, &body->mu, &P->most_matrix);
        tulle__quantity_in_units(units, lengths, cells->count, &cells->c, &P->most_matrix);
        for (int d = 0; d < draft->unknowns; d++) {
            tulle__quantity_in_units(units, lengths, cells->count, draft->kind->load(body, d),
                                     &P->most_load);
        }
    }
    for (int64_t i = 0; i < unknowns; i++) {
        P->most_given = fmax(P->most_given, fabs(draft->given[i]));
    }
    P->most_load = fmax(P->most_load, P->most_matrix * P->most_given);
}

static tulle_status make(tulle__problem_draft *draft, tulle__problem *P) {
    tulle__mesh_units units = {.power = 0};
    tulle_status status = draft_all(draft);
    P->rows = draft->rows;
    if (status == TULLE_OK) status = tulle__mesh_units_open(draft->ctx, draft->mesh, &units);
    if (status == TULLE_OK) {
        change_units(&units, draft, P);
        status = send_all(P, draft);
    }
    P->affine = status == TULLE_OK && is_affine(draft);
    tulle__mesh_units_close(draft->ctx, &units);
    free_draft(draft);
    return status;
}

tulle_status tulle__problem_create(tulle__problem_draft *draft, tulle__problem **P) {
    tulle__problem *made = tulle__host_alloc(draft->ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle__ctx_retain(draft->ctx);
    made->kind = draft->kind;
    made->ctx = draft->ctx;
    const tulle_status status = make(draft, made);
    if (status != TULLE_OK) {
        tulle__problem_destroy(made);
        return status;
    }
    *P = made;
    return TULLE_OK;
}

void tulle__problem_destroy(tulle__problem *P) {
    if (!P) return;
    tulle_ctx *ctx = P->ctx;
    tulle__free(ctx, P->room.data);
    for (int i = P->array_count - 1; i >= 0; i--) tulle__free(ctx, P->arrays[i]);
    tulle__host_free(ctx, P->rows);
    tulle__host_free(ctx, P);
    tulle__ctx_release(ctx);
}
