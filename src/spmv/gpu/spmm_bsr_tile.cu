/* SPDX-License-Identifier: Apache-2.0 */
/* BSR of square blocks without padding times a multivector on the matrix units for doubles
 * (bsr_tile.cuh).
 *
 * Lines by length and block columns of the same blocks after Afanasyev, Potapov, Sobolev and
 * Kharchenko, YSC 2015, whose groups of size^2 threads a line are a warp here. */
#include <cmath>

#include "spmv/gpu/bsr_tile.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BY_LENGTH, STEPS, BLOCK };
const int steps_values[] = {1, 2, 4, 8, 16};
const int block_values[] = {128, 256};
const tulle__param params[] = {
    {"by_length", by_length_text, 2, by_length_values},
    {"steps", "groups of lines that a warp works through", 5, steps_values},
    {"block", "threads of a block of the grid", 2, block_values}};

constexpr int most_threads = 256;

template <class M, class V>
GPU_KERNEL GPU_RESIDENT(most_threads,
                        (tile_resident<M, V>)) void multiply_tiles(product_of_blocks<V> a,
                                                                   int steps, int passes) {
    const int warps = static_cast<int>(block_size()) / 32,
              pass = static_cast<int>(block()) % passes;
    const int64_t first = static_cast<int64_t>(block()) / passes * steps * warps + thread() / 32;
    multiply_groups<M, false>(a, {first, warps, steps}, pass * (M::wide * M::side));
}

/* Number of tiles that all columns take, as many as fit beside each other into one, and of those
 * of a pass. */
int tiles_for(int64_t size, int64_t vectors) {
    const int side = size == 2 ? 2 : size == 3 || size == 4 ? 4 : tile_side;
    return static_cast<int>(tulle__ceil_div(vectors, side));
}
int tiles_of_pass(int64_t size, int64_t vectors) {
    if (size > tile_side) return 2;
    return tiles_for(size, vectors) == 1 ? 1 : 4;
}
int64_t passes_of(const tulle__spmv_shape *shape) {
    const int64_t size = shape->storage->block;
    return tulle__ceil_div(tiles_for(size, shape->vectors), tiles_of_pass(size, shape->vectors));
}

int lines_of_warp(int64_t size) {
    return size == 2 ? 4 : size == 3 || size == 4 ? 2 : 1;
}

template <class M, class V>
tulle_status start(const tulle__spmv_task *task) {
    const int *values = task->params;
    const int64_t passes = passes_of(&task->shape);
    auto a = make_block_product<V, int32_t, int32_t>(task, values[BY_LENGTH] != 0);
    /* A load of several cells is aligned as they are together; steps have 32 bits. */
    if (!is_aligned(a.values, M::pair * sizeof(V))) return TULLE_UNSUPPORTED;
    if (a.x.row_step > INT32_MAX / 8 || a.vectors > INT32_MAX / 2) return TULLE_UNSUPPORTED;
    const int64_t group = int64_t{values[BLOCK]} / 32 * values[STEPS] * M::lines;
    grid g = {tulle__ceil_div(a.lines, group) * passes, values[BLOCK]};
    return launch(task->place, multiply_tiles<M, V>, g, a, values[STEPS], static_cast<int>(passes));
}

template <int size, int tall, int wide, class V>
tulle_status start_way(const tulle__spmv_task *task) {
    if (task->shape.trans == TULLE_N) return start<line_mapping<size, tall, wide, false>, V>(task);
    return start<line_mapping<size, tall, wide, true>, V>(task);
}

template <int size, class V>
tulle_status start_small(const tulle__spmv_task *task) {
    if (tiles_of_pass(size, task->shape.vectors) == 1) return start_way<size, 1, 1, V>(task);
    return start_way<size, 1, 4, V>(task);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const int64_t size = task->shape.storage->block;
    switch (size) {
        case 2:
            return start_small<2, V>(task);
        case 3:
            return start_small<3, V>(task);
        case 4:
            return start_small<4, V>(task);
        case 5:
            return start_small<5, V>(task);
        case 8:
            return start_small<8, V>(task);
        case 16:
            return start_way<16, 2, 2, V>(task);
        default:
            break;
    }
    if (size > tile_side) return start_way<0, 2, 2, V>(task);
    return tiles_of_pass(size, task->shape.vectors) == 1 ? start_way<0, 1, 1, V>(task)
                                                         : start_way<0, 1, 4, V>(task);
}

/* Sets the steps: more as long as there are some warps for each that may run at once. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    constexpr int64_t resident = 24, rounds = 4;
    int64_t warps = tulle__ceil_div(lines_of(shape), lines_of_warp(shape->storage->block));
    int64_t enough = resident * rounds * shape->device->multiprocessors;
    values[BY_LENGTH] = by_length_for(shape);
    values[BLOCK] = most_threads;
    values[STEPS] = 1;
    while (values[STEPS] < 16 && warps * passes_of(shape) > int64_t{2} * values[STEPS] * enough) {
        values[STEPS] *= 2;
    }
}

/* False where there is padding: where it meets Inf in X, the units would not leave it out. False
 * where blocks are not square, for which no mapping to tiles is compiled. */
bool eligible(const tulle__spmv_shape *shape, const int *) {
    return shape->storage->full && tulle__square_blocks(shape->storage);
}

bool wants_lines(const tulle__spmv_shape *shape, const int *values) {
    return shape->trans == TULLE_T || values[BY_LENGTH] != 0;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *values, bool beta_zero) {
    return block_lines_bytes(shape, values[BY_LENGTH] != 0, passes_of(shape), beta_zero);
}

/* Cost: the slowest of memory; of the L1, from which A and X come, X once for each block; and of
 * the units, which take tiles whole. A model without a fit. */
double cost(const tulle__spmv_shape *shape, const int *) {
    constexpr double l1_to_copy = 6.9, busy = 0.5, uneven = 0.5;
    const int arch = shape->device->architecture;
    /* Number of products of f64 in the time of a copied byte; consumer's GPUs have a
     * sixty-fourth of it. */
    const double products = arch == 80 || arch == 90 || arch == 100 ? 6 : 0.1;
    const double size = static_cast<double>(shape->storage->block);
    const double side = size <= tile_side ? tile_side : 2 * tile_side;
    double passes = static_cast<double>(passes_of(shape));
    double stored = static_cast<double>(shape->storage->stored);
    double memory = 1.15 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
    double numbers = stored * passes * static_cast<double>(tulle_type_size(shape->type)) +
                     vector_bytes(shape, stored / size);
    double tiles = tiles_for(shape->storage->block, shape->vectors);
    double units = stored / size * side * tile_side * tiles /
                   (lines_of_warp(shape->storage->block) * products);
    double slowest = fmax(memory, fmax(numbers / (l1_to_copy * busy), units));
    return launch_cost(shape) + (1 + uneven * by_length_for(shape)) * slowest;
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmm_bsr_tile);
const tulle__spmv_kernel GPU_SYMBOL(spmm_bsr_tile) = {
    .head = {.name = "spmm_bsr_tile",
             .summary =
                 "square blocks, no padding: a warp a line of blocks, on the matrix units for "
                 "doubles",
             .source = "Afanasyev, Potapov, Sobolev and Kharchenko, YSC 2015, section 3.3",
             .format = TULLE_BSR,
             .flags = TULLE__MULTIVECTOR | TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE |
                      TULLE__REPEATABLE_T,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .wants_lines = gpu::wants_lines,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_I32(gpu::run),
};
