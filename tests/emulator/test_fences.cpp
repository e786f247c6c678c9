/* SPDX-License-Identifier: Apache-2.0 */
/* What fences order: the fences of other threads, before and behind a barrier; and fences that see
 * each other. */
#include "broken_fences.cuh"
#include "caught.h"

using harness::array;
using harness::expect_clean;
using harness::expect_fault_of;
using harness::expect_ok;
using harness::place;

using namespace broken;

template <fenced_by writers, fenced_by readers>
static tulle_status add_up() {
    constexpr int blocks = 6, threads = 64;
    array<int> parts(blocks * threads, 0), tickets(1, 0), sums(threads, blocks);
    tulle_status status = gpu::launch(place(), last_block_of_all<writers, readers>,
                                      {blocks, threads}, parts, tickets, sums);
    for (int i = 0; i < threads; i++) assert_int_equal(sums[i], blocks);
    return status;
}

static void test_last_block(void **) {
    expect_clean([] {
        expect_ok((add_up<BY_ALL, BY_ALL>()));
        expect_ok((add_up<BY_ALL, BY_FIRST>()));
    });
    expect_fault_of({"a race in global memory: it reads"},
                    [] { return add_up<BY_NOBODY, BY_ALL>(); });
    expect_fault_of({"a race in global memory: it reads"},
                    [] { return add_up<BY_ALL, BY_NOBODY>(); });
    expect_fault_of({"a race in global memory: it reads"},
                    [] { return add_up<BY_FIRST, BY_ALL>(); });
}

static void test_tickets(void **) {
    array<int> tickets(1, 0);
    expect_clean([&] {
        expect_ok(gpu::launch(place(), sets_back<true>, {6, 32}, tickets));
        assert_int_equal(tickets[0], 0);
    });
    expect_fault_of({"a race in global memory"}, [&] {
        tickets.fill(0);
        return gpu::launch(place(), sets_back<false>, {6, 32}, tickets);
    });
}

static void test_lanes(void **) {
    expect_clean([] {
        array<int> data(32, 0), flag(1, 0), out(32);
        expect_ok(gpu::launch(place(), lanes_fence<true>, {1, 64}, data, flag, out));
        assert_int_equal(out[0], 1);
    });
    expect_fault_of({"a race in global memory: it reads"}, [] {
        array<int> data(32, 0), flag(1, 0), out(32);
        return gpu::launch(place(), lanes_fence<false>, {1, 64}, data, flag, out);
    });
}

template <bool careful, bool by_update>
static int seen_by_any() {
    array<int> flags(2, 0), seen(2);
    expect_ok(gpu::launch(place(), each_looks<careful, by_update>, {2, 1}, flags, seen));
    return seen[0] + seen[1];
}

static void test_each_looks(void **) {
    int missed = 0;
    expect_clean([&] {
        for (int i = 0; i < 20; i++) {
            assert_true((seen_by_any<true, false>() > 0));
            assert_true((seen_by_any<true, true>() > 0));
            missed += seen_by_any<false, false>() == 0;
        }
    });
    assert_true(missed > 0);
    expect_clean([] {
        for (int i = 0; i < 20; i++) {
            array<int> flags(2, 0), seen(2);
            expect_ok(gpu::launch(place(), looks_beyond, {3, 1}, flags, seen));
            assert_true(seen[0] + seen[1] > 0);
        }
    });
}

template <bool careful>
static tulle_status run_turns() {
    constexpr int rounds = 12;
    array<int> wants(2, 0), turn(1, 0), sum(1, 0);
    tulle_status status =
        gpu::launch(place(), take_turns<careful>, {2, 1}, wants, turn, sum, rounds);
    if (careful) assert_int_equal(sum[0], 2 * rounds);
    return status;
}

/* Without the first fence both may go in, which takes some luck to see. */
static void test_turns(void **) {
    int caught = 0;
    expect_clean([] { expect_ok(run_turns<true>()); });
    for (int seed = 0; seed < 20; seed++) {
        char order[24];
        snprintf(order, sizeof order, "random:%d", seed);
        expect_ok(tulle__emu_set_order(order));
        expect_ok(run_turns<true>());
        caught += run_turns<false>() == TULLE_DEVICE_FAULT;
    }
    assert_true(caught > 0);
}

template <raised_by how>
static tulle_status raise_twice(int second, bool by_warp, const char *resident = "2") {
    array<int> data(32, 0), flag(1, 0), out(32);
    expect_ok(tulle__emu_set_resident("2"));
    for (int number : {1, second}) {
        GPU_TRY(gpu::launch(place(), all_raise<how>, {2, 32}, data, flag, out, number, by_warp));
        for (int i = 0; i < 32; i++) assert_int_equal(out[i], number);
        expect_ok(tulle__emu_set_resident(resident));
    }
    return TULLE_OK;
}

template <raised_by how>
static void try_raising() {
    for (bool by_warp : {false, true}) {
        expect_clean([=] { expect_ok(raise_twice<how>(2, by_warp)); });
        /* also if one block has ended when the other one begins */
        for (const char *resident : {"1", "2"}) {
            expect_fault_of({"a race in global memory", "all_raise"},
                            [=] { return raise_twice<how>(1, by_warp, resident); });
        }
    }
}

static void test_flags_left_raised(void **) {
    try_raising<RAISED_BY_RELEASE>();
    try_raising<RAISED_BY_STORE>();
    try_raising<RAISED_BY_UPDATE>();
}

template <bool careful>
static tulle_status run_raise_again() {
    array<int> data(3, 0), flag(1, 0), out(3, 1);
    tulle_status status = gpu::launch(place(), raise_again<careful>, {3, 1}, data, flag, out);
    if (status == TULLE_OK) assert_true(out[1] == 1 && out[2] == 1);
    return status;
}

static void test_flags_raised_again(void **) {
    expect_clean([] { expect_ok(run_raise_again<true>()); });
    expect_fault_of({"a race in global memory", "raise_again"},
                    [] { return run_raise_again<false>(); });
}

template <bool behind>
static void try_wrong_place() {
    expect_clean([] {
        array<int> data(1, 0), flag(1, 0), out(1, -1);
        expect_ok(gpu::launch(place(), fence_in_the_wrong_place<behind>, {2, 1}, data, flag, out));
        assert_int_equal(out[0], 0);
    });
}

static void test_wrong_places(void **) {
    try_wrong_place<true>();
    try_wrong_place<false>();
}

#define TEST(name) cmocka_unit_test_teardown(name, harness::reset)

int main(void) {
    const CMUnitTest tests[] = {
        TEST(test_last_block), TEST(test_tickets),           TEST(test_lanes),
        TEST(test_each_looks), TEST(test_flags_left_raised), TEST(test_flags_raised_again),
        TEST(test_turns),      TEST(test_wrong_places),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
