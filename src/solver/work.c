/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that methods are made of, and the sums over processes. */
#include <math.h>

#include "comm/comm.h"
#include "solver/solver.h"

tulle_status tulle__solver_apply(tulle_solver *S, tulle_vec *x, tulle_vec *y) {
    const tulle_scalar unit = tulle_num(ldexp(1, S->units.A));
    return tulle__linop_run(S->ctx, S->A, TULLE_N, unit, x, tulle_num(0), y);
}

tulle_status tulle__solver_project(tulle_solver *S, tulle_vec *x) {
    if (!S->null_space) return TULLE_OK;
    tulle_vec along = *S->along;
    along.cols = x->cols;
    TULLE__TRY(tulle_vec_inner(S->ctx, tulle_num(1), S->null_space, x, tulle_num(0), &along));
    TULLE__TRY(tulle__solver_sum_all(S, along.data, (int)along.rows));
    return tulle_vec_combine(S->ctx, tulle_num(-1), S->null_space, &along, tulle_num(1), x);
}

tulle_status tulle__solver_precondition(tulle_solver *S, tulle_vec *x, tulle_vec *y) {
    if (S->M) {
        const tulle_scalar unit = tulle_num(ldexp(1, S->units.M));
        TULLE__TRY(tulle__linop_run(S->ctx, S->M, TULLE_N, unit, x, tulle_num(0), y));
    } else {
        TULLE__TRY(tulle__solver_copy(S, x, y));
    }
    return tulle__solver_project(S, y);
}

tulle_status tulle__solver_operator(tulle_solver *S, tulle_vec *x, tulle_vec *hat, tulle_vec *v) {
    if (!tulle__has_M(S)) return tulle__solver_apply(S, x, v);
    if (tulle__from_left(S)) {
        TULLE__TRY(tulle__solver_apply(S, x, hat));
        return tulle__solver_precondition(S, hat, v);
    }
    TULLE__TRY(tulle__solver_precondition(S, x, hat));
    return tulle__solver_apply(S, hat, v);
}

static double *sums_of(const tulle_solver *S, int i) {
    return S->sums + i * TULLE__STAGE_SUMS * S->places;
}

static const tulle__program programs[] = {TULLE__STAGES(TULLE__PROGRAM)};

