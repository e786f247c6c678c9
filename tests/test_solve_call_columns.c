/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_solve with several right-hand sides, and its choice of multigrid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"
#include "tulle/reorder.h"
#include "tulle/solve.h"
#include "zoo.h"

/* Right-hand sides of a test. */
enum { COLUMNS = 4 };

/* A system with several right-hand sides, column by column. */
typedef struct {
    tulle_ctx *ctx;
    host_system s;
    tulle_mat *A;
    double *b;
    tulle_vec *B, *X;
} system_of_many;

static system_of_many make_many(tulle_ctx *ctx, host_system s) {
    system_of_many m = {.ctx = ctx, .s = s, .A = system_mat(ctx, &s, TULLE_F64)};
    uint64_t random = 23;
    m.b = calloc((size_t)(s.n * COLUMNS), sizeof *m.b);
    for (int64_t i = 0; i < s.n * COLUMNS; i++) m.b[i] = zoo_number(&random);
    must(tulle_vec_create_columns(ctx, TULLE_F64, s.n, COLUMNS, TULLE_COLUMN_MAJOR, 0, &m.B));
    must(tulle_vec_create_columns(ctx, TULLE_F64, s.n, COLUMNS, TULLE_COLUMN_MAJOR, 0, &m.X));
    return m;
}

static void free_many(system_of_many *m) {
    tulle_vec_destroy(m->B);
    tulle_vec_destroy(m->X);
    tulle_mat_destroy(m->A);
    system_free(&m->s);
    free(m->b);
}

/* |b - A x| and |b| of column j, in long double. */
static system_norms norms_of(const system_of_many *m, int j) {
    const int64_t n = m->s.n;
    double *x = calloc((size_t)(n * COLUMNS), sizeof *x);
    tulle_vec *own_b = NULL, *own_x = NULL;
    must(tulle_vec_read(m->ctx, m->X, x, n));
    must(tulle_vec_create(m->ctx, TULLE_F64, n, &own_b));
    must(tulle_vec_create(m->ctx, TULLE_F64, n, &own_x));
    must(tulle_vec_write(m->ctx, own_b, m->b + j * n, 0));
    must(tulle_vec_write(m->ctx, own_x, x + j * n, 0));
    const system_norms norms = system_check(m->ctx, &m->s, TULLE_F64, own_b, own_x);
    tulle_vec_destroy(own_b);
    tulle_vec_destroy(own_x);
    free(x);
    return norms;
}

/* All right-hand sides are solved, in whatever units they are, by one chosen way or by a given one.
 */
static void solves(tulle_ctx *ctx, const char *where) {
    const int side = problem_side(where);
    for (int way = 0; way < 6; way++) {
        static const char *const methods[] = {NULL, "gmres", "bicgstab"};
        const bool convects = way & 1;
        system_of_many m = make_many(ctx, system_grid(side, convects ? 0.8 : 0, 0.1));
        const tulle_solve_options o = {.method = methods[way / 2]};
        tulle_solve_report r;
        for (int64_t i = 0; i < m.s.n; i++) m.b[i] *= 0x1p300;
        for (int64_t i = 0; i < m.s.n; i++) m.b[m.s.n + i] = 0;
        must(tulle_vec_write(ctx, m.B, m.b, m.s.n));
        must(tulle_solve(ctx, m.A, m.B, m.X, &o, &r));
        assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
        assert_int_equal(r.attempts, 1);
        for (int j = 0; j < COLUMNS; j++) {
            const system_norms norms = norms_of(&m, j);
            assert_true(norms.residual <= 1.0001e-8 * norms.b);
        }
        free_many(&m);
    }
}
ONCE_ON_EACH_PLACE(solves)

/* A is indefinite, so that the first method may not solve for all. Right-hand sides that are solved
 * stay as they are, and one with NaN keeps nobody from a solution. */
