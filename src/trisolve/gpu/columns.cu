/* SPDX-License-Identifier: Apache-2.0 */
/* Solves by columns, one warp per column. The warp waits until the column's unknown waits for
 * nothing any more; then it subtracts its multiples from the rows below by atomics, and counts down
 * the numbers of entries for which these rows wait. A row's sum is in the order in which columns
 * are done, so that bits may differ from run to run.
 *
 * The columns of op(T), in places, are made in the call, from its rows, by three passes over the
 * pattern. These count as time of this kernel; convert() makes them alone.
 *
 * Waiting. Warps take columns by a ticket, in the order of places, and a column waits only for
 * lower places. A fence orders a warp's additions before its counting down; a warp that waits
 * acquires the count.
 *
 * Memory, all in the workspace: the columns (two numbers for each place, two for each entry), the
 * count of each place, and a sum for each number of X. Sources: Afanasyev and others 2015, section
 * 3.5; Liu, Li, Hogg, Duff and Vinter 2016. */
#include "gpu/scan.cuh"
#include "trisolve/gpu/diagonal.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

/* The columns of op(T): the entries of column p are begins[p] to ends[p] - 1. Columns are in any
 * order, and so are a column's entries. */
template <class I>
struct columns {
    const I *begins, *ends, *rows, *slots;
};
template <class I>
struct columns_made {
    I *begins, *ends, *rows, *slots;
};

/* Counts the entries of each column in lengths, which must be 0 before. */
template <class I>
GPU_KERNEL void count_columns(int64_t entries, const I *places, I *lengths) {
    for (int64_t e = loop_first(); e < entries; e += loop_stride()) {
        atomic_add(lengths + load(places + e), I(1));
    }
}

/* Replaces the lengths in begins by begins, and copies them to ends. *used must be 0 before. */
template <class I>
GPU_KERNEL void begin_columns(int64_t count, I *begins, I *ends, I *used) {
    GPU_SHARED(I, room, loop_warps);
    GPU_SHARED(I, first, 1);
    for (int64_t p0 = static_cast<int64_t>(block()) * loop_threads; p0 < count;
         p0 += loop_stride()) {
        const int64_t p = p0 + thread();
        I all = 0;
        const I before = block_scan<I>(p < count ? begins[p] : I(0), room, &all);
        if (thread() == 0) first[0] = atomic_add(used, all);
        sync();
        if (p < count) ends[p] = begins[p] = first[0] + before;
        sync();
    }
}

/* Lists the entries of columns; ends must be the begins before. Sets waits[p] to the number of
 * entries for which p waits. */
template <class I>
GPU_KERNEL void fill_columns(int64_t count, int64_t entries, const I *offsets, const I *places,
                             const I *slots, columns_made<I> made, I *waits) {
    const warp_stretch stretch(entries);
    int64_t p = 0;
    for (int64_t e = stretch.begin + lane(); e < stretch.end; e += warp_lanes) {
        p = row_of_entry(offsets, count, e, p);
        const I at = atomic_add(made.ends + load(places + e), I(1));
        made.rows[at] = static_cast<I>(p);
        made.slots[at] = load(slots + e);
    }
    for (p = loop_first(); p < count; p += loop_stride()) {
        waits[p] = load(offsets + p + 1) - load(offsets + p);
    }
}

/* The data that change while columns are done. The sum of number r of place p, column c of X, is at
 * (p * b + r) * vectors + c. */
template <class V, class I>
struct progress {
    V *sums;
    I *waits;
    int64_t *ticket;
};

/* The lanes of a warp: a lane has one unknown of the block and one of `across` columns of X; there
 * are `groups` of such lanes, which all know the unknowns and take the entries in turn. */
struct column_shape {
    int across, groups;
};

template <class S, class V, class I, int most>
class lane_column {
  public:
    GPU_FUNCTION lane_column(const triangular<S, V, I> &a, column_shape shape)
        : b_(most == 1 ? 1 : a.size), alpha_(a.alpha.value()) {
        const int me = static_cast<int>(lane()), size = b_ * shape.across;
        group_ = me / size;
        column_ = me % shape.across;
        seated_ = group_ < shape.groups;
        lane_ = {b_, me / shape.across % b_, (seated_ ? group_ * size : 0) + column_, shape.across};
    }

