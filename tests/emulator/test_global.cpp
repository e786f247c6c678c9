/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do wrong in global memory is caught in every order, with both places; what is right
 * is let through. */
#include "broken_global.cuh"
#include "caught.h"

using harness::array;
using harness::expect_clean;
using harness::expect_fault_of;
using harness::expect_ok;
using harness::place;

static void test_races(void **) {
    array<int> in(256, 0), out(256, 0);
    expect_fault_of({"a race in global memory", "plain_sum", "element 0 of argument 1"}, [&] {
        return gpu::launch(place(), broken::plain_sum, {1, 32}, out);
    });
    expect_fault_of({"a race in global memory", "of block"}, [&] {
        return gpu::launch(place(), broken::plain_sum, {3, 1}, out);
    });
    expect_fault_of({"it writes element 0", "wrote at broken_global.cuh"}, [&] {
        return gpu::launch(place(), broken::last_writer_wins, {1, 64}, out);
    });
    expect_fault_of({"a race in global memory"}, [&] {
        return gpu::launch(place(), broken::reads_other_warp, {1, 128}, in, out);
    });
    expect_fault_of({"a race in global memory"}, [&] {
        return gpu::launch(place(), broken::reads_other_lane, {1, 32}, in, out);
    });
    expect_fault_of({"a race in global memory", "of block"}, [&] {
        return gpu::launch(place(), broken::reads_other_block, {4, 32}, in, out);
    });
    expect_fault_of({"a race in global memory", "of block"}, [&] {
        return gpu::launch(place(), broken::barrier_between_blocks, {4, 64}, in, out);
    });
    expect_fault_of({"it writes element 0", "read at broken_global.cuh"}, [&] {
        return gpu::launch(place(), broken::three_readers, {1, 32}, in, out);
    });
    expect_fault_of({"it writes box[0]", "read at broken_global.cuh"}, [&] {
        return gpu::launch(place(), broken::three_readers_of_shared, {1, 32}, out);
    });
    expect_fault_of({"a race in global memory"}, [&] {
        return gpu::launch(place(), broken::atomic_and_plain, {4, 32}, in, out);
    });
}

/* However many readers, the one that is not waited for is known. */
static void test_many_readers(void **) {
    array<int> in(1, 0), out(64);
    for (unsigned readers : {2u, 17u, 18u, 24u, 31u}) {
        for (unsigned forgotten : {32 - readers, 31u}) {
            expect_fault_of({"it writes element 0", "read at broken_global.cuh"}, [&] {
                return gpu::launch(place(), broken::many_lanes_read, {1, 32}, in, out, readers,
                                   forgotten);
            });
        }
    }
    for (int warps : {5, 20, 32}) {
        for (int forgotten : {1, warps / 2, warps - 1}) {
            expect_fault_of({"a race in global memory"}, [&] {
                array<int> flags(32, 0);
                return gpu::launch(place(), broken::many_warps_read, {1, 32 * warps}, flags, in,
                                   out, static_cast<unsigned>(forgotten));
            });
        }
    }
    expect_clean([&] {
        array<int> flags(32, 0);
        expect_ok(gpu::launch(place(), broken::many_warps_read, {1, 1024}, flags, in, out, 99u));
        expect_ok(gpu::launch(place(), broken::many_lanes_read, {1, 32}, in, out, 31u, 99u));
    });
}

/* Where the other thread runs first, it is a race; else it never runs. */
static void test_loops_in_every_order(void **) {
    array<int> out(1, 0);
    for (unsigned poller : {0u, 1u}) {
        expect_fault_of({}, [&] {
            array<int> flag(1, 0);
            return gpu::launch(place(), broken::polls_what_it_reset, {1, 32}, flag, poller);
        });
        expect_fault_of({}, [&] {
            array<int> flag(1, 0), turns(1, 0);
            return gpu::launch(place(), broken::polls_and_counts, {1, 32}, flag, turns, poller);
        });
        expect_fault_of({}, [&] {
            return gpu::launch(place(), broken::polls_shared, {1, 32}, out, poller);
        });
    }
}

