/* SPDX-License-Identifier: Apache-2.0 */
/* Pivots at the ends of the factors' type, by every kernel and in batches: what boost makes of one
 * whose limit vanishes in the type, and Inf, which is reported as zero and NaN are. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "factor_check.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/tulle.h"

enum { MOST = 2 * 8, CELLS = MOST * MOST };

/* Two block rows, of which every number is stored: s on the diagonal but for its last number, and
 * in the last row s in the first column, too. */
typedef struct {
    int block, n;
    tulle_type type; /* of A */
    tulle_factor_options options;
    double s;
} trial;

static bool narrow(const trial *t) {
    return t->type == TULLE_F32 || t->options.single;
}

static tulle_mat *matrix(tulle_ctx *ctx, const trial *t, double last) {
    int32_t offsets[MOST + 1], cols[CELLS];
    double wide[CELLS];
    float single[CELLS];
    const int n = t->n;
    for (int q = 0; q < n * n; q++) {
        const int i = q / n, j = q % n;
        cols[q] = j;
        wide[q] = i == j ? t->s : 0;
        if (i == n - 1 && j == 0) wide[q] = t->s;
        if (j == n - 1 && i == 0) wide[q] = t->options.kind == TULLE_CHOLESKY ? t->s : 0;
        if (q == n * n - 1) wide[q] = last;
        single[q] = (float)wide[q];
    }
    for (int i = 0; i <= n; i++) offsets[i] = i * n;
    tulle_mat *A = NULL, *B = NULL;
    must(tulle_mat_create_csr(ctx, n, n, n * n, TULLE_I32, offsets, cols, t->type,
                              t->type == TULLE_F32 ? (void *)single : (void *)wide, NULL, &A));
    if (t->block == 1) return A;
    const tulle_convert_options options = {.block = t->block};
    must(tulle_mat_convert_with(ctx, A, TULLE_BSR, TULLE_I32, &options, &B));
    tulle_mat_destroy(A);
    return B;
}

/* The last number of U's diagonal, or of L's. */
static double last_pivot(tulle_ctx *ctx, const trial *t, const tulle_factor *F) {
    const bool lu = t->options.kind == TULLE_LU;
    tulle_mat *out = NULL;
    must(tulle_factor_export(ctx, F, lu ? NULL : &out, lu ? &out : NULL));
    entries e = factor_entries(ctx, out);
    const double last = (double)e.value[e.nnz - 1];
    entries_free(&e);
    tulle_mat_destroy(out);
    return last;
}

/* The same factors as by the call, in a batch. */
static tulle_batch_report in_batch(tulle_ctx *ctx, tulle_factor *F, const tulle_mat *A) {
    const tulle_batch_report *reports = NULL;
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_factor(batch, F, A, NULL));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    must(tulle_batch_reports(ctx, batch, &reports));
    must(tulle_ctx_synchronize(ctx));
    const tulle_batch_report found = reports[0];
    tulle_batch_destroy(batch);
    return found;
}

static void check_boosted(tulle_ctx *ctx, const trial *t, const tulle_factor *F) {
    const double normal = narrow(t) ? (double)FLT_MIN : DBL_MIN;
    double want = t->options.kind == TULLE_LU ? normal : sqrt(normal);
    if (narrow(t)) want = (double)(float)want;
    tulle_factor_report report;
    must(tulle_factor_status(ctx, F, &report));
    assert_int_equal(report.bad, 0);
    assert_int_equal(report.tiny, 1);
    assert_int_equal(report.tiny_row, t->n - 1);
    assert_true(last_pivot(ctx, t, F) == want);
}

static void check_infinite(tulle_ctx *ctx, const trial *t, const tulle_factor *F) {
    tulle_factor_report report;
    must(tulle_factor_status(ctx, F, &report));
    assert_int_equal(report.bad, 1);
    assert_int_equal(report.bad_row, t->n - 1);
}

