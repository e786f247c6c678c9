/* SPDX-License-Identifier: Apache-2.0 */
/* The tuner's search on made-up tables of times: how near it comes to the best, after how many
 * calls, at what price, with noise, with kernels that refuse. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tune/search.h"
#include "zoo.h"

enum { CALLS = 15 };

/* A product on a made-up device: each kernel's time at each point. */
typedef struct {
    const char *name;
    tulle__terrain terrain;
    double (*ms)(const tulle__point *point);
} device;

static double far_from(int at, int best, double each) {
    return each * abs(at - best);
}

/* Cooperating lanes 1 to 32, repeats 1 to 32, blocks 32 to 1024; the best in the middle. */
static double bowl(const tulle__point *p) {
    return (1 + far_from(p->at[0], 2, 0.2)) * (1 + far_from(p->at[1], 0, 0.05)) *
           (1 + far_from(p->at[2], 3, 0.03));
}

/* Two regimes, as csr_vector's loads have: the better one begins behind points that are no better
 * than where the search starts. */
static double hollow(const tulle__point *p) {
    static const double lanes[] = {2.0, 1.6, 1.0, 1.30, 1.27, 1.32};
    return lanes[p->at[0]] * (1 + far_from(p->at[1], 1, 0.04)) * (1 + far_from(p->at[2], 2, 0.02));
}

/* The start is best; each step away costs a lot, on one side more than on the other. */
static double ravine(const tulle__point *p) {
    int away = p->at[0] - 4;
    return (away > 0 ? 1 + 0.9 * away : 1 - 0.35 * away) * (1 + far_from(p->at[1], 1, 0.3)) *
           (1 + far_from(p->at[2], 2, 0.1));
}

/* The rule picked the wrong kernel: the second by the model is much better, the third a little. */
static double wrong_kernel(const tulle__point *p) {
    static const double kernel[] = {1.8, 1.0, 1.7};
    return kernel[p->kernel] * (p->kernel == 1 ? 1 + far_from(p->at[0], 1, 0.1) : bowl(p));
}

/* Flat but for one parameter of the second kind. */
static double late_axis(const tulle__point *p) {
    static const double block[] = {1.5, 1.36, 1.22, 1.1, 1.0, 1.02};
    return block[p->at[2]] * (1 + far_from(p->at[0], 4, 0.15));
}

static bool always(const void *user, const tulle__point *point) {
    (void)user;
    (void)point;
    return true;
}

static tulle__search_kernel candidate(int kernel, double model, int coop, int repeat, int block) {
    return (tulle__search_kernel){.axes = 3,
                                  .values = {6, 6, 6},
                                  .home = {.kernel = kernel, .at = {coop, repeat, block}},
                                  .model = model};
}

enum { DEVICES = 5 };

static device make_device(int i) {
    static double (*const ms[DEVICES])(const tulle__point *) = {bowl, hollow, ravine, wrong_kernel,
                                                                late_axis};
    static const char *const names[DEVICES] = {"bowl", "hollow", "ravine", "wrong kernel",
                                               "late axis"};
    device d = {.name = names[i], .ms = ms[i]};
    d.terrain = (tulle__terrain){.count = 1, .allowed = always};
    d.terrain.candidate[0] = candidate(0, 10, 4, 1, 2);
    if (ms[i] == wrong_kernel) {
        d.terrain.candidate[0] = candidate(0, 10, 2, 0, 3);
        d.terrain.candidate[1] =
            (tulle__search_kernel){.axes = 1, .values = {2}, .home = {.kernel = 1}, .model = 11};
        d.terrain.candidate[2] = candidate(2, 14, 2, 0, 3);
        d.terrain.count = 3;
    }
    return d;
}

static double best_of(const device *d) {
    double best = INFINITY;
    for (int k = 0; k < d->terrain.count; k++) {
        const tulle__search_kernel *c = &d->terrain.candidate[k];
        tulle__point p = {.kernel = k};
        for (p.at[0] = 0; p.at[0] < c->values[0]; p.at[0]++) {
            for (p.at[1] = 0; p.at[1] < (c->axes > 1 ? c->values[1] : 1); p.at[1]++) {
                for (p.at[2] = 0; p.at[2] < (c->axes > 2 ? c->values[2] : 1); p.at[2]++) {
                    best = fmin(best, d->ms(&p));
                }
            }
        }
    }
    return best;
}

