/* SPDX-License-Identifier: Apache-2.0 */
/* What the emulator remembers of a word that many have read or updated, and of what a release hands
 * on. */
#include <signal.h>

#include "caught.h"

using harness::array;
using harness::expect_clean;
using harness::expect_fault_of;
using harness::expect_ok;
using harness::place;

namespace broken {

/* The last of three readers, each of a warp of its own, writes. */
GPU_KERNEL void last_reader_writes(int *out) {
    GPU_SHARED(int, box, 1);
    if (gpu::thread() == 0) box[0] = 1;
    gpu::sync();
    if (gpu::lane() == 0) out[gpu::thread() / 32] = box[0];
    if (gpu::thread() == 64) box[0] = 2;
}

/* Four warps read; a fifth, which hears from some of them that they have, writes. */
GPU_KERNEL void reader_nobody_hears_of(int *flags, int *out, int heard_from) {
    GPU_SHARED(int, box, 1);
    unsigned warp = gpu::thread() / 32;
    if (gpu::thread() == 128) box[0] = 1;
    gpu::sync();
    if (gpu::lane() != 0) return;
    if (warp < 4) {
        out[warp] = box[0];
        gpu::store_release(flags + warp, 1);
        return;
    }
    for (int w = heard_from; w < 4; w++) {
        while (gpu::load_acquire(flags + w) == 0) gpu::spin();
    }
    box[0] = 2;
}

/* When block 0 leaves something to block 1. */
enum moment { BEFORE_RELEASE, AFTER_RELEASE, BY_A_NEIGHBOUR, BY_A_NEIGHBOUR_MET };

GPU_KERNEL void hands_over(int *data, int *flag, int *out, moment when) {
    unsigned me = gpu::thread();
    if (gpu::block() == 0) {
        if (me == 0 && when == BEFORE_RELEASE) *data = 1;
        if (me == 1 && when >= BY_A_NEIGHBOUR) *data = 1;
        if (when == BY_A_NEIGHBOUR_MET) gpu::sync();
        if (me == 0) gpu::store_release(flag, 1);
        if (me == 0 && when == AFTER_RELEASE) *data = 1;
    } else if (me == 0) {
        while (gpu::load_acquire(flag) == 0) gpu::spin();
        *out = *data;
    }
}

/* Of two groups of copies the last `pending` need not have arrived. */
template <int pending>
GPU_KERNEL void adds_two_copies(const int *in, int *out) {
    GPU_SHARED(int, box, 64);
    int me = static_cast<int>(gpu::thread());
    gpu::copy_async<4>(box + me, in + me);
    gpu::copy_commit();
    gpu::copy_async<4>(box + 32 + me, in + 32 + me);
    gpu::copy_commit();
    gpu::copy_wait<pending>();
    out[me] = box[me];
    out[me] += box[32 + me];
}

/* A plain read and another thread's update: either may come first. */
GPU_KERNEL void reads_beside_an_update(int *sum, int *out, unsigned reader) {
    if (gpu::thread() == reader) {
        *out = *sum;
    } else {
        gpu::atomic_add(sum, 1);
    }
}

GPU_KERNEL void reads_then_writes(intptr_t address, int *out) {
    int *at = reinterpret_cast<int *>(address);
    *out = *at;
    *at = 1;
}

}  // namespace broken

static void test_readers(void **) {
    array<int> flags(4, 0), out(4, 0);
    expect_fault_of({"a race in shared memory", "box[0]"}, [&] {
        return gpu::launch(place(), broken::last_reader_writes, {1, 96}, out);
    });
    auto hear_from = [&](int first) {
        flags.fill(0);
        return gpu::launch(place(), broken::reader_nobody_hears_of, {1, 160}, flags, out, first);
    };
    expect_clean([&] { expect_ok(hear_from(0)); });
    expect_fault_of({"a race in shared memory", "box[0]"}, [&] { return hear_from(1); });
}

static void test_releases(void **) {
    array<int> data(1, 0), flag(1, 0), out(1, 0);
    auto hand_over = [&](broken::moment when) {
        flag.fill(0);
        return gpu::launch(place(), broken::hands_over, {2, 2}, data, flag, out, when);
    };
    for (broken::moment good : {broken::BEFORE_RELEASE, broken::BY_A_NEIGHBOUR_MET}) {
        expect_clean([&] { expect_ok(hand_over(good)); });
    }
    for (broken::moment bad : {broken::AFTER_RELEASE, broken::BY_A_NEIGHBOUR}) {
        expect_fault_of({"a race in global memory"}, [&] { return hand_over(bad); });
    }
}

static void test_groups_of_copies(void **) {
    array<int> in(64, 1), out(32, 0);
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::adds_two_copies<0>, {1, 32}, in, out));
    });
    assert_int_equal(out[31], 2);
    expect_fault_of({"that a copy has yet to write: box[", "test_history.cpp"}, [&] {
        return gpu::launch(place(), broken::adds_two_copies<1>, {1, 32}, in, out);
    });
}

static void test_updates(void **) {
    array<int> sum(1, 0), out(1, 0);
    for (unsigned reader : {0u, 1u}) {
        expect_fault_of({"a race in global memory"}, [&] {
            return gpu::launch(place(), broken::reads_beside_an_update, {1, 2}, sum, out, reader);
        });
    }
}

/* Constants that a kernel comes to by itself are constants on the device: a page that was read is
 * not open to writing. A write that gets through ends the program: cmocka would wait for the locked
 * device. */
static void test_constants_of_the_program(void **) {
    signal(SIGSEGV, SIG_DFL);
    static const int constant = 5;
    array<int> out(1, 0);
    expect_fault_of({"writes host memory"}, [&] {
        return gpu::launch(place(), broken::reads_then_writes, {1, 1},
                           reinterpret_cast<intptr_t>(&constant), out);
    });
    assert_int_equal(out[0], 5);
}

#define TEST(name) cmocka_unit_test_teardown(name, harness::reset)

int main(void) {
    const CMUnitTest tests[] = {TEST(test_readers), TEST(test_releases), TEST(test_updates),
                                TEST(test_groups_of_copies), TEST(test_constants_of_the_program)};
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
