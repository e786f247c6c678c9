/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at any point of making, recording, running and reading a batch: a clean
 * status, no leak, and a batch that runs when there is memory again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "batch_trials.h"
#include "counting.h"
#include "places.h"

enum { SIDE = 4, BLOCK = 4, N = SIDE * BLOCK, ORDERS = 70 };

/* A, symmetric and dominant, in tridiagonal blocks, and b = A times ones. */
typedef struct {
    tulle_mat *A;
    tulle_factor *F;
    tulle_vec *b, *x, *y, *square, *z, *norm;
} subject;

static double entry(int i, int j) {
    return 1 + (i == j ? 3.0 * N : 0);
}

static subject make(tulle_ctx *ctx) {
    int32_t offsets[SIDE + 1] = {0}, neighbours[3 * SIDE];
    double values[3 * SIDE * BLOCK * BLOCK], b[N];
    int count = 0;
    subject s = {.A = NULL};
    for (int i = 0; i < N; i++) b[i] = 0;
    for (int row = 0; row < SIDE; row++) {
        for (int column = row - 1; column <= row + 1; column++) {
            if (column < 0 || column >= SIDE) continue;
            for (int q = 0; q < BLOCK * BLOCK; q++) {
                const int i = row * BLOCK + q / BLOCK, j = column * BLOCK + q % BLOCK;
                values[count * BLOCK * BLOCK + q] = entry(i, j);
                b[i] += entry(i, j);
            }
            neighbours[count++] = column;
        }
        offsets[row + 1] = count;
    }
    const tulle_storage storage = {
        .stored = (int64_t)count * BLOCK * BLOCK, .block = BLOCK, .full = true};
    const tulle_mat_arrays arrays = {.offsets = offsets, .cols = neighbours, .values = values};
    must(tulle_mat_create(ctx, N, N, TULLE_BSR, &storage, TULLE_I32, &arrays, TULLE_F64, NULL,
                          &s.A));
    must(tulle_factor_create(ctx, s.A, NULL, &s.F));
    must(tulle_vec_create(ctx, TULLE_F64, N, &s.b));
    must(tulle_vec_create(ctx, TULLE_F64, N, &s.x));
    must(tulle_vec_create(ctx, TULLE_F64, N, &s.y));
    must(tulle_vec_create(ctx, TULLE_F64, 1, &s.square));
    must(tulle_vec_create(ctx, TULLE_F64, N, &s.z));
    must(tulle_vec_create(ctx, TULLE_F64, 1, &s.norm));
    must(tulle_vec_write(ctx, s.b, b, 0));
    return s;
}

static void give_up(subject *s) {
    tulle_factor_destroy(s->F);
    tulle_mat_destroy(s->A);
    tulle_vec *const all[] = {s->b, s->x, s->y, s->square, s->z, s->norm};
    for (int i = 0; i < 6; i++) tulle_vec_destroy(all[i]);
}

/* The factors; x := A^-1 b; y := A'x, which is b, for A is symmetric; y'b; z := U^-1 b, U the upper
 * triangle of A; and |y|. */
static tulle_status record(tulle_batch *batch, const subject *s) {
    tulle_status status = tulle_batch_factor(batch, s->F, s->A, NULL);
    if (status == TULLE_OK) status = tulle_batch_solve(batch, TULLE_N, 1, s->F, s->b, s->x, NULL);
    if (status == TULLE_OK) status = tulle_batch_spmm(batch, TULLE_T, 1, s->A, s->x, 0, s->y, NULL);
    if (status == TULLE_OK) status = tulle_batch_dot(batch, 1, s->y, s->b, 0, s->square, NULL);
    if (status == TULLE_OK) {
        status = tulle_batch_trisolve(batch, TULLE_UPPER, TULLE_NON_UNIT, TULLE_N, 1, s->A, s->b,
                                      s->z, NULL);
    }
    if (status == TULLE_OK) status = tulle_batch_norm2(batch, s->y, s->norm, NULL);
    if (status == TULLE_OK) status = tulle_batch_after(batch, 5, 2);
    for (int k = 0; k < ORDERS && status == TULLE_OK; k++) {
        status = tulle_batch_after(batch, 1 + k % 3, k % 3);
    }
    return status;
}

static void check_triangle(tulle_ctx *ctx, const subject *s, const double *b) {
    double z[N];
    must(tulle_vec_read(ctx, s->z, z, 0));
    for (int i = N - 1; i >= 0; i--) {
        double left = b[i] - entry(i, i) * z[i];
        for (int j = i + 1; j < N && j / BLOCK <= i / BLOCK + 1; j++) left -= entry(i, j) * z[j];
        assert_true(fabs(left) < 1e-10);
    }
}

static void check(tulle_ctx *ctx, tulle_batch *batch, const subject *s) {
    const tulle_batch_report *reports = NULL;
    double x[N], b[N], y[N], square, norm, want = 0;
    must(tulle_vec_fill(ctx, s->x, NAN));
    must(tulle_vec_fill(ctx, s->y, NAN));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    must(tulle_batch_reports(ctx, batch, &reports));
    must(tulle_vec_read(ctx, s->x, x, 0));
    must(tulle_vec_read(ctx, s->b, b, 0));
    must(tulle_vec_read(ctx, s->y, y, 0));
    must(tulle_vec_read(ctx, s->square, &square, 0));
    must(tulle_vec_read(ctx, s->norm, &norm, 0));
    check_triangle(ctx, s, b);
    for (int i = 0; i < N; i++) assert_true(fabs(x[i] - 1) < 1e-12 && fabs(y[i] - b[i]) < 1e-10);
    for (int i = 0; i < N; i++) want += b[i] * b[i];
    assert_true(fabs(square - want) < 1e-9 * want);
    assert_true(fabs(norm * norm - want) < 1e-9 * want);
    for (int i = 0; i < 6; i++) assert_int_equal(reports[i].status, TULLE_OK);
}

/* A batch whose way to its first reports lacks the n-th piece of memory; whether it lacks none. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    tulle_batch *batch = NULL;
    const tulle_batch_report *reports = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    subject s = make(ctx);
    must(tulle_ctx_trim(ctx));
    c.fail_at = c.requests + n;
    bool recorded = false;
    tulle_status status = tulle_batch_create(ctx, &batch);
    assert_int_equal(status == TULLE_OK, batch != NULL);
    if (status == TULLE_OK) status = record(batch, &s);
    recorded = status == TULLE_OK;
    if (status == TULLE_OK) status = tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED);
    if (status == TULLE_OK) status = tulle_batch_reports(ctx, batch, &reports);
    const bool done = c.requests < c.fail_at;
    assert_int_equal(status, done ? TULLE_OK : TULLE_OUT_OF_MEMORY);
    c.fail_at = 0;
    if (recorded) check(ctx, batch, &s);
    tulle_batch_destroy(batch);
    give_up(&s);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    int64_t n = 1;
    while (!fail_once(where, n)) n++;
    assert_true(n > 10);
}
ONCE_ON_EACH_PLACE(out_of_memory)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_out_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
