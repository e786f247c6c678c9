/* SPDX-License-Identifier: Apache-2.0 */
/* C := alpha A B at the places of a mask. A mask's row is cut into stretches of some entries, and a
 * warp takes each: its columns stand in a hash table in shared memory, beside their sums, and the
 * warp walks through the rows of B that A's row meets, between the first and the last column of the
 * stretch, and adds the terms whose columns are in the table. Entries of A come one after the
 * other, so that each sum adds in the order of A's row. Sums go to scratch as large as the mask,
 * with a mark where multiplications met; a scan of the marks tells the place of each entry of C.
 * (Milakovic et al., Parallel algorithms for masked sparse matrix-matrix products, 2022, have the
 * table for a whole row, on a CPU.) */
#include "gpu/primitives.h"
#include "spgemm/gpu/probing.cuh"
#include "spgemm/gpu/row_groups.cuh"
#include "spgemm/gpu/warp_walk.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* Largest number of entries of a stretch, and the slots of its table, of which half stay free. */
constexpr int stretch_most = 128, stretch_slots = 2 * stretch_most, least_slots = 32;
constexpr int masked_warps = 4, masked_threads = masked_warps * warp_lanes;
constexpr int block_slots = masked_warps * stretch_slots;

template <class V, class O, class C>
struct masked_factors {
    factors<V, O, C> f;
    int64_t b_cols;
    const O *mask_offsets; /* offsets of A's rows; the first is any number */
    const C *mask_cols;
    int64_t low; /* column of the mask that is column 0 of B */

    GPU_FUNCTION int64_t column_of(int64_t entry) const {
        return static_cast<int64_t>(load(mask_cols + entry)) - low;
    }
    /* Returns the number of a mask's entry among those of the rows. */
    GPU_FUNCTION int64_t number_of(int64_t entry) const { return entry - load(mask_offsets); }
};

/* Sums of the mask's entries. before: first a mark for each entry, 1 where a multiplication met
 * it; after a scan the number of marked entries before each entry. */
template <class V, class O>
struct mask_sums {
    V *sums;
    O *before;
};

/* stretches[i] := the number of stretches of row i, one warp per row. Adds the number of
 * multiplications of all rows that have stretches to *multiplications. */
template <class V, class O, class C>
GPU_KERNEL void count_stretches(masked_factors<V, O, C> t, int64_t *stretches,
                                int64_t *multiplications) {
    GPU_SHARED(int64_t, room, loop_warps);
    int64_t all = 0;
    for (int64_t i = loop_first() / warp_lanes; i < t.f.rows; i += loop_stride() / warp_lanes) {
        const int64_t entries = load(t.mask_offsets + i + 1) - load(t.mask_offsets + i);
        const O end = load(t.f.a_offsets + i + 1);
        int64_t sum = 0;
        for (O e = load(t.f.a_offsets + i) + static_cast<O>(lane()); entries > 0 && e < end;
             e += warp_lanes) {
            sum += row_length(t.f, e);
        }
        sum = among_lanes<total, warp_lanes>(sum);
        if (lane() != 0) continue;
        stretches[i] = sum > 0 ? (entries + stretch_most - 1) / stretch_most : 0;
        all += sum;
    }
    add_total(all, room, multiplications);
}

/* rows_of[s] := the row of stretch s. */
template <class C>
GPU_KERNEL void list_stretches(int64_t rows, const int64_t *first, C *rows_of) {
    for (int64_t i = loop_first(); i < rows; i += loop_stride()) {
        for (int64_t s = load(first + i); s < load(first + i + 1); s++) {
            rows_of[s] = static_cast<C>(i);
        }
    }
}

/* A stretch's table in shared memory: columns, with a sum each, and whether multiplications met
 * there. */
template <class V, class C>
struct stretch_table {
    shared<C> keys;
    shared<V> sums;
    shared<int> met;
    unsigned last_slot; /* number of slots less one; slots are a power of two */

