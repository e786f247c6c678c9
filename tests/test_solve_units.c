/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of a solution does not change when the units of A and b do, nor when each row and
 * each unknown has its own: for all methods and preconditioners, and with f32 inside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"
#include "tulle/factor.h"
#include "units.h"

typedef enum { NONE, JACOBI, BLOCKS, ILU, IC, POLYNOMIAL, PRECONDS } precond;

/* A system with what preconditions it. */
typedef struct {
    problem p;
    tulle_type type;
    tulle_factor *F;
    tulle_linop *diagonal;
} scaled;

static void make_precond(tulle_ctx *ctx, precond which, scaled *s) {
    const tulle_factor_options options = {.kind = which == IC ? TULLE_CHOLESKY : TULLE_LU};
    if (which == JACOBI) must(tulle_linop_jacobi(ctx, s->p.L, &s->p.M));
    if (which == BLOCKS) must(tulle_linop_block_jacobi(ctx, s->p.A, 3, &s->p.M));
    if (which == ILU || which == IC) {
        must(tulle_factor_create(ctx, s->p.A, &options, &s->F));
        must(tulle_linop_from_factor(ctx, s->F, s->type, &s->p.M));
    }
    if (which == POLYNOMIAL) {
        must(tulle_linop_jacobi(ctx, s->p.L, &s->diagonal));
        must(tulle_linop_chebyshev(ctx, s->p.L, s->diagonal, 3, 0, 0, &s->p.M));
    }
}

/* times: of A and of b, whose numbers are near 1 before. */
static scaled make(tulle_ctx *ctx, host_system s, tulle_type type, precond which, double times,
                   double b_times) {
    units_multiply(s.nnz, s.values, times);
    scaled made = {.p = problem_of(ctx, s, type), .type = type};
    double *b = calloc((size_t)s.n, sizeof *b);
    for (int64_t i = 0; i < s.n; i++) b[i] = (1 + (double)(i % 7)) * b_times;
    float *narrow = calloc((size_t)s.n, sizeof *narrow);
    for (int64_t i = 0; i < s.n; i++) narrow[i] = (float)b[i];
    must(tulle_vec_write(ctx, made.p.b, type == TULLE_F32 ? (void *)narrow : (void *)b, 0));
    free(narrow);
    free(b);
    make_precond(ctx, which, &made);
    return made;
}

static void give_up(scaled *s) {
    tulle_factor *F = s->F;
    tulle_linop *diagonal = s->diagonal;
    problem_free(&s->p);
    tulle_linop_destroy(diagonal);
    tulle_factor_destroy(F);
}

static tulle_solver_report solve(tulle_ctx *ctx, const problem *p, const tulle_solver_options *o) {
    tulle_solver *S = NULL;
    tulle_solver_report r;
    must(tulle_solver_create(ctx, p->L, p->M, o, &S));
    must(tulle_solver_run(ctx, S, p->b, p->x, &r));
    tulle_solver_destroy(S);
    return r;
}

/* That converged is true, and what is told of the residual, of x as it was handed out. */
static void check_claim(tulle_ctx *ctx, const scaled *s, const tulle_solver_report *r) {
    const tulle_type type = s->type;
    const system_norms norms = system_check(ctx, &s->p.s, type, s->p.b, s->p.x);
    if (r->outcome != TULLE_CONVERGED) return;
    assert_true(norms.residual <= (type == TULLE_F32 ? 1.0001e-5 : 1.0001e-8) * norms.b);
    assert_true(fabs(r->norm - norms.residual) <= 1e-4 * r->limit);
}

/* Of which parts the units change. */
enum { OF_A = 1, OF_B = 2 };

static host_system grid_of(tulle_method method, int side) {
    return system_grid(side, system_wants_symmetric(method) ? 0 : 0.3, 0.1);
}

/* Bits are asked for where they were seen to be the same. On an H200 BiCGStab with a polynomial in
 * f32 ends, at units of 2^80, after as many iterations with another norm, by 0.6 %. */
static bool has_exact_bits(tulle_ctx *ctx) {
    tulle_device_info info;
    must(tulle_ctx_device(ctx, &info));
    return info.backend != TULLE_CUDA;
}