/* By the kernel that is forced, or the rule; whether it takes such factors. */
static bool try_once(tulle_ctx *ctx, const trial *t) {
    tulle_mat *zero = matrix(ctx, t, 0), *large = matrix(ctx, t, (double)INFINITY);
    tulle_factor *F = NULL, *G = NULL;
    const tulle_status status = tulle_factor_create(ctx, zero, &t->options, &F);
    if (status == TULLE_OK) {
        check_boosted(ctx, t, F);
        tulle_factor_options plain = t->options;
        plain.boost = false;
        plain.tiny = 0;
        assert_int_equal(tulle_factor_create(ctx, large, &plain, &G), TULLE_ZERO_PIVOT);
        assert_int_equal(tulle_last_error()->row, t->n - 1);
        /* what boosted pivots of that block row get is Inf, too */
        assert_int_equal(tulle_factor_create(ctx, large, &t->options, &G), TULLE_ZERO_PIVOT);
        assert_int_equal(tulle_last_error()->row / t->block, 1);
        assert_non_null(strstr(tulle_last_error()->message, "of which no pivot is a number"));
    } else {
        assert_int_equal(status, TULLE_UNSUPPORTED);
    }
    tulle_factor_destroy(F);
    tulle_mat_destroy(zero);
    tulle_mat_destroy(large);
    return status == TULLE_OK;
}

/* A's pattern with the values of the matrix that ends so. */
static tulle_mat *with_last(tulle_ctx *ctx, const trial *t, const tulle_mat *A, double last) {
    double values[CELLS];
    tulle_mat *other = matrix(ctx, t, last), *B = NULL;
    must(tulle_mat_read(ctx, other, NULL, NULL, NULL, values));
    must(tulle_mat_with_values(ctx, A, t->type, (int64_t)t->n * t->n, values, &B));
    tulle_mat_destroy(other);
    return B;
}

static void try_batch(tulle_ctx *ctx, const trial *t) {
    tulle_factor_options plain = t->options;
    plain.boost = false;
    plain.tiny = 0;
    tulle_mat *A = matrix(ctx, t, 2 * t->s);
    tulle_mat *zero = with_last(ctx, t, A, 0), *large = with_last(ctx, t, A, (double)INFINITY);
    tulle_factor *F = NULL, *G = NULL;
    must(tulle_factor_create(ctx, A, &t->options, &F));
    must(tulle_factor_create(ctx, A, &plain, &G));
    assert_int_equal(in_batch(ctx, F, zero).status, TULLE_OK);
    check_boosted(ctx, t, F);
    const tulle_batch_report found = in_batch(ctx, G, large);
    assert_int_equal(found.status, TULLE_ZERO_PIVOT);
    assert_int_equal(found.row, t->n - 1);
    check_infinite(ctx, t, G);
    must(tulle_factor_update(ctx, G, A));
    must(tulle_factor_update(ctx, G, large));
    check_infinite(ctx, t, G);
    tulle_factor_destroy(F);
    tulle_factor_destroy(G);
    tulle_mat_destroy(A);
    tulle_mat_destroy(zero);
    tulle_mat_destroy(large);
}

static void try_all(tulle_ctx *ctx, trial t) {
    tulle_device_info device;
    tulle_kernel_info kernel;
    must(tulle_ctx_device(ctx, &device));
    t.n = 2 * t.block;
    /* tiny times a row's largest number vanishes */
    t.options.tiny = narrow(&t) ? 1e-50 : 1e-200;
    t.options.boost = true;
    t.s = narrow(&t) ? 1 : 0x1p-664;
    assert_true(try_once(ctx, &t));
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        must(tulle_kernel_describe(device.backend, i, &kernel));
        if (strcmp(kernel.operation, "factor") != 0) continue;
        must(tulle_ctx_force_kernel(ctx, kernel.name));
        try_once(ctx, &t);
        must(tulle_ctx_force_kernel(ctx, NULL));
    }
    try_batch(ctx, &t);
}

static void ends(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int blocks[] = {1, 2, 3, 8};
    for (int k = 0; k < 4; k++) {
        for (int type = TULLE_F32; type <= TULLE_F64; type++) {
            try_all(ctx, (trial){.block = blocks[k], .type = (tulle_type)type});
        }
    }
    try_all(ctx, (trial){.block = 4, .type = TULLE_F64, .options = {.single = true}});
    try_all(ctx, (trial){.block = 1, .type = TULLE_F64, .options = {.single = true}});
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        try_all(ctx, (trial){.block = 1,
                             .type = (tulle_type)type,
                             .options = {.kind = TULLE_CHOLESKY, .fill = TULLE_FILL_ALL}});
    }
}
ONCE_ON_EACH_PLACE(ends)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
