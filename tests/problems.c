/* SPDX-License-Identifier: Apache-2.0 */
#include "problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"

problem problem_of(tulle_ctx *ctx, host_system s, tulle_type type) {
    problem p = {.s = s, .A = system_mat(ctx, &s, type)};
    must(tulle_linop_from_mat(ctx, p.A, &p.L));
    p.b = system_vector(ctx, type, s.n, 1);
    p.x = system_vector(ctx, type, s.n, 2);
    return p;
}

problem problem_with_jacobi(tulle_ctx *ctx, host_system s, tulle_type type) {
    problem p = problem_of(ctx, s, type);
    must(tulle_linop_jacobi(ctx, p.L, &p.M));
    return p;
}

tulle_solver_report problem_solve(tulle_ctx *ctx, const problem *p, tulle_linop *M,
                                  const tulle_solver_options *o) {
    tulle_solver *S = NULL;
    tulle_solver_report r;
    must(tulle_solver_create(ctx, p->L, M, o, &S));
    must(tulle_solver_run(ctx, S, p->b, p->x, &r));
    tulle_solver_destroy(S);
    return r;
}

double *problem_x(tulle_ctx *ctx, const problem *p) {
    double *numbers = calloc((size_t)p->s.n, sizeof *numbers);
    assert_non_null(numbers);
    must(tulle_vec_read(ctx, p->x, numbers, 0));
    return numbers;
}

int problem_side(const char *where) {
    return is_slow(where) ? 6 : 30;
}

void problem_free(problem *p) {
    tulle_linop_destroy(p->L);
    tulle_linop_destroy(p->M);
    tulle_mat_destroy(p->A);
    tulle_vec_destroy(p->b);
    tulle_vec_destroy(p->x);
    system_free(&p->s);
}