    GPU_FUNCTION stretch_table(shared<V> all, int count) {
        const int own = static_cast<int>(thread() / warp_lanes) * stretch_slots;
        shared<C> columns = shared<C>(all + block_slots);
        shared<int> flags = shared<int>(columns + block_slots);
        sums = part_of(all, own, stretch_slots);
        keys = part_of(columns, own, stretch_slots);
        met = part_of(flags, own, stretch_slots);
        unsigned slots = least_slots;
        while (slots < 2 * static_cast<unsigned>(count)) slots *= 2;
        last_slot = slots - 1;
    }
    GPU_FUNCTION void clear() const {
        for (unsigned s = lane(); s <= last_slot; s += warp_lanes) {
            keys[s] = C(-1);
            sums[s] = 0;
            met[s] = 0;
        }
        sync_warp(full_warp);
    }
    GPU_FUNCTION static unsigned first_slot(C column) {
        return static_cast<unsigned>(column) * 0x9e3779b1u >> 16; /* hash by Knuth's golden ratio */
    }
    GPU_FUNCTION void put(C column) const {
        bool fresh = false;
        put_column<false>(keys, first_slot(column), last_slot, column, &fresh);
    }
    GPU_FUNCTION bool find(C column, unsigned *slot) const {
        *slot = first_slot(column);
        return seek_column(keys, slot, last_slot, column);
    }
    /* Adds the terms of all lanes whose columns are there, parts of the warp in turn. */
    GPU_FUNCTION void add(const lane_multiplication<V, C> &p) const {
        unsigned slot = 0;
        const bool there = p.there && find(p.column, &slot);
        for (int part = 0; part < p.parts; part++) {
            if (there && p.part == part) {
                sums[slot] += p.term;
                met[slot] = 1;
            }
            sync_warp(full_warp);
        }
    }
};

template <class V, class C>
constexpr size_t table_bytes = block_slots *(sizeof(V) + sizeof(C) + sizeof(int));

/* Narrows rows of B that are longer than a step of the warp to the columns of a stretch. */
template <class V, class O, class C>
struct column_window {
    const C *b_cols;
    int64_t first, last;
    GPU_FUNCTION void operator()(O &start, O &stop) const {
        if (stop - start <= warp_lanes) return;
        O begin = start, end = stop;
        TULLE__LOWER_BOUND(begin, end, q, load(b_cols + q) < first);
        start = begin;
        TULLE__LOWER_BOUND(begin, end, q, load(b_cols + q) <= last);
        stop = begin;
    }
};

/* Computes the sums and marks of each stretch, one warp per stretch. */
template <class V, class O, class C>
GPU_KERNEL void sum_stretches(masked_factors<V, O, C> t, int64_t stretches, const int64_t *first,
                              const C *rows_of, mask_sums<V, O> to) {
    GPU_DYNAMIC_SHARED(V, room);
    const int64_t s = static_cast<int64_t>(block()) * masked_warps + thread() / warp_lanes;
    if (s >= stretches) return;
    const int64_t row = load(rows_of + s), row_end = load(t.mask_offsets + row + 1);
    const int64_t begin =
        load(t.mask_offsets + row) + (s - load(first + row)) * int64_t{stretch_most};
    const int64_t end = row_end - begin < stretch_most ? row_end : begin + stretch_most;
    const stretch_table<V, C> table(room, static_cast<int>(end - begin));
    table.clear();
    for (int64_t e = begin + lane(); e < end; e += warp_lanes) {
        const int64_t column = t.column_of(e);
        if (column >= 0 && column < t.b_cols) table.put(static_cast<C>(column));
    }
    sync_warp(full_warp);
    const column_window<V, O, C> window = {t.f.b_cols, t.column_of(begin), t.column_of(end - 1)};
    warp_walk_within(t.f, row, window, [&](const lane_multiplication<V, C> &p) { table.add(p); });
    for (int64_t e = begin + lane(); e < end; e += warp_lanes) {
        const int64_t column = t.column_of(e), number = t.number_of(e);
        unsigned slot = 0;
        const bool inside = column >= 0 && column < t.b_cols;
        if (!inside || !table.find(static_cast<C>(column), &slot)) continue;
        const V sum = table.sums[slot];
        const int met = table.met[slot];
        to.sums[number] = sum;
        to.before[number] = static_cast<O>(met);
    }
}

/* Moves the marked sums, times alpha, into C. */
template <class V, class O, class C>
GPU_KERNEL void move_marked(masked_factors<V, O, C> t, int64_t count, mask_sums<V, O> from,
                            target<V, C> c) {
    const V alpha = c.alpha.value();
    const int64_t begin = load(t.mask_offsets);
    for (int64_t k = loop_first(); k < count; k += loop_stride()) {
        const O to = load(from.before + k);
        if (load(from.before + k + 1) == to) continue;
        c.cols[to] = static_cast<C>(t.column_of(begin + k));
        c.values[to] = alpha * load(from.sums + k);
    }
}

/* Stores the offsets of C, of so many bytes each. */
template <class V, class O, class C>
GPU_KERNEL void offsets_of_marked(masked_factors<V, O, C> t, const O *before, int64_t size,
                                  void *to) {
    for (int64_t i = loop_first(); i <= t.f.rows; i += loop_stride()) {
        tulle__put(to, size, i, load(before + t.number_of(load(t.mask_offsets + i))));
    }
}