static void test_sources_of_copies(void **) {
    array<int> in(32, 1), out(32);
    expect_fault_of({"was written before the copy was waited for"}, [&] {
        array<int> source(32, 1);
        return gpu::launch(place(), broken::source_changes, {1, 32}, source, out, 1);
    });
    expect_clean([&] {
        array<int> source(32, 1);
        expect_ok(gpu::launch(place(), broken::source_changes, {1, 32}, source, out, 0));
        assert_int_equal(out[31], 1);
    });
}

static void test_sources_changed_by_others(void **) {
    expect_fault_of({"source_changed_by_others"}, [] {
        array<int> source(32, 1), out(32);
        return gpu::launch(place(), broken::source_changed_by_others<true>, {1, 64}, source, out);
    });
    expect_clean([] {
        array<int> source(32, 1), out(32);
        expect_ok(
            gpu::launch(place(), broken::source_changed_by_others<false>, {1, 64}, source, out));
        assert_int_equal(out[31], 1);
    });
}

static void test_stacks(void **) {
    expect_fault_of({"reads the stack of another thread"}, [] {
        array<int> out(32);
        return gpu::launch(place(), broken::reads_variable_of_other<false>, {1, 32}, out);
    });
    expect_clean([] {
        array<int> out(32);
        expect_ok(gpu::launch(place(), broken::reads_variable_of_other<true>, {1, 32}, out));
        assert_int_equal(out[31], 31);
    });
}

static void test_padding(void **) {
    expect_clean([] {
        array<broken::padded> in(64), out(32);
        array<double> sum(32);
        expect_ok(gpu::launch(place(), broken::copies_padded, {1, 32}, in, out, sum, 1));
        assert_true(sum[31] == 6);
    });
    expect_fault_of({"which nobody has written yet"}, [] {
        array<broken::padded> in(64), out(32);
        array<double> sum(32);
        return gpu::launch(place(), broken::copies_padded, {1, 32}, in, out, sum, 0);
    });
}

static void test_exchanges(void **) {
    expect_fault_of({"exchanges_first", "which nobody has written before"}, [] {
        array<int> flag(1), out(64);
        return gpu::launch(place(), broken::exchanges_first<true>, {1, 64}, flag, out);
    });
    expect_clean([] {
        array<int> flag(1), out(64);
        expect_ok(gpu::launch(place(), broken::exchanges_first<false>, {1, 64}, flag, out));
        assert_int_equal(out[63], 2);
        flag.fill(0);
        expect_ok(gpu::launch(place(), broken::exchanges_first<true>, {1, 64}, flag, out));
    });
}

static void test_flags_many_raise(void **) {
    array<int> flag(1, 0);
    expect_fault_of({"it writes element 0"}, [&] {
        return gpu::launch(place(), broken::many_write_a_flag, {2, 32}, flag);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::many_raise_a_flag, {2, 32}, flag));
    });
}

static void test_last_block(void **) {
    array<int> parts(16, 0), tickets(1, 0), sum(1, 0);
    expect_fault_of({"a race in global memory: it reads element", "of block"}, [&] {
        tickets.fill(0);
        return gpu::launch(place(), broken::last_block_adds<false>, {16, 64}, parts, tickets, sum);
    });
    expect_clean([&] {
        tickets.fill(0);
        expect_ok(
            gpu::launch(place(), broken::last_block_adds<true>, {16, 64}, parts, tickets, sum));
        assert_int_equal(sum[0], 16);
    });
}

template <int mistake>
static tulle_status run_chain(int blocks, int threads) {
    array<int> value(blocks * threads, 0), flag(blocks, 0);
    tulle_status status =
        gpu::launch(place(), broken::chain<mistake>, {blocks, threads}, value, flag);
    for (int i = 0; status == TULLE_OK && i < threads; i++) {
        assert_int_equal(value[(blocks - 1) * threads + i], blocks);
    }
    return status;
}

/* As many blocks as are resident, so that each order can end. */
static void test_chains(void **) {
    expect_clean([] { expect_ok(run_chain<0>(4, 64)); });
    expect_fault_of({"a race in global memory: it reads"}, [] { return run_chain<1>(4, 64); });
    expect_fault_of({"a race in global memory: it reads"}, [] { return run_chain<2>(4, 64); });
    expect_fault_of({"a race in global memory"}, [] { return run_chain<3>(4, 64); });
}

