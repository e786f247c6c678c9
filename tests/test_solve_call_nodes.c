/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_solve with multigrid of nodes: when it is chosen, what is said of it, what follows where it
 * does not get there, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "node_systems.h"
#include "places.h"
#include "tulle/solve.h"

static tulle_solve_report solve(tulle_ctx *ctx, const placed_body *p,
                                const tulle_solve_options *options) {
    tulle_solve_report r;
    must(tulle_vec_fill(ctx, p->x, 0));
    must(tulle_solve(ctx, p->A, p->b, p->x, options, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    return r;
}

/* Rigid motions choose multigrid of nodes: the blocks of BSR are the nodes, and so are the full
 * blocks of CSR, which is converted; where blocks have holes the caller says how long they are. */
static void chooses(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, is_slow(where) ? "box-hex:4" : "box-hex:10", true);
    const tulle_format formats[] = {TULLE_BSR, TULLE_CSR, TULLE_CSR};
    for (int k = 0; k < 3; k++) {
        const bool holes = k == 2;
        if (holes) body_drop_zeros(&s);
        placed_body p = place_body(ctx, &s, formats[k], TULLE_F64);
        const tulle_solve_options o = {.near_null = p.rigid, .block = holes ? 3 : 0};
        const tulle_solve_options diagonal = {.precond = "jacobi"};
        const tulle_solve_report r = solve(ctx, &p, &o), other = solve(ctx, &p, &diagonal);
        assert_int_equal(r.attempts, 1);
        assert_int_equal(r.method, TULLE_CG);
        assert_string_equal(r.precond, "amg-smoothed:2");
        assert_string_equal(r.precond_why,
                            "nodes of 3 unknowns and a near null space of 6 vectors are given");
        assert_int_equal(r.hierarchy.block, 3);
        assert_int_equal(r.hierarchy.near_null, 6);
        assert_int_equal(r.solved.format, holes ? TULLE_CSR : TULLE_BSR);
        assert_int_equal(r.format_why[0] != '\0', k == 1);
        assert_true(r.solver.iterations < other.solver.iterations);
        placed_body_free(&p);
    }
    body_free(&s);
}

/* A preconditioner that is given takes the nodes, too; constants serve where nothing else is. */
static void takes(tulle_ctx *ctx, const char *where) {
    const char *const names[] = {"amg", "amg-smoothed:3"};
    body s = body_open(ctx, is_slow(where) ? "box-hex:3" : "box-hex:6", true);
    placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
    for (int k = 0; k < 2; k++) {
        const tulle_solve_options o = {.precond = names[k], .block = 3};
        const tulle_solve_report r = solve(ctx, &p, &o);
        assert_int_equal(r.hierarchy.block, 3);
        assert_int_equal(r.hierarchy.near_null, 3);
        assert_string_equal(r.precond_why, "");
    }
    placed_body_free(&p);
    body_free(&s);
}

/* In mixed precision the hierarchy is one of A in f32; in the preconditioned norm there is another
 * one, of A in f64. */
static void mixes(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, is_slow(where) ? "box-hex:3" : "box-hex:6", true);
    placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
    for (int norm = 0; norm < 2; norm++) {
        const tulle_solve_options o = {
            .near_null = p.rigid,
            .mixed = true,
            .solver = {.norm = norm == 0 ? TULLE_TRUE_NORM : TULLE_PRECONDITIONED_NORM}};
        const tulle_solve_report r = solve(ctx, &p, &o);
        assert_int_equal(r.attempts, 1);
        assert_int_equal(r.hierarchy.near_null, 6);
        assert_int_equal(r.solved.type, TULLE_F32);
    }
    placed_body_free(&p);
    body_free(&s);
}

/* Five coupled unknowns, not symmetric: nodes come before factors and before trials, with BiCGStab
 * where the diagonal is dominant, and with GMRES of few rows. */
