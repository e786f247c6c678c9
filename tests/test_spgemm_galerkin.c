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

#include "counting.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

static tulle_mat *generated(tulle_ctx *ctx, const char *spec, tulle_type type) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, 1, type, &A));
    return A;
}

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
        tulle_type type = (tulle_type)(i / 2 % 2);
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
        tulle_mat *A = generated(ctx, specs[i][0], TULLE_F64), *C = NULL;
        tulle_mat *P = generated(ctx, specs[i][1], TULLE_F64);
        must(tulle_spgemm_galerkin(ctx, tulle_num(1), A, P, NULL, NULL, &C));
        check_triple(ctx, A, P, 1, NULL, 0, true, C);
        tulle_mat_destroy(C);
        tulle_mat_destroy(P);
        tulle_mat_destroy(A);
    }
}

static void test_shapes(void **state) {
    (void)state;
    once_on_each_place(shapes);
}

/* A forced kernel makes both products; that C may be unsorted says nothing of A P. */
static void with_kernel(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)where;
    (void)number;
    tulle_mat *A = generated(ctx, "random:70,70,8", TULLE_F64), *C = NULL;
    tulle_mat *P = generated(ctx, "random:70,40,3", TULLE_F64);
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

static void test_kernels(void **state) {
    (void)state;
    once_on_each_place(kernels);
}

/* C as tulle_spgemm describes it, in each index type that was asked for. */
static void indices(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = generated(ctx, "p3d7:4", TULLE_F64), *P = generated(ctx, "interp3:4", TULLE_F64);
    tulle_mat *plain = NULL;
    must(tulle_spgemm_galerkin(ctx, tulle_num(1), A, P, NULL, NULL, &plain));
    entries want = entries_read(ctx, plain);
    for (int index = 0; index < 3; index++) {
        tulle_spgemm_options options = {.index_given = true, .index = (tulle_index)index};
        tulle_mat *C = NULL, *wide = NULL;
        tulle_mat_info info;
        must(tulle_mat_convert(ctx, index ? A : P, TULLE_CSR, (tulle_index)(2 - index), 0, &wide));
        const tulle_mat *a = index ? wide : A, *p = index ? P : wide;
        must(tulle_spgemm_galerkin(ctx, tulle_num(1), a, p, &options, NULL, &C));
        entries_check(ctx, C, &want, TULLE_CSR, (tulle_index)index, TULLE_F64, "given");
        tulle_mat_destroy(C);
        must(tulle_spgemm_galerkin(ctx, tulle_num(1), a, p, NULL, NULL, &C));
        must(tulle_mat_describe(C, &info));
        assert_int_equal(info.index, 2 - index);
        entries_check(ctx, C, &want, TULLE_CSR, info.index, TULLE_F64, "not given");
        tulle_mat_destroy(C);
        tulle_mat_destroy(wide);
    }
    entries_free(&want);
    tulle_mat_destroy(plain);
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
}

static void test_indices(void **state) {
    (void)state;
    once_on_each_place(indices);
}

static void assert_fails(tulle_status got, tulle_status wanted, const char *argument,
                         tulle_mat **C) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->function, "tulle_spgemm_galerkin");
    assert_string_equal(tulle_last_error()->argument, argument);
    assert_null(*C);
    *C = (tulle_mat *)1;
}