static void test_values_that_are_flags(void **) {
    expect_clean([] {
        array<double> value(4 * 64, -1.0);
        expect_ok(gpu::launch(place(), broken::values_that_are_flags, {4, 64}, value));
        assert_true(value[3 * 64 + 32] == 8);
    });
    expect_fault_of({"a race in global memory"}, [] {
        array<double> value(4, 0.0);
        array<int64_t> flag(4, 0);
        return gpu::launch(place(), broken::value_beside_its_flag, {4, 32}, value, flag);
    });
}

static void test_loops_that_wait(void **) {
    array<int> flag(1, 0), out(1);
    expect_ok(tulle__emu_set_order("forward"));
    harness::expect_fault(gpu::launch(place(), broken::polls_without_spin, {1, 32}, flag),
                          "a loop without gpu::spin");
    harness::expect_fault(gpu::launch(place(), broken::goes_round, {1, 1}, out, 2u),
                          "in which nothing moved");
    harness::expect_usable();
    expect_ok(gpu::launch(place(), broken::goes_round, {1, 1}, out, 1u));
    assert_int_equal(out[0], 4095);
}

static tulle_status write_and_wait(int late) {
    array<int> between(64, 0), out(64, 0);
    expect_ok(gpu::launch(place(), broken::writes, {1, 64}, between));
    return gpu::launch_early(place(), broken::waits_late, {1, 64}, between, out, late);
}

static void test_early_launches(void **) {
    array<int> out(64, 0);
    expect_fault_of({"before gpu::await_previous it reads", "the launch before wrote"},
                    [] { return write_and_wait(1); });
    expect_fault_of({"writes", "before gpu::await_previous"}, [&] {
        return gpu::launch_early(place(), broken::writes_early, {1, 64}, out);
    });
    expect_clean([] { expect_ok(write_and_wait(0)); });
}

static tulle_status write_and_load(int as_constant) {
    array<int> between(64, 0), out(64, 0);
    expect_ok(gpu::launch(place(), broken::writes, {1, 64}, between));
    return gpu::launch_early(place(), broken::waits_and_loads, {1, 64}, between, out, as_constant);
}

static void test_early_constants(void **) {
    expect_fault_of({"gpu::load may run before gpu::await_previous", "gpu::load_awaited"},
                    [] { return write_and_load(1); });
    expect_clean([] { expect_ok(write_and_load(0)); });
}

/* A grid that nothing holds up may meet one before the last. */
static void test_early_launches_in_a_row(void **) {
    array<int> first(64, 0), second(64, 0), third(64, 0);
    expect_fault_of({"before gpu::await_previous it reads"}, [&] {
        expect_ok(gpu::launch(place(), broken::writes, {1, 64}, first));
        expect_ok(gpu::launch_early(place(), broken::waits_late, {1, 64}, first, second, 0));
        return gpu::launch_early(place(), broken::waits_late, {1, 64}, first, third, 1);
    });
}

static tulle_status raise_and_look(int early) {
    array<int> flag(1, 0), out(32);
    expect_ok(gpu::launch(place(), broken::raises, {1, 32}, flag));
    return gpu::launch_early(place(), broken::looks_at_flag, {1, 32}, flag, out, early);
}

static void test_early_look_at_flag(void **) {
    expect_fault_of({"before gpu::await_previous it reads element 0", "the launch before updated"},
                    [] { return raise_and_look(1); });
    expect_clean([] { expect_ok(raise_and_look(0)); });
}

