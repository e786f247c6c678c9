/* SPDX-License-Identifier: Apache-2.0 */
/* Row-major X and Y: `lanes` neighbouring lanes have the columns of a row of Y, `width` numbers in
 * a word and `tiles` such words each, in registers; they walk the row of A together, so that an
 * entry is read once for all columns, and a warp takes 32 / lanes rows side by side.
 *
 * Most of the traffic is X, a row of it for every entry, so that neighbouring rows of A must find
 * it in the L1. A block therefore sweeps over its part of the matrix, one group of rows after the
 * other; see spmm_sweep.cuh. */
#ifndef TULLE_SPMV_SPMM_ROW_CUH
#define TULLE_SPMV_SPMM_ROW_CUH

#include "spmv/spmm_entries.cuh"
#include "spmv/spmm_sweep.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Columns and steps are no negative numbers, and the product of two unsigned numbers of 32 bits is
 * one instruction. */
template <class C>
struct unsigned_column {
    using type = uint32_t;
};
template <>
struct unsigned_column<int64_t> {
    using type = uint64_t;
};

/* One launch: up to most_columns columns of Y := alpha A X + beta Y. */
template <class V, class O, class C>
struct row_block {
    csr_product<V, O, C> a;
    int columns, lanes;
    unsigned x_step; /* bytes from a row of X to the next */
    int64_t ldy;     /* numbers from a row of Y to the next */
    bool aligned;    /* the columns and values of A: entries may be loaded in groups */
};

/* Where a lane's words of a row begin. A lane without a column repeats the first; nobody sees what
 * it sums. */
template <int width, int tiles>
struct lane_columns {
    int column[tiles];
    template <class V, class O, class C>
    GPU_FUNCTION explicit lane_columns(const row_block<V, O, C> &b, int lane) {
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            int c = (lane + t * b.lanes) * width;
            column[t] = c < b.columns ? c : -1;
        }
    }
    GPU_FUNCTION int or_first(int t) const { return column[t] < 0 ? 0 : column[t]; }
};

template <int width, int tiles, class V, class O, class C>
GPU_FUNCTION void load_x(const row_block<V, O, C> &b, const lane_columns<width, tiles> &mine,
                         C column, bool wanted, pack<V, width> (&x)[tiles]) {
    uint64_t at =
        static_cast<uint64_t>(static_cast<typename unsigned_column<C>::type>(column)) * b.x_step;
    GPU_UNROLL
    for (int t = 0; t < tiles; t++) {
        const char *row = reinterpret_cast<const char *>(b.a.x + mine.or_first(t));
        x[t] = load_if(wanted, reinterpret_cast<const pack<V, width> *>(row + at));
    }
}

template <int width, int tiles, class V>
GPU_FUNCTION void add_product(V value, const pack<V, width> (&x)[tiles],
                              pack<V, width> (&sum)[tiles]) {
    GPU_UNROLL
    for (int t = 0; t < tiles; t++) {
        GPU_UNROLL
        for (int w = 0; w < width; w++) sum[t].at[w] += value * x[t].at[w];
    }
}

/* A group: four words of X are asked for before the first is used. Entries of other rows count as
 * zero times zero, which costs less than to ask again. */
template <int width, int tiles, class V, class O, class C>
GPU_FUNCTION void add_group(const row_block<V, O, C> &b, const lane_columns<width, tiles> &mine,
                            const group_part &part, const pack<C, group_size> &column,
                            const pack<V, group_size> &value, pack<V, width> (&sum)[tiles]) {
    constexpr int together = group_size / tiles;
    GPU_UNROLL
    for (int first = 0; first < group_size; first += together) {
        pack<V, width> x[together][tiles];
        GPU_UNROLL
        for (int f = 0; f < together; f++) {
            load_x(b, mine, column.at[first + f], part.has(first + f), x[f]);
        }
        GPU_UNROLL
        for (int f = 0; f < together; f++) {
            add_product(part.has(first + f) ? value.at[first + f] : V(0), x[f], sum);
        }
    }
}

