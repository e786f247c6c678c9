/* SPDX-License-Identifier: Apache-2.0 */
/* How fast the emulator is. Rates (by processor time) are printed; what is checked is that the work
 * was done. */
#include <time.h>

#include <initializer_list>

#include "harness.h"

using harness::array;
using harness::expect_ok;
using harness::place;

GPU_KERNEL void barriers(int rounds, int *done) {
    for (int i = 0; i < rounds; i++) gpu::sync();
    gpu::atomic_add(done, rounds);
}

GPU_KERNEL void shuffles(int rounds, int *done) {
    int v = static_cast<int>(gpu::lane());
    for (int i = 0; i < rounds; i++) v = gpu::shuffle_xor(gpu::full_warp, v, 1);
    gpu::atomic_add(done, v == static_cast<int>(gpu::lane()) ? rounds : 0);
}

GPU_KERNEL void shared_updates(int rounds, int *done) {
    GPU_SHARED(int, box, 1024);
    unsigned me = gpu::thread();
    box[me] = 0;
    for (int i = 0; i < rounds; i++) box[me]++;
    gpu::atomic_add(done, box[me]);
}

GPU_KERNEL void count_me(int *done) {
    gpu::atomic_add(done, 1);
}

static double now() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

static void tell(const char *what, int count, double start) {
    print_message("%s: %.2f million a second\n", what, 1e-6 * count / (now() - start));
}

static void rate_of(const char *what, void (*kernel)(int, int *), int threads) {
    constexpr int blocks = 4, rounds = 200;
    array<int> done(1, 0);
    int total = blocks * threads * rounds;
    double start = now();
    expect_ok(gpu::launch(place(), kernel, {blocks, threads}, rounds, done));
    tell(what, total, start);
    assert_int_equal(done[0], total);
}

static void test_switches(void **) {
    for (const char *order : {"forward", "random:3"}) {
        expect_ok(tulle__emu_set_order(order));
        print_message("order %s\n", order);
        rate_of("switches at barriers, 1024 threads a block", barriers, 1024);
        rate_of("switches at barriers, 64 threads a block", barriers, 64);
        rate_of("switches at shuffles, 256 threads a block", shuffles, 256);
    }
}

static void test_shared_memory(void **) {
    rate_of("updates of shared memory", shared_updates, 256);
}

static void test_launches(void **) {
    constexpr int launches = 2000, threads = 64, blocks = 20000;
    array<int> done(1, 0);
    double start = now();
    for (int i = 0; i < launches; i++) {
        expect_ok(gpu::launch(place(), count_me, {1, threads}, done));
    }
    tell("launches of one block of 64 threads", launches, start);
    start = now();
    expect_ok(gpu::launch(place(), count_me, {blocks, threads}, done));
    tell("blocks of 64 threads", blocks, start);
    assert_int_equal(done[0], (launches + blocks) * threads);
}

int main(void) {
    const CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_switches, harness::reset),
        cmocka_unit_test(test_shared_memory),
        cmocka_unit_test(test_launches),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
