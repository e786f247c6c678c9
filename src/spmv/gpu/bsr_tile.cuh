/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of blocks without padding times a multivector on the matrix units for doubles
 * (gpu/tile.cuh). The blocks of a line of op(A), a block row or a block column, are one matrix of
 * `size` rows, as are the rows of X that they meet; a warp multiplies the two, four or eight
 * columns of A at a time, straight from memory into the registers of the units: lane l has row
 * l / 4 of A and column l / 4 of X. Blocks of 2, 3 and 4 share a tile with those of neighbouring
 * lines, of whose product the squares on the diagonal count; larger ones than 8 take two tiles.
 *
 *   size   lines   tiles   a flight: cells of a line's row   that is, blocks
 *      2       4       1                              16               8
 *      3       2       1                              24               8
 *      4       2       1                              32               8
 *      5       1       1                              20               4
 *      8       1       1                              32               4
 *     16       1       2                              32               2
 *  other       1    1, 2                     of one block               1
 *
 * While a flight of A and X is on its way, the columns of the next one are asked for, and where the
 * lines after it begin: of the chain from a line to its columns to X a warp waits for X alone. f32
 * is multiplied as f64, which is exact, and rounded at the end. */
#ifndef TULLE_SPMV_GPU_BSR_TILE_CUH
#define TULLE_SPMV_GPU_BSR_TILE_CUH

#include "gpu/tile.cuh"
#include "spmv/gpu/spmm_bsr.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Shape of a product: lines of blocks of a size (0: of any up to `tall` tiles) meet `wide` tiles
 * of columns of X. */
template <int size_, int tall_, int wide_, bool transposed_>
struct line_mapping {
    static constexpr int size = size_, tall = tall_, wide = wide_;
    static constexpr bool transposed = transposed_;
    /* Number of lines that share a tile, and of the rows of it that each has. */
    static constexpr int lines = size == 2 ? 4 : size == 3 || size == 4 ? 2 : 1;
    static constexpr int side = tile_side / lines;
    /* Number of neighbours in a row of a block that a lane loads in one go. */
    static constexpr int pair = !transposed && size > 0 && size % 2 == 0 ? 2 : 1;
    /* Number of cells of a line's row in a flight: whole blocks, and fewer where there are more
     * columns. */
    static constexpr int all_cells = size == 0   ? tile_side * tall
                                     : size == 2 ? 16
                                     : size == 3 ? 24
                                     : size == 5 ? 20
                                                 : 32;
    static constexpr bool fewer = wide > 2 && size > 0 && size != 5;
    static constexpr int cells = fewer ? all_cells / 2 : all_cells;
    static constexpr int divisor = size == 0 ? cells : size;
    static constexpr int blocks = cells / divisor;
    static constexpr int loads = cells / (4 * pair);
    /* True when a load has cells of one block alone, known when this is compiled. */
    static constexpr bool aligned = divisor % (4 * pair) == 0;
    /* Number of loads after which places in blocks repeat, so many blocks further. */
    static constexpr int period = divisor % 2 == 1 ? divisor : 1;

    /* Block of a flight, and cell of its row, with which quarter q of load f begins. */
    GPU_FUNCTION static int block_of(int f, int q) {
        if constexpr (aligned) return 4 * pair * f / divisor;
        return f / period * (4 * pair * period / divisor) + (4 * (f % period) + q) * pair / divisor;
    }
    GPU_FUNCTION static int cell_of(int f, int q) {
        if constexpr (aligned) return 4 * pair * f % divisor + pair * q;
        return (4 * (f % period) + q) * pair % divisor;
    }
};

/* Number of blocks of the grid that a multiprocessor holds: as many as registers allow for a
 * flight on its way. */
template <class M, class V>
constexpr int tile_resident = M::tall == 2 || M::wide > 2 ? 2
                              : sizeof(V) == 8            ? 3
                                                          : 4;

/* The rest of a line. i: number of the line; -1: none. */
struct line_rest {
    int i, at, left;
};

