/* SPDX-License-Identifier: Apache-2.0 */
/* A relaxed load that nothing orders sees what was overwritten, once, in every order; and never
 * what the memory model forbids it to see. */
#include "broken_overwritten.cuh"
#include "caught.h"

using harness::array;
using harness::expect_clean;
using harness::expect_fault_of;
using harness::expect_ok;
using harness::place;

using namespace broken;

/* What block 1 has seen of data that were 0 and are 7. */
template <written_by how, handed_on_by flag_is, class T>
static T seen() {
    array<T> data(1, T(0)), out(3, T(-1));
    array<int> flag(1, 0);
    expect_ok(gpu::launch(place(), data_beside_flag<how, flag_is, T>, {3, 1}, data, flag, out));
    assert_true(out[1] == out[2]);
    return out[1];
}

template <written_by how, class T>
static void try_data() {
    expect_clean([] {
        assert_true((seen<how, BY_NOTHING, T>() == T(0)));
        assert_true((seen<how, BY_ONE_FENCE, T>() == T(0)));
        assert_true((seen<how, BY_FENCES, T>() == T(7)));
        assert_true((seen<how, BY_RELEASE, T>() == T(7)));
    });
}

static void test_data_beside_flag(void **) {
    try_data<BY_STORE, int>();
    try_data<BY_STORE, int64_t>();
    try_data<BY_STORE, double>();
    try_data<BY_ADDITION, int>();
    try_data<BY_ADDITION, float>();
    try_data<BY_EXCHANGE, uint64_t>();
}

/* What was there before nobody knows. */
static void test_unwritten(void **) {
    expect_fault_of({"reads element 0", "was the first to write, at broken_overwritten.cuh:",
                     "nothing orders the two"},
                    [] {
                        array<int> data(1), flag(1, 0), out(3);
                        return gpu::launch(place(), data_beside_flag<BY_STORE, BY_NOTHING, int>,
                                           {3, 1}, data, flag, out);
                    });
    expect_clean([] {
        array<int> data(1), flag(1, 0), out(3);
        expect_ok(gpu::launch(place(), data_beside_flag<BY_STORE, BY_RELEASE, int>, {3, 1}, data,
                              flag, out));
    });
}

/* What a consumer has taken, and left behind it. */
template <written_by how, handed_on_by flag_is, class T>
static void try_taking(T taken, T left) {
    expect_clean([=] {
        array<T> data(1, T(0)), out(1, T(-1));
        array<int> flag(1, 0);
        expect_ok(gpu::launch(place(), data_taken<how, flag_is, T>, {2, 1}, data, flag, out));
        assert_true(out[0] == taken && data[0] == left);
    });
}

static void test_updates(void **) {
    try_taking<BY_STORE, BY_NOTHING, int>(0, 7);
    try_taking<BY_STORE, BY_NOTHING, int64_t>(0, 7);
    try_taking<BY_STORE, BY_RELEASE, int>(7, 9);
    try_taking<BY_ADDITION, BY_NOTHING, int>(7, 9);
    try_taking<BY_EXCHANGE, BY_NOTHING, uint64_t>(7, 9);
    expect_fault_of({"element 0 of argument 1"}, [] {
        array<int> count(1);
        return gpu::launch(place(), counts_from_zero<false>, {1, 64}, count);
    });
    expect_clean([] {
        array<int> count(1);
        expect_ok(gpu::launch(place(), counts_from_zero<true>, {1, 64}, count));
        assert_int_equal(count[0], 64);
    });
}

template <bool careful>
static void try_halves(int64_t low, int64_t high, int64_t both) {
    expect_clean([=] {
        array<int64_t> whole(1, INT64_C(2) << 32), out(3);
        array<int> half(2, 4), flag(1, 0);
        expect_ok(gpu::launch(place(), halves<careful>, {2, 1}, whole, half, flag, out));
        assert_true(out[0] == low && out[1] == high && out[2] == both);
    });
}

static void test_widths(void **) {
    try_halves<false>(0, 2, (INT64_C(4) << 32) + 4);
    try_halves<true>(5, 3, (INT64_C(9) << 32) + 7);
}

