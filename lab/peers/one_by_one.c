/* SPDX-License-Identifier: Apache-2.0 */
/* A uniform batch is compared with tulle's own solver, which solves one system after another, each
 * with new values for one matrix and with its preconditioner renewed. */
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "tools/common/error.h"
#include "trials/uniform.h"

typedef struct one_by_one {
    const trial_problem *problem;
    tulle_mat *A;
    tulle_factor *F; /* factors of the preconditioner, or NULL */
    tulle_linop *L, *M;
    tulle_solver *S;
    tulle_vec **b, **x; /* right-hand side and solution of each system, as parts of the problem's */
    const char *values;
    int64_t stride; /* bytes between the values of two systems */
} one_by_one;

static tulle_status available(char version[BENCH_VERSION]) {
    snprintf(version, BENCH_VERSION, "tulle %s", tulle_version());
    return TULLE_OK;
}

static void close(void *state) {
    one_by_one *t = state;
    const trial_uniform *u = t->problem->own;
    for (int64_t s = 0; s < u->systems; s++) {
        tulle_vec_destroy(t->b[s]);
        tulle_vec_destroy(t->x[s]);
    }
    tulle_solver_destroy(t->S);
    tulle_linop_destroy(t->M);
    tulle_linop_destroy(t->L);
    tulle_factor_destroy(t->F);
    tulle_mat_destroy(t->A);
    free(t->b);
    free(t->x);
    free(t);
}

static tulle_status wrap_all(const trial_problem *p, const tulle_vec *all, tulle_vec **parts) {
    const trial_uniform *u = p->own;
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(all, &info);
    const int64_t step = info.ld * tulle_type_size(info.type);
    for (int64_t s = 0; s < u->systems && status == TULLE_OK; s++) {
        status = tulle_vec_wrap(p->ctx, info.type, info.rows, 1, TULLE_COLUMN_MAJOR, 0,
                                (char *)info.data + s * step, parts + s);
    }
    return status;
}

static tulle_status make_preconditioner(one_by_one *t) {
    const trial_problem *p = t->problem;
    if (p->detail != TRIAL_UNIFORM_ILU) return tulle_linop_jacobi(p->ctx, t->L, &t->M);
    tulle_status status = tulle_factor_create(p->ctx, t->A, NULL, &t->F);
    if (status != TULLE_OK) return status;
    return tulle_linop_from_factor(p->ctx, t->F, p->info.type, &t->M);
}

static tulle_status make(one_by_one *t) {
    const trial_problem *p = t->problem;
    const trial_uniform *u = p->own;
    const tulle_solver_options options = {.method = trial_uniform_method(p->detail),
                                          .tolerance = trial_uniform_tolerance(p->info.type),
                                          .restart = TRIAL_UNIFORM_RESTART};
    tulle_vec_info values;
    tulle_status status = tulle_vec_describe(u->values, &values);
    if (status != TULLE_OK) return status;
    t->values = values.data;
    t->stride = values.ld * tulle_type_size(values.type);
    status = trial_problem_copy(p, &t->A);
    if (status == TULLE_OK) status = tulle_linop_from_mat(p->ctx, t->A, &t->L);
    if (status == TULLE_OK) status = make_preconditioner(t);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, t->L, t->M, &options, &t->S);
    if (status == TULLE_OK) status = wrap_all(p, p->x, t->b);
    return status == TULLE_OK ? wrap_all(p, p->y, t->x) : status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    const trial_uniform *u = problem->own;
    (void)peer;
    if (problem->detail == TRIAL_UNIFORM_SPMV || problem->block.layout != TULLE_COLUMN_MAJOR) {
        return tool_record(TULLE_UNSUPPORTED, "one by one: solutions, system by system in memory");
    }
    one_by_one *t = tool_alloc(1, sizeof *t);
    *t = (one_by_one){.problem = problem};
    t->b = tool_alloc((size_t)u->systems, sizeof(tulle_vec *));
    t->x = tool_alloc((size_t)u->systems, sizeof(tulle_vec *));
    for (int64_t s = 0; s < u->systems; s++) t->b[s] = t->x[s] = NULL;
    *task = (trial_task){.state = t, .threads = problem->device.threads};
    const tulle_status status = make(t);
    if (status != TULLE_OK) close(t);
    return status;
}

static tulle_status run(void *state) {
    const one_by_one *t = state;
    const trial_problem *p = t->problem;
    const trial_uniform *u = p->own;
    tulle_status status = TULLE_OK;
    for (int64_t s = 0; s < u->systems && status == TULLE_OK; s++) {
        status = tulle_mat_set_values(p->ctx, t->A, u->entries, t->values + s * t->stride);
        if (status == TULLE_OK && t->F) status = tulle_factor_update(p->ctx, t->F, t->A);
        if (status == TULLE_OK) status = tulle_linop_renew(p->ctx, t->M);
        if (status == TULLE_OK) status = tulle_solver_run(p->ctx, t->S, t->b[s], t->x[s], NULL);
    }
    return status;
}

#define PEER(peer_name, on_gpu)                                                                    \
    const bench_peer bench_peer_##peer_name = {                                                    \
        .name = #peer_name,                                                                        \
        .library = "tulle",                                                                        \
        .gpu = on_gpu,                                                                             \
        .op = "uniform",                                                                           \
        .available = available,                                                                    \
        .prepare = prepare,                                                                        \
        .run = run,                                                                                \
        .close = close,                                                                            \
    };

PEER(tulle_one_by_one, false)
PEER(tulle_one_by_one_gpu, true)
