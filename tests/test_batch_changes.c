/* SPDX-License-Identifier: Apache-2.0 */
/* Batches that change: other operands between runs, and graphs that captured a run before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "batch_trials.h"
#include "batch_ways.h"
#include "core/backend.h"
#include "core/context.h"
#include "places.h"

/* Another Y from the next run on, and the old one left alone. */
static void replacement(tulle_ctx *ctx, const char *where) {
    (void)where;
    trial t = trial_dense(ctx, AXPY, 40, 3, 4, 4);
    placed other = columns_place(ctx, &t.y, t.type, t.on_y.how), first = t.on_y;
    tulle_batch *batch = NULL;
    int task = -1;
    must(tulle_batch_create(ctx, &batch));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    trial_record(batch, &t, &task);
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    trial_check(ctx, &t);
    must(tulle_batch_replace(batch, task, TULLE_BATCH_Y, other.X));
    must(tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED));
    trial_check(ctx, &t);
    t.on_y = other;
    trial_check(ctx, &t);
    t.on_y = first;
    tulle_batch_destroy(batch);
    placed_free(&other);
    trial_free(&t);
}
ONCE_ON_EACH_PLACE(replacement)

/* What was captured runs as the batch does, again and again. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return; /* a CPU has no graphs */
    for (int way = 0; way < REPEATABLE_WAYS; way++) {
        trial t = trial_dense(ctx, DOT, 4500, 5, 4, 4), u = trial_dense(ctx, AXPY, 90, 3, 9, 5);
        tulle_batch *batch = NULL;
        void *made = NULL;
        must(tulle_batch_create(ctx, &batch));
        trial_record(batch, &t, NULL);
        trial_record(batch, &u, NULL);
        must(tulle_batch_run(ctx, batch, any_way(way)));
        must(ctx->backend->capture_begin(&ctx->place));
        must(tulle_batch_run(ctx, batch, any_way(way)));
        must(ctx->backend->capture_end(&ctx->place, &made));
        for (int launch = 0; launch < 2; launch++) {
            trial_reset(ctx, &t);
            trial_reset(ctx, &u);
            must(ctx->backend->graph_launch(&ctx->place, made));
            trial_check(ctx, &t);
            trial_check(ctx, &u);
        }
        must(ctx->backend->graph_destroy(ctx->place.device, made));
        tulle_batch_destroy(batch);
        trial_free(&t);
        trial_free(&u);
    }
}
ONCE_ON_EACH_PLACE(captured)

static void *capture(tulle_ctx *ctx, tulle_batch *batch, tulle_batch_way way,
                     const tulle_batch_report **reports) {
    void *made = NULL;
    must(ctx->backend->capture_begin(&ctx->place));
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_batch_reports(ctx, batch, reports));
    must(ctx->backend->capture_end(&ctx->place, &made));
    return made;
}

/* A dot of several pieces and an axpy that waits for it; the axpy has had another Y, the batch
 * another task and another order since a graph was captured, and it has run. The graph does what it
 * was captured with, and its reports go where they went; the batch does what is recorded now. */
static void one_outlived(tulle_ctx *ctx, tulle_batch_way way, int changes) {
    trial t = trial_dense(ctx, DOT, 1200, 5, 4, 4), u = trial_dense(ctx, AXPY, 90, 3, 9, 5);
    trial more = trial_dense(ctx, DOT, 900, 8, 8, 4);
    placed other = columns_place(ctx, &u.y, u.type, u.on_y.how), first = u.on_y;
    const tulle_batch_report *of_graph = NULL, *reports = NULL;
    tulle_batch *batch = NULL;
    void *made[2] = {NULL, NULL};
    int task = -1;
    must(tulle_batch_create(ctx, &batch));
    trial_record(batch, &t, NULL);
    trial_record(batch, &u, &task);
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_batch_reports(ctx, batch, &reports));
    made[0] = capture(ctx, batch, way, &of_graph);
    must(tulle_batch_replace(batch, task, TULLE_BATCH_Y, other.X));
    if (changes > 0) trial_record(batch, &more, NULL);
    if (changes > 1) must(tulle_batch_after(batch, task, 0));
    trial_reset(ctx, &t);
    must(tulle_batch_run(ctx, batch, way));
    must(tulle_batch_reports(ctx, batch, &reports));
    u.on_y = other;
    trial_check(ctx, &t);
    trial_check(ctx, &u);
    made[1] = capture(ctx, batch, way, &reports);
    must(tulle_batch_replace(batch, task, TULLE_BATCH_Y, first.X));
    must(tulle_batch_run(ctx, batch, way));
    for (int launch = 0; launch < 4; launch++) {
        u.on_y = launch % 2 ? other : first;
        trial_reset(ctx, &t);
        trial_reset(ctx, &u);
        must(ctx->backend->graph_launch(&ctx->place, made[launch % 2]));
        trial_check(ctx, &t);
        trial_check(ctx, &u);
        for (int i = 0; i < 2; i++) assert_int_equal(of_graph[i].status, TULLE_OK);
    }
    for (int i = 0; i < 2; i++) must(ctx->backend->graph_destroy(ctx->place.device, made[i]));
    tulle_batch_destroy(batch);
    placed_free(&other);
    u.on_y = first;
    trial_free(&t);
    trial_free(&u);
    trial_free(&more);
}

