/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner with kernels made up for the purpose: a slow one that the rule picks, a fast one, one
 * that refuses, one whose model is far off, one that is historical; marks that are not done yet;
 * and memory that runs out at any point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "places.h"
#include "spmv/spmv.h"
#include "tulle/tulle.h"

/* The kernels' own clock, in ms, so that a busy machine changes nothing; and what one of its ticks
 * is. */
static double clock_ms, tick_ms = 1;

static tulle_status record(const tulle__place *place, void *event) {
    (void)place;
    memcpy(event, &clock_ms, sizeof clock_ms);
    return TULLE_OK;
}
static tulle_status between(tulle__device *device, void *from, void *to, double *ms) {
    (void)device;
    double start, end;
    memcpy(&start, from, sizeof start);
    memcpy(&end, to, sizeof end);
    *ms = end - start;
    return TULLE_OK;
}

/* y := alpha x + beta y, for the unit matrix. */
static tulle_status multiply(const tulle__spmv_task *task) {
    const double *x = task->x;
    double *y = task->y;
    for (int64_t i = 0; i < task->shape.rows; i++) {
        double old = task->beta.number == 0 ? 0 : task->beta.number * y[i];
        y[i] = task->alpha.number * x[i] + old;
    }
    return TULLE_OK;
}

static int hopeless_runs, refusals;

static tulle_status run_slow(const tulle__spmv_task *task) {
    clock_ms += 4 * tick_ms;
    return multiply(task);
}
/* pace 1 is best, and takes a quarter of the slow one's time. */
static tulle_status run_fast(const tulle__spmv_task *task) {
    clock_ms += (task->params[0] == 1 ? 1 : 3) * tick_ms;
    return multiply(task);
}
static tulle_status run_refuses(const tulle__spmv_task *task) {
    (void)task;
    refusals++;
    return TULLE_UNSUPPORTED;
}
static tulle_status run_hopeless(const tulle__spmv_task *task) {
    hopeless_runs++;
    return multiply(task);
}

static double cost_1(const tulle__spmv_shape *shape, const int *params) {
    (void)shape;
    (void)params;
    return 1;
}
static double cost_1_1(const tulle__spmv_shape *shape, const int *params) {
    return 1.1 * cost_1(shape, params);
}
static double cost_1_2(const tulle__spmv_shape *shape, const int *params) {
    return 1.2 * cost_1(shape, params);
}
static double cost_2(const tulle__spmv_shape *shape, const int *params) {
    return 2 * cost_1(shape, params);
}
static void start_at_2(const tulle__spmv_shape *shape, int *params) {
    (void)shape;
    params[0] = 2;
}
static size_t some_workspace(const tulle__spmv_shape *shape, const int *params) {
    (void)shape;
    return 100 * (size_t)params[0];
}

enum { FLAGS = TULLE__FORWARD | TULLE__REPEATABLE };
static const int paces[] = {1, 2, 3};
static const tulle__param pace = {"pace", "made up", 3, paces};

static const tulle__spmv_kernel slow = {
    .head = {.name = "slow", .format = TULLE_CSR, .flags = FLAGS},
    .cost = cost_1,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_slow};
static const tulle__spmv_kernel refuses = {
    .head = {.name = "refuses", .format = TULLE_CSR, .flags = FLAGS},
    .cost = cost_1_1,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_refuses};
static const tulle__spmv_kernel fast = {.head = {.name = "fast",
                                                 .format = TULLE_CSR,
                                                 .flags = FLAGS,
                                                 .param_count = 1,
                                                 .params = &pace},
                                        .defaults = start_at_2,
                                        .workspace = some_workspace,
                                        .cost = cost_1_2,
                                        .run[TULLE__VALUES_F64][TULLE_I32] = run_fast};
static const tulle__spmv_kernel hopeless = {
    .head = {.name = "hopeless", .format = TULLE_CSR, .flags = FLAGS},
    .cost = cost_2,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_hopeless};
static const tulle__spmv_kernel needs_plan = {
    .head = {.name = "needs_plan", .format = TULLE_CSR, .flags = FLAGS | TULLE__NEEDS_PLAN},
    .cost = cost_1,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_hopeless};

