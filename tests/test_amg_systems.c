/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid of nodes at work: iterations hardly grow with a body, whatever its units, the order of
 * its nodes, its shape and its conditions; coupled systems that are not symmetric; numbers that are
 * not finite. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "node_systems.h"
#include "places.h"

/* Iterations of CG for a body, with rigid motions. */
static int64_t cg_of(tulle_ctx *ctx, const body *s, tulle_format format,
                     tulle_amg_precision precision) {
    placed_body p = place_body(ctx, s, format, TULLE_F64);
    const tulle_amg_options o = {
        .block = s->dim, .near_null = p.rigid, .precision = precision, .coarsest_rows = 100};
    const int64_t iterations = iterations_of(ctx, TULLE_CG, &p, &o);
    placed_body_free(&p);
    return iterations;
}

/* Bodies of growing size. */
static void stays(tulle_ctx *ctx, const char *where) {
    const char *const small[] = {"box-hex:4", "box-quad:8", "box-tet:4,perturb=0.2"};
    const char *const large[] = {"box-hex:15", "box-quad:60", "box-tet:12,perturb=0.2"};
    for (int k = 0; k < 3; k++) {
        body s = body_open(ctx, small[k], true);
        const int64_t few = cg_of(ctx, &s, TULLE_BSR, 0);
        assert_true(few <= 20);
        body_free(&s);
        if (is_slow(where)) continue;
        s = body_open(ctx, large[k], true);
        const int64_t more = cg_of(ctx, &s, TULLE_BSR, 0);
        assert_true(more <= 20);
        assert_true(labs((long)(more - cg_of(ctx, &s, TULLE_BSR, TULLE_AMG_SAME))) <= 1);
        body_free(&s);
    }
}

/* Materials, shapes, and orders of nodes. */
static void bears(tulle_ctx *ctx, const char *where) {
    const bool slow = is_slow(where);
    body thin =
        body_open(ctx, slow ? "box-hex:12x2x2,size=6x1x1" : "box-hex:32x4x4,size=8x1x1", true);
    assert_true(cg_of(ctx, &thin, TULLE_CSR, 0) <= 30);
    body_free(&thin);
    body stiff = body_with(ctx, slow ? "box-hex:4" : "box-hex:10", true, 0.45);
    assert_true(cg_of(ctx, &stiff, TULLE_BSR, 0) <= 30);
    body_free(&stiff);
    body two = slow ? body_of_two(ctx, 4, 2, 1e4) : body_of_two(ctx, 16, 2, 1e4);
    assert_true(cg_of(ctx, &two, TULLE_BSR, 0) <= 30);
    body_free(&two);
    body s = body_open(ctx, slow ? "box-hex:4" : "box-hex:10", true);
    const int64_t in_order = cg_of(ctx, &s, TULLE_CSR, 0);
    body_shuffle(&s);
    const int64_t shuffled = cg_of(ctx, &s, TULLE_CSR, 0);
    assert_true(labs((long)(shuffled - in_order)) <= 4);
    body_drop_zeros(&s);
    assert_true(labs((long)(cg_of(ctx, &s, TULLE_CSR, 0) - shuffled)) <= 1);
    body_free(&s);
}

/* Units of A, b and coordinates: 2^664 is some 1e200. */
static void measures(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, is_slow(where) ? "box-hex:4" : "box-hex:8", true);
    const int64_t iterations = cg_of(ctx, &s, TULLE_BSR, 0);
    const int powers[][3] = {{5, -3, 2}, {600, 500, 300}, {-600, -500, -300}, {0, 300, 0}};
    for (int k = 0; k < 4; k++) {
        body other = s;
        other.A = entries_copy(&s.A);
        other.at = calloc((size_t)s.A.rows, sizeof *other.at);
        other.b = calloc((size_t)s.A.rows, sizeof *other.b);
        for (int64_t e = 0; e < s.A.nnz; e++) {
            other.A.value[e] = ldexp(s.A.value[e], powers[k][0]);
        }
        for (int64_t i = 0; i < s.A.rows; i++) {
            other.b[i] = ldexp(s.b[i], powers[k][1]);
            other.at[i] = ldexp(s.at[i], powers[k][2]);
        }
        for (int same = 0; same < 2; same++) {
            placed_body p = place_body(ctx, &other, TULLE_BSR, TULLE_F64);
            const tulle_amg_options o = {
                .block = 3, .near_null = p.rigid, .coarsest_rows = 100, .precision = same};
            const int64_t found = iterations_of(ctx, TULLE_CG, &p, &o);
            assert_true(labs((long)(found - iterations)) <= same);
            placed_body_free(&p);
        }
        body_free(&other);
    }
    body_free(&s);
}

