/* SPDX-License-Identifier: Apache-2.0 */
/* CSR times a row-major multivector, in equal pieces for rows of any lengths. A block has a tile of
 * the merge path (merge_tile.cuh), which is cut once more along the path into equal parts, one for
 * each group of lanes; the lanes of a group share the columns of a row of Y as in spmm_row.cuh. A
 * group goes through its entries and finishes a row where one ends. The sum of its first row is
 * completed by the sums that groups before it have left of that row. The sum that a tile leaves of
 * an unfinished row is a carry, which a second kernel adds to its row. All sums have a fixed
 * order. */
#include "core/search.h"
#include "spmv/gpu/merge_tile.cuh"
#include "spmv/gpu/spmm_row.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { LANES };
const int lanes_values[] = {1, 2, 4, 8, 16, 32};
const tulle__param params[] = {{"lanes",
                                "threads that share a row, at least; more where columns ask for it",
                                6, lanes_values}};

constexpr int threads = 128, tile_items = 1024;

/* Carries of rows that do not end in their tiles: for each tile one number for each column of Y. */
template <class V>
struct carries {
    int64_t *row; /* row of each carry; -1: nothing is carried */
    V *sum;
};

int64_t tiles_of(const tulle__spmv_shape *shape) {
    return tulle__ceil_div(shape->rows + shape->nnz, tile_items);
}

/* Returns the number of rows that end before item d of the tile. */
GPU_FUNCTION int rows_before(shared<int> ends, int rows, int entries, int d) {
    int low = d > entries ? d - entries : 0;
    TULLE__LOWER_BOUND(low, d < rows ? d : rows, middle, ends[middle] + middle < d);
    return low;
}

/* A team's rows, from the first that ends in its part of the tile to the first that does not. */
template <int width, int tiles, class V, class O, class C>
struct team_rows {
    const row_block<V, O, C> &b;
    const lane_columns<width, tiles> &mine;
    shared<int> ends; /* ends of the tile's rows, as entries of the tile */
    shared<V> head;   /* the lane's own head */
    int64_t tile_row; /* number of the tile's first row */
    int row, last;    /* rows of the tile: the team's current one and its last */
    int next;         /* end of the row */
    bool has_head;
    pack<V, width> sum[tiles];

    GPU_FUNCTION void look() { next = row < last ? static_cast<int>(ends[row]) : INT32_MAX; }

    /* Ends the row. */
    GPU_FUNCTION void finish() {
        if (has_head) {
            write();
        } else {
            keep(head);
        }
        has_head = true;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) sum[t] = {};
        row++;
        look();
    }
    GPU_FUNCTION void write() const {
        V *y = b.a.y + (tile_row + row) * b.ldy;
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            if (mine.column[t] < 0) continue;
            finish_word(b.a.alpha, sum[t], b.a.beta, y + mine.column[t]);
        }
    }
    GPU_FUNCTION void keep(shared<V> where) const {
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            GPU_UNROLL
            for (int w = 0; w < width; w++) where[t * width + w] = sum[t].at[w];
        }
    }
    /* Sets the sums to those of the tails of the teams from `team` to before `end`, in this
     * order, and of `more`. */
    GPU_FUNCTION void collect(shared<V> tail, int team, int end) {
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) sum[t] = {};
        for (; team < end; team++) add(tail + team * b.lanes * width * tiles);
    }
    GPU_FUNCTION void add(shared<V> where) {
        GPU_UNROLL
        for (int t = 0; t < tiles; t++) {
            GPU_UNROLL
            for (int w = 0; w < width; w++) sum[t].at[w] += where[t * width + w];
        }
    }
};

/* Returns the last team before `team` that has ended a row: the next head's sum begins with its
 * tail. */
GPU_FUNCTION int last_with_head(shared<int> has_head, int team) {
    int before = team - 1;
    while (before > 0 && has_head[before] == 0) before--;
    return before < 0 ? 0 : before;
}

