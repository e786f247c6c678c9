/* SPDX-License-Identifier: Apache-2.0 */
/* What a product may take, as said before it is made: with every kernel the bound of the call
 * itself, at least as many entries as C has, and nothing that stays behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "making.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

/* Products for each entry: some, as many as C has places, one, none. */
static const char *const specs[] = {"rmat:5,6", "dense_rows:40,4,2", "random:50,60,1",
                                    "random:20,30,0"};
enum { SPECS = 4 };

static tulle_status forecast(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op_B,
                             const tulle_spgemm_options *options, tulle_spgemm_bounds *bounds) {
    return tulle_spgemm_forecast(ctx, TULLE_N, op_B, A, A, options, bounds);
}

/* d: entries of D. */
static void check_bounds(const tulle_spgemm_bounds *said, const tulle_spgemm_report *is,
                         const tulle_mat *C, int64_t products, int64_t d, bool pooled) {
    tulle_mat_info c;
    must(tulle_mat_describe(C, &c));
    const int64_t places = c.rows * c.cols;
    assert_string_equal(said->kernel, is->kernel);
    assert_string_equal(said->params, is->params);
    assert_int_equal(said->products, is->products);
    const int64_t most = (products < places ? products : places) + d;
    assert_int_equal(said->nnz, most < places ? most : places);
    assert_true(said->nnz >= c.nnz);
    assert_true(is->peak_bytes <= said->bytes);
    if (!pooled) assert_int_equal(said->bytes, is->bound_bytes);
}

/* A A' of matrices in CSR and in what must be converted, C in any order and with wide offsets. */
static void compare(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const tulle_spgemm_options ways[] = {
        {.unsorted = false}, {.unsorted = true}, {.index_given = true, .index = TULLE_I64}};
    (void)spec;
    for (unsigned s = 0; s < SPECS; s++) {
        if (is_slow(where) && s != number % SPECS) continue;
        const tulle_spgemm_options *way = &ways[(s + number) % 3];
        tulle_mat *A = making_generated(ctx, specs[s], 1, TULLE_F64), *C = NULL;
        tulle_memory_usage before, after;
        tulle_spgemm_bounds bounds;
        tulle_spgemm_report report;
        must(tulle_ctx_trim(ctx));
        must(tulle_ctx_memory(ctx, &before));
        must(forecast(ctx, A, TULLE_T, way, &bounds));
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        must(tulle_ctx_trim(ctx));
        must(tulle_spgemm(ctx, TULLE_N, TULLE_T, tulle_num(1), A, A, way, &report, &C));
        check_bounds(&bounds, &report, C, report.products, 0, strcmp(where, "cuda") == 0);
        tulle_mat_destroy(C);
        tulle_mat_destroy(A);
    }
}
static void every_kernel(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 4, compare);
}

/* A sum and a triple product: A A + beta D, P^T A P, P^T A P + beta D. */
typedef struct staged {
    const char *A, *P, *D;
    bool triple, index_given;
    tulle_format format; /* of D */
    tulle_index a_index, d_index, index;
} staged;

static tulle_status foresee(tulle_ctx *ctx, const staged *s, const tulle_mat *A, const tulle_mat *P,
                            const tulle_spgemm_options *options, tulle_spgemm_bounds *bounds) {
    if (s->triple) return tulle_spgemm_galerkin_forecast(ctx, A, P, options, bounds);
    return tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, A, P, options, bounds);
}

static tulle_status make(tulle_ctx *ctx, const staged *s, const tulle_mat *A, const tulle_mat *P,
                         const tulle_spgemm_options *options, tulle_spgemm_report *r,
                         tulle_mat **C) {
    if (s->triple) return tulle_spgemm_galerkin(ctx, tulle_num(-1), A, P, options, r, C);
    return tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(-1), A, P, options, r, C);
}

/* The products of the last of two: those of P^T and A P. */
static int64_t last_products(tulle_ctx *ctx, const staged *s, const tulle_mat *A,
                             const tulle_mat *P) {
    tulle_mat *right = NULL;
    tulle_spgemm_bounds b;
    if (!s->triple) {
        must(tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, A, P, NULL, &b));
        return b.products;
    }
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, P, NULL, NULL, &right));
    must(tulle_spgemm_forecast(ctx, TULLE_T, TULLE_N, P, right, NULL, &b));
    tulle_mat_destroy(right);
    return b.products;
}

