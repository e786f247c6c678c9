/* SPDX-License-Identifier: Apache-2.0 */
/* The pool alone, over a source that has so many bytes: which blocks are used again, what a cap
 * means, and what is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/pool_forecast.h"

typedef struct {
    size_t out, most_out, room;
    int requests; /* that were met */
} source;

static void *take(void *user, size_t bytes, void *stream) {
    source *s = user;
    (void)stream;
    if (bytes > s->room - s->out) return NULL;
    s->out += bytes;
    if (s->out > s->most_out) s->most_out = s->out;
    s->requests++;
    return malloc(bytes);
}

static void give(void *user, void *pointer, size_t bytes, void *stream) {
    source *s = user;
    (void)stream;
    s->out -= bytes;
    free(pointer);
}

typedef struct {
    source source, tables;
    tulle__pool pool;
} stand;

static void open_pool(stand *s, size_t room, size_t cap) {
    *s = (stand){.source = {.room = room}, .tables = {.room = 1 << 20}};
    tulle_allocator from = {take, give, &s->source}, host = {take, give, &s->tables};
    tulle__pool_init(&s->pool, &from, &host, cap, true);
}

/* Everything is in use no more. */
static void close_pool(stand *s) {
    tulle__pool_close(&s->pool);
    assert_int_equal(s->source.out, 0);
    assert_int_equal(s->tables.out, 0);
}

static void *get(stand *s, size_t bytes) {
    bool capped = true;
    void *got = tulle__pool_get(&s->pool, bytes, &capped);
    assert_non_null(got);
    assert_false(capped);
    return got;
}

static void keep(stand *s, size_t bytes) {
    tulle__pool_put(&s->pool, get(s, bytes));
}

static void expect_usage(const stand *s, size_t in_use, size_t high, size_t pooled) {
    tulle_memory_usage usage = tulle__pool_usage(&s->pool);
    assert_int_equal(usage.in_use, in_use);
    assert_int_equal(usage.high, high);
    assert_int_equal(usage.pooled, pooled);
}

/* A kept block serves what is at least half as large. */
static void test_which_serve(void **state) {
    static const struct {
        size_t wanted;
        bool again;
    } cases[] = {{201, false}, {200, true}, {100, true}, {99, false}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stand s;
        open_pool(&s, 1000, 0);
        keep(&s, 200);
        void *got = get(&s, cases[i].wanted);
        assert_int_equal(s.source.requests, cases[i].again ? 1 : 2);
        expect_usage(&s, cases[i].again ? 200 : cases[i].wanted, cases[i].wanted > 200 ? 201 : 200,
                     cases[i].again ? 0 : 200);
        tulle__pool_put(&s.pool, got);
        close_pool(&s);
    }
}

static void test_smallest_serves(void **state) {
    static const size_t sizes[3][3] = {{150, 180, 200}, {200, 150, 180}, {180, 200, 150}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        stand s;
        void *blocks[3];
        open_pool(&s, 1000, 0);
        for (int k = 0; k < 3; k++) blocks[k] = get(&s, sizes[i][k]);
        for (int k = 0; k < 3; k++) tulle__pool_put(&s.pool, blocks[k]);
        void *got = get(&s, 120);
        assert_int_equal(tulle__pool_usage(&s.pool).in_use, 150);
        tulle__pool_put(&s.pool, got);
        close_pool(&s);
    }
}

/* A block of several parts is in use until the last one is put back, in whatever order. */
static void test_parts(void **state) {
    static const size_t at[3] = {0, 256, 1023};
    static const int orders[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        stand s;
        bool capped = true;
        open_pool(&s, 3000, 0);
        char *beside = get(&s, 900);
        char *block = tulle__pool_get_parts(&s.pool, 1024, 3, &capped);
        assert_non_null(block);
        assert_false(capped);
        for (int k = 0; k < 3; k++) {
            expect_usage(&s, 1924, 1924, 0);
            tulle__pool_put(&s.pool, block + at[orders[i][k]]);
        }
        expect_usage(&s, 900, 1924, 1024);
        assert_ptr_equal(get(&s, 600), block);
        tulle__pool_put(&s.pool, block);
        tulle__pool_put(&s.pool, beside);
        expect_usage(&s, 0, 1924, 1924);
        close_pool(&s);
    }
}