static void couples(tulle_ctx *ctx, const char *where) {
    const int sides[] = {is_slow(where) ? 10 : 30, 10};
    const tulle_method due[] = {TULLE_BICGSTAB, TULLE_GMRES};
    for (int k = 0; k < 2; k++) {
        body s = flow_of(sides[k]);
        for (int64_t e = 0; e < s.A.nnz && k == 0; e++) {
            if (s.A.row[e] == s.A.col[e]) s.A.value[e] *= 8;
        }
        placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
        const tulle_solve_options o = {.block = 5};
        const tulle_solve_report r = solve(ctx, &p, &o);
        assert_int_equal(r.attempts, 1);
        assert_false(r.facts.symmetric);
        assert_int_equal(r.method, due[k]);
        assert_string_equal(r.precond, "amg-smoothed:2");
        assert_string_equal(
            r.precond_why,
            "nodes of 5 unknowns and a near null space of 5 vectors of constants are asked for");
        placed_body_free(&p);
        body_free(&s);
    }
}

/* A chain of rows, -x' + 2 x - x'; the near null space changes sign from row to row, and A does not
 * nearly take it to 0. */
static body chain_of(int64_t n) {
    body s = {.A = {.rows = n, .cols = n}, .nodes = n, .dim = 1};
    s.A.row = calloc((size_t)(3 * n), sizeof *s.A.row);
    s.A.col = calloc((size_t)(3 * n), sizeof *s.A.col);
    s.A.value = calloc((size_t)(3 * n), sizeof *s.A.value);
    s.b = calloc((size_t)n, sizeof *s.b);
    assert_true(s.A.row && s.A.col && s.A.value && s.b);
    for (int64_t i = 0; i < n; i++) {
        s.b[i] = 1;
        for (int64_t j = i - 1; j <= i + 1; j++) {
            if (j < 0 || j >= n) continue;
            s.A.row[s.A.nnz] = i;
            s.A.col[s.A.nnz] = j;
            s.A.value[s.A.nnz++] = i == j ? 2 : -1;
        }
    }
    return s;
}

/* Nodes come before complete factors, too, which take no time for a chain. */
static void comes_first(tulle_ctx *ctx, const char *where) {
    body s = chain_of(600);
    (void)where;
    for (int64_t e = 0; e < s.A.nnz; e++) {
        if (s.A.col[e] > s.A.row[e]) s.A.value[e] = -1.2;
    }
    placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
    const tulle_solve_options o = {.block = 2, .max_attempts = 1, .solver = {.max_iterations = 5}};
    tulle_solve_report r;
    must(tulle_solve(ctx, p.A, p.b, p.x, &o, &r));
    assert_int_equal(r.attempt[0].method, TULLE_GMRES);
    assert_string_equal(r.attempt[0].precond, "amg-smoothed:2");
    placed_body_free(&p);
    body_free(&s);
}

static tulle_vec *signs_of(tulle_ctx *ctx, int64_t n) {
    tulle_vec *B = NULL;
    double *numbers = calloc((size_t)n, sizeof *numbers);
    assert_non_null(numbers);
    for (int64_t i = 0; i < n; i++) numbers[i] = i % 2 ? -1 : 1;
    must(tulle_vec_create(ctx, TULLE_F64, n, &B));
    must(tulle_vec_write(ctx, B, numbers, 0));
    free(numbers);
    return B;
}

/* With a wrong near null space the first attempt ends without a solution, and what is chosen
 * without multigrid follows. */
static void goes_on(tulle_ctx *ctx, const char *where) {
    if (is_slow(where)) {
        say_skipped("6,000 rows take long on %s", where);
        return;
    }
    body s = chain_of(6000);
    placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
    p.rigid = signs_of(ctx, s.nodes);
    const tulle_solve_options o = {.near_null = p.rigid};
    const tulle_solve_report r = solve(ctx, &p, &o);
    assert_true(r.attempts > 1);
    assert_string_equal(r.attempt[0].precond, "amg-smoothed:2");
    assert_int_equal(r.attempt[0].outcome, TULLE_MOST_ITERATIONS);
    assert_int_equal(r.attempt[0].iterations, 200);
    assert_string_equal(r.attempt[1].precond, "jacobi");
    assert_int_equal(r.hierarchy.levels, 0);
    placed_body_free(&p);
    body_free(&s);
}