static void arguments(tulle_ctx *ctx, const char *where) {
    tulle_ctx *other = NULL;
    must(tulle_ctx_create(strncmp(where, "cpu", 3) == 0 ? "emulated" : "cpu", NULL, &other));
    tulle_mat *A = generated(ctx, "p2d5:3", TULLE_F64), *C = (tulle_mat *)1;
    tulle_mat *P = generated(ctx, "random:9,4,2", TULLE_F64);
    tulle_mat *wide = generated(ctx, "random:9,8,2", TULLE_F64);
    tulle_mat *f = generated(ctx, "random:9,4,2", TULLE_F32);
    tulle_mat *far = generated(other, "random:9,4,2", TULLE_F64);
    tulle_mat *far_a = generated(other, "p2d5:3", TULLE_F64);
    tulle_scalar one = tulle_num(1), odd = tulle_at((const char *)&one + 1);
    tulle_spgemm_options options = {.D = P, .beta = one};
    assert_fails(tulle_spgemm_galerkin(NULL, one, A, P, NULL, NULL, &C), TULLE_INVALID_ARGUMENT,
                 "ctx", &C);
    assert_fails(tulle_spgemm_galerkin(ctx, one, NULL, P, NULL, NULL, &C), TULLE_INVALID_ARGUMENT,
                 "A", &C);
    assert_fails(tulle_spgemm_galerkin(ctx, one, A, NULL, NULL, NULL, &C), TULLE_INVALID_ARGUMENT,
                 "P", &C);
    assert_int_equal(tulle_spgemm_galerkin(ctx, one, A, P, NULL, NULL, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_fails(tulle_spgemm_galerkin(ctx, odd, A, P, NULL, NULL, &C), TULLE_INVALID_ARGUMENT,
                 "alpha", &C);
    assert_fails(tulle_spgemm_galerkin(ctx, one, wide, P, NULL, NULL, &C), TULLE_SHAPE_MISMATCH,
                 "A", &C);
    assert_fails(tulle_spgemm_galerkin(ctx, one, A, A, &options, NULL, &C), TULLE_SHAPE_MISMATCH,
                 "D", &C);
    tulle_mat *short_p = generated(ctx, "random:8,4,2", TULLE_F64);
    assert_fails(tulle_spgemm_galerkin(ctx, one, A, short_p, NULL, NULL, &C), TULLE_SHAPE_MISMATCH,
                 "P", &C);
    assert_fails(tulle_spgemm_galerkin(ctx, one, A, f, NULL, NULL, &C), TULLE_TYPE_MISMATCH, "P",
                 &C);
    assert_fails(tulle_spgemm_galerkin(ctx, one, A, far, NULL, NULL, &C), TULLE_SPACE_MISMATCH, "P",
                 &C);
    assert_fails(tulle_spgemm_galerkin(ctx, one, far_a, P, NULL, NULL, &C), TULLE_SPACE_MISMATCH,
                 "A", &C);
    tulle_spgemm_options bad = {.index_given = true, .index = (tulle_index)9};
    assert_fails(tulle_spgemm_galerkin(ctx, one, A, P, &bad, NULL, &C), TULLE_INVALID_ARGUMENT,
                 "index", &C);
    tulle_mat_destroy(short_p);
    tulle_mat_destroy(far_a);
    tulle_mat_destroy(far);
    tulle_mat_destroy(f);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(other);
}

static void test_arguments(void **state) {
    (void)state;
    once_on_each_place(arguments);
}

/* Both products are in the report; the peak stays below the bound; nothing but C is left. */
static void reports(tulle_ctx *ctx, const char *where) {
    static const char *const specs[][2] = {{"p3d7:6", "interp3:6"},
                                           {"rmat:6,8", "random:64,30,3"},
                                           {"dense_rows:40,3,2", "random:40,40,20"},
                                           {"random:40,40,0", "random:40,9,2"}};
    for (int i = 0; i < 12; i++) { /* on the emulator, each pair in one format */
        if (is_slow(where) && (i / 3 + i) % 3 != turn_of(where, 3)) continue;
        tulle_mat *A = generated(ctx, specs[i / 3][0], TULLE_F32), *P = NULL, *C = NULL;
        tulle_mat *csr = generated(ctx, specs[i / 3][1], TULLE_F32), *right = NULL, *D = NULL;
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
        must(tulle_ctx_memory(ctx, &after));
        must(tulle_mat_describe(C, &info));
        assert_int_equal(r.nnz, info.nnz);
        assert_int_equal(r.products, one.products + two.products);
        assert_true(r.peak_bytes >= least + info.pattern_bytes + info.value_bytes);
        assert_true(r.peak_bytes <= r.bound_bytes);
        double sum = r.operands_ms + r.analysis_ms + r.count_ms + r.allocate_ms + r.compute_ms +
                     r.finish_ms + r.add_ms;
        assert_true((r.add_ms > 0) == (i % 2 == 1) && sum > 0 && sum <= r.total_ms);
        assert_true(after.high >= before.in_use + (size_t)r.peak_bytes);
        tulle_mat_destroy(C);
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        tulle_mat_destroy(D);
        tulle_mat_destroy(P);
        tulle_mat_destroy(csr);
        tulle_mat_destroy(A);
    }
}

static void test_reports(void **state) {
    (void)state;
    once_on_each_place(reports);
}

/* How far calls are, and when to say no. */
typedef struct {
    int left;
    int64_t done;
    bool falls;
} watcher;

static int watch(void *user, const char *what, int64_t done, int64_t total) {
    watcher *w = user;
    if (strcmp(what, "multiplying") == 0) {
        if (done <= w->done || done > total) w->falls = true;
        w->done = done;
    }
    return --w->left == 0;
}

static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = generated(ctx, "p3d7:4", TULLE_F64), *P = generated(ctx, "interp3:4", TULLE_F64);
    bool finished = false;
    int n = 1;
    for (; !finished; n++) {
        tulle_mat *C = (tulle_mat *)1;
        tulle_memory_usage before, after;
        watcher w = {.left = n};
        must(tulle_ctx_memory(ctx, &before));
        must(tulle_ctx_set_progress(ctx, watch, &w));
        tulle_status status = tulle_spgemm_galerkin(ctx, tulle_num(1), A, P, NULL, NULL, &C);
        must(tulle_ctx_set_progress(ctx, NULL, NULL));
        finished = status == TULLE_OK;
        if (!finished) assert_int_equal(status, TULLE_CANCELLED);
        if (!finished) assert_null(C);
        assert_false(w.falls);
        tulle_mat_destroy(C);
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use - after.workspace, before.in_use - before.workspace);
        assert_true(n < 90);
    }
    assert_true(n > 12); /* once for each phase of both */
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
}

