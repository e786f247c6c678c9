/* SPDX-License-Identifier: Apache-2.0 */
/* Paper 4's algorithm: rows by their multiplications are counted in tables, then, by their entries,
 * computed in tables with sums, to which all threads add atomically. Or in one phase: rows are
 * computed, by their multiplications, where there is room for as many entries, and then moved. */
#include "gpu/primitives.h"
#include "spgemm/published/gpu/block_tables.cuh"
#include "spgemm/published/gpu/partial_warps.cuh"
#include "spgemm/published/gpu/row_limits.cuh"
#include "spgemm/published/gpu/row_moves.cuh"
#include "spgemm/published/gpu/row_multiplications.cuh"
#include "spgemm/published/gpu/rows_job.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { P100, PHASES, GROUPED };
const int p100_values[] = {0, 1};
const int phases_values[] = {1, 2};
const int grouped_values[] = {0, 1};
const tulle__param params[] = {
    {"p100", "1: the limits of the paper's P100; 0: as large as this device's shared memory", 2,
     p100_values},
    {"phases", "2: counts, then computes; 1: computes into an upper bound", 2, phases_values},
    {"grouped", "1: rows in groups by size; 0: a block and the largest table for every row", 2,
     grouped_values}};

void defaults(const tulle__spgemm_task *, int *values) {
    values[P100] = 0;
    values[PHASES] = 2;
    values[GROUPED] = 1;
}

/* Indices of the groups of rows. 1: rows that a part of a warp takes (limit: twice as many partial
 * multiplications as entries). From 2 on: rows that a thread block takes, each limit twice the one
 * before; the tables of the last group are in global memory. */
enum { group_partial = 1, group_first_block = 2 };
constexpr int64_t first_block_entries = 256, p100_entries = 4096;

/* Limits of rows without groups: rows that fit have the largest table of a block, and none has a
 * partial warp. */
row_limits limits_of_all(int64_t most) {
    return {4, {0, 0, most, INT64_MAX}};
}

row_limits limits_up_to(int64_t most, int64_t multiplications_an_entry) {
    row_limits limits = {group_first_block, {0, partial_entries * multiplications_an_entry}};
    for (int64_t m = first_block_entries * multiplications_an_entry; m <= most; m *= 2) {
        limits.limit[limits.groups++] = m;
    }
    limits.limit[limits.groups++] = INT64_MAX;
    return limits;
}

/* Returns the largest power of two of slots that fit, beside a block's other shared memory. */
int64_t most_slots(int64_t shared_bytes, int64_t slot_bytes) {
    constexpr int64_t beside = 1024;
    int64_t slots = 1;
    while (2 * slots * slot_bytes + beside <= shared_bytes) slots *= 2;
    return slots;
}

/* Returns the number of threads of a thread block whose table has so many slots, as the paper
 * chooses it. */
int threads_for(int64_t slots, int64_t slots_a_thread) {
    int64_t threads = slots / slots_a_thread;
    return static_cast<int>(threads < 1024 ? threads : 1024);
}

template <class V, class O, class C>
struct hash_product {
    tulle__spgemm_task *task;
    const tulle__place *place;
    scratch memory;
    factors<V, O, C> f;
    const bool one_phase;
    row_limits by_multiplications, by_entries;
    multiplication_totals totals = {};
    grouped_rows<C> groups = {};
    int64_t *numbers = nullptr; /* number of multiplications of each row; in one phase, index of the
                                   first place of the row in the room for entries */
    int64_t *counts = nullptr;  /* number of entries of each row, then the beginnings of rows */
    int64_t held = 0;           /* bytes of scratch so far */

