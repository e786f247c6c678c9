/* SPDX-License-Identifier: Apache-2.0 */
/* What the host does in the stream keeps to the device's arrays, and what it copies is as written
 * as it was. */
#include "broken_global.cuh"
#include "caught.h"
#include "gpu/primitives.h"

using harness::array;
using harness::expect_clean;
using harness::expect_fault;
using harness::expect_ok;
using harness::place;

static tulle_status copy(int *to, const int *from, size_t count) {
    return GPU_SYMBOL(copy)(place(), to, from, count * sizeof(int));
}

static tulle_status set(int *to, size_t count) {
    return GPU_SYMBOL(set_bytes)(place(), to, 0, count * sizeof(int));
}

static void test_ends_of_arrays(void **) {
    array<int> small(100, 1), large(101, 1);
    expect_fault(copy(small, large, 101), "a copy of 404 bytes writes global memory that no array");
    expect_fault(copy(large, small, 101), "a copy of 404 bytes reads global memory that no array");
    expect_fault(set(small, 101), "set_bytes of 404 bytes writes global memory that no array has");
    expect_fault(set(small + 1, 100), "byte 400 of an array of 400 bytes");
    expect_ok(copy(small, large, 100));
    expect_ok(copy(large, small, 100));
    expect_ok(set(small, 100));
    constexpr int64_t many = int64_t{5} << 20; /* without histories */
    array<int> unwatched(many);
    expect_fault(set(unwatched, many + 1), "no array has");
    expect_ok(set(unwatched, many));
}

static void test_parts(void **) {
    array<char> scratch(static_cast<int64_t>(2 * gpu::part_bytes<int>(40)));
    int *first = nullptr, *second = nullptr;
    gpu::parts cut(place(), scratch);
    expect_ok(cut.take(40, &first));
    expect_ok(cut.take(40, &second));
    expect_fault(set(first, 41), "that is closed to it: byte 160");
    expect_fault(copy(second, first, 41), "that is closed to it");
    expect_ok(set(first, 40));
    expect_ok(copy(second, first, 40));
}

static void test_freed(void **) {
    int *old = nullptr;
    {
        array<int> gone(100, 1);
        old = gone;
    }
    array<int> there(100, 1);
    expect_fault(copy(there, old, 100), "reads global memory that was freed");
    expect_fault(set(old, 100), "writes global memory that was freed");
    tulle__device *device = place()->device;
    expect_fault(GPU_SYMBOL(release)(device, old), "where no array begins, or no longer");
    expect_fault(GPU_SYMBOL(release)(device, there + 1), "where no array begins");
    expect_ok(GPU_SYMBOL(release)(device, nullptr));
}

static void test_primitives(void **) {
    array<int> counts(100, 1), room(101), unwritten(100);
    expect_fault(gpu::exclusive_scan<int>(place(), counts, room, 101), "a scan of 404 bytes reads");
    expect_fault(gpu::exclusive_scan<int>(place(), unwritten, room, 100),
                 "which nobody has written yet: byte 0");
    array<int> more(101, 1);
    expect_fault(gpu::exclusive_scan<int>(place(), more, unwritten, 101), "a scan of 404 bytes wr");
    expect_ok(gpu::exclusive_scan<int>(place(), counts, room, 100));
    array<uint64_t> keys(10, 1), sorted(10);
    array<int64_t> values(10, 1), moved(10), nothing(10);
    auto sort = [&](int64_t count, const int64_t *of) {
        return gpu::sort_pairs<uint64_t, int64_t>(place(), count, keys, sorted, of, moved, 64);
    };
    expect_fault(sort(10, nothing), "a sort of 80 bytes reads");
    expect_fault(sort(11, values), "a sort of 88 bytes reads");
    expect_ok(sort(10, values));
}

/* A copy does not make garbage into numbers. */
static void test_copies_of_what_is_unwritten(void **) {
    array<int> half(64), copied(64), out(64);
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::writes, {1, 32}, half));
        expect_ok(copy(copied, half, 64));
        expect_ok(gpu::launch(place(), broken::copies, {1, 32}, copied, out));
    });
    harness::expect_fault_of({"element 0 of argument 1", "which nobody has written yet"}, [&] {
        return gpu::launch(place(), broken::copies, {1, 1}, copied + 32, out);
    });
    array<unsigned char> bytes(64), others(64);
    expect_ok(gpu::launch(place(), broken::writes_bytes, {1, 6}, bytes));
    expect_ok(GPU_SYMBOL(copy)(place(), others + 1, bytes, 8));
    for (int64_t i = 0; i < 8; i++) {
        tulle_status status = gpu::launch(place(), broken::takes_byte, {1, 1}, others + 1 + i, out);
        assert_int_equal(status, i < 6 ? TULLE_OK : TULLE_DEVICE_FAULT);
    }
}

int main(void) {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_of_arrays),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_freed),
        cmocka_unit_test(test_primitives),
        cmocka_unit_test(test_copies_of_what_is_unwritten),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
