/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of a sum: the items between two cuts (algebra/cut.h), which a block loads into shared
 * memory. Each thread walks along an equal number of items, whose start is found in the same way as
 * cuts; so no step depends on the lengths of rows. */
#ifndef TULLE_ALGEBRA_ADD_TILE_CUH
#define TULLE_ALGEBRA_ADD_TILE_CUH

#include "algebra/add_marks.cuh"
#include "algebra/cut.h"

namespace TULLE_GPU_NAMESPACE {

/* add_items: number of items per thread; add_tile: number of items of a tile. A tile has one item
 * more where it ends with two entries in the same place. Six blocks with 64-bit columns fit in
 * shared memory. */
constexpr int add_items = 11, add_tile = add_threads * add_items;
constexpr int add_tile_room = add_tile + 1;

/* Number of words of marks of a tile, each for 32 entries of C. */
constexpr int add_tile_words = add_tile / 32;

/* Two numbers of 16 bits: entries of A and of B in a tile. */
struct two {
    static_assert(add_tile_room < 0xffff, "a tile's numbers, and one that is none, have 16 bits");
    static constexpr int none = 0xffff;
    unsigned both;

    GPU_FUNCTION static unsigned of(int a, int b) {
        return static_cast<unsigned>(a) | static_cast<unsigned>(b) << 16;
    }
    GPU_FUNCTION int a() const { return static_cast<int>(both & none); }
    GPU_FUNCTION int b() const { return static_cast<int>(both >> 16); }
};

/* A tile: the rows that end in the tile, from `row` on, and its entries. The entries of the first
 * row may begin before the tile, and those behind the last end of a row may go on after it. */
template <class O, class C>
struct add_tile_of {
    int64_t row, a_before, b_before; /* rows and entries before the tile */
    int rows, a_count, b_count;
    const O *a_offsets, *b_offsets; /* offsets from `row` on */
    const C *a_cols, *b_cols;       /* columns from the tile's first entries on */
    O a_first, b_first;             /* indices of the first entries, as offsets count them */

    GPU_FUNCTION add_tile_of(const tulle__cut *cuts, const addend<O, C> &a, const addend<O, C> &b) {
        const tulle__cut *cut = cuts + block();
        row = load(&cut->row);
        a_before = load(&cut->a);
        b_before = load(&cut->b);
        rows = static_cast<int>(load(&cut[1].row) - row);
        a_count = static_cast<int>(load(&cut[1].a) - a_before);
        b_count = static_cast<int>(load(&cut[1].b) - b_before);
        a_offsets = a.offsets + row;
        b_offsets = b.offsets + row;
        a_first = load(a.offsets) + static_cast<O>(a_before);
        b_first = load(b.offsets) + static_cast<O>(b_before);
        a_cols = a.cols + a_first;
        b_cols = b.cols + b_first;
    }
    GPU_FUNCTION int entries() const { return a_count + b_count; }
    GPU_FUNCTION int items() const { return entries() + rows; }
};

template <class C>
GPU_FUNCTION void stage_cols(shared<C> to, const C *from, int count) {
    const int me = static_cast<int>(thread());
    to += me;
    from = kept(from + me);
    GPU_KEEP_LOOP
    for (int left = count - me; left > 0; left -= add_threads) {
        copy_async<sizeof(C)>(to, from);
        to += add_threads;
        from += add_threads;
    }
}

/* Loads a tile: cols gets the columns of A's entries, then of B's; ends gets the end of each row in
 * A and in B, counted from the tile's first entries. The row behind the last one ends where the
 * tile does. */
template <class O, class C>
GPU_FUNCTION void stage(const add_tile_of<O, C> &t, shared<C> cols, shared<unsigned> ends) {
    stage_cols(cols, t.a_cols, t.a_count);
    stage_cols(cols + t.a_count, t.b_cols, t.b_count);
    copy_commit();
    GPU_KEEP_LOOP
    for (int r = static_cast<int>(thread()); r < t.rows; r += add_threads) {
        ends[r] = two::of(static_cast<int>(load(t.a_offsets + r + 1) - t.a_first),
                          static_cast<int>(load(t.b_offsets + r + 1) - t.b_first));
    }
    if (thread() == 0) ends[t.rows] = two::of(t.a_count, t.b_count);
    copy_wait<0>();
    sync();
}

/* A walk along the items of a tile, which begins behind the first `before` items, or behind one
 * more. */
template <class C>
class add_walk {
  public:
    template <class O>
    GPU_FUNCTION add_walk(const add_tile_of<O, C> &t, int before, shared<C> cols,
                          shared<unsigned> ends)
        : cols_(cols), ends_(ends), b_room_(t.a_count) {
        int low = 0;
        TULLE__LOWER_BOUND(low, t.rows, r, end(r).a() + end(r).b() + r < before);
        row = low;
        two begin = row > 0 ? end(row - 1) : two{0};
        set_ends();
        int here = before - row - begin.a() - begin.b(), b_length = b_end_ - b_room_ - begin.b();
        int from_a = here > b_length ? here - b_length : 0;
        const int most_a = here < a_end_ - begin.a() ? here : a_end_ - begin.a();
        const int b_last = b_room_ + begin.b() + here - 1;
        TULLE__LOWER_BOUND(from_a, most_a, i, cols_[begin.a() + i] <= cols_[b_last - i]);
        a = begin.a() + from_a;
        b = b_last + 1 - from_a;
        take_columns();
        if (from_a > 0 && b < b_end_ && cols_[a - 1] == b_col_) b_col_ = column(++b, b_end_);
    }

    /* The next row, and the positions of the next entries of A and B in `cols`. */
    int row, a, b;

    GPU_FUNCTION int passed() const { return row + a + (b - b_room_); }
    /* Returns the number of entries of A and B that have been passed. */
    GPU_FUNCTION int entries() const { return a + (b - b_room_); }

    /* The walk passes the next entry of C, for which A and B may have an entry each, or the end of
     * a row. */
    GPU_FUNCTION bool at_row_end() const {
        return a_col_ == behind_all<C> && b_col_ == behind_all<C>;
    }
    GPU_FUNCTION bool takes_a() const { return a_col_ <= b_col_; }
    GPU_FUNCTION bool takes_b() const { return b_col_ <= a_col_; }
    GPU_FUNCTION void pass_entry() {
        const bool with_a = takes_a(), with_b = takes_b();
        if (with_a) a_col_ = column(++a, a_end_);
        if (with_b) b_col_ = column(++b, b_end_);
    }
    GPU_FUNCTION void pass_row() {
        row++;
        set_ends();
        take_columns();
    }

  private:
    GPU_FUNCTION two end(int r) const { return {ends_[r]}; }
    GPU_FUNCTION C column(int e, int end_of_row) const {
        return e < end_of_row ? static_cast<C>(cols_[e]) : behind_all<C>;
    }
    GPU_FUNCTION void set_ends() {
        two here = end(row);
        a_end_ = here.a();
        b_end_ = b_room_ + here.b();
    }
    GPU_FUNCTION void take_columns() {
        a_col_ = column(a, a_end_);
        b_col_ = column(b, b_end_);
    }

    shared<C> cols_;
    shared<unsigned> ends_;
    int b_room_, a_end_ = 0, b_end_ = 0;
    C a_col_ = 0, b_col_ = 0;
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