static void one_scale(tulle_ctx *ctx, const tulle_solver_options *o, precond which, int side,
                      tulle_type type, units_scale scale, int of,
                      const tulle_solver_report *at_one) {
    const double times = of & OF_A ? scale.factor : 1, b_times = of & OF_B ? scale.factor : 1;
    scaled s = make(ctx, grid_of(o->method, side), type, which, times, b_times);
    const tulle_solver_report r = solve(ctx, &s.p, o);
    if (r.outcome != at_one->outcome ||
        !units_same_iterations(scale, at_one->iterations, r.iterations)) {
        fail_msg(
            "method %d, preconditioner %d, type %d, units %g of %d: outcome %d after %lld "
            "iterations, not %d after %lld",
            (int)o->method, (int)which, (int)type, scale.factor, of, (int)r.outcome,
            (long long)r.iterations, (int)at_one->outcome, (long long)at_one->iterations);
    }
    if (o->norm == TULLE_TRUE_NORM) {
        check_claim(ctx, &s, &r);
        if (scale.exact && has_exact_bits(ctx) && r.norm != at_one->norm * b_times) {
            fail_msg("method %d, preconditioner %d, type %d, units %g of %d: norm %a, not %a",
                     (int)o->method, (int)which, (int)type, scale.factor, of, r.norm,
                     at_one->norm * b_times);
        }
    }
    give_up(&s);
}

static void all_scales(tulle_ctx *ctx, const char *where, tulle_solver_options o, precond which,
                       tulle_type type) {
    const int side = is_slow(where) ? 3 : 6;
    const units_list near = units_of(type), far = units_far_of(type);
    scaled s = make(ctx, grid_of(o.method, side), type, which, 1, 1);
    const tulle_solver_report at_one = solve(ctx, &s.p, &o);
    give_up(&s);
    assert_int_equal(at_one.outcome, TULLE_CONVERGED);
    const int all = near.count + far.count, few = is_slow(where) ? 10 : 1;
    for (int i = is_slow(where) ? turn_in_order(where, few) : 0; i < all; i += few) {
        const units_scale scale = i < near.count ? near.scales[i] : far.scales[i - near.count];
        for (int of = OF_A; of <= (OF_A | OF_B); of++) {
            one_scale(ctx, &o, which, side, type, scale, of, &at_one);
        }
    }
}

static void units_of_all(tulle_ctx *ctx, const char *where) {
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int m = 0; m < TULLE_METHOD_COUNT; m++) {
            const bool symmetric = system_wants_symmetric((tulle_method)m);
            for (int which = 0; which < PRECONDS; which++) {
                if (which == IC && !symmetric) continue;
                if (is_slow(where) && which != NONE && which != JACOBI) continue;
                const tulle_solver_options o = {
                    .method = (tulle_method)m,
                    .restart = 7,
                    .norm = which % 2 && type == TULLE_F64 && m != TULLE_FGMRES
                                ? TULLE_PRECONDITIONED_NORM
                                : TULLE_TRUE_NORM};
                all_scales(ctx, where, o, (precond)which, (tulle_type)type);
            }
        }
    }
}
ONCE_ON_EACH_PLACE(units_of_all)

/* Each row and each unknown in its own power of 2: whatever the end, it is not claimed falsely. */
static void own_units(tulle_ctx *ctx, const char *where) {
    const int seeds = is_slow(where) ? 1 : 4, side = is_slow(where) ? 3 : 6;
    for (int way = 0; way < 2 * TULLE_METHOD_COUNT * 3 * seeds; way++) {
        const tulle_type type = way % 2 ? TULLE_F64 : TULLE_F32;
        const int m = way / 2 % TULLE_METHOD_COUNT, which = way / 2 / TULLE_METHOD_COUNT % 3;
        const int seed = way / 2 / TULLE_METHOD_COUNT / 3, most = type == TULLE_F32 ? 12 : 250;
        const tulle_solver_options o = {.method = (tulle_method)m,
                                        .lowest = m == TULLE_CHEBYSHEV ? 0.1 : 0,
                                        .highest = m == TULLE_CHEBYSHEV ? 2 : 0,
                                        .max_iterations = 60};
        host_system grid = grid_of(o.method, side);
        int *rows = units_powers(grid.n, most, (uint64_t)seed);
        int *columns = units_powers(grid.n, most, (uint64_t)seed + 100);
        /* CG's systems stay symmetric. */
        const bool symmetric = seed % 2;
        units_multiply_matrix(grid.n, grid.offsets, grid.columns, grid.values, rows,
                              symmetric ? rows : columns);
        scaled s = make(ctx, grid, type, which == 2 ? NONE : which == 1 ? JACOBI : NONE, 1, 1);
        const tulle_solver_report r = solve(ctx, &s.p, &o);
        assert_int_equal(r.outcome == TULLE_CONVERGED, r.norm <= r.limit);
        check_claim(ctx, &s, &r);
        give_up(&s);
        free(rows);
        free(columns);
    }
}
ONCE_ON_EACH_PLACE(own_units)

static host_system diagonal_system(int64_t n, const double *numbers) {
    host_system s = system_grid(2, 0, 0);
    s.n = n;
    s.nnz = 0;
    for (int64_t i = 0; i < n; i++) {
        if (numbers[i] != 0) {
            s.columns[s.nnz] = i;
            s.values[s.nnz++] = numbers[i];
        }
        s.offsets[i + 1] = s.nnz;
    }
    return s;
}

