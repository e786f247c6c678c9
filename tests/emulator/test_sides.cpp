/* SPDX-License-Identifier: Apache-2.0 */
/* What launches do beside each other is caught in every order, also where one begins when the other
 * has long ended; and what a join orders is let through. */
#include "broken_sides.cuh"
#include "caught.h"
#include "gpu/primitives.h"

using harness::array;
using harness::expect_clean;
using harness::expect_fault;
using harness::expect_fault_of;
using harness::expect_ok;
using harness::place;

static constexpr int items = 64;
static constexpr size_t bytes = items * sizeof(int);
static const gpu::grid shape = {1, items};

/* Two sides of a place. */
struct sides {
    explicit sides(const tulle__place *of = place()) : beside(of) {
        expect_ok(beside.next(&one));
        expect_ok(beside.next(&other));
    }
    gpu::side_by_side beside;
    const tulle__place *one, *other;
};

static void test_races(void **) {
    array<int> a(items, 0), b(items, 0), out(items, 0);
    expect_fault_of({"a race in global memory: it reads element", "runs beside it",
                     "wrote at broken_sides.cuh:", "of broken::fills", "launched at test_sides",
                     "in broken::doubles"},
                    [&] {
                        sides s;
                        expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
                        return gpu::launch(s.other, broken::doubles, {1, 32}, a + 32);
                    });
    expect_fault_of({"it reads element", "wrote at broken_sides.cuh:"}, [&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
        return gpu::launch(s.other, broken::takes, shape, a, out);
    });
    expect_fault_of({"it writes element", "read at broken_sides.cuh:"}, [&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::takes, shape, a, out));
        return gpu::launch(s.other, broken::fills, shape, a, 1);
    });
    expect_fault_of({"it reads as a constant element", "runs beside it"}, [&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
        return gpu::launch(s.other, broken::takes_as_constant, shape, a, out);
    });
    expect_clean([&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
        expect_ok(gpu::launch(s.other, broken::fills, shape, b, 2));
        expect_ok(gpu::launch(s.one, broken::doubles, shape, a));
        expect_ok(gpu::launch(s.other, broken::takes, shape, b, out));
        expect_ok(s.beside.join());
        expect_ok(gpu::launch(place(), broken::takes, shape, a, out));
        assert_int_equal(out[63], 2);
    });
}

static void test_forgotten_join(void **) {
    array<int> a(items, 0), out(items, 0);
    for (bool joined : {false, true}) {
        auto work = [&] {
            sides s;
            expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
            if (joined) expect_ok(s.beside.join());
            return gpu::launch(place(), broken::takes, shape, a, out);
        };
        if (joined) {
            expect_clean([&] { expect_ok(work()); });
        } else {
            expect_fault_of({"it reads element", "no gpu::side_by_side::join", "broken::takes",
                             "broken::fills"},
                            work);
        }
    }
    expect_clean([&] { /* the end of its scope joins */
                       expect_ok(gpu::launch(sides().one, broken::fills, shape, a, 1));
                       expect_ok(gpu::launch(place(), broken::takes, shape, a, out));
    });
}

/* A side begins after what was there before, and not after what came later. */
static void test_beginnings(void **) {
    array<int> a(items, 0), out(items, 0);
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::fills, shape, a, 1));
        expect_ok(gpu::launch(sides().other, broken::doubles, shape, a));
    });
    expect_fault_of({"it reads element"}, [&] {
        sides s;
        expect_ok(gpu::launch(place(), broken::fills, shape, a, 1));
        return gpu::launch(s.one, broken::doubles, shape, a);
    });
    expect_clean([&] {
        sides first, second;
        expect_ok(gpu::launch(first.one, broken::fills, shape, a, 1));
        expect_ok(first.beside.join());
        const tulle__place *third;
        expect_ok(first.beside.next(&third));
        expect_ok(gpu::launch(third, broken::doubles, shape, a));
        expect_ok(gpu::launch(second.one, broken::fills, shape, out, 1));
    });
    expect_fault_of({"it reads element"},
                    [&] { /* began before the other was joined */
                          sides first, second;
                          expect_ok(gpu::launch(first.one, broken::fills, shape, a, 1));
                          expect_ok(first.beside.join());
                          return gpu::launch(second.one, broken::doubles, shape, a);
                    });
}

