/* SPDX-License-Identifier: Apache-2.0 */
/* The birth and death of problems on meshes. */
#include "fem/problems/diffusion.h"

#include <math.h>
#include <string.h>

#include "fem/elements/tabulated.h"
#include "fem/functions.h"
#include "fem/patches/cell_kinds.h"
#include "fem/problems/scales.h"
#include "fem/problems/units.h"

tulle_status tulle__draft_block(tulle__diffusion_draft *draft, tulle_shape shape, int64_t count,
                                tulle__cells **cells) {
    *cells = &draft->cells[draft->blocks++];
    return tulle__cells_new(draft->ctx, draft->mesh, shape, count, *cells);
}

static tulle_status draft_quantity(const tulle__diffusion_draft *draft, const char *name,
                                   const tulle_quantity *given, const tulle__cells *cells,
                                   tulle__cell_quantity *to) {
    const int per = tulle__quantity_per(given, tulle__cell_points(cells->shape));
    return tulle__quantity_of_cells("tulle_diffusion_create", name, draft->ctx, draft->mesh, given,
                                    cells, per, to);
}

static tulle_status draft_cells(tulle__diffusion_draft *draft, tulle_shape shape) {
    static const tulle_quantity one = {.number = 1};
    const tulle_diffusion_problem *p = draft->problem;
    const int64_t count = tulle__cells_count(draft->mesh, shape);
    tulle__cells *cells = NULL;
    if (count == 0) return TULLE_OK;
    TULLE__TRY(tulle__draft_block(draft, shape, count, &cells));
    cells->stiff = true;
    tulle__cells_fill(draft->mesh, cells);
    TULLE__TRY(draft_quantity(draft, "k", p->k ? p->k : &one, cells, &cells->k));
    TULLE__TRY(draft_quantity(draft, "c", &p->c, cells, &cells->c));
    return draft_quantity(draft, "f", &p->f, cells, &cells->f);
}

/* Nodes that no cell has are given, as 0, before conditions are. */
static tulle_status draft_nodes(tulle__diffusion_draft *draft) {
    void *given = NULL, *masked = NULL;
    const int64_t nodes = draft->mesh->info.nodes;
    TULLE__TRY(tulle__mesh_array(draft->ctx, nodes, sizeof *draft->given, &given));
    draft->given = given;
    TULLE__TRY(tulle__mesh_array(draft->ctx, nodes, 1, &masked));
    draft->masked = masked;
    memset(masked, 1, (size_t)nodes);
    for (int b = 0; b < draft->blocks; b++) {
        const tulle__cells *cells = &draft->cells[b];
        const int64_t numbers = cells->count * tulle__cell_nodes(cells->shape);
        for (int64_t i = 0; i < numbers; i++) draft->masked[cells->nodes[i]] = 0;
    }
    return TULLE_OK;
}

static tulle_status draft_all(tulle__diffusion_draft *draft) {
    static const tulle_shape shapes[] = {
        TULLE_TRIANGLE,       TULLE_QUADRILATERAL, TULLE_TETRAHEDRON,    TULLE_HEXAHEDRON,
        TULLE_QUADRILATERAL9, TULLE_HEXAHEDRON27,  TULLE_TRIANGLE6,      TULLE_TETRAHEDRON10,
        TULLE_PRISM,          TULLE_PYRAMID,       TULLE_QUADRILATERAL8, TULLE_HEXAHEDRON20};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        TULLE__TRY(draft_cells(draft, shapes[s]));
    }
    TULLE__TRY(draft_nodes(draft));
    TULLE__TRY(tulle__draft_conditions(draft));
    return tulle__draft_periods(draft);
}

static void free_draft(tulle__diffusion_draft *draft) {
    for (int b = 0; b < draft->blocks; b++) {
        const tulle__cells *cells = &draft->cells[b];
        tulle__host_free(draft->ctx, (void *)cells->nodes);
        tulle__host_free(draft->ctx, (void *)cells->table);
        tulle__host_free(draft->ctx, (void *)cells->k.numbers);
        tulle__host_free(draft->ctx, (void *)cells->c.numbers);
        tulle__host_free(draft->ctx, (void *)cells->f.numbers);
        tulle__host_free(draft->ctx, draft->lists[b]);
    }
    tulle__host_free(draft->ctx, draft->masked_rows);
    tulle__host_free(draft->ctx, draft->given_rows);
    tulle__host_free(draft->ctx, draft->given);
    tulle__host_free(draft->ctx, draft->masked);
    tulle_mesh_destroy(draft->boundary);
}