    explicit hash_product(tulle__spgemm_task *t)
        : task(t),
          place(t->place),
          memory(t->place),
          f(make_factors<V, O, C>(t)),
          one_phase(t->params[PHASES] == 1) {
        constexpr int64_t column = sizeof(C), entry = sizeof(C) + sizeof(V);
        const int64_t shared_bytes = t->device->shared_per_block;
        int64_t entries = most_slots(shared_bytes, entry);
        if (t->params[P100] && entries > p100_entries) entries = p100_entries;
        int64_t multiplications = most_slots(shared_bytes, column);
        if (multiplications > 2 * entries) multiplications = 2 * entries;
        const bool grouped = t->params[GROUPED] != 0;
        by_multiplications =
            grouped ? limits_up_to(multiplications, 2) : limits_of_all(multiplications);
        by_entries = grouped ? limits_up_to(entries, 1) : limits_of_all(entries);
    }

    tulle_status zero(void *array, size_t bytes) const {
        return GPU_SYMBOL(set_bytes)(place, array, 0, bytes);
    }

    tulle_status analyse() {
        multiplication_totals *found = nullptr;
        char *all = nullptr;
        size_t bytes = 2 * part_bytes<int64_t>(f.rows + 1) + part_bytes<multiplication_totals>(1) +
                       part_bytes<int64_t>(groups.numbers) + part_bytes<C>(f.rows);
        held += static_cast<int64_t>(bytes);
        GPU_TRY(memory.get(static_cast<int64_t>(bytes), &all));
        parts cut(place, all);
        GPU_TRY(cut.take(f.rows + 1, &numbers));
        GPU_TRY(cut.take(f.rows + 1, &counts));
        GPU_TRY(cut.take(1, &found));
        GPU_TRY(cut.take(groups.numbers, &groups.totals));
        GPU_TRY(cut.take(f.rows, &groups.list));
        GPU_TRY(zero(found, sizeof *found));
        GPU_TRY(zero(numbers + f.rows, sizeof *numbers));
        GPU_TRY(zero(counts, static_cast<size_t>(f.rows + 1) * sizeof *counts));
        GPU_TRY(launch(place, count_row_multiplications<V, O, C>, loop_grid(f.rows * warp_lanes), f,
                       task->b.cols, one_phase, numbers, found));
        GPU_TRY(groups.make(place, f.rows, numbers, one_phase ? by_entries : by_multiplications));
        GPU_TRY(to_host(place, &totals, found, sizeof totals));
        task->multiplications = totals.multiplications;
        task->bound_bytes = bound();
        return TULLE_OK;
    }

    /* Number of rows that may need a table in global memory: those of more multiplications than a
     * block's sums hold. */
    int64_t longer_rows() const {
        const row_limits &limits = one_phase ? by_entries : by_multiplications;
        const int64_t most = by_entries.limit[by_entries.groups - 2];
        int64_t rows = 0;
        for (int g = group_partial; g < limits.groups; g++) {
            if (limits.limit[g] > most) rows += groups.rows[g];
        }
        return rows;
    }
    int64_t table_slots() const {
        int64_t most = totals.longest < task->b.cols ? totals.longest : task->b.cols;
        int64_t slots = 1;
        while (slots < most) slots *= 2;
        return slots;
    }
    /* Returns the number of tables in global memory: most_tables, which keep a GPU busy, or fewer,
     * where most_bytes hold no more or there are fewer rows. */
    int64_t table_count(int64_t rows, int64_t slot_bytes) const {
        constexpr int64_t most_tables = 512;
        const int64_t most_bytes = task->lean ? 1 << 20 : 1 << 28;
        int64_t count = most_bytes / slot_bytes / table_slots();
        if (count > most_tables) count = most_tables;
        if (count > rows) count = rows;
        return count > 1 || rows == 0 ? count : 1;
    }
    /* Returns the bytes that the call may hold at most: the arrays that stay, the largest tables, a
     * scan, and entries; in one phase C is there twice, in an upper bound of its size and as C
     * itself. */
    int64_t bound() const {
        constexpr int64_t column = sizeof(C), entry = sizeof(C) + sizeof(V);
        double all = static_cast<double>(held + scan_bytes(f.rows)) +
                     static_cast<double>(f.rows + 1) * sizeof(int64_t);
        all += static_cast<double>(totals.entries) * entry * (one_phase ? 2 : 1);
        if (one_phase) all += static_cast<double>(f.rows + 1) * sizeof(int64_t);
        /* Both tables count, although the first ones are gone when the others come: C may lie
         * where they were, in blocks that are larger than it asked for. */
        const int64_t rows = longer_rows();
        all += static_cast<double>(table_count(rows, column) * column +
                                   table_count(rows, entry) * entry) *
               static_cast<double>(table_slots());
        return all < 9e18 ? static_cast<int64_t>(all) : INT64_MAX;
    }