static void test_sides_of_a_side(void **) {
    array<int> a(items, 0);
    expect_clean([&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
        sides of_side(s.one);
        expect_ok(gpu::launch(of_side.other, broken::doubles, shape, a));
    });
    expect_fault_of({"it reads element"}, [&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
        sides of_side(s.other);
        return gpu::launch(of_side.one, broken::doubles, shape, a);
    });
}

static void test_early_launches(void **) {
    array<int> a(items, 0), out(items, 0);
    for (int late : {0, 1}) {
        auto work = [&] {
            sides s;
            expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
            return gpu::launch_early(s.one, broken::takes_early, shape, a, out, late);
        };
        if (late) {
            expect_fault_of({"before gpu::await_previous it reads"}, work);
        } else {
            expect_clean([&] { expect_ok(work()); });
        }
    }
    expect_fault_of({"runs beside it"}, [&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
        return gpu::launch_early(s.other, broken::takes_early, shape, a, out, 0);
    });
}

/* Sides may count together; what the count is, is known once they have been joined. */
static void test_atomics(void **) {
    array<int> sum(1, 0), out(items, 0);
    for (bool joined : {false, true}) {
        auto work = [&] {
            sum.fill(0);
            sides s;
            expect_ok(gpu::launch(s.one, broken::counts, shape, sum));
            expect_ok(gpu::launch(s.other, broken::counts, shape, sum));
            if (joined) expect_ok(s.beside.join());
            return gpu::launch(place(), broken::looks, shape, sum, out);
        };
        if (joined) {
            expect_clean([&] {
                expect_ok(work());
                assert_int_equal(out[5], 2 * items);
            });
        } else {
            expect_fault_of({"it reads element 0", "updated at broken_sides.cuh"}, work);
        }
    }
    expect_fault_of({"it updates element 0", "read at broken_sides.cuh"}, [&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::looks, shape, sum, out));
        return gpu::launch(s.other, broken::counts, shape, sum);
    });
}

/* Work of the host in the place's stream, on what a side has written or will read. */
template <class Work>
static void expect_host_race(const char *name, int *written, Work work) {
    for (bool joined : {false, true}) {
        auto all = [&] {
            sides s;
            expect_ok(gpu::launch(s.one, broken::fills, shape, written, 1));
            if (joined) expect_ok(s.beside.join());
            return work();
        };
        if (joined) {
            expect_clean([&] { expect_ok(all()); });
        } else {
            expect_fault_of({name, "a race in global memory: it", "broken::fills"}, all);
        }
    }
}

static void test_host_work(void **) {
    array<int> a(items, 0), b(items, 0);
    int host[items] = {};
    expect_host_race("a copy of 256 bytes: ", a,
                     [&] { return GPU_SYMBOL(copy)(place(), host, a, bytes); });
    expect_host_race("a copy of 256 bytes: ", a,
                     [&] { return GPU_SYMBOL(copy)(place(), b, a, bytes); });
    expect_host_race("a copy of 256 bytes: ", a,
                     [&] { return GPU_SYMBOL(copy)(place(), a, host, bytes); });
    expect_host_race("set_bytes of 256 bytes: ", a,
                     [&] { return GPU_SYMBOL(set_bytes)(place(), a, 0, bytes); });
    expect_host_race("a scan of 256 bytes: ", a,
                     [&] { return gpu::exclusive_scan<int>(place(), a, b, items); });
    expect_host_race("a scan of 256 bytes: ", b,
                     [&] { return gpu::exclusive_scan<int>(place(), a, b, items); });
    array<uint64_t> keys(items, 1), sorted(items);
    array<int64_t> values(items, 1), moved(items);
    expect_host_race(
        "a sort of 512 bytes: ", reinterpret_cast<int *>(static_cast<int64_t *>(moved)), [&] {
            return gpu::sort_pairs<uint64_t, int64_t>(place(), items, keys, sorted, values, moved,
                                                      64);
        });
    expect_fault_of({"it reads element", "which set_bytes of 256 bytes wrote"}, [&] {
        sides s;
        expect_ok(GPU_SYMBOL(set_bytes)(place(), a, 0, bytes));
        return gpu::launch(s.one, broken::takes, shape, a, b);
    });
    expect_clean([&] { /* in the side's own stream, and of what nobody has written */
                       array<int> half(items), copied(items);
                       sides s;
                       expect_ok(gpu::launch(s.one, broken::fills, {1, 32}, half, 1));
                       expect_ok(GPU_SYMBOL(copy)(s.one, copied, half, bytes));
                       expect_ok(gpu::launch(s.one, broken::takes, {1, 32}, copied, b));
                       expect_fault(gpu::launch(s.one, broken::takes, {1, 33}, copied, b),
                                    "nobody has written");
    });
}