/* What is said is what comes, and saying it takes nothing. */
static void test_forecast(void **state) {
    static const size_t wanted[] = {120, 0, 110, 90, 400};
    enum { WANTED = sizeof wanted / sizeof *wanted };
    void *blocks[WANTED] = {NULL};
    stand s;
    (void)state;
    open_pool(&s, 1000, 0);
    void *held = get(&s, 50), *first = get(&s, 200), *second = get(&s, 150);
    tulle__pool_put(&s.pool, first);
    tulle__pool_put(&s.pool, second);
    const size_t said = tulle__pool_forecast(&s.pool, wanted, WANTED);
    assert_int_equal(said, 50 + 150 + 200 + 90 + 400);
    expect_usage(&s, 50, 400, 350);
    for (int k = 0; k < WANTED; k++) {
        if (wanted[k] > 0) blocks[k] = get(&s, wanted[k]);
    }
    assert_int_equal(tulle__pool_usage(&s.pool).in_use, said);
    for (int k = 0; k < WANTED; k++) tulle__pool_put(&s.pool, blocks[k]);
    tulle__pool_put(&s.pool, held);
    close_pool(&s);
}

/* A large block that is used again is cut; what is cut off serves others, and both are one block
 * again when both are kept, in whatever order they are put back. */
static void test_cuts(void **state) {
    enum { LARGE = 1 << 20, WANTED = 600001, NEEDED = 600064, REST = LARGE - NEEDED };
    (void)state;
    for (int first = 0; first < 2; first++) {
        stand s;
        open_pool(&s, 3 * LARGE, 0);
        keep(&s, LARGE);
        const size_t wanted[] = {WANTED, REST};
        assert_int_equal(tulle__pool_forecast(&s.pool, wanted, 2), LARGE);
        char *parts[2] = {get(&s, WANTED), NULL};
        expect_usage(&s, NEEDED, LARGE, REST);
        parts[1] = get(&s, REST);
        assert_ptr_equal(parts[1], parts[0] + NEEDED);
        assert_int_equal(s.source.requests, 1);
        tulle__pool_put(&s.pool, parts[first]);
        tulle__pool_trim(&s.pool); /* half of a block is not given back */
        assert_int_equal(s.source.out, LARGE);
        tulle__pool_put(&s.pool, parts[1 - first]);
        expect_usage(&s, 0, LARGE, LARGE);
        tulle__pool_put(&s.pool, get(&s, LARGE));
        assert_int_equal(s.source.requests, 1);
        close_pool(&s);
    }
}

/* A large block of parts is split into them: each that is put back serves others, and all are one
 * block again. */
static void test_splits(void **state) {
    enum { FIRST = 500 * 1024, LAST = 600 * 1024, ALL = FIRST + 1024 + LAST };
    static const size_t sizes[] = {FIRST, 0, 1000, LAST};
    bool capped = true;
    stand s;
    (void)state;
    open_pool(&s, 3 * ALL, 0);
    char *first = tulle__pool_get_parts(&s.pool, ALL, 3, &capped);
    char *const parts[] = {first, first + FIRST, first + FIRST + 1024};
    assert_non_null(first);
    tulle__pool_split(&s.pool, first, sizes, 4, 256);
    expect_usage(&s, ALL, ALL, 0);
    tulle__pool_put(&s.pool, parts[2]);
    expect_usage(&s, FIRST + 1024, ALL, LAST);
    assert_ptr_equal(get(&s, LAST), parts[2]);
    for (int k = 0; k < 3; k++) tulle__pool_put(&s.pool, parts[k]);
    expect_usage(&s, 0, ALL, ALL);
    tulle__pool_put(&s.pool, get(&s, ALL));
    assert_int_equal(s.source.requests, 1);
    close_pool(&s);
}