/* A copy of an array of the host's. */
static tulle_status send(tulle_diffusion *D, const void *host, int64_t count, int64_t size,
                         void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(D->ctx, bytes, array));
    D->arrays[D->array_count++] = *array;
    D->bytes += (int64_t)bytes;
    return tulle__copy_wait(D->ctx, *array, host, bytes);
}

static tulle_status send_quantity(tulle_diffusion *D, const tulle__cells *cells,
                                  tulle__cell_quantity *quantity) {
    void *numbers = NULL;
    if (quantity->per == 0) return TULLE_OK;
    TULLE__TRY(send(D, quantity->numbers, cells->count, quantity->per * (int64_t)sizeof(double),
                    &numbers));
    quantity->numbers = numbers;
    return TULLE_OK;
}

static tulle_status send_block(tulle_diffusion *D, const tulle__cells *draft, const int32_t *rows,
                               int b) {
    tulle__cells *cells = &D->cells[b];
    const int nodes = tulle__cell_nodes(draft->shape);
    void *list = NULL;
    *cells = *draft;
    cells->coordinates = D->coordinates;
    TULLE__TRY(send(D, draft->nodes, cells->count, nodes * (int64_t)sizeof(int32_t), &list));
    cells->nodes = list;
    if (rows) TULLE__TRY(send(D, rows, cells->count, nodes * (int64_t)sizeof(int32_t), &list));
    D->elements[b] =
        (tulle_elements){.count = cells->count, .nodes = nodes, .list = list, .index = TULLE_I32};
    if (draft->table) {
        TULLE__TRY(
            send(D, draft->table, tulle__table_numbers(draft->shape), sizeof(double), &list));
        cells->table = list;
    }
    TULLE__TRY(send_quantity(D, cells, &cells->k));
    TULLE__TRY(send_quantity(D, cells, &cells->c));
    return send_quantity(D, cells, &cells->f);
}

/* The diagonal entries of rows that are given. */
static tulle_status send_scales(tulle_diffusion *D, const tulle__diffusion_draft *draft,
                                tulle__scaling *s) {
    void *array = NULL;
    TULLE__TRY(tulle__scaling_open(s));
    for (int b = 0; b < draft->blocks; b++) {
        const tulle__cells *cells = &draft->cells[b];
        const int32_t *rows = draft->rows ? draft->lists[b] : cells->nodes;
        TULLE__TRY(tulle__scales_of_cells(s, cells, rows));
    }
    tulle__scaling_finish(s);
    TULLE__TRY(send(D, s->scales, D->nodes, sizeof *D->scales, &array));
    D->scales = array;
    return TULLE_OK;
}

static tulle_status send_rows(tulle_diffusion *D, const tulle__diffusion_draft *draft) {
    const uint8_t *masked = draft->rows ? draft->masked_rows : draft->masked;
    void *array = NULL;
    for (int64_t i = 0; i < D->nodes; i++) D->given_count += masked[i];
    if (D->given_count > 0) {
        tulle__scaling s = {
            .ctx = D->ctx, .mesh = draft->mesh, .rows = D->nodes, .unknowns = 1, .masked = masked};
        const tulle_status status = send_scales(D, draft, &s);
        tulle__host_free(D->ctx, s.scales);
        TULLE__TRY(status);
    }
    TULLE__TRY(send(D, masked, D->nodes, 1, &array));
    D->masked = array;
    D->given_rows = D->given;
    if (!draft->rows) return TULLE_OK;
    TULLE__TRY(send(D, draft->given_rows, D->nodes, sizeof *D->given_rows, &array));
    D->given_rows = array;
    return TULLE_OK;
}

static tulle_status send_all(tulle_diffusion *D, const tulle__diffusion_draft *draft) {
    const tulle_mesh_arrays *a = &draft->mesh->arrays;
    void *coordinates = NULL, *given = NULL;
    D->nodes = draft->rows ? draft->row_count : a->node_count;
    D->mesh_nodes = a->node_count;
    TULLE__TRY(send(D, a->coordinates, a->node_count, a->dimension * (int64_t)sizeof(double),
                    &coordinates));
    D->coordinates = coordinates;
    TULLE__TRY(send(D, draft->given, a->node_count, sizeof *D->given, &given));
    D->given = given;
    TULLE__TRY(send_rows(D, draft));
    for (int b = 0; b < draft->blocks; b++) {
        TULLE__TRY(send_block(D, &draft->cells[b], draft->lists[b], b));
        D->blocks = b + 1;
    }
    return TULLE_OK;
}

static tulle_status check_shapes(const tulle_mesh *mesh) {
    if (mesh->info.cell_dimension > 1 || mesh->info.cells == 0) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, "tulle_diffusion_create", "mesh", -1,
                       "cells are lines; they must have 2 or 3 dimensions");
}