template <int width, int tiles, class V, class O, class C>
GPU_KERNEL GPU_RESIDENT(threads, 8) void multiply_tile(row_block<V, O, C> b, const O *marks,
                                                       carries<V> s) {
    constexpr int words = width * tiles;
    GPU_SHARED(int, ends, tile_items);
    GPU_SHARED(int, has_head, threads);
    GPU_SHARED(V, head, threads * words);
    GPU_SHARED(V, tail, threads * words);
    int me = static_cast<int>(thread()), team = me / b.lanes, teams = threads / b.lanes;
    int lane = me % b.lanes, items = tile_items / teams;
    merge_tile<O> tile = find_tile(marks, tile_items, b.a.offsets, b.a.rows, b.a.nnz);
    for (int r = me; r < tile.rows; r += threads) {
        ends[r] = tile.local(load(b.a.offsets + tile.row + r + 1));
    }
    sync();
    int all = tile.rows + tile.entries, d = team * items < all ? team * items : all;
    int d_end = d + items < all ? d + items : all;
    int first_row = rows_before(ends, tile.rows, tile.entries, d);
    int last_row = rows_before(ends, tile.rows, tile.entries, d_end);
    lane_columns<width, tiles> mine(b, lane);
    team_rows<width, tiles, V, O, C> rows = {
        b, mine, ends, head + me * words, tile.row, first_row, last_row, 0, false, {}};
    rows.look();
    row_entries<O> part = {tile.entry + static_cast<O>(d - first_row),
                           tile.entry + static_cast<O>(d_end - last_row)};
    walk_row(
        b.a, part, end_of_groups(b.a, b.aligned),
        [&](O first, const group_part &own, const auto &column, const auto &value) {
            constexpr int together = group_size / tiles;
            int local = static_cast<int>(first - tile.entry);
            GPU_UNROLL
            for (int g = 0; g < group_size; g += together) {
                pack<V, width> x[together][tiles];
                GPU_UNROLL
                for (int f = 0; f < together; f++) {
                    load_x(b, mine, column.at[g + f], own.has(g + f), x[f]);
                }
                GPU_UNROLL
                for (int f = 0; f < together; f++) {
                    if (!own.has(g + f)) continue;
                    while (rows.next <= local + g + f) rows.finish();
                    add_product(value.at[g + f], x[f], rows.sum);
                }
            }
        },
        [&](O entry, C column, V value) {
            while (rows.next <= static_cast<int>(entry - tile.entry)) rows.finish();
            pack<V, width> x[tiles];
            load_x(b, mine, column, true, x);
            add_product(value, x, rows.sum);
        });
    while (rows.row < last_row) rows.finish();
    rows.keep(tail + me * words);
    if (lane == 0) has_head[team] = rows.has_head;
    sync();

    shared<V> tails = tail + lane * words;
    if (rows.has_head) {
        rows.row = first_row;
        rows.collect(tails, last_with_head(has_head, team), team);
        rows.add(head + me * words);
        rows.write();
    }
    if (team < teams - 1) return;
    int ended = tile.rows > 0 ? static_cast<int>(ends[tile.rows - 1]) : 0;
    if (lane == 0) s.row[block()] = tile.entries > ended ? tile.row + tile.rows : -1;
    rows.collect(tails, last_with_head(has_head, teams), teams);
    V *carry = s.sum + static_cast<int64_t>(block()) * b.columns;
    GPU_UNROLL
    for (int t = 0; t < tiles; t++) {
        if (mine.column[t] < 0) continue;
        *reinterpret_cast<pack<V, width> *>(carry + mine.column[t]) = rows.sum[t];
    }
}

/* Adds carries, one warp per tile: the first tile that carries to a row adds up all carries to it.
 * They stand one after the other, because rows ascend. */
