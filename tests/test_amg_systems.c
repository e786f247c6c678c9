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

/* Units of unknowns that are 2^40 apart, as of lengths and angles: the matrix is D A D, and CG's
 * residual D b - D A D y is that of A where D is 1, as is the load. */
static void mixes_units(tulle_ctx *ctx, const char *where) {
    const int powers[] = {-40, 0, -80};
    body s = body_open(ctx, is_slow(where) ? "box-hex:3" : "box-hex:6", true);
    for (int64_t k = 0; k < s.A.nnz; k++) {
        s.A.value[k] = ldexp(s.A.value[k], powers[s.A.row[k] % 3] + powers[s.A.col[k] % 3]);
    }
    placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
    const tulle_amg_options o = {.block = 3, .coarsest_rows = 100};
    assert_true(iterations_of(ctx, TULLE_CG, &p, &o) <= 30);
    placed_body_free(&p);
    body_free(&s);
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
ONCE_ON_EACH_PLACE(jumps)
ONCE_ON_EACH_PLACE(mixes_units)
ONCE_ON_EACH_PLACE(couples)
ONCE_ON_EACH_PLACE(meets_nan)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stays),        cmocka_unit_test(test_bears),
        cmocka_unit_test(test_measures),     cmocka_unit_test(test_floats),
        cmocka_unit_test(test_floats_apart), cmocka_unit_test(test_jumps),
        cmocka_unit_test(test_mixes_units),  cmocka_unit_test(test_couples),
        cmocka_unit_test(test_meets_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