static void test_constants(void **) {
    array<int> in(64, 0), out(64, 0);
    expect_fault_of({"reads through gpu::load", "wrote at broken_global.cuh"}, [&] {
        return gpu::launch(place(), broken::constant_that_changes, {1, 64}, in, out);
    });
    expect_fault_of({"reads through gpu::load", "wrote at broken_global.cuh"}, [&] {
        return gpu::launch(place(), broken::constant_that_is_counted, {1, 64}, in, out);
    });
    expect_fault_of({"reads through gpu::load", "wrote at broken_global.cuh"}, [&] {
        return gpu::launch(place(), broken::constant_that_is_a_flag, {1, 64}, in, out);
    });
    expect_fault_of({"has read through gpu::load"}, [&] {
        return gpu::launch(place(), broken::constant_changed_later, {1, 64}, in, out);
    });
    expect_fault_of({"writes an input", "argument 1 points to const"}, [&] {
        return gpu::launch(place(), broken::writes_input, {1, 64}, in, out);
    });
    expect_clean([&] { expect_ok(gpu::launch(place(), broken::copies, {1, 64}, out, out)); });
}

static void test_unwritten(void **) {
    array<int> in(64), out(64);
    expect_fault_of({"reads element", "which nobody has written yet"}, [&] {
        return gpu::launch(place(), broken::branches_on_unwritten, {1, 64}, in, out);
    });
}

static tulle_status read_freed(bool recycled) {
    int *old = nullptr;
    {
        array<int> gone(64, 1);
        old = gone;
    }
    array<int> next(64, 1), out(64);
    if (recycled) assert_ptr_not_equal(old, static_cast<int *>(next));
    return gpu::launch(place(), broken::copies, {1, 64}, old, out);
}

static void test_freed(void **) {
    expect_fault_of({"that was freed"}, [] { return read_freed(false); });
    expect_fault_of({"that was freed"}, [] { return read_freed(true); });
}

static void test_outside(void **) {
    array<int> in(33, 0), out(64);
    expect_fault_of({"global memory that no array has", "argument 1"}, [&] {
        return gpu::launch(place(), broken::copies, {1, 64}, in, out);
    });
    expect_fault_of({"global memory that no array has"}, [&] {
        return gpu::launch(place(), broken::copies, {1, 32}, static_cast<int *>(in) - 1, out);
    });
    constexpr int64_t large = int64_t{5} << 20;
    array<int> unwatched(large, 0);
    int *end = static_cast<int *>(unwatched) + large;
    expect_fault_of({"global memory that no array has"}, [&] {
        return gpu::launch(place(), broken::copies, {1, 33}, end - 32, out);
    });
    expect_clean([&] { expect_ok(gpu::launch(place(), broken::copies, {1, 32}, end - 32, out)); });
}

static void test_parts(void **) {
    constexpr size_t bytes = 64 * sizeof(int);
    expect_fault_of({"outside of its 32 elements"}, [] {
        return gpu::launch(place(), broken::outside_part, {1, 32, bytes}, 1);
    });
    expect_fault_of({"outside of its 32 elements"}, [] {
        return gpu::launch(place(), broken::outside_part, {1, 32, bytes}, -1);
    });
    array<char> scratch(static_cast<int64_t>(gpu::part_bytes<int>(40) + gpu::part_bytes<int>(9)));
    int *first = nullptr, *second = nullptr;
    gpu::parts cut(place(), scratch);
    expect_ok(cut.take(40, &first));
    expect_ok(cut.take(9, &second));
    expect_fault_of({"memory that is closed to it"}, [&] {
        return gpu::launch(place(), broken::writes, {1, 41}, first);
    });
    expect_fault_of({"memory that is closed to it"}, [&] {
        return gpu::launch(place(), broken::writes, {1, 10}, second);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::writes, {1, 40}, first));
        expect_ok(gpu::launch(place(), broken::writes, {1, 9}, second));
    });
    /* an input and an output in parts of the same scratch */
    expect_fault_of({"writes an input"}, [&] {
        return gpu::launch(place(), broken::writes_first, {1, 9}, first, second, 1);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::writes_first, {1, 9}, first, second, 0));
        expect_ok(gpu::launch(place(), broken::writes_first, {1, 9}, first, first, 1));
    });
}