/* y := alpha sum + beta y, a word of it. */
template <int width, class V>
GPU_FUNCTION void finish_word(const scalar<V> &alpha, const pack<V, width> &sum,
                              const scalar<V> &beta, V *y) {
    pack<V, width> *at = reinterpret_cast<pack<V, width> *>(y);
    V factor = alpha.value(), keep = beta.value();
    pack<V, width> result, old = {};
    if (keep != V(0)) old = *at;
    GPU_UNROLL
    for (int w = 0; w < width; w++) {
        result.at[w] = combine(factor, sum.at[w], keep, old.at + w);
    }
    *at = result;
}

template <int width, int tiles, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(512, 2) void multiply_rows(row_block<V, O, C> b, sweep_plan plan) {
    int me = static_cast<int>(thread());
    lane_columns<width, tiles> mine(b, me % b.lanes);
    row_sweep sweep(plan, b.a, static_cast<int>(block_size()) / b.lanes, me / b.lanes);
    O groups_end = end_of_groups(b.a, b.aligned);
    row_entries<O> next = entries_of(b.a, sweep.row, sweep.works);
    for (int s = 0; s < plan.steps; s++) {
        int64_t i = sweep.row;
        row_entries<O> row = next;
        sweep.row += sweep.stride;
        next = entries_of(b.a, sweep.row, sweep.works && s + 1 < plan.steps);
        pack<V, width> sum[tiles] = {};
        walk_row(
            b.a, row, groups_end,
            [&](const group_part &part, const auto &column, const auto &value) {
                add_group(b, mine, part, column, value, sum);
            },
            [&](C column, V value) {
                pack<V, width> x[tiles];
                load_x(b, mine, column, true, x);
                add_product(value, x, sum);
            });
        if (!sweep.works || i >= b.a.rows) continue;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            if (mine.column[t] < 0) continue;
            finish_word(b.a.alpha, sum[t], b.a.beta, b.a.y + (i * b.ldy + mine.column[t]));
        }
    }
}

/* How a kernel's parameters say it. */
struct row_settings {
    int lanes, steps, apart, block;
};

constexpr int most_tiles = 2;

/* The widest words in which rows of X and Y can be read and written. */
template <class V>
int word_width(const V *x, int64_t ldx, const V *y, int64_t ldy, int columns) {
    int width = whole_word<V>;
    while (width > 1 && (columns % width != 0 || ldx % width != 0 || ldy % width != 0 ||
                         !is_aligned(x, width * sizeof(V)) || !is_aligned(y, width * sizeof(V)))) {
        width /= 2;
    }
    return width;
}

template <int width, class V, class O, class C>
tulle_status launch_rows(const tulle__place *place, const tulle__spmv_shape *shape,
                         row_block<V, O, C> b, const row_settings &settings) {
    int words = (b.columns + width - 1) / width;
    b.lanes = settings.lanes;
    while (b.lanes * most_tiles < words) b.lanes *= 2;
    sweep_plan plan = plan_sweep(shape, settings.block / b.lanes, settings.steps, settings.apart);
    grid g = {plan.blocks, settings.block};
    if (words <= b.lanes) return launch(place, multiply_rows<width, 1, V, O, C>, g, b, plan);
    return launch(place, multiply_rows<width, most_tiles, V, O, C>, g, b, plan);
}

/* Y := alpha A X + beta Y for row-major X (a.x) and Y (a.y), most_columns columns at a time. */
template <class V, class O, class C>
tulle_status run_rows(const tulle__place *place, const tulle__spmv_shape *shape,
                      const csr_product<V, O, C> &a, int64_t ldx, int64_t ldy,
                      const row_settings &settings) {
    constexpr int64_t size = sizeof(V);
    if (ldx > INT32_MAX / size) return TULLE_UNSUPPORTED;
    row_block<V, O, C> b = {a, 0, 0, static_cast<unsigned>(ldx * size), ldy, has_groups(a)};
    for (int64_t first = 0; first < shape->vectors; first += most_columns) {
        int64_t left = shape->vectors - first;
        b.columns = static_cast<int>(left < most_columns ? left : most_columns);
        b.a.x = a.x + first;
        b.a.y = a.y + first;
        switch (word_width(b.a.x, ldx, b.a.y, ldy, b.columns)) {
            case 1:
                GPU_TRY((launch_rows<1>(place, shape, b, settings)));
                break;
            case 2:
                GPU_TRY((launch_rows<2>(place, shape, b, settings)));
                break;
            default:
                GPU_TRY((launch_rows<whole_word<V>>(place, shape, b, settings)));
        }
    }
    return TULLE_OK;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
