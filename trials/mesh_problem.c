/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/mesh_problem.h"

tulle_status trial_mesh_problem_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                     const tulle_diffusion_problem *posed, trial_mesh_problem *p) {
    *p = (trial_mesh_problem){.ctx = ctx};
    const tulle_status status = tulle_diffusion_create(ctx, mesh, posed, &p->D);
    return status == TULLE_OK ? tulle_diffusion_describe(p->D, &p->info) : status;
}

void trial_mesh_problem_close(trial_mesh_problem *p) {
    tulle_assembly_destroy(p->S);
    tulle_diffusion_destroy(p->D);
    *p = (trial_mesh_problem){.ctx = NULL};
}

tulle_status trial_mesh_problem_pattern(trial_mesh_problem *p) {
    return tulle_diffusion_assembly(p->ctx, p->D, TULLE_CSR, &p->S);
}

tulle_status trial_mesh_problem_matrix(const trial_mesh_problem *p, tulle_type type,
                                       tulle_mat **A) {
    return tulle_assembly_matrix(p->ctx, p->S, type, A);
}

tulle_status trial_mesh_problem_values(const trial_mesh_problem *p, tulle_mat *A, tulle_vec *b) {
    tulle_status status = TULLE_OK;
    if (A) status = tulle_diffusion_values(p->ctx, p->D, p->S, A);
    if (b && status == TULLE_OK) status = tulle_diffusion_load(p->ctx, p->D, p->S, b);
    return status;
}

tulle_status trial_mesh_problem_assemble(const trial_mesh_problem *p, tulle_type type,
                                         tulle_mat **A) {
    const tulle_status status = trial_mesh_problem_matrix(p, type, A);
    return status == TULLE_OK ? trial_mesh_problem_values(p, *A, NULL) : status;
}
