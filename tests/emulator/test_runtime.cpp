/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated device's side of the backend table, scan and sort, and its settings. */
#include "gpu/primitives.h"

#include <initializer_list>

#include "harness.h"

using harness::array;
using harness::expect_ok;
using harness::place;

static void test_device(void **) {
    int count = 0;
    const char *why = "";
    expect_ok(GPU_SYMBOL(device_count)(&count, &why));
    assert_int_equal(count, 1);
    tulle__device *other = place()->device;
    assert_int_equal(GPU_SYMBOL(open)(1, &other), TULLE_NO_DEVICE);
    assert_null(other);
    tulle_device_info info;
    expect_ok(GPU_SYMBOL(describe)(place()->device, &info));
    assert_int_equal(info.backend, TULLE_EMULATED);
    assert_string_equal(info.name, "tulle emulator");
    assert_int_equal(info.warp, 32);
    assert_int_equal(info.architecture, 90);
    assert_int_equal(info.shared_per_block, 227 * 1024);
    assert_true(info.memory_bytes > 0);
    expect_ok(GPU_SYMBOL(close)(place()->device));
}

static void test_memory(void **) {
    tulle__device *device = place()->device;
    void *memory = &memory;
    expect_ok(GPU_SYMBOL(allocate)(device, 0, &memory));
    assert_null(memory);
    expect_ok(GPU_SYMBOL(release)(device, NULL));
    assert_int_equal(GPU_SYMBOL(allocate)(device, SIZE_MAX / 2, &memory), TULLE_OUT_OF_MEMORY);
    assert_null(memory);
    expect_ok(GPU_SYMBOL(allocate)(device, 13, &memory));
    assert_int_equal(reinterpret_cast<uintptr_t>(memory) % 256, 0);
    const char text[13] = "twelve bytes";
    char back[13] = "";
    expect_ok(GPU_SYMBOL(copy)(place(), memory, text, sizeof text));
    expect_ok(GPU_SYMBOL(copy)(place(), back, memory, sizeof back));
    assert_string_equal(back, text);
    expect_ok(GPU_SYMBOL(set_bytes)(place(), memory, 0, sizeof back));
    for (int i = 0; i < 13; i++) assert_int_equal(static_cast<char *>(memory)[i], 0);
    expect_ok(GPU_SYMBOL(release)(device, memory));
}

static void test_streams_and_events(void **) {
    tulle__device *device = place()->device;
    void *stream = NULL, *from = NULL, *to = NULL;
    expect_ok(GPU_SYMBOL(stream_create)(device, &stream));
    assert_non_null(stream);
    expect_ok(GPU_SYMBOL(event_create)(device, &from));
    expect_ok(GPU_SYMBOL(event_create)(device, &to));
    expect_ok(GPU_SYMBOL(event_record)(place(), from));
    double gbs = 0, ms = -1;
    bool done = false;
    expect_ok(GPU_SYMBOL(bandwidth)(place(), &gbs));
    assert_true(gbs > 0);
    expect_ok(GPU_SYMBOL(flush_cache)(place()));
    expect_ok(GPU_SYMBOL(event_record)(place(), to));
    expect_ok(GPU_SYMBOL(event_done)(device, to, &done));
    assert_true(done);
    expect_ok(GPU_SYMBOL(stream_wait)(device, stream));
    expect_ok(GPU_SYMBOL(event_between)(device, from, to, &ms));
    assert_true(ms > 0);
    expect_ok(GPU_SYMBOL(event_destroy)(device, from));
    expect_ok(GPU_SYMBOL(event_destroy)(device, to));
    expect_ok(GPU_SYMBOL(stream_destroy)(device, stream));
}

