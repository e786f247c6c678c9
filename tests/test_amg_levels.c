/* SPDX-License-Identifier: Apache-2.0 */
/* The matrices of levels under a cycle in f32: P has numbers of f32 and belongs to the coarse
 * matrices; matrices that setup gave up are made again with the same bits, in any order; and a P
 * that f32 cannot hold keeps the hierarchy in f64. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hierarchies.h"
#include "matrix/matrix.h"
#include "places.h"
#include "problems.h"

static int side_of(const char *where) {
    return is_slow(where) ? 10 : 40;
}

/* Row i of P is that of `wide`, rounded: numbers that add up to 1 do so without an error, and may
 * take the errors of all others; each number of another row is the nearest one of f32. */
static void assert_rounded_row(const host_mat *wide, const host_mat *P, int64_t i) {
    const int64_t begin = P->offsets[i], end = P->offsets[i + 1];
    double sum = 0, of_wide = 0, largest = 0;
    for (int64_t k = begin; k < end; k++) {
        sum += P->values[k];
        of_wide += wide->values[k];
        largest = fmax(largest, fabs(wide->values[k]));
    }
    const bool whole = fabs(of_wide - 1) <= 0x1p-30;
    if (whole) assert_true(sum == 1);
    for (int64_t k = begin; k < end; k++) {
        const double apart = fabs(P->values[k] - wide->values[k]);
        assert_true((double)(float)P->values[k] == P->values[k]);
        if (!whole) assert_true(P->values[k] == (double)(float)wide->values[k]);
        assert_true(apart <= 0x1p-23 * largest * (double)(end - begin));
    }
}

/* P of the first level is that of a hierarchy in f64, rounded, with each type of indices. */
static void rounded(tulle_ctx *ctx, const char *where) {
    for (int which = 0; which < 2; which++) {
        EACH_FAMILY(family) {
            host_system s = which ? rough_grid(side_of(where)) : system_torus(side_of(where));
            tulle_mat *of_s = system_mat(ctx, &s, TULLE_F64), *A = NULL;
            tulle_amg_options o = {.family = family, .coarsest_rows = 10};
            tulle_linop *M = NULL, *wide = NULL;
            tulle_amg_level_info level;
            const tulle_index index = (tulle_index)((which + (int)family) % 3);
            must(tulle_mat_convert(ctx, of_s, TULLE_CSR, index, 0, &A));
            must(tulle_amg_create(ctx, A, &o, &M));
            o.precision = TULLE_AMG_SAME;
            must(tulle_amg_create(ctx, A, &o, &wide));
            must(tulle_amg_level(wide, 0, &level));
            host_mat of_wide = read_mat(ctx, level.P);
            must(tulle_amg_level(M, 0, &level));
            host_mat P = read_mat(ctx, level.P);
            assert_int_equal(P.nnz, of_wide.nnz);
            assert_memory_equal(P.columns, of_wide.columns, (size_t)P.nnz * sizeof *P.columns);
            for (int64_t i = 0; i < P.rows; i++) assert_rounded_row(&of_wide, &P, i);
            free_mat(&of_wide);
            free_mat(&P);
            tulle_linop_destroy(M);
            tulle_linop_destroy(wide);
            tulle_mat_destroy(A);
            tulle_mat_destroy(of_s);
            system_free(&s);
        }
    }
}
ONCE_ON_EACH_PLACE(rounded)

/* Asserts that M does as `other`: the same bits for the same b. */
static void assert_same_cycle(tulle_ctx *ctx, const problem *p, tulle_linop *M,
                              tulle_linop *other) {
    const size_t bytes = (size_t)p->s.n * sizeof(double);
    double *x = malloc(bytes), *of_other = malloc(bytes);
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p->b, tulle_num(0), p->x));
    must(tulle_vec_read(ctx, p->x, x, 0));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), other, p->b, tulle_num(0), p->x));
    must(tulle_vec_read(ctx, p->x, of_other, 0));
    assert_memory_equal(x, of_other, bytes);
    free(x);
    free(of_other);
}

/* Levels that are asked for from the last one on are those that are asked for from the first one
 * on, and those that are never given up; asking changes neither the cycle nor an update. */
