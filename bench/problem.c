/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/problem.h"

#include <math.h>

#include "bench/operation.h"

tulle_status bench_problem_vectors(bench_problem *p, uint64_t seed) {
    tulle_status status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->x);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, p->info.rows, &p->y);
    return status == TULLE_OK ? tulle_vec_random(p->ctx, p->x, seed) : status;
}

void bench_problem_close(bench_problem *problem) {
    problem->operation->close(problem);
    tulle_vec_destroy(problem->x);
    tulle_vec_destroy(problem->y);
    bench_check_release(problem->check);
}

tulle_status bench_problem_poison(const bench_problem *problem) {
    return tulle_vec_fill(problem->ctx, problem->y, (double)NAN);
}

tulle_status bench_problem_fill_far(const bench_problem *problem) {
    const double far = 1e30; /* f32 has it, too */
    return tulle_vec_fill(problem->ctx, problem->y, far);
}

tulle_status bench_problem_error(const bench_problem *problem, double *units) {
    *units = (double)NAN;
    if (!problem->check) return TULLE_OK;
    return bench_check_compare(problem->ctx, problem->check, problem->y, units);
}
