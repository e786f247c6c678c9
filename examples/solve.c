/* SPDX-License-Identifier: Apache-2.0 */
/* A Poisson problem, from its generator to its solution: conjugate gradients with Jacobi's
 * preconditioner. Usage: example-solve [a place such as cpu:2] */
#include <stdio.h>
#include <stdlib.h>
#include <tulle/tulle.h>

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_mat_info grid;
    tulle_linop *L, *M;
    tulle_solver *S;
    tulle_vec *b, *x;
    tulle_solver_report report;
    const tulle_solver_options options = {.method = TULLE_CG, .tolerance = 1e-10};

    check(tulle_ctx_create(argc > 1 ? argv[1] : "auto", NULL, &ctx));
    check(tulle_generate(ctx, "p3d7:30", 1, TULLE_F64, &A));
    check(tulle_mat_describe(A, &grid));
    check(tulle_linop_from_mat(ctx, A, &L));
    check(tulle_linop_jacobi(ctx, L, &M));
    check(tulle_vec_create(ctx, TULLE_F64, grid.rows, &b));
    check(tulle_vec_create(ctx, TULLE_F64, grid.rows, &x));
    check(tulle_vec_fill(ctx, b, 1));

    check(tulle_solver_create(ctx, L, M, &options, &S));
    check(tulle_solver_run(ctx, S, b, x, &report));
    printf("%s: %lld iterations, |b - A x| = %.1e\n", tulle_outcome_text(report.outcome),
           (long long)report.iterations, report.norm);

    tulle_solver_destroy(S);
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return report.outcome == TULLE_CONVERGED ? EXIT_SUCCESS : EXIT_FAILURE;
}