/* Numbers that a lane has on their way. */
template <class M>
struct flight_blocks {
    int other[M::loads], slot[M::loads];
};
template <class M, class V>
struct flight_numbers {
    pack<V, M::pair> a[M::loads][M::tall];
    pack<V, 1> x[M::loads][M::pair][M::wide];
};

template <class V>
using product_of_blocks = block_product<V, int32_t, int32_t>;

/* The place of a lane: line, the line of block rows that the lane works for; m, the row or column
 * of that line's share of a tile; q, the quarter of the tile; column, the first column of Y that
 * the warp has; x, the lane's own column of X. */
template <class V>
struct tile_lane {
    int q, line, m, column;
    const V *x;
    unsigned x_step; /* number of bytes from a row of X to the next */
};

/* Groups of M::lines lines that a warp takes: from `first` on, `steps` of them, `stride` apart. */
struct line_groups {
    int64_t first;
    int stride, steps;
};

/* Returns the line of a lane in a step of its warp. */
template <class M, class V>
GPU_FUNCTION int line_at(const product_of_blocks<V> &a, const tile_lane<V> &l,
                         const line_groups &groups, int step) {
    int64_t line = (groups.first + int64_t{step} * groups.stride) * M::lines + l.line;
    if (step >= groups.steps || line >= a.lines) return -1;
    return a.order ? load(a.order + line) : static_cast<int>(line);
}

template <class V>
GPU_FUNCTION line_rest open_line(const product_of_blocks<V> &a, int i) {
    if (i < 0) return {-1, 0, 0};
    int at = load(a.offsets + i);
    return {i, at, load(a.offsets + i + 1) - at};
}

template <class M, class V>
GPU_FUNCTION void list_blocks(const product_of_blocks<V> &a, const tile_lane<V> &l,
                              const line_rest &line, flight_blocks<M> &list) {
    GPU_UNROLL
    for (int f = 0; f < M::loads; f++) {
        int k = M::block_of(f, l.q);
        if (M::aligned && f > 0 && k == M::block_of(f - 1, l.q)) {
            list.other[f] = list.other[f - 1];
            list.slot[f] = list.slot[f - 1];
            continue;
        }
        bool there = k < line.left;
        list.other[f] =
            load_if(there, reinterpret_cast<const pack<int, 1> *>(a.others + line.at + k)).at[0];
        list.slot[f] = line.at + k;
        if constexpr (M::transposed) {
            list.slot[f] =
                load_if(there, reinterpret_cast<const pack<int, 1> *>(a.slots + line.at + k)).at[0];
        }
    }
}

/* Loads numbers, or zeros. awaited: a thread of this very grid may have written them, before it
 * said so. */
template <bool awaited, class T, int n>
GPU_FUNCTION pack<T, n> numbers_if(bool there, const pack<T, n> *p) {
    if constexpr (!awaited) return load_if(there, p);
    return there ? load_awaited(p) : pack<T, n>{};
}

/* Loads a flight; zeros stand for cells that a line does not have, both of A and of X. */
template <bool awaited, class M, class V>
GPU_FUNCTION void fetch(const product_of_blocks<V> &a, const tile_lane<V> &l, const line_rest &line,
                        const flight_blocks<M> &list, flight_numbers<M, V> &numbers) {
    const int size = M::size > 0 ? M::size : a.size, cells = size * size;
    GPU_UNROLL
    for (int f = 0; f < M::loads; f++) {
        int c = M::cell_of(f, l.q);
        bool there = M::block_of(f, l.q) < line.left && (M::size > 0 || c < size);
        const V *block = a.values + static_cast<int64_t>(list.slot[f]) * cells;
        unsigned row = static_cast<unsigned>(list.other[f] * size + c);
        GPU_UNROLL
        for (int t = 0; t < M::tall; t++) {
            int r = l.m + tile_side * t, cell = M::transposed ? c * size + r : r * size + c;
            numbers.a[f][t] = numbers_if<awaited>(
                there && r < size, reinterpret_cast<const pack<V, M::pair> *>(block + cell));
        }
        GPU_UNROLL
        for (int p = 0; p < M::pair; p++) {
            uint64_t at = static_cast<uint64_t>(row + p) * l.x_step;
            GPU_UNROLL
            for (int u = 0; u < M::wide; u++) {
                bool has = there && l.column + l.m + u * M::side < a.vectors;
                const V *x = l.x + u * (M::side * a.x.col_step);
                numbers.x[f][p][u] = numbers_if<awaited>(
                    has,
                    reinterpret_cast<const pack<V, 1> *>(reinterpret_cast<const char *>(x) + at));
            }
        }
    }
}