    /* Loads the data of column p that do not depend on X. */
    GPU_FUNCTION void fetch(const triangular<S, V, I> &a, const columns<I> &made, int64_t p) {
        place_ = p;
        begin_ = load(made.begins + p);
        end_ = load(made.ends + p);
        const int64_t block_row = load(a.order + p);
        row_ = block_row * b_ + lane_.r;
        diagonal_ = {};
        diagonal_.fetch(a, lane_, block_row, load(a.diagonals + p), a.n - block_row * b_);
    }

    /* Solves for the columns of X from c on, and subtracts their multiples from the rows below. */
    GPU_FUNCTION void solve(const triangular<S, V, I> &a, const columns<I> &made,
                            column_shape shape, int64_t c, V *sums) const {
        const int64_t mine = c + column_;
        const bool works = seated_ && mine < a.vectors, real = works && row_ < a.n;
        V x = 0;
        if (real) {
            x = alpha_ * a.from[row_ * a.from_row + mine * a.from_col] -
                sums[(place_ * b_ + lane_.r) * a.vectors + mine];
        }
        sync_warp(full_warp); /* if X is B, one lane writes numbers that all of them have read */
        x = diagonal_.solve(a, lane_, x);
        if (!real) x = 0;
        if (real && group_ == 0) a.x[row_ * a.x_row + mine * a.x_col] = x;
        for (int64_t first = begin_; first < end_; first += shape.groups) {
            const int64_t e = first + group_;
            pass_on(a, made, e, works && e < end_, mine, x, sums);
        }
    }

    /* Counts down the rows below, once all additions of this warp to them are done. */
    GPU_FUNCTION void count_down(const columns<I> &made, I *waits) const {
        sync_warp(full_warp);
        fence();
        for (int64_t e = begin_ + lane(); e < end_; e += warp_lanes) {
            atomic_add(waits + load(made.rows + e), I(-1));
        }
    }

  private:
    int b_;
    V alpha_;
    int column_, group_;
    bool seated_;
    block_lane lane_;
    int64_t place_ = 0, row_ = 0, begin_ = 0, end_ = 0;
    diagonal_row<V, most> diagonal_ = {};

    GPU_FUNCTION void pass_on(const triangular<S, V, I> &a, const columns<I> &made, int64_t e,
                              bool works, int64_t mine, V x, V *sums) const {
        const int64_t slot = works ? load(made.slots + e) : 0;
        V sum = 0;
        bool some = false;
        for (int c = 0; c < b_; c++) {
            const V known = shuffle(full_warp, x, lane_.of(c));
            const int cell = a.cell(b_, lane_.r, c);
            if (!works || !a.is_entry(slot, cell)) continue;
            sum += a.value(slot, b_, cell) * known;
            some = true;
        }
        if (!some) return;
        atomic_add(sums + (load(made.rows + e) * b_ + lane_.r) * a.vectors + mine, sum);
    }
};

template <class S, class V, class I, int most>
GPU_KERNEL void solve_columns(triangular<S, V, I> a, columns<I> made, column_shape shape,
                              progress<V, I> now) {
    lane_column<S, V, I, most> column(a, shape);
    for (;;) {
        int64_t p = lane() == 0 ? atomic_add(now.ticket, 1) : 0;
        p = shuffle(full_warp, p, 0);
        if (p >= a.rows) return;
        column.fetch(a, made, p);
        while (lane() == 0 && load_acquire(now.waits + p) != 0) spin();
        sync_warp(full_warp);
        for (int64_t c = 0; c < a.vectors; c += shape.across) {
            column.solve(a, made, shape, c, now.sums);
        }
        column.count_down(made, now.waits);
    }
}

const int warps[] = {4, 8, 16, 32, 64};
const tulle__param params[] = {{"warps", "warps of a multiprocessor", 5, warps}};

void defaults(const tulle__trisolve_task *, int *values) {
    values[0] = 32;
}

column_shape shape_of(const tulle__trisolve_task *task) {
    const int most = warp_lanes / task->block;
    const int across = task->vectors < most ? static_cast<int>(task->vectors) : most;
    return {across, warp_lanes / (across * task->block)};
}

int64_t sum_count(const tulle__trisolve_task *task) {
    return task->schedule->rows * task->block * task->vectors;
}

template <class V, class I>
struct column_room {
    columns_made<I> made;
    progress<V, I> now;
    I *used;

