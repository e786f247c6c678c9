/* SPDX-License-Identifier: Apache-2.0 */
/* A product with row-major X and Y. A group of `lanes` neighbouring lanes holds the columns of one
 * row of Y in registers: each lane holds `tiles` words of `width` numbers. The group reads the row
 * of A together, so an entry is read once for all columns; a warp takes 32 / lanes rows at a time.
 * The kernels that include this file differ in which entries of A a group of lanes reads. */
#ifndef TULLE_SPMV_GPU_SPMM_ROW_CUH
#define TULLE_SPMV_GPU_SPMM_ROW_CUH

#include "spmv/gpu/spmm_entries.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The unsigned type of columns and steps: they are no negative numbers, and the product of two
 * unsigned numbers of 32 bits is one instruction. */
template <class C>
struct unsigned_column {
    using type = uint32_t;
};
template <>
struct unsigned_column<int64_t> {
    using type = uint64_t;
};

/* Arguments of one launch: up to most_columns columns of Y := alpha A X + beta Y. */
template <class V, class O, class C>
struct row_block {
    csr_product<V, O, C> a;
    int columns, lanes;
    unsigned x_step; /* number of bytes from a row of X to the next */
    int64_t ldy;     /* number of numbers from a row of Y to the next */
    bool aligned;    /* true when the columns and values of A may be loaded in groups */
};

/* Beginnings of a lane's words of a row. A lane without a column repeats the first; nobody reads
 * its sums. */
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

/* Adds a group: four words of X are asked for before the first is used. Entries of other rows
 * count as zero times zero, which costs less than to ask again. */
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

/* Computes y := alpha sum + beta y, a word of it. */
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

constexpr int most_tiles = 2;

/* Width of the widest words in which rows of X and Y can be read and written. */
template <class V>
int word_width(const V *x, int64_t ldx, const V *y, int64_t ldy, int columns) {
    int width = whole_word<V>;
    while (width > 1 && (columns % width != 0 || ldx % width != 0 || ldy % width != 0 ||
                         !is_aligned(x, width * sizeof(V)) || !is_aligned(y, width * sizeof(V)))) {
        width /= 2;
    }
    return width;
}

/* Number of lanes: at least so many, and enough for all words of the columns. */
inline int enough_lanes(int lanes, int words) {
    while (lanes * most_tiles < words) lanes *= 2;
    return lanes;
}

/* A number that a generic lambda can give to a template. */
template <int number>
struct constant {
    static constexpr int value = number;
};

/* Computes Y := alpha A X + beta Y for row-major X (a.x) and Y (a.y), most_columns columns at a
 * time: launch_block(constant<width>, block) for each. */
template <class V, class O, class C, class LaunchBlock>
tulle_status each_row_block(const csr_product<V, O, C> &a, int64_t vectors, int64_t ldx,
                            int64_t ldy, LaunchBlock launch_block) {
    constexpr int64_t size = sizeof(V);
    if (ldx > INT32_MAX / size) return TULLE_UNSUPPORTED;
    row_block<V, O, C> b = {a, 0, 0, static_cast<unsigned>(ldx * size), ldy, has_groups(a)};
    for (int64_t first = 0; first < vectors; first += most_columns) {
        int64_t left = vectors - first;
        b.columns = static_cast<int>(left < most_columns ? left : most_columns);
        b.a.x = a.x + first;
        b.a.y = a.y + first;
        switch (word_width(b.a.x, ldx, b.a.y, ldy, b.columns)) {
            case 1:
                GPU_TRY(launch_block(constant<1>(), b));
                break;
            case 2:
                GPU_TRY(launch_block(constant<2>(), b));
                break;
            default:
                GPU_TRY(launch_block(constant<whole_word<V>>(), b));
        }
    }
    return TULLE_OK;
}

/* Returns the number of lanes that share a row. Each lane gets one word of 16 bytes while at most
 * sixteen lanes suffice; wider rows give each lane up to most_tiles words. One word a lane is
 * better, since with two fewer loads of X fit into the registers at once. */
inline int lanes_for_columns(const tulle__spmv_shape *shape) {
    int64_t columns = shape->vectors < most_columns ? shape->vectors : most_columns;
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): a shape has a type */
    int64_t width = 16 / tulle_type_size(shape->type);
    while (columns % width != 0) width /= 2;
    int lanes = 1;
    while (lanes < 16 && lanes * width < columns) lanes *= 2;
    while (lanes * width * most_tiles < columns) lanes *= 2;
    return lanes;
}

/* Number of launches: A is read once in each. */
inline int64_t launches_of(const tulle__spmv_shape *shape) {
    return tulle__ceil_div(shape->vectors, most_columns);
}

/* Bytes loaded and stored by kernels in which each group of lanes reads whole rows of A. */
inline int64_t whole_row_bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return block_bytes(shape, beta_zero) + (launches_of(shape) - 1) * matrix_bytes(shape);
}

/* Numbers in which the costs of these kernels differ: the memory's time over a copy's, bytes
 * that an entry takes of the L1 beside X, and the addition of unevenness. */
struct whole_row_model {
    double memory, entry_bytes, uneven;
};

/* Cost: the slower of memory and L1, for uneven rows longer; or the longest row, whose groups of
 * entries wait for X one after the other. A model without a fit. */
inline double whole_row_cost(const tulle__spmv_shape *shape, const whole_row_model &model) {
    constexpr double us_a_group = 0.45;
    double launches = static_cast<double>(launches_of(shape));
    double memory = model.memory * (static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
                                    (launches - 1) * static_cast<double>(matrix_bytes(shape)));
    double gather = gather_cost(shape, model.entry_bytes);
    double all = (1 + model.uneven * unevenness(shape)) * (memory > gather ? memory : gather);
    double longest = launches * us_a_group * static_cast<double>(shape->stats->max_row) /
                     group_size * bytes_a_microsecond(shape);
    return launches * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
