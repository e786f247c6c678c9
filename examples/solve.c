/* SPDX-License-Identifier: Apache-2.0 */
/* A x = b in one call, A given by the caller's own arrays in CSR. Usage: example-solve [a place
 * such as cpu:2] */
#include <stdio.h>
#include <stdlib.h>
#include <tulle/tulle.h>

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

int main(int argc, char **argv) {
    const int32_t offsets[] = {0, 2, 5, 8, 10}, columns[] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    const double values[] = {2, -1, -1, 2, -1, -1, 2, -1, -1, 2};
    double numbers[] = {1, 0, 0, 1}; /* b, then x */
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *b, *x;
    tulle_solve_report report;

    check(tulle_ctx_create(argc > 1 ? argv[1] : "auto", NULL, &ctx));
    check(tulle_mat_create_csr(ctx, 4, 4, 10, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                               &A));
    check(tulle_vec_create(ctx, TULLE_F64, 4, &b));
    check(tulle_vec_create(ctx, TULLE_F64, 4, &x));
    check(tulle_vec_write(ctx, b, numbers, 0));

    check(tulle_solve(ctx, A, b, x, NULL, &report));
    check(tulle_vec_read(ctx, x, numbers, 0));
    printf("x = %g %g %g %g: %s, by %s with %s: %s\n", numbers[0], numbers[1], numbers[2],
           numbers[3], tulle_outcome_text(report.solver.outcome), tulle_method_name(report.method),
           report.precond, report.method_why);

    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return report.solver.outcome == TULLE_CONVERGED ? EXIT_SUCCESS : EXIT_FAILURE;
}
