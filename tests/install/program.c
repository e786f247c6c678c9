/* SPDX-License-Identifier: Apache-2.0 */
/* A program of somebody else: it knows an installed tulle and nothing of its sources, and is built
 * as C and as C++. It multiplies, provokes an error, writes a file and reads it back. Argument: a
 * file name that it may use. */
#include <stdio.h>
#include <string.h>
#include <tulle/advanced.h>
#include <tulle/io.h>
#include <tulle/tulle.h>

enum { N = 5, NNZ = 13 };

static int failures;

static int check(int ok, const char *what) {
    if (!ok) fprintf(stderr, "%s failed: %s\n", what, tulle_last_error()->message);
    failures += !ok;
    return ok;
}

static tulle_mat *second_differences(tulle_ctx *ctx) {
    const int32_t offsets[N + 1] = {0, 2, 5, 8, 11, 13};
    const int32_t cols[NNZ] = {0, 1, 0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4};
    const double values[NNZ] = {2, -1, -1, 2, -1, -1, 2, -1, -1, 2, -1, -1, 2};
    tulle_mat *A = NULL;
    check(tulle_mat_create_csr(ctx, N, N, NNZ, TULLE_I32, offsets, cols, TULLE_F64, values, NULL,
                               &A) == TULLE_OK,
          "tulle_mat_create_csr");
    return A;
}

static void check_product(tulle_ctx *ctx, const tulle_mat *A) {
    double sums[N] = {0};
    tulle_vec *x = NULL, *y = NULL;
    check(tulle_vec_create(ctx, TULLE_F64, N, &x) == TULLE_OK &&
              tulle_vec_create(ctx, TULLE_F64, N, &y) == TULLE_OK &&
              tulle_vec_fill(ctx, x, 1.0) == TULLE_OK &&
              tulle_spmv(ctx, TULLE_N, tulle_num(1), A, x, tulle_num(0), y) == TULLE_OK &&
              tulle_vec_read(ctx, y, sums, 0) == TULLE_OK,
          "a product");
    for (int i = 0; i < N; i++) check(sums[i] == (i == 0 || i == N - 1), "a row sum");
    tulle_vec_destroy(y);
    tulle_vec_destroy(x);
}

static void check_file(tulle_ctx *ctx, const tulle_mat *A, const char *path) {
    double written[NNZ], values[NNZ] = {0};
    tulle_mat *B = NULL;
    check(tulle_mat_save(ctx, A, path, NULL) == TULLE_OK, "tulle_mat_save");
    check(tulle_mat_load(ctx, path, TULLE_F64, &B, NULL) == TULLE_OK, "tulle_mat_load");
    check(tulle_mat_read(ctx, A, NULL, NULL, NULL, written) == TULLE_OK, "tulle_mat_read");
    if (B) {
        check(tulle_mat_read(ctx, B, NULL, NULL, NULL, values) == TULLE_OK, "tulle_mat_read");
        check(memcmp(written, values, sizeof values) == 0, "what was written comes back");
    }
    tulle_mat_destroy(B);
}

static void check_place(const char *where, const char *path) {
    tulle_ctx *ctx = NULL;
    if (!check(tulle_ctx_create(where, NULL, &ctx) == TULLE_OK, where)) return;
    tulle_mat *A = second_differences(ctx);
    if (A) {
        check_product(ctx, A);
        check_file(ctx, A, path);
    }
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    check_place("cpu", argv[1]);
    /* The emulator is for tests and is not installed; who asks for it is told where it is. */
    tulle_ctx *ctx = NULL;
    check(tulle_ctx_create("emulated", NULL, &ctx) == TULLE_NO_DEVICE, "a place that is not there");
    check(strstr(tulle_last_error()->message, "make build") != NULL, "where the emulator is");
    check(tulle_ctx_create("nowhere", NULL, NULL) == TULLE_INVALID_ARGUMENT, "a refusal");
    check(tulle_kernel_count(TULLE_CPU) > 0, "the registry");

    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", TULLE_VERSION_MAJOR, TULLE_VERSION_MINOR,
             TULLE_VERSION_PATCH);
    check(strcmp(version, tulle_version()) == 0, "the version");
    printf("tulle %s (%s): %d failed\n", tulle_version(), tulle_commit(), failures);
    return failures != 0;
}
