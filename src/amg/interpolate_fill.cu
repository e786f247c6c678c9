/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of interpolation of the classical family, on a GPU, by the kind of their table (tables.cuh):
 * threads go over all rows, and make those of few products; lanes, warps and blocks make the rows
 * that are listed for them; some blocks with tables in memory of the device make the longest. */
#include "amg/functions.h"
#include "amg/interpolate_flat.cuh"
#include "amg/interpolate_hashed.cuh"
#include "amg/interpolate_thread.cuh"
#include "amg/tables.cuh"
#include "gpu/fetch.cuh"
#include "gpu/reduce.cuh"
#include "spgemm/gpu/row_groups.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Largest number of blocks that have tables in memory of the device at a time. */
constexpr int64_t far_blocks = 256;

/* Place of the bits of the largest table, behind the numbers of rows of each kind. */
constexpr int tally_bits = table_kinds, tally_numbers = tally_bits + 1;

struct kind_of_row {
    const uint8_t *bits;
    GPU_FUNCTION int operator()(int64_t i) const { return table_kind(bits[i]); }
};

/* Counts the rows of each kind but the first, and finds the largest table. */
GPU_KERNEL void tally_tables(int64_t rows, const uint8_t *bits, int64_t *tally) {
    int64_t count[table_kinds] = {}, largest = 0;
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) {
        const int64_t own = bits[i];
        const int kind = table_kind(static_cast<int>(own));
        GPU_UNROLL
        for (int k = 1; k < table_kinds; k++) count[k] += kind == k;
        largest = own > largest ? own : largest;
    }
    GPU_UNROLL
    for (int k = 1; k < table_kinds; k++) {
        const int64_t all = warp_reduce<total>(count[k]);
        if (lane() == 0 && all > 0) atomic_add(tally + k, all);
    }
    largest = warp_reduce<most>(largest);
    if (lane() == 0) atomic_max(tally + tally_bits, largest);
}

/* The room of a team in the arrays of its block. */
template <class T, class C>
GPU_FUNCTION row_room<C> room_of_team(shared<double> numbers, shared<int64_t> places,
                                      shared<double> kept, shared<C> columns,
                                      shared<int64_t> slots) {
    const int first = T::number() * T::size, kept_first = T::number() * TULLE__AMG_MOST_KEPT;
    return {numbers + first,
            numbers + (team_threads + first),
            numbers + (2 * team_threads + first),
            places + first,
            places + (team_threads + first),
            kept + kept_first,
            columns + kept_first,
            slots + kept_first};
}

#define ROOM_OF_TEAM(T, C)                                                                         \
    GPU_SHARED(double, numbers, 3 * team_threads);                                                 \
    GPU_SHARED(int64_t, places, 2 * team_threads);                                                 \
    GPU_SHARED(double, kept, T::teams *TULLE__AMG_MOST_KEPT);                                      \
    GPU_SHARED(C, columns, T::teams *TULLE__AMG_MOST_KEPT);                                        \
    GPU_SHARED(int64_t, kept_slots, T::teams *TULLE__AMG_MOST_KEPT);                               \
    const row_room<C> room = room_of_team<T, C>(numbers, places, kept, columns, kept_slots)

/* Makes the offset of every row, behind the last one too, the rows that are not fine, and those
 * fine rows whose table the smallest room of a thread holds. */
template <class V, class O, class C>
GPU_KERNEL void fill_rows(tulle__amg_split s, tulle__amg_interpolation m) {
    constexpr int threads = team_threads;
    GPU_SHARED(double, sums, threads << thread_bits);
    GPU_SHARED(C, columns, threads << thread_bits);
    const thread_table<C> table = {sums + thread(), columns + thread(), threads, 0};
    O *offsets = static_cast<O *>(m.P.offsets);
    m.split = &s;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        const int64_t at = m.P.before[i];
        offsets[i] = static_cast<O>(at);
        if (s.kind[i] == TULLE__AMG_COARSE) {
            static_cast<C *>(m.P.cols_of)[at] = static_cast<C>(s.number[i]);
            static_cast<V *>(m.P.values)[at] = 1;
        }
        if (s.kind[i] != TULLE__AMG_FINE || table_kind(m.bits[i]) != table_of_thread) continue;
        make_row_alone<V, O, C>(&m, i, table);
    }
    if (loop_first() == 0) offsets[s.csr.rows] = static_cast<O>(m.P.before[s.csr.rows]);
}

