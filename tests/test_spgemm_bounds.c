/* SPDX-License-Identifier: Apache-2.0 */
/* A bound is a bound: products, with D or without, and triple products of random operands in all
 * formats and index types, empty ones and repeated columns among them, hold no byte more than their
 * report's bound, than what was foreseen before, and than what was predicted when C was counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/context.h"
#include "entries.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

static uint64_t state_of_draws;

static int64_t draw(int64_t below) {
    state_of_draws = state_of_draws * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state_of_draws >> 33) % (uint64_t)below);
}

/* Sizes from nothing on, and few or many entries in them. */
static int64_t draw_size(void) {
    static const int64_t sizes[] = {0, 1, 2, 7, 30, 90};
    return sizes[draw(6)];
}

static tulle_mat *make_with(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz, uint64_t seed,
                            tulle_index index, tulle_format format) {
    entries e = entries_random(rows, cols, nnz, seed);
    tulle_mat *coo = NULL, *A = NULL;
    must(entries_to_coo(ctx, &e, index, TULLE_F64, &coo));
    if (tulle_mat_convert(ctx, coo, format, index, 0, &A) != TULLE_OK)
        A = tulle_mat_retain(coo); /* no place for repeated entries, or too much padding */
    tulle_mat_destroy(coo);
    entries_free(&e);
    return A;
}

static tulle_mat *draw_with(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz) {
    const uint64_t seed = (uint64_t)draw(1000);
    const tulle_index index = (tulle_index)draw(3);
    const tulle_format format = (tulle_format)draw(TULLE_FORMAT_COUNT);
    return make_with(ctx, rows, cols, nnz, seed, index, format);
}

static tulle_mat *draw_matrix(tulle_ctx *ctx, int64_t rows, int64_t cols) {
    static const int64_t each[] = {0, 0, 1, 3, 12};
    return draw_with(ctx, rows, cols, rows > 0 && cols > 0 ? each[draw(5)] * rows : 0);
}

/* An addend of many repeated entries, whose places are few. */
static tulle_mat *draw_crowded(tulle_ctx *ctx, int64_t rows, int64_t cols) {
    const int64_t places = rows * cols;
    return draw_with(ctx, rows, cols, places > 0 ? 40 + draw(30) * places : 0);
}

