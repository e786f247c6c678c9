/* SPDX-License-Identifier: Apache-2.0 */
/* The largest eigenvalue of a symmetric matrix by power iteration: a file or a model problem, a
 * plan for the many products to come, and what tulle chose. Usage: example-power [matrix.mtx or a
 * generator such as p2d5:100 [a place such as cpu:2]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tulle/advanced.h>
#include <tulle/io.h>
#include <tulle/tulle.h>

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

static void get_matrix(tulle_ctx *ctx, const char *name, tulle_mat **A) {
    if (strstr(name, ".mtx"))
        check(tulle_mat_load(ctx, name, TULLE_F64, A, NULL));
    else
        check(tulle_generate(ctx, name, 1, TULLE_F64, A));
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "p2d5:50";
    const char *where = argc > 2 ? argv[2] : "auto";
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *x, *y;
    tulle_mat_info info;
    tulle_choice choice;

    check(tulle_ctx_create(where, NULL, &ctx));
    get_matrix(ctx, name, &A);
    check(tulle_mat_describe(A, &info));
    if (info.rows != info.cols) {
        fprintf(stderr, "%s is not square\n", name);
        return EXIT_FAILURE;
    }
    check(tulle_vec_create(ctx, TULLE_F64, info.rows, &x));
    check(tulle_vec_create(ctx, TULLE_F64, info.rows, &y));

    check(tulle_mat_optimize(ctx, TULLE_N, A, 1000));
    check(tulle_spmv_describe(ctx, TULLE_N, A, true, &choice));
    printf("%s %s (%s)\n", choice.kernel, choice.params, choice.by);

    check(tulle_vec_random(ctx, x, 1));
    double before = 0, value = 1;
    for (int step = 0; step < 1000 && fabs(value - before) > 1e-6 * value; step++) {
        before = value;
        check(tulle_spmv(ctx, TULLE_N, tulle_num(1), A, x, tulle_num(0), y));
        check(tulle_vec_norm2(ctx, y, tulle_to_num(&value)));
        check(tulle_vec_axpby(ctx, tulle_num(1 / value), y, tulle_num(0), x));
    }
    printf("largest eigenvalue, in magnitude: %.4f\n", value);

    tulle_vec_destroy(y);
    tulle_vec_destroy(x);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}
