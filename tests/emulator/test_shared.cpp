/* SPDX-License-Identifier: Apache-2.0 */
/* gpu::shared behaves as a pointer does, keeps to the device's limits, and raises no false alarm.
 */
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <initializer_list>

#include "harness.h"
#include "samples.cuh"

using harness::array;
using harness::expect_fault;
using harness::expect_ok;
using harness::place;

struct pair {
    int32_t row;
    double value;
};

/* out[0] counts what is wrong. */
static void expect(int *out, bool right) {
    if (!right) gpu::atomic_add(out, 1);
}

GPU_KERNEL void operators(int *out) {
    GPU_SHARED(int, v, 4);
    gpu::shared<int> p = v + 1;
    v[0] = v[1] = 6;
    v[0] += 4;
    v[0] -= 1;
    v[0] *= 5;
    v[0] /= 3;
    expect(out, v[0] == 15);
    v[0] |= 16;
    v[0] &= 30;
    v[0] ^= 1;
    expect(out, v[0] == 31);
    expect(out, v[0]++ == 31);
    expect(out, ++v[0] == 33);
    expect(out, v[0]-- == 33);
    expect(out, --v[0] == 31);
    v[1] = v[0];
    v[2] = 3;
    v[3] = v[v[2] - 2];
    expect(out, p[0] == 31 && *p == 31 && p[-1] + p[1] == 34 && v[3] == 31);
    ++p;
    p += 2;
    --p;
    p -= 1;
    expect(out, p - v == 2 && p == v + 2 && p != v && v < p && *(p - 1) == 31);
    gpu::shared<const int> fixed = p;
    expect(out, fixed[0] == 3 && (gpu::thread() == 0 ? int(fixed[1]) : 0) == 31);
    *p = 8;
    expect(out, gpu::atomic_add(&v[2], 2) == 8 && gpu::atomic_max(p, 4) == 10);
    expect(out, gpu::atomic_min(p, 4) == 10 && gpu::atomic_exchange(p, 5) == 4);
    expect(out, gpu::atomic_cas(p, 4, 9) == 5 && gpu::atomic_cas(p, 5, 9) == 5 && v[2] == 9);
}

GPU_KERNEL void types(int *out) {
    GPU_SHARED(bool, flags, 32);
    GPU_SHARED(pair, pairs, 32);
    GPU_DYNAMIC_SHARED(double, raw);
    unsigned me = gpu::thread();
    gpu::shared<int> words(raw); /* 16 doubles as 32 ints */
    flags[me] = me % 2 == 0;     /* neighbouring bytes do not race */
    pairs[me] = {static_cast<int32_t>(me), me / 2.0};
    words[me] = 5;
    gpu::sync();
    pair other = pairs[31 - me];
    expect(out, flags[31 - me] == (me % 2 != 0) && words[31 - me] == 5);
    expect(out, other.row == static_cast<int>(31 - me) && other.value == (31 - me) / 2.0);
}

GPU_KERNEL void misaligned(int *out) {
    GPU_SHARED(int, words, 4);
    gpu::shared<double> odd(words + 1);
    odd[0] = 1;
    *out = 0;
}

/* From lane to lane by sync_warp of two at a time: every step is in order with all before. */
GPU_KERNEL void relay(int *out) {
    GPU_SHARED(int, baton, 1);
    unsigned me = gpu::lane();
    if (me == 0) baton[0] = 0;
    for (unsigned from = 0; from + 1 < 32; from++) {
        if (me == from || me == from + 1) gpu::sync_warp(3u << from);
        if (me == from + 1) baton[0] += 1;
    }
    if (me == 31) out[gpu::block()] = baton[0];
}

/* Lane 2 never meets lane 0: it hears from lane 1 what that has done. */
GPU_KERNEL void hearsay(int *out) {
    GPU_SHARED(int, box, 1);
    unsigned me = gpu::lane();
    if (me == 0) box[0] = 7;
    if (me <= 1) gpu::sync_warp(3u);
    if (me == 1 || me == 2) gpu::sync_warp(6u);
    if (me == 2) out[gpu::block()] = box[0];
}

template <int Bytes>
GPU_KERNEL void static_bytes(int *out) {
    GPU_SHARED(int, some, Bytes / 4);
    some[0] = 0;
    *out = some[0];
}

/* Device functions see the declaration of their kernel's block, whoever calls first. */
static gpu::shared<int> common() {
    GPU_SHARED(int, box, 32);
    return box;
}
GPU_KERNEL void declared_in_function(int *out) {
    common()[gpu::thread()] = 1;
    gpu::sync();
    int mirrored = common()[31 - gpu::thread()];
    expect(out, mirrored == 1);
}

