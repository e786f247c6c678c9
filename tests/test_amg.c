/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid: hierarchies are the same on every place, coarse matrices are P^T A P, interpolation
 * keeps constants, and the number of iterations stays small. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hierarchies.h"
#include "places.h"
#include "problems.h"

/* Side of a grid on a place. */
static int side_of(const char *where) {
    return is_slow(where) ? 12 : 40;
}

/* The same hierarchy as on a CPU with one thread, in both types; and in other units. */
static void same_everywhere(tulle_ctx *ctx, const char *where) {
    tulle_ctx *cpu = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    for (int way = 0; way < 4; way++) {
        const tulle_type type = way & 1 ? TULLE_F64 : TULLE_F32;
        host_system s = way & 2 ? rough_grid(side_of(where)) : system_grid(side_of(where), 0, 0);
        const tulle_amg_options o = {.coarsest_rows = 10};
        const int power = type == TULLE_F64 ? 700 : 60;
        tulle_mat *A = system_mat(ctx, &s, type), *B = system_mat(cpu, &s, type);
        tulle_linop *M = NULL, *of_cpu = NULL, *scaled = NULL;
        must(tulle_amg_create(ctx, A, &o, &M));
        must(tulle_amg_create(cpu, B, &o, &of_cpu));
        assert_same(cpu, of_cpu, 0, ctx, M);
        for (int64_t k = 0; k < s.nnz; k++) s.values[k] = ldexp(s.values[k], power);
        tulle_mat *far = system_mat(ctx, &s, type);
        must(tulle_amg_create(ctx, far, &o, &scaled));
        assert_same(ctx, M, power, ctx, scaled);
        tulle_linop_destroy(M);
        tulle_linop_destroy(scaled);
        tulle_linop_destroy(of_cpu);
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
        tulle_mat_destroy(far);
        system_free(&s);
    }
    tulle_ctx_destroy(cpu);
}

static void test_same_everywhere(void **state) {
    (void)state;
    on_each_place(same_everywhere);
}

static void products(tulle_ctx *ctx, const char *where) {
    host_system s = rough_grid(9);
    tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
    (void)where;
    EACH_FAMILY(family) {
        const tulle_amg_options o = {
            .coarsest_rows = 2, .passing = TULLE_AMG_PASS_NONE, .family = family};
        tulle_linop *M = NULL;
        tulle_amg_info info;
        must(tulle_amg_create(ctx, A, &o, &M));
        must(tulle_amg_describe(M, &info));
        assert_true(info.levels >= 3);
        assert_products(ctx, M);
        tulle_linop_destroy(M);
    }
    tulle_mat_destroy(A);
    system_free(&s);
}
ONCE_ON_EACH_PLACE(products)

/* Rows that add up to 0 are interpolated by numbers that add up to 1; a coarse row is itself. */
static void constants(tulle_ctx *ctx, const char *where) {
    host_system s = system_torus(side_of(where));
    tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
    const tulle_amg_options o = {.coarsest_rows = 5, .interpolation_entries = 3};
    tulle_linop *M = NULL;
    tulle_amg_info info;
    must(tulle_amg_create(ctx, A, &o, &M));
    must(tulle_amg_describe(M, &info));
    for (int l = 0; l + 1 < info.levels; l++) {
        tulle_amg_level_info level;
        must(tulle_amg_level(M, l, &level));
        host_mat P = read_mat(ctx, level.P);
        for (int64_t i = 0; i < P.rows; i++) {
            double sum = 0;
            assert_true(P.offsets[i + 1] - P.offsets[i] <= 3);
            for (int64_t k = P.offsets[i]; k < P.offsets[i + 1]; k++) {
                assert_true(P.values[k] > 0);
                sum += P.values[k];
            }
            assert_true(fabs(sum - 1) < 1e-12);
        }
        free_mat(&P);
    }
    tulle_linop_destroy(M);
    tulle_mat_destroy(A);
    system_free(&s);
}
ONCE_ON_EACH_PLACE(constants)

