/* SPDX-License-Identifier: Apache-2.0 */
/* Correct kernels give the right result in every order, with any number of resident blocks. */
#include <initializer_list>

#include "harness.h"
#include "samples.cuh"

using harness::array;
using harness::expect_ok;
using harness::place;

/* Runs a test for every order and for several numbers of resident blocks. */
static void everywhere(void (*test)()) {
    for (const char *order : harness::orders) {
        for (const char *resident : {"1", "4", "16"}) {
            expect_ok(tulle__emu_set_order(order));
            expect_ok(tulle__emu_set_resident(resident));
            test();
        }
    }
}

static int value_of(int64_t i) {
    return static_cast<int>((i * 7919 + 3) % 101);
}

static void fill_values(int *in, int64_t count) {
    for (int64_t i = 0; i < count; i++) in[i] = value_of(i);
}

template <class T>
static void check_sums(bool tree, int64_t blocks, int threads) {
    array<T> in(blocks * threads), sums(blocks);
    for (int64_t i = 0; i < blocks * threads; i++) in[i] = static_cast<T>(value_of(i));
    if (tree) {
        size_t shared = static_cast<size_t>(threads) * sizeof(T);
        expect_ok(
            gpu::launch(place(), samples::block_sum_tree<T>, {blocks, threads, shared}, in, sums));
    } else {
        expect_ok(gpu::launch(place(), samples::block_sum<T>, {blocks, threads}, in, sums));
    }
    for (int64_t b = 0; b < blocks; b++) {
        T sum = 0;
        for (int i = 0; i < threads; i++) sum += in[b * threads + i];
        assert_true(sums[b] == sum); /* small whole numbers: exact in any order */
    }
}

static void sums() {
    for (bool tree : {false, true}) {
        check_sums<float>(tree, 9, 128);
        check_sums<double>(tree, 3, 1024);
    }
}

static void scan() {
    constexpr int blocks = 5, threads = 96;
    array<int> in(blocks * threads), out(blocks * threads);
    fill_values(in, blocks * threads);
    expect_ok(gpu::launch(place(), samples::warp_scan<int>, {blocks, threads}, in, out));
    int sum = 0;
    for (int i = 0; i < blocks * threads; i++) {
        sum = (i % 32 ? sum : 0) + in[i];
        assert_int_equal(out[i], sum);
    }
}

static void bins() {
    constexpr int count = 3001, range = 101;
    array<int> in(count);
    array<int64_t> found(range, 0);
    fill_values(in, count);
    expect_ok(gpu::launch(place(), samples::histogram<range>, {7, 64}, in, count, found));
    int64_t expected[range] = {};
    for (int i = 0; i < count; i++) expected[in[i]]++;
    assert_memory_equal(static_cast<int64_t *>(found), expected, sizeof expected);
}

static void chain() {
    constexpr int blocks = 50, count = blocks * 32;
    array<int> in(count), out(count), ticket(1, 0), flags(blocks, 0), totals(blocks);
    fill_values(in, count);
    expect_ok(
        gpu::launch(place(), samples::chained_scan, {blocks, 32}, in, out, ticket, flags, totals));
    int sum = 0;
    for (int i = 0; i < count; i++) {
        sum += in[i];
        assert_int_equal(out[i], sum);
    }
}

static void halves() {
    constexpr int count = 3 * 64;
    array<int> in(count), out(count), odd(count / 16);
    fill_values(in, count);
    expect_ok(gpu::launch(place(), samples::half_warps, {3, 64}, in, out, odd));
    for (int i = 0; i < count; i++) {
        assert_int_equal(out[i], in[i / 16 * 16 + 15 - i % 16]);
    }
    for (int h = 0; h < count / 16; h++) {
        int odds = 0;
        for (int i = 0; i < 16; i++) odds += in[h * 16 + i] % 2;
        assert_int_equal(odd[h], odds);
    }
}

static void lock() {
    constexpr int count = 6 * 64;
    array<int> in(count), lock(1, 0), sum(1, 0), least(1, 1000), most(1, -1000);
    fill_values(in, count);
    expect_ok(gpu::launch(place(), samples::locked, {6, 64}, in, lock, sum, least, most));
    int expected = 0;
    for (int i = 0; i < count; i++) expected += in[i];
    assert_int_equal(sum[0], expected);
    assert_int_equal(least[0], 0);
    assert_int_equal(most[0], 100);
}

/* The CUDA programming guide's definitions, lane by lane. */
template <class T>
static void check_shuffles(int width) {
    array<T> in(32), out(4 * 32);
    for (int i = 0; i < 32; i++) in[i] = static_cast<T>(100 + i);
    expect_ok(gpu::launch(place(), samples::swap_neighbours<T>, {1, 32}, in, out, width));
    for (int i = 0; i < 32; i++) {
        int first = i / width * width, last = first + width - 1;
        int other = (i ^ 1) > last ? i : i ^ 1;
        assert_true(out[i] == in[other]);
        assert_true(out[32 + i] == in[first + 1 % width]);
        assert_true(out[64 + i] == in[i < last ? i + 1 : i]);
        assert_true(out[96 + i] == in[i > first ? i - 1 : i]);
    }
}

static void shuffles() {
    for (int width = 1; width <= 32; width *= 2) {
        check_shuffles<int>(width);
        check_shuffles<double>(width);
        check_shuffles<int64_t>(width);
    }
}

static void test_sums(void **) {
    everywhere(sums);
}
static void test_scan(void **) {
    everywhere(scan);
}
static void test_histogram(void **) {
    everywhere(bins);
}
static void test_chained_scan(void **) {
    everywhere(chain);
}
static void test_half_warps(void **) {
    everywhere(halves);
}
static void test_lock(void **) {
    everywhere(lock);
}
static void test_shuffles(void **) {
    everywhere(shuffles);
}

int main(void) {
    const CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_sums, harness::reset),
        cmocka_unit_test_teardown(test_scan, harness::reset),
        cmocka_unit_test_teardown(test_histogram, harness::reset),
        cmocka_unit_test_teardown(test_chained_scan, harness::reset),
        cmocka_unit_test_teardown(test_half_warps, harness::reset),
        cmocka_unit_test_teardown(test_lock, harness::reset),
        cmocka_unit_test_teardown(test_shuffles, harness::reset),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