template <class V>
GPU_KERNEL void add_carries(int64_t tiles, int columns, carries<V> s, scalar<V> alpha, V *y,
                            int64_t ldy) {
    int64_t t = (static_cast<int64_t>(block()) * block_size() + thread()) / 32;
    int64_t row = t < tiles ? s.row[t] : -1;
    bool first = row >= 0 && (t == 0 || s.row[t - 1] != row);
    for (int c = 0; c < columns; c++) {
        V sum = 0;
        if (first) {
            for (int64_t u = t + lane(); u < tiles && s.row[u] == row; u += 32) {
                sum += s.sum[u * columns + c];
            }
        }
        GPU_UNROLL
        for (unsigned delta = 16; delta > 0; delta /= 2) sum += shuffle_down(full_warp, sum, delta);
        if (first && lane() == 0) y[row * ldy + c] += alpha.value() * sum;
    }
}

template <int width, class V, class O, class C>
tulle_status launch_tiles(const tulle__spmv_task *task, row_block<V, O, C> b) {
    int64_t tiles = tiles_of(&task->shape);
    const O *marks = static_cast<const O *>(task->marks);
    carries<V> s = {};
    parts scratch(task->place, task->workspace);
    GPU_TRY(scratch.take(tiles, &s.row));
    GPU_TRY(scratch.take(tiles * b.columns, &s.sum));
    int words = (b.columns + width - 1) / width;
    b.lanes = enough_lanes(task->params[LANES], words);
    grid g = {tiles, threads};
    if (words <= b.lanes) {
        GPU_TRY(launch(task->place, multiply_tile<width, 1, V, O, C>, g, b, marks, s));
    } else {
        GPU_TRY(launch(task->place, multiply_tile<width, most_tiles, V, O, C>, g, b, marks, s));
    }
    constexpr int warps = 4;
    return launch(task->place, add_carries<V>, {tulle__ceil_div(tiles, warps), 32 * warps}, tiles,
                  b.columns, s, b.a.alpha, b.a.y, b.ldy);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    if (!task->marks) return TULLE_UNSUPPORTED;
    return each_row_block(make_product<V, O, C>(task), task->shape.vectors, task->ldx, task->ldy,
                          [=](auto width, const row_block<V, O, C> &b) {
                              return launch_tiles<decltype(width)::value>(task, b);
                          });
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    values[LANES] = lanes_for_columns(shape);
}

bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->x_layout == TULLE_ROW_MAJOR && shape->y_layout == TULLE_ROW_MAJOR &&
           holds_groups(shape) && tiles_of(shape) < INT32_MAX;
}

/* Bytes of a tile's carry: a number for each column. */
int64_t sum_bytes(const tulle__spmv_shape *shape) {
    int64_t columns = shape->vectors < most_columns ? shape->vectors : most_columns;
    return columns * tulle_type_size(shape->type);
}

size_t workspace(const tulle__spmv_shape *shape, const int *) {
    int64_t tiles = tiles_of(shape);
    return part_bytes<int64_t>(tiles) + part_bytes<char>(tiles * sum_bytes(shape));
}

/* Bytes: A once for every launch; carries are written and read. */
int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    int64_t carried =
        2 * tiles_of(shape) * (static_cast<int64_t>(sizeof(int64_t)) + sum_bytes(shape));
    return block_bytes(shape, beta_zero) + (launches_of(shape) - 1) * matrix_bytes(shape) +
           launches_of(shape) * carried;
}

/* Cost: even work whatever the rows, for a second kernel in each launch. A model without a fit. */
double cost(const tulle__spmv_shape *shape, const int *) {
    double launches = static_cast<double>(launches_of(shape));
    double memory = 1.35 * (static_cast<double>(tulle__spmv_minimal_bytes(shape, true)) +
                            (launches - 1) * static_cast<double>(matrix_bytes(shape)));
    double gather = 1.3 * gather_cost(shape);
    return 3 * launches * launch_cost(shape) + (memory > gather ? memory : gather);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_merge);
const tulle__spmv_kernel GPU_SYMBOL(spmm_csr_merge) = {
    .head = {.name = "spmm_csr_merge",
             .summary = "row-major: tiles of a merge path, cut once more for teams of lanes",
             .source = "Merrill and Garland, SC 2016; Yang, Buluc and Owens, Euro-Par 2018",
             .format = TULLE_CSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__REPEATABLE,
             .param_count = 1,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