/* A row of P keeps the largest entries of the row that it would have without a limit. */
static void keeps_largest(tulle_ctx *ctx, const char *where) {
    host_system s = rough_grid(is_slow(where) ? 9 : 20);
    tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
    const tulle_amg_options all = {.interpolation_entries = 16, .coarsest_rows = 5};
    const tulle_amg_options two = {.interpolation_entries = 2, .coarsest_rows = 5};
    tulle_linop *of_all = NULL, *of_two = NULL;
    tulle_amg_level_info level;
    must(tulle_amg_create(ctx, A, &all, &of_all));
    must(tulle_amg_create(ctx, A, &two, &of_two));
    must(tulle_amg_level(of_all, 0, &level));
    host_mat whole = read_mat(ctx, level.P);
    must(tulle_amg_level(of_two, 0, &level));
    host_mat cut = read_mat(ctx, level.P);
    int64_t longest = 0;
    for (int64_t i = 0; i < whole.rows; i++) {
        const int64_t length = whole.offsets[i + 1] - whole.offsets[i];
        double least = INFINITY;
        if (length > longest) longest = length;
        assert_int_equal(cut.offsets[i + 1] - cut.offsets[i], length < 2 ? length : 2);
        for (int64_t k = cut.offsets[i]; k < cut.offsets[i + 1]; k++) {
            least = fmin(least, fabs(number_at(&whole, i, cut.columns[k])));
        }
        int64_t above = 0;
        for (int64_t k = whole.offsets[i]; k < whole.offsets[i + 1]; k++) {
            above += fabs(whole.values[k]) > least;
        }
        assert_true(above < 2);
    }
    assert_true(longest > 3);
    free_mat(&whole);
    free_mat(&cut);
    tulle_linop_destroy(of_all);
    tulle_linop_destroy(of_two);
    tulle_mat_destroy(A);
    system_free(&s);
}
ONCE_ON_EACH_PLACE(keeps_largest)

/* CG in few iterations, by each degree of the smoother; the same cycle is symmetric. */
static void converges(tulle_ctx *ctx, const char *where) {
    for (int way = 0; way < 16; way++) {
        const bool same = way & 8;
        const tulle_type type = way & 1 ? TULLE_F64 : TULLE_F32;
        host_system s = way & 2 ? rough_grid(side_of(where)) : system_grid(side_of(where), 0, 0);
        problem p = problem_of(ctx, s, type);
        const tulle_amg_options o = {.degree = way & 4 ? 3 : 1,
                                     .coarsest_rows = 40,
                                     .passing = way & 4 ? TULLE_AMG_PASS_FIRST : 0,
                                     .precision = same ? TULLE_AMG_SAME : 0};
        const tulle_solver_options with = {.tolerance = type == TULLE_F32 ? 1e-5 : 1e-10};
        tulle_linop *M = NULL;
        must(tulle_amg_create(ctx, p.A, &o, &M));
        const tulle_solver_report r = problem_solve(ctx, &p, M, &with);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_true(r.iterations <= 22);
        const system_norms norms = system_check(ctx, &p.s, type, p.b, p.x);
        assert_true(norms.residual <= 1.0001 * with.tolerance * norms.b);
        tulle_vec *Mx = system_vector(ctx, type, s.n, 3), *My = system_vector(ctx, type, s.n, 4);
        double left, right;
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.b, tulle_num(0), Mx));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.x, tulle_num(0), My));
        must(tulle_vec_dot(ctx, p.x, Mx, tulle_to_num(&left)));
        must(tulle_vec_dot(ctx, p.b, My, tulle_to_num(&right)));
        const double digits = type == TULLE_F32 ? 1e-3 : same ? 1e-11 : 1e-6;
        assert_true(fabs(left - right) <= digits * fabs(left));
        tulle_vec_destroy(Mx);
        tulle_vec_destroy(My);
        tulle_linop_destroy(M);
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(converges)

