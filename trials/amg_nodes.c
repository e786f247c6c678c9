/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid of nodes, as amg.c of rows: a linear elastic body on a mesh gives way under its weight.
 * Young's modulus is 1 and Poisson's ratio 0.3; the part of the boundary whose group has the lowest
 * number, x-min of a box, is held. A is in BSR, and the near null space has the rigid motions. */
#include <stdlib.h>

#include "tools/common/error.h"
#include "trials/amg.h"
#include "trials/amg_task.h"
#include "trials/mesh_problem.h"

typedef struct nodes {
    trial_amg amg; /* the first member */
    tulle_mat *A, *csr;
    tulle_vec *rigid;
} nodes;

/* Returns the name of the held part of the boundary; NULL, for all of the boundary, where no part
 * has a name. */
static const char *held_part(const tulle_mesh_arrays *mesh) {
    const tulle_mesh_group *lowest = NULL;
    for (int64_t g = 0; g < mesh->group_count; g++) {
        const tulle_mesh_group *group = &mesh->groups[g];
        if (group->dimension != mesh->dimension - 1) continue;
        if (!lowest || group->number < lowest->number) lowest = group;
    }
    return lowest ? lowest->name : NULL;
}

static tulle_status pose(tulle_ctx *ctx, const tulle_mesh *mesh, trial_mesh_problem *posed) {
    tulle_mesh_arrays a;
    tulle_status status = tulle_mesh_view(mesh, &a);
    if (status != TULLE_OK) return status;
    const tulle_elastic_condition held = {.kind = TULLE_DIRICHLET, .group = held_part(&a)};
    tulle_elasticity_problem body = {.first = {.number = 1},
                                     .second = {.number = 0.3},
                                     .condition_count = 1,
                                     .conditions = &held};
    body.force[a.dimension - 1].number = -1;
    status = trial_elastic_problem_open(ctx, mesh, &body, posed);
    return status == TULLE_OK ? trial_mesh_problem_pattern(posed) : status;
}

/* Makes A in both formats, and b, the problem's x. */
static tulle_status make_system(trial_problem *p, const trial_mesh_problem *posed,
                                const trial_given *given) {
    nodes *n = p->own;
    tulle_status status = trial_mesh_problem_matrix(posed, given->type, &n->A);
    if (status == TULLE_OK) status = tulle_mat_describe(n->A, &p->info);
    if (status == TULLE_OK) status = trial_problem_vectors(p, given->seed);
    if (status == TULLE_OK) status = trial_mesh_problem_values(posed, n->A, p->x);
    if (status != TULLE_OK) return status;
    p->A = n->A;
    return tulle_mat_convert(p->ctx, n->A, TULLE_CSR, p->info.index, 0, &n->csr);
}

static tulle_status make_rigid(const trial_problem *p, const tulle_mesh *mesh, int axes) {
    nodes *n = p->own;
    tulle_vec *X = NULL;
    tulle_status status = trial_mesh_nodes(p->ctx, mesh, p->info.type, &X);
    if (status == TULLE_OK) status = tulle_near_null_rigid(p->ctx, X, axes, &n->rigid);
    tulle_vec_destroy(X);
    n->amg.hierarchy.options.block = axes;
    n->amg.hierarchy.options.near_null = n->rigid;
    return status;
}

static tulle_status make_from_mesh(trial_problem *p, const trial_given *given) {
    tulle_mesh *mesh = NULL;
    trial_mesh_problem posed = {.ctx = p->ctx};
    tulle_status status = tulle_mesh_generate(p->ctx, given->mesh, &mesh);
    if (status == TULLE_OK) status = pose(p->ctx, mesh, &posed);
    if (status == TULLE_OK) status = make_system(p, &posed, given);
    if (status == TULLE_OK) status = make_rigid(p, mesh, (int)posed.unknowns);
    trial_mesh_problem_close(&posed);
    tulle_mesh_destroy(mesh);
    return status;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    nodes *n = tool_alloc(1, sizeof *n);
    trial_given checked = *given;
    *n = (nodes){.A = NULL};
    trial_amg_begin(p, given, &n->amg);
    const tulle_status status = make_from_mesh(p, given);
    if (status != TULLE_OK) return status;
    n->amg.handed = checked.csr = n->csr;
    return trial_amg_settle(p, &checked);
}

static void close_problem(trial_problem *p) {
    nodes *n = p->own;
    if (!n) return;
    trial_solve_check_close(&n->amg.solve);
    tulle_vec_destroy(n->rigid);
    tulle_mat_destroy(n->csr);
    tulle_mat_destroy(n->A);
    free(n);
}

const trial_operation trial_operation_amg_nodes = {
    .name = "amg_nodes",
    .function = "tulle_amg_create",
    .formula = "A x = b of elasticity by multigrid of nodes",
    .meshes = true,
    .fields = trial_amg_fields,
    .warms_up = true,
    .hierarchy = true,
    .open = open_problem,
    .close = close_problem,
    .prepare = trial_amg_prepare,
    .run = trial_amg_run,
    .finish = trial_amg_finish,
    .reset = trial_problem_poison,
    .error = trial_amg_error,
};