    static size_t bytes(const tulle__trisolve_task *task) {
        const int64_t rows = task->schedule->rows, entries = task->schedule->entries;
        return part_bytes<I>(1) + 3 * part_bytes<I>(rows) + 2 * part_bytes<I>(entries) +
               part_bytes<V>(sum_count(task)) + part_bytes<int64_t>(1);
    }
    tulle_status cut(const tulle__trisolve_task *task) {
        const int64_t rows = task->schedule->rows, entries = task->schedule->entries;
        parts room(task->place, task->workspace);
        GPU_TRY(room.take(1, &now.ticket));
        GPU_TRY(room.take(1, &used));
        GPU_TRY(room.take(rows, &made.begins));
        GPU_TRY(room.take(rows, &made.ends));
        GPU_TRY(room.take(rows, &now.waits));
        GPU_TRY(room.take(entries, &made.rows));
        GPU_TRY(room.take(entries, &made.slots));
        return room.take(sum_count(task), &now.sums);
    }
};

template <class V>
size_t bytes_of(const tulle__trisolve_task *task) {
    return task->index == TULLE_I32 ? column_room<V, int32_t>::bytes(task)
                                    : column_room<V, int64_t>::bytes(task);
}
size_t workspace(const tulle__trisolve_task *task) {
    return tulle__computed_type(task->values) == TULLE_F64 ? bytes_of<double>(task)
                                                           : bytes_of<float>(task);
}

template <class T>
tulle_status zero(const tulle__place *place, T *array, int64_t count) {
    return GPU_SYMBOL(set_bytes)(place, array, 0, static_cast<size_t>(count) * sizeof(T));
}

template <class V, class I>
tulle_status make_columns(const tulle__trisolve_task *task, const column_room<V, I> &room) {
    const tulle__schedule *s = task->schedule;
    const tulle__place *place = task->place;
    auto offsets = static_cast<const I *>(s->begins);
    auto places = static_cast<const I *>(s->places), slots = static_cast<const I *>(s->slots);
    const int64_t some = s->entries > s->rows ? s->entries : s->rows;
    GPU_TRY(zero(place, room.used, 1));
    GPU_TRY(zero(place, room.made.begins, s->rows));
    GPU_TRY(launch(place, count_columns<I>, loop_grid(s->entries), s->entries, places,
                   room.made.begins));
    GPU_TRY(launch(place, begin_columns<I>, loop_grid(s->rows, loop_blocks_once), s->rows,
                   room.made.begins, room.made.ends, room.used));
    return launch(place, fill_columns<I>, loop_grid(some), s->rows, s->entries, offsets, places,
                  slots, room.made, room.now.waits);
}

template <class S, class V, class I>
tulle_status convert(const tulle__trisolve_task *task) {
    column_room<V, I> room;
    GPU_TRY(room.cut(task));
    return make_columns<V, I>(task, room);
}

template <class S, class V, class I>
tulle_status run(const tulle__trisolve_task *task) {
    constexpr int threads = 256;
    const int64_t rows = task->schedule->rows;
    column_room<V, I> room;
    GPU_TRY(room.cut(task));
    GPU_TRY((make_columns<V, I>(task, room)));
    GPU_TRY(zero(task->place, room.now.ticket, 1));
    GPU_TRY(zero(task->place, room.now.sums, sum_count(task)));
    const int64_t wanted = rows / (threads / warp_lanes) + 1;
    const int64_t most_warps = int64_t{task->device->multiprocessors} * task->params[0];
    const int64_t blocks = (most_warps + threads / warp_lanes - 1) / (threads / warp_lanes);
    const columns<I> made = {room.made.begins, room.made.ends, room.made.rows, room.made.slots};
    const auto kernel =
        task->block == 1 ? solve_columns<S, V, I, 1> : solve_columns<S, V, I, TULLE__MOST_BLOCK>;
    return launch(task->place, kernel, {wanted < blocks ? wanted : blocks, threads},
                  make_triangular<S, V, I>(task), made, shape_of(task), room.now);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__trisolve_kernel GPU_SYMBOL(trisolve_columns);
const tulle__trisolve_kernel GPU_SYMBOL(trisolve_columns) = {
    .head = {.name = "trisolve_columns",
             .summary = "by columns: a warp waits for its unknown, then subtracts multiples by "
                        "atomics; the columns are made in the call",
             .source =
                 "Afanasyev et al. (paper 3), 3.5; Liu, Li, Hogg, Duff, Vinter, Euro-Par 2016",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED,
             .param_count = 1,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .workspace = gpu::workspace,
    .run = TRISOLVE_RUN_ALL(gpu::run),
    .convert = TRISOLVE_RUN_ALL(gpu::convert),
};
