/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of elasticity: as many unknowns a node as dimensions, and which kernels compute their
 * elements. */
#include <inttypes.h>

#include "core/options.h"
#include "fem/problems/problem.h"

static tulle_status fill(const tulle__problem_draft *draft, tulle__body *body) {
    const tulle_elasticity_problem *p = draft->problem;
    TULLE__TRY(tulle__elastic_constants(draft, body));
    for (int d = 0; d < draft->unknowns; d++) {
        const int per = tulle__quantity_per(&p->force[d], tulle__cell_nodes(body->cells.shape));
        TULLE__TRY(tulle__quantity_of_cells(draft, "force", &p->force[d], &body->cells, per,
                                            &body->force[d]));
    }
    return TULLE_OK;
}

static tulle__condition condition(const tulle__problem_draft *draft, int64_t k) {
    const tulle_elasticity_problem *p = draft->problem;
    const tulle_elastic_condition *c = &p->conditions[k];
    return (tulle__condition){.group = c->group,
                              .kind = c->kind,
                              .value = c->value,
                              .free = c->free,
                              .factor = &c->factor};
}

static tulle__cell_quantity *load(tulle__body *body, int axis) {
    return &body->force[axis];
}

static tulle_status matrices(const tulle__fem_functions *fem, const tulle__place *place,
                             tulle_type type, const tulle__body *body, void *K) {
    const tulle__elastic_matrices_job job = {.type = type, .body = *body, .matrices = K};
    return fem->elastic_matrices(place, &job);
}

static tulle_status loads(const tulle__fem_functions *fem, const tulle__place *place,
                          tulle_type type, const tulle__body *body, const double *given, void *F) {
    const tulle__elastic_loads_job job = {
        .type = type, .body = *body, .given = given, .vectors = F};
    return fem->elastic_loads(place, &job);
}

const tulle__problem_kind tulle__elasticity_kind = {
    .argument = "E",
    .create = "tulle_elasticity_create",
    .assembly = "tulle_elasticity_assembly",
    .matrix_numbers = "the material and factors make the matrix",
    .load_numbers = "forces, tractions and given numbers make the right-hand side",
    .fill = fill,
    .condition = condition,
    .load = load,
    .matrices = matrices,
    .loads = loads};

static const char create[] = "tulle_elasticity_create";

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

tulle_status tulle_elasticity_create(tulle_ctx *ctx, const tulle_mesh *mesh,
                                     const tulle_elasticity_problem *problem,
                                     tulle_elasticity **E) {
    tulle__problem *made = NULL;
    TULLE__NEED(E);
    *E = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    TULLE__NEED(problem);
    TULLE__TRY(check_problem(problem));
    TULLE__TRY(check_mesh(mesh));
    tulle__problem_draft draft = {.kind = &tulle__elasticity_kind,
                                  .ctx = ctx,
                                  .mesh = mesh,
                                  .problem = problem,
                                  .condition_count = problem->condition_count,
                                  .unknowns = mesh->arrays.dimension};
    TULLE__TRY(tulle__problem_create(&draft, &made));
    *E = (tulle_elasticity *)made;
    return TULLE_OK;
}

void tulle_elasticity_destroy(tulle_elasticity *E) {
    tulle__problem_destroy((tulle__problem *)E);
}

tulle_status tulle_elasticity_describe(const tulle_elasticity *E, tulle_elasticity_info *info) {
    TULLE__NEED(E);
    TULLE__NEED(info);
    *info = (tulle_elasticity_info){.nodes = E->own.nodes,
                                    .unknowns = E->own.unknowns,
                                    .given = E->own.given,
                                    .blocks = E->own.blocks,
                                    .elements = E->own.elements,
                                    .masked = E->own.masked,
                                    .bytes = E->own.bytes};
    return TULLE_OK;
}

tulle_status tulle_elasticity_assembly(tulle_ctx *ctx, const tulle_elasticity *E,
                                       tulle_format format, tulle_assembly **S) {
    TULLE__NEED(S);
    *S = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    return tulle__problem_assembly(__func__, ctx, &E->own, format, S);
}

tulle_status tulle_elasticity_matrices(tulle_ctx *ctx, const tulle_elasticity *E, int block,
                                       tulle_type type, void *K) {
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__NEED(K);
    return tulle__problem_matrices(__func__, ctx, &E->own, block, type, K);
}

tulle_status tulle_elasticity_values(tulle_ctx *ctx, tulle_elasticity *E, tulle_assembly *S,
                                     tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__NEED(S);
    TULLE__NEED(A);
    return tulle__problem_values(__func__, ctx, &E->own, S, A);
}

tulle_status tulle_elasticity_load(tulle_ctx *ctx, tulle_elasticity *E, tulle_assembly *S,
                                   tulle_vec *b) {
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__NEED(S);
    TULLE__NEED(b);
    return tulle__problem_load(__func__, ctx, &E->own, S, b);
}

tulle_status tulle_elasticity_give(tulle_ctx *ctx, const tulle_elasticity *E, tulle_vec *x) {
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    TULLE__NEED(x);
    return tulle__problem_give(__func__, ctx, &E->own, x);
}

tulle_status tulle_elasticity_local_sized(tulle_ctx *ctx, tulle_elasticity *E,
                                          const tulle_local_options *options, size_t options_size,
                                          tulle_type type, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(E);
    tulle_local_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    return tulle__problem_local(__func__, ctx, &E->own, &own, type, L);
}