/* Makes the rows of a list, which have 2^bits products at most. */
template <class T, int bits, class V, class O, class C>
GPU_KERNEL void fill_flat(tulle__amg_split s, tulle__amg_interpolation m, row_list<C> list) {
    GPU_SHARED(double, products, T::teams *flat_step<bits>);
    GPU_SHARED(double, sums, T::teams *flat_step<bits>);
    GPU_SHARED(C, keys, T::teams * flat_step<bits>);
    ROOM_OF_TEAM(T, C);
    m.split = &s;
    const int table = T::number() * flat_step<bits>;
    for (int64_t r = T::first(); r < list.count; r += T::stride()) {
        flat_row<T, bits, V, O, C>(&m, list.at(r), keys + table, sums + table, products + table,
                                   room)
            .make();
    }
}

/* Makes the rows of a list, with tables of 2^bits slots in shared memory. */
template <class T, int bits, class V, class O, class C>
GPU_KERNEL void fill_listed(tulle__amg_split s, tulle__amg_interpolation m, row_list<C> list) {
    GPU_SHARED(double, sums, T::teams << bits);
    GPU_SHARED(C, keys, T::teams << bits);
    ROOM_OF_TEAM(T, C);
    m.split = &s;
    for (int64_t r = T::first(); r < list.count; r += T::stride()) {
        const int table = T::number() << bits;
        hashed_row<T, V, O, C, shared<C>, shared<double>>(&m, list.at(r), keys + table,
                                                          sums + table, room)
            .make();
    }
}

/* Makes the rows of a list, with a table of `slots` slots for each block. */
template <class V, class O, class C>
GPU_KERNEL void fill_far(tulle__amg_split s, tulle__amg_interpolation m, row_list<C> list,
                         int64_t slots, double *sums, C *keys) {
    using T = block_team;
    ROOM_OF_TEAM(T, C);
    m.split = &s;
    for (int64_t r = T::first(); r < list.count; r += T::stride()) {
        hashed_row<T, V, O, C, C *, double *>(&m, list.at(r), keys + block() * slots,
                                              sums + block() * slots, room)
            .make();
    }
}

/* Memory for tables that is modest whatever the matrix, in bytes. */
constexpr int64_t modest_bytes = int64_t{64} << 20;

/* Allocates the tables of as many blocks as have room in a quarter of the matrix's memory, or in a
 * modest one; of one block at least. Memory under a cap may hold fewer. */
template <class V, class C>
tulle_status take_tables(scratch *memory, const tulle__pattern_view *csr, int64_t slots,
                         int64_t *blocks, double **sums, C **keys) {
    constexpr int64_t slot = sizeof(double) + sizeof(C), entry = sizeof(V) + sizeof(C);
    const int64_t quarter = csr->nnz / 4 * entry;
    const int64_t room = quarter > modest_bytes ? quarter : modest_bytes;
    while (*blocks > 1 && *blocks > room / (slots * slot)) *blocks /= 2;
    for (;; *blocks /= 2) {
        char *all = nullptr;
        const tulle_status status = memory->get(*blocks * slots * slot, &all);
        *sums = reinterpret_cast<double *>(all);
        *keys = reinterpret_cast<C *>(*sums + *blocks * slots);
        if (status != TULLE_OUT_OF_MEMORY || *blocks == 1) return status;
    }
}