template <class M, class V>
GPU_FUNCTION void multiply_flight(const flight_numbers<M, V> &numbers,
                                  tile_f64 (&sum)[M::tall][M::wide]) {
    GPU_UNROLL
    for (int f = 0; f < M::loads; f++) {
        GPU_UNROLL
        for (int p = 0; p < M::pair; p++) {
            GPU_UNROLL
            for (int t = 0; t < M::tall; t++) {
                GPU_UNROLL
                for (int u = 0; u < M::wide; u++) {
                    multiply_add_8x8x4(sum[t][u], static_cast<double>(numbers.a[f][t].at[p]),
                                       static_cast<double>(numbers.x[f][p][u].at[0]));
                }
            }
        }
    }
}

/* Stores the numbers of Y that a lane has: two neighbours of a row of each tile. A lane whose two
 * neighbours are outside of the square of its own line stores nothing. */
template <class M, class V>
GPU_FUNCTION void finish_line(const product_of_blocks<V> &a, const tile_lane<V> &l, int i,
                              const tile_f64 (&sum)[M::tall][M::wide]) {
    const int size = M::size > 0 ? M::size : a.size;
    double alpha = static_cast<double>(a.alpha.value()), beta = static_cast<double>(a.beta.value());
    if (i < 0 || 2 * l.q / M::side != l.line) return;
    GPU_UNROLL
    for (int t = 0; t < M::tall; t++) {
        int r = l.m + tile_side * t;
        int64_t row = static_cast<int64_t>(i) * size + r;
        if (r >= size || row >= a.rows) continue;
        GPU_UNROLL
        for (int u = 0; u < M::wide; u++) {
            int column = l.column + u * M::side + 2 * l.q % M::side;
            GPU_UNROLL
            for (int h = 0; h < 2; h++) {
                if (column + h >= a.vectors) continue;
                V *y = a.y.at(row, column + h);
                double number = alpha * sum[t][u].c[h];
                if (beta != 0) number += beta * static_cast<double>(*y);
                *y = static_cast<V>(number);
            }
        }
    }
}

/* Computes the tiles of Y's columns from `column` on. All lanes call it. */
template <class M, bool awaited, class V>
GPU_FUNCTION void multiply_groups(const product_of_blocks<V> &a, const line_groups &groups,
                                  int column) {
    const int n = static_cast<int>(lane()) / 4, m = n % M::side;
    const tile_lane<V> l = {static_cast<int>(lane()) % 4,
                            n / M::side,
                            m,
                            column,
                            a.x.at(0, column + m),
                            static_cast<unsigned>(a.x.row_step * sizeof(V))};
    line_rest now = open_line(a, line_at<M>(a, l, groups, 0));
    line_rest next = open_line(a, line_at<M>(a, l, groups, 1));
    int later = line_at<M>(a, l, groups, 2);
    flight_blocks<M> list;
    list_blocks(a, l, now, list);
    GPU_KEEP_LOOP
    for (int step = 0; any(full_warp, now.i >= 0); step++) {
        line_rest after = open_line(a, later);
        later = line_at<M>(a, l, groups, step + 3);
        const int i = now.i;
        tile_f64 sum[M::tall][M::wide] = {};
        bool more = true;
        GPU_KEEP_LOOP
        while (more) {
            flight_numbers<M, V> numbers;
            fetch<awaited>(a, l, now, list, numbers);
            more = any(full_warp, now.left > M::blocks);
            now.i = more ? now.i : next.i;
            now.at = more ? now.at + M::blocks : next.at;
            now.left = more ? now.left - M::blocks : next.left;
            list_blocks(a, l, now, list);
            multiply_flight<M>(numbers, sum);
        }
        finish_line<M>(a, l, i, sum);
        next = after;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
