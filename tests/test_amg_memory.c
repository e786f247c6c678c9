/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at any point of making a hierarchy, of giving it new values, and of solving
 * with one for several right-hand sides at once: a clean status, no object, no leak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "hierarchies.h"
#include "places.h"
#include "problems.h"
#include "tulle/generate.h"

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
 * neither gets that far. block: unknowns of a node; 0: of rows. */
static bool fails(const char *where, tulle_amg_family family, int block, int64_t n) {
    failing f = {.count = {0}};
    open_failing(&f, where);
    problem p = problem_of(f.ctx, system_grid(5, 0, 0), TULLE_F64);
    tulle_amg_options amg = {.coarsest_rows = 4, .family = family, .block = block};
    const tulle_solver_options cg = {.method = TULLE_CG};
    tulle_vec *B = NULL, *X = NULL;
    tulle_linop *M = NULL;
    tulle_solver *S = NULL;
    tulle_solver_report r;
    must(tulle_vec_create_columns(f.ctx, TULLE_F64, p.s.n, COLUMNS, TULLE_COLUMN_MAJOR, 0, &B));
    must(tulle_vec_create_columns(f.ctx, TULLE_F64, p.s.n, COLUMNS, TULLE_COLUMN_MAJOR, 0, &X));
    must(tulle_vec_random(f.ctx, B, 1));
    if (block > 0) amg.near_null = B;
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
        for (int64_t n = 1 + turn_of(where, step); !fails(where, family, 0, n);) n += step;
    }
    for (int64_t n = 1 + turn_of(where, step); !fails(where, TULLE_AMG_SMOOTHED, 5, n);) n += step;
}
ONCE_ON_EACH_PLACE(each_request_fails)

/* A hierarchy in a context of its own. */
typedef struct {
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_linop *M;
} capped;

static void close_capped(capped *c) {
    tulle_linop_destroy(c->M);
    tulle_mat_destroy(c->A);
    tulle_ctx_destroy(c->ctx);
}

/* Makes a hierarchy in so many bytes, and gives it its values again where `update` is true; returns
 * true where they suffice. */
static bool make_capped(const char *where, tulle_amg_family family, size_t cap, bool update,
                        capped *c) {
    const tulle_ctx_options options = {.memory_cap = cap};
    const tulle_amg_options amg = {.coarsest_rows = 30, .family = family};
    host_system s = system_grid(40, 0, 0);
    *c = (capped){.ctx = NULL};
    must(tulle_ctx_create(where, &options, &c->ctx));
    tulle_status status = tulle_mat_create_csr(c->ctx, s.n, s.n, s.nnz, TULLE_I64, s.offsets,
                                               s.columns, TULLE_F64, s.values, NULL, &c->A);
    if (status == TULLE_OK) status = tulle_amg_create(c->ctx, c->A, &amg, &c->M);
    if (status == TULLE_OK && update) {
        status = tulle_amg_update(c->ctx, c->M, NULL, TULLE_AMG_KEEP_P);
    }
    if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
    system_free(&s);
    return status == TULLE_OK;
}

/* Returns the least number of bytes, to one part in a hundred. */
static size_t least_cap(const char *where, tulle_amg_family family) {
    size_t low = 1 << 14, high = 1 << 23;
    while (high - low > high / 100) {
        const size_t middle = low + (high - low) / 2;
        capped c;
        *(make_capped(where, family, middle, false, &c) ? &high : &low) = middle;
        close_capped(&c);
    }
    return high;
}

static void apply_to_random(const capped *c, double *x) {
    tulle_vec *b = system_vector(c->ctx, TULLE_F64, 1600, 1), *to = NULL;
    must(tulle_vec_create(c->ctx, TULLE_F64, 1600, &to));
    must(tulle_linop_apply(c->ctx, TULLE_N, tulle_num(1), c->M, b, tulle_num(0), to));
    must(tulle_vec_read(c->ctx, to, x, 0));
    tulle_vec_destroy(to);
    tulle_vec_destroy(b);
}

/* An update that keeps P needs no more memory than setup, but for P of the levels below, and
 * M has then the same bits as where there is more. */
static void update_fits(tulle_ctx *unused, const char *where) {
    (void)unused;
    if (is_slow(where)) return; /* a CPU takes all the ways that there are */
    EACH_FAMILY(family) {
        const size_t setup = least_cap(where, family);
        const size_t most = setup + setup / 10;
        capped c, other;
        const size_t bytes = 1600 * sizeof(double);
        double *x = malloc(bytes), *of_other = malloc(bytes);
        assert_true(make_capped(where, family, most, true, &c));
        assert_true(make_capped(where, family, 0, false, &other));
        apply_to_random(&c, x);
        apply_to_random(&other, of_other);
        assert_memory_equal(x, of_other, bytes);
        free(x);
        free(of_other);
        close_capped(&c);
        close_capped(&other);
    }
}
ONCE_ON_EACH_PLACE(update_fits)

/* The most bytes that have been held since the last mark; sets a mark. */
static int64_t most_held(tulle_ctx *ctx) {
    tulle_memory_usage usage;
    must(tulle_ctx_memory(ctx, &usage));
    must(tulle_ctx_reset_high(ctx));
    return (int64_t)usage.high;
}

