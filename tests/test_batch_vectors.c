/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that scale, copy and take norms: bit for bit what plain calls have, in all ways, layouts
 * and types, of more rows and columns than a piece has; and what is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "batch_ways.h"
#include "columns.h"
#include "core/context.h"
#include "places.h"
#include "tulle/tulle.h"

static const lie lies[] = {{TULLE_COLUMN_MAJOR, 0, 0},
                           {TULLE_ROW_MAJOR, 0, 0},
                           {TULLE_COLUMN_MAJOR, 3, 1},
                           {TULLE_ROW_MAJOR, 2, 1}};

/* Numbers so large and so small that their squares are none, and Inf and NaN in some columns. */
static columns extreme(int64_t n, int64_t k, uint64_t seed, tulle_type type) {
    columns x = columns_random(n, k, seed, type);
    for (int64_t c = 0; c < k && n > 0; c++) {
        x.at[c * n + n / 2] *= type == TULLE_F64 && c % 4 == 1 ? 0x1p900L : 1;
        x.at[c * n + n / 3] *= type == TULLE_F64 && c % 4 == 2 ? 0x1p-900L : 1;
        if (c % 5 == 3) x.at[c * n + n - 1] = c % 2 ? NAN : -INFINITY;
    }
    return x;
}

static void run_alone(tulle_ctx *ctx, tulle_batch *batch, tulle_batch_way way) {
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_batch_run(ctx, batch, way));
    tulle_batch_destroy(batch);
}

static void assert_all_same(tulle_ctx *ctx, const placed *got, const placed *want,
                            const char *what) {
    columns one = placed_read(ctx, got), two = placed_read(ctx, want);
    for (int64_t k = 0; k < one.rows * one.cols; k++) assert_near(one.at[k], two.at[k], 0, what);
    columns_free(&one);
    columns_free(&two);
}

static void one_norm(tulle_ctx *ctx, const columns *x, tulle_type type, int turn,
                     tulle_batch_way way) {
    columns none = columns_random(1, x->cols, 1, type);
    placed on_x = columns_place(ctx, x, type, lies[turn % 4]);
    placed r = columns_place(ctx, &none, type, lies[turn / 2 % 4]);
    tulle_batch *batch = NULL;
    double *want = calloc((size_t)x->cols, sizeof *want);
    assert_non_null(want);
    must(tulle_batch_create(ctx, &batch));
    if (turn % 3) {
        must(tulle_vec_norm2(ctx, on_x.X, tulle_to_num(want)));
        must(tulle_batch_norm2(batch, on_x.X, r.X, NULL));
    } else {
        must(tulle_vec_norm_max(ctx, on_x.X, tulle_to_num(want)));
        must(tulle_batch_norm_max(batch, on_x.X, r.X, NULL));
    }
    run_alone(ctx, batch, way);
    columns got = placed_read(ctx, &r);
    for (int64_t c = 0; c < x->cols; c++) assert_near(got.at[c], want[c], 0, "norm");
    free(want);
    columns_free(&got);
    columns_free(&none);
    placed_free(&on_x);
    placed_free(&r);
}

static void one_scale(tulle_ctx *ctx, const columns *x, tulle_type type, int turn,
                      tulle_batch_way way) {
    static const double alphas[] = {1, -0.75, 0.1, 0};
    placed on_x = columns_place(ctx, x, type, lies[turn % 4]);
    placed y = columns_place(ctx, x, type, lies[turn / 2 % 4]);
    placed want = columns_place(ctx, x, type, lies[0]);
    tulle_batch *batch = NULL;
    must(tulle_vec_scale(ctx, tulle_num(alphas[turn % 4]), want.X));
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_scale(batch, alphas[turn % 4], on_x.X, y.X, NULL));
    must(tulle_batch_run(ctx, batch, way));
    assert_all_same(ctx, &y, &want, "scale");
    must(tulle_batch_replace(batch, 0, TULLE_BATCH_Y,
                             on_x.how.layout == y.how.layout ? on_x.X : y.X));
    must(tulle_batch_run(ctx, batch, way));
    assert_all_same(ctx, on_x.how.layout == y.how.layout ? &on_x : &y, &want, "scale in place");
    tulle_batch_destroy(batch);
    placed_free(&on_x);
    placed_free(&y);
    placed_free(&want);
}

static void one_copy(tulle_ctx *ctx, const columns *x, tulle_type type, int turn,
                     tulle_batch_way way) {
    const tulle_type to = turn / 3 % 2 ? TULLE_F64 : TULLE_F32;
    columns none = columns_random(x->rows, x->cols, 5, to);
    placed on_x = columns_place(ctx, x, type, lies[turn % 4]);
    placed y = columns_place(ctx, &none, to, lies[turn / 2 % 4]);
    placed want = columns_place(ctx, &none, to, lies[0]);
    tulle_batch *batch = NULL;
    must(tulle_vec_copy(ctx, on_x.X, want.X));
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_copy(batch, on_x.X, y.X, NULL));
    run_alone(ctx, batch, way);
    assert_all_same(ctx, &y, &want, "copy");
    columns_free(&none);
    placed_free(&on_x);
    placed_free(&y);
    placed_free(&want);
}