static void test_host_memory(void **) {
    static int variable[64];
    int local[64] = {}, *heap = static_cast<int *>(calloc(64, sizeof *heap));
    array<int> out(64);
    for (int *host : {static_cast<int *>(variable), static_cast<int *>(local), heap}) {
        expect_fault_of({"reads host memory"}, [&] {
            return gpu::launch(place(), broken::copies, {1, 64}, host, out);
        });
        expect_fault_of({"writes host memory"}, [&] {
            return gpu::launch(place(), broken::writes, {1, 64}, host);
        });
    }
    tulle__device *device = place()->device;
    expect_ok(GPU_SYMBOL(watch)(device, heap, 64 * sizeof *heap, TULLE__WATCH_LENT));
    expect_clean([&] { expect_ok(gpu::launch(place(), broken::copies, {1, 64}, heap, out)); });
    expect_ok(GPU_SYMBOL(watch)(device, heap, 0, TULLE__WATCH_RETURNED));
    expect_fault_of({"reads host memory"}, [&] {
        return gpu::launch(place(), broken::copies, {1, 64}, heap, out);
    });
    free(heap);
    for (const int *low : {static_cast<const int *>(nullptr), reinterpret_cast<const int *>(64)}) {
        expect_fault_of({"reads host memory"}, [&] {
            return gpu::launch(place(), broken::copies, {1, 64}, const_cast<int *>(low), out);
        });
    }
}

static void test_bytes(void **) {
    array<unsigned char> out(66, 0);
    expect_clean([&] { expect_ok(gpu::launch(place(), broken::writes_bytes, {1, 66}, out)); });
    /* words that nobody has cut into bytes before */
    expect_clean([&] {
        array<unsigned char> whole(66);
        expect_ok(gpu::launch(place(), broken::writes_bytes, {1, 66}, whole));
    });
    expect_fault_of({"a race in global memory"}, [&] {
        return gpu::launch(place(), broken::writes_byte_of_neighbour, {1, 66}, out);
    });
    expect_fault_of({"no array has"}, [&] {
        return gpu::launch(place(), broken::writes_bytes, {1, 67}, out);
    });
}

static void test_tiles(void **) {
    array<double> in(64, 1.0), out(64);
    expect_fault_of({"reads shared memory that a copy has yet to write: tile["}, [&] {
        return gpu::launch(place(), broken::tile_not_awaited, {1, 64}, in, out);
    });
    expect_fault_of({"tile["}, [&] {
        return gpu::launch(place(), broken::tile_of_neighbour<false>, {1, 64}, in, out);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::tile_of_neighbour<true>, {1, 64}, in, out));
    });
}

/* A value of an operation's own inputs, whatever the kernel's arguments say of them. */
static void test_inputs(void **) {
    array<int> out(64, 0);
    tulle__device *device = place()->device;
    expect_ok(GPU_SYMBOL(watch)(device, static_cast<int *>(out) + 8, 4, TULLE__WATCH_INPUT));
    expect_fault_of({"writes an input of the operation: element 8 of argument 1"}, [&] {
        return gpu::launch(place(), broken::writes, {1, 64}, out);
    });
    expect_clean([&] { expect_ok(gpu::launch(place(), broken::writes, {1, 8}, out)); });
    expect_ok(GPU_SYMBOL(watch)(device, nullptr, 0, TULLE__WATCH_NO_INPUTS));
    expect_clean([&] { expect_ok(gpu::launch(place(), broken::writes, {1, 64}, out)); });
}

static void test_bytes_moved(void **) {
    array<int> in(33, 1), out(64, 0), unwritten(64);
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::copies_bytes, {1, 33}, in, out));
        expect_ok(gpu::launch(place(), broken::sets_bytes, {1, 64}, out, 0));
        expect_ok(gpu::launch(place(), broken::moves_bytes, {1, 2}, out, 60, 58));
    });
    expect_fault_of({"reads global memory that no array has"}, [&] {
        return gpu::launch(place(), broken::copies_bytes, {1, 34}, in, out);
    });
    expect_fault_of({"which nobody has written yet"}, [&] {
        return gpu::launch(place(), broken::copies_bytes, {1, 33}, unwritten, out);
    });
    expect_fault_of({"writes global memory that no array has"}, [&] {
        return gpu::launch(place(), broken::moves_bytes, {1, 2}, out, 61, 58);
    });
    expect_fault_of({"a race in global memory"}, [&] {
        return gpu::launch(place(), broken::sets_bytes, {1, 64}, out, 1);
    });
}