static void goes_on(tulle_ctx *ctx, const char *where) {
    const int side = is_slow(where) ? 5 : 12;
    system_of_many m = make_many(ctx, system_grid(side, 0, -2.5));
    tulle_solve_report r;
    /* An eigenvector of a positive eigenvalue, with which CG ends at once, and zeros. */
    for (int i = 0; i < side * side; i++) {
        const double angle = acos(-1) / (side + 1);
        const int top = side;
        m.b[i] = sin(angle * top * (i % side + 1)) * sin(angle * top * (i / side + 1));
        m.b[m.s.n + i] = 0;
    }
    m.b[2 * m.s.n] = (double)NAN;
    must(tulle_vec_write(ctx, m.B, m.b, m.s.n));
    must(tulle_solve(ctx, m.A, m.B, m.X, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_NOT_A_NUMBER);
    for (int j = 0; j < COLUMNS; j++) {
        const system_norms norms = norms_of(&m, j);
        if (j != 2) assert_true(norms.residual <= 1.0001e-8 * norms.b);
    }
    free_many(&m);
}
ONCE_ON_EACH_PLACE(goes_on)

/* Where nothing solves a right-hand side, its x is no worse than 0, and the others have theirs. */
static void ends_by_name(tulle_ctx *ctx, const char *where) {
    system_of_many m = make_many(ctx, system_torus(is_slow(where) ? 4 : 9));
    const int64_t n = m.s.n;
    tulle_solve_report r;
    for (int j = 0; j < COLUMNS; j++) {
        double mean = 0;
        for (int64_t i = 0; i < n; i++) mean += m.b[j * n + i] / (double)n;
        for (int64_t i = 0; i < n; i++) m.b[j * n + i] -= mean;
    }
    m.b[3 * n] += 30; /* a part that no x takes away */
    must(tulle_vec_write(ctx, m.B, m.b, n));
    must(tulle_solve(ctx, m.A, m.B, m.X, NULL, &r));
    assert_int_not_equal(r.solver.outcome, TULLE_CONVERGED);
    for (int j = 0; j < COLUMNS; j++) {
        const system_norms norms = norms_of(&m, j);
        assert_true(norms.residual <= (j == 3 ? 1.0001 : 1.0001e-8) * norms.b);
    }
    const system_norms worst = norms_of(&m, 3);
    assert_true(fabs(r.solver.norm - worst.residual) <= 1e-9 * worst.b);
    free_many(&m);
}
ONCE_ON_EACH_PLACE(ends_by_name)

/* Norms and limit are of one right-hand side, the one that is farthest from its limit, and the
 * outcome is that of the first that is not solved. CG finds A indefinite from both, and leaves
 * their x at 0: at a norm that is less than it had in between. */
static void reports_one(tulle_ctx *ctx, const char *where) {
    static const int32_t offsets[] = {0, 2, 4, 5}, columns[] = {0, 1, 0, 1, 2};
    static const double values[] = {1, 3, 3, 1, 1};
    static const double rhs[2][6] = {{1e-3, -1e-3, 0, 1e10, 2e10, 3e10},
                                     {1e10, 2e10, 3e10, 1e-3, -1e-3, 0}};
    const tulle_solve_options o = {.method = "cg", .precond = "none"};
    tulle_mat *A = NULL;
    tulle_vec *B = NULL, *X = NULL;
    (void)where;
    must(tulle_mat_create_csr(ctx, 3, 3, 5, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 3, 2, TULLE_COLUMN_MAJOR, 0, &B));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 3, 2, TULLE_COLUMN_MAJOR, 0, &X));
    for (int turned = 0; turned < 2; turned++) {
        tulle_solve_report r;
        must(tulle_vec_write(ctx, B, rhs[turned], 3));
        must(tulle_solve(ctx, A, B, X, &o, &r));
        assert_int_equal(r.solver.outcome, TULLE_INDEFINITE);
        assert_true(fabs(r.solver.limit / r.solver.start_norm - 1e-8) < 1e-20);
        assert_true(r.solver.norm > r.solver.limit);
        assert_true(r.solver.norm <= r.solver.start_norm * (1 + 1e-12));
    }
    tulle_vec_destroy(X);
    tulle_vec_destroy(B);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(reports_one)

