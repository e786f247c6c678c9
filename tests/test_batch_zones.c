/* SPDX-License-Identifier: Apache-2.0 */
/* Many systems from factorisation to residual in one batch, against one after the other, bit for
 * bit. TULLE_TEST_BATCHES says how many random batches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "batch_systems.h"
#include "batch_ways.h"
#include "core/backend.h"
#include "core/context.h"
#include "places.h"
#include "tulle/tulle.h"
#include "zoo.h"

/* A X = B with what it goes through: F := A, X := F^-1 B, R := R - A X, S := R^T R. */
typedef struct {
    system_of y;
    columns b;
    placed on_b, x, r, s;
} zone;

enum { STEPS = 4, MOST_ZONES = 12 };

static zone make_zone(tulle_ctx *ctx, uint64_t *random) {
    const int block = system_sizes[zoo_bits(random) % SIZES], turn = (int)(zoo_bits(random) % 1000);
    const factor_setting s = setting_number(turn, block);
    const int64_t n = s.order ? SWAPPED * block : 1 + (int64_t)(zoo_bits(random) % MOST_ROWS);
    const int64_t k = 1 + (int64_t)(zoo_bits(random) % 6);
    zone z = {.y = make_system(ctx, n, s, zoo_bits(random)),
              .b = columns_random(n, k, zoo_bits(random), s.type)};
    columns square = columns_random(k, k, 1, s.type);
    z.on_b = columns_place(ctx, &z.b, s.type, system_lies[turn % 4]);
    z.x = columns_place(ctx, &z.b, s.type, system_lies[turn / 2 % 4]);
    z.r = columns_place(ctx, &z.b, s.type, system_lies[turn / 3 % 4]);
    z.s = columns_place(ctx, &square, s.type, system_lies[turn / 5 % 4]);
    columns_free(&square);
    return z;
}

static void free_zone(zone *z) {
    placed_free(&z->on_b);
    placed_free(&z->x);
    placed_free(&z->r);
    placed_free(&z->s);
    columns_free(&z->b);
    free_system(&z->y);
}

static void record_step(tulle_batch *batch, const zone *z, int step, int *task) {
    switch (step) {
        case 0:
            must(tulle_batch_factor(batch, z->y.F, z->y.A, task));
            return;
        case 1:
            must(tulle_batch_solve(batch, TULLE_N, 1, z->y.F, z->on_b.X, z->x.X, task));
            return;
        case 2:
            must(tulle_batch_spmm(batch, TULLE_N, -1, z->y.A, z->x.X, 1, z->r.X, task));
            return;
        default:
            must(tulle_batch_dot(batch, 1, z->r.X, z->r.X, 0, z->s.X, task));
            return;
    }
}

/* All steps of all zones, in a random order that has each zone's steps in theirs. */
static void record_zones(tulle_batch *batch, const zone *z, int zones, uint64_t *random) {
    int done[MOST_ZONES] = {0}, last[MOST_ZONES] = {0};
    for (int left = zones * STEPS; left > 0; left--) {
        int i = (int)(zoo_bits(random) % (unsigned)zones), task = -1;
        while (done[i] == STEPS) i = (i + 1) % zones;
        record_step(batch, z + i, done[i], &task);
        if (done[i] > 0) must(tulle_batch_after(batch, task, last[i]));
        last[i] = task;
        done[i]++;
    }
}

static void reset_zone(tulle_ctx *ctx, zone *z) {
    must(tulle_factor_update(ctx, z->y.F, z->y.other));
    must(tulle_vec_copy(ctx, z->on_b.X, z->r.X));
}

static void run_zones(tulle_ctx *ctx, zone *z, int zones, tulle_batch_way way, uint64_t *random) {
    tulle_batch *batch = NULL;
    for (int i = 0; i < zones; i++) reset_zone(ctx, z + i);
    must(tulle_batch_create(ctx, &batch));
    record_zones(batch, z, zones, random);
    must(tulle_batch_run(ctx, batch, way));
    const tulle_batch_report *reports = reports_of(ctx, batch);
    for (int t = 0; t < zones * STEPS; t++) assert_int_equal(reports[t].status, TULLE_OK);
    tulle_batch_destroy(batch);
}

static void assert_small(const columns *r, const columns *b) {
    for (int64_t k = 0; k < r->rows * r->cols; k++) {
        assert_true(fabsl(r->at[k]) < 100 * (1 + fabsl(b->at[k])));
    }
}

/* Bits of X, R and S of zones together are those of each alone. */
static void one_batch(tulle_ctx *ctx, uint64_t seed, int zones, tulle_batch_way way) {
    uint64_t random = seed;
    zone z[MOST_ZONES];
    columns want[MOST_ZONES][3];
    for (int i = 0; i < zones; i++) {
        z[i] = make_zone(ctx, &random);
        run_zones(ctx, z + i, 1, way, &random);
        want[i][0] = placed_read(ctx, &z[i].x);
        want[i][1] = placed_read(ctx, &z[i].r);
        want[i][2] = placed_read(ctx, &z[i].s);
        assert_small(&want[i][1], &z[i].b);
    }
    run_zones(ctx, z, zones, way, &random);
    for (int i = 0; i < zones; i++) {
        columns got[] = {placed_read(ctx, &z[i].x), placed_read(ctx, &z[i].r),
                         placed_read(ctx, &z[i].s)};
        for (int v = 0; v < 3; v++) {
            const columns *w = &want[i][v];
            for (int64_t k = 0; k < w->rows * w->cols; k++) {
                assert_near(got[v].at[k], w->at[k], 0, "zones");
            }
            columns_free(&got[v]);
            columns_free(&want[i][v]);
        }
        free_zone(z + i);
    }
}

static void zones(tulle_ctx *ctx, const char *where) {
    const char *given = getenv("TULLE_TEST_BATCHES");
    const int batches = given ? atoi(given) : is_slow(where) ? 2 : 40;
    const int turn = turn_in_order(where, ANY_WAYS);
    for (int i = 0; i < batches; i++) {
        const uint64_t seed = (uint64_t)places_seed() + (uint64_t)i;
        one_batch(ctx, seed, is_slow(where) ? 3 : 1 + i % MOST_ZONES, any_way(i + turn));
    }
}

static void test_zones(void **state) {
    (void)state;
    on_each_place(zones);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zones)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
