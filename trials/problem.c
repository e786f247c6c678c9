/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/problem.h"

#include <math.h>

#include "trials/operation.h"

tulle_status trial_problem_vectors(trial_problem *p, uint64_t seed) {
    tulle_status status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->x);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->y);
    return status == TULLE_OK ? tulle_vec_random(p->ctx, p->x, seed) : status;
}

void trial_problem_close(trial_problem *problem) {
    problem->operation->close(problem);
    tulle_vec_destroy(problem->x);
    tulle_vec_destroy(problem->y);
    trial_check_release(problem->check);
}

tulle_status trial_problem_poison(const trial_problem *problem) {
    return tulle_vec_fill(problem->ctx, problem->y, (double)NAN);
}

tulle_status trial_problem_fill_far(const trial_problem *problem) {
    const double far = 1e30; /* f32 has it, too */
    return tulle_vec_fill(problem->ctx, problem->y, far);
}

tulle_status trial_problem_error(const trial_problem *problem, double *units) {
    *units = (double)NAN;
    if (!problem->check) return TULLE_OK;
    return trial_check_compare(problem->ctx, problem->check, problem->y, units);
}