/* Three parts of one block, of which the middle one is put back last. */
static void test_joins_both_ways(void **state) {
    enum { LARGE = 1 << 20, HALF = LARGE / 2, QUARTER = LARGE / 4 };
    stand s;
    void *parts[3];
    (void)state;
    open_pool(&s, 3 * LARGE, 0);
    keep(&s, LARGE);
    parts[0] = get(&s, HALF);
    parts[1] = get(&s, QUARTER);
    parts[2] = get(&s, QUARTER);
    tulle__pool_put(&s.pool, parts[0]);
    tulle__pool_put(&s.pool, parts[2]);
    tulle__pool_put(&s.pool, parts[1]);
    tulle__pool_put(&s.pool, get(&s, LARGE));
    assert_int_equal(s.source.requests, 1);
    close_pool(&s);
}

/* Under a cap a block stays whole, so that it can be given back. */
static void test_no_cut_under_cap(void **state) {
    enum { LARGE = 1 << 20, HALF = LARGE / 2 };
    stand s;
    (void)state;
    open_pool(&s, 3 * LARGE, 2 * LARGE);
    keep(&s, LARGE);
    void *half = get(&s, HALF);
    expect_usage(&s, LARGE, LARGE, 0);
    tulle__pool_put(&s.pool, half);
    close_pool(&s);
}

static void test_cap(void **state) {
    stand s;
    bool capped = false;
    (void)state;
    open_pool(&s, 1000, 300);
    void *large = get(&s, 200), *rest = get(&s, 100);
    assert_null(tulle__pool_get(&s.pool, 1, &capped));
    assert_true(capped);
    tulle__pool_put(&s.pool, large);
    tulle__pool_put(&s.pool, rest);
    expect_usage(&s, 0, 300, 300);
    assert_null(tulle__pool_get(&s.pool, 301, &capped));
    assert_true(capped);
    close_pool(&s);
}

/* What is kept counts, and goes when it stands in the way. */
static void test_cap_with_kept(void **state) {
    stand s;
    (void)state;
    open_pool(&s, 1000, 300);
    keep(&s, 60);
    keep(&s, 200);
    void *got = get(&s, 250);
    assert_int_equal(s.source.most_out, 260);
    expect_usage(&s, 250, 250, 0);
    tulle__pool_put(&s.pool, got);
    close_pool(&s);
}

static void test_second_try(void **state) {
    stand s;
    bool capped = true;
    (void)state;
    open_pool(&s, 300, 0);
    keep(&s, 200);
    void *got = get(&s, 250);
    assert_null(tulle__pool_get(&s.pool, 60, &capped));
    assert_false(capped);
    expect_usage(&s, 250, 250, 0);
    tulle__pool_put(&s.pool, got);
    close_pool(&s);
}

static void test_counts(void **state) {
    stand s;
    (void)state;
    open_pool(&s, 1000, 0);
    keep(&s, 200);
    void *got = get(&s, 50);
    expect_usage(&s, 50, 200, 200);
    tulle__pool_reset_high(&s.pool);
    expect_usage(&s, 50, 50, 200);
    tulle__pool_trim(&s.pool);
    expect_usage(&s, 50, 50, 0);
    assert_int_equal(s.source.out, 50);
    tulle__pool_put(&s.pool, got);
    expect_usage(&s, 0, 50, 50);
    close_pool(&s);
}

/* More blocks than the table has room for at first. */
static void test_many(void **state) {
    enum { MANY = 100 };
    stand s;
    void *got[MANY];
    (void)state;
    open_pool(&s, 1 << 20, 0);
    for (size_t i = 0; i < MANY; i++) got[i] = get(&s, 1 + i);
    expect_usage(&s, MANY * (MANY + 1) / 2, MANY * (MANY + 1) / 2, 0);
    for (size_t i = 0; i < MANY; i++) tulle__pool_put(&s.pool, got[i]);
    for (size_t i = MANY; i > 0; i--) got[i - 1] = get(&s, i);
    assert_int_equal(s.source.requests, MANY);
    for (size_t i = 0; i < MANY; i++) tulle__pool_put(&s.pool, got[i]);
    close_pool(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_which_serve),
        cmocka_unit_test(test_smallest_serves),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_forecast),
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_splits),
        cmocka_unit_test(test_joins_both_ways),
        cmocka_unit_test(test_no_cut_under_cap),
        cmocka_unit_test(test_cap),
        cmocka_unit_test(test_cap_with_kept),
        cmocka_unit_test(test_second_try),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