static void vectors(tulle_ctx *ctx, const char *where) {
    static const int64_t widths[] = {1, 2, 3, 5, 8, 33, 300}, rows[] = {0, 1, 17, 700, 4500, 9001};
    enum { WIDTHS = sizeof widths / sizeof *widths, ROWS = sizeof rows / sizeof *rows };
    const int every = is_slow(where) ? 13 : 1;
    for (int i = 0; i < WIDTHS * ROWS * 4; i++) {
        if ((i + turn_of(where, every)) % every) continue;
        const int64_t n = rows[i % ROWS], k = widths[i / ROWS % WIDTHS];
        if (n * k > 100000) continue;
        const tulle_type type = i / 5 % 2 ? TULLE_F64 : TULLE_F32;
        const tulle_batch_way way = any_way(i);
        columns x = extreme(n, k, (uint64_t)i, type);
        one_norm(ctx, &x, type, i, way);
        one_scale(ctx, &x, type, i, way);
        one_copy(ctx, &x, type, i, way);
        columns_free(&x);
    }
}

static void test_vectors(void **state) {
    (void)state;
    on_each_place(vectors);
}

/* Norms of what other tasks compute before them, in one queue, whose pieces are of many columns. */
static void chain(tulle_ctx *ctx, const char *where) {
    const int64_t n = is_slow(where) ? 4200 : 9000, k = 5;
    columns x = columns_random(n, k, 3, TULLE_F64), none = columns_random(1, k, 1, TULLE_F64);
    for (int way = 0; way < ANY_WAYS; way++) {
        placed on_x = columns_place(ctx, &x, TULLE_F64, lies[way % 4]);
        placed y = columns_place(ctx, &x, TULLE_F64, lies[1]);
        placed z = columns_place(ctx, &x, TULLE_F64, lies[2]);
        placed r = columns_place(ctx, &none, TULLE_F64, lies[way % 4]);
        tulle_batch *batch = NULL;
        int task[3];
        double norms[8];
        must(tulle_batch_create(ctx, &batch));
        must(tulle_batch_scale(batch, 3, on_x.X, y.X, task));
        must(tulle_batch_copy(batch, y.X, z.X, task + 1));
        must(tulle_batch_norm2(batch, z.X, r.X, task + 2));
        for (int i = 1; i < 3; i++) must(tulle_batch_after(batch, task[i], task[i - 1]));
        for (int run = 0; run < 2; run++) {
            must(tulle_vec_fill(ctx, z.X, NAN));
            must(tulle_batch_run(ctx, batch, any_way(way)));
            must(tulle_vec_norm2(ctx, z.X, tulle_to_num(norms)));
            columns got = placed_read(ctx, &r);
            for (int64_t c = 0; c < k; c++) {
                assert_true(norms[c] > 0);
                assert_near(got.at[c], norms[c], 0, "chain");
            }
            columns_free(&got);
        }
        tulle_batch_destroy(batch);
        placed_free(&on_x);
        placed_free(&y);
        placed_free(&z);
        placed_free(&r);
    }
    columns_free(&x);
    columns_free(&none);
}

static void test_chain(void **state) {
    (void)state;
    on_each_place(chain);
}

#define ASSERT_REFUSED(status, wanted, argument_)                                                  \
    do {                                                                                           \
        assert_int_equal(status, wanted);                                                          \
        assert_string_equal(tulle_last_error()->argument, argument_);                              \
    } while (0)

static void refusals(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_vec *x, *y, *r, *narrow, *none, *part;
    tulle_vec_info info;
    tulle_batch *batch = NULL;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 9, 3, TULLE_COLUMN_MAJOR, 0, &x));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 9, 2, TULLE_COLUMN_MAJOR, 0, &y));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 1, 3, TULLE_COLUMN_MAJOR, 0, &r));
    must(tulle_vec_create_columns(ctx, TULLE_F32, 9, 3, TULLE_COLUMN_MAJOR, 0, &narrow));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 9, 0, TULLE_COLUMN_MAJOR, 0, &none));
    must(tulle_vec_describe(x, &info));
    must(tulle_vec_wrap(ctx, TULLE_F64, 9, 3, TULLE_ROW_MAJOR, 0, info.data, &part));
    must(tulle_batch_create(ctx, &batch));
    ASSERT_REFUSED(tulle_batch_scale(NULL, 1, x, x, NULL), TULLE_INVALID_ARGUMENT, "batch");
    ASSERT_REFUSED(tulle_batch_scale(batch, 1, x, y, NULL), TULLE_SHAPE_MISMATCH, "Y");
    ASSERT_REFUSED(tulle_batch_scale(batch, 1, x, narrow, NULL), TULLE_TYPE_MISMATCH, "Y");
    ASSERT_REFUSED(tulle_batch_scale(batch, 1, x, part, NULL), TULLE_ALIASED, "Y");
    ASSERT_REFUSED(tulle_batch_scale(batch, 1, none, none, NULL), TULLE_SHAPE_MISMATCH, "X");
    ASSERT_REFUSED(tulle_batch_copy(batch, x, NULL, NULL), TULLE_INVALID_ARGUMENT, "Y");
    ASSERT_REFUSED(tulle_batch_copy(batch, x, part, NULL), TULLE_ALIASED, "Y");
    ASSERT_REFUSED(tulle_batch_norm2(batch, x, y, NULL), TULLE_SHAPE_MISMATCH, "R");
    ASSERT_REFUSED(tulle_batch_norm2(batch, narrow, r, NULL), TULLE_TYPE_MISMATCH, "R");
    ASSERT_REFUSED(tulle_batch_norm_max(batch, r, r, NULL), TULLE_ALIASED, "R");
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED)); /* nothing was recorded */
    tulle_batch_destroy(batch);
    tulle_vec *const all[] = {part, x, y, r, narrow, none};
    for (int i = 0; i < 6; i++) tulle_vec_destroy(all[i]);
}
ONCE_ON_EACH_PLACE(refusals)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_chain),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
