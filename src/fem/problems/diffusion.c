/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of diffusion: the quantities of cells, and which kernels compute their elements. */
#include "core/options.h"
#include "fem/problems/problem.h"

static tulle_status fill_quantity(const tulle__problem_draft *draft, const char *name,
                                  const tulle_quantity *given, const tulle__cells *cells,
                                  tulle__cell_quantity *to) {
    const int per = tulle__quantity_per(given, tulle__cell_points(cells->shape));
    return tulle__quantity_of_cells(draft, name, given, cells, per, to);
}

static tulle_status fill(const tulle__problem_draft *draft, tulle__body *body) {
    static const tulle_quantity one = {.number = 1};
    const tulle_diffusion_problem *p = draft->problem;
    tulle__cells *cells = &body->cells;
    cells->stiff = true;
    TULLE__TRY(fill_quantity(draft, "k", p->k ? p->k : &one, cells, &cells->k));
    TULLE__TRY(fill_quantity(draft, "c", &p->c, cells, &cells->c));
    return fill_quantity(draft, "f", &p->f, cells, &cells->f);
}

static tulle__condition condition(const tulle__problem_draft *draft, int64_t k) {
    const tulle_condition *c = &((const tulle_diffusion_problem *)draft->problem)->conditions[k];
    return (tulle__condition){
        .group = c->group, .kind = c->kind, .value = &c->value, .factor = &c->factor};
}

static tulle__cell_quantity *load(tulle__body *body, int axis) {
    (void)axis;
    return &body->cells.f;
}

static tulle_status matrices(const tulle__fem_functions *fem, const tulle__place *place,
                             tulle_type type, const tulle__body *body, void *K) {
    const int64_t nodes = tulle__cell_nodes(body->cells.shape);
    const tulle__matrices_job job = {.type = type,
                                     .cells = body->cells,
                                     .e_step = nodes * nodes,
                                     .i_step = nodes,
                                     .j_step = 1,
                                     .matrices = K};
    if (job.cells.table) return fem->tabulated_matrices(place, &job);
    return tulle__is_quadratic(job.cells.shape) ? fem->quadratic_matrices(place, &job)
                                                : fem->cell_matrices(place, &job);
}

static tulle_status loads(const tulle__fem_functions *fem, const tulle__place *place,
                          tulle_type type, const tulle__body *body, const double *given, void *F) {
    const tulle__loads_job job = {.type = type,
                                  .cells = body->cells,
                                  .given = given,
                                  .e_step = tulle__cell_nodes(body->cells.shape),
                                  .i_step = 1,
                                  .vectors = F};
    if (job.cells.table) return fem->tabulated_loads(place, &job);
    return tulle__is_quadratic(job.cells.shape) ? fem->quadratic_loads(place, &job)
                                                : fem->cell_loads(place, &job);
}

const tulle__problem_kind tulle__diffusion_kind = {
    .argument = "D",
    .create = "tulle_diffusion_create",
    .assembly = "tulle_diffusion_assembly",
    .matrix_numbers = "k, c and factors make the matrix",
    .load_numbers = "f, fluxes and given numbers make the right-hand side",
    .fill = fill,
    .condition = condition,
    .load = load,
    .matrices = matrices,
    .loads = loads};

tulle_status tulle_diffusion_create(tulle_ctx *ctx, const tulle_mesh *mesh,
                                    const tulle_diffusion_problem *problem, tulle_diffusion **D) {
    tulle__problem *made = NULL;
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
    if (mesh->info.cell_dimension <= 1 && mesh->info.cells > 0) {
        return tulle__fail(TULLE_UNSUPPORTED, __func__, "mesh", -1,
                           "cells are lines; they must have 2 or 3 dimensions");
    }
    tulle__problem_draft draft = {.kind = &tulle__diffusion_kind,
                                  .ctx = ctx,
                                  .mesh = mesh,
                                  .problem = problem,
                                  .condition_count = problem->condition_count,
                                  .period_count = problem->period_count,
                                  .periods = problem->periods,
                                  .unknowns = 1};
    TULLE__TRY(tulle__problem_create(&draft, &made));
    *D = (tulle_diffusion *)made;
    return TULLE_OK;
}

void tulle_diffusion_destroy(tulle_diffusion *D) {
    tulle__problem_destroy((tulle__problem *)D);
}

tulle_status tulle_diffusion_describe(const tulle_diffusion *D, tulle_diffusion_info *info) {
    TULLE__NEED(D);
    TULLE__NEED(info);
    *info = (tulle_diffusion_info){.nodes = D->own.nodes,
                                   .given = D->own.given,
                                   .rows = D->own.rows,
                                   .blocks = D->own.blocks,
                                   .elements = D->own.elements,
                                   .masked = D->own.masked,
                                   .bytes = D->own.bytes};
    return TULLE_OK;
}

tulle_status tulle_diffusion_assembly(tulle_ctx *ctx, const tulle_diffusion *D, tulle_format format,
                                      tulle_assembly **S) {
    TULLE__NEED(S);
    *S = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    return tulle__problem_assembly(__func__, ctx, &D->own, format, S);
}

tulle_status tulle_diffusion_matrices(tulle_ctx *ctx, const tulle_diffusion *D, int block,
                                      tulle_type type, void *K) {
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(K);
    return tulle__problem_matrices(__func__, ctx, &D->own, block, type, K);
}

tulle_status tulle_diffusion_values(tulle_ctx *ctx, tulle_diffusion *D, tulle_assembly *S,
                                    tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(S);
    TULLE__NEED(A);
    return tulle__problem_values(__func__, ctx, &D->own, S, A);
}

tulle_status tulle_diffusion_load(tulle_ctx *ctx, tulle_diffusion *D, tulle_assembly *S,
                                  tulle_vec *b) {
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(S);
    TULLE__NEED(b);
    return tulle__problem_load(__func__, ctx, &D->own, S, b);
}

tulle_status tulle_diffusion_give(tulle_ctx *ctx, const tulle_diffusion *D, tulle_vec *x) {
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(x);
    return tulle__problem_give(__func__, ctx, &D->own, x);
}

tulle_status tulle_diffusion_local_sized(tulle_ctx *ctx, tulle_diffusion *D,
                                         const tulle_local_options *options, size_t options_size,
                                         tulle_type type, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    tulle_local_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    return tulle__problem_local(__func__, ctx, &D->own, &own, type, L);
}