static void compare_stages(tulle_ctx *ctx, const char *where, const staged *s) {
    tulle_mat *a = making_generated(ctx, s->A, 1, TULLE_F64), *A = NULL, *D = NULL, *C = NULL;
    tulle_mat *P = making_generated(ctx, s->P, 2, TULLE_F64), *d = NULL;
    must(tulle_mat_convert(ctx, a, TULLE_CSR, s->a_index, 0, &A));
    if (s->D) d = making_generated(ctx, s->D, 3, TULLE_F64);
    if (d) must(tulle_mat_convert(ctx, d, s->format, s->d_index, 0, &D));
    const tulle_spgemm_options options = {
        .index_given = s->index_given, .index = s->index, .D = D, .beta = tulle_num(2)};
    const int64_t last = last_products(ctx, s, A, P);
    tulle_memory_usage before, after;
    tulle_spgemm_bounds bounds;
    tulle_spgemm_report report;
    tulle_mat_info info = {.nnz = 0};
    must(tulle_ctx_trim(ctx));
    must(tulle_ctx_memory(ctx, &before));
    must(foresee(ctx, s, A, P, &options, &bounds));
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(after.in_use, before.in_use);
    must(tulle_ctx_trim(ctx));
    must(make(ctx, s, A, P, &options, &report, &C));
    if (d) must(tulle_mat_describe(d, &info));
    check_bounds(&bounds, &report, C, last, info.nnz, strcmp(where, "cuda") == 0);
    tulle_mat *const all[] = {a, A, P, d, D, C};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
}

/* D in CSR and in what must be converted, with wider and narrower indices, and C with those that
 * are asked for; each kernel meets some. */
static void stages_of_kernel(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const staged cases[] = {
        {.A = "rmat:5,6", .P = "rmat:5,6", .D = "random:32,32,3"},
        {.A = "p2d5:9", .P = "random:81,81,2", .D = "p2d5:9", .format = TULLE_COO, .d_index = 2},
        {.A = "rmat:5,6", .P = "random:32,9,2", .D = "random:32,9,1", .d_index = TULLE_I64_I32},
        {.A = "random:9,9,0", .P = "random:9,9,0", .D = "random:9,9,9", .format = TULLE_ELL},
        {.A = "p2d5:8", .P = "random:64,64,1", .D = "p2d5:8", .a_index = TULLE_I64},
        {.A = "p2d5:8", .P = "p2d5:8", .D = "p2d5:8", .index_given = true, .d_index = TULLE_I64},
        {.triple = true, .A = "p3d7:5", .P = "interp3:5"},
        {.triple = true, .A = "dense_rows:40,4,2", .P = "random:40,30,2", .a_index = TULLE_I64},
        {.triple = true, .A = "rmat:5,6", .P = "random:32,9,2", .D = "random:9,9,4"},
        {.triple = true, .A = "p2d5:7", .P = "random:49,9,1", .D = "random:9,9,2", .format = 2},
        {.triple = true, .A = "random:9,9,0", .P = "random:9,4,1", .D = "random:4,4,1"},
        {.triple = true, .A = "p2d5:7", .P = "random:49,9,1", .index_given = true, .index = 1},
        {.triple = true, .A = "random:9,9,3", .P = "random:9,0,0"},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    (void)spec;
    for (unsigned k = 0; k < CASES; k++) {
        if (is_slow(where) && k % 4 != number % 4) continue;
        compare_stages(ctx, where, &cases[k]);
    }
}
static void stages(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, is_slow(where) ? 1 : 4, stages_of_kernel);
}

/* Where the cap does not leave what A P takes, it is the bound; where it does, that may be less. */
static void capped_triple(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:12", 1, TULLE_F64);
    tulle_mat *P = making_generated(ctx, "random:144,20,3", 1, TULLE_F64);
    tulle_spgemm_bounds bounds, whole;
    must(tulle_ctx_trim(ctx));
    must(tulle_spgemm_galerkin_forecast(ctx, A, P, NULL, &whole));
    int unknown = 0, known = 0;
    for (int64_t room = 64; room < 2 * whole.bytes; room *= 2) {
        must(tulle_ctx_trim(ctx));
        ctx->pool.cap = ctx->pool.in_use + (size_t)room;
        const tulle_status status = tulle_spgemm_galerkin_forecast(ctx, A, P, NULL, &bounds);
        ctx->pool.cap = 0;
        must(status);
        assert_true(bounds.bytes <= room);
        if (bounds.products < 0) {
            assert_true(bounds.nnz == -1 && bounds.bytes == room && known == 0);
            unknown++;
        } else {
            assert_int_equal(bounds.products, whole.products);
            assert_int_equal(bounds.nnz, whole.nnz);
            known++;
        }
    }
    assert_true(unknown > 0 && known > 0);
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
}

