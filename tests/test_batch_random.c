/* SPDX-License-Identifier: Apache-2.0 */
/* Random batches of all kinds of tasks, each after those whose numbers it needs or changes: bit for
 * bit what the same tasks are one by one, by plain calls where a batch has their bits; then again
 * with other operands, factors and scalars, all replaced at once, and with a replacement that is
 * refused as a whole. TULLE_TEST_BATCHES says how many; the emulator has others in each of its
 * orders. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "batch_ways.h"
#include "batch_worlds.h"
#include "core/context.h"
#include "places.h"
#include "tulle/advanced.h"
#include "zoo.h"

static const char *const names[] = {"axpy",  "dot",   "spmm", "trisolve", "factor",
                                    "solve", "scale", "copy", "norm2",    "norm_max"};

/* Tasks, numbers that were compared, and those of them that were finite. */
static world_count tasks;
static int64_t compared, usual;

static void compare(columns *got, const columns *want, uint64_t seed) {
    char what[64];
    snprintf(what, sizeof what, "the batch of seed %llu", (unsigned long long)seed);
    for (int i = 0; i < WORLD_VECTORS; i++) {
        for (int64_t k = 0; k < got[i].rows * got[i].cols; k++) {
            assert_near(got[i].at[k], want[i].at[k], 0, what);
            compared++;
            usual += isfinite(want[i].at[k]);
        }
        columns_free(got + i);
    }
}

static void run_and_compare(world *w, tulle_batch *batch, tulle_batch_way way, uint64_t seed) {
    columns want[WORLD_VECTORS], got[WORLD_VECTORS];
    world_reset(w);
    world_run_alone(w, way, &tasks);
    world_read(w, want);
    for (int run = 0; run < 2; run++) {
        world_reset(w);
        must(tulle_batch_run(w->ctx, batch, way));
        world_read(w, got);
        compare(got, want, seed);
    }
    for (int i = 0; i < WORLD_VECTORS; i++) columns_free(want + i);
}

/* The last of the replacements is wrong, so that none is made. */
static void refuse(const world *w, tulle_batch *batch, tulle_batch_replacement *all, int count) {
    tulle_batch_replacement *last = all + count - 1;
    const tulle_batch_replacement right = *last;
    const bool wide = w->task[count - 1].y >= 0 && w->task[count - 1].y < WORLD_SQUARE;
    if (wide) {
        last->Y = w->at[WORLD_FLAT].X;
    } else {
        last->task = count;
    }
    if (wide && w->start[WORLD_WIDE].rows == 1) last->task = -1;
    assert_int_not_equal(tulle_batch_replace_several(batch, count, all), TULLE_OK);
    *last = right;
}

static void one_batch(tulle_ctx *ctx, bool small, uint64_t seed, tulle_batch_way way) {
    uint64_t random = seed;
    world w = world_make(ctx, small ? 10 : 40, small ? 6 : WORLD_TASKS, &random);
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    world_record(&w, batch);
    run_and_compare(&w, batch, way, seed);
    for (int change = 0; change < 2; change++) {
        world before = w;
        tulle_batch_replacement *all = NULL;
        const int count = world_change(&w, &random, &all);
        if (change == 1) {
            refuse(&w, batch, all, count);
            run_and_compare(&before, batch, way, seed);
        }
        must(tulle_batch_replace_several(batch, count, all));
        run_and_compare(&w, batch, way, seed);
        free(all);
    }
    tulle_batch_destroy(batch);
    world_free(&w);
}

static void tell(const char *where, int count, uint64_t first) {
    print_message("%s: %d batches from seed %llu on, %lld numbers, all the same bit for bit\n",
                  where, count, (unsigned long long)first, (long long)compared);
    for (int kind = 0; kind < WORLD_KINDS; kind++) {
        assert_true(tasks.tasks[kind] > 0 || count < 50);
        if (count < 1000) continue; /* a record */
        print_message("  %-8s %8lld tasks, %8lld of them beside the plain call\n", names[kind],
                      (long long)tasks.tasks[kind], (long long)tasks.plain[kind]);
    }
    assert_true(100 * usual > 99 * compared);
}

/* On a GPU that shares with threads of a CPU, roundings depend on who took what. */
static void batches(tulle_ctx *ctx, const char *where) {
    const char *given = getenv("TULLE_TEST_BATCHES");
    const int count = given ? atoi(given) : is_slow(where) ? 10 : 200;
    const int ways = ctx->kind == TULLE_CPU ? ANY_WAYS : REPEATABLE_WAYS;
    const int turn = turn_in_order(where, ways);
    const uint64_t first = (uint64_t)places_seed() + (uint64_t)turn * (uint64_t)count;
    compared = usual = 0;
    tasks = (world_count){.tasks = {0}};
    if (ctx->kind != TULLE_CPU) must(tulle_ctx_force_kernel(ctx, "trisolve_levels"));
    for (int i = 0; i < count; i++) {
        one_batch(ctx, is_slow(where), first + (uint64_t)i, any_way((i + turn) % ways));
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    tell(where, count, first);
}

static void test_batches(void **state) {
    (void)state;
    on_each_place(batches);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_batches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