/* An A that is not definite by its diagonal gets no multigrid of nodes. */
static void stays_away(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, "box-quad:4", true);
    (void)where;
    for (int64_t k = 0; k < s.A.nnz; k++) {
        if (s.A.row[k] == 3 && s.A.col[k] == 3) s.A.value[k] = -s.A.value[k];
    }
    placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
    const tulle_solve_options o = {.near_null = p.rigid};
    const tulle_solve_report r = solve(ctx, &p, &o);
    assert_int_equal(r.hierarchy.levels, 0);
    for (int a = 0; a < r.attempts; a++) assert_null(strstr(r.attempt[a].precond, "amg"));
    placed_body_free(&p);
    body_free(&s);
}

static void fails(tulle_ctx *ctx, const placed_body *p, tulle_solve_options o, tulle_status due,
                  const char *words) {
    tulle_solve_report r;
    assert_int_equal(tulle_solve(ctx, p->A, p->b, p->x, &o, &r), due);
    assert_non_null(strstr(tulle_last_error()->message, words));
}

static void refuses(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, "box-hex:2", true);
    placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
    tulle_vec *wide = NULL, *narrow = NULL, *brief = NULL;
    (void)where;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 81, 17, TULLE_ROW_MAJOR, 0, &wide));
    must(tulle_vec_create(ctx, TULLE_F32, 81, &narrow));
    must(tulle_vec_create(ctx, TULLE_F64, 80, &brief));
    fails(ctx, &p, (tulle_solve_options){.block = 17}, TULLE_INVALID_ARGUMENT, "block: 17");
    fails(ctx, &p, (tulle_solve_options){.block = -1}, TULLE_INVALID_ARGUMENT, "block: -1");
    fails(ctx, &p, (tulle_solve_options){.block = 2}, TULLE_SHAPE_MISMATCH, "81 rows");
    fails(ctx, &p, (tulle_solve_options){.block = 3, .precond = "ilu"}, TULLE_INVALID_ARGUMENT,
          "not for 'ilu'");
    fails(ctx, &p, (tulle_solve_options){.near_null = p.rigid, .precond = "amg-plain"},
          TULLE_INVALID_ARGUMENT, "not for 'amg-plain'");
    fails(ctx, &p, (tulle_solve_options){.near_null = wide}, TULLE_SHAPE_MISMATCH, "17 columns");
    fails(ctx, &p, (tulle_solve_options){.near_null = narrow}, TULLE_TYPE_MISMATCH, "near_null");
    fails(ctx, &p, (tulle_solve_options){.near_null = brief}, TULLE_SHAPE_MISMATCH, "near_null");
    tulle_vec_destroy(wide);
    tulle_vec_destroy(narrow);
    tulle_vec_destroy(brief);
    placed_body_free(&p);
    body_free(&s);
}

ONCE_ON_EACH_PLACE(chooses)
ONCE_ON_EACH_PLACE(takes)
ONCE_ON_EACH_PLACE(mixes)
ONCE_ON_EACH_PLACE(couples)
ONCE_ON_EACH_PLACE(comes_first)
ONCE_ON_EACH_PLACE(goes_on)
ONCE_ON_EACH_PLACE(stays_away)
ONCE_ON_EACH_PLACE(refuses)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chooses),     cmocka_unit_test(test_takes),
        cmocka_unit_test(test_mixes),       cmocka_unit_test(test_couples),
        cmocka_unit_test(test_comes_first), cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_stays_away),  cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