static const tulle__spmv_kernel historical = {
    .head = {.name = "historical", .format = TULLE_CSR, .flags = FLAGS | TULLE__HISTORICAL},
    .cost = cost_1,
    .run[TULLE__VALUES_F64][TULLE_I32] = run_hopeless};

/* A CPU context whose registry holds these only, the unit matrix, and vectors. */
typedef struct {
    const tulle__kernel *kernels[6];
    tulle__backend backend;
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *x, *y;
} fixture;

static void set_up(fixture *f, const tulle_ctx_options *options, bool only_refuse) {
    static const int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    static const double ones[] = {1, 1};
    *f = (fixture){.kernels = {&slow.head, &refuses.head, &fast.head, &hopeless.head,
                               &needs_plan.head, &historical.head}};
    if (only_refuse) f->kernels[0] = &refuses.head;
    must(tulle_ctx_create("cpu:1", options, &f->ctx));
    f->backend = *f->ctx->backend;
    f->backend.event_record = record;
    f->backend.event_between = between;
    f->backend.kernels[TULLE__OP_SPMV] = (tulle__kernels){f->kernels, only_refuse ? 1 : 6};
    f->ctx->backend = &f->backend;
    must(tulle_mat_create_csr(f->ctx, 2, 2, 2, TULLE_I32, offsets, columns, TULLE_F64, ones, NULL,
                              &f->A));
    must(tulle_vec_create(f->ctx, TULLE_F64, 2, &f->x));
    must(tulle_vec_create(f->ctx, TULLE_F64, 2, &f->y));
    must(tulle_vec_fill(f->ctx, f->x, 5));
    clock_ms = 0;
    hopeless_runs = refusals = 0;
}

static void tear_down(fixture *f) {
    tulle_vec_destroy(f->x);
    tulle_vec_destroy(f->y);
    tulle_mat_destroy(f->A);
    tulle_ctx_destroy(f->ctx);
}

static tulle_tuner *make_tuner(fixture *f) {
    const tulle_tuner_options options = {.cache = ""};
    tulle_tuner *tuner = NULL;
    must(tulle_tuner_create(f->ctx, &options, &tuner));
    return tuner;
}

/* y := 2 x + 3 y from 5 and 1: 13, whatever ran, and only once. */
static void call(fixture *f, tulle_tuner *tuner) {
    double y[2];
    must(tulle_vec_fill(f->ctx, f->y, 1));
    must(tulle_tuner_spmv(tuner, TULLE_N, tulle_num(2), f->A, f->x, tulle_num(3), f->y));
    must(tulle_vec_read(f->ctx, f->y, y, 0));
    assert_true(y[0] == 13 && y[1] == 13);
}

static tulle_tuner_info info_of(fixture *f, tulle_tuner *tuner) {
    tulle_tuner_info info;
    must(tulle_tuner_describe(tuner, TULLE_N, f->A, &info));
    return info;
}

static void test_finds_the_fast_one(void **state) {
    (void)state;
    fixture f;
    set_up(&f, NULL, false);
    tulle_tuner *tuner = make_tuner(&f);
    for (int i = 0; i < 15; i++) call(&f, tuner);
    tulle_tuner_info info = info_of(&f, tuner);
    assert_true(info.settled);
    assert_string_equal(info.start, "slow");
    assert_string_equal(info.best, "fast:pace=1");
    assert_true(info.best_ms == 1 && info.start_ms == 4);
    assert_int_equal(refusals, 1);
    assert_int_equal(hopeless_runs, 0);
    for (int i = 0; i < info.steps; i++) { /* but the first, in which all was cold */
        tulle_tuner_step step;
        must(tulle_tuner_path(tuner, TULLE_N, f.A, i, &step));
        assert_int_equal(step.counts, i > 0);
    }
    tulle_tuner_destroy(tuner);
    tear_down(&f);
}

static tulle_tuner *tuner_of(fixture *f, const char *spec, tulle_tuner_mode mode) {
    const tulle_tuner_options options = {.cache = "domain-test.txt", .spec = spec, .mode = mode};
    tulle_tuner *tuner = NULL;
    must(tulle_tuner_create(f->ctx, &options, &tuner));
    return tuner;
}