/* b := A y for a random y. */
static void load_of_random(tulle_ctx *ctx, const placed_body *p) {
    tulle_linop *L = NULL;
    must(tulle_linop_from_mat(ctx, p->A, &L));
    must(tulle_vec_random(ctx, p->x, 3));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, p->x, tulle_num(0), p->b));
    tulle_linop_destroy(L);
}

/* A free body, of which b = A y has a solution. */
static void floats(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, is_slow(where) ? "box-hex:4" : "box-hex:9", false);
    const tulle_method methods[] = {TULLE_CG, TULLE_MINRES};
    for (int k = 0; k < 2; k++) {
        for (int precision = 0; precision < 2; precision++) {
            placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
            const tulle_amg_options o = {
                .near_null = p.rigid, .precision = precision, .coarsest_rows = 100};
            load_of_random(ctx, &p);
            assert_true(iterations_of(ctx, methods[k], &p, &o) <= 25);
            placed_body_free(&p);
        }
    }
    body_free(&s);
}

/* Free bodies beside one that is held: in the end a node is all that is left of each free one, with
 * numbers of roundings, which count as 0. b = A y has a solution. */
static void floats_apart(tulle_ctx *ctx, const char *where) {
    body held = body_open(ctx, is_slow(where) ? "box-hex:3" : "box-hex:6", true);
    body loose = body_open(ctx, "box-hex:2", false);
    body s = body_copies(&held, &loose, is_slow(where) ? 4 : 20);
    for (int precision = 0; precision < 2; precision++) {
        placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
        const tulle_amg_options o = {
            .near_null = p.rigid, .precision = precision, .coarsest_rows = 60};
        load_of_random(ctx, &p);
        assert_true(iterations_of(ctx, TULLE_CG, &p, &o) <= 20);
        placed_body_free(&p);
    }
    body_free(&s);
    body_free(&loose);
    body_free(&held);
}

/* A free body of one level, whose inverse leaves six pivots of roundings out. */
static void floats_alone(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, "box-hex:3", false);
    placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
    const tulle_amg_options o = {.near_null = p.rigid};
    (void)where;
    load_of_random(ctx, &p);
    assert_true(iterations_of(ctx, TULLE_CG, &p, &o) <= 3);
    placed_body_free(&p);
    body_free(&s);
}

/* A body on layers that are 10^8 times as soft: a cycle in f32 would be one of roundings. */
static void jumps(tulle_ctx *ctx, const char *where) {
    body s = is_slow(where) ? body_on_soft(ctx, 4, 1, 1e8) : body_on_soft(ctx, 6, 2, 1e8);
    placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
    const tulle_amg_options o = {.near_null = p.rigid, .coarsest_rows = 80};
    tulle_linop *M = NULL;
    tulle_amg_info info;
    must(tulle_amg_create(ctx, p.A, &o, &M));
    must(tulle_amg_describe(M, &info));
    assert_false(info.single);
    tulle_linop_destroy(M);
    load_of_random(ctx, &p);
    assert_true(iterations_of(ctx, TULLE_CG, &p, &o) <= 30);
    placed_body_free(&p);
    body_free(&s);
}

/* Units of unknowns that are 2^40 apart, as of lengths and angles. */
static const int powers[] = {-40, 0, -80};

/* Brings a near null space B to D^-1 B. */
static void unscale_rows(tulle_ctx *ctx, tulle_vec *B, int64_t rows, int columns) {
    double *numbers = calloc((size_t)(rows * columns), sizeof *numbers);
    assert_non_null(numbers);
    must(tulle_vec_read(ctx, B, numbers, 0));
    for (int64_t k = 0; k < rows * columns; k++) {
        numbers[k] = ldexp(numbers[k], -powers[k / columns % 3]);
    }
    must(tulle_vec_write(ctx, B, numbers, 0));
    free(numbers);
}

/* y := y + D M D (b - A y); returns the norm of b - A y before. */
static double step_of(tulle_ctx *ctx, const body *s, const placed_body *p, tulle_linop *M,
                      double *y) {
    const int64_t n = s->A.rows;
    double *r = calloc((size_t)n, sizeof *r), sum = 0;
    assert_non_null(r);
    for (int64_t i = 0; i < n; i++) r[i] = s->b[i];
    for (int64_t k = 0; k < s->A.nnz; k++) r[s->A.row[k]] -= s->A.value[k] * y[s->A.col[k]];
    for (int64_t i = 0; i < n; i++) {
        sum += r[i] * r[i];
        r[i] = ldexp(r[i], powers[i % 3]);
    }
    must(tulle_vec_write(ctx, p->b, r, 0));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p->b, tulle_num(0), p->x));
    must(tulle_vec_read(ctx, p->x, r, 0));
    for (int64_t i = 0; i < n; i++) y[i] += ldexp(r[i], powers[i % 3]);
    free(r);
    return sqrt(sum);
}