static void test_members(void **) {
    array<int> in(32, 1), out(32, 0);
    expect_fault_of({"writes an input", "argument 1 points to const"}, [&] {
        return gpu::launch(place(), broken::writes_member, {1, 32}, {32, {in, out}}, 1);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::writes_member, {1, 32}, {32, {in, out}}, 0));
        expect_ok(gpu::launch(place(), broken::writes_member, {1, 32}, {32, {in, in}}, 1));
    });
}

static void test_many_members(void **) {
    array<int> in(32, 1), out(32, 0);
    auto members = [&](int *written) {
        broken::many_members m = {};
        m.arrays = {in, written};
        return m;
    };
    expect_fault_of({"writes an input", "argument 1 points to const"}, [&] {
        return gpu::launch(place(), broken::writes_one_of_many, {1, 32}, members(out), 1);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::writes_one_of_many, {1, 32}, members(out), 0));
        expect_ok(gpu::launch(place(), broken::writes_one_of_many, {1, 32}, members(in), 1));
        broken::with_array both = {{out, in}};
        expect_ok(gpu::launch(place(), broken::writes_through_array, {1, 32}, in, both));
        array<int *> table(2);
        int *pointers[] = {out, in};
        expect_ok(GPU_SYMBOL(copy)(place(), table, pointers, sizeof pointers));
        expect_ok(gpu::launch(place(), broken::writes_through_table, {1, 32}, in, table));
    });
}

/* The orders differ in what they make of it. */
static void test_unwritten_in_packs(void **) {
    bool taken[2] = {false, false};
    expect_clean([&] {
        array<gpu::pack<int, 2>> in(1);
        array<int> out(1);
        gpu::pack<int, 2> *first = in;
        expect_ok(gpu::launch(place(), broken::writes, {1, 1}, &first->at[0]));
        expect_ok(gpu::launch(place(), broken::branches_on_pack, {1, 1}, in, out));
        taken[out[0] == 0] = true;
    });
    assert_true(taken[0] && taken[1]);
}

static void test_alignment(void **) {
    array<float> in(4 * 33, 1.0f), out(128);
    auto packs = [&](int first) {
        return reinterpret_cast<gpu::pack<float, 4> *>(static_cast<float *>(in) + first);
    };
    auto doubles = [&](int first) {
        return reinterpret_cast<double *>(static_cast<float *>(out) + first);
    };
    expect_fault_of({"reads as a constant", "no multiple of 16 bytes", "of argument 1"}, [&] {
        return gpu::launch(place(), broken::loads_packs, {1, 32}, packs(2), out);
    });
    expect_fault_of({"writes", "no multiple of 8 bytes"}, [&] {
        return gpu::launch(place(), broken::writes_doubles, {1, 32}, doubles(1));
    });
    expect_fault_of({"updates", "no multiple of 8 bytes"}, [&] {
        return gpu::launch(place(), broken::adds_to_double, {1, 32}, doubles(1));
    });
    expect_fault_of({"reads", "no multiple of 16 bytes"}, [&] {
        return gpu::launch(place(), broken::copies_four, {1, 32}, in + 2, out);
    });
    array<double> numbers(32);
    expect_fault_of({"writes all at", "bytes, which is not aligned"}, [&] {
        return gpu::launch(place(), broken::doubles_behind, {1, 32, 512}, numbers, 3);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::loads_packs, {1, 32}, packs(4), out));
        out.fill(0);
        expect_ok(gpu::launch(place(), broken::writes_doubles, {1, 32}, doubles(2)));
        expect_ok(gpu::launch(place(), broken::adds_to_double, {1, 32}, doubles(2)));
        expect_ok(gpu::launch(place(), broken::copies_four, {1, 32}, in + 4, out));
        expect_ok(gpu::launch(place(), broken::doubles_behind, {1, 32, 512}, numbers, 2));
    });
}

static void test_pointers_to_shared(void **) {
    array<int> out(32);
    expect_fault_of({"broken_global.cuh:", "through_pointers", "box["}, [&] {
        return gpu::launch(place(), broken::through_pointers<false>, {1, 32}, out);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::through_pointers<true>, {1, 32}, out));
    });
}