/* Numbers of M b, on the host. */
static double *applied(tulle_ctx *ctx, const problem *p, tulle_linop *M) {
    tulle_vec *Mb = system_vector(ctx, TULLE_F64, p->s.n, 3);
    double *numbers = calloc((size_t)p->s.n, sizeof *numbers);
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p->b, tulle_num(0), Mb));
    must(tulle_vec_read(ctx, Mb, numbers, 0));
    tulle_vec_destroy(Mb);
    return numbers;
}

/* M of -A is -M of A, to the last bit, so that a method for any A takes as many iterations. */
static void negative(tulle_ctx *ctx, const char *where, tulle_amg_family family,
                     tulle_amg_precision precision) {
    const tulle_amg_options o = {.coarsest_rows = 20, .family = family, .precision = precision};
    const tulle_solver_options fgmres = {.method = TULLE_FGMRES};
    double *numbers[2];
    int64_t iterations[2];
    for (int sign = 0; sign < 2; sign++) {
        host_system s = rough_grid(side_of(where));
        for (int64_t k = 0; k < s.nnz && sign; k++) s.values[k] = -s.values[k];
        problem p = problem_of(ctx, s, TULLE_F64);
        tulle_linop *M = NULL;
        must(tulle_amg_create(ctx, p.A, &o, &M));
        numbers[sign] = applied(ctx, &p, M);
        const tulle_solver_report r = problem_solve(ctx, &p, M, &fgmres);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        iterations[sign] = r.iterations;
        for (int64_t i = 0; i < p.s.n; i++)
            assert_true(numbers[sign][i] == -numbers[0][i] || !sign);
        tulle_linop_destroy(M);
        problem_free(&p);
    }
    assert_int_equal(iterations[0], iterations[1]);
    free(numbers[0]);
    free(numbers[1]);
}

static void negatives(tulle_ctx *ctx, const char *where) {
    EACH_FAMILY(family) {
        negative(ctx, where, family, TULLE_AMG_SAME);
        negative(ctx, where, family, TULLE_AMG_PRECISION_CHOOSE);
    }
}
ONCE_ON_EACH_PLACE(negatives)

/* Rows with given values are positive where all others are negative, as where an operator is
 * written as it is and its boundary conditions as u_i = g_i. */
static void given_rows(tulle_ctx *ctx, const char *where) {
    host_system s = system_grid(side_of(where), 0, 0);
    const tulle_solver_options bicgstab = {.method = TULLE_BICGSTAB};
    tulle_linop *M = NULL;
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t k = s.offsets[i]; k < s.offsets[i + 1]; k++) {
            const double given = s.columns[k] == i ? 1 : 0;
            s.values[k] = i % 17 == 3 ? given : -s.values[k];
        }
    }
    problem p = problem_of(ctx, s, TULLE_F64);
    EACH_FAMILY(family) {
        const tulle_amg_options o = {.coarsest_rows = 20, .family = family};
        must(tulle_amg_create(ctx, p.A, &o, &M));
        const tulle_solver_report r = problem_solve(ctx, &p, M, &bicgstab);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        assert_true(r.iterations <= 8);
        tulle_linop_destroy(M);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(given_rows)

static double of_diagonal(int64_t i, int64_t j) {
    return i == j ? 1 + (double)(i % 7) : 0;
}
static double of_full(int64_t i, int64_t j) {
    return i == j ? 40 : -1;
}
/* Two chains that know nothing of each other. */
static double of_parts(int64_t i, int64_t j) {
    return i == j ? 2 : (i - j == 1 && i != 20) || (j - i == 1 && j != 20) ? -1 : 0;
}
/* A chain whose fifth row and column are zeros. */
static double with_zeros(int64_t i, int64_t j) {
    if (i == 5 || j == 5) return 0;
    return i == j ? 2 : llabs((long long)(i - j)) == 1 ? -1 : 0;
}
/* A chain with one row that has nothing on the diagonal. */
static double without_pivot(int64_t i, int64_t j) {
    if (i == 7 && j == 7) return 0;
    return of_parts(i, j);
}

/* Rows that depend on earlier rows alone: connections have one direction. */
static double of_one_way(int64_t i, int64_t j) {
    if (i == j) return 2;
    return i - j == 1 || i - j == 7 ? -1 : 0;
}

/* Small and odd matrices: with few rows the cycle is the inverse; with more, CG or GMRES converge.
 */
static void odd_matrix(tulle_ctx *ctx, int which, bool few, tulle_amg_family family) {
    double (*const entries[])(int64_t, int64_t) = {of_diagonal, of_full,       of_parts,
                                                   with_zeros,  without_pivot, of_one_way};
    const int64_t n = 40;
    problem p = problem_of(ctx, system_of(n, entries[which]), TULLE_F64);
    const tulle_amg_options o = {.coarsest_rows = few ? 64 : 8, .family = family};
    const tulle_solver_options gmres = {.method = TULLE_GMRES, .restart = 50};
    tulle_linop *M = NULL;
    double *b = calloc((size_t)n, sizeof *b);
    must(tulle_vec_read(ctx, p.b, b, 0));
    if (which == 3) b[5] = 0;
    must(tulle_vec_write(ctx, p.b, b, 0));
    must(tulle_amg_create(ctx, p.A, &o, &M));
    const tulle_solver_report r = problem_solve(ctx, &p, M, &gmres);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    if (few) assert_true(r.iterations <= 2);
    tulle_linop_destroy(M);
    problem_free(&p);
    free(b);
}

static void odd_matrices(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int which = 0; which < 6; which++) {
        odd_matrix(ctx, which, true, TULLE_AMG_FAMILY_CHOOSE);
        EACH_FAMILY(family)
        odd_matrix(ctx, which, false, family);
    }
}
ONCE_ON_EACH_PLACE(odd_matrices)