/* On a CPU an update that keeps P holds less at its peak than setup did, since products whose
 * lengths are known are not computed before they have memory. */
static void update_peaks_below_setup(tulle_ctx *ctx, const char *where) {
    if (strncmp(where, "cpu", 3) != 0) return; /* setup keeps no such products on a GPU */
    tulle_mat *A = NULL;
    tulle_linop *M = NULL;
    must(tulle_generate(ctx, "p3d7:16", 1, TULLE_F64, &A));
    most_held(ctx);
    must(tulle_amg_create(ctx, A, NULL, &M));
    const int64_t setup = most_held(ctx);
    must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
    assert_true(most_held(ctx) < setup);
    tulle_linop_destroy(M);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(update_peaks_below_setup)

/* A source of memory that may run dry. */
typedef struct {
    counting count;
    tulle_allocator from;
    bool dry;
} source;

static void *draw(void *user, size_t bytes, void *stream) {
    source *s = user;
    return s->dry ? NULL : s->from.allocate(s->from.user, bytes, stream);
}

static void give(void *user, void *pointer, size_t bytes, void *stream) {
    source *s = user;
    s->from.release(s->from.user, pointer, bytes, stream);
}

/* An update without any memory leaves P. Until one succeeds M tells why it is not applied; then it
 * has the bits that it had, with the P that it had. */
static void no_memory_for_update(tulle_ctx *unused, const char *where) {
    (void)unused;
    EACH_FAMILY(family) {
        source s = {.dry = false};
        s.from = counting_allocator(&s.count);
        const tulle_allocator allocator = {draw, give, &s};
        tulle_ctx_options options = {.host = &allocator};
        if (is_slow(where)) options.device = &allocator;
        tulle_ctx *ctx;
        must(tulle_ctx_create(where, &options, &ctx));
        problem p = problem_of(ctx, system_grid(8, 0, 0), TULLE_F64);
        const tulle_amg_options o = {.coarsest_rows = 10, .family = family};
        tulle_linop *M = NULL;
        tulle_vec *x = NULL;
        tulle_amg_level_info level;
        tulle_amg_info before, after;
        double first[64], again[64];
        must(tulle_amg_create(ctx, p.A, &o, &M));
        must(tulle_amg_describe(M, &before));
        must(tulle_vec_create(ctx, TULLE_F64, 64, &x));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.b, tulle_num(0), x));
        must(tulle_vec_read(ctx, x, first, 0));
        s.dry = true;
        for (int k = 0; k < 2; k++) {
            assert_int_equal(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P), TULLE_OUT_OF_MEMORY);
        }
        s.dry = false;
        assert_int_equal(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.b, tulle_num(0), x),
                         TULLE_INVALID_ARGUMENT);
        assert_non_null(strstr(tulle_last_error()->message, "last update failed"));
        assert_int_equal(tulle_amg_level(M, 0, &level), TULLE_INVALID_ARGUMENT);
        must(tulle_amg_describe(M, &after));
        assert_int_equal(after.levels, before.levels);
        assert_true(after.bytes < before.bytes);
        must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, p.b, tulle_num(0), x));
        must(tulle_vec_read(ctx, x, again, 0));
        assert_memory_equal(first, again, sizeof first);
        must(tulle_amg_describe(M, &after));
        assert_true(after.setup_ms == before.setup_ms); /* made by one setup */
        tulle_vec_destroy(x);
        tulle_linop_destroy(M);
        problem_free(&p);
        tulle_ctx_destroy(ctx);
        assert_int_equal(s.count.live, 0);
    }
}
ONCE_ON_EACH_PLACE(no_memory_for_update)

/* Bytes of arrays that the context holds now. */
static int64_t held(const tulle_ctx *ctx) {
    tulle_memory_usage usage;
    must(tulle_ctx_memory(ctx, &usage));
    return (int64_t)usage.in_use;
}

/* A hierarchy tells all bytes that it holds, with plans and what it computes units with. */
static void tells_bytes(tulle_ctx *ctx, const char *where) {
    if (strncmp(where, "cpu", 3) != 0) return; /* a GPU gives memory in blocks */
    EACH_FAMILY(family) {
        for (int plans = 0; plans < 2; plans++) {
            problem p = problem_of(ctx, system_grid(40, 0, 0), TULLE_F64);
            const tulle_amg_options o = {
                .coarsest_rows = 30, .family = family, .keep_plans = plans == 1};
            const int64_t before = held(ctx);
            tulle_linop *M = NULL;
            tulle_amg_info info;
            must(tulle_amg_create(ctx, p.A, &o, &M));
            must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_P));
            must(tulle_amg_describe(M, &info));
            assert_true(llabs((long long)(held(ctx) - before - info.bytes)) <= 512);
            tulle_linop_destroy(M);
            problem_free(&p);
        }
    }
}
ONCE_ON_EACH_PLACE(tells_bytes)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_request_fails), cmocka_unit_test(test_update_fits),
        cmocka_unit_test(test_update_peaks_below_setup),
        cmocka_unit_test(test_no_memory_for_update), cmocka_unit_test(test_tells_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