/* What is copied to the host's pinned memory is there once it was waited for. */
static void test_pinned_memory(void **) {
    tulle__device *device = place()->device;
    array<int> from(2, 7);
    void *raw = NULL, *event = NULL;
    expect_ok(GPU_SYMBOL(host_allocate)(device, 2 * sizeof(int), &raw));
    expect_ok(GPU_SYMBOL(event_create)(device, &event));
    int *to = static_cast<int *>(raw);
    for (bool by_event : {true, false}) {
        expect_ok(GPU_SYMBOL(copy)(place(), to, from, sizeof(int)));
        expect_ok(GPU_SYMBOL(event_record)(place(), event));
        expect_ok(GPU_SYMBOL(copy)(place(), to + 1, from + 1, sizeof(int)));
        assert_true(to[0] != 7 && to[1] != 7);
        if (by_event) {
            bool done = false;
            expect_ok(GPU_SYMBOL(event_done)(device, event, &done));
            assert_true(done && to[0] == 7 && to[1] != 7);
        }
        expect_ok(GPU_SYMBOL(stream_wait)(device, place()->stream));
        assert_true(to[0] == 7 && to[1] == 7);
    }
    from.fill(8);
    expect_ok(GPU_SYMBOL(copy)(place(), to, from, sizeof(int)));
    expect_ok(GPU_SYMBOL(copy)(place(), from + 1, to, sizeof(int))); /* in stream order */
    assert_int_equal(from[1], 8);
    expect_ok(GPU_SYMBOL(copy)(place(), to, from, sizeof(int)));
    expect_ok(GPU_SYMBOL(event_destroy)(device, event));
    expect_ok(GPU_SYMBOL(host_release)(device, raw));
}

/* What a host thread does while it captures a stream, and must not: CUDA refuses it. */
struct forbidden {
    const char *what, *report;
    tulle_status (*call)(void *event, void *raw);
};

static const forbidden forbidden_calls[] = {
    {"waiting", "waits for a stream",
     [](void *, void *) { return GPU_SYMBOL(stream_wait)(place()->device, place()->stream); }},
    {"allocation", "memory is allocated",
     [](void *, void *) {
         void *made = nullptr;
         return GPU_SYMBOL(allocate)(place()->device, 1, &made);
     }},
    {"allocation on the host", "memory of the host is allocated",
     [](void *, void *) {
         void *made = nullptr;
         return GPU_SYMBOL(host_allocate)(place()->device, 1, &made);
     }},
    {"giving back", "memory is given back",
     [](void *, void *raw) { return GPU_SYMBOL(release)(place()->device, raw); }},
    {"asking about an event", "an event is asked about",
     [](void *event, void *) {
         bool done = false;
         return GPU_SYMBOL(event_done)(place()->device, event, &done);
     }},
    {"time between events", "the time between events",
     [](void *event, void *) {
         double ms = 0;
         return GPU_SYMBOL(event_between)(place()->device, event, event, &ms);
     }},
};

static void test_spoilt_captures(void **) {
    tulle__device *device = place()->device;
    void *event = nullptr, *raw = nullptr, *graph = nullptr;
    expect_ok(GPU_SYMBOL(event_create)(device, &event));
    for (const forbidden &of : forbidden_calls) {
        expect_ok(GPU_SYMBOL(allocate)(device, 1, &raw));
        expect_ok(GPU_SYMBOL(capture_begin)(place()));
        assert_int_not_equal(of.call(event, raw), TULLE_OK);
        if (!strstr(harness::report(), of.report)) fail_msg("%s: %s", of.what, harness::report());
        assert_int_equal(GPU_SYMBOL(capture_end)(place(), &graph), TULLE_UNSUPPORTED);
        assert_non_null(strstr(harness::report(), "the host has waited"));
        assert_null(graph);
        expect_ok(GPU_SYMBOL(release)(device, raw));
    }
    expect_ok(GPU_SYMBOL(event_destroy)(device, event));
    array<int> a(1, 1), b(1, 2);
    expect_ok(GPU_SYMBOL(capture_begin)(place()));
    expect_ok(GPU_SYMBOL(copy)(place(), a, b, sizeof(int)));
    expect_ok(GPU_SYMBOL(capture_end)(place(), &graph));
    assert_int_equal(a[0], 1);
    expect_ok(GPU_SYMBOL(graph_launch)(place(), graph));
    expect_ok(GPU_SYMBOL(graph_destroy)(device, graph));
    assert_int_equal(a[0], 2);
    expect_ok(GPU_SYMBOL(stream_wait)(device, place()->stream));
}