template <class V, class O, class C>
tulle_status fill_longest(const tulle__place *place, const tulle__amg_interpolation *m,
                          const row_list<C> &list, int64_t bits) {
    const tulle__amg_split *s = m->split;
    const int64_t slots = int64_t{1} << bits;
    scratch memory(place);
    double *sums = nullptr;
    C *keys = nullptr;
    int64_t blocks = list.count < far_blocks ? list.count : far_blocks;
    GPU_TRY((take_tables<V, C>(&memory, &s->csr, slots, &blocks, &sums, &keys)));
    return launch(place, fill_far<V, O, C>, {blocks, team_threads}, *s, *m, list, slots, sums,
                  keys);
}

/* Makes the rows of a list of a kind. */
template <class V, class O, class C>
tulle_status fill_kind(const tulle__place *place, const tulle__amg_interpolation *m, int kind,
                       const row_list<C> &list, int64_t largest_bits) {
    const tulle__amg_split *s = m->split;
    if (kind == table_of_lanes) {
        const auto run = fill_flat<lanes_team, lanes_bits, V, O, C>;
        return launch(place, run, team_grid<lanes_team>(list.count), *s, *m, list);
    }
    if (kind == table_of_flat_warp) {
        const auto run = fill_flat<warp_team, flat_bits, V, O, C>;
        return launch(place, run, team_grid<warp_team>(list.count), *s, *m, list);
    }
    if (kind == table_of_warp) {
        const auto run = fill_listed<warp_team, warp_bits, V, O, C>;
        return launch(place, run, team_grid<warp_team>(list.count), *s, *m, list);
    }
    if (kind == table_of_block) {
        const auto run = fill_listed<block_team, block_bits, V, O, C>;
        return launch(place, run, team_grid<block_team>(list.count), *s, *m, list);
    }
    return fill_longest<V, O, C>(place, m, list, largest_bits);
}

/* Makes the rows that fill_rows leaves out. rows_of: the tally, which is also at `tally` in memory
 * of the device; `taken` has zeros. */
template <class V, class O, class C>
tulle_status fill_others(const tulle__place *place, const tulle__amg_interpolation *m,
                         const int64_t *rows_of, const int64_t *tally, int64_t *taken) {
    const int64_t rows = m->split->csr.rows;
    int64_t all = 0, before = 0;
    scratch memory(place);
    C *list = nullptr;
    for (int kind = 1; kind < table_kinds; kind++) all += rows_of[kind];
    if (all == 0) return TULLE_OK;
    GPU_TRY(memory.get(all, &list));
    GPU_TRY(launch(place, list_rows<table_kinds, C, kind_of_row>, loop_grid(rows), rows,
                   kind_of_row{m->bits}, tally, taken, list));
    for (int kind = 1; kind < table_kinds; kind++) {
        const row_list<C> its = {list + before, rows_of[kind]};
        if (its.count > 0) {
            GPU_TRY((fill_kind<V, O, C>(place, m, kind, its, rows_of[tally_bits])));
        }
        before += its.count;
    }
    return TULLE_OK;
}

template <class V, class O, class C>
tulle_status fill_all(const tulle__place *place, const tulle__amg_interpolation *m) {
    const tulle__amg_split *s = m->split;
    const int64_t rows = s->csr.rows;
    int64_t rows_of[tally_numbers], *tally = nullptr;
    scratch memory(place);
    GPU_TRY(memory.get(tally_numbers + table_kinds, &tally));
    GPU_TRY(TULLE__HERE(set_bytes)(place, tally, 0, (tally_numbers + table_kinds) * sizeof *tally));
    GPU_TRY(launch(place, tally_tables, loop_grid(rows), rows, m->bits, tally));
    GPU_TRY(to_host(place, rows_of, tally, sizeof rows_of));
    GPU_TRY(launch(place, fill_rows<V, O, C>, team_grid<thread_team>(rows), *s, *m));
    return fill_others<V, O, C>(place, m, rows_of, tally, tally + tally_numbers);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_fill_rows)(const tulle__place *place,
                                       const tulle__amg_interpolation *m) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_interpolation *) = GPU_RUN_ALL(gpu::fill_all);
    return run[tulle__values_of(m->split->type)][m->split->csr.index](place, m);
}
