/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of two sparse matrices on the GPU: tiles of equal numbers of entries and rows, whose
 * places in both a merge path says. A first pass over the columns counts, for each tile, in how
 * many places A and B both have an entry; a scan says where the tiles' entries of C begin; the
 * second pass writes them. Columns pass through shared memory; values are read where C's entries
 * are written, neighbours by neighbours. */
#include "algebra/add_tile.cuh"
#include "algebra/functions.h"
#include "core/types.h"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"
#include "gpu/scalar.cuh"
#include "gpu/scan.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int add_warps = add_threads / warp_lanes;

/* The last number of `doubles` is none of a tile: a sum comes there, after the scan has read it. */
GPU_KERNEL void cut_tiles(tulle__two_csr both, int64_t tiles, tulle__cut *cuts, int64_t *doubles) {
    const int64_t items = tulle__two_items(&both);
    for (int64_t t = loop_first(); t <= tiles; t += loop_stride()) {
        cuts[t] = tulle__cut_at(&both, t < tiles ? t * add_tile : items);
        if (t == tiles) doubles[t] = 0;
    }
}

/* doubles[t] := places of tile t that A and B have both. */
template <class O, class C>
GPU_KERNEL GPU_RESIDENT(add_threads, 6) void count_doubles(addend<O, C> a, addend<O, C> b,
                                                           const tulle__cut *cuts,
                                                           int64_t *doubles) {
    GPU_SHARED(C, cols, add_tile_room);
    GPU_SHARED(unsigned, ends, add_tile_room);
    GPU_SHARED(int, room, add_warps);
    const add_tile_of<O, C> t(cuts, a, b);
    stage(t, cols, ends);
    const int begin = static_cast<int>(thread()) * add_items, items = t.items();
    const int end = begin + add_items < items ? begin + add_items : items;
    int found = 0;
    if (begin < end) {
        add_walk<C> walk(t, begin, cols, ends);
        for (int passed = walk.passed(); passed < end;) {
            if (walk.at_row_end()) {
                walk.pass_row();
                passed++;
            } else {
                const bool twice = walk.takes_a() && walk.takes_b();
                found += twice;
                passed += 1 + twice;
                walk.pass_entry();
            }
        }
    }
    found = block_total(found, room);
    if (thread() == 0) doubles[block()] = found;
}

/* C's arrays; offsets of so many bytes each. */
template <class V, class C>
struct add_result {
    int64_t offset_size;
    void *offsets;
    C *cols;
    V *values;
};

/* The values of A and B, and what they are multiplied by. */
template <class V>
struct add_values {
    const V *a, *b;
    scalar<V> alpha, beta;
};

/* The value of an entry of C, given which of A and B it has, counted from a tile's first ones. */
template <class V>
GPU_FUNCTION V sum_of(const V *a, V alpha, const V *b, V beta, two from) {
    if (from.b() == two::none) return alpha * load(a + from.a());
    const V of_b = beta * load(b + from.b());
    return from.a() == two::none ? of_b : alpha * load(a + from.a()) + of_b;
}

/* before[t]: what count_doubles found in the tiles before. */
template <class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(add_threads, 6) void fill_sum(addend<O, C> a, addend<O, C> b,
                                                      add_values<V> values, const tulle__cut *cuts,
                                                      const int64_t *before, add_result<V, C> c) {
    constexpr unsigned row_end = ~0u;
    GPU_SHARED(C, cols, add_tile_room);
    GPU_SHARED(unsigned, ends, add_tile_room);
    GPU_SHARED(unsigned, places, add_tile);
    GPU_SHARED(int, room, add_warps);
    const add_tile_of<O, C> t(cuts, a, b);
    stage(t, cols, ends);
    const int begin = static_cast<int>(thread()) * add_items, items = t.items();
    const int end = begin + add_items < items ? begin + add_items : items;

    /* What the thread passes: where each entry of C comes from, and ends of rows. */
    unsigned seen[add_items] = {};
    int steps = 0, twice = 0, row = 0, to = 0;
    if (begin < end) {
        add_walk<C> walk(t, begin, cols, ends);
        row = walk.row;
        to = walk.entries();
        int passed = walk.passed();
        GPU_UNROLL
        for (int k = 0; k < add_items; k++) {
            seen[k] = row_end;
            if (passed >= end) continue;
            steps++;
            if (walk.at_row_end()) {
                walk.pass_row();
                passed++;
                continue;
            }
            const bool with_a = walk.takes_a(), with_b = walk.takes_b();
            seen[k] = two::of(with_a ? walk.a : two::none, with_b ? walk.b : two::none);
            twice += with_a && with_b;
            passed += with_a + with_b;
            walk.pass_entry();
        }
    }
    int all_twice = 0;
    to -= block_scan(twice, room, &all_twice);

    /* All walks have ended: where rows end in C takes the place of where they end in A and B. */
    GPU_UNROLL
    for (int k = 0; k < add_items; k++) {
        if (k >= steps) continue;
        if (seen[k] == row_end) {
            ends[row++] = static_cast<unsigned>(to);
        } else {
            places[to++] = seen[k];
        }
    }
    sync();

    const int64_t first = t.a_before + t.b_before - load(before + block());
    if (block() == 0 && thread() == 0) tulle__put(c.offsets, c.offset_size, 0, 0);
    for (int r = static_cast<int>(thread()); r < t.rows; r += add_threads) {
        const unsigned row_ends = ends[r];
        tulle__put(c.offsets, c.offset_size, t.row + r + 1, first + row_ends);
    }
    const V alpha = values.alpha.value(), beta = values.beta.value();
    const V *of_a = values.a + t.a_first, *of_b = values.b + t.b_first - t.a_count;
    const int entries = t.entries() - all_twice;
    for (int e = static_cast<int>(thread()); e < entries; e += add_threads) {
        const two from{places[e]};
        c.cols[first + e] = cols[from.a() == two::none ? from.b() : from.a()];
        c.values[first + e] = sum_of(of_a, alpha, of_b, beta, from);
    }
}