/* Single calls of a GPU tell nothing below 20 us: there the rule's choice stays, but where the
 * caller asks for one kernel's parameters. */
static void check_on_gpu(double ms, const char *spec, const char *best) {
    fixture f;
    set_up(&f, NULL, false);
    tick_ms = ms / 4;
    f.ctx->kind = TULLE_CUDA;
    const tulle_tuner_options options = {.cache = "", .spec = spec};
    tulle_tuner *tuner = NULL;
    must(tulle_tuner_create(f.ctx, &options, &tuner));
    for (int i = 0; i < 40; i++) call(&f, tuner);
    assert_true(info_of(&f, tuner).settled);
    assert_string_equal(info_of(&f, tuner).best, best);
    tulle_tuner_destroy(tuner);
    f.ctx->kind = TULLE_CPU;
    tick_ms = 1;
    tear_down(&f);
}

/* There gains are followed as they come, however small. */
static void test_small_gains_of_a_domain(void **state) {
    (void)state;
    fixture f;
    set_up(&f, NULL, false);
    tick_ms = 0.0005;
    f.ctx->kind = TULLE_CUDA;
    tulle_tuner *tuner = tuner_of(&f, "fast", TULLE_TUNE_ONLINE);
    /* The start, the first trial, and the start again, which so large a gain asks for; a slow
     * launch repeats any of them. */
    for (int counted = 0; counted < 3;) {
        tulle_tuner_step step;
        call(&f, tuner);
        int steps = info_of(&f, tuner).steps;
        must(tulle_tuner_path(tuner, TULLE_N, f.A, steps - 1, &step));
        counted += step.counts;
    }
    assert_string_equal(info_of(&f, tuner).best, "fast:pace=1");
    tulle_tuner_destroy(tuner);
    f.ctx->kind = TULLE_CPU;
    tick_ms = 1;
    tear_down(&f);
}

static void test_short_calls_of_a_gpu(void **state) {
    (void)state;
    check_on_gpu(0.019, NULL, "slow");
    check_on_gpu(0.021, NULL, "fast:pace=1");
    check_on_gpu(0.019, "fast", "fast:pace=1");
}

/* A mark that is not done holds the search up, but no call. */
static bool marks_are_done;
static tulle_status event_done(tulle__device *device, void *event, bool *done) {
    (void)device;
    (void)event;
    *done = marks_are_done;
    return TULLE_OK;
}

static void test_does_not_wait(void **state) {
    (void)state;
    fixture f;
    set_up(&f, NULL, false);
    f.backend.event_done = event_done;
    tulle_tuner *tuner = make_tuner(&f);
    marks_are_done = false;
    for (int i = 0; i < 5; i++) call(&f, tuner);
    assert_int_equal(info_of(&f, tuner).steps, 0);
    marks_are_done = true;
    assert_int_equal(info_of(&f, tuner).steps, 1);
    for (int i = 0; i < 15; i++) call(&f, tuner);
    assert_string_equal(info_of(&f, tuner).best, "fast:pace=1");
    tulle_tuner_destroy(tuner);
    tear_down(&f);
}

/* Marks in a captured graph have no time, and a place that has no marks is no reason to fail. */
static tulle_status no_time(tulle__device *device, void *event, bool *done) {
    (void)device;
    (void)event;
    *done = true;
    return tulle__fail(TULLE_UNSUPPORTED, NULL, NULL, -1, "made up");
}
static tulle_status no_mark(const tulle__place *place, void *event) {
    (void)place;
    (void)event;
    return tulle__fail(TULLE_UNSUPPORTED, NULL, NULL, -1, "made up");
}
static tulle_status lost(tulle__device *device, void *event, bool *done) {
    (void)device;
    (void)event;
    *done = false;
    return tulle__fail(TULLE_DEVICE_FAULT, NULL, NULL, -1, "made up");
}