static void outlived(tulle_ctx *ctx, const char *where) {
    const int turn = turn_in_order(where, 3);
    if (ctx->kind == TULLE_CPU) return; /* a CPU has no graphs */
    for (int way = 0; way < REPEATABLE_WAYS; way++) {
        one_outlived(ctx, any_way(way), (way + turn) % 3);
    }
}
ONCE_ON_EACH_PLACE(outlived)

/* Operands of many tasks change places between runs, some of them to where others lie or to numbers
 * that lie otherwise; each run is what the same tasks by themselves are. */
static void exchanged(tulle_ctx *ctx, const char *where) {
    enum { TASKS = 9 };
    const int runs = is_slow(where) ? 2 : 6;
    for (int way = 0; way < ANY_WAYS; way++) {
        trial t[TASKS];
        placed spare[TASKS];
        int task[TASKS];
        tulle_batch *batch = NULL;
        must(tulle_batch_create(ctx, &batch));
        for (int i = 0; i < TASKS; i++) {
            const int turn = 4 * i; /* whose beta is 1 */
            t[i] = i % 3 < 2 ? trial_dense(ctx, (kind)(i % 3), 90 + i, 3 + i, 4, turn)
                             : trial_sparse(ctx, i, i % 5, 4, turn);
            columns y = columns_copy(&t[i].y);
            const lie at = {t[i].on_y.how.layout, t[i].on_y.how.gap, 1 - t[i].on_y.how.shift};
            spare[i] = columns_place(ctx, &y, t[i].type, i % 2 ? at : t[i].on_y.how);
            columns_free(&y);
            trial_record(batch, t + i, task + i);
        }
        must(tulle_batch_run(ctx, batch, any_way(way)));
        for (int run = 0; run < runs; run++) {
            for (int i = run % 2; i < TASKS; i += 1 + run) {
                const placed now = spare[i];
                spare[i] = t[i].on_y;
                t[i].on_y = now;
                must(tulle_batch_replace(batch, task[i], TULLE_BATCH_Y, now.X));
            }
            for (int i = 0; i < TASKS; i++) {
                trial other = t[i];
                other.on_y = spare[i];
                trial_reset(ctx, t + i);
                trial_reset(ctx, &other);
            }
            const tulle_batch_report *reports = NULL;
            if (run == 0) {
                assert_int_equal(tulle_batch_reports(ctx, batch, &reports), TULLE_INVALID_ARGUMENT);
            }
            must(tulle_batch_run(ctx, batch, any_way(way)));
            for (int i = 0; i < TASKS; i++) {
                trial_check(ctx, t + i);
                columns left = placed_read(ctx, spare + i);
                for (int64_t k = 0; k < left.rows * left.cols; k++) {
                    assert_near(left.at[k], t[i].y.at[k], 0, "what was replaced");
                }
                columns_free(&left);
            }
        }
        tulle_batch_destroy(batch);
        for (int i = 0; i < TASKS; i++) {
            placed_free(spare + i);
            trial_free(t + i);
        }
    }
}
ONCE_ON_EACH_PLACE(exchanged)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replacement),
        cmocka_unit_test(test_captured),
        cmocka_unit_test(test_outlived),
        cmocka_unit_test(test_exchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