static tulle_status take_room(tulle_solver *S, size_t numbers) {
    if (numbers <= S->room_numbers) return TULLE_OK;
    tulle__host_free(S->ctx, S->room);
    S->room = tulle__host_alloc(S->ctx, numbers * sizeof *S->room);
    S->room_numbers = S->room ? numbers : 0;
    return S->room ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__solver_sum(const tulle_solver *S, double *numbers, int count) {
    if (S->options.comm) return tulle__comm_sum_host(S->options.comm, numbers, count);
    const tulle_status status = S->options.sum(S->options.sum_user, numbers, count);
    if (status == TULLE_OK) return TULLE_OK;
    return tulle__fail(status, NULL, NULL, -1, "the caller's sum failed: %s",
                       tulle_status_text(status));
}

/* Joins the pieces' sums of stage i on the host. */
static tulle_status join_pieces(tulle_solver *S, int i, int count, double *sums) {
    const size_t numbers = (size_t)count * (size_t)S->pieces;
    TULLE__TRY(take_room(S, numbers));
    TULLE__TRY(tulle__copy_wait(S->ctx, S->room, sums_of(S, i), numbers * sizeof *S->room));
    for (int k = 0; k < count; k++) {
        sums[k] = 0;
        for (int64_t p = 0; p < S->pieces; p++) sums[k] += S->room[k * S->pieces + p];
    }
    return TULLE_OK;
}

/* Adds up over processes: by a communicator, whose gathered sums the stage that takes them adds up,
 * or on the host. */
static tulle_status sum_over_processes(tulle_solver *S, int i, int count) {
    double sums[TULLE__STAGE_SUMS];
    if (S->options.comm) {
        return tulle__comm_gather_there(S->options.comm, S->ctx, S->own_sums,
                                        TULLE__STAGE_SUMS * sizeof *S->own_sums, sums_of(S, i));
    }
    TULLE__TRY(join_pieces(S, i, count, sums));
    TULLE__TRY(tulle__solver_sum(S, sums, count));
    return tulle__copy_wait(S->ctx, sums_of(S, i), sums, (size_t)count * sizeof *sums);
}

static int64_t pieces_from(const tulle_solver *S) {
    if (!tulle__is_shared(S)) return S->pieces;
    return S->options.comm ? S->options.comm->functions.ranks : 1;
}

tulle_status tulle__solver_step(tulle_solver *S, tulle__stage_name name, tulle__step step,
                                const int *vectors) {
    const bool gathered = S->options.comm;
    tulle__stage stage = {.name = name,
                          .type = S->type,
                          .n = S->length,
                          .from = S->scalars->states + step.from,
                          .to = S->scalars->states + step.to,
                          .history = S->scalars->history,
                          .sums_from = step.came < 0 ? NULL : sums_of(S, step.came),
                          .pieces_from = pieces_from(S),
                          .sum_from = tulle__is_shared(S) ? 1 : S->pieces,
                          .piece_from = tulle__is_shared(S) ? TULLE__STAGE_SUMS : 1,
                          .sums_to = sums_of(S, step.goes),
                          .joined = gathered ? S->own_sums : NULL,
                          .arrived = gathered ? (int *)(S->own_sums + TULLE__STAGE_SUMS) : NULL,
                          .pieces = S->pieces,
                          .columns = S->columns,
                          .vector_step = S->length,
                          .scalars_step = (int64_t)sizeof *S->scalars,
                          .sums_step = tulle__solver_sums_step(S)};
    for (int v = 0; v < programs[name].vectors; v++) {
        stage.vectors[v] = S->vector[vectors[v]].data;
    }
    TULLE__TRY(S->ctx->backend->solver->stage(&S->ctx->place, &stage));
    if (!tulle__is_shared(S) || programs[name].sums == 0) return TULLE_OK;
    return sum_over_processes(S, step.goes, programs[name].sums);
}

tulle_status tulle__solver_stage(tulle_solver *S, tulle__stage_name name, int i, bool last,
                                 const int *vectors) {
    return tulle__solver_step(S, name, (tulle__step){i, last ? 0 : i + 1, i - 1, i}, vectors);
}

tulle_status tulle__solver_sums(tulle_solver *S, tulle__stage_name name, int i, double *sums) {
    const int count = programs[name].sums;
    if (!tulle__is_shared(S)) return join_pieces(S, i, count, sums);
    const int64_t ranks = pieces_from(S);
    const size_t numbers = ranks > 1 ? (size_t)ranks * TULLE__STAGE_SUMS : (size_t)count;
    TULLE__TRY(take_room(S, numbers));
    TULLE__TRY(tulle__copy_wait(S->ctx, S->room, sums_of(S, i), numbers * sizeof *S->room));
    for (int k = 0; k < count; k++) {
        sums[k] = 0;
        for (int64_t r = 0; r < ranks; r++) sums[k] += S->room[r * TULLE__STAGE_SUMS + k];
    }
    return TULLE_OK;
}

tulle_status tulle__solver_copy(tulle_solver *S, const tulle_vec *from, tulle_vec *to) {
    return tulle_vec_copy(S->ctx, from, to);
}

tulle_status tulle__solver_set_state(tulle_solver *S, const tulle__solve_state *state) {
    S->now = *state;
    return S->ctx->backend->solver->put_state(&S->ctx->place, S->scalars->states, state);
}

/* Adds up numbers in the place's memory over all processes: by way of host memory, where the
 * caller's sum works, or by a communicator; does nothing without either. */
tulle_status tulle__solver_sum_all(tulle_solver *S, void *numbers, int count) {
    tulle_comm *comm = S->options.comm;
    if (comm) return tulle__comm_sum(comm, S->ctx, S->type, numbers, numbers, count);
    if (!S->options.sum) return TULLE_OK;
    const size_t size = (size_t)tulle_type_size(S->type), bytes = (size_t)count * size;
    TULLE__TRY(take_room(S, (size_t)count));
    double *all = S->room;
    float *narrow = (float *)all;
    TULLE__TRY(tulle__copy_wait(S->ctx, all, numbers, bytes));
    for (int i = count; S->type == TULLE_F32 && i-- > 0;) all[i] = (double)narrow[i];
    TULLE__TRY(tulle__solver_sum(S, all, count));
    for (int i = 0; S->type == TULLE_F32 && i < count; i++) narrow[i] = (float)all[i];
    return tulle__copy_wait(S->ctx, numbers, all, bytes);
}

/* Replaces the norm over this process's rows by the norm over the rows of all processes, the root
 * of the sum of squares. If that sum may be beyond f64, the squares are instead those of each norm
 * over the sum of all norms. All processes see the same sums, and so take the same way. */
static tulle_status norm_of_all(tulle_solver *S, double *norm) {
    double square = *norm * *norm, all = *norm;
    TULLE__TRY(tulle__solver_sum(S, &square, 1));
    if (square > 1e-290 && square < INFINITY) {
        *norm = sqrt(square);
        return TULLE_OK;
    }
    TULLE__TRY(tulle__solver_sum(S, &all, 1));
    if (all == 0 || !tulle__is_number(all)) {
        *norm = all;
        return TULLE_OK;
    }
    square = *norm / all * (*norm / all);
    TULLE__TRY(tulle__solver_sum(S, &square, 1));
    *norm = all * sqrt(square);
    return TULLE_OK;
}

tulle_status tulle__solver_norm(tulle_solver *S, const tulle_vec *x, double *norm) {
    TULLE__TRY(tulle_vec_norm2(S->ctx, x, tulle_to_num(norm)));
    return tulle__is_shared(S) ? norm_of_all(S, norm) : TULLE_OK;
}

static tulle_status plain_residual(tulle_solver *S, tulle_vec *r) {
    TULLE__TRY(tulle__solver_copy(S, tulle__vector(S, TULLE__B), r));
    S->report.products++;
    const tulle_scalar minus = tulle_num(-ldexp(1, S->units.A));
    return tulle__linop_run(S->ctx, S->A, TULLE_N, minus, tulle__vector(S, TULLE__X), tulle_num(1),
                            r);
}

/* Computes the residual; in f32, by way of f64, whose norm counts. Where that is within the limit,
 * no method goes on from the residual, which is then not rounded to f32: a launch less at the end
 * of a solution. */
tulle_status tulle__solver_residual(tulle_solver *S, bool carefully, double *norm) {
    tulle_vec *r = tulle__vector(S, TULLE__R), *exact = S->exact ? S->exact : r;
    const bool by_M = tulle__has_M(S) && S->options.norm == TULLE_PRECONDITIONED_NORM;
    if (carefully) {
        S->report.products++;
        TULLE__TRY(tulle__linop_residual(S->ctx, S->A, ldexp(1, S->units.A),
                                         tulle__vector(S, TULLE__B), tulle__vector(S, TULLE__X), r,
                                         exact));
    } else {
        TULLE__TRY(plain_residual(S, r));
    }
    if (!by_M) TULLE__TRY(tulle__solver_norm(S, carefully ? exact : r, norm));
    const bool goes_on = by_M || !(*norm <= S->report.limit);
    if (carefully && S->exact && goes_on) TULLE__TRY(tulle_vec_copy(S->ctx, exact, r));
    if (!by_M) return TULLE_OK;
    S->report.preconditions += S->M != NULL;
    TULLE__TRY(tulle__solver_precondition(S, r, tulle__vector(S, TULLE__OWN)));
    return tulle__solver_norm(S, tulle__vector(S, TULLE__OWN), norm);
}

tulle_status tulle__solver_check(tulle_solver *S, double *norm) {
    TULLE__TRY(tulle__solver_project(S, tulle__vector(S, TULLE__X)));
    return tulle__solver_residual(S, true, norm);
}