static void test_marks_fail(void **state) {
    (void)state;
    fixture f;
    set_up(&f, NULL, false);
    f.backend.event_done = no_time;
    tulle_tuner *tuner = make_tuner(&f);
    for (int i = 0; i < 5; i++) call(&f, tuner);
    assert_int_equal(info_of(&f, tuner).steps, 0);
    f.backend.event_record = no_mark;
    for (int i = 0; i < 5; i++) call(&f, tuner);
    assert_int_equal(info_of(&f, tuner).steps, 0);
    f.backend.event_record = record;
    call(&f, tuner);
    f.backend.event_done = lost;
    assert_int_equal(tulle_tuner_spmv(tuner, TULLE_N, tulle_num(2), f.A, f.x, tulle_num(0), f.y),
                     TULLE_DEVICE_FAULT);
    tulle_tuner_destroy(tuner);
    tear_down(&f);
}

/* Nothing can run: as tulle_spmv says. */
static void test_all_refuse(void **state) {
    (void)state;
    fixture f;
    set_up(&f, NULL, true);
    tulle_tuner *tuner = make_tuner(&f);
    tulle_tuner_info info;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(
            tulle_tuner_spmv(tuner, TULLE_N, tulle_num(2), f.A, f.x, tulle_num(0), f.y),
            TULLE_UNSUPPORTED);
        assert_string_equal(tulle_last_error()->function, "tulle_spmv");
    }
    assert_int_equal(tulle_tuner_describe(tuner, TULLE_N, f.A, &info), TULLE_NOT_FOUND);
    tulle_tuner_destroy(tuner);
    tear_down(&f);
}

/* Fails the n-th allocation from now on; true when all of the work no longer gets that far. */
static bool fail_once(int64_t n, tulle_tuner_mode mode, bool cached) {
    if (!cached) remove("memory-test.txt");
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator};
    const tulle_tuner_options tuning = {.mode = mode, .cache = "memory-test.txt", .max_calls = 2};
    fixture f;
    set_up(&f, &options, false);
    c.fail_at = c.requests + n;
    tulle_tuner *tuner = NULL;
    tulle_status status = tulle_tuner_create(f.ctx, &tuning, &tuner);
    if (status != TULLE_OK) assert_null(tuner);
    for (int i = 0; i < 3 && status == TULLE_OK; i++) {
        status = tulle_tuner_spmv(tuner, TULLE_N, tulle_num(2), f.A, f.x, tulle_num(0), f.y);
    }
    if (status == TULLE_OK) status = tulle_tuner_save(tuner);
    bool failed = c.requests >= c.fail_at;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_true(strlen(tulle_last_error()->message) > 0);
    }
    assert_int_equal(failed, status != TULLE_OK);
    c.fail_at = 0; /* and all serves as before */
    if (!tuner) must(tulle_tuner_create(f.ctx, &tuning, &tuner));
    call(&f, tuner);
    must(tulle_tuner_save(tuner));
    tulle_tuner_destroy(tuner);
    tear_down(&f);
    assert_int_equal(c.live, 0);
    return !failed;
}