    /* Runs the groups beside each other, the last one, which takes scratch, in the place's own
     * stream. */
    template <class Run>
    tulle_status each_group(int count, Run run) const {
        side_by_side beside(place);
        int last = count - 1;
        while (last > 0 && groups.rows[last] == 0) last--;
        for (int group = group_partial; group < last; group++) {
            const tulle__place *on = place;
            if (groups.rows[group] == 0) continue;
            GPU_TRY(beside.next(&on));
            GPU_TRY(run(on, group));
        }
        if (last > 0) GPU_TRY(run(place, last));
        return beside.join();
    }

    static grid partial_grid(int64_t rows, bool values) {
        return {(rows + partial_rows - 1) / partial_rows, partial_threads,
                partial_bytes<V, C>(values)};
    }

    tulle_status count_group(const tulle__place *on, int group) const {
        const row_list<C> rows = groups.of(group);
        if (group == group_partial) {
            return launch(on, partial_count<V, O, C>, partial_grid(rows.count, false), f, rows,
                          counts);
        }
        if (group == by_multiplications.groups - 1) return count_globally(rows);
        const int64_t slots = by_multiplications.limit[group];
        return launch(
            on, block_count<V, O, C>,
            grid{rows.count, threads_for(slots, 8), static_cast<size_t>(slots) * sizeof(C)}, f,
            rows, static_cast<int>(slots), counts);
    }
    tulle_status count_globally(const row_list<C> &rows) const {
        scratch room(place);
        const int64_t tables = table_count(rows.count, sizeof(C)), slots = table_slots();
        global_tables<V, C> table = {nullptr, nullptr, slots};
        GPU_TRY(room.get(tables * slots, &table.keys));
        return launch(place, global_count<V, O, C>, grid{tables, 1024}, f, rows, table, numbers,
                      task->b.cols, counts);
    }

    /* Makes offsets of the entries, of which the last is *nnz. */
    tulle_status sum_up(int64_t *nnz) const {
        GPU_TRY(exclusive_scan(place, counts, counts, f.rows + 1));
        return to_host(place, nnz, counts + f.rows, sizeof *nnz);
    }

    tulle_status count(int64_t *nnz) {
        GPU_TRY(each_group(by_multiplications.groups, [&](const tulle__place *on, int group) {
            return count_group(on, group);
        }));
        GPU_TRY(groups.make(place, f.rows, counts, by_entries));
        return sum_up(nnz);
    }

