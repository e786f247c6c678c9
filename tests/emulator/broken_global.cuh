/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels with one mistake each in global memory, or in how threads of different blocks meet; and
 * the same things done right. */
#ifndef TULLE_TESTS_EMULATOR_BROKEN_GLOBAL_CUH
#define TULLE_TESTS_EMULATOR_BROKEN_GLOBAL_CUH

#include "gpu/gpu.cuh"

namespace broken {

GPU_KERNEL void plain_sum(int *sum) {
    *sum += 1;
}

GPU_KERNEL void last_writer_wins(int *out) {
    if (gpu::lane() == 0) *out = static_cast<int>(gpu::thread());
}

GPU_KERNEL void reads_other_warp(int *in, int *out) {
    unsigned me = gpu::thread();
    in[me] = static_cast<int>(me);
    out[me] = in[gpu::block_size() - 1 - me];
}

GPU_KERNEL void reads_other_lane(int *in, int *out) {
    unsigned me = gpu::lane();
    in[me] = static_cast<int>(me);
    out[me] = in[me ^ 1];
}

GPU_KERNEL void reads_other_block(int *in, int *out) {
    if (gpu::thread() > 0) return;
    in[gpu::block()] = 1;
    out[gpu::block()] = in[gpu::grid_size() - 1 - gpu::block()];
}

/* The barrier is the block's: it says nothing of others. */
GPU_KERNEL void barrier_between_blocks(int *in, int *out) {
    unsigned me = gpu::block() * gpu::block_size() + gpu::thread();
    unsigned all = gpu::grid_size() * gpu::block_size();
    in[me] = 1;
    gpu::sync();
    out[me] = in[all - 1 - me];
}

/* One of the readers is not waited for. */
GPU_KERNEL void three_readers(int *in, int *out) {
    unsigned me = gpu::lane();
    if (me < 3) out[me] = in[0];
    if (me != 2) gpu::sync_warp(0xfffffffbu);
    if (me == 3) in[0] = 1;
}
GPU_KERNEL void three_readers_of_shared(int *out) {
    GPU_SHARED(int, box, 1);
    unsigned me = gpu::lane();
    if (me == 3) box[0] = 0;
    gpu::sync_warp(gpu::full_warp);
    if (me < 3) out[me] = box[0];
    if (me != 2) gpu::sync_warp(0xfffffffbu);
    if (me == 3) box[0] = 1;
}

/* The last block to come adds up what all have written; `careful` with the fences that takes. */
template <bool careful>
GPU_KERNEL void last_block_adds(int *parts, int *tickets, int *sum) {
    GPU_SHARED(int, last, 1);
    if (gpu::thread() == 0) {
        parts[gpu::block()] = 1;
        if (careful) gpu::fence();
        last[0] = gpu::atomic_add(tickets, 1) == static_cast<int>(gpu::grid_size()) - 1;
        if (careful) gpu::fence();
    }
    gpu::sync();
    if (!last[0] || gpu::thread() > 0) return;
    int all = 0;
    for (unsigned b = 0; b < gpu::grid_size(); b++) all += parts[b];
    *sum = all;
}

/* Each block waits for the one before it, and adds to what that wrote. How the flag is written and
 * read: 0 as it must be, 1 by a store that orders nothing, 2 by a load that orders nothing, 3
 * before the other warps have written. */
template <int mistake>
GPU_KERNEL void chain(int *value, int *flag) {
    unsigned b = gpu::block(), threads = gpu::block_size(), me = gpu::thread();
    if (me == 0 && b > 0) {
        if (mistake == 2) {
            while (gpu::load_relaxed(flag + b - 1) == 0) gpu::spin();
        } else {
            while (gpu::load_acquire(flag + b - 1) == 0) gpu::spin_awake();
        }
    }
    gpu::sync();
    value[b * threads + me] = 1 + (b > 0 ? value[(b - 1) * threads + threads - 1 - me] : 0);
    if (mistake != 3) gpu::sync();
    if (me > 0) return;
    if (mistake == 1) {
        gpu::store_relaxed(flag + b, 1);
    } else {
        gpu::store_release(flag + b, 1);
    }
}

/* A value is its own flag: whoever finds the fill pattern waits. */
GPU_KERNEL void values_that_are_flags(double *value) {
    unsigned me = gpu::block() * gpu::block_size() + gpu::thread();
    if (gpu::thread() % 32 > 0) return;
    double before = 0;
    if (me >= 32) {
        while ((before = gpu::load_relaxed(value + me - 32)) < 0) gpu::spin();
    }
    gpu::store_relaxed(value + me, before + 1);
}

/* What is written beside the flag is not ordered by it. */
GPU_KERNEL void value_beside_its_flag(double *value, int64_t *flag) {
    if (gpu::thread() > 0) return;
    unsigned b = gpu::block();
    double before = 0;
    if (b > 0) {
        while (gpu::load_relaxed(flag + b - 1) == 0) gpu::spin();
        before = value[b - 1];
    }
    value[b] = before + 1;
    gpu::store_relaxed(flag + b, 1);
}

GPU_KERNEL void many_raise_a_flag(int *flag) {
    gpu::store_relaxed(flag, 1);
}
GPU_KERNEL void many_write_a_flag(int *flag) {
    *flag = 1;
}

GPU_KERNEL void atomic_and_plain(int *sum, int *out) {
    gpu::atomic_add(sum, 1);
    if (gpu::thread() == 0) out[gpu::block()] = *sum;
}

GPU_KERNEL void polls_without_spin(volatile int *flag) {
    if (gpu::thread() == 0) {
        while (*flag == 0) continue;
    } else {
        *flag = 1;
    }
}
GPU_KERNEL void goes_round(int *out, unsigned step) {
    unsigned i = gpu::thread();
    while (i % 4096 != 4095 || step == 2) i += step;
    *out = static_cast<int>(i);
}

GPU_KERNEL void writes(int *out) {
    out[gpu::thread()] = static_cast<int>(gpu::thread());
}
GPU_KERNEL void copies(const int *in, int *out) {
    out[gpu::thread()] = in[gpu::thread()];
}

/* When it waits for the grid before it: 0 in time, 1 after its load, 2 after its store. */
GPU_KERNEL void waits_late(const int *in, int *out, int late) {
    gpu::allow_next();
    int v = 0;
    if (late != 1) gpu::await_previous();
    v = in[gpu::thread()];
    if (late == 1) gpu::await_previous();
    out[gpu::thread()] = v;
}
/* A load of constants, which the compiler may move in front of the wait. */
GPU_KERNEL void waits_and_loads(const int *in, int *out, int as_constant) {
    gpu::allow_next();
    gpu::await_previous();
    const int *from = in + gpu::thread();
    out[gpu::thread()] = as_constant ? gpu::load(from) : gpu::load_awaited(from);
}
GPU_KERNEL void writes_early(int *out) {
    out[gpu::thread()] = 1;
    gpu::await_previous();
}

/* A flag of the grid before, of which a relaxed load may see the old value. */
GPU_KERNEL void raises(int *flag) {
    gpu::store_relaxed(flag, 1);
}
GPU_KERNEL void looks_at_flag(int *flag, int *out, int early) {
    gpu::allow_next();
    int v = early ? gpu::load_relaxed(flag) : 0;
    gpu::await_previous();
    if (!early) v = gpu::load_relaxed(flag);
    out[gpu::thread()] = v;
}

GPU_KERNEL void constant_that_changes(int *in, int *out) {
    unsigned me = gpu::thread();
    in[me] = 1;
    gpu::sync();
    out[me] = gpu::load(in + me);
}
GPU_KERNEL void constant_that_is_counted(int *in, int *out) {
    unsigned me = gpu::thread();
    gpu::atomic_add(in + me % 4, 1);
    gpu::sync();
    out[me] = gpu::load(in + me % 4);
}
GPU_KERNEL void constant_that_is_a_flag(int *in, int *out) {
    unsigned me = gpu::thread();
    gpu::store_relaxed(in + me, 1);
    gpu::sync();
    out[me] = gpu::load(in + me);
}
GPU_KERNEL void constant_changed_later(int *in, int *out) {
    unsigned me = gpu::thread();
    out[me] = gpu::load(in + me);
    gpu::sync();
    in[me] = 1;
}

GPU_KERNEL void writes_input(const int *in, int *out) {
    out[0] = 1;
    const_cast<int *>(in)[gpu::thread()] = 2;
}

GPU_KERNEL void branches_on_unwritten(const int *in, int *out) {
    out[gpu::thread()] = in[gpu::thread()] > 3 ? 1 : 2;
}

GPU_KERNEL void writes_bytes(unsigned char *out) {
    out[gpu::thread()] = 1;
}
GPU_KERNEL void takes_byte(const unsigned char *in, int *out) {
    out[0] = in[0];
}
GPU_KERNEL void writes_byte_of_neighbour(unsigned char *out) {
    out[gpu::thread() / 2] = 1;
}

GPU_KERNEL void outside_part(int past) {
    GPU_DYNAMIC_SHARED(int, all);
    gpu::shared<int> first = gpu::part_of(all, 0, 32), second = gpu::part_of(all, 32, 32);
    int me = static_cast<int>(gpu::thread());
    first[me] = 1;
    second[me + past] = 1;
}

/* Reads its tile before it has arrived, or (late) its neighbour's before that has. */
GPU_KERNEL void tile_not_awaited(const double *in, double *out) {
    GPU_SHARED(double, tile, 64);
    unsigned me = gpu::thread();
    gpu::copy_async<8>(tile + me, in + me);
    gpu::copy_commit();
    out[me] = tile[me];
}
template <bool together>
GPU_KERNEL void tile_of_neighbour(const double *in, double *out) {
    GPU_SHARED(double, tile, 64);
    unsigned me = gpu::thread();
    gpu::copy_async<8>(tile + me, in + me);
    gpu::copy_commit();
    gpu::copy_wait<0>();
    if (together) gpu::sync();
    out[me] = tile[63 - me];
}

/* Lanes from 32 - readers on read; one of them is not waited for. */
GPU_KERNEL void many_lanes_read(int *in, int *out, unsigned readers, unsigned forgotten) {
    unsigned me = gpu::lane();
    if (me >= 32 - readers) out[me] = in[0];
    unsigned others = forgotten < 32 ? ~(1u << forgotten) : gpu::full_warp;
    if (me != forgotten) gpu::sync_warp(others);
    if (me == 0) in[0] = 5;
}

/* The same with warps and flags. */
GPU_KERNEL void many_warps_read(int *flags, int *in, int *out, unsigned forgotten) {
    unsigned warp = gpu::thread() / 32, warps = gpu::block_size() / 32;
    if (gpu::lane() > 0) return;
    if (warp > 0) {
        out[warp] = in[0];
        if (warp != forgotten) gpu::store_release(flags + warp, 1);
        return;
    }
    for (unsigned w = 1; w < warps; w++) {
        while (w != forgotten && gpu::load_acquire(flags + w) == 0) gpu::spin();
    }
    in[0] = 1;
}

/* One thread waits for what another one writes plainly. */
GPU_KERNEL void polls_what_it_reset(volatile int *flag, unsigned poller) {
    unsigned me = gpu::thread();
    if (me == poller) *flag = 0;
    gpu::sync();
    while (me == poller && *flag == 0) {
    }
    if (me == 1 - poller) *flag = 1;
}
GPU_KERNEL void polls_and_counts(volatile int *flag, int *turns, unsigned poller) {
    unsigned me = gpu::thread();
    while (me == poller && *flag == 0) turns[0]++;
    if (me == 1 - poller) *flag = 1;
}
GPU_KERNEL void polls_shared(int *out, unsigned poller) {
    GPU_SHARED(int, flag, 1);
    unsigned me = gpu::thread();
    if (me == poller) flag[0] = 0;
    gpu::sync();
    while (me == poller && flag[0] == 0) {
    }
    if (me == 1 - poller) flag[0] = 1;
    if (me == poller) out[0] = 1;
}

/* early: the source changes before the copy has been waited for. */
GPU_KERNEL void source_changes(int *in, int *out, int early) {
    GPU_SHARED(int, box, 32);
    unsigned me = gpu::lane();
    gpu::copy_async<4>(box + me, in + me);
    gpu::copy_commit();
    if (early) in[me] = -1;
    gpu::copy_wait<0>();
    if (!early) in[me] = -1;
    out[me] = box[me];
}

/* The other warp changes the source behind a barrier; the copy is waited for before that or after.
 */
template <bool early>
GPU_KERNEL void source_changed_by_others(int *in, int *out) {
    GPU_SHARED(int, box, 32);
    unsigned me = gpu::thread();
    if (me < 32) gpu::copy_async<4>(box + me, in + me);
    gpu::copy_commit();
    if (!early) gpu::copy_wait<0>();
    gpu::sync();
    if (me >= 32) in[me - 32] = -1;
    if (early) gpu::copy_wait<0>();
    if (me < 32) out[me] = box[me];
}

/* A lane reads a variable of another one, whose address it was told. */
template <bool own>
GPU_KERNEL void reads_variable_of_other(int *out) {
    GPU_SHARED(int64_t, where, 32);
    int variable = static_cast<int>(gpu::lane());
    where[gpu::lane()] = reinterpret_cast<int64_t>(&variable);
    gpu::sync_warp(gpu::full_warp);
    int64_t told = where[own ? gpu::lane() : gpu::lane() ^ 1];
    out[gpu::lane()] = *reinterpret_cast<volatile int *>(told);
    gpu::sync_warp(gpu::full_warp);
}

/* A struct with padding, of which each member is written, and which is copied whole. */
struct padded {
    char small;
    double large;
    int last;
};
GPU_KERNEL void copies_padded(padded *in, padded *out, double *sum, int all) {
    unsigned me = gpu::thread();
    in[me].small = 1;
    if (all) in[me].large = 2;
    in[me].last = 3;
    out[me] = in[me];
    memcpy(in + gpu::block_size() + me, in + me, sizeof *in);
    sum[me] = out[me].small + in[gpu::block_size() + me].large + out[me].last;
}

/* The first to write a word, by an exchange of which nobody, or somebody, takes what it found. */
template <bool takes>
GPU_KERNEL void exchanges_first(int *flag, int *out) {
    GPU_SHARED(unsigned, box, 1);
    int found = 0;
    if (takes) {
        found = gpu::atomic_exchange(flag, 1);
    } else {
        gpu::atomic_exchange(flag, 1);
    }
    gpu::atomic_exchange(&box[0], 2u);
    gpu::sync();
    unsigned second = box[0];
    out[gpu::thread()] = found + static_cast<int>(second);
}

GPU_KERNEL void writes_first(const int *in, int *out, int what) {
    unsigned me = gpu::thread();
    if (what) const_cast<int *>(in)[me] = 1;
    out[me] = in[me];
}

/* As bytes: what the hooks of the compiler do not see. */
GPU_KERNEL void copies_bytes(const int *in, int *out) {
    memcpy(out + gpu::thread(), in + gpu::thread(), sizeof(int));
}
GPU_KERNEL void moves_bytes(int *out, int to, int from) {
    if (gpu::thread() == 0) memmove(out + to, out + from, 4 * sizeof(int));
}
GPU_KERNEL void sets_bytes(int *out, int all) {
    int local[4];
    memset(local, 0, sizeof local);
    memset(out + (all ? 0 : gpu::thread()), local[1], sizeof(int));
}

/* Pointers in structs. */
struct in_and_out {
    const int *in;
    int *out;
};
struct nested {
    int64_t count;
    in_and_out arrays;
};
GPU_KERNEL void writes_member(nested n, int what) {
    unsigned me = gpu::thread();
    if (what) const_cast<int *>(n.arrays.in)[me] = 1;
    n.arrays.out[me] = n.arrays.in[me];
}

/* The same in one of 20 members, behind a const argument. */
struct many_members {
    int64_t a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r;
    in_and_out arrays;
    int last;
};
GPU_KERNEL void writes_one_of_many(many_members m, int what) {
    unsigned me = gpu::thread();
    if (what) const_cast<int *>(m.arrays.in)[me] = 1;
    m.arrays.out[me] = m.arrays.in[me];
}

/* An array that is an argument, too, and const there; it is written through a struct with an array
 * of pointers, or a table of them in memory. */
struct with_array {
    int *out[2];
};
GPU_KERNEL void writes_through_array(const int *in, with_array w) {
    unsigned me = gpu::thread();
    w.out[1][me] = in[me] + 1;
}
GPU_KERNEL void writes_through_table(const int *in, int *const *table) {
    unsigned me = gpu::thread();
    table[1][me] = in[me] + 1;
}

/* Of the second number, which nobody may have written, only a branch is made. */
GPU_KERNEL void branches_on_pack(const gpu::pack<int, 2> *in, int *out) {
    gpu::pack<int, 2> two = gpu::load_once(in + gpu::thread());
    out[gpu::thread()] = two.at[1] < 5 ? two.at[0] : -1;
}

/* Numbers at addresses that are no multiple of their size. */
GPU_KERNEL void loads_packs(const gpu::pack<float, 4> *in, float *out) {
    out[gpu::thread()] = gpu::load(in + gpu::thread()).at[3];
}
GPU_KERNEL void writes_doubles(double *out) {
    out[gpu::thread()] = 1;
}
GPU_KERNEL void adds_to_double(double *out) {
    gpu::atomic_add(out, 1.0);
}
GPU_KERNEL void copies_four(const float *in, float *out) {
    GPU_SHARED(double, room, 64);
    gpu::shared<float> box(room);
    int me = static_cast<int>(gpu::thread());
    gpu::copy_async<16>(box + 4 * me, in + 4 * me);
    gpu::copy_commit();
    gpu::copy_wait<0>();
    out[me] = box[4 * me];
}
GPU_KERNEL void doubles_behind(double *out, int ints) {
    GPU_DYNAMIC_SHARED(int, all);
    gpu::shared<double> numbers(gpu::part_of(all, ints, 64));
    int me = static_cast<int>(gpu::thread());
    numbers[me] = 1;
    out[me] = numbers[me];
}

/* Through `*`, which does not know its line. */
template <bool together>
GPU_KERNEL void through_pointers(int *out) {
    GPU_SHARED(int, box, 32);
    gpu::shared<int> mine = box + gpu::lane(), other = box + (gpu::lane() ^ 1);
    *mine = 1;
    if (together) gpu::sync_warp(gpu::full_warp);
    out[gpu::lane()] = *other;
}

GPU_KERNEL void cut_by_hand(int *out, int parts) {
    GPU_DYNAMIC_SHARED(int, all);
    gpu::shared<double> numbers(all + 32);
    if (parts) numbers = gpu::part_of(numbers, 0, 16);
    numbers[gpu::thread() / 2] = 1;
    out[gpu::thread()] = 0;
}

/* Waits for a flag and counts its turns; nobody raises the flag. */
GPU_KERNEL void counts_and_waits(int *flag, int *turns) {
    while (gpu::load_relaxed(flag) == 0) gpu::atomic_add(turns, 1);
}

/* The same, and lets others run: all threads, or all warps together; how they count. The last
 * thread raises the flag, if it is asked to. */
enum count_by { BY_UPDATES, BY_STORES, BY_VOTES };
template <count_by how>
GPU_KERNEL void counts_and_spins(int *flag, const int *step, int *turns, int raise) {
    unsigned me = gpu::block() * gpu::block_size() + gpu::thread();
    if (raise && me == gpu::grid_size() * gpu::block_size() - 1) gpu::store_relaxed(flag, 1);
    for (int turn = 1;; turn++) {
        int seen = gpu::load_relaxed(flag);
        if (how == BY_VOTES ? gpu::any(gpu::full_warp, seen != 0) : seen != 0) return;
        if (how == BY_STORES) {
            gpu::store_relaxed(turns + me, turn);
        } else {
            gpu::atomic_add(turns, *step);
        }
        gpu::spin();
    }
}

}  // namespace broken

#endif
