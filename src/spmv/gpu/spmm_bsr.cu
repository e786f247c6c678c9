/* SPDX-License-Identifier: Apache-2.0 */
/* BSR times a multivector, for blocks of any shape, with and without padding: a thread has a row
 * of a block row of op(A) and a few columns of Y, and walks the cells of that row, block by
 * block. For A^T X lines are block columns and cells are read down the columns of each block
 * (block_lines.h), so that nothing is added atomically. Padding is left out cell by cell: the
 * numbers of X there are not looked at. Lines are taken by length, as Afanasyev, Potapov,
 * Sobolev and Kharchenko do, where lengths vary. */
#include "spmv/gpu/spmm_bsr.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BY_LENGTH, BLOCK };
const int block_values[] = {64, 128, 256};
const tulle__param params[] = {{"by_length", by_length_text, 2, by_length_values},
                               {"block", "threads of a block of the grid", 3, block_values}};

constexpr int wide = 4;   /* number of columns of Y that a thread has */
constexpr int flight = 4; /* number of cells that it asks for before it uses the first */

/* A thread's numbers of Y: row i * size + r, columns from `column` on. */
struct share {
    int64_t i, column;
    int r;
};

template <class V, class O, class C>
GPU_FUNCTION bool find_share(const block_product<V, O, C> &a, int64_t passes, share *mine) {
    int64_t at = static_cast<int64_t>(block()) * block_size() + thread(), size = a.size;
    int64_t line = at / size / passes;
    if (line >= a.lines) return false;
    mine->r = static_cast<int>(at % size);
    mine->column = at / size % passes * wide;
    mine->i = a.order ? static_cast<int64_t>(load(a.order + line)) : line;
    return mine->i * size + mine->r < a.rows;
}

/* Adds cells first to first + flight - 1 of the thread's row of a block, those that it has and
 * that are entries. block: number of the block; from: the first row of X that it meets. */
template <class V, class O, class C>
GPU_FUNCTION void add_cells(const block_product<V, O, C> &a, const share &mine, int64_t block,
                            int64_t from, int first, V (&sum)[wide]) {
    V value[flight], x[flight][wide];
    bool entry[flight];
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        int k = first + f, cell = a.slots ? k * a.size + mine.r : mine.r * a.wide + k;
        int words = (a.size * a.wide + 31) / 32;
        entry[f] = k < a.wide &&
                   (!a.mask || (load(a.mask + block * words + cell / 32) >> (cell % 32) & 1u));
        value[f] = V(0);
        if (entry[f]) value[f] = load(a.values + block * a.size * a.wide + cell);
        GPU_UNROLL
        for (int w = 0; w < wide; w++) {
            x[f][w] = V(0);
            if (!entry[f] || mine.column + w >= a.vectors) continue;
            x[f][w] = load(a.x.at(from + k, mine.column + w));
        }
    }
    GPU_UNROLL
    for (int f = 0; f < flight; f++) {
        GPU_UNROLL
        for (int w = 0; w < wide; w++) {
            if (entry[f]) sum[w] += value[f] * x[f][w];
        }
    }
}

template <class V, class O, class C>
GPU_KERNEL void multiply_lines(block_product<V, O, C> a, int64_t passes) {
    share mine;
    if (!find_share(a, passes, &mine)) return;
    V sum[wide] = {};
    O end = load(a.offsets + mine.i + 1);
    for (O at = load(a.offsets + mine.i); at < end; at++) {
        int64_t number = a.slots ? load(a.slots + at) : at;
        int64_t from = static_cast<int64_t>(load(a.others + at)) * a.wide;
        for (int first = 0; first < a.wide; first += flight) {
            add_cells(a, mine, number, from, first, sum);
        }
    }
    V alpha = a.alpha.value(), beta = a.beta.value();
    for (int w = 0; w < wide && mine.column + w < a.vectors; w++) {
        V *y = a.y.at(mine.i * a.size + mine.r, mine.column + w);
        *y = combine(alpha, sum[w], beta, y);
    }
}

int64_t passes_of(const tulle__spmv_shape *shape) {
    return tulle__ceil_div(shape->vectors, wide);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    const int threads = task->params[BLOCK];
    const int64_t passes = passes_of(shape);
    auto a = make_block_product<V, O, C>(task, task->params[BY_LENGTH] != 0);
    grid g = {tulle__ceil_div(a.lines * a.size * passes, threads), threads};
    return launch(task->place, multiply_lines<V, O, C>, g, a, passes);
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    values[BY_LENGTH] = by_length_for(shape);
    values[BLOCK] = 128;
}

bool wants_lines(const tulle__spmv_shape *shape, const int *values) {
    return shape->trans == TULLE_T || values[BY_LENGTH] != 0;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return block_lines_bytes(shape, values[BY_LENGTH] != 0, passes_of(shape), beta_zero);
}

/* Cost: the slower of memory and L1, which hands out `wide` numbers of X and one of A for as
 * many products. A model without a fit. */
double cost(const tulle__spmv_shape *shape, const int *) {
    constexpr double l1_to_copy = 6.9, busy = 0.5;
    double memory = 1.3 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double products = vector_bytes(shape, static_cast<double>(shape->storage->stored));
    double l1 = products * (wide + 1) / wide / (l1_to_copy * busy);
    return launch_cost(shape) + (memory > l1 ? memory : l1);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_bsr);
const tulle__spmv_kernel GPU_SYMBOL(spmm_bsr) = {
    .head = {.name = "spmm_bsr",
             .summary = "a thread a row of a block and four columns; padding left out cell by cell",
             .source =
                 "Afanasyev, Potapov, Sobolev and Kharchenko, YSC 2015, section 3.3: lines by "
                 "length, block columns of the same blocks",
             .format = TULLE_BSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE |
                      TULLE__REPEATABLE_T | TULLE__REFERENCE,
             .param_count = 2,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .wants_lines = gpu::wants_lines,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