static void test_cut_by_hand(void **) {
    array<int> out(32);
    expect_fault_of({"writes memory asked for at launch that was cut by hand"}, [&] {
        return gpu::launch(place(), broken::cut_by_hand, {1, 1, 256}, out, 0);
    });
    expect_clean([&] {
        expect_ok(gpu::launch(place(), broken::cut_by_hand, {1, 1, 256}, out, 1));
    });
}

static void test_loops_that_count(void **) {
    expect_fault_of({"a loop without gpu::spin"}, [&] {
        array<int> flag(1, 0), turns(1, 0);
        return gpu::launch(place(), broken::counts_and_waits, {1, 1}, flag, turns);
    });
}

template <broken::count_by how>
static tulle_status count_turns(gpu::grid shape, int raise) {
    array<int> flag(1, 0), step(1, 1), turns(shape.blocks * shape.threads, 0);
    return gpu::launch(place(), broken::counts_and_spins<how>, shape, flag, step, turns, raise);
}

static void test_turns_in_vain(void **) {
    expect_fault_of({"livelock: threads have waited", "they wait and count", "counts_and_spins"},
                    [] {
                        return count_turns<broken::BY_UPDATES>({1, 1}, 0);
                    });
    expect_fault_of({"they wait and count"}, [] {
        return count_turns<broken::BY_UPDATES>({2, 64}, 0);
    });
    expect_fault_of({"they wait and count"}, [] {
        return count_turns<broken::BY_STORES>({2, 32}, 0);
    });
    expect_fault_of({"they wait and count"}, [] {
        return count_turns<broken::BY_VOTES>({1, 32}, 0);
    });
    expect_ok(tulle__emu_set_order("forward")); /* too many to wait for all their turns */
    harness::expect_fault(count_turns<broken::BY_UPDATES>({4, 1024}, 0), "they wait and count");
    harness::expect_usable();
    expect_clean([] {
        expect_ok(count_turns<broken::BY_UPDATES>({4, 1024}, 1));
        expect_ok(count_turns<broken::BY_UPDATES>({2, 64}, 1));
        expect_ok(count_turns<broken::BY_STORES>({2, 32}, 1));
        expect_ok(count_turns<broken::BY_VOTES>({1, 32}, 1));
    });
}

static void test_constants_of_the_program(void **) {
    static const int constant[64] = {};
    array<int> out(64);
    for (const char *order : harness::orders) {
        expect_ok(tulle__emu_set_order(order));
        harness::expect_fault(gpu::launch(place(), broken::copies, {1, 64}, constant, out),
                              "argument 1 of the kernel launched at test_global.cpp");
        harness::expect_usable();
    }
}

#define TEST(name) cmocka_unit_test_teardown(name, harness::reset)

int main(void) {
    const CMUnitTest tests[] = {
        TEST(test_races),
        TEST(test_many_readers),
        TEST(test_loops_in_every_order),
        TEST(test_sources_of_copies),
        TEST(test_sources_changed_by_others),
        TEST(test_stacks),
        TEST(test_padding),
        TEST(test_exchanges),
        TEST(test_flags_many_raise),
        TEST(test_last_block),
        TEST(test_chains),
        TEST(test_values_that_are_flags),
        TEST(test_loops_that_wait),
        TEST(test_early_launches),
        TEST(test_early_constants),
        TEST(test_early_launches_in_a_row),
        TEST(test_early_look_at_flag),
        TEST(test_constants),
        TEST(test_unwritten),
        TEST(test_freed),
        TEST(test_outside),
        TEST(test_parts),
        TEST(test_host_memory),
        TEST(test_bytes),
        TEST(test_tiles),
        TEST(test_inputs),
        TEST(test_bytes_moved),
        TEST(test_members),
        TEST(test_many_members),
        TEST(test_unwritten_in_packs),
        TEST(test_alignment),
        TEST(test_pointers_to_shared),
        TEST(test_cut_by_hand),
        TEST(test_loops_that_count),
        TEST(test_turns_in_vain),
        TEST(test_constants_of_the_program),
    };
    return cmocka_run_group_tests(tests, harness::open, NULL);
}