static void write_numbers(tulle_ctx *ctx, tulle_vec *to, double first, double second) {
    const double numbers[] = {first, second};
    must(tulle_vec_write(ctx, to, numbers, 0));
}

/* b is far below the guess, of which a part is met by no entry of A. */
static void tiny_b(tulle_ctx *ctx, const char *where) {
    static const struct {
        double first, second;
        tulle_outcome outcome;
    } guesses[] = {{1e-300, 1e10, TULLE_CONVERGED},
                   {0, 1e10, TULLE_CONVERGED},
                   {1e-300, 1e300, TULLE_CONVERGED},
                   {1e-300, INFINITY, TULLE_NOT_A_NUMBER},
                   {1e-300, (double)NAN, TULLE_NOT_A_NUMBER}};
    const double numbers[] = {1, 0};
    problem p = problem_of(ctx, diagonal_system(2, numbers), TULLE_F64);
    (void)where;
    for (size_t g = 0; g < sizeof guesses / sizeof *guesses; g++) {
        for (int m = 0; m < TULLE_METHOD_COUNT; m++) {
            if (m == TULLE_CHEBYSHEV) continue;
            const tulle_solver_options o = {.method = (tulle_method)m, .guess = true};
            write_numbers(ctx, p.b, 1e-300, 0);
            write_numbers(ctx, p.x, guesses[g].first, guesses[g].second);
            const tulle_solver_report r = solve(ctx, &p, &o);
            assert_int_equal(r.outcome, guesses[g].outcome);
            if (r.outcome != TULLE_CONVERGED) continue;
            double *x = problem_x(ctx, &p);
            assert_true(fabs(x[0] - 1e-300) <= 1.001e-308);
            assert_true(x[1] == guesses[g].second);
            free(x);
            assert_true(r.norm <= r.limit);
        }
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(tiny_b)

/* b is so small that, in units in which the guess is a number, nothing would be left of it: x = 0
 * is still no solution. */
static void lost_b(tulle_ctx *ctx, const char *where) {
    const double numbers[] = {1e300, 2e300};
    problem p = problem_of(ctx, diagonal_system(2, numbers), TULLE_F64);
    (void)where;
    for (int m = 0; m < TULLE_METHOD_COUNT; m++) {
        if (m == TULLE_CHEBYSHEV) continue;
        const tulle_solver_options o = {.method = (tulle_method)m, .guess = true};
        write_numbers(ctx, p.b, 1e-320, 0);
        write_numbers(ctx, p.x, 0, 1e10);
        assert_int_not_equal(solve(ctx, &p, &o).outcome, TULLE_CONVERGED);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(lost_b)

/* No start is good enough for an A that has NaN or Inf, whatever `absolute` allows, and whatever b.
 */
static void not_finite(tulle_ctx *ctx, const char *where) {
    for (int way = 0; way < 16; way++) {
        const double number = way & 1 ? (double)NAN : INFINITY, b = way & 2 ? 0 : 1;
        const tulle_solver_options o = {
            .method = (way & 4) ? TULLE_GMRES : TULLE_CG, .absolute = 10, .guess = way & 8};
        host_system s = system_grid(2, 0, 0);
        s.values[4] = number;
        problem p = problem_of(ctx, s, TULLE_F64);
        must(tulle_vec_fill(ctx, p.b, b));
        must(tulle_vec_fill(ctx, p.x, 0));
        assert_int_equal(solve(ctx, &p, &o).outcome, TULLE_NOT_A_NUMBER);
        problem_free(&p);
    }
    (void)where;
}
ONCE_ON_EACH_PLACE(not_finite)

static int remember_norms(void *user, int64_t iteration, double norm) {
    double *last = user;
    if (iteration == 0) *last = norm;
    return norm - norm != 0;
}

/* f32 inside, of matrices that f32 cannot hold: as at 1, in either norm. */
static void mixed(tulle_ctx *ctx, const char *where) {
    static const double factors[] = {1, 1e39, 1e-40, 1e-50, 1e200, 0x1p-300};
    const int side = is_slow(where) ? 3 : 6;
    for (int way = 0; way < 4; way++) {
        int64_t at_one = 0;
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
            double first = 0;
            const int power = f == 0 ? 0 : -ilogb(factors[f]);
            tulle_solver_options o = {.method = TULLE_CG,
                                      .norm = (tulle_residual_norm)(way & 1),
                                      .monitor = remember_norms,
                                      .monitor_user = &first,
                                      .single_scale = ldexp(1, power)};
            scaled wide = make(ctx, grid_of(TULLE_CG, side), TULLE_F64, way & 1 ? JACOBI : NONE,
                               factors[f], 1);
            scaled narrow = make(ctx, grid_of(TULLE_CG, side), TULLE_F32, way & 2 ? JACOBI : NONE,
                                 ldexp(factors[f], power), 1);
            o.single_A = narrow.p.L;
            o.single_M = narrow.p.M;
            const tulle_solver_report r = solve(ctx, &wide.p, &o);
            assert_int_equal(r.outcome, TULLE_CONVERGED);
            assert_true(first == r.start_norm);
            if (!(way & 1)) check_claim(ctx, &wide, &r);
            if (f == 0) at_one = r.iterations;
            assert_true(llabs(r.iterations - at_one) <= 1 + at_one / 10);
            give_up(&narrow);
            give_up(&wide);
        }
    }
}
ONCE_ON_EACH_PLACE(mixed)

/* The second unknown's numbers are so large that A A r has none of f64, which the pipelined form
 * carries: the plain one goes on from the start, which is not lost. */
static void goes_on(tulle_ctx *ctx, const char *where) {
    const double values[] = {1, 1, 1, 1e200};
    (void)where;
    for (int way = 0; way < 2; way++) {
        const tulle_solver_options o = {.method = TULLE_CG, .guess = way};
        host_system s = system_grid(2, 0, 0);
        s.n = 2;
        s.nnz = 4;
        for (int k = 0; k < 4; k++) {
            s.columns[k] = k % 2;
            s.values[k] = values[k];
        }
        s.offsets[1] = 2;
        s.offsets[2] = 4;
        problem p = problem_of(ctx, s, TULLE_F64);
        write_numbers(ctx, p.b, 1, 0);
        write_numbers(ctx, p.x, 0.5, 0);
        const tulle_solver_report r = solve(ctx, &p, &o);
        assert_int_equal(r.outcome, TULLE_CONVERGED);
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(goes_on)

/* 1e200 times the number of its place, by a function of the caller's. */
static tulle_status caller_apply(void *self, tulle_ctx *ctx, const tulle_vec *X, tulle_vec *Y) {
    return tulle_linop_apply(ctx, TULLE_N, tulle_num(1), self, X, tulle_num(0), Y);
}

static void functions(tulle_ctx *ctx, const char *where) {
    static const double factors[] = {1, 0x1p-664, 0x1p+664};
    int64_t at_one = 0;
    for (int m = 0; m < TULLE_METHOD_COUNT; m++) {
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++) {
            const tulle_linop_functions call = {.apply = caller_apply};
            const tulle_solver_options o = {.method = (tulle_method)m};
            scaled s = make(ctx, grid_of(o.method, is_slow(where) ? 3 : 6), TULLE_F64, NONE,
                            factors[f], 1);
            problem p = s.p;
            must(tulle_linop_create(ctx, TULLE_F64, p.s.n, p.s.n, &call, s.p.L, &p.L));
            const tulle_solver_report r = solve(ctx, &p, &o);
            assert_int_equal(r.outcome, TULLE_CONVERGED);
            if (f == 0) at_one = r.iterations;
            assert_int_equal(r.iterations, at_one);
            tulle_linop_destroy(p.L);
            give_up(&s);
        }
    }
}
ONCE_ON_EACH_PLACE(functions)

/* Values that change by so much without a word: the first solution says that it did not converge,
 * and the next one looks at A again. */
static void changed_values(tulle_ctx *ctx, const char *where) {
    scaled s = make(ctx, grid_of(TULLE_CG, 3), TULLE_F64, NONE, 1, 1);
    const tulle_solver_options o = {.method = TULLE_BICGSTAB};
    tulle_solver *S = NULL;
    tulle_solver_report r;
    (void)where;
    must(tulle_solver_create(ctx, s.p.L, NULL, &o, &S));
    must(tulle_solver_run(ctx, S, s.p.b, s.p.x, &r));
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    units_multiply(s.p.s.nnz, s.p.s.values, 1e250);
    must(tulle_mat_set_values(ctx, s.p.A, s.p.s.nnz, s.p.s.values));
    must(tulle_solver_run(ctx, S, s.p.b, s.p.x, &r));
    assert_int_not_equal(r.outcome, TULLE_CONVERGED);
    must(tulle_solver_run(ctx, S, s.p.b, s.p.x, &r));
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    tulle_solver_destroy(S);
    give_up(&s);
}
ONCE_ON_EACH_PLACE(changed_values)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units_of_all),   cmocka_unit_test(test_own_units),
        cmocka_unit_test(test_lost_b),         cmocka_unit_test(test_tiny_b),
        cmocka_unit_test(test_not_finite),     cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_goes_on),        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_changed_values),
    };
    emulate_by_turns(2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
