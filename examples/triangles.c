/* SPDX-License-Identifier: Apache-2.0 */
/* The number of triangles of a graph, from a file or a generator: a product with a mask. L is the
 * part of the adjacency matrix below the diagonal; entry (i, j) of (L L) on L is the number of
 * vertices between j and i that are neighbours of both i and j. Usage: example-triangles
 * [matrix.mtx or a generator such as rmat:12,8 [a place such as cpu:2]] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Makes every entry of a matrix 1: edges have no weight here. */
static void set_to_one(tulle_ctx *ctx, tulle_mat *A) {
    tulle_mat_info info;
    check(tulle_mat_describe(A, &info));
    double *ones = malloc(((size_t)info.nnz + 1) * sizeof *ones);
    if (!ones) exit(EXIT_FAILURE);
    for (int64_t e = 0; e < info.nnz; e++) ones[e] = 1;
    check(tulle_mat_set_values(ctx, A, info.nnz, ones));
    free(ones);
}

/* Returns the sum of a matrix's entries: that of the sums of its rows. */
static double sum_of(tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat_info info;
    tulle_vec *sums, *ones;
    double sum;
    check(tulle_mat_describe(A, &info));
    check(tulle_vec_create(ctx, TULLE_F64, info.rows, &sums));
    check(tulle_vec_create(ctx, TULLE_F64, info.rows, &ones));
    check(tulle_vec_fill(ctx, ones, 1));
    check(tulle_mat_sums(ctx, TULLE_N, A, TULLE_SUM_VALUES, sums));
    check(tulle_vec_dot(ctx, sums, ones, tulle_to_num(&sum)));
    tulle_vec_destroy(ones);
    tulle_vec_destroy(sums);
    return sum;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "rmat:12,8";
    const char *where = argc > 2 ? argv[2] : "auto";
    tulle_ctx *ctx;
    tulle_mat *A, *both, *L, *C;

    check(tulle_ctx_create(where, NULL, &ctx));
    get_matrix(ctx, name, &A);

    /* An edge may be stored in one direction alone. */
    check(tulle_add(ctx, TULLE_N, TULLE_T, tulle_num(1), A, tulle_num(1), A, NULL, NULL, &both));
    check(tulle_mat_part(ctx, both, TULLE_LOWER, -1, &L));
    set_to_one(ctx, L);

    const tulle_spgemm_options on_l = {.mask = L};
    check(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), L, L, &on_l, NULL, &C));
    printf("triangles: %.0f\n", sum_of(ctx, C));

    tulle_mat_destroy(C);
    tulle_mat_destroy(L);
    tulle_mat_destroy(both);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