/* How a search went. */
typedef struct {
    int calls;            /* until it was over */
    double after_seven;   /* the best time over that of the choice after seven calls */
    double at_the_end;    /* and at the end */
    double dearest_trial; /* the longest true time of a trial over the start's */
} outcome;

/* Runs a search; each measurement is off by up to `noise`, and one in `rare` takes up to twice as
 * long (0: none). */
static outcome search(const device *d, double noise, int rare, uint64_t seed) {
    tulle__search s;
    outcome o = {0};
    double best = best_of(d), start = d->ms(&d->terrain.candidate[0].home);
    tulle__search_start(&s, &d->terrain, CALLS);
    while (!s.over) {
        double true_ms = d->ms(&s.tried[s.now].point);
        double ms = true_ms * (1 + noise * zoo_number(&seed));
        bool disturbed = rare && zoo_bits(&seed) % (uint64_t)rare == 0;
        if (disturbed) ms *= 1 + fabs(zoo_number(&seed));
        if (o.calls == 0) ms *= 10; /* cold */
        o.dearest_trial = fmax(o.dearest_trial, true_ms / start);
        tulle__search_step(&s, &d->terrain, ms);
        if (++o.calls == 7) o.after_seven = best / d->ms(&s.tried[s.best].point);
        assert_in_range(o.calls, 1, CALLS);
    }
    o.at_the_end = best / d->ms(&s.tried[s.best].point);
    if (o.calls < 7) o.after_seven = o.at_the_end;
    assert_true(tulle__same_point(&s.tried[s.now].point, &s.tried[s.best].point));
    return o;
}

static void test_without_noise(void **state) {
    (void)state;
    for (int i = 0; i < DEVICES; i++) {
        device d = make_device(i);
        outcome o = search(&d, 0, 0, 1);
        print_message("%s: %.3f after seven calls, %.3f after %d, dearest trial %.2f\n", d.name,
                      o.after_seven, o.at_the_end, o.calls, o.dearest_trial);
        assert_true(o.at_the_end >= 0.98);
        assert_true(o.dearest_trial <= 2);
    }
}

static void test_with_noise(void **state) {
    (void)state;
    enum { SEEDS = 200 };
    double sum_seven = 0, sum_end = 0;
    int dear = 0;
    for (int i = 0; i < DEVICES; i++) {
        device d = make_device(i);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            outcome o = search(&d, 0.015, 50, 977 * seed);
            sum_seven += log(o.after_seven);
            sum_end += log(o.at_the_end);
            dear += o.dearest_trial > 2;
            assert_true(o.at_the_end >= 0.5);
            assert_true(o.dearest_trial <= 4);
        }
    }
    double seven = exp(sum_seven / (DEVICES * SEEDS)), end = exp(sum_end / (DEVICES * SEEDS));
    print_message(
        "with noise: %.3f after seven calls, %.3f at the end; %d of %d met a trial above 2\n",
        seven, end, dear, DEVICES * SEEDS);
    assert_true(dear <= DEVICES * SEEDS / 100);
    assert_true(seven >= 0.92);
    assert_true(end >= 0.99);
}

/* A disturbance of the start makes the first trial look good; measured again, it is not. */
static void test_a_disturbed_start(void **state) {
    (void)state;
    device d = make_device(2);
    tulle__search s;
    tulle__search_start(&s, &d.terrain, CALLS);
    for (int call = 0; !s.over; call++) {
        double ms = d.ms(&s.tried[s.now].point), start = s.tried[0].ms;
        bool looks_good = s.now != 0 && s.tried[0].samples == 1 && ms < 0.9 * start;
        tulle__search_step(&s, &d.terrain, call == 1 ? 1.6 * ms : ms);
        if (looks_good) assert_int_equal(s.now, 0);
    }
    assert_true(d.ms(&s.tried[s.best].point) == best_of(&d));
}

/* A kernel that refuses is not tried again; when all do, the search says so by its best. */
static void test_refusals(void **state) {
    (void)state;
    device d = make_device(3);
    tulle__search s;
    tulle__search_start(&s, &d.terrain, CALLS);
    while (!s.over) {
        const tulle__point *p = &s.tried[s.now].point;
        tulle__search_step(&s, &d.terrain, p->kernel == 0 ? -1 : d.ms(p));
    }
    assert_int_equal(s.tried[s.best].point.kernel, 1);
    assert_true(d.ms(&s.tried[s.best].point) == best_of(&d));
    tulle__search_start(&s, &d.terrain, CALLS);
    while (!s.over) tulle__search_step(&s, &d.terrain, -1);
    assert_int_equal(s.tried[s.best].samples, 0);
    assert_true(s.calls <= CALLS);
}

