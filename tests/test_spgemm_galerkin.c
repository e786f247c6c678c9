/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha P^T A P + beta D: against the definition in long double, against two products one after
 * the other, and what is left when it fails. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "making.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

/* C in full, by definition. */
typedef struct {
    int64_t m, *products, *added;
    long double *sum, *magnitude, largest; /* in P */
} dense_triple;

static dense_triple triple_of(const entries *a, const entries *p) {
    size_t places = (size_t)(p->cols * p->cols) + 1;
    dense_triple t = {.m = p->cols,
                      .products = calloc(places, sizeof *t.products),
                      .added = calloc(places, sizeof *t.added),
                      .sum = calloc(places, sizeof *t.sum),
                      .magnitude = calloc(places, sizeof *t.magnitude)};
    assert_true(t.products && t.added && t.sum && t.magnitude);
    entries right = entries_copy(p), left = entries_copy(p);
    entries_sort(&right);
    entries_sort(&left);
    int64_t *begin = entries_begins(&right);
    for (int64_t e = 0; e < a->nnz; e++) {
        for (int64_t f = begin[a->row[e]]; f < begin[a->row[e] + 1]; f++) {
            for (int64_t g = begin[a->col[e]]; g < begin[a->col[e] + 1]; g++) {
                int64_t at = left.col[f] * t.m + right.col[g];
                long double product = (long double)left.value[f] * (long double)a->value[e] *
                                      (long double)right.value[g];
                t.sum[at] += product;
                t.magnitude[at] += fabsl(product);
                t.products[at]++;
            }
        }
    }
    for (int64_t g = 0; g < p->nnz; g++) {
        long double size = fabsl((long double)p->value[g]);
        if (size > t.largest) t.largest = size;
    }
    free(begin);
    entries_free(&left);
    entries_free(&right);
    return t;
}

static void triple_scale_and_add(dense_triple *t, double alpha, const entries *d, double beta) {
    for (int64_t at = 0; at < t->m * t->m; at++) {
        t->sum[at] *= (long double)alpha;
        t->magnitude[at] *= fabsl((long double)alpha);
    }
    for (int64_t e = 0; d && e < d->nnz; e++) {
        int64_t at = d->row[e] * t->m + d->col[e];
        long double term = (long double)beta * (long double)d->value[e];
        t->sum[at] += term;
        t->magnitude[at] += fabsl(term);
        t->added[at]++;
    }
}

static void triple_free(dense_triple *t) {
    free(t->products);
    free(t->added);
    free(t->sum);
    free(t->magnitude);
}

static long double bound_at(const dense_triple *t, int64_t at, double alpha, tulle_type type,
                            bool plus) {
    long double unit = type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    long double tiny = type == TULLE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    int64_t most = t->products[at] + 2;
    if (plus) most = (most > t->added[at] ? most : t->added[at]) + 1;
    long double n = (long double)most;
    return n * unit / (1 - n * unit) * t->magnitude[at] +
           n * (1 + fabsl((long double)alpha)) * (1 + t->largest) * tiny;
}

/* Fails unless C is alpha P^T A P + beta D, its pattern exactly. */
static void check_triple(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *P, double alpha,
                         const tulle_mat *D, double beta, bool rising, const tulle_mat *C) {
    entries a = entries_read(ctx, A), p = entries_read(ctx, P), c = entries_read(ctx, C);
    entries d = {0};
    tulle_mat_info info;
    if (D) d = entries_read(ctx, D);
    must(tulle_mat_describe(C, &info));
    assert_int_equal(info.format, TULLE_CSR);
    dense_triple t = triple_of(&a, &p);
    triple_scale_and_add(&t, alpha, D ? &d : NULL, beta);
    assert_int_equal(c.rows, t.m);
    assert_int_equal(c.cols, t.m);
    int64_t wanted = 0;
    for (int64_t at = 0; at < t.m * t.m; at++) wanted += t.products[at] + t.added[at] > 0;
    assert_int_equal(c.nnz, wanted);
    for (int64_t e = 0; e < c.nnz; e++) {
        int64_t at = c.row[e] * t.m + c.col[e];
        bool same_row = e > 0 && c.row[e] == c.row[e - 1];
        if (rising && same_row) assert_true(c.col[e] > c.col[e - 1]);
        assert_true(t.products[at] + t.added[at] > 0);
        long double error = fabsl((long double)c.value[e] - t.sum[at]);
        if (!(error <= bound_at(&t, at, alpha, info.type, D != NULL))) {
            fail_msg("(%lld, %lld) is %.17g, should be %.17Lg", (long long)c.row[e],
                     (long long)c.col[e], c.value[e], t.sum[at]);
        }
        t.products[at] = t.added[at] = 0; /* once */
    }
    triple_free(&t);
    if (D) entries_free(&d);
    entries_free(&c);
    entries_free(&p);
    entries_free(&a);
}

