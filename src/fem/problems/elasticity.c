/* SPDX-License-Identifier: Apache-2.0 */
/* The birth and death of problems of elasticity on meshes. */
#include "fem/problems/elasticity.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "fem/functions.h"
#include "fem/problems/scales.h"
#include "fem/problems/units.h"

static const char create[] = "tulle_elasticity_create";

void tulle__elastic_quantities(tulle__elastic *body,
                               tulle__cell_quantity *all[TULLE__ELASTIC_QUANTITIES]) {
    tulle__cell_quantity *const of_body[TULLE__ELASTIC_QUANTITIES] = {
        &body->cells.c,  &body->lambda,   &body->mu,
        &body->force[0], &body->force[1], &body->force[2]};
    memcpy(all, of_body, sizeof of_body);
}

tulle_status tulle__elastic_block(tulle__elastic_draft *draft, tulle_shape shape, int64_t count,
                                  tulle__elastic **body) {
    *body = &draft->body[draft->blocks++];
    **body = (tulle__elastic){.cells = {.shape = shape}};
    return tulle__cells_new(draft->ctx, draft->mesh, shape, count, &(*body)->cells);
}

static tulle_status draft_cells(tulle__elastic_draft *draft, tulle_shape shape) {
    const int64_t count = tulle__cells_count(draft->mesh, shape);
    const int points = tulle__cell_nodes(shape);
    tulle__elastic *body = NULL;
    if (count == 0) return TULLE_OK;
    TULLE__TRY(tulle__elastic_block(draft, shape, count, &body));
    tulle__cells_fill(draft->mesh, &body->cells);
    TULLE__TRY(tulle__elastic_constants(draft, body));
    for (int d = 0; d < draft->unknowns; d++) {
        const tulle_quantity *force = &draft->problem->force[d];
        TULLE__TRY(tulle__quantity_of_cells(create, "force", draft->ctx, draft->mesh, force,
                                            &body->cells, tulle__quantity_per(force, points),
                                            &body->force[d]));
    }
    return TULLE_OK;
}

/* Unknowns of nodes that no cell has are given, as 0, before conditions are. */
static tulle_status draft_unknowns(tulle__elastic_draft *draft) {
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

static tulle_status draft_all(tulle__elastic_draft *draft) {
    static const tulle_shape shapes[] = {TULLE_TRIANGLE, TULLE_QUADRILATERAL, TULLE_TETRAHEDRON,
                                         TULLE_HEXAHEDRON};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        TULLE__TRY(draft_cells(draft, shapes[s]));
    }
    TULLE__TRY(draft_unknowns(draft));
    return tulle__elastic_conditions(draft);
}

static void free_draft(tulle__elastic_draft *draft) {
    for (int b = 0; b < draft->blocks; b++) {
        tulle__cell_quantity *all[TULLE__ELASTIC_QUANTITIES];
        tulle__elastic_quantities(&draft->body[b], all);
        tulle__host_free(draft->ctx, (void *)draft->body[b].cells.nodes);
        for (int i = 0; i < TULLE__ELASTIC_QUANTITIES; i++) {
            tulle__host_free(draft->ctx, (void *)all[i]->numbers);
        }
    }
    tulle__host_free(draft->ctx, draft->given);
    tulle__host_free(draft->ctx, draft->masked);
    tulle_mesh_destroy(draft->boundary);
}

/* A copy of an array of the host's. */
static tulle_status send(tulle_elasticity *E, const void *host, int64_t count, int64_t size,
                         void **array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    TULLE__TRY(tulle__alloc(E->ctx, bytes, array));
    E->arrays[E->array_count++] = *array;
    E->bytes += (int64_t)bytes;
    return tulle__copy_wait(E->ctx, *array, host, bytes);
}

static tulle_status send_quantities(tulle_elasticity *E, tulle__elastic *body) {
    tulle__cell_quantity *all[TULLE__ELASTIC_QUANTITIES];
    tulle__elastic_quantities(body, all);
    for (int i = 0; i < TULLE__ELASTIC_QUANTITIES; i++) {
        void *numbers = NULL;
        if (all[i]->per == 0) continue;
        TULLE__TRY(send(E, all[i]->numbers, body->cells.count,
                        all[i]->per * (int64_t)sizeof(double), &numbers));
        all[i]->numbers = numbers;
    }
    return TULLE_OK;
}