static void test_giving_back(void **) {
    tulle__device *device = place()->device;
    for (bool joined : {false, true}) {
        auto work = [&] {
            sides s;
            void *room = nullptr;
            expect_ok(GPU_SYMBOL(allocate)(device, bytes, &room));
            expect_ok(gpu::launch(s.one, broken::fills, shape, static_cast<int *>(room), 1));
            if (joined) expect_ok(s.beside.join());
            expect_ok(GPU_SYMBOL(release)(device, room));
            return GPU_SYMBOL(stream_wait)(device, place()->stream);
        };
        if (joined) {
            expect_clean([&] { expect_ok(work()); });
        } else {
            expect_fault_of({"giving back an array of 256 bytes: a race", "broken::fills"}, work);
        }
    }
    array<int> a(items, 0);
    expect_fault_of({"cutting scratch of 256 bytes: a race"}, [&] {
        sides s;
        expect_ok(gpu::launch(s.one, broken::fills, shape, a, 1));
        return GPU_SYMBOL(watch)(device, a, bytes, TULLE__WATCH_UNWRITTEN);
    });
}

/* A graph of two sides that meet, or not, and are joined, or not. */
static tulle_status capture(int *first, int *second, bool joined, void **graph) {
    expect_ok(GPU_SYMBOL(capture_begin)(place()));
    sides s;
    expect_ok(gpu::launch(s.one, broken::fills, shape, first, 1));
    expect_ok(gpu::launch(s.other, broken::doubles, shape, second));
    if (joined) expect_ok(s.beside.join());
    return GPU_SYMBOL(capture_end)(place(), graph);
}

static void test_graphs(void **) {
    array<int> a(items, 0), b(items, 1), out(items, 0);
    void *graph = nullptr;
    expect_ok(capture(a, a, true, &graph));
    for (int twice = 0; twice < 2; twice++) {
        expect_fault_of({"a race in global memory", "broken::fills", "broken::doubles"},
                        [&] { return GPU_SYMBOL(graph_launch)(place(), graph); });
    }
    expect_ok(GPU_SYMBOL(graph_destroy)(place()->device, graph));
    expect_fault(capture(a, b, false, &graph), "the capture ends before gpu::side_by_side::join");
    assert_null(graph);
    expect_ok(capture(a, b, true, &graph));
    expect_clean([&] {
        b.fill(1);
        expect_ok(GPU_SYMBOL(graph_launch)(place(), graph));
        expect_ok(GPU_SYMBOL(graph_launch)(place(), graph));
        expect_ok(gpu::launch(place(), broken::takes, shape, b, out));
        assert_int_equal(out[7], 4);
    });
    expect_ok(GPU_SYMBOL(graph_destroy)(place()->device, graph));
}

#define TEST(name) cmocka_unit_test_teardown(name, harness::reset)

int main(void) {
    const CMUnitTest tests[] = {
        TEST(test_races),           TEST(test_forgotten_join), TEST(test_beginnings),
        TEST(test_sides_of_a_side), TEST(test_early_launches), TEST(test_atomics),
        TEST(test_host_work),       TEST(test_giving_back),    TEST(test_graphs),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