/* A singular matrix with its null space; NaN is carried on to an outcome. */
static void ends_of(tulle_ctx *ctx, const char *where, tulle_amg_family family) {
    problem p = problem_of(ctx, system_torus(side_of(where)), TULLE_F64);
    const tulle_amg_options o = {.family = family, .coarsest_rows = 20};
    const tulle_solver_options null_space = {.constant_null_space = true};
    tulle_linop *M = NULL;
    must(tulle_amg_create(ctx, p.A, &o, &M));
    const tulle_solver_report r = problem_solve(ctx, &p, M, &null_space);
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    assert_true(r.iterations <= 20);
    tulle_linop_destroy(M);
    problem_free(&p);

    host_system s = system_grid(20, 0, 0);
    s.values[s.nnz / 2] = (double)NAN;
    p = problem_of(ctx, s, TULLE_F64);
    must(tulle_amg_create(ctx, p.A, &o, &M));
    assert_int_equal(problem_solve(ctx, &p, M, NULL).outcome, TULLE_NOT_A_NUMBER);
    tulle_linop_destroy(M);
    problem_free(&p);
}

/* The same for all families; no rows; one row. */
static void ends(tulle_ctx *ctx, const char *where) {
    EACH_FAMILY(family) {
        ends_of(ctx, where, family);
        for (int64_t n = 0; n < 2; n++) {
            const tulle_amg_options o = {.family = family};
            tulle_amg_info info;
            tulle_linop *M = NULL;
            problem p = problem_of(ctx, system_of(n, of_diagonal), TULLE_F64);
            must(tulle_amg_create(ctx, p.A, &o, &M));
            must(tulle_amg_describe(M, &info));
            assert_int_equal(info.levels, n);
            assert_int_equal(problem_solve(ctx, &p, M, NULL).outcome, TULLE_CONVERGED);
            tulle_linop_destroy(M);
            problem_free(&p);
        }
    }
}
ONCE_ON_EACH_PLACE(ends)

