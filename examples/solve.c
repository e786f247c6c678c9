/* SPDX-License-Identifier: Apache-2.0 */
/* A x = b in one call on the CPU: A, b and x are given by the caller's own arrays. Usage:
 * example-solve */
#include <stdio.h>
#include <stdlib.h>
#include <tulle/tulle.h>

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

int main(void) {
    const int32_t offsets[] = {0, 2, 5, 8, 10}, columns[] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3};
    const double values[] = {2, -1, -1, 2, -1, -1, 2, -1, -1, 2};
    double right[] = {1, 0, 0, 1}, left[4];
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *b, *x;
    tulle_solve_report report;

    check(tulle_ctx_create("cpu", NULL, &ctx));
    check(tulle_mat_create_csr(ctx, 4, 4, 10, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                               &A));
    check(tulle_vec_wrap(ctx, TULLE_F64, 4, 1, TULLE_COLUMN_MAJOR, 0, right, &b));
    check(tulle_vec_wrap(ctx, TULLE_F64, 4, 1, TULLE_COLUMN_MAJOR, 0, left, &x));
    check(tulle_solve(ctx, A, b, x, NULL, &report));
    printf("x = %g %g %g %g: %s, by %s with %s: %s\n", left[0], left[1], left[2], left[3],
           tulle_outcome_text(report.solver.outcome), tulle_method_name(report.method),
           report.precond, report.method_why);

    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return report.solver.outcome == TULLE_CONVERGED ? EXIT_SUCCESS : EXIT_FAILURE;
}
