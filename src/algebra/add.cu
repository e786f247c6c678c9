/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of two sparse matrices on the GPU. A first pass over the columns keeps two bits for each
 * entry of C, whether A has it and whether B has; a scan says where pieces of C begin; the second
 * pass counts bits instead of comparing columns, and reads and writes neighbours by neighbours.
 *
 *   pieces                               where                            first pass
 *   strips of 32 rows                    rows are short and alike         a warp, one lane per row
 *   tiles of equal numbers of items      elsewhere; a merge path says     a block, each thread an
 *   (entries and ends of rows)           where one begins in A and in B   equal stretch
 *
 * Memory: marks, counts of pieces, where rows end in their piece, and of tiles where they begin, in
 * scratch. Over tiles the threads of a block meet at barriers, over strips the lanes of a warp do.
 * Source: the merge path of Odeh, Green, Mwassi, Shmueli and Birk, 2012. */
#include "algebra/add_fill.cuh"
#include "algebra/add_mark_tiles.cuh"
#include "algebra/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {

/* Computes the cuts between tiles. The last element of counts[] belongs to no tile: the scan that
 * follows puts the sum there. */
GPU_KERNEL void cut_tiles(tulle__two_csr both, int64_t tiles, tulle__cut *cuts, int64_t *counts) {
    const int64_t items = tulle__two_items(&both);
    for (int64_t t = loop_first(); t <= tiles; t += loop_stride()) {
        cuts[t] = tulle__cut_at(&both, t < tiles ? t * add_tile : items);
        if (t == tiles) counts[t] = 0;
    }
}

/* add_flight: number of values that a thread loads at a time, a block's width apart.
 * add_numbers_tile: number of values of a block. */
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

/* The pieces of a sum, each with `words` words of marks. */
struct add_pieces {
    bool are_strips;
    int64_t count;
    int words;
};

/* Chooses strips where no row is too long for them, and lanes do not wait for lanes with much
 * longer rows; else tiles. By counted instructions a strip takes 270 and 21 for each entry of its
 * longest row, and tiles take 73 for each item of 32 rows. */
inline add_pieces pieces_for(const tulle__add_task *task, int64_t items) {
    const int64_t longest = task->a.longest + task->b.longest;
    const bool known = (task->a.longest > 0 || task->a.nnz == 0) &&
                       (task->b.longest > 0 || task->b.nnz == 0) && longest > 0;
    if (known && longest <= strip_row_entries && 2 * (longest + 13) * task->rows <= 7 * items) {
        return {true, (task->rows + strip_rows - 1) / strip_rows, static_cast<int>(longest)};
    }
    return {false, items / add_tile + 1, add_tile_words};
}

/* The state of one sum. */
template <class V, class O, class C>
class addition {
  public:
    addition(const tulle__place *place, tulle__add_task *task)
        : place_(place),
          task_(task),
          memory_(place),
          a_(addend_of(task->a)),
          b_(addend_of(task->b)),
          both_({task->rows, task->a.nnz, task->b.nnz, sizeof(O), sizeof(C), task->a.offsets,
                 task->a.cols_of, task->b.offsets, task->b.cols_of}),
          pieces_(pieces_for(task, tulle__two_items(&both_))) {}

    tulle_status count(int64_t *nnz) {
        const int64_t numbers = pieces_.count + 1, cuts = pieces_.are_strips ? 0 : numbers;
        const int64_t words = pieces_.count * pieces_.words;
        char *all = nullptr;
        GPU_TRY(memory_.get(
            static_cast<int64_t>(part_bytes<tulle__cut>(cuts) + part_bytes<int64_t>(numbers) +
                                 part_bytes<add_marks>(words) + part_bytes<uint16_t>(task_->rows)),
            &all));
        parts cut(place_, all);
        GPU_TRY(cut.take(cuts, &cuts_));
        GPU_TRY(cut.take(numbers, &counts_));
        GPU_TRY(cut.take(words, &marks_));
        GPU_TRY(cut.take(task_->rows, &row_ends_));
        GPU_TRY(pieces_.are_strips ? mark_strips_of_rows() : cut_and_mark());
        GPU_TRY(exclusive_scan(place_, counts_, counts_, numbers));
        return to_host(place_, nnz, counts_ + pieces_.count, sizeof *nnz);
    }

    tulle_status fill() const {
        const tulle__sum &sum = task_->c;
        const add_result<V, C> c = {tulle_offset_size(sum.index), sum.offsets,
                                    static_cast<C *>(sum.cols_of), static_cast<V *>(sum.values)};
        const add_values<V> values = values_of<V>(task_);
        const add_found found = {counts_, marks_, row_ends_};
        if (pieces_.are_strips) {
            return launch(place_, fill_strips<V, O, C>, strip_grid(), a_, b_, values, strips(),
                          found, c);
        }
        return launch(place_, fill_tiles<V, O, C>, tile_grid(), a_, b_, values, cuts_, found, c);
    }

  private:
    static addend<O, C> addend_of(const tulle__addend &x) {
        return {static_cast<const O *>(x.offsets), static_cast<const C *>(x.cols_of)};
    }
    grid tile_grid() const { return {pieces_.count, add_threads}; }
    grid strip_grid() const { return {(pieces_.count + add_warps - 1) / add_warps, add_threads}; }
    add_strips strips() const { return {task_->rows, pieces_.count, pieces_.words}; }

    tulle_status mark_strips_of_rows() const {
        return launch(place_, mark_strips<O, C>, strip_grid(), a_, b_, strips(), counts_, marks_,
                      row_ends_);
    }
    tulle_status cut_and_mark() const {
        GPU_TRY(launch(place_, cut_tiles, loop_grid(pieces_.count + 1), both_, pieces_.count, cuts_,
                       counts_));
        return launch(place_, mark_tiles<O, C>, tile_grid(), a_, b_, cuts_, counts_, marks_,
                      row_ends_);
    }

    const tulle__place *place_;
    tulle__add_task *task_;
    scratch memory_;
    addend<O, C> a_, b_;
    tulle__two_csr both_;
    add_pieces pieces_;
    tulle__cut *cuts_ = nullptr; /* cuts where the tiles begin, and the end of the last tile */
    /* entries of C in each piece; after the scan, in all earlier pieces; the last number is C's
     * count */
    int64_t *counts_ = nullptr;
    add_marks *marks_ = nullptr;
    uint16_t *row_ends_ = nullptr;
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
    return by_type[tulle__type_index(task->type)][task->index](place, task);
}

tulle_status GPU_SYMBOL(add_values)(const tulle__place *place, const tulle__add_task *task) {
    return task->type == TULLE_F32 ? gpu::add_all_values<float>(place, task)
                                   : gpu::add_all_values<double>(place, task);
}
