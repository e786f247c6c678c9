/* SPDX-License-Identifier: Apache-2.0 */
/* Broken kernels are caught, in every order, with a report that says what and where; and the
 * device works on afterwards. */
#include <math.h>

#include "broken.cuh"
#include "caught.h"

using harness::array;
using harness::expect_fault;
using harness::expect_ok;
using harness::expect_usable;
using harness::place;

/* The launch fails in every order, and its report has all the parts. */
template <class... P>
static void expect_caught(std::initializer_list<const char *> parts, void (*kernel)(P...),
                          gpu::grid g, std::type_identity_t<P>... arguments) {
    for (const char *order : harness::orders) {
        expect_ok(tulle__emu_set_order(order));
        tulle_status status = gpu::launch(place(), kernel, g, arguments...);
        for (const char *part : parts) expect_fault(status, part);
        expect_fault(status, "broken.cuh:");
        expect_fault(status, order);
        expect_usable();
    }
}

static void test_missing_barrier(void **) {
    array<int> out(1024);
    expect_caught({"reads box[", "missing_barrier"}, broken::missing_barrier, {1, 64}, out);
    expect_caught({"race in shared memory", "box[0]"}, broken::missing_second_barrier, {3, 1024},
                  out);
    expect_ok(tulle__emu_set_order("forward"));
    expect_fault(gpu::launch(place(), broken::missing_second_barrier, {1, 64}, out),
                 "block 0 thread 63: a race in shared memory: it writes box[0], which thread");
}

static void test_races(void **) {
    array<int> out(64);
    array<double> real(64);
    expect_caught({"race in shared memory", "box["}, broken::race_in_warp, {1, 32}, out);
    expect_caught({"race in shared memory", "box["}, broken::race_between_halves, {1, 32}, out);
    expect_caught({"writes box[0]", "wrote at broken.cuh"}, broken::two_writers, {1, 64}, real);
    expect_caught({"race in shared memory", "count[0]"}, broken::sum_read_too_early, {1, 64}, out);
}

static void test_atomics_race_with_others(void **) {
    array<int> out(64);
    expect_caught({"updates count[0]"}, broken::atomics_before_the_zero_is_there, {1, 64}, out);
    expect_ok(tulle__emu_set_order("forward"));
    expect_fault(gpu::launch(place(), broken::atomics_before_the_zero_is_there, {1, 64}, out),
                 "which thread 0 wrote at broken.cuh");
}

static void test_outside_shared(void **) {
    array<int> out(64);
    expect_caught({"writes box[", "outside of its 64 elements"}, broken::outside_shared, {1, 64},
                  out, 1);
    expect_caught({"writes box[", "outside of its 64 elements"}, broken::outside_shared, {1, 64},
                  out, -1);
    size_t bytes = 64 * sizeof(int);
    expect_caught({"writes box[64], outside of its 64 elements"}, broken::outside_dynamic,
                  {1, 64, bytes}, out);
    expect_caught({"shared memory of size 0"}, broken::outside_dynamic, {1, 64}, out);
}

static void test_masks(void **) {
    array<int> out(64);
    array<unsigned> votes(64);
    expect_caught({"gpu::shuffle with mask 0x0000ffff, which lacks its own lane"},
                  broken::mask_without_caller, {1, 32}, out);
    expect_caught({"gpu::shuffle reads lane 20, which is not in mask 0x0000ffff"},
                  broken::lane_outside_mask, {1, 32}, out);
    expect_caught({"gpu::shuffle_down with mask 0xffffffff"}, broken::ended_lane, {1, 32}, out);
    expect_caught({"lane 16 does not exist"}, broken::missing_lane, {1, 48}, votes);
    expect_caught({"width 12"}, broken::odd_width, {1, 32}, out);
}

static void test_mixed_collectives(void **) {
    array<int> out(64);
    expect_caught({"gpu::any with mask 0xffffffff", "gpu::all with mask 0xffffffff"},
                  broken::mixed_collectives, {2, 32}, out);
    expect_caught({"mask 0xffffffff", "mask 0xfffffffe"}, broken::mixed_masks, {1, 32}, out);
}

static void test_barrier_of_some(void **) {
    array<int> out(1024);
    expect_caught({"gpu::sync"}, broken::barrier_of_some, {5, 1024}, out);
    expect_caught({"another gpu::sync than thread"}, broken::two_barriers, {1, 64}, out);
    expect_caught({"deadlock", "gpu::sync", "gpu::shuffle"}, broken::barrier_against_shuffle,
                  {1, 32}, out);
    expect_ok(tulle__emu_set_order("forward"));
    expect_fault(gpu::launch(place(), broken::barrier_of_some, {1, 64}, out),
                 "block 0 thread 1: ends without reaching gpu::sync, where thread 0 waits");
}

