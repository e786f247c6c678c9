/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that wait for each other and have no factors, which one launch with a queue runs: a product
 * with blocks reads what a task before it wrote in the same launch, and has the bits of the same
 * tasks run one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "making.h"
#include "places.h"
#include "tulle/tulle.h"

static const char *const specs[] = {"blocks:2,3", "blocks:3,3", "blocks:4,2", "blocks:5,2",
                                    "blocks:6,2", "blocks:8,2", "blocks:16,2"};
static const int sizes[] = {2, 3, 4, 5, 6, 8, 16};
enum { SIZES = sizeof sizes / sizeof *sizes, VECTORS = 5, LINKS = 3 };

/* x; y := 2 x; z := A y; w := A' z. */
typedef struct {
    tulle_mat *A;
    tulle_type type;
    int64_t n;
    tulle_vec *x, *y, *z, *w;
} chain;

static tulle_vec *multivector(tulle_ctx *ctx, const chain *c, double from) {
    tulle_vec *X = NULL;
    const size_t count = (size_t)(c->n * VECTORS);
    double *numbers = calloc(count, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t k = 0; k < count; k++) numbers[k] = from + (double)(k % 7) / 3;
    void *typed = values_as(numbers, (int64_t)count, c->type);
    must(tulle_vec_create_columns(ctx, c->type, c->n, VECTORS, TULLE_COLUMN_MAJOR, 0, &X));
    must(tulle_vec_write(ctx, X, typed, 0));
    free(typed);
    free(numbers);
    return X;
}

static chain make(tulle_ctx *ctx, int size, tulle_type type) {
    const tulle_convert_options by = {.block = sizes[size], .fill = 1e9};
    chain c = {.type = type};
    tulle_mat *by_rows = making_generated(ctx, specs[size], 1, type);
    tulle_mat_info info;
    must(tulle_mat_convert_with(ctx, by_rows, TULLE_BSR, TULLE_I32, &by, &c.A));
    must(tulle_mat_describe(c.A, &info));
    tulle_mat_destroy(by_rows);
    c.n = info.rows;
    c.x = multivector(ctx, &c, 1);
    c.y = multivector(ctx, &c, -5);
    c.z = multivector(ctx, &c, -6);
    c.w = multivector(ctx, &c, -7);
    return c;
}

static void release(chain *c) {
    tulle_vec_destroy(c->w);
    tulle_vec_destroy(c->z);
    tulle_vec_destroy(c->y);
    tulle_vec_destroy(c->x);
    tulle_mat_destroy(c->A);
}

static void record(tulle_batch *batch, const chain *c, int link, int *task) {
    if (link == 0) {
        must(tulle_batch_scale(batch, 2, c->x, c->y, task));
    } else if (link == 1) {
        must(tulle_batch_spmm(batch, TULLE_N, 1, c->A, c->y, 0, c->z, task));
    } else {
        must(tulle_batch_spmm(batch, TULLE_T, 1, c->A, c->z, 0, c->w, task));
    }
}

static void run(tulle_ctx *ctx, const chain *c, int from, int to, tulle_batch_way way) {
    tulle_batch *batch = NULL;
    int before = -1;
    must(tulle_batch_create(ctx, &batch));
    for (int link = from; link < to; link++) {
        int task = -1;
        record(batch, c, link, &task);
        if (before >= 0) must(tulle_batch_after(batch, task, before));
        before = task;
    }
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_ctx_synchronize(ctx));
    tulle_batch_destroy(batch);
}

static void *last_numbers(tulle_ctx *ctx, const chain *c) {
    void *numbers = calloc((size_t)(c->n * VECTORS), sizeof(double));
    assert_non_null(numbers);
    must(tulle_vec_read(ctx, c->w, numbers, 0));
    return numbers;
}

static void try_chain(tulle_ctx *ctx, int size, tulle_type type, tulle_batch_way way) {
    chain apart = make(ctx, size, type), together = make(ctx, size, type);
    for (int link = 0; link < LINKS; link++) run(ctx, &apart, link, link + 1, way);
    run(ctx, &together, 0, LINKS, way);
    void *want = last_numbers(ctx, &apart), *got = last_numbers(ctx, &together);
    const size_t bytes = (size_t)(apart.n * VECTORS) * (type == TULLE_F64 ? 8 : 4);
    if (memcmp(want, got, bytes) != 0) {
        fail_msg("blocks of %d, way %d: other bits than one by one", sizes[size], (int)way);
    }
    free(got);
    free(want);
    release(&together);
    release(&apart);
}

static void chains(tulle_ctx *ctx, const char *where) {
    const tulle_batch_way ways[] = {TULLE_BATCH_GROUPED, TULLE_BATCH_STREAMS};
    for (int size = 0; size < SIZES; size++) {
        for (int k = 0; k < 2; k++) {
            if (is_slow(where) && k > 0) continue;
            try_chain(ctx, size, (size + k) % 2 ? TULLE_F32 : TULLE_F64, ways[k]);
        }
    }
}
static void test_chains(void **state) {
    (void)state;
    on_each_place(chains);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chains)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
