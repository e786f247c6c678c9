/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_solve within limits of its caller: time, attempts, memory, a monitor that says stop, and
 * numbers that are none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"
#include "tulle/solve.h"

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A random matrix whose complete factors are nearly full: seconds of work for its number of rows.
 */
static tulle_mat *full_factors(tulle_ctx *ctx, int rows) {
    enum { EACH = 8 };
    int32_t *offsets = malloc(((size_t)rows + 1) * sizeof *offsets);
    int32_t *columns = malloc((size_t)rows * EACH * sizeof *columns);
    double *values = malloc((size_t)rows * EACH * sizeof *values);
    unsigned state = 1;
    tulle_mat *A = NULL, *B = NULL;
    for (int i = 0; i <= rows; i++) offsets[i] = EACH * i;
    for (int k = 0; k < rows * EACH; k++) {
        state = state * 1664525u + 1013904223u;
        columns[k] = k % EACH == 0 ? k / EACH : (int32_t)((state >> 8) % (unsigned)rows);
        values[k] = k % EACH == 0 ? 1 : 1 + (double)(state >> 20) / 4096;
    }
    must(tulle_mat_create_csr(ctx, rows, rows, (int64_t)rows * EACH, TULLE_I32, offsets, columns,
                              TULLE_F64, values, NULL, &A));
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, TULLE_SUM_DUPLICATES, &B));
    tulle_mat_destroy(A);
    free(offsets);
    free(columns);
    free(values);
    return B;
}

/* Time that is spent on choosing and on factors counts, and ends factors that take longer. */
static void ends_in_time(tulle_ctx *ctx, const char *where) {
    static const char *const preconds[] = {"lu", NULL};
    if (is_slow(where)) {
        say_skipped("limits of time: an emulator's own time is far beyond them");
        return;
    }
    for (int c = 0; c < 2; c++) {
        const double most = 0.5;
        const tulle_solve_options o = {.precond = preconds[c], .solver = {.max_seconds = most}};
        tulle_solve_report r;
        tulle_mat *A = full_factors(ctx, 9000);
        tulle_vec *b = NULL, *x = NULL;
        must(tulle_vec_create(ctx, TULLE_F64, 9000, &b));
        must(tulle_vec_create(ctx, TULLE_F64, 9000, &x));
        must(tulle_vec_fill(ctx, b, 1));
        must(tulle_vec_fill(ctx, x, 7));
        const double start = seconds();
        must(tulle_solve(ctx, A, b, x, &o, &r));
        assert_true(seconds() - start < 60 * most);
        assert_int_equal(r.solver.outcome, TULLE_MOST_TIME);
        assert_true(r.solver.norm <= r.solver.start_norm);
        assert_true(r.solver.start_norm <= sqrt(9000) * (1 + 1e-12));
        if (c == 0) assert_false(r.attempt[0].made);
        tulle_vec_destroy(x);
        tulle_vec_destroy(b);
        tulle_mat_destroy(A);
    }
}

/* Counts calls, and says stop in one of them. */
typedef struct {
    int calls, last;
} stopper;

static int stop_at(void *user, int64_t iteration, double norm) {
    stopper *s = user;
    (void)iteration;
    (void)norm;
    return ++s->calls >= s->last;
}

/* A monitor ends all attempts, in whichever of them it says so. CG finds this A indefinite, and
 * GMRES solves the system. */