static void test_cancelling(void **state) {
    (void)state;
    once_on_each_place(cancelling);
}

/* Fails the n-th allocation of a call; whether it no longer gets that far. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    tulle_mat *A = generated(ctx, "dense_rows:40,4,2", TULLE_F64), *P = NULL;
    tulle_mat *csr = generated(ctx, "random:40,20,3", TULLE_F64), *C = (tulle_mat *)1;
    must(tulle_mat_convert(ctx, csr, TULLE_COO, TULLE_I64, 0, &P));
    must(tulle_ctx_trim(ctx));
    tulle_memory_usage had, has;
    must(tulle_ctx_memory(ctx, &had));
    c.fail_at = c.requests + n;
    tulle_status status = tulle_spgemm_galerkin(ctx, tulle_num(1), A, P, NULL, NULL, &C);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    c.fail_at = 0;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(C);
    }
    tulle_mat_destroy(C);
    must(tulle_ctx_memory(ctx, &has));
    assert_int_equal(has.in_use - has.workspace, had.in_use - had.workspace);
    tulle_mat_destroy(P);
    tulle_mat_destroy(csr);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    int64_t n = 1;
    while (!fail_once(where, n)) n++;
    assert_true(n > 12);
}

static void test_running_out(void **state) {
    (void)state;
    once_on_each_place(running_out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),   cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_kernels),    cmocka_unit_test(test_indices),
        cmocka_unit_test(test_arguments),  cmocka_unit_test(test_reports),
        cmocka_unit_test(test_cancelling), cmocka_unit_test(test_running_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
