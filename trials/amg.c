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
static tulle_status choose_method(const trial_problem *p, trial_amg *a) {
    tulle_facts facts;
    double norm = 0;
    tulle_status status = tulle_mat_facts(p->ctx, p->A, &facts);
    if (status == TULLE_OK) status = tulle_vec_norm2(p->ctx, p->x, tulle_to_num(&norm));
    if (status != TULLE_OK) return status;
    a->solve.method = facts.symmetric ? TULLE_CG : TULLE_FGMRES;
    a->solve.allowed = a->tolerance * norm;
    return TULLE_OK;
}

void trial_amg_begin(trial_problem *p, const trial_given *given, trial_amg *own) {
    *own = (trial_amg){
        .solve = {.evaluations = 1}, .tolerance = tolerances[given->type], .budget = given->budget};
    if (given->hierarchy) own->hierarchy = *given->hierarchy;
    p->own = own;
    p->whole = true;
}

tulle_status trial_amg_settle(trial_problem *p, const trial_given *given) {
    trial_amg *a = p->own;
    tulle_choice choice;
    a->bytes = p->info.pattern_bytes + p->info.value_bytes;
    tulle_status status = choose_method(p, a);
    if (status == TULLE_OK) status = tulle_spmv_describe(p->ctx, TULLE_N, p->A, true, &choice);
    if (status != TULLE_OK) return status;
    p->minimal_bytes = choice.minimal_bytes;
    return trial_solve_check_open(p, given);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    trial_amg *a = tool_alloc(1, sizeof *a);
    trial_amg_begin(p, given, a);
    a->handed = p->A;
    const tulle_status status = trial_problem_vectors(p, given->seed);
    return status == TULLE_OK ? trial_amg_settle(p, given) : status;
}

static void close_problem(trial_problem *p) {
    trial_amg *a = p->own;
    if (a) trial_solve_check_close(&a->solve);
    free(a);
}

tulle_status trial_amg_error(const trial_problem *p, void *state, double *units) {
    (void)state;
    return trial_solve_error(p, units);
}

const trial_key trial_amg_fields[] = {
    [TRIAL_AMG_SPLIT] = TRIAL_KEY_split_ms,
    [TRIAL_AMG_INTERPOLATION] = TRIAL_KEY_interpolation_ms,
    [TRIAL_AMG_PRODUCT] = TRIAL_KEY_galerkin_ms,
    [TRIAL_AMG_REST] = TRIAL_KEY_rest_ms,
    [TRIAL_AMG_UPDATE] = TRIAL_KEY_update_ms,
    [TRIAL_AMG_CYCLE] = TRIAL_KEY_cycle_ms,
    [TRIAL_AMG_ITERATIONS] = TRIAL_KEY_iterations,
    [TRIAL_AMG_LEVELS] = TRIAL_KEY_amg_levels,
    [TRIAL_AMG_OPERATOR] = TRIAL_KEY_operator_complexity,
    [TRIAL_AMG_GRID] = TRIAL_KEY_grid_complexity,
    [TRIAL_AMG_HELD] = TRIAL_KEY_held_of_matrix,
    [TRIAL_AMG_PEAK] = TRIAL_KEY_peak_of_matrix,
    [TRIAL_AMG_FACTOR] = TRIAL_KEY_convergence_factor,
    TRIAL_KEY_hierarchy,
    TRIAL_KEYS,
};

const trial_operation trial_operation_amg = {
    .name = "amg",
    .function = "tulle_amg_create",
    .formula = "A x = b by multigrid",
    .fields = trial_amg_fields,
    .warms_up = true,
    .hierarchy = true,
    .choose = as_it_is,
    .open = open_problem,
    .close = close_problem,
    .prepare = trial_amg_prepare,
    .run = trial_amg_run,
    .finish = trial_amg_finish,
    .reset = trial_problem_poison,
    .error = trial_amg_error,
};