static void test_few_calls(void **state) {
    (void)state;
    device d = make_device(0);
    for (int most = 1; most < 60; most++) {
        tulle__search s;
        int calls = 0;
        tulle__search_start(&s, &d.terrain, most);
        for (; !s.over; calls++) {
            tulle__search_step(&s, &d.terrain, d.ms(&s.tried[s.now].point));
        }
        assert_in_range(calls, 1, most);
        assert_true(s.tried[s.best].samples > 0);
        tulle__search after = s;
        tulle__search_step(&s, &d.terrain, 1e-9);
        assert_memory_equal(&after, &s, sizeof s);
    }
}

/* Gains within the terrain's blur are not followed: all there is to gain here is 0.22 of 1.22.
 * Turns at the end tell the largest of them from luck all the same, so the search ends one step
 * away. */
static void test_blur(void **state) {
    (void)state;
    device d = make_device(4);
    double start = d.ms(&d.terrain.candidate[0].home);
    d.terrain.blur = 0.08;
    assert_true(search(&d, 0, 0, 1).at_the_end == 1);
    d.terrain.blur = 0.25;
    outcome o = search(&d, 0, 0, 1);
    assert_true(o.at_the_end == 1 / 1.1);
    assert_true(o.after_seven == 1 / start); /* until then nothing was followed */
}

/* All else is faster than the start, but by less than counts: no turns are spent on that. */
static double level(const tulle__point *p) {
    return tulle__same_point(p, &(tulle__point){.at = {4, 1, 2}}) ? 1 : 0.995;
}

static void test_ties(void **state) {
    (void)state;
    device d = make_device(0);
    d.ms = level;
    d.terrain.blur = 0.1;
    tulle__search s;
    tulle__search_start(&s, &d.terrain, CALLS);
    while (!s.over) tulle__search_step(&s, &d.terrain, d.ms(&s.tried[s.now].point));
    assert_int_equal(s.best, 0);
    assert_int_equal(s.repeats, 0);
}

/* A kernel whose model is far from the rule's choice is tried when all axes are at rest. */
static void test_a_far_kernel(void **state) {
    (void)state;
    device d = make_device(3);
    d.terrain.candidate[1].model = 13.9;
    assert_true(search(&d, 0, 0, 1).at_the_end == 1);
}

/* The last trial that there is room for is the good one: the turns after it must all be there. */
static void test_a_late_gain(void **state) {
    (void)state;
    device d = make_device(0);
    tulle__search s;
    tulle__search_start(&s, &d.terrain, 7);
    while (!s.over) tulle__search_step(&s, &d.terrain, d.ms(&s.tried[s.now].point));
    assert_int_equal(s.count, 2);
    assert_int_equal(s.best, 1);
    assert_true(d.ms(&s.tried[1].point) < d.ms(&s.tried[0].point));
}

/* Turns in which the rival once took as long as the start did are no proof within the blur. */
static void test_turns_that_cross(void **state) {
    (void)state;
    device d = make_device(4);
    d.terrain.blur = 0.25;
    for (int crossing = 0; crossing < 2; crossing++) {
        tulle__search s;
        tulle__search_start(&s, &d.terrain, CALLS);
        while (!s.over) {
            double ms = d.ms(&s.tried[s.now].point);
            bool once = crossing && s.repeats == 2 && s.now != 0;
            tulle__search_step(&s, &d.terrain, once ? 1.2 * ms : ms);
        }
        assert_int_equal(s.best == 0, crossing);
    }
}

/* The first time that a point is measured, luck halves its time: where all points are alike but for
 * that, the search must end where it began. */
static double alike(const tulle__point *p) {
    return tulle__same_point(p, &(tulle__point){.at = {4, 1, 2}}) ? 1 : 1.04;
}