static void run_counting(void (*kernel)(int *), int threads, size_t dynamic = 0) {
    for (const char *order : harness::orders) {
        array<int> wrong(1, 0);
        expect_ok(tulle__emu_set_order(order));
        expect_ok(gpu::launch(place(), kernel, {3, threads, dynamic}, wrong));
        assert_int_equal(wrong[0], 0);
    }
}

static void test_operators(void **) {
    run_counting(operators, 1);
}

static void test_types(void **) {
    run_counting(types, 32, 16 * sizeof(double));
    run_counting(declared_in_function, 32);
}

static void test_misaligned(void **) {
    array<int> out(1);
    expect_fault(gpu::launch(place(), misaligned, {1, 1}, out),
                 "writes words at 4 bytes, which is not aligned");
}

static void test_sync_warp_orders(void **) {
    for (const char *order : harness::orders) {
        array<int> out(5, 0);
        expect_ok(tulle__emu_set_order(order));
        expect_ok(gpu::launch(place(), relay, {5, 32}, out));
        for (int b = 0; b < 5; b++) assert_int_equal(out[b], 31);
        expect_ok(gpu::launch(place(), hearsay, {5, 32}, out));
        for (int b = 0; b < 5; b++) assert_int_equal(out[b], 7);
    }
}

static void test_limits(void **) {
    constexpr size_t most_static = 48 << 10, most = 227 << 10;
    array<int> out(1);
    expect_ok(gpu::launch(place(), static_bytes<most_static>, {1, 1, most - most_static}, out));
    expect_fault(gpu::launch(place(), static_bytes<most_static + 4>, {1, 1}, out), "'some' brings");
    expect_fault(
        gpu::launch(place(), static_bytes<most_static>, {1, 1, most - most_static + 4}, out),
        "'some' brings");
}

/* Host threads may launch at the same time. */
static void *launch_often(void *) {
    for (int i = 0; i < 50; i++) {
        array<int> in(256, 1), sums(4);
        tulle_status status = gpu::launch(place(), samples::block_sum<int>, {4, 64}, in, sums);
        for (int b = 0; b < 4; b++) {
            if (status != TULLE_OK || sums[b] != 64) return in;
        }
    }
    return nullptr;
}

static void test_host_threads(void **) {
    pthread_t threads[4];
    for (pthread_t &thread : threads) {
        assert_int_equal(pthread_create(&thread, nullptr, launch_often, nullptr), 0);
    }
    for (pthread_t &thread : threads) {
        void *wrong = &wrong;
        pthread_join(thread, &wrong);
        assert_null(wrong);
    }
}

#if !defined(TULLE__ADDRESS_SANITIZER) /* which needs address space without limit */

GPU_KERNEL void meet(int *out) {
    gpu::sync();
    gpu::atomic_add(out, 1);
}

/* Before any other launch has made stacks, hence in a child of its own. */
static int run_short_of_memory() {
    constexpr int blocks = 16;
    array<int> out(1, 0);
    const rlimit little = {256 << 20, RLIM_INFINITY}, plenty = {RLIM_INFINITY, RLIM_INFINITY};
    expect_ok(tulle__emu_set_resident("16"));
    setrlimit(RLIMIT_AS, &little);
    tulle_status starved = gpu::launch(place(), meet, {blocks, 1024}, out);
    setrlimit(RLIMIT_AS, &plenty);
    bool untouched = out[0] == 0;
    tulle_status fed = gpu::launch(place(), meet, {blocks, 1024}, out);
    return starved == TULLE_OUT_OF_MEMORY && untouched && fed == TULLE_OK && out[0] == blocks * 1024
               ? 0
               : 1;
}

static void test_no_memory(void **) {
    pid_t child = fork();
    if (child == 0) _exit(run_short_of_memory());
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

#endif

int main(void) {
    const CMUnitTest tests[] = {
#if !defined(TULLE__ADDRESS_SANITIZER)
        cmocka_unit_test(test_no_memory),
#endif
        cmocka_unit_test_teardown(test_operators, harness::reset),
        cmocka_unit_test_teardown(test_types, harness::reset),
        cmocka_unit_test_teardown(test_misaligned, harness::reset),
        cmocka_unit_test_teardown(test_sync_warp_orders, harness::reset),
        cmocka_unit_test_teardown(test_limits, harness::reset),
        cmocka_unit_test_teardown(test_host_threads, harness::reset),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