template <class T>
static void check_scan() {
    constexpr int count = 1000;
    array<T> in(count), out(count);
    for (int i = 0; i < count; i++) in[i] = static_cast<T>(i * i % 17);
    expect_ok(gpu::exclusive_scan<T>(place(), in, out, count));
    expect_ok(gpu::exclusive_scan<T>(place(), in, in, count));
    T sum = 0;
    for (int i = 0; i < count; i++) {
        assert_true(out[i] == sum);
        assert_true(in[i] == sum);
        sum = static_cast<T>(sum + i * i % 17);
    }
    expect_ok(gpu::exclusive_scan<T>(place(), in, out, 0));
}

static void test_scan(void **) {
    check_scan<int32_t>();
    check_scan<int64_t>();
}

/* Ordered by the low bits; equal ones in the order that they came in. */
static void check_sort(int bits) {
    constexpr int count = 500;
    array<uint64_t> keys(count), sorted(count);
    array<int64_t> values(count), carried(count);
    for (int i = 0; i < count; i++) {
        keys[i] = static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15u >> (i % 3 ? 60 : 3);
        values[i] = i;
    }
    expect_ok(
        gpu::sort_pairs<uint64_t, int64_t>(place(), count, keys, sorted, values, carried, bits));
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        assert_true(sorted[i] == keys[carried[i]]);
        assert_true(values[i] == i);
        sum += carried[i];
        if (i == 0) continue;
        uint64_t before = sorted[i - 1] & mask, now = sorted[i] & mask;
        assert_true(before < now || (before == now && carried[i - 1] < carried[i]));
    }
    assert_true(sum == int64_t{count} * (count - 1) / 2);
}

static void test_sort(void **) {
    check_sort(64);
    check_sort(5);
    check_sort(0);
    expect_ok(gpu::sort_pairs<uint64_t, int64_t>(place(), 0, NULL, NULL, NULL, NULL, 64));
}

static void test_settings(void **) {
    for (const char *bad : {"", "sideways", "random", "random:", "random:x", "random:-1"}) {
        assert_int_equal(tulle__emu_set_order(bad), TULLE_INVALID_ARGUMENT);
        assert_non_null(strstr(harness::report(), "forward, backward or random:SEED"));
    }
    for (const char *bad : {"", "0", "17", "4x", "-1", "99999999999999999999"}) {
        assert_int_equal(tulle__emu_set_resident(bad), TULLE_INVALID_ARGUMENT);
    }
    tulle__device *device = NULL;
    setenv("TULLE_EMU_ORDER", "upward", 1);
    assert_int_equal(GPU_SYMBOL(open)(0, &device), TULLE_INVALID_ARGUMENT);
    assert_null(device);
    setenv("TULLE_EMU_ORDER", "random:18", 1);
    setenv("TULLE_EMU_RESIDENT", "2", 1);
    expect_ok(GPU_SYMBOL(open)(0, &device));
    unsetenv("TULLE_EMU_ORDER");
    unsetenv("TULLE_EMU_RESIDENT");
}

int main(void) {
    const CMUnitTest tests[] = {
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_streams_and_events),
        cmocka_unit_test(test_pinned_memory),
        cmocka_unit_test(test_spoilt_captures),
        cmocka_unit_test(test_scan),
        cmocka_unit_test(test_sort),
        cmocka_unit_test_teardown(test_settings, harness::reset),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