static tulle_status send_block(tulle_elasticity *E, const tulle__elastic *draft, int b) {
    tulle__elastic *body = &E->body[b];
    tulle__cells *cells = &body->cells;
    const int nodes = tulle__cell_nodes(draft->cells.shape);
    void *list = NULL;
    *body = *draft;
    cells->coordinates = E->coordinates;
    TULLE__TRY(send(E, draft->cells.nodes, cells->count, nodes * (int64_t)sizeof(int32_t), &list));
    cells->nodes = list;
    E->elements[b] =
        (tulle_elements){.count = cells->count, .nodes = nodes, .list = list, .index = TULLE_I32};
    return send_quantities(E, body);
}

/* The diagonal entries of rows that are given. */
static tulle_status send_scales(tulle_elasticity *E, const tulle__elastic_draft *draft,
                                tulle__scaling *s) {
    void *array = NULL;
    TULLE__TRY(tulle__scaling_open(s));
    for (int b = 0; b < draft->blocks; b++) {
        TULLE__TRY(tulle__scales_of_body(s, &draft->body[b]));
    }
    tulle__scaling_finish(s);
    TULLE__TRY(send(E, s->scales, s->rows, sizeof *E->scales, &array));
    E->scales = array;
    return TULLE_OK;
}

static tulle_status scale_given(tulle_elasticity *E, const tulle__elastic_draft *draft) {
    tulle__scaling s = {.ctx = E->ctx,
                        .mesh = draft->mesh,
                        .rows = E->nodes * E->unknowns,
                        .unknowns = E->unknowns,
                        .masked = draft->masked};
    if (E->given_count == 0) return TULLE_OK;
    const tulle_status status = send_scales(E, draft, &s);
    tulle__host_free(E->ctx, s.scales);
    return status;
}

static tulle_status send_all(tulle_elasticity *E, const tulle__elastic_draft *draft) {
    const tulle_mesh_arrays *a = &draft->mesh->arrays;
    void *coordinates = NULL, *given = NULL, *masked = NULL;
    E->nodes = a->node_count;
    E->unknowns = draft->unknowns;
    const int64_t unknowns = E->nodes * E->unknowns;
    for (int64_t i = 0; i < unknowns; i++) E->given_count += draft->masked[i];
    TULLE__TRY(
        send(E, a->coordinates, E->nodes, a->dimension * (int64_t)sizeof(double), &coordinates));
    E->coordinates = coordinates;
    TULLE__TRY(send(E, draft->given, unknowns, sizeof *E->given, &given));
    E->given = given;
    TULLE__TRY(send(E, draft->masked, unknowns, 1, &masked));
    E->masked = masked;
    TULLE__TRY(scale_given(E, draft));
    for (int b = 0; b < draft->blocks; b++) {
        TULLE__TRY(send_block(E, &draft->body[b], b));
        E->blocks = b + 1;
    }
    return TULLE_OK;
}

static tulle_status check_mesh(const tulle_mesh *mesh) {
    const int dimension = mesh->arrays.dimension;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) {
        const tulle_shape_info *shape = &tulle__shape_of(mesh->blocks[b].shape)->info;
        const bool known = shape->order == 1 && !tulle__is_tabulated(mesh->blocks[b].shape);
        if (mesh->info.cell_dimension > 1 && known) continue;
        return tulle__fail(TULLE_UNSUPPORTED, create, "mesh", -1,
                           "the mesh has elements that are a %s; cells are triangles, "
                           "quadrilaterals, tetrahedra or hexahedra of order 1",
                           shape->name);
    }
    if (mesh->arrays.block_count > 0 && mesh->info.cell_dimension != dimension) {
        return tulle__fail(TULLE_UNSUPPORTED, create, "mesh", -1,
                           "the mesh is a surface in space: a body has cells of as many "
                           "dimensions as coordinates, which are %d",
                           dimension);
    }
    if (mesh->info.nodes < INT32_MAX / dimension) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, create, "mesh", -1,
                       "%" PRId64 " nodes of %d unknowns: 32-bit rows end at 2147483647",
                       mesh->info.nodes, dimension);
}