static void test_luck(void **state) {
    (void)state;
    device d = make_device(0);
    d.ms = alike;
    for (int most = 1; most < 40; most++) {
        tulle__search s;
        tulle__search_start(&s, &d.terrain, most);
        while (!s.over) {
            const tulle__sample *t = &s.tried[s.now];
            bool lucky = s.now != 0 && t->samples == 0;
            tulle__search_step(&s, &d.terrain, (lucky ? 0.5 : 1) * d.ms(&t->point));
        }
        assert_int_equal(s.best, 0);
    }
}

/* Single calls that differ by a tenth, as short ones on a GPU: hardly a search ends slower than it
 * began, on whatever device. */
static void test_never_slower(void **state) {
    (void)state;
    enum { SEEDS = 200 };
    int slower = 0;
    for (int i = 0; i < DEVICES; i++) {
        device d = make_device(i);
        double start = best_of(&d) / d.ms(&d.terrain.candidate[0].home);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            slower += search(&d, 0.1, 20, 613 * seed).at_the_end < start;
        }
    }
    print_message("%d of %d ended slower than they began\n", slower, DEVICES * SEEDS);
    assert_true(slower <= DEVICES * SEEDS / 100);
}

/* Short calls on a GPU, in ms: what there is to gain is within what two calls may differ by. */
enum { SHAPES = 36 };

static int shape_of_short;

static double short_call(const tulle__point *p) {
    return 0.030 * (1 + far_from(p->at[0], shape_of_short / 6, 0.04)) *
           (1 + far_from(p->at[1], shape_of_short % 6, 0.02)) * (1 + far_from(p->at[2], 2, 0.02));
}

static void test_short_calls(void **state) {
    (void)state;
    enum { SEEDS = 50 };
    int slower = 0;
    double sum_start = 0, sum_end = 0;
    device d = make_device(0);
    d.ms = short_call;
    d.terrain.blur = 0.0025;
    for (shape_of_short = 0; shape_of_short < SHAPES; shape_of_short++) {
        double start = best_of(&d) / d.ms(&d.terrain.candidate[0].home);
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            double end = search(&d, 0.05, 20, 389 * seed).at_the_end;
            slower += end < start;
            sum_start += log(start);
            sum_end += log(end);
        }
    }
    double start = exp(sum_start / (SHAPES * SEEDS)), end = exp(sum_end / (SHAPES * SEEDS));
    print_message("short calls: from %.3f to %.3f; %d of %d ended slower than they began\n", start,
                  end, slower, SHAPES * SEEDS);
    assert_true(slower <= SHAPES * SEEDS / 100);
    assert_true(end >= start + 0.02);
}

/* A start that takes less than calls can tell stays, as soon as a call says so; one that takes
 * longer is left. */
static void test_a_short_start(void **state) {
    (void)state;
    device d = make_device(0);
    double start = d.ms(&d.terrain.candidate[0].home);
    d.terrain.shortest = 1.01 * start;
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        tulle__search s;
        tulle__search_start(&s, &d.terrain, CALLS);
        while (!s.over) {
            double ms = d.ms(&s.tried[s.now].point);
            tulle__search_step(&s, &d.terrain, disturbed && s.calls == 1 ? 1.5 * ms : ms);
        }
        assert_int_equal(s.best, 0);
        assert_int_equal(s.now, 0);
        assert_int_equal(s.calls, disturbed ? 4 : 2);
    }
    d.terrain.shortest = start;
    assert_true(search(&d, 0, 0, 1).at_the_end == 1);
}

static bool only_home(const void *user, const tulle__point *point) {
    const device *d = user;
    return tulle__same_point(point, &d->terrain.candidate[0].home);
}

/* With nothing to choose from it ends as soon as the start is known. */
static void test_no_choice(void **state) {
    (void)state;
    device d = make_device(0);
    d.terrain.allowed = only_home;
    d.terrain.user = &d;
    outcome o = search(&d, 0, 0, 1);
    assert_true(o.calls <= 4);
    assert_true(o.dearest_trial == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_noise),
        cmocka_unit_test(test_with_noise),
        cmocka_unit_test(test_a_disturbed_start),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_few_calls),
        cmocka_unit_test(test_no_choice),
        cmocka_unit_test(test_blur),
        cmocka_unit_test(test_luck),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_a_far_kernel),
        cmocka_unit_test(test_a_late_gain),
        cmocka_unit_test(test_turns_that_cross),
        cmocka_unit_test(test_never_slower),
        cmocka_unit_test(test_short_calls),
        cmocka_unit_test(test_a_short_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
