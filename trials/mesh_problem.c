/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/mesh_problem.h"

#include <stdlib.h>

#include "tools/common/error.h"

tulle_status trial_mesh_problem_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                     const tulle_diffusion_problem *posed, trial_mesh_problem *p) {
    *p = (trial_mesh_problem){.ctx = ctx};
    tulle_diffusion_info info;
    tulle_status status = tulle_diffusion_create(ctx, mesh, posed, &p->D);
    if (status == TULLE_OK) status = tulle_diffusion_describe(p->D, &info);
    if (status != TULLE_OK) return status;
    p->rows = info.nodes;
    p->unknowns = 1;
    p->given = info.given;
    p->masked = info.masked;
    p->blocks = info.blocks;
    p->elements = info.elements;
    p->row_of = info.rows;
    return TULLE_OK;
}

tulle_status trial_elastic_problem_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                        const tulle_elasticity_problem *posed,
                                        trial_mesh_problem *p) {
    *p = (trial_mesh_problem){.ctx = ctx};
    tulle_elasticity_info info;
    tulle_status status = tulle_elasticity_create(ctx, mesh, posed, &p->E);
    if (status == TULLE_OK) status = tulle_elasticity_describe(p->E, &info);
    if (status != TULLE_OK) return status;
    p->rows = info.nodes * info.unknowns;
    p->unknowns = info.unknowns;
    p->given = info.given;
    p->masked = info.masked;
    p->blocks = info.blocks;
    p->elements = info.elements;
    return TULLE_OK;
}

void trial_mesh_problem_close(trial_mesh_problem *p) {
    tulle_assembly_destroy(p->S);
    tulle_diffusion_destroy(p->D);
    tulle_elasticity_destroy(p->E);
    *p = (trial_mesh_problem){.ctx = NULL};
}

tulle_status trial_mesh_problem_pattern(trial_mesh_problem *p) {
    return p->E ? tulle_elasticity_assembly(p->ctx, p->E, TULLE_BSR, &p->S)
                : tulle_diffusion_assembly(p->ctx, p->D, TULLE_CSR, &p->S);
}

tulle_status trial_mesh_problem_matrix(const trial_mesh_problem *p, tulle_type type,
                                       tulle_mat **A) {
    return tulle_assembly_matrix(p->ctx, p->S, type, A);
}

tulle_status trial_mesh_nodes(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_type type,
                              tulle_vec **X) {
    tulle_mesh_arrays a;
    tulle_status status = tulle_mesh_view(mesh, &a);
    if (status != TULLE_OK) return status;
    const int64_t count = a.node_count * a.dimension;
    float *single = type == TULLE_F32 ? tool_alloc((size_t)count + 1, sizeof *single) : NULL;
    for (int64_t i = 0; i < count && single; i++) single[i] = (float)a.coordinates[i];
    status = tulle_vec_create_columns(ctx, type, a.node_count, a.dimension, TULLE_ROW_MAJOR, 0, X);
    if (status == TULLE_OK) {
        status = tulle_vec_write(ctx, *X, single ? (const void *)single : a.coordinates, 0);
    }
    free(single);
    return status;
}

tulle_status trial_mesh_problem_values(const trial_mesh_problem *p, tulle_mat *A, tulle_vec *b) {
    tulle_status status = TULLE_OK;
    if (A && p->E) status = tulle_elasticity_values(p->ctx, p->E, p->S, A);
    if (A && p->D) status = tulle_diffusion_values(p->ctx, p->D, p->S, A);
    if (!b || status != TULLE_OK) return status;
    return p->E ? tulle_elasticity_load(p->ctx, p->E, p->S, b)
                : tulle_diffusion_load(p->ctx, p->D, p->S, b);
}

tulle_status trial_mesh_problem_give(const trial_mesh_problem *p, tulle_vec *x) {
    return p->E ? tulle_elasticity_give(p->ctx, p->E, x) : tulle_diffusion_give(p->ctx, p->D, x);
}

tulle_status trial_mesh_problem_assemble(const trial_mesh_problem *p, tulle_type type,
                                         tulle_mat **A) {
    const tulle_status status = trial_mesh_problem_matrix(p, type, A);
    return status == TULLE_OK ? trial_mesh_problem_values(p, *A, NULL) : status;
}