static tulle_status check_problem(const tulle_elasticity_problem *problem) {
    if ((unsigned)problem->constants > TULLE_LAME) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, create, "problem", -1,
                           "problem.constants is %d; it must be one of tulle_elastic_constants",
                           (int)problem->constants);
    }
    if (problem->condition_count < 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, create, "problem", -1,
                           "problem.condition_count is less than 0");
    }
    if (problem->condition_count == 0 || problem->conditions) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, create, "problem", -1, "problem.conditions is NULL");
}

/* The draft's numbers and its mesh, in units of the mesh. */
static void change_units(const tulle__mesh_units *units, tulle__elastic_draft *draft,
                         tulle_elasticity *E) {
    const int64_t unknowns = units->mesh.info.nodes * draft->unknowns;
    draft->mesh = &units->mesh;
    for (int b = 0; b < draft->blocks; b++) {
        tulle__elastic *body = &draft->body[b];
        const int lengths = tulle__shape_of(body->cells.shape)->info.dimension;
        const int64_t count = body->cells.count;
        tulle__quantity_in_units(units, lengths - 2, count, &body->lambda, &E->most_matrix);
        tulle__quantity_in_units(units, lengths - 2, count, &body->mu, &E->most_matrix);
        tulle__quantity_in_units(units, lengths, count, &body->cells.c, &E->most_matrix);
        for (int d = 0; d < draft->unknowns; d++) {
            tulle__quantity_in_units(units, lengths, count, &body->force[d], &E->most_load);
        }
    }
    for (int64_t i = 0; i < unknowns; i++) {
        E->most_given = fmax(E->most_given, fabs(draft->given[i]));
    }
    E->most_load = fmax(E->most_load, E->most_matrix * E->most_given);
}

static tulle_status make(tulle_ctx *ctx, const tulle_mesh *mesh,
                         const tulle_elasticity_problem *problem, tulle_elasticity *E) {
    tulle__elastic_draft draft = {
        .ctx = ctx, .mesh = mesh, .problem = problem, .unknowns = mesh->arrays.dimension};
    tulle__mesh_units units = {.power = 0};
    tulle_status status = draft_all(&draft);
    if (status == TULLE_OK) status = tulle__mesh_units_open(ctx, mesh, &units);
    if (status == TULLE_OK) {
        change_units(&units, &draft, E);
        status = send_all(E, &draft);
    }
    tulle__mesh_units_close(ctx, &units);
    free_draft(&draft);
    return status;
}

tulle_status tulle_elasticity_create(tulle_ctx *ctx, const tulle_mesh *mesh,
                                     const tulle_elasticity_problem *problem,
                                     tulle_elasticity **E) {
    TULLE__NEED(E);
    *E = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    TULLE__NEED(problem);
    TULLE__TRY(check_problem(problem));
    TULLE__TRY(check_mesh(mesh));
    tulle_elasticity *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle__ctx_retain(ctx);
    made->ctx = ctx;
    const tulle_status status = make(ctx, mesh, problem, made);
    if (status != TULLE_OK) {
        tulle_elasticity_destroy(made);
        return status;
    }
    *E = made;
    return TULLE_OK;
}

void tulle_elasticity_destroy(tulle_elasticity *E) {
    if (!E) return;
    tulle_ctx *ctx = E->ctx;
    tulle__free(ctx, E->room.data);
    for (int i = E->array_count - 1; i >= 0; i--) tulle__free(ctx, E->arrays[i]);
    tulle__host_free(ctx, E);
    tulle__ctx_release(ctx);
}

tulle_status tulle_elasticity_describe(const tulle_elasticity *E, tulle_elasticity_info *info) {
    TULLE__NEED(E);
    TULLE__NEED(info);
    *info = (tulle_elasticity_info){.nodes = E->nodes,
                                    .unknowns = E->unknowns,
                                    .given = E->given_count,
                                    .blocks = E->blocks,
                                    .elements = E->elements,
                                    .masked = E->masked,
                                    .bytes = E->bytes};
    return TULLE_OK;
}