/* alpha, beta, several columns in both layouts, and new values. */
static void applications(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(10, 0, 0), TULLE_F64);
    const tulle_amg_options o = {.coarsest_rows = 20};
    const int64_t n = p.s.n;
    tulle_linop *M = NULL;
    double *one = calloc((size_t)n, sizeof *one), *all = calloc((size_t)(3 * n), sizeof *all);
    (void)where;
    must(tulle_amg_create(ctx, p.A, &o, &M));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.b, tulle_num(0), p.x));
    must(tulle_vec_read(ctx, p.x, one, 0));
    for (int layout = 0; layout < 2; layout++) {
        const tulle_layout by = layout == 0 ? TULLE_COLUMN_MAJOR : TULLE_ROW_MAJOR;
        const int64_t row = layout == 0 ? 1 : 3, col = layout == 0 ? n : 1;
        tulle_vec *X = NULL, *Y = NULL;
        double *b = calloc((size_t)n, sizeof *b);
        must(tulle_vec_read(ctx, p.b, b, 0));
        must(tulle_vec_create_columns(ctx, TULLE_F64, n, 3, by, 0, &X));
        must(tulle_vec_create_columns(ctx, TULLE_F64, n, 3, by, 0, &Y));
        for (int64_t i = 0; i < 3 * n; i++)
            all[i % n * row + i / n * col] = b[i % n] * (double)(i / n);
        must(tulle_vec_write(ctx, X, all, layout == 0 ? n : 3));
        must(tulle_vec_fill(ctx, Y, 1));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(2), M, X, tulle_num(-1), Y));
        must(tulle_vec_read(ctx, Y, all, layout == 0 ? n : 3));
        for (int64_t i = 0; i < 3 * n; i++) {
            const double wanted = 2 * one[i % n] * (double)(i / n) - 1;
            assert_true(fabs(all[i % n * row + i / n * col] - wanted) <=
                        1e-12 * fabs(wanted) + 1e-12);
        }
        free(b);
        tulle_vec_destroy(X);
        tulle_vec_destroy(Y);
    }
    double *doubled = calloc((size_t)p.s.nnz, sizeof *doubled);
    for (int64_t k = 0; k < p.s.nnz; k++) doubled[k] = 2 * p.s.values[k];
    must(tulle_mat_set_values(ctx, p.A, p.s.nnz, doubled));
    must(tulle_linop_renew(ctx, M));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.b, tulle_num(0), p.x));
    must(tulle_vec_read(ctx, p.x, all, 0));
    for (int64_t i = 0; i < n; i++) assert_true(2 * all[i] == one[i]);
    free(doubled);
    free(one);
    free(all);
    tulle_linop_destroy(M);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(applications)

/* New values with P kept: the same values give the same bits, doubled ones those of A doubled, and
 * a solver goes on with its graph; the same with plans and without. */
static void update(tulle_ctx *ctx, const char *where, int way, tulle_amg_family family,
                   bool plans) {
    host_system s = way & 1 ? rough_grid(side_of(where)) : system_grid(side_of(where), 0, 0);
    problem p = problem_of(ctx, s, TULLE_F64);
    const bool other = way >= 2, apart = way >= 4; /* apart: with a pattern of its own */
    tulle_amg_options o = {.coarsest_rows = 10, .family = family};
    double *doubled = calloc((size_t)p.s.nnz, sizeof *doubled);
    tulle_linop *M = NULL, *fresh = NULL;
    tulle_mat *B = NULL, *own = NULL;
    tulle_solver *S = NULL;
    tulle_solver_report first, next;
    must(tulle_mat_copy(ctx, p.A, TULLE_F64, &own));
    must(tulle_amg_create(ctx, own, &o, &fresh));
    o.keep_plans = plans;
    must(tulle_amg_create(ctx, p.A, &o, &M));
    assert_same(ctx, fresh, 0, ctx, M);
    must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
    assert_same(ctx, fresh, 0, ctx, M);
    must(tulle_solver_create(ctx, p.L, M, NULL, &S));
    must(tulle_solver_run(ctx, S, p.b, p.x, &first));
    for (int64_t k = 0; k < p.s.nnz; k++) doubled[k] = 2 * p.s.values[k];
    if (apart) {
        host_system twice = p.s;
        twice.values = doubled;
        B = system_mat(ctx, &twice, TULLE_F64);
    } else if (other) {
        must(tulle_mat_with_values(ctx, p.A, TULLE_F64, p.s.nnz, doubled, &B));
    } else {
        must(tulle_mat_set_values(ctx, p.A, p.s.nnz, doubled));
    }
    must(tulle_amg_update(ctx, M, B, TULLE_AMG_KEEP_P));
    assert_same(ctx, fresh, 1, ctx, M);
    if (other) assert_same_mats(ctx, own, 0, ctx, p.A); /* it stays the caller's */
    if (!other) {
        must(tulle_solver_run(ctx, S, p.b, p.x, &next));
        assert_int_equal(next.outcome, TULLE_CONVERGED);
        assert_int_equal(next.iterations, first.iterations);
    }
    must(tulle_amg_update(ctx, M, p.A, TULLE_AMG_ANEW));
    assert_same(ctx, fresh, other ? 0 : 1, ctx, M);
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_linop_destroy(fresh);
    tulle_mat_destroy(B);
    tulle_mat_destroy(own);
    free(doubled);
    problem_free(&p);
}