static void stops(tulle_ctx *ctx, const char *where) {
    static const int32_t offsets[] = {0, 3, 6, 9}, columns[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const double values[] = {1, 0.9, 0.9, 0.9, 1, -0.9, 0.9, -0.9, 1}, rhs[] = {1, 2, 4};
    int several = 0;
    tulle_mat *A = NULL;
    tulle_vec *b = NULL, *x = NULL;
    (void)where;
    must(tulle_mat_create_csr(ctx, 3, 3, 9, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    must(tulle_vec_create(ctx, TULLE_F64, 3, &b));
    must(tulle_vec_create(ctx, TULLE_F64, 3, &x));
    must(tulle_vec_write(ctx, b, rhs, 0));
    for (int last = 1; last < 12; last++) {
        stopper s = {0, last};
        tulle_solve_report r;
        const tulle_solve_options o = {.precond = "none",
                                       .solver = {.monitor = stop_at, .monitor_user = &s}};
        must(tulle_solve(ctx, A, b, x, &o, &r));
        if (s.calls < last || r.solver.outcome == TULLE_CONVERGED) continue;
        several += r.attempts > 1;
        assert_int_equal(s.calls, last);
        assert_int_equal(r.solver.outcome, TULLE_STOPPED);
        assert_true(r.solver.norm <= sqrt(21) * (1 + 1e-12));
    }
    assert_true(several > 0);
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
}

/* Attempts whose preconditioner cannot be made count, too; then x is where it began. */
static void counts_attempts(tulle_ctx *ctx, const char *where) {
    static const int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    static const double values[] = {1, 1, 1, 1}, across[] = {1, -1}, guess[] = {0.25, 0};
    tulle_device_info device;
    (void)where;
    must(tulle_ctx_device(ctx, &device));
    for (int most = 1; most <= TULLE_MOST_ATTEMPTS; most++) {
        const tulle_solve_options o = {.max_attempts = most, .solver = {.guess = true}};
        double found[2];
        tulle_solve_report r;
        tulle_mat *A = NULL;
        tulle_vec *b = NULL, *x = NULL;
        must(tulle_mat_create_csr(ctx, 2, 2, 4, TULLE_I32, offsets, columns, TULLE_F64, values,
                                  NULL, &A));
        must(tulle_vec_create(ctx, TULLE_F64, 2, &b));
        must(tulle_vec_create(ctx, TULLE_F64, 2, &x));
        must(tulle_vec_write(ctx, b, across, 0));
        must(tulle_vec_write(ctx, x, guess, 0));
        must(tulle_solve(ctx, A, b, x, &o, &r));
        must(tulle_vec_read(ctx, x, found, 0));
        assert_true(r.attempts <= most);
        assert_true(r.solver.outcome != TULLE_CONVERGED);
        assert_true(r.solver.norm <= hypot(0.75, 1.25));
        if (most == 1 && device.backend != TULLE_CUDA) { /* a real GPU begins without factors */
            assert_false(r.attempt[0].made);
            assert_int_equal(r.solver.outcome, TULLE_BROKE_DOWN);
        }
        tulle_vec_destroy(x);
        tulle_vec_destroy(b);
        tulle_mat_destroy(A);
    }
}

/* Whatever memory there is: no memory for a first attempt is an error, for a later one no more than
 * its end, and none is lost. */
static void fits(tulle_ctx *ctx, const char *where) {
    const tulle_solve_options o = {.precond = "none",
                                   .solver = {.patience = 60, .tolerance = 1e-14}};
    host_system s = system_grid(30, 0, -3.1);
    int solved = 0;
    (void)ctx;
    if (is_slow(where)) {
        say_skipped("caps of memory in many sizes: an emulator is too slow");
        system_free(&s);
        return;
    }
    for (size_t cap = 200000; cap < 3000000; cap += 150000) {
        const tulle_ctx_options options = {.memory_cap = cap};
        tulle_ctx *tight = NULL;
        tulle_memory_usage before, after;
        tulle_solve_report r;
        must(tulle_ctx_create(where, &options, &tight));
        tulle_mat *A = system_mat(tight, &s, TULLE_F64);
        tulle_vec *b = system_vector(tight, TULLE_F64, s.n, 1);
        tulle_vec *x = system_vector(tight, TULLE_F64, s.n, 2);
        must(tulle_ctx_memory(tight, &before));
        const tulle_status status = tulle_solve(tight, A, b, x, &o, &r);
        must(tulle_ctx_memory(tight, &after));
        assert_int_equal(after.in_use - after.workspace, before.in_use - before.workspace);
        if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        if (status != TULLE_OK) assert_false(solved);
        solved += status == TULLE_OK;
        tulle_vec_destroy(x);
        tulle_vec_destroy(b);
        tulle_mat_destroy(A);
        tulle_ctx_destroy(tight);
    }
    assert_true(solved > 0);
    system_free(&s);
}

/* A right-hand side with NaN ends as such, whatever limit would have ended it otherwise: A has no
 * factors, and the limits leave no time and no second attempt. */
static void no_number(tulle_ctx *ctx, const char *where) {
    static const int32_t offsets[] = {0, 2, 4}, columns[] = {0, 1, 0, 1};
    static const double values[] = {1, 1, 1, 1}, rhs[] = {(double)NAN, 1};
    const tulle_solve_options limits[] = {
        {.max_attempts = 1},
        {.method = "gmres", .max_attempts = 1},
        {.solver = {.max_seconds = 1e-9}},
        {.method = "gmres", .max_attempts = 1, .solver = {.max_iterations = 1}},
    };
    tulle_mat *A = NULL;
    tulle_vec *b = NULL, *x = NULL;
    (void)where;
    must(tulle_mat_create_csr(ctx, 2, 2, 4, TULLE_I32, offsets, columns, TULLE_F64, values, NULL,
                              &A));
    must(tulle_vec_create(ctx, TULLE_F64, 2, &b));
    must(tulle_vec_create(ctx, TULLE_F64, 2, &x));
    must(tulle_vec_write(ctx, b, rhs, 0));
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        tulle_solve_report r;
        must(tulle_solve(ctx, A, b, x, &limits[l], &r));
        assert_int_equal(r.solver.outcome, TULLE_NOT_A_NUMBER);
    }
    tulle_vec_destroy(x);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
}

/* The reason for the method names the entry of A that is no number. */
static void names_entry(tulle_ctx *ctx, const char *where) {
    (void)where;
    host_system s = system_grid(5, 0, 0);
    s.values[s.offsets[7] + 1] = (double)NAN;
    char want[64];
    snprintf(want, sizeof want, "A has Inf or NaN in row 7, column %d",
             (int)s.columns[s.offsets[7] + 1]);
    problem p = problem_of(ctx, s, TULLE_F64);
    tulle_solve_report r;
    must(tulle_solve(ctx, p.A, p.b, p.x, NULL, &r));
    assert_int_equal(r.solver.outcome, TULLE_NOT_A_NUMBER);
    assert_string_equal(r.method_why, want);
    problem_free(&p);
}

/* Zeros have the solution 0, whatever the guess. */
static void zeros(tulle_ctx *ctx, const char *where) {
    (void)where;
    problem p = problem_of(ctx, system_grid(5, 0, 0), TULLE_F64);
    const tulle_solve_options o = {.solver = {.guess = true}};
    tulle_solve_report r;
    must(tulle_vec_fill(ctx, p.b, 0));
    must(tulle_vec_fill(ctx, p.x, (double)NAN));
    must(tulle_solve(ctx, p.A, p.b, p.x, &o, &r));
    assert_int_equal(r.solver.outcome, TULLE_CONVERGED);
    assert_true(r.solver.norm == 0);
    double *x = problem_x(ctx, &p);
    for (int64_t i = 0; i < p.s.n; i++) assert_true(x[i] == 0);
    free(x);
    must(tulle_vec_fill(ctx, p.b, 1));
    must(tulle_vec_fill(ctx, p.x, (double)NAN));
    must(tulle_solve(ctx, p.A, p.b, p.x, &o, &r));
    assert_int_equal(r.solver.outcome, TULLE_NOT_A_NUMBER);
    problem_free(&p);
}

#define EACH(name)                                                                                 \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        on_each_place(name);                                                                       \
    }
EACH(ends_in_time)
EACH(stops)
EACH(counts_attempts)
EACH(fits)
EACH(no_number)
EACH(names_entry)
EACH(zeros)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends_in_time),
                                       cmocka_unit_test(test_stops),
                                       cmocka_unit_test(test_counts_attempts),
                                       cmocka_unit_test(test_fits),
                                       cmocka_unit_test(test_no_number),
                                       cmocka_unit_test(test_names_entry),
                                       cmocka_unit_test(test_zeros)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