static void test_out_of_memory(void **state) {
    (void)state;
    static const struct {
        tulle_tuner_mode mode;
        bool cached; /* by the runs before */
    } cases[] = {
        {TULLE_TUNE_ONLINE, false}, {TULLE_TUNE_EXHAUSTIVE, false}, {TULLE_TUNE_ONLINE, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t n = 1;
        while (!fail_once(n, cases[i].mode, cases[i].cached)) n++;
        assert_true(n > 3);
    }
    remove("memory-test.txt");
    remove("memory-test.txt.lock");
}

/* A search in a domain, or all of it: what it ran, in order and each once, and what it ended with.
 */
static void check_domain(const char *spec, tulle_tuner_mode mode, const char *ran,
                         const char *best) {
    fixture f;
    char text[256] = "";
    remove("domain-test.txt"); /* of a run that failed */
    set_up(&f, NULL, false);
    tulle_tuner *tuner = tuner_of(&f, spec, mode);
    for (int i = 0; i < 60; i++) call(&f, tuner);
    tulle_tuner_info info = info_of(&f, tuner);
    for (int i = 0; i < info.steps; i++) {
        tulle_tuner_step step;
        must(tulle_tuner_path(tuner, TULLE_N, f.A, i, &step));
        if (strstr(text, step.spec)) continue;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s ", step.spec);
    }
    assert_string_equal(text, ran);
    assert_true(info.settled);
    assert_string_equal(info.best, best);
    tulle_tuner_destroy(tuner);
    assert_true(access("domain-test.txt", F_OK) != 0);
    tear_down(&f);
}

/* One kernel and these values alone, but for the start; whatever models say of it. */
static void test_domains(void **state) {
    (void)state;
    static const tulle_tuner_mode each = TULLE_TUNE_EXHAUSTIVE;
    check_domain("fast", TULLE_TUNE_ONLINE, "fast:pace=2 fast:pace=1 ", "fast:pace=1");
    check_domain("fast:pace=1", TULLE_TUNE_ONLINE, "fast:pace=2 fast:pace=1 ", "fast:pace=1");
    check_domain("fast:pace=2|3", TULLE_TUNE_ONLINE, "fast:pace=2 fast:pace=3 ", "fast:pace=2");
    check_domain("fast:pace=3|2", each, "fast:pace=2 fast:pace=3 ", "fast:pace=2");
    check_domain("fast:pace=1,pace=3", each, "fast:pace=1 fast:pace=2 fast:pace=3 ", "fast:pace=1");
    check_domain("fast:pace=3", each, "fast:pace=2 fast:pace=3 ", "fast:pace=2");
    check_domain("slow", TULLE_TUNE_ONLINE, "slow ", "slow");
    check_domain("historical", TULLE_TUNE_ONLINE, "historical ", "historical");
    check_domain("hopeless", TULLE_TUNE_ONLINE, "hopeless ", "hopeless");
}

static void test_no_domain(void **state) {
    (void)state;
    static const struct {
        const char *spec;
        tulle_status status;
        const char *names;
    } bad[] = {{"fest", TULLE_NOT_FOUND, "'fest'"},
               {"", TULLE_NOT_FOUND, "''"},
               {"needs_plan", TULLE_UNSUPPORTED, "needs_plan"},
               {"fast:", TULLE_INVALID_ARGUMENT, "pace"},
               {"fast:pace", TULLE_INVALID_ARGUMENT, "'pace'"},
               {"fast:pace=", TULLE_INVALID_ARGUMENT, "1, 2, 3"},
               {"fast:pace=1|4", TULLE_INVALID_ARGUMENT, "'pace=4'"},
               {"fast:pace=1|", TULLE_INVALID_ARGUMENT, "'pace='"},
               {"fast:pace=1|2,", TULLE_INVALID_ARGUMENT, "''"},
               {"fast:speed=1", TULLE_INVALID_ARGUMENT, "'speed=1'"},
               {"slow:pace=1", TULLE_INVALID_ARGUMENT, "slow"}};
    fixture f;
    set_up(&f, NULL, false);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const tulle_tuner_options options = {.cache = "", .spec = bad[i].spec};
        tulle_tuner *tuner = (tulle_tuner *)1;
        assert_int_equal(tulle_tuner_create(f.ctx, &options, &tuner), bad[i].status);
        assert_null(tuner);
        assert_string_equal(tulle_last_error()->function, "tulle_tuner_create");
        if (!strstr(tulle_last_error()->message, bad[i].names))
            fail_msg("%s: %s", bad[i].spec, tulle_last_error()->message);
    }
    /* A kernel that cannot take the product leaves it to tulle_spmv. */
    tulle_tuner *tuner = tuner_of(&f, "refuses", TULLE_TUNE_ONLINE);
    for (int i = 0; i < 5; i++) call(&f, tuner);
    tulle_tuner_destroy(tuner);
    tear_down(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finds_the_fast_one),
        cmocka_unit_test(test_does_not_wait),
        cmocka_unit_test(test_marks_fail),
        cmocka_unit_test(test_all_refuse),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_domains),
        cmocka_unit_test(test_no_domain),
        cmocka_unit_test(test_short_calls_of_a_gpu),
        cmocka_unit_test(test_small_gains_of_a_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