/* The same bits as two products one after the other. */
static void check_two_calls(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *P, double alpha,
                            const tulle_spgemm_options *options, const tulle_mat *C) {
    tulle_mat *right = NULL, *both = NULL;
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, P, NULL, NULL, &right));
    must(tulle_spgemm(ctx, TULLE_T, TULLE_N, tulle_num(alpha), P, right, options, NULL, &both));
    entries one = entries_read(ctx, C), two = entries_read(ctx, both);
    if (options->unsorted) entries_sort(&one);
    if (options->unsorted) entries_sort(&two);
    entries_assert_same(&one, &two, "of two calls");
    entries_free(&one);
    entries_free(&two);
    tulle_mat_destroy(both);
    tulle_mat_destroy(right);
}

/* In CSR, and the same in the format. */
static tulle_mat *random_matrix(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz,
                                uint64_t seed, tulle_index index, tulle_type type) {
    entries e = entries_random(rows, cols, nnz, seed);
    tulle_mat *csr = entries_to_csr(ctx, &e, index, type);
    entries_free(&e);
    return csr;
}

static tulle_mat *in_format(tulle_ctx *ctx, const tulle_mat *csr, unsigned number) {
    tulle_mat_info info;
    tulle_mat *A = NULL;
    must(tulle_mat_describe(csr, &info));
    must(tulle_mat_convert(ctx, csr, (tulle_format)(number % TULLE_FORMAT_COUNT), info.index, 0,
                           &A));
    return A;
}

/* Columns in any order and repeated, of matrices in all formats and index types; with D and
 * without. Some columns of P are empty: 40 entries, 18 columns, the seeds say so. */
static void settings(tulle_ctx *ctx, const char *where) {
    static const double alphas[] = {1, -0.75, 0, 1e3};
    const unsigned count = is_slow(where) ? 4 : (unsigned)(12 * TULLE_FORMAT_COUNT);
    for (unsigned n = 0; n < count; n++) {
        unsigned i = n + 4 * (unsigned)turn_in_order(where, 3 * TULLE_FORMAT_COUNT);
        tulle_type type = i / 2 % 2 ? TULLE_F64 : TULLE_F32;
        tulle_index a_index = (tulle_index)(i % 3), p_index = (tulle_index)(i / 3 % 3);
        tulle_mat *a = random_matrix(ctx, 25, 25, 90, i, a_index, type);
        tulle_mat *p = random_matrix(ctx, 25, 18, 40, i + 1, p_index, type);
        tulle_mat *A = in_format(ctx, a, i), *P = in_format(ctx, p, i * 5 / 2), *D = NULL;
        if (i % 4 == 3) {
            D = random_matrix(ctx, 18, 18, 50, i + 2, (tulle_index)(i / 5 % 3), type);
        }
        tulle_spgemm_options options = {.unsorted = i % 5 == 0, .D = D, .beta = tulle_num(-2)};
        double alpha = alphas[i % 4];
        tulle_mat *C = NULL, *again = NULL;
        tulle_spgemm_report r;
        must(tulle_spgemm_galerkin(ctx, tulle_num(alpha), A, P, &options, &r, &C));
        must(tulle_spgemm_galerkin(ctx, tulle_num(alpha), A, P, &options, NULL, &again));
        check_triple(ctx, a, p, alpha, D, -2, !options.unsorted || D, C);
        check_two_calls(ctx, A, P, alpha, &options, C);
        entries one = entries_read(ctx, C), two = entries_read(ctx, again);
        if (!options.unsorted) entries_assert_same(&one, &two, "again");
        assert_int_equal(r.nnz, one.nnz);
        entries_free(&one);
        entries_free(&two);
        tulle_mat_destroy(again);
        tulle_mat_destroy(C);
        tulle_mat_destroy(D);
        tulle_mat_destroy(P);
        tulle_mat_destroy(A);
        tulle_mat_destroy(p);
        tulle_mat_destroy(a);
    }
}

static void test_settings(void **state) {
    (void)state;
    on_each_place(settings);
}