static bool is_affine(const tulle__diffusion_draft *draft) {
    const tulle__cells *cells = &draft->cells[0];
    int64_t others = 0;
    if (draft->blocks != 1 || cells->shape != TULLE_HEXAHEDRON) return false;
    if (cells->k.per > 1 || cells->c.per > 1) return false;
#pragma omp parallel for reduction(+ : others) num_threads(tulle__mesh_threads(draft->ctx, cells->count))
    for (int64_t e = 0; e < cells->count; e++) {
        const int32_t *nodes = cells->nodes + e * TULLE__CELL_NODES;
        others += !tulle__is_cell_affine(draft->mesh, cells->shape, nodes, TULLE_F64);
    }
    return others == 0;
}

/* The draft's numbers and its mesh, in units of the mesh. */
static void change_units(const tulle__mesh_units *units, tulle__diffusion_draft *draft,
                         tulle_diffusion *D) {
    draft->mesh = &units->mesh;
    for (int b = 0; b < draft->blocks; b++) {
        tulle__cells *cells = &draft->cells[b];
        const int lengths = tulle__shape_of(cells->shape)->info.dimension;
        tulle__quantity_in_units(units, lengths - 2, cells->count, &cells->k, &D->most_matrix);
        tulle__quantity_in_units(units, lengths, cells->count, &cells->c, &D->most_matrix);
        tulle__quantity_in_units(units, lengths, cells->count, &cells->f, &D->most_load);
    }
    for (int64_t i = 0; i < units->mesh.info.nodes; i++) {
        D->most_given = fmax(D->most_given, fabs(draft->given[i]));
    }
    D->most_load = fmax(D->most_load, D->most_matrix * D->most_given);
}

static tulle_status make(tulle_ctx *ctx, const tulle_mesh *mesh,
                         const tulle_diffusion_problem *problem, tulle_diffusion *D) {
    tulle__diffusion_draft draft = {.ctx = ctx, .mesh = mesh, .problem = problem};
    tulle__mesh_units units = {.power = 0};
    tulle_status status = draft_all(&draft);
    D->rows = draft.rows;
    if (status == TULLE_OK) status = tulle__mesh_units_open(ctx, mesh, &units);
    if (status == TULLE_OK) {
        change_units(&units, &draft, D);
        status = send_all(D, &draft);
    }
    D->affine = status == TULLE_OK && is_affine(&draft);
    tulle__mesh_units_close(ctx, &units);
    free_draft(&draft);
    return status;
}

tulle_status tulle_diffusion_create(tulle_ctx *ctx, const tulle_mesh *mesh,
                                    const tulle_diffusion_problem *problem, tulle_diffusion **D) {
    TULLE__NEED(D);
    *D = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    TULLE__NEED(problem);
    if (problem->condition_count < 0) {
        return TULLE__BAD("problem", "problem.condition_count is less than 0");
    }
    if (problem->condition_count > 0 && !problem->conditions) {
        return TULLE__BAD("problem", "problem.conditions is NULL");
    }
    if (problem->period_count < 0) {
        return TULLE__BAD("problem", "problem.period_count is less than 0");
    }
    if (problem->period_count > 0 && !problem->periods) {
        return TULLE__BAD("problem", "problem.periods is NULL");
    }
    TULLE__TRY(check_shapes(mesh));
    tulle_diffusion *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle__ctx_retain(ctx);
    made->ctx = ctx;
    const tulle_status status = make(ctx, mesh, problem, made);
    if (status != TULLE_OK) {
        tulle_diffusion_destroy(made);
        return status;
    }
    *D = made;
    return TULLE_OK;
}

void tulle_diffusion_destroy(tulle_diffusion *D) {
    if (!D) return;
    tulle_ctx *ctx = D->ctx;
    tulle__free(ctx, D->room.data);
    for (int i = D->array_count - 1; i >= 0; i--) tulle__free(ctx, D->arrays[i]);
    tulle__host_free(ctx, D->rows);
    tulle__host_free(ctx, D);
    tulle__ctx_release(ctx);
}

tulle_status tulle_diffusion_describe(const tulle_diffusion *D, tulle_diffusion_info *info) {
    TULLE__NEED(D);
    TULLE__NEED(info);
    *info = (tulle_diffusion_info){.nodes = D->nodes,
                                   .given = D->given_count,
                                   .rows = D->rows,
                                   .blocks = D->blocks,
                                   .elements = D->elements,
                                   .masked = D->masked,
                                   .bytes = D->bytes};
    return TULLE_OK;
}
