/* SPDX-License-Identifier: Apache-2.0 */
/* DIA: one thread per row, or several that lie 32 apart, so that a warp's loads of values, and of
 * x, are whole lines and its rows' bits of the mask are a word of each diagonal (Bell and Garland,
 * SC 2009, section 4.1). Lane l first loads the shift and the word of diagonal l; then the warp
 * walks the diagonals, and the loads of values and x, only where there is an entry, do not wait
 * for each other. A^T x is the same walk: y[j] takes from each diagonal the slot of row j -
 * shift. Both gather, in a fixed order. */
#include "spmv/gpu/csr.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { ROWS, LOADS, BLOCK };
const int rows_values[] = {1, 2, 4};
const int loads_values[] = {4, 8};
const int block_values[] = {128, 256, 512};
const tulle__param params[] = {{"rows", "rows of a thread", 3, rows_values},
                               {"loads", "values that a thread has in flight", 2, loads_values},
                               {"block", "threads of a block", 3, block_values}};

template <class V, class C>
struct dia_product {
    int64_t outputs; /* number of y's numbers */
    int64_t width, stride;
    const C *shifts; /* shift j - i of each diagonal */
    const V *values;
    const uint32_t *mask;
    const V *x;
    V *y;
    scalar<V> alpha, beta;
};

/* Bits of the mask for 32 rows of a diagonal from any row on; 0 for rows outside. */
GPU_FUNCTION uint32_t entries_from(const uint32_t *mask, int64_t words, int64_t row) {
    int64_t word = row >> 5;
    int bit = static_cast<int>(row & 31);
    uint32_t low = word >= 0 && word < words ? load(mask + word) : 0;
    uint32_t high = bit > 0 && word + 1 >= 0 && word + 1 < words ? load(mask + word + 1) : 0;
    return low >> bit | high << 1 << (31 - bit);
}

template <bool transposed, int rows, int flight, class V, class C>
GPU_KERNEL void multiply(dia_product<V, C> a) {
    allow_next();
    await_previous();
    int64_t warp = (static_cast<int64_t>(block()) * block_size() + thread()) / 32;
    int64_t group = warp * 32 * rows, i = group + lane(), words = a.stride / 32;
    V sum[rows] = {};
    for (int64_t base = 0; base < a.width; base += 32) {
        C my_shift = 0;
        uint32_t my_entries[rows] = {};
        if (base + lane() < a.width) {
            my_shift = load(a.shifts + base + lane());
            GPU_UNROLL
            for (int r = 0; r < rows; r++) {
                int64_t row = group + int64_t{32} * r - (transposed ? my_shift : 0);
                my_entries[r] = entries_from(a.mask + (base + lane()) * words, words, row);
            }
        }
        int count = a.width - base < 32 ? static_cast<int>(a.width - base) : 32;
        const V *x_here = a.x + i, *values_here = a.values + base * a.stride + i;
        GPU_KEEP_LOOP
        for (int first = 0; first < count; first += flight) {
            V value[flight][rows], x[flight][rows];
            bool entry[flight][rows];
            GPU_UNROLL
            for (int f = 0; f < flight; f++) {
                C shift = shuffle(full_warp, my_shift, first + f);
                GPU_UNROLL
                for (int r = 0; r < rows; r++) {
                    uint32_t entries = shuffle(full_warp, my_entries[r], first + f);
                    entry[f][r] = entries >> lane() & 1u;
                    if (entry[f][r]) {
                        const V *slot = values_here + r * 32;
                        value[f][r] = load_once(transposed ? slot - shift : slot);
                        x[f][r] = load_awaited(transposed ? x_here + r * 32 - shift
                                                          : x_here + r * 32 + shift);
                    }
                }
                values_here += a.stride;
            }
            GPU_UNROLL
            for (int f = 0; f < flight; f++) {
                GPU_UNROLL
                for (int r = 0; r < rows; r++) {
                    if (entry[f][r]) sum[r] += value[f][r] * x[f][r];
                }
            }
        }
    }
    GPU_UNROLL
    for (int r = 0; r < rows; r++) {
        int64_t at = i + int64_t{32} * r;
        if (at < a.outputs) a.y[at] = combine(a.alpha.value(), sum[r], a.beta.value(), a.y + at);
    }
}

template <int rows, int loads, class V, class C>
tulle_status start(const tulle__spmv_task *task, const dia_product<V, C> &a) {
    int64_t threads = task->params[BLOCK];
    grid g = {(a.outputs + threads * rows - 1) / (threads * rows), task->params[BLOCK]};
    if (task->shape.trans == TULLE_N) {
        return launch_early(task->place, multiply<false, rows, loads / rows, V, C>, g, a);
    }
    return launch_early(task->place, multiply<true, rows, loads / rows, V, C>, g, a);
}

template <int loads, class V, class C>
tulle_status start_rows(const tulle__spmv_task *task, const dia_product<V, C> &a) {
    switch (task->params[ROWS]) {
        case 1:
            return start<1, loads>(task, a);
        case 2:
            return start<2, loads>(task, a);
        default:
            return start<4, loads>(task, a);
    }
}

/* Type O is of no use here: DIA has no offsets. */
template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    const tulle__spmv_shape *shape = &task->shape;
    bool forward = shape->trans == TULLE_N;
    dia_product<V, C> a = {forward ? shape->rows : shape->cols,
                           shape->storage->width,
                           shape->storage->stride,
                           static_cast<const C *>(task->cols_of),
                           static_cast<const V *>(task->values),
                           static_cast<const uint32_t *>(task->mask),
                           static_cast<const V *>(task->x),
                           static_cast<V *>(task->y),
                           make_scalar<V>(task->alpha),
                           make_scalar<V>(task->beta)};
    return task->params[LOADS] == 4 ? start_rows<4>(task, a) : start_rows<8>(task, a);
}

/* Number of rows of a thread: two halve its work beside loads, which counts where values are
 * small. */
/* Sets the rows of a thread. From a sweep on an H200 (docs/lab-notes.md, "Formats: parameters"). */
void defaults(const tulle__spmv_shape *shape, int *values) {
    int64_t diagonals = shape->storage->width;
    bool many = diagonals > 64 && shape->type == TULLE_F64;
    values[ROWS] = diagonals <= 6 ? 4 : 2;
    values[LOADS] = diagonals <= 6 || many ? 4 : 8;
    values[BLOCK] = 128;
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    int64_t inputs = shape->trans == TULLE_N ? shape->cols : shape->rows;
    return tulle__spmv_minimal_bytes(shape, beta_zero) +
           (shape->nnz - inputs) * tulle_type_size(shape->type);
}

/* Cost by a model without a fit: no other kernel competes. */
double cost(const tulle__spmv_shape *shape, const int *) {
    return launch_cost(shape) + 1.05 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true));
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_dia);
const tulle__spmv_kernel GPU_SYMBOL(spmv_dia) = {
    .head = {.name = "spmv_dia",
             .summary = "a thread a row, or several; entries by the mask of a warp's rows",
             .source = "Bell and Garland, SC 2009, DIA kernel",
             .format = TULLE_DIA,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