static void test_early_without_waiting(void **) {
    array<int> out(64);
    expect_ok(tulle__emu_set_order("forward"));
    expect_fault(gpu::launch_early(place(), broken::starts_and_forgets, {1, 64}, out),
                 "block 0 thread 3: launched early, and ends without gpu::await_previous");
    expect_ok(gpu::launch(place(), broken::starts_and_forgets, {1, 64}, out));
}

static void test_unwritten_shared(void **) {
    array<float> out(64);
    expect_caught({"reads box[", "which nobody has written"}, broken::unwritten_shared, {1, 64},
                  out);
}

/* What a block wrote is not there for the next one. */
static void test_unwritten_shared_of_next_block(void **) {
    array<float> out(64), in(64 * 3, 1.0f), sums(3);
    size_t shared = 64 * sizeof(float);
    expect_ok(tulle__emu_set_resident("1"));
    expect_ok(gpu::launch(place(), samples::block_sum_tree<float>, {3, 64, shared}, in, sums));
    expect_fault(gpu::launch(place(), broken::unwritten_shared, {2, 64}, out),
                 "nobody has written");
}

/* Not a number, and far from any index. */
static void test_fresh_memory(void **) {
    array<float> single(3);
    array<double> real(3);
    for (int i = 0; i < 3; i++) assert_false(isfinite(single[i]) || isfinite(real[i]));
    array<int32_t> small(3);
    array<int64_t> large(3);
    for (int i = 0; i < 3; i++) {
        assert_true(small[i] > 2000000000);
        assert_true(large[i] > int64_t{1} << 62);
    }
}

static void test_order_of_blocks(void **) {
    constexpr int blocks = 64;
    array<int> flags(blocks);
    for (int step : {-1, 1}) {
        const char *good = step < 0 ? "forward" : "backward";
        const char *bad = step < 0 ? "backward" : "forward";
        expect_ok(tulle__emu_set_order(good));
        flags.fill(0);
        expect_ok(gpu::launch(place(), broken::waits_for_neighbour, {blocks, 32}, flags, step));
        for (const char *order : {bad, "random:1", "random:2"}) {
            expect_ok(tulle__emu_set_order(order));
            flags.fill(0);
            tulle_status status =
                gpu::launch(place(), broken::waits_for_neighbour, {blocks, 32}, flags, step);
            expect_fault(status, "livelock: all 4 resident blocks wait in gpu::spin");
            expect_fault(status, "broken.cuh:");
            expect_usable();
        }
    }
}

static void test_wait_without_spin(void **) {
    array<int> flag(1, 0);
    expect_ok(tulle__emu_set_order("forward"));
    expect_fault(gpu::launch(place(), broken::waits_without_spin, {1, 32}, flag),
                 "a loop without gpu::spin");
    expect_usable();
}

static void test_shape(void **) {
    array<int> out(1);
    const gpu::grid shapes[] = {{INT64_C(1) << 31, 32},  {-1, 32}, {1, 0}, {1, 1025}, {1, -32},
                                {1, 32, (227 << 10) + 1}};
    for (const gpu::grid &shape : shapes) {
        assert_int_equal(gpu::launch(place(), broken::outside_dynamic, shape, out),
                         TULLE_TOO_LARGE);
    }
    expect_ok(gpu::launch(place(), broken::outside_dynamic, {0, 32}, out));
}

static void test_outside_global(void **) {
    array<int> out(33);
    for (int past : {2, -1}) {
        expect_caught({"writes global memory that no array has", "outside_global"},
                      broken::outside_global, {1, 32}, out, past);
    }
}

int main(void) {
    const CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_missing_barrier, harness::reset),
        cmocka_unit_test_teardown(test_races, harness::reset),
        cmocka_unit_test_teardown(test_atomics_race_with_others, harness::reset),
        cmocka_unit_test_teardown(test_outside_shared, harness::reset),
        cmocka_unit_test_teardown(test_masks, harness::reset),
        cmocka_unit_test_teardown(test_mixed_collectives, harness::reset),
        cmocka_unit_test_teardown(test_barrier_of_some, harness::reset),
        cmocka_unit_test_teardown(test_early_without_waiting, harness::reset),
        cmocka_unit_test_teardown(test_unwritten_shared, harness::reset),
        cmocka_unit_test_teardown(test_unwritten_shared_of_next_block, harness::reset),
        cmocka_unit_test_teardown(test_fresh_memory, harness::reset),
        cmocka_unit_test_teardown(test_order_of_blocks, harness::reset),
        cmocka_unit_test_teardown(test_wait_without_spin, harness::reset),
        cmocka_unit_test_teardown(test_shape, harness::reset),
        cmocka_unit_test_teardown(test_outside_global, harness::reset),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