/* Numbers that a thread has on their way, a block's width apart, and those of a block. */
constexpr int add_flight = 4;
constexpr int64_t add_width = loop_threads, add_numbers_tile = add_flight * add_width;

template <class V>
GPU_KERNEL void add_numbers(int64_t count, add_values<V> from, V *c) {
    const V alpha = from.alpha.value(), beta = from.beta.value();
    const int64_t first = block() * add_numbers_tile + thread();
    V of_a[add_flight], of_b[add_flight];
    GPU_UNROLL
    for (int u = 0; u < add_flight; u++) {
        const int64_t i = first + u * add_width;
        of_a[u] = i < count ? load(from.a + i) : V(0);
        of_b[u] = i < count ? load(from.b + i) : V(0);
    }
    GPU_UNROLL
    for (int u = 0; u < add_flight; u++) {
        const int64_t i = first + u * add_width;
        const V b = beta * of_b[u];
        if (i < count) c[i] = alpha * of_a[u] + b;
    }
}

template <class V>
add_values<V> values_of(const tulle__add_task *task) {
    return {static_cast<const V *>(task->a.values), static_cast<const V *>(task->b.values),
            make_scalar<V>(task->a.factor), make_scalar<V>(task->b.factor)};
}

template <class V>
tulle_status add_all_values(const tulle__place *place, const tulle__add_task *task) {
    const int64_t blocks = (task->c.nnz + add_numbers_tile - 1) / add_numbers_tile;
    return launch(place, add_numbers<V>, {blocks, loop_threads}, task->c.nnz, values_of<V>(task),
                  static_cast<V *>(task->c.values));
}

/* One sum on its way. */
template <class V, class O, class C>
class addition {
  public:
    addition(const tulle__place *place, tulle__add_task *task)
        : place_(place),
          task_(task),
          memory_(place),
          a_(addend_of(task->a)),
          b_(addend_of(task->b)),
          values_(values_of<V>(task)),
          both_({task->rows, task->a.nnz, task->b.nnz, sizeof(O), sizeof(C), task->a.offsets,
                 task->a.cols_of, task->b.offsets, task->b.cols_of}),
          tiles_(tulle__two_items(&both_) / add_tile + 1) {}

    tulle_status count(int64_t *nnz) {
        char *all = nullptr;
        GPU_TRY(memory_.get(static_cast<int64_t>(part_bytes<tulle__cut>(tiles_ + 1) +
                                                 part_bytes<int64_t>(tiles_ + 1)),
                            &all));
        parts cut(place_, all);
        GPU_TRY(cut.take(tiles_ + 1, &cuts_));
        GPU_TRY(cut.take(tiles_ + 1, &doubles_));
        GPU_TRY(launch(place_, cut_tiles, loop_grid(tiles_ + 1), both_, tiles_, cuts_, doubles_));
        GPU_TRY(launch(place_, count_doubles<O, C>, tile_grid(), a_, b_, cuts_, doubles_));
        GPU_TRY(exclusive_scan(place_, doubles_, doubles_, tiles_ + 1));
        int64_t twice = 0;
        GPU_TRY(to_host(place_, &twice, doubles_ + tiles_, sizeof twice));
        *nnz = task_->a.nnz + task_->b.nnz - twice;
        return TULLE_OK;
    }

    tulle_status fill() const {
        const tulle__sum &c = task_->c;
        return launch(place_, fill_sum<V, O, C>, tile_grid(), a_, b_, values_, cuts_, doubles_,
                      {tulle_offset_size(c.index), c.offsets, static_cast<C *>(c.cols_of),
                       static_cast<V *>(c.values)});
    }

  private:
    static addend<O, C> addend_of(const tulle__addend &x) {
        return {static_cast<const O *>(x.offsets), static_cast<const C *>(x.cols_of)};
    }
    grid tile_grid() const { return {tiles_, add_threads}; }

    const tulle__place *place_;
    tulle__add_task *task_;
    scratch memory_;
    addend<O, C> a_, b_;
    add_values<V> values_;
    tulle__two_csr both_;
    int64_t tiles_;
    tulle__cut *cuts_ = nullptr; /* of tiles_ + 1 */
    int64_t *doubles_ = nullptr; /* of each tile, then of the tiles before */
};

template <class V, class O, class C>
tulle_status add(const tulle__place *place, tulle__add_task *task) {
    addition<V, O, C> sum(place, task);
    int64_t nnz = 0;
    GPU_TRY(sum.count(&nnz));
    GPU_TRY(task->ends(task, TULLE__ADD_COUNT));
    GPU_TRY(task->make_c(task, nnz));
    GPU_TRY(sum.fill());
    return task->ends(task, TULLE__ADD_COMPUTE);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(add)(const tulle__place *place, tulle__add_task *task) {
    static constexpr tulle_status (*by_type[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, tulle__add_task *) = GPU_RUN_ALL(gpu::add);
    return by_type[task->type][task->index](place, task);
}

tulle_status GPU_SYMBOL(add_values)(const tulle__place *place, const tulle__add_task *task) {
    return task->type == TULLE_F32 ? gpu::add_all_values<float>(place, task)
                                   : gpu::add_all_values<double>(place, task);
}