static void refusals(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(3, 0, 0), TULLE_F64);
    tulle_vec *two = NULL, *none = NULL, *no_x = NULL;
    tulle_solve_report r;
    (void)where;
    must(tulle_vec_create_columns(ctx, TULLE_F64, p.s.n, 2, TULLE_COLUMN_MAJOR, 0, &two));
    must(tulle_vec_create_columns(ctx, TULLE_F64, p.s.n, 0, TULLE_COLUMN_MAJOR, 0, &none));
    must(tulle_vec_create_columns(ctx, TULLE_F64, p.s.n, 0, TULLE_COLUMN_MAJOR, 0, &no_x));
    assert_int_equal(tulle_solve(ctx, p.A, two, p.x, NULL, &r), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_solve(ctx, p.A, p.b, two, NULL, &r), TULLE_SHAPE_MISMATCH);
    must(tulle_solve(ctx, p.A, none, no_x, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    tulle_vec_destroy(two);
    tulle_vec_destroy(none);
    tulle_vec_destroy(no_x);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(refusals)

/* By name on each place. */
static void multigrid_by_name(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(is_slow(where) ? 20 : 60, 0, 0), TULLE_F64);
    const tulle_solve_options o = {.precond = "amg:3", .method = "cg"};
    tulle_solve_report r;
    must(tulle_solve(ctx, p.A, p.b, p.x, &o, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_true(r.solver.iterations < 15);
    assert_true(r.hierarchy.levels >= 2);
    assert_string_equal(r.precond, "amg:3");
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(multigrid_by_name)

static tulle_solve_report solve_on_cpu(tulle_ctx *ctx, const problem *p, tulle_mat *A) {
    tulle_solve_report r;
    must(tulle_solve(ctx, A, p->b, p->x, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    return r;
}

/* Multigrid is chosen, by plain aggregation or, for few rows of a GPU, by the classical family, for
 * long chains of rows; follows where a chain is short and the iterations are many all the same; and
 * is not chosen for a matrix with a strong diagonal. */
static void chooses_multigrid(tulle_ctx *ctx, const char *where) {
    if (is_slow(where)) {
        say_skipped("the choice of multigrid: an emulator is too slow");
        return;
    }
    const bool gpu = strncmp(where, "cuda", 4) == 0;
    const int side = gpu ? 700 : 260;
    problem p = problem_of(ctx, system_grid(side, 0, 0), TULLE_F64);
    tulle_solve_report r = solve_on_cpu(ctx, &p, p.A);
    const char *first = gpu ? "amg:2" : "amg-plain:2";
    assert_string_equal(r.precond, first);
    assert_int_equal(r.attempts, 1);
    assert_true(r.solver.iterations < 30);

    /* Red and black points, among which chains have two rows. */
    int64_t *order = calloc((size_t)p.s.n, sizeof *order), count = 0;
    for (int color = 0; color < 2; color++) {
        for (int64_t i = 0; i < p.s.n; i++) {
            if ((i % side + i / side) % 2 == color) order[count++] = i;
        }
    }
    tulle_order *P = NULL;
    tulle_mat *colored = NULL;
    must(tulle_order_create(ctx, p.s.n, order, &P));
    must(tulle_mat_permute(ctx, p.A, P, P, &colored));
    r = solve_on_cpu(ctx, &p, colored);
    assert_int_equal(r.attempts, 2);
    assert_int_equal(r.attempt[0].outcome, TULLE_MOST_ITERATIONS);
    assert_string_equal(r.precond, first);
    tulle_order_destroy(P);
    tulle_mat_destroy(colored);
    free(order);
    problem_free(&p);

    p = problem_of(ctx, system_grid(side, 0, 4), TULLE_F64);
    r = solve_on_cpu(ctx, &p, p.A);
    assert_int_equal(r.attempts, 1);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(chooses_multigrid)

/* Multigrid is chosen also for a flow, where A is not symmetric: with BiCGStab, which turns from
 * plain aggregation to the classical family where the flow is fast; a short chain gets the
 * diagonal. */
static void chooses_multigrid_for_flows(tulle_ctx *ctx, const char *where) {
    static const double flows[] = {0.05, 0.9};
    if (is_slow(where)) {
        say_skipped("the choice of multigrid: an emulator is too slow");
        return;
    }
    /* The launches of a hierarchy on a GPU take as long as some 400 short iterations. */
    const bool large = strncmp(where, "cuda", 4) == 0;
    const int side = large ? 600 : 160, most = large ? 60 : 30;
    for (int k = 0; k < 2; k++) {
        problem p = problem_of(ctx, system_grid(side, flows[k], 0), TULLE_F64);
        const tulle_solve_report r = solve_on_cpu(ctx, &p, p.A);
        assert_int_equal(r.method, TULLE_BICGSTAB);
        assert_int_equal(strncmp(r.precond, "amg", 3), 0);
        assert_true(r.solver.iterations < most);
        problem_free(&p);
    }
    problem p = problem_of(ctx, system_grid(60, 0.05, 0), TULLE_F64);
    const tulle_solve_report r = solve_on_cpu(ctx, &p, p.A);
    assert_int_equal(r.method, TULLE_BICGSTAB);
    assert_int_equal(strncmp(r.attempt[0].precond, "amg", 3) != 0, 1);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(chooses_multigrid_for_flows)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solves),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test(test_ends_by_name),
        cmocka_unit_test(test_reports_one),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_multigrid_by_name),
        cmocka_unit_test(test_chooses_multigrid),
        cmocka_unit_test(test_chooses_multigrid_for_flows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