/* crowded: D has far more entries than places. */
static void expect_bound(tulle_ctx *ctx, const char *where, int number, bool crowded) {
    const bool triple = draw(3) == 0, plus = crowded || draw(2);
    const tulle_trans a = draw(2) ? TULLE_T : TULLE_N, b = draw(2) ? TULLE_T : TULLE_N;
    const int64_t m = draw_size(), l = draw_size(), n = draw_size();
    tulle_mat *A = triple ? draw_matrix(ctx, l, l)
                          : draw_matrix(ctx, a == TULLE_T ? l : m, a == TULLE_T ? m : l);
    tulle_mat *B = triple ? draw_matrix(ctx, l, n)
                          : draw_matrix(ctx, b == TULLE_T ? n : l, b == TULLE_T ? l : n);
    tulle_mat *D = NULL, *C = NULL;
    if (plus) D = (crowded ? draw_crowded : draw_matrix)(ctx, triple ? n : m, n);
    const tulle_spgemm_options options = {.D = D,
                                          .beta = tulle_num(2),
                                          .index_given = draw(2),
                                          .index = (tulle_index)draw(3),
                                          .unsorted = draw(4) == 0};
    const tulle_scalar alpha = tulle_num(-1);
    tulle_spgemm_report r;
    tulle_spgemm_bounds before;
    must(tulle_ctx_trim(ctx));
    must(triple ? tulle_spgemm_galerkin_forecast(ctx, A, B, &options, &before)
                : tulle_spgemm_forecast(ctx, a, b, A, B, &options, &before));
    must(tulle_ctx_trim(ctx));
    must(triple ? tulle_spgemm_galerkin(ctx, alpha, A, B, &options, &r, &C)
                : tulle_spgemm(ctx, a, b, alpha, A, B, &options, &r, &C));
    if (r.peak_bytes > r.bound_bytes || r.peak_bytes > before.bytes ||
        r.peak_bytes > r.predicted_bytes) {
        tulle_mat_info x, y, z = {0};
        must(tulle_mat_describe(A, &x));
        must(tulle_mat_describe(B, &y));
        if (D) must(tulle_mat_describe(D, &z));
        fail_msg(
            "%s, case %d: %lld bytes, bound %lld, foreseen %lld, predicted %lld: triple %d, "
            "ops %d %d, %lld x %lld x %lld, %s/%d %lld, %s/%d %lld, D %d %s/%d %lld, "
            "asked %d %d",
            where, number, (long long)r.peak_bytes, (long long)r.bound_bytes,
            (long long)before.bytes, (long long)r.predicted_bytes, triple, a, b, (long long)m,
            (long long)l, (long long)n, tulle_format_name(x.format), x.index, (long long)x.nnz,
            tulle_format_name(y.format), y.index, (long long)y.nnz, plus,
            D ? tulle_format_name(z.format) : "none", z.index, (long long)z.nnz,
            options.index_given, options.index);
    }
    tulle_mat_destroy(C);
    tulle_mat_destroy(D);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

static void random_operands(tulle_ctx *ctx, const char *where) {
    const int cases = is_slow(where) ? 12 : 3000;
    ctx->pool.keeps = ctx->kind != TULLE_CPU;
    state_of_draws = places_seed();
    for (int k = 0; k < cases; k++) expect_bound(ctx, where, k, k % 3 == 2);
}

static void test_random_operands(void **state) {
    (void)state;
    on_each_place(random_operands);
}

/* Nothing times nothing + D, whose entries are many more than its places, so that the most is in
 * use while D is brought, beside an empty product. */
static void expect_empty_product(tulle_ctx *ctx, int64_t m, int64_t l, int64_t n,
                                 tulle_index index) {
    tulle_mat *A = draw_with(ctx, m, l, 0), *B = draw_with(ctx, l, n, 0), *D = NULL, *C = NULL;
    entries e = entries_random(m, n, 9000, 1);
    tulle_mat *csr = entries_to_csr(ctx, &e, index, TULLE_F64);
    must(tulle_mat_convert(ctx, csr, TULLE_SELL, index, 0, &D));
    const tulle_spgemm_options options = {.D = D, .beta = tulle_num(2)};
    tulle_spgemm_report r;
    tulle_spgemm_bounds before;
    must(tulle_ctx_trim(ctx));
    must(tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, A, B, &options, &before));
    must(tulle_ctx_trim(ctx));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, &options, &r, &C));
    if (r.peak_bytes > r.bound_bytes || r.peak_bytes > before.bytes ||
        r.peak_bytes > r.predicted_bytes)
        fail_msg(
            "%lld x %lld x %lld, index %d: %lld bytes, bound %lld, foreseen %lld, predicted "
            "%lld",
            (long long)m, (long long)l, (long long)n, index, (long long)r.peak_bytes,
            (long long)r.bound_bytes, (long long)before.bytes, (long long)r.predicted_bytes);
    tulle_mat_destroy(C);
    tulle_mat_destroy(D);
    tulle_mat_destroy(csr);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    entries_free(&e);
}

static void empty_products(tulle_ctx *ctx, const char *where) {
    (void)where;
    state_of_draws = places_seed();
    for (int index = 0; index < 3; index++) {
        expect_empty_product(ctx, 32, 0, 1, (tulle_index)index);
        expect_empty_product(ctx, 64, 5, 2, (tulle_index)index);
        expect_empty_product(ctx, 320, 0, 4, (tulle_index)index);
    }
}
ONCE_ON_EACH_PLACE(empty_products)

/* A pool that keeps freed blocks, as a GPU's does, puts P^T A P into a block that is larger, beside
 * which the crowded D is brought. */
static void kept_blocks(tulle_ctx *ctx, const char *where) {
    ctx->pool.keeps = ctx->kind != TULLE_CPU;
    tulle_mat *A = make_with(ctx, 90, 90, 1080, 890, TULLE_I32, TULLE_DCSR), *C = NULL;
    tulle_mat *P = make_with(ctx, 90, 90, 1080, 467, TULLE_I64_I32, TULLE_JDS_ELL);
    tulle_mat *D = make_with(ctx, 90, 90, 40540, 625, TULLE_I64_I32, TULLE_SELL);
    const tulle_spgemm_options options = {.D = D, .beta = tulle_num(2)};
    tulle_spgemm_report r;
    must(tulle_ctx_trim(ctx));
    must(tulle_spgemm_galerkin(ctx, tulle_num(-1), A, P, &options, &r, &C));
    if (r.peak_bytes > r.bound_bytes || r.peak_bytes > r.predicted_bytes)
        fail_msg("%s: %lld bytes, bound %lld, predicted %lld", where, (long long)r.peak_bytes,
                 (long long)r.bound_bytes, (long long)r.predicted_bytes);
    tulle_mat_destroy(C);
    tulle_mat_destroy(D);
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(kept_blocks)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_operands),
                                       cmocka_unit_test(test_empty_products),
                                       cmocka_unit_test(test_kept_blocks)};
    return cmocka_run_group_tests_name("spgemm_bounds", tests, NULL, NULL);
}
