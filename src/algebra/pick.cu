/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a new matrix of some entries of a matrix on a GPU. The first pass marks the picked entries,
 * a scan of the marks tells how many picked entries are before each entry, and the second pass
 * moves the picked entries. Both passes share out entries and not rows, so that long rows are no
 * more work than short ones. */
#include "algebra/functions.h"
#include "gpu/fetch.cuh"
#include "gpu/loop.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {

template <class V, class O, class C>
struct pick_task {
    int64_t rows, nnz;
    const O *offsets;
    const C *cols_of;
    const V *values;
    /* marks, and after the scan the number of picked entries before each entry; nnz + 1 numbers */
    O *before;
};

template <class V, class O, class C>
struct picked {
    O *offsets;
    C *cols_of;
    V *values;
};

/* Picks the entries of some neighbouring diagonals. */
template <class V>
struct band_rule {
    int64_t least, most;
    static constexpr bool wants_row = false; /* true when `value` looks at the row */
    GPU_FUNCTION bool has(int64_t row, int64_t col) const {
        return tulle__in_band(least, most, row, col);
    }
    GPU_FUNCTION V value(int64_t, int64_t, V of_a) const { return of_a; }
};

/* Picks the entries that B has too, and multiplies them by B's. */
template <class V, class O, class C>
struct common_rule {
    const O *offsets;
    const C *cols_of;
    const V *values;
    static constexpr bool wants_row = true;
    /* Returns the index of the first entry of the row in B whose column is not below col. */
    GPU_FUNCTION O find(int64_t row, int64_t col) const {
        O at = load(offsets + row);
        TULLE__LOWER_BOUND(at, load(offsets + row + 1), q, load(cols_of + q) < col);
        return at;
    }
    GPU_FUNCTION bool has(int64_t row, int64_t col) const {
        const O at = find(row, col);
        return at < load(offsets + row + 1) && load(cols_of + at) == col;
    }
    GPU_FUNCTION V value(int64_t row, int64_t col, V of_a) const {
        return of_a * load(values + find(row, col));
    }
};

template <class R, class V, class O, class C>
GPU_KERNEL void mark_picked(pick_task<V, O, C> t, R rule) {
    const warp_stretch stretch(t.nnz + 1);
    int64_t row = 0;
    for (int64_t k = stretch.begin + lane(); k < stretch.end; k += warp_lanes) {
        bool has = false;
        if (k < t.nnz) {
            row = row_of_entry(t.offsets, t.rows, k, row);
            has = rule.has(row, load(t.cols_of + k));
        }
        t.before[k] = has;
    }
}

template <class R, class V, class O, class C>
GPU_KERNEL void move_picked(pick_task<V, O, C> t, picked<V, O, C> c, R rule) {
    const warp_stretch stretch(t.nnz);
    int64_t row = 0;
    for (int64_t k = stretch.begin + lane(); k < stretch.end; k += warp_lanes) {
        const O to = load(t.before + k);
        if (load(t.before + k + 1) == to) continue;
        if (R::wants_row) row = row_of_entry(t.offsets, t.rows, k, row);
        const C col = load(t.cols_of + k);
        c.cols_of[to] = col;
        c.values[to] = rule.value(row, col, load(t.values + k));
    }
}

template <class V, class O, class C>
GPU_KERNEL void offsets_of_picked(pick_task<V, O, C> t, picked<V, O, C> c) {
    for (int64_t i = loop_first(); i <= t.rows; i += loop_stride()) {
        c.offsets[i] = load(t.before + load(t.offsets + i));
    }
}

template <class R, class V, class O, class C>
tulle_status pick_by(const tulle__place *place, tulle__pick *pick, R rule) {
    const tulle__pattern_view *a = pick->a;
    scratch memory(place);
    O *before = nullptr, count = 0;
    GPU_TRY(memory.get(a->nnz + 1, &before));
    const pick_task<V, O, C> t = {a->rows,
                                  a->nnz,
                                  static_cast<const O *>(a->offsets),
                                  static_cast<const C *>(a->cols_of),
                                  static_cast<const V *>(pick->values),
                                  before};
    GPU_TRY(launch(place, mark_picked<R, V, O, C>, loop_grid(a->nnz + 1), t, rule));
    GPU_TRY(exclusive_scan(place, before, before, a->nnz + 1));
    GPU_TRY(to_host(place, &count, before + a->nnz, sizeof count));
    GPU_TRY(pick->make_c(pick, count));
    const picked<V, O, C> c = {static_cast<O *>(pick->c.offsets), static_cast<C *>(pick->c.cols_of),
                               static_cast<V *>(pick->c.values)};
    GPU_TRY(launch(place, offsets_of_picked<V, O, C>, loop_grid(a->rows + 1), t, c));
    if (count == 0) return TULLE_OK;
    return launch(place, move_picked<R, V, O, C>, loop_grid(a->nnz), t, c, rule);
}

template <class V, class O, class C>
tulle_status pick_entries(const tulle__place *place, tulle__pick *pick) {
    using band = band_rule<V>;
    using common = common_rule<V, O, C>;
    const tulle__pattern_view *b = pick->b;
    if (!b) return pick_by<band, V, O, C>(place, pick, band{pick->least, pick->most});
    return pick_by<common, V, O, C>(
        place, pick,
        common{static_cast<const O *>(b->offsets), static_cast<const C *>(b->cols_of),
               static_cast<const V *>(pick->b_values)});
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(pick_entries)(const tulle__place *place, tulle__pick *pick) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, tulle__pick *) = GPU_RUN_ALL(gpu::pick_entries);
    return run[tulle__values_of(pick->type)][pick->a->index](place, pick);
}