static void any_order(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, rough_grid(side_of(where)), TULLE_F64);
    EACH_FAMILY(family) {
        for (int passing = TULLE_AMG_PASS_NONE; passing <= TULLE_AMG_PASS_FIRST; passing++) {
            tulle_amg_options o = {
                .family = family, .passing = (tulle_amg_passing)passing, .coarsest_rows = 5};
            tulle_linop *M = NULL, *other = NULL, *kept = NULL;
            tulle_amg_level_info level, numbers;
            tulle_amg_info info;
            must(tulle_amg_create(ctx, p.A, &o, &M));
            must(tulle_amg_create(ctx, p.A, &o, &other));
            o.keep_plans = true;
            must(tulle_amg_create(ctx, p.A, &o, &kept));
            must(tulle_amg_describe(M, &info));
            assert_true(info.single && info.levels >= 3);
            for (int turn = 0; turn < 2; turn++) {
                for (int l = info.levels - 1; l >= 0; l -= 2) {
                    must(tulle_amg_level_numbers(M, l, &numbers));
                    assert_true(!numbers.A && !numbers.P && !numbers.R);
                    must(tulle_amg_level(M, l, &level));
                    assert_int_equal(numbers.nnz, level.nnz);
                    if (level.A) assert_int_equal(level.nnz, level.A->pattern->nnz);
                }
                assert_same(ctx, other, 0, ctx, M);
                assert_same(ctx, kept, 0, ctx, M);
                assert_same_cycle(ctx, &p, M, other);
                must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
                must(tulle_amg_update(ctx, kept, NULL, TULLE_AMG_KEEP_P));
            }
            assert_int_equal(tulle_amg_level_numbers(M, info.levels, &numbers),
                             TULLE_INVALID_ARGUMENT);
            assert_int_equal(tulle_amg_level_numbers(p.L, 0, &numbers), TULLE_INVALID_ARGUMENT);
            tulle_linop_destroy(M);
            tulle_linop_destroy(other);
            tulle_linop_destroy(kept);
        }
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(any_order)

static int64_t memory_in_use(tulle_ctx *ctx) {
    tulle_memory_usage usage;
    must(tulle_ctx_memory(ctx, &usage));
    return (int64_t)usage.in_use;
}

/* Numbers in f64 are held where they are asked for, until the next update, and not before. */
static void given_up(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, rough_grid(side_of(where)), TULLE_F64);
    EACH_FAMILY(family) {
        const tulle_amg_options o = {.family = family, .coarsest_rows = 5};
        tulle_linop *M = NULL;
        tulle_amg_info info;
        int64_t numbers = 0;
        must(tulle_amg_create(ctx, p.A, &o, &M));
        must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
        must(tulle_amg_describe(M, &info));
        const int64_t before = memory_in_use(ctx), bytes = info.bytes;
        for (int l = 0; l < info.levels; l++) {
            tulle_amg_level_info level;
            must(tulle_amg_level(M, l, &level));
            if (l > 0 && level.A) numbers += level.A->pattern->nnz;
            if (level.P) numbers += 2 * level.P->pattern->nnz;
        }
        assert_true(memory_in_use(ctx) - before >= numbers * (int64_t)sizeof(double));
        must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
        assert_int_equal(memory_in_use(ctx), before);
        must(tulle_amg_describe(M, &info));
        assert_int_equal(info.bytes, bytes);
        tulle_linop_destroy(M);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(given_up)

/* Pairs of rows with a strong connection, and connections between pairs so weak that a number of P
 * which belongs to one is below the normal numbers of f32; in tame values it is not. */
static double of_far_pairs(int64_t i, int64_t j) {
    if (i == j) return 1.5;
    if (i / 2 == j / 2) return -1;
    return llabs((long long)(i - j)) == 1 ? ldexp(-1, -140) : 0;
}

static void set_values(tulle_ctx *ctx, const problem *p, const double *values) {
    must(tulle_mat_set_values(ctx, p->A, p->s.nnz, values));
}

/* Brings M to the values that are there, and asserts in which precision the cycle then is, and that
 * the matrices are those of a fresh hierarchy. */
static void assert_updated(tulle_ctx *ctx, const problem *p, const tulle_amg_options *o,
                           tulle_linop *M, tulle_amg_how how, bool single) {
    tulle_linop *fresh = NULL;
    tulle_amg_info info;
    must(tulle_amg_update(ctx, M, NULL, how));
    must(tulle_amg_describe(M, &info));
    assert_true(info.single == single);
    assert_true(info.levels > 1);
    if (how == TULLE_AMG_KEEP_P) return;
    must(tulle_amg_create(ctx, p->A, o, &fresh));
    assert_same(ctx, fresh, 0, ctx, M);
    assert_same_cycle(ctx, p, M, fresh);
    tulle_linop_destroy(fresh);
}

/* With a P that f32 cannot hold the cycle is in f64, also after an update that keeps P; another P
 * brings f32 back. */
static void unfit_P(tulle_ctx *ctx, const char *where) {
    const int64_t n = 60;
    problem p = problem_of(ctx, system_of(n, of_far_pairs), TULLE_F64);
    const tulle_amg_options o = {.strength = 1e-50, .coarsest_rows = 10};
    double *tame = calloc((size_t)p.s.nnz, sizeof *tame);
    tulle_linop *M = NULL;
    tulle_amg_info info;
    tulle_amg_level_info level;
    (void)where;
    for (int64_t k = 0; k < p.s.nnz; k++)
        tame[k] = fmin(p.s.values[k], p.s.values[k] < 0 ? -0.25 : 9);
    must(tulle_amg_create(ctx, p.A, &o, &M));
    must(tulle_amg_describe(M, &info));
    assert_true(!info.single && info.levels > 1);
    must(tulle_amg_level(M, 0, &level));
    host_mat P = read_mat(ctx, level.P);
    double least = INFINITY;
    for (int64_t k = 0; k < P.nnz; k++) {
        if (P.values[k] != 0) least = fmin(least, fabs(P.values[k]));
    }
    assert_true(least > 0 && least < ldexp(1, -126)); /* it is there, with all its digits */
    assert_true((double)(float)least != least);
    free_mat(&P);
    set_values(ctx, &p, tame);
    assert_updated(ctx, &p, &o, M, TULLE_AMG_KEEP_P, false);
    assert_updated(ctx, &p, &o, M, TULLE_AMG_KEEP_P, false);
    assert_updated(ctx, &p, &o, M, TULLE_AMG_KEEP_COARSENING, true);
    set_values(ctx, &p, p.s.values);
    assert_updated(ctx, &p, &o, M, TULLE_AMG_KEEP_P, true);
    assert_updated(ctx, &p, &o, M, TULLE_AMG_ANEW, false);
    set_values(ctx, &p, tame);
    assert_updated(ctx, &p, &o, M, TULLE_AMG_ANEW, true);
    free(tame);
    tulle_linop_destroy(M);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(unfit_P)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rounded), cmocka_unit_test(test_any_order),
        cmocka_unit_test(test_given_up), cmocka_unit_test(test_unfit_P)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
