/* SPDX-License-Identifier: Apache-2.0 */
/* Heat that flows through a plate whose conductivity changes with time, by implicit steps: each
 * step solves A x = b with BiCGStab and multigrid, whose hierarchy keeps its interpolation from
 * step to step. Usage: example-steps [a place such as cpu:2] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tulle/tulle.h>

enum { SIDE = 200, ROWS = SIDE * SIDE, STEPS = 5 };

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

/* Fills one row of A = I + 50 K, with K the 5-point stencil and a conductivity that waves. */
static int fill_row(int i, double time, int32_t *columns, double *values) {
    static const int across[] = {0, -1, 0, 1, 0}, down[] = {-1, 0, 0, 0, 1};
    const int x = i % SIDE, y = i / SIDE;
    const double conductivity = 50 * (1.5 + sin(0.1 * x + time));
    int count = 0;
    for (int k = 0; k < 5; k++) {
        const int to_x = x + across[k], to_y = y + down[k];
        if (to_x < 0 || to_x >= SIDE || to_y < 0 || to_y >= SIDE) continue;
        columns[count] = to_y * SIDE + to_x;
        values[count++] = k == 2 ? 1 + 4 * conductivity : -conductivity;
    }
    return count;
}

int main(int argc, char **argv) {
    int32_t *offsets = calloc(ROWS + 1, sizeof *offsets),
            *columns = malloc(5 * ROWS * sizeof *columns);
    double *values = malloc(5 * ROWS * sizeof *values);
    const tulle_solver_options options = {.method = TULLE_BICGSTAB, .guess = true};
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_linop *L, *M;
    tulle_solver *S;
    tulle_vec *x;
    tulle_solver_report report = {.outcome = TULLE_STOPPED};
    tulle_amg_info hierarchy;

    if (!offsets || !columns || !values) return EXIT_FAILURE;
    for (int i = 0; i < ROWS; i++) {
        offsets[i + 1] = offsets[i] + fill_row(i, 0, columns + offsets[i], values + offsets[i]);
    }
    check(tulle_ctx_create(argc > 1 ? argv[1] : "auto", NULL, &ctx));
    check(tulle_mat_create_csr(ctx, ROWS, ROWS, offsets[ROWS], TULLE_I32, offsets, columns,
                               TULLE_F64, values, NULL, &A));
    check(tulle_linop_from_mat(ctx, A, &L));
    check(tulle_amg_create(ctx, A, NULL, &M));
    check(tulle_amg_describe(M, &hierarchy));
    check(tulle_solver_create(ctx, L, M, &options, &S));
    check(tulle_vec_create(ctx, TULLE_F64, ROWS, &x));
    check(tulle_vec_fill(ctx, x, 1));
    printf("%d levels, made in %.0f ms\n", hierarchy.levels, hierarchy.setup_ms);

    for (int step = 1; step <= STEPS; step++) {
        for (int i = 0; i < ROWS; i++) {
            (void)fill_row(i, 0.2 * step, columns + offsets[i], values + offsets[i]);
        }
        check(tulle_mat_set_values(ctx, A, offsets[ROWS], values));
        check(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
        check(tulle_solver_run(ctx, S, x, x, &report)); /* the last x is b, and the guess */
        printf("step %d: %s after %d iterations\n", step, tulle_outcome_text(report.outcome),
               (int)report.iterations);
        if (report.outcome != TULLE_CONVERGED) break;
    }

    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    free(offsets);
    free(columns);
    free(values);
    return report.outcome == TULLE_CONVERGED ? EXIT_SUCCESS : EXIT_FAILURE;
}