/* What it is for; and matrices without rows, columns, entries. */
static void shapes(tulle_ctx *ctx, const char *where) {
    static const char *const specs[][2] = {
        {"p3d7:4", "interp3:4"},          {"p3d7:3,5,4", "interp3:3,5,4"},
        {"random:9,9,3", "random:9,1,1"}, {"random:9,9,0", "random:9,4,2"},
        {"random:9,9,3", "random:9,4,0"}, {"random:9,9,3", "random:9,0,0"},
        {"random:0,0,0", "random:0,4,0"}, {"random:0,0,0", "random:0,0,0"},
    };
    (void)where;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        tulle_mat *A = making_generated(ctx, specs[i][0], 1, TULLE_F64), *C = NULL;
        tulle_mat *P = making_generated(ctx, specs[i][1], 1, TULLE_F64);
        must(tulle_spgemm_galerkin(ctx, tulle_num(1), A, P, NULL, NULL, &C));
        check_triple(ctx, A, P, 1, NULL, 0, true, C);
        tulle_mat_destroy(C);
        tulle_mat_destroy(P);
        tulle_mat_destroy(A);
    }
}

/* A forced kernel makes both products; that C may be unsorted says nothing of A P. */
static void with_kernel(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)where;
    (void)number;
    tulle_mat *A = making_generated(ctx, "random:70,70,8", 1, TULLE_F64), *C = NULL;
    tulle_mat *P = making_generated(ctx, "random:70,40,3", 1, TULLE_F64);
    const tulle_spgemm_options options = {.unsorted = true};
    tulle_spgemm_report r;
    must(tulle_spgemm_galerkin(ctx, tulle_num(-2), A, P, &options, &r, &C));
    assert_memory_equal(spec, r.kernel, strlen(r.kernel));
    check_triple(ctx, A, P, -2, NULL, 0, false, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
}

static void kernels(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 0, with_kernel);
}

/* P^T A P, of A and P. */
static tulle_status triple(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                           const tulle_index *index, tulle_mat **C) {
    (void)job;
    tulle_spgemm_options options = {.index_given = index != NULL};
    if (index) options.index = *index;
    return tulle_spgemm_galerkin(ctx, tulle_num(1), m[0], m[1], &options, NULL, C);
}

static void grid_and_interpolation(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    m[0] = making_generated(ctx, "p3d7:4", 1, TULLE_F64);
    m[1] = making_generated(ctx, "interp3:4", 1, TULLE_F64);
}

static const making coarse_grid = {.operands = grid_and_interpolation, .make = triple};

static void indices(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_indices(ctx, &coarse_grid);
}

static void assert_galerkin_fails(tulle_status got, tulle_status wanted, const char *argument,
                                  tulle_mat **C) {
    making_assert_fails(got, "tulle_spgemm_galerkin", wanted, argument, C);
}

static void arguments(tulle_ctx *ctx, const char *where) {
    tulle_ctx *other = place_elsewhere(where);
    if (!other) return;
    tulle_mat *A = making_generated(ctx, "p2d5:3", 1, TULLE_F64), *C = (tulle_mat *)1;
    tulle_mat *P = making_generated(ctx, "random:9,4,2", 1, TULLE_F64);
    tulle_mat *wide = making_generated(ctx, "random:9,8,2", 1, TULLE_F64);
    tulle_mat *f = making_generated(ctx, "random:9,4,2", 1, TULLE_F32);
    tulle_mat *far = making_generated(other, "random:9,4,2", 1, TULLE_F64);
    tulle_mat *far_a = making_generated(other, "p2d5:3", 1, TULLE_F64);
    tulle_scalar one = tulle_num(1), odd = tulle_at((const char *)&one + 1);
    tulle_spgemm_options options = {.D = P, .beta = one};
    assert_galerkin_fails(tulle_spgemm_galerkin(NULL, one, A, P, NULL, NULL, &C),
                          TULLE_INVALID_ARGUMENT, "ctx", &C);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, NULL, P, NULL, NULL, &C),
                          TULLE_INVALID_ARGUMENT, "A", &C);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, A, NULL, NULL, NULL, &C),
                          TULLE_INVALID_ARGUMENT, "P", &C);
    assert_int_equal(tulle_spgemm_galerkin(ctx, one, A, P, NULL, NULL, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, odd, A, P, NULL, NULL, &C),
                          TULLE_INVALID_ARGUMENT, "alpha", &C);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, wide, P, NULL, NULL, &C),
                          TULLE_SHAPE_MISMATCH, "A", &C);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, A, A, &options, NULL, &C),
                          TULLE_SHAPE_MISMATCH, "D", &C);
    tulle_mat *short_p = making_generated(ctx, "random:8,4,2", 1, TULLE_F64);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, A, short_p, NULL, NULL, &C),
                          TULLE_SHAPE_MISMATCH, "P", &C);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, A, f, NULL, NULL, &C),
                          TULLE_TYPE_MISMATCH, "P", &C);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, A, far, NULL, NULL, &C),
                          TULLE_SPACE_MISMATCH, "P", &C);
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, far_a, P, NULL, NULL, &C),
                          TULLE_SPACE_MISMATCH, "A", &C);
    tulle_spgemm_options bad = {.index_given = true, .index = (tulle_index)9};
    assert_galerkin_fails(tulle_spgemm_galerkin(ctx, one, A, P, &bad, NULL, &C),
                          TULLE_INVALID_ARGUMENT, "index", &C);
    tulle_mat_destroy(short_p);
    tulle_mat_destroy(far_a);
    tulle_mat_destroy(far);
    tulle_mat_destroy(f);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(other);
}