/* What the cap leaves is the bound; below what counting takes, that is all that can be said. */
static void capped(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    const tulle_ctx_options options = {.memory_cap = 1 << 20};
    tulle_ctx *small = NULL;
    tulle_mat *A = NULL;
    tulle_memory_usage usage;
    tulle_spgemm_bounds bounds;
    must(tulle_ctx_create(where, &options, &small));
    must(tulle_generate(small, "dense_rows:400,30,4", 1, TULLE_F64, &A));
    must(tulle_ctx_trim(small));
    must(tulle_ctx_memory(small, &usage));
    must(forecast(small, A, TULLE_N, NULL, &bounds));
    assert_true(bounds.products > 0 && bounds.nnz > 0);
    assert_true(bounds.bytes > 0 && bounds.bytes <= (1 << 20) - (int64_t)usage.in_use);
    must(tulle_ctx_trim(small)); /* what a GPU keeps for reuse may be used below any cap */
    small->pool.cap = usage.in_use + 64;
    must(forecast(small, A, TULLE_N, NULL, &bounds));
    assert_true(bounds.products == -1 && bounds.nnz == -1);
    assert_int_equal(bounds.bytes, 64);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(small);
}

static void refused(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:4", 1, TULLE_F64);
    tulle_mat *B = making_generated(ctx, "p2d5:3", 1, TULLE_F64);
    tulle_spgemm_bounds bounds = {.nnz = 7};
    const tulle_spgemm_options plus = {.D = B, .beta = tulle_num(1)};
    assert_int_equal(forecast(ctx, A, TULLE_N, &plus, &bounds), TULLE_SHAPE_MISMATCH);
    assert_string_equal(tulle_last_error()->argument, "D");
    assert_true(bounds.nnz == 0 && bounds.kernel == NULL);
    assert_int_equal(tulle_spgemm_galerkin_forecast(ctx, A, A, &plus, &bounds),
                     TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_spgemm_galerkin_forecast(ctx, A, B, NULL, &bounds),
                     TULLE_SHAPE_MISMATCH);
    assert_string_equal(tulle_last_error()->argument, "P");
    assert_string_equal(tulle_last_error()->function, "tulle_spgemm_galerkin_forecast");
    assert_int_equal(tulle_spgemm_galerkin_forecast(ctx, A, NULL, NULL, &bounds),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_spgemm_galerkin_forecast(ctx, A, A, NULL, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, A, B, NULL, &bounds),
                     TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, A, NULL, NULL, &bounds),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(forecast(ctx, A, TULLE_N, NULL, NULL), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

static int stop(void *user, const char *what, int64_t done, int64_t total) {
    (void)user;
    (void)what;
    (void)done;
    (void)total;
    return 1;
}

static void cancelled(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:4", 1, TULLE_F64);
    tulle_spgemm_bounds bounds;
    must(tulle_ctx_set_progress(ctx, stop, NULL));
    assert_int_equal(forecast(ctx, A, TULLE_N, NULL, &bounds), TULLE_CANCELLED);
    assert_int_equal(tulle_spgemm_galerkin_forecast(ctx, A, A, NULL, &bounds), TULLE_CANCELLED);
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
    must(forecast(ctx, A, TULLE_N, NULL, &bounds));
    tulle_mat_destroy(A);
}

/* Fails the n-th allocation; whether it no longer gets that far. */
static bool fail_once(const char *where, bool triple, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_memory_usage before, after;
    tulle_spgemm_bounds bounds;
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    must(tulle_generate(ctx, "rmat:5,6", 1, TULLE_F64, &A));
    must(tulle_ctx_memory(ctx, &before));
    c.fail_at = c.requests + n;
    const tulle_spgemm_options plus = {.D = triple ? NULL : A, .beta = tulle_num(1)};
    const tulle_status status = triple ? tulle_spgemm_galerkin_forecast(ctx, A, A, NULL, &bounds)
                                       : forecast(ctx, A, TULLE_T, &plus, &bounds);
    const bool done = status == TULLE_OK && c.requests < c.fail_at;
    c.fail_at = 0;
    if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(after.in_use, before.in_use);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}
static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int triple = 0; triple < 2; triple++) {
        int64_t n = 1;
        while (!fail_once(where, triple, n)) n++;
        assert_true(n > 3);
    }
}

ONCE_ON_EACH_PLACE(every_kernel)
ONCE_ON_EACH_PLACE(stages)
ONCE_ON_EACH_PLACE(capped)
ONCE_ON_EACH_PLACE(capped_triple)
ONCE_ON_EACH_PLACE(refused)
ONCE_ON_EACH_PLACE(cancelled)
ONCE_ON_EACH_PLACE(running_out)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kernel), cmocka_unit_test(test_stages),
        cmocka_unit_test(test_capped),       cmocka_unit_test(test_capped_triple),
        cmocka_unit_test(test_refused),      cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_running_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