/* M of D A D, D of powers of 2, serves A as D M D: twenty steps with it take the residual of A
 * away, through all unknowns, with one level or more. */
static void mixes_units(tulle_ctx *ctx, const char *where) {
    const int64_t rows[] = {0, 40};
    body s = body_open(ctx, is_slow(where) ? "box-hex:2" : "box-hex:3", true), scaled = s;
    double *y = calloc((size_t)s.A.rows, sizeof *y);
    assert_non_null(y);
    scaled.A = entries_copy(&s.A);
    for (int64_t k = 0; k < s.A.nnz; k++) {
        scaled.A.value[k] = ldexp(s.A.value[k], powers[s.A.row[k] % 3] + powers[s.A.col[k] % 3]);
    }
    for (int k = 0; k < 2; k++) {
        placed_body p = place_body(ctx, &scaled, TULLE_BSR, TULLE_F64);
        unscale_rows(ctx, p.rigid, s.A.rows, 6);
        const tulle_amg_options o = {.near_null = p.rigid, .coarsest_rows = rows[k]};
        tulle_linop *M = NULL;
        must(tulle_amg_create(ctx, p.A, &o, &M));
        for (int64_t i = 0; i < s.A.rows; i++) y[i] = 0;
        const double before = step_of(ctx, &s, &p, M, y);
        for (int step = 0; step < 20; step++) step_of(ctx, &s, &p, M, y);
        assert_true(step_of(ctx, &s, &p, M, y) <= 1e-4 * before);
        tulle_linop_destroy(M);
        placed_body_free(&p);
    }
    entries_free(&scaled.A);
    body_free(&s);
    free(y);
}

static void couples(tulle_ctx *ctx, const char *where) {
    const tulle_method methods[] = {TULLE_FGMRES, TULLE_BICGSTAB};
    body s = flow_of(is_slow(where) ? 10 : 40);
    for (int k = 0; k < 2; k++) {
        placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
        const tulle_amg_options o = {.block = 5, .coarsest_rows = 100};
        assert_true(iterations_of(ctx, methods[k], &p, &o) <= 30);
        placed_body_free(&p);
    }
    body_free(&s);
}

/* A number that is not finite ends nowhere, and fails nothing but the solution. */
static void meets_nan(tulle_ctx *ctx, const char *where) {
    const double odd[] = {NAN, INFINITY};
    (void)where;
    for (int k = 0; k < 2; k++) {
        body s = body_open(ctx, "box-hex:3", true);
        s.A.value[s.A.nnz / 2] = odd[k];
        placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
        const tulle_amg_options o = {.near_null = p.rigid, .coarsest_rows = 20};
        const tulle_solver_options cg = {.method = TULLE_CG};
        tulle_linop *L = NULL, *M = NULL;
        tulle_solver *solver = NULL;
        tulle_solver_report r;
        must(tulle_linop_from_mat(ctx, p.A, &L));
        must(tulle_amg_create(ctx, p.A, &o, &M));
        must(tulle_solver_create(ctx, L, M, &cg, &solver));
        must(tulle_solver_run(ctx, solver, p.b, p.x, &r));
        assert_int_not_equal(r.outcome, TULLE_CONVERGED);
        tulle_solver_destroy(solver);
        tulle_linop_destroy(M);
        tulle_linop_destroy(L);
        placed_body_free(&p);
        body_free(&s);
    }
}

ONCE_ON_EACH_PLACE(stays)
ONCE_ON_EACH_PLACE(bears)
ONCE_ON_EACH_PLACE(measures)
ONCE_ON_EACH_PLACE(floats)
ONCE_ON_EACH_PLACE(floats_apart)
ONCE_ON_EACH_PLACE(floats_alone)
ONCE_ON_EACH_PLACE(jumps)
ONCE_ON_EACH_PLACE(mixes_units)
ONCE_ON_EACH_PLACE(couples)
ONCE_ON_EACH_PLACE(meets_nan)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stays),        cmocka_unit_test(test_bears),
        cmocka_unit_test(test_measures),     cmocka_unit_test(test_floats),
        cmocka_unit_test(test_floats_apart), cmocka_unit_test(test_floats_alone),
        cmocka_unit_test(test_jumps),        cmocka_unit_test(test_mixes_units),
        cmocka_unit_test(test_couples),      cmocka_unit_test(test_meets_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
