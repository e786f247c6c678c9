/* SPDX-License-Identifier: Apache-2.0 */
/* y := A x with a matrix of one's own, on a GPU where there is one and on all cores elsewhere. */
#include <stdio.h>
#include <stdlib.h>
#include <tulle/tulle.h>

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

int main(void) {
    const int32_t offsets[] = {0, 2, 5, 7};
    const int32_t columns[] = {0, 1, 0, 1, 2, 1, 2};
    const double values[] = {2, -1, -1, 2, -1, -1, 2};
    double numbers[] = {1, 2, 4};

    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *x, *y;
    check(tulle_ctx_create("auto", NULL, &ctx));
    check(tulle_mat_create_csr(ctx, 3, 3, 7, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                               &A));
    check(tulle_vec_create(ctx, TULLE_F64, 3, &x));
    check(tulle_vec_create(ctx, TULLE_F64, 3, &y));

    check(tulle_vec_write(ctx, x, numbers, 0));
    check(tulle_spmv(ctx, TULLE_N, tulle_num(1), A, x, tulle_num(0), y));
    check(tulle_vec_read(ctx, y, numbers, 0));
    printf("%g %g %g\n", numbers[0], numbers[1], numbers[2]);

    tulle_vec_destroy(y);
    tulle_vec_destroy(x);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}