/* The making of one product with a mask, and its scratch. */
template <class V, class O, class C>
struct masked_product {
    tulle__spgemm_task *task;
    const tulle__place *place;
    scratch memory;
    masked_factors<V, O, C> t;
    mask_sums<V, O> at = {};
    int64_t *first = nullptr; /* first stretch of each row, and behind them the multiplications */
    C *rows_of = nullptr;
    int64_t stretches = 0;

    explicit masked_product(tulle__spgemm_task *given)
        : task(given),
          place(given->place),
          memory(given->place),
          t{make_factors<V, O, C>(given), given->b.cols,
            static_cast<const O *>(given->mask.offsets),
            static_cast<const C *>(given->mask.cols_of), given->mask_low} {}

    /* Bytes that the call may hold at most: its scratch, the scratch of a scan, and C. */
    int64_t bound() const {
        constexpr double scan_bytes = 1 << 16, scan_bytes_a_number = 1.0 / 16;
        const double rows = static_cast<double>(t.f.rows),
                     nnz = static_cast<double>(task->mask.nnz);
        const double all =
            (rows + 2) * sizeof(int64_t) + static_cast<double>(stretches) * sizeof(C) +
            nnz * sizeof(V) + (nnz + 1) * sizeof(O) + scan_bytes +
            (rows + nnz) * scan_bytes_a_number + (rows + 1) * sizeof(int64_t) +
            tulle__spgemm_most_of(task, task->multiplications) * (sizeof(C) + sizeof(V));
        return all < 9e18 ? static_cast<int64_t>(all) : INT64_MAX;
    }

    tulle_status analyse() {
        const int64_t rows = t.f.rows;
        int64_t found[2] = {0, 0};
        GPU_TRY(memory.get(rows + 2, &first));
        GPU_TRY(GPU_SYMBOL(set_bytes)(place, first + rows, 0, sizeof found));
        GPU_TRY(launch(place, count_stretches<V, O, C>,
                       loop_grid(rows * warp_lanes, loop_blocks_once), t, first, first + rows + 1));
        GPU_TRY(exclusive_scan(place, first, first, rows + 1));
        GPU_TRY(to_host(place, found, first + rows, sizeof found));
        stretches = found[0];
        task->multiplications = found[1];
        task->bound_bytes = bound();
        return TULLE_OK;
    }

    tulle_status count(int64_t *nnz) {
        const int64_t entries = task->mask.nnz;
        O last = 0;
        GPU_TRY(memory.get(stretches, &rows_of));
        GPU_TRY(memory.get(entries, &at.sums));
        GPU_TRY(memory.get(entries + 1, &at.before));
        GPU_TRY(GPU_SYMBOL(set_bytes)(place, at.before, 0,
                                      static_cast<size_t>(entries + 1) * sizeof(O)));
        GPU_TRY(launch(place, list_stretches<C>, loop_grid(t.f.rows), t.f.rows, first, rows_of));
        GPU_TRY(launch(
            place, sum_stretches<V, O, C>,
            grid{(stretches + masked_warps - 1) / masked_warps, masked_threads, table_bytes<V, C>},
            t, stretches, first, rows_of, at));
        GPU_TRY(exclusive_scan(place, at.before, at.before, entries + 1));
        GPU_TRY(to_host(place, &last, at.before + entries, sizeof last));
        *nnz = last;
        return TULLE_OK;
    }

    tulle_status finish() const {
        const target<V, C> c = {nullptr, static_cast<C *>(task->c.cols_of),
                                static_cast<V *>(task->c.values), make_scalar<V>(task->alpha),
                                false};
        GPU_TRY(launch(place, offsets_of_marked<V, O, C>, loop_grid(t.f.rows + 1), t, at.before,
                       tulle_offset_size(task->c.index), task->c.offsets));
        return launch(place, move_marked<V, O, C>, loop_grid(task->mask.nnz), t, task->mask.nnz, at,
                      c);
    }
};

template <class V, class O, class C>
tulle_status run_masked(tulle__spgemm_task *task) {
    masked_product<V, O, C> p(task);
    int64_t nnz = 0;
    GPU_TRY(p.analyse());
    GPU_TRY(task->ends(task, TULLE__SPGEMM_ANALYSIS));
    GPU_TRY(p.count(&nnz));
    GPU_TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    GPU_TRY(task->make_c(task, nnz));
    GPU_TRY(p.finish());
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__masked_kernel GPU_SYMBOL(masked_rows);
const tulle__masked_kernel GPU_SYMBOL(masked_rows) = {
    .head = {.name = "masked_rows",
             .summary = "stretches of the mask's rows in tables of a warp, which walks through B",
             .source = "this library; tables of the mask's columns: Milakovic et al. 2022",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__REFERENCE | TULLE__DEFAULT},
    .run = GPU_RUN_ALL(gpu::run_masked),
};