    tulle_status compute_group(const tulle__place *on, int group,
                               const row_target<V, C> &to) const {
        const row_list<C> rows = groups.of(group);
        if (group == group_partial) {
            return launch(on, partial_compute<V, O, C>, partial_grid(rows.count, true), f, rows,
                          to);
        }
        if (group == by_entries.groups - 1) return compute_globally(rows, to);
        const int64_t slots = by_entries.limit[group];
        return launch(on, block_compute<V, O, C>,
                      grid{rows.count, threads_for(slots, 4),
                           static_cast<size_t>(slots) * (sizeof(C) + sizeof(V))},
                      f, rows, static_cast<int>(slots), to);
    }
    tulle_status compute_globally(const row_list<C> &rows, const row_target<V, C> &to) const {
        scratch room(place);
        const int64_t slots = table_slots();
        const int64_t tables = table_count(rows.count, sizeof(C) + sizeof(V));
        global_tables<V, C> table = {nullptr, nullptr, slots};
        GPU_TRY(room.get(tables * slots, &table.keys));
        GPU_TRY(room.get(tables * slots, &table.sums));
        return launch(place, global_compute<V, O, C>, grid{tables, 1024}, f, rows, table, to);
    }
    /* Tells the task the bytes of the tables for rows that are listed for computing. */
    void say_later() const {
        const int64_t rows = groups.of(by_entries.groups - 1).count;
        if (rows == 0) return;
        const auto slots =
            static_cast<size_t>(table_count(rows, sizeof(C) + sizeof(V)) * table_slots());
        task->later_bytes[0] = slots * sizeof(C);
        task->later_bytes[1] = slots * sizeof(V);
    }
    tulle_status compute(const row_target<V, C> &to) const {
        return each_group(by_entries.groups, [&](const tulle__place *on, int group) {
            return compute_group(on, group, to);
        });
    }
    /* Place of C's entries or, before there is C, of the room for them. */
    row_target<V, C> to(const int64_t *offsets, C *cols, V *values, int64_t *found) const {
        return {{offsets, cols, values, make_scalar<V>(task->alpha), task->unsorted}, found};
    }
    tulle_status compute_c() const { return compute(to(counts, c_cols(), c_values(), nullptr)); }
    C *c_cols() const { return static_cast<C *>(task->c.cols_of); }
    V *c_values() const { return static_cast<V *>(task->c.values); }
};

template <class V, class O, class C>
tulle_status in_two_phases(tulle__spgemm_task *task, hash_product<V, O, C> *p) {
    int64_t nnz = 0;
    GPU_TRY(p->count(&nnz));
    GPU_TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    p->say_later();
    GPU_TRY(task->make_c(task, nnz));
    return p->compute_c();
}

/* One phase: all work is called counting, and computing only moves rows. */
template <class V, class O, class C>
tulle_status in_one_phase(tulle__spgemm_task *task, hash_product<V, O, C> *p) {
    const tulle__place *place = task->place;
    const int64_t rows = p->f.rows;
    int64_t nnz = 0, *begins = nullptr;
    C *cols = nullptr;
    V *values = nullptr;
    scratch room(place);
    GPU_TRY(room.get(rows + 1, &begins));
    GPU_TRY(room.get(p->totals.entries, &cols));
    GPU_TRY(room.get(p->totals.entries, &values));
    GPU_TRY(exclusive_scan(place, p->numbers, begins, rows + 1));
    GPU_TRY(p->compute(p->to(begins, cols, values, p->counts)));
    GPU_TRY(p->sum_up(&nnz));
    GPU_TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    GPU_TRY(task->make_c(task, nnz));
    return launch(place, move_rows<V, C, room_of_row>, loop_grid(rows * warp_lanes),
                  row_list<C>{nullptr, rows}, room_of_row{begins}, cols, values, p->counts,
                  p->c_cols(), p->c_values());
}

template <class V, class O, class C>
tulle_status run(tulle__spgemm_task *task) {
    hash_product<V, O, C> p(task);
    GPU_TRY(p.analyse());
    GPU_TRY(task->ends(task, TULLE__SPGEMM_ANALYSIS));
    GPU_TRY(p.one_phase ? in_one_phase(task, &p) : in_two_phases(task, &p));
    GPU_TRY(put_offsets(task, p.counts));
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spgemm_kernel GPU_SYMBOL(spgemm_hash);
const tulle__spgemm_kernel GPU_SYMBOL(spgemm_hash) = {
    .head = {.name = "spgemm_hash",
             .summary =
                 "hash tables of four threads or a block, rows by products, then by entries; "
                 "atomic sums",
             .source = "paper 4, section III (Nagasaka, Nukada, Matsuoka, ICPP 2017)",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__HISTORICAL,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .run = GPU_RUN_ALL(gpu::run),
};
