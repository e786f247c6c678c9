/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid's hierarchy and the solution with it, by CG where A is symmetric, else by FGMRES,
 * which keeps what an M in f32 made of each direction.
 * Preparing is making the hierarchy and the solver; a call is a solution. */
#include "trials/amg.h"

#include <stdlib.h>

#include "tools/common/error.h"
#include "trials/amg_task.h"

/* Tulle's default tolerances. */
static const double tolerances[] = {[TULLE_F32] = 1e-5, [TULLE_F64] = 1e-8};

static tulle_status as_it_is(tulle_ctx *ctx, tulle_mat *A, tulle_mat **B) {
    tulle_mat_info info;
    const tulle_status status = tulle_mat_describe(A, &info);
    return status == TULLE_OK ? tulle_mat_convert(ctx, A, TULLE_CSR, info.index, 0, B) : status;
}

/* Chooses the method, and finds the largest norm of the residual that is allowed. */
static tulle_status settle(const trial_problem *p, trial_amg *a) {
    tulle_facts facts;
    double norm = 0;
    tulle_status status = tulle_mat_facts(p->ctx, p->A, &facts);
    if (status == TULLE_OK) status = tulle_vec_norm2(p->ctx, p->x, tulle_to_num(&norm));
    if (status != TULLE_OK) return status;
    a->solve.method = facts.symmetric ? TULLE_CG : TULLE_FGMRES;
    a->solve.allowed = a->tolerance * norm;
    return TULLE_OK;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    trial_amg *a = tool_alloc(1, sizeof *a);
    *a = (trial_amg){.solve = {.evaluations = 1},
                     .tolerance = tolerances[p->info.type],
                     .bytes = p->info.pattern_bytes + p->info.value_bytes,
                     .budget = given->budget};
    if (given->hierarchy) a->hierarchy = *given->hierarchy;
    p->own = a;
    p->whole = true;
    tulle_choice choice;
    tulle_status status = trial_problem_vectors(p, given->seed);
    if (status == TULLE_OK) status = settle(p, a);
    if (status == TULLE_OK) status = tulle_spmv_describe(p->ctx, TULLE_N, p->A, true, &choice);
    if (status != TULLE_OK) return status;
    p->minimal_bytes = choice.minimal_bytes;
    return trial_solve_check_open(p, given);
}

static void close_problem(trial_problem *p) {
    trial_amg *a = p->own;
    if (a) trial_solve_check_close(&a->solve);
    free(a);
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    return trial_solve_error(p, units);
}

static const trial_figure figures[] = {
    [TRIAL_AMG_SPLIT] = {"split_ms", "split", TRIAL_MS},
    [TRIAL_AMG_INTERPOLATION] = {"interpolation_ms", "interpolation", TRIAL_MS},
    [TRIAL_AMG_PRODUCT] = {"galerkin_ms", "R A P", TRIAL_MS},
    [TRIAL_AMG_REST] = {"rest_ms", "rest", TRIAL_MS},
    [TRIAL_AMG_UPDATE] = {"update_ms", "update", TRIAL_MS},
    [TRIAL_AMG_CYCLE] = {"cycle_ms", "cycle", TRIAL_MS},
    [TRIAL_AMG_ITERATIONS] = {"iterations", "iterations", TRIAL_COUNT},
    [TRIAL_AMG_LEVELS] = {"amg_levels", "levels", TRIAL_COUNT},
    [TRIAL_AMG_OPERATOR] = {"operator_complexity", "entries/A", TRIAL_RATIO},
    [TRIAL_AMG_GRID] = {"grid_complexity", "rows/A", TRIAL_RATIO},
    [TRIAL_AMG_HELD] = {"held_of_matrix", "held/A", TRIAL_RATIO},
    [TRIAL_AMG_PEAK] = {"peak_of_matrix", "peak/A", TRIAL_RATIO},
    [TRIAL_AMG_FACTOR] = {"convergence_factor", "factor", TRIAL_RATIO},
    {NULL, NULL, TRIAL_MS},
};

const trial_operation trial_operation_amg = {
    .name = "amg",
    .function = "tulle_amg_create",
    .formula = "A x = b by multigrid",
    .figures = figures,
    .parts = "hierarchy",
    .warms_up = true,
    .hierarchy = true,
    .choose = as_it_is,
    .open = open_problem,
    .close = close_problem,
    .prepare = trial_amg_prepare,
    .run = trial_amg_run,
    .finish = trial_amg_finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