static void test_single_looks(void **) {
    expect_fault_of({"a race in global memory: it reads", "looks_once"}, [] {
        array<int> data(4, 0), flags(4, 0), out(4);
        return gpu::launch(place(), looks_once<false>, {4, 1}, data, flags, out);
    });
    expect_clean([] {
        array<int> data(4, 0), flags(4, 0), out(4);
        expect_ok(gpu::launch(place(), looks_once<true>, {4, 1}, data, flags, out));
    });
    array<int> data(1, 0), flag(1, 0), out(1);
    expect_ok(tulle__emu_set_order("forward"));
    expect_ok(gpu::launch(place(), looks_late, {2, 1}, data, flag, out));
    expect_ok(tulle__emu_set_order("backward"));
    flag.fill(0);
    harness::expect_fault(gpu::launch(place(), looks_late, {2, 1}, data, flag, out),
                          "a race in global memory: it reads");
}

static void test_loops_without_spin(void **) {
    expect_fault_of({"a loop without gpu::spin"}, [] {
        array<int> flag(1, 0);
        return gpu::launch(place(), ends_wait_without_spin<true>, {1, 32}, flag);
    });
    expect_fault_of({"a loop without gpu::spin"}, [] {
        array<int> flag(1, 0);
        return gpu::launch(place(), ends_wait_without_spin<false>, {1, 32}, flag);
    });
}

template <bool careful>
static int sum_of_parts() {
    array<int> parts(4, 0), tickets(1, 0), sum(1, 0);
    expect_ok(gpu::launch(place(), last_block_looks<careful>, {4, 1}, parts, tickets, sum));
    return sum[0];
}

static void test_last_block(void **) {
    expect_clean([] {
        assert_int_equal(sum_of_parts<true>(), 4);
        assert_int_equal(sum_of_parts<false>(), 1); /* its own */
    });
}

template <met_by how>
static int seen_again() {
    array<int> data(1, 0), flag(2, 0), out(2, 0);
    expect_ok(gpu::launch(place(), looks_again<how>, {3, 1}, data, flag, out));
    if (how == BY_UPDATING) assert_int_equal(out[0], 0);
    return out[1];
}

static void test_coherence(void **) {
    expect_clean([] {
        assert_int_equal(seen_again<BY_WAITING>(), 7);
        assert_int_equal(seen_again<BY_UPDATING>(), 7);
        assert_int_equal(seen_again<BY_WRITING>(), 7);
        assert_int_equal(seen_again<BY_HEARING>(), 7);
    });
}

static void test_older_releases(void **) {
    expect_clean([] {
        array<int> data(3, 0), counter(1, 0), out(3, 0);
        expect_ok(gpu::launch(place(), counts_up, {2, 1}, data, counter, out));
        assert_int_equal(out[0], 1);
    });
}

static void test_barriers(void **) {
    expect_clean([] {
        for (int barrier : {1, 2}) {
            array<int> data(64, 0), out(64, -1);
            expect_ok(gpu::launch(place(), looks_at_neighbour, {1, 64}, data, out, barrier));
            for (int i = 0; i < 64; i++) assert_int_equal(out[i], 1);
        }
        array<int> data(4, 0), out(4, -1);
        expect_ok(gpu::launch(place(), looks_at_neighbour, {1, 4}, data, out, 0));
        for (int i = 0; i < 4; i++) assert_int_equal(out[i], 0);
    });
}

static void test_next_launch(void **) {
    expect_clean([] {
        array<int> data(1, 0), out(64, 0);
        expect_ok(gpu::launch(place(), stores, {1, 1}, data));
        expect_ok(gpu::launch(place(), takes_relaxed, {1, 64}, data, out));
        for (int i = 0; i < 64; i++) assert_int_equal(out[i], 7);
    });
}

#define TEST(name) cmocka_unit_test_teardown(name, harness::reset)

int main(void) {
    const CMUnitTest tests[] = {
        TEST(test_data_beside_flag), TEST(test_unwritten),    TEST(test_updates),
        TEST(test_widths),           TEST(test_single_looks), TEST(test_loops_without_spin),
        TEST(test_last_block),       TEST(test_coherence),    TEST(test_older_releases),
        TEST(test_barriers),         TEST(test_next_launch),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
