/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at any point of making a hierarchy, of giving it new values, and of solving
 * with one for several right-hand sides at once: a clean status, no object, no leak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "hierarchies.h"
#include "places.h"
#include "problems.h"

/* Right-hand sides of a solution. */
enum { COLUMNS = 3 };

/* A context whose n-th request for memory can be made to fail. */
typedef struct {
    counting count;
    tulle_ctx *ctx;
} failing;

static void open_failing(failing *f, const char *where) {
    tulle_allocator allocator = counting_allocator(&f->count);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    must(tulle_ctx_create(where, &options, &f->ctx));
}

/* Asks for the matrices of the last level. A call that fails leaves the hierarchy as it was, and
 * another one makes them. */
static tulle_status ask(failing *f, const tulle_linop *M) {
    tulle_amg_info info;
    tulle_amg_level_info level;
    must(tulle_amg_describe(M, &info));
    const tulle_status status = tulle_amg_level(M, info.levels - 1, &level);
    if (status == TULLE_OK) return TULLE_OK;
    f->count.fail_at = 0;
    must(tulle_amg_level(M, info.levels - 1, &level));
    return status;
}

/* Makes a hierarchy, gives it values, and solves with it, with the n-th request failing; true when
 * neither gets that far. */
static bool fails(const char *where, tulle_amg_family family, int64_t n) {
    failing f = {.count = {0}};
    open_failing(&f, where);
    problem p = problem_of(f.ctx, system_grid(5, 0, 0), TULLE_F64);
    const tulle_amg_options amg = {.coarsest_rows = 4, .family = family};
    const tulle_solver_options cg = {.method = TULLE_CG};
    tulle_vec *B = NULL, *X = NULL;
    tulle_linop *M = NULL;
    tulle_solver *S = NULL;
    tulle_solver_report r;
    must(tulle_vec_create_columns(f.ctx, TULLE_F64, p.s.n, COLUMNS, TULLE_COLUMN_MAJOR, 0, &B));
    must(tulle_vec_create_columns(f.ctx, TULLE_F64, p.s.n, COLUMNS, TULLE_COLUMN_MAJOR, 0, &X));
    must(tulle_vec_random(f.ctx, B, 1));
    must(tulle_ctx_trim(f.ctx));
    f.count.fail_at = f.count.requests + n;
    tulle_status status = tulle_amg_create(f.ctx, p.A, &amg, &M);
    if (status != TULLE_OK) assert_null(M);
    if (status == TULLE_OK) status = ask(&f, M);
    if (status == TULLE_OK) status = tulle_amg_update(f.ctx, M, NULL, TULLE_AMG_KEEP_P);
    if (status == TULLE_OK) status = tulle_amg_update(f.ctx, M, NULL, TULLE_AMG_KEEP_COARSENING);
    if (status == TULLE_OK) status = tulle_solver_create(f.ctx, p.L, M, &cg, &S);
    if (status == TULLE_OK) status = tulle_solver_run(f.ctx, S, B, X, &r);
    const bool done = status == TULLE_OK && f.count.requests < f.count.fail_at;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
    } else {
        assert_int_equal(r.outcome, TULLE_CONVERGED);
    }
    f.count.fail_at = 0;
    if (S && status != TULLE_OK) { /* the solver serves as before */
        must(tulle_solver_run(f.ctx, S, B, X, &r));
        assert_int_equal(r.outcome, TULLE_CONVERGED);
    }
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_vec_destroy(B);
    tulle_vec_destroy(X);
    problem_free(&p);
    tulle_ctx_destroy(f.ctx);
    assert_int_equal(f.count.live, 0);
    return done;
}

/* An emulator takes some requests of all, others with each commit. */
static void each_request_fails(tulle_ctx *unused, const char *where) {
    const int step = is_slow(where) ? 67 : is_watched() ? 3 : 1;
    (void)unused;
    EACH_FAMILY(family) {
        for (int64_t n = 1 + turn_of(where, step); !fails(where, family, n);) n += step;
    }
}
ONCE_ON_EACH_PLACE(each_request_fails)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_each_request_fails)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