static void updates(tulle_ctx *ctx, const char *where) {
    for (int way = 0; way < 6; way++) {
        EACH_FAMILY(family)
        for (int plans = 0; plans < 2; plans++) {
            if (is_slow(where) && (way + 3 * plans) % 6 % 3 != (int)family - 1) continue;
            update(ctx, where, way, family, plans == 1);
        }
    }
}
ONCE_ON_EACH_PLACE(updates)

static void refusals(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(3, 0, 0), TULLE_F64);
    const tulle_amg_options wrong[] = {{.strength = 2},
                                       {.strength = -1},
                                       {.most_sum = -1},
                                       {.interpolation_entries = 17},
                                       {.interpolation_entries = -1},
                                       {.degree = 9},
                                       {.degree = -1},
                                       {.most_levels = 65},
                                       {.most_levels = -1},
                                       {.coarsest_rows = -1},
                                       {.coarsest_rows = 5000},
                                       {.passing = (tulle_amg_passing)3},
                                       {.family = (tulle_amg_family)4}};
    tulle_linop *M = NULL;
    tulle_amg_info info;
    tulle_amg_level_info level;
    tulle_mat *wide = NULL;
    const int64_t offsets[] = {0, 1}, columns[] = {1};
    const double values[] = {1};
    (void)where;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        assert_int_equal(tulle_amg_create(ctx, p.A, wrong + k, &M), TULLE_INVALID_ARGUMENT);
        assert_null(M);
    }
    must(tulle_mat_create_csr(ctx, 1, 2, 1, TULLE_I64, offsets, columns, TULLE_F64, values, NULL,
                              &wide));
    assert_int_equal(tulle_amg_create(ctx, wide, NULL, &M), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_amg_create(ctx, NULL, NULL, &M), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_amg_describe(p.L, &info), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_amg_level(p.L, 0, &level), TULLE_INVALID_ARGUMENT);
    must(tulle_amg_create(ctx, p.A, NULL, &M));
    assert_int_equal(tulle_amg_level(M, 1, &level), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_amg_level(M, -1, &level), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_amg_update(ctx, p.L, NULL, TULLE_AMG_ANEW), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_amg_update(ctx, M, NULL, (tulle_amg_how)3), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_amg_update(ctx, M, wide, TULLE_AMG_KEEP_P), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_amg_update(ctx, NULL, NULL, TULLE_AMG_KEEP_P), TULLE_INVALID_ARGUMENT);
    tulle_mat *narrow = NULL;
    must(tulle_mat_copy(ctx, p.A, TULLE_F32, &narrow));
    assert_int_equal(tulle_amg_update(ctx, M, narrow, TULLE_AMG_KEEP_P), TULLE_TYPE_MISMATCH);
    tulle_mat_destroy(narrow);
    assert_int_equal(tulle_linop_apply(ctx, TULLE_T, tulle_num(1), M, p.b, tulle_num(0), p.x),
                     TULLE_UNSUPPORTED);
    tulle_linop_destroy(M);
    tulle_mat_destroy(wide);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_keeps_largest),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_converges),
        cmocka_unit_test(test_negatives),
        cmocka_unit_test(test_given_rows),
        cmocka_unit_test(test_odd_matrices),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_applications),
        cmocka_unit_test(test_updates),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