/* Both products are in the report; the peak stays below the bound; nothing but C is left. */
static void reports(tulle_ctx *ctx, const char *where) {
    static const char *const specs[][2] = {{"p3d7:6", "interp3:6"},
                                           {"rmat:6,8", "random:64,30,3"},
                                           {"dense_rows:40,3,2", "random:40,40,20"},
                                           {"random:40,40,0", "random:40,9,2"}};
    for (int i = 0; i < 12; i++) { /* on the emulator, each pair in one format */
        if (is_slow(where) && (i / 3 + i) % 3 != turn_of(where, 3)) continue;
        tulle_mat *A = making_generated(ctx, specs[i / 3][0], 1, TULLE_F32), *P = NULL, *C = NULL;
        tulle_mat *csr = making_generated(ctx, specs[i / 3][1], 1, TULLE_F32), *right = NULL,
                  *D = NULL;
        static const tulle_format formats[] = {TULLE_CSR, TULLE_COO, TULLE_CSC};
        tulle_memory_usage before, after;
        tulle_mat_info info;
        tulle_spgemm_report r, one, two;
        must(tulle_mat_convert(ctx, csr, formats[i % 3], (tulle_index)(i % 3), 0, &P));
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, P, NULL, &one, &right));
        must(tulle_spgemm(ctx, TULLE_T, TULLE_N, tulle_num(1), P, right, NULL, &two, &D));
        must(tulle_mat_describe(right, &info));
        int64_t least = info.pattern_bytes + info.value_bytes;
        tulle_mat_destroy(right);
        must(tulle_ctx_trim(ctx));
        must(tulle_ctx_memory(ctx, &before));
        tulle_spgemm_options options = {.D = i % 2 ? D : NULL, .beta = tulle_num(2)};
        must(tulle_spgemm_galerkin(ctx, tulle_num(1), A, P, &options, &r, &C));
        assert_int_equal(r.products, one.products + two.products);
        spgemm_check_report(ctx, &r, C, i % 2 == 1, least, &before);
        tulle_mat_destroy(C);
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        tulle_mat_destroy(D);
        tulle_mat_destroy(P);
        tulle_mat_destroy(csr);
        tulle_mat_destroy(A);
    }
}

/* Once for each phase of both products. */
static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_cancelling(ctx, &coarse_grid, 11);
}

static void dense_rows_and_coo(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    tulle_mat *csr = making_generated(ctx, "random:40,20,3", 1, TULLE_F64);
    m[0] = making_generated(ctx, "dense_rows:40,4,2", 1, TULLE_F64);
    must(tulle_mat_convert(ctx, csr, TULLE_COO, TULLE_I64, 0, &m[1]));
    tulle_mat_destroy(csr);
}

static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    making_check_running_out(where, &(making){.operands = dense_rows_and_coo, .make = triple}, 12);
}

ONCE_ON_EACH_PLACE(shapes)
ONCE_ON_EACH_PLACE(kernels)
ONCE_ON_EACH_PLACE(indices)
ONCE_ON_EACH_PLACE(arguments)
ONCE_ON_EACH_PLACE(reports)
ONCE_ON_EACH_PLACE(cancelling)
ONCE_ON_EACH_PLACE(running_out)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),   cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_kernels),    cmocka_unit_test(test_indices),
        cmocka_unit_test(test_arguments),  cmocka_unit_test(test_reports),
        cmocka_unit_test(test_cancelling), cmocka_unit_test(test_running_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
