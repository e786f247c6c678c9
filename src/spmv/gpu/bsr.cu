/* SPDX-License-Identifier: Apache-2.0 */
/* BSR. For blocks of the usual shapes, a kernel each (bsr_row.cuh). Other blocks: a lane has a row
 * of a block and walks its columns. A^T x, any blocks: a lane has a column of a block, walks its
 * rows, and adds its sum to y with an atomic. Saad, BSR format; lanes that share a row after Reguly
 * and Giles (2012). */
#include "spmv/gpu/bsr_row.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { AT_ONCE, BLOCK, WARPS };
const int at_once_values[] = {1, 32};
const int warps_values[] = {1, bsr_team};
const int block_values[] = {64, 128, 256};
const tulle__param params[] = {
    {"at_once", "blocks of a block row that a warp works on at once, if it has room", 2,
     at_once_values},
    {"block", "threads of a block of the grid, where a block row has one warp", 3, block_values},
    {"warps", "warps of a block row, for blocks of the usual shapes", 2, warps_values}};

/* y := alpha A x + beta y, row by row. */
template <class V>
struct rows_of_y {
    V *y;
    scalar<V> alpha, beta;
    GPU_FUNCTION void fetch(int, int64_t) const {}
    GPU_FUNCTION void take(int, int64_t at, V sum) const {
        y[at] = combine(alpha.value(), sum, beta.value(), y + at);
    }
};

template <class S, bool masked, class V, class C>
GPU_KERNEL void forward(bsr_product<V, C> a) {
    allow_next();
    await_previous();
    rows_of_y<V> rows = {a.y, a.alpha, a.beta};
    bsr_rows<S, masked>(a, rows);
}

template <class S, class V, class C>
tulle_status start(const tulle__spmv_task *task, const bsr_product<V, C> &a) {
    grid g = S::warps > 1 ? grid{a.block_rows, 32 * S::warps}
                          : bsr_grid(a.block_rows, S::block_rows, task->params[BLOCK]);
    if (a.mask) return launch_early(task->place, forward<S, true, V, C>, g, a);
    return launch_early(task->place, forward<S, false, V, C>, g, a);
}

template <int tall, int wide, int height, class V, class C>
tulle_status start_size(const tulle__spmv_task *task, const bsr_product<V, C> &a) {
    constexpr int most = 32 / (height * wide);
    if (task->params[WARPS] > 1)
        return start<bsr_shape<tall, wide, height, most, bsr_team>>(task, a);
    if (task->params[AT_ONCE] == 1) return start<bsr_shape<tall, wide, height, 1>>(task, a);
    return start<bsr_shape<tall, wide, height, most>>(task, a);
}

template <class V, class C>
tulle_status start_any(const tulle__spmv_task *task, const bsr_product<V, C> &a) {
    const bool forward = task->shape.trans == TULLE_N;
    int lanes_a_block = forward ? a.tall : a.wide;
    int at_once = task->params[AT_ONCE] == 1 ? 1 : 32 / lanes_a_block;
    grid g = bsr_grid(a.block_rows, 32 / (at_once * lanes_a_block), task->params[BLOCK]);
    if (forward) {
        return launch_early(task->place, forward_any<V, C>, g, a, at_once);
    }
    GPU_TRY(scale(task->place, a.cols, a.beta, a.y));
    return launch(task->place, transposed<V, C>, g, a, at_once);
}

/* Square blocks of the usual sizes with 32-bit columns have kernels of their own, and so have those
 * between displacements and rigid motions in the plane and in space. */
template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    constexpr int most = 32; /* above any number of columns */
    bsr_product<V, C> a = make_bsr_product<V, O, C>(task);
    if constexpr (sizeof(C) == 4) {
        switch (task->shape.trans == TULLE_N ? a.tall * most + a.wide : 0) {
            case 2 * most + 2:
                return start_size<2, 2, 2>(task, a);
            case 3 * most + 3:
                return start_size<3, 3, 3>(task, a);
            case 4 * most + 4:
                return start_size<4, 4, 4>(task, a);
            case 5 * most + 5:
                return start_size<5, 5, 5>(task, a);
            case 6 * most + 6:
                return start_size<6, 6, 3>(task, a);
            case 8 * most + 8:
                return start_size<8, 8, 4>(task, a);
            case 16 * most + 16:
                return start_size<16, 16, 2>(task, a);
            case 2 * most + 3:
                return start_size<2, 3, 2>(task, a);
            case 3 * most + 2:
                return start_size<3, 2, 3>(task, a);
            case 3 * most + 6:
                return start_size<3, 6, 1>(task, a);
            case 6 * most + 3:
                return start_size<6, 3, 2>(task, a);
        }
    }
    return start_any(task, a);
}

/* Sets one block at once unless block rows are long. */
void defaults(const tulle__spmv_shape *shape, int *values) {
    values[AT_ONCE] = bsr_rows_are_short(shape) ? 1 : 32;
    values[BLOCK] = 64;
    values[WARPS] = bsr_rows_are_few(shape) ? bsr_team : 1;
}

/* Bytes: x once for each cell; of A^T x, y is loaded and stored once for each column of a block. */
int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    const tulle_storage *s = shape->storage;
    int64_t value = tulle_type_size(shape->type),
            minimal = tulle__spmv_minimal_bytes(shape, beta_zero);
    if (shape->trans == TULLE_N) return minimal + (s->stored - shape->cols) * value;
    return minimal +
           (s->stored - shape->rows + 2 * tulle__bsr_blocks(s) * tulle__block_cols(s)) * value;
}

/* Cost by a model without a fit: no other kernel competes. */
double cost(const tulle__spmv_shape *shape, const int *) {
    int launches = shape->trans == TULLE_N ? 1 : 2;
    return launches * launch_cost(shape) +
           1.05 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_bsr);
const tulle__spmv_kernel GPU_SYMBOL(spmv_bsr) = {
    .head = {.name = "spmv_bsr",
             .summary = "lanes share out a block cell by cell; several blocks of a row at once",
             .source = "Saad, BSR format; Reguly and Giles 2012, cooperating threads",
             .format = TULLE_BSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
