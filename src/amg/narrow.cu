/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in f64 to f32 and back, on a GPU. The largest exponent of a vector is found in two steps,
 * without atomics and without memory that must be cleared first: each block finds that of its part,
 * and each block of the next kernel that of all parts. */
#include <math.h>

#include "amg/functions.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int64_t narrow_lanes = 8;

/* Returns the index in P of the entry (j, i); rows of P have few entries. */
template <class O, class C>
GPU_FUNCTION O place_in(const tulle__amg_lookup &P, int64_t j, int64_t i) {
    const C *columns = static_cast<const C *>(P.cols_of);
    O k = load(static_cast<const O *>(P.offsets) + j);
    while (load(columns + k) != i) k++;
    return k;
}

/* Puts a number into its place. */
GPU_FUNCTION void put(const tulle__amg_narrowing &t, int64_t k, double number) {
    if (!t.to) {
        t.wide[k] = number;
        return;
    }
    const float to = static_cast<float>(number);
    t.to[k] = to;
    const bool fits = t.exact ? static_cast<double>(to) == number : fabsf(to) < INFINITY;
    if (!fits) atomic_max(t.unfit, static_cast<int64_t>(TULLE__AMG_RANGE));
}

/* Eight lanes share a row. */
template <class O, class C>
GPU_KERNEL void narrow_rows(tulle__amg_narrowing t) {
    const O *offsets = static_cast<const O *>(t.A.offsets);
    const C *columns = static_cast<const C *>(t.A.cols_of);
    for (int64_t i = loop_first() / narrow_lanes; i < t.A.rows; i += loop_stride() / narrow_lanes) {
        const double left = t.left ? load(t.left + i) : 1;
        const O end = load(offsets + i + 1);
        for (O k = load(offsets + i) + static_cast<O>(thread() % narrow_lanes); k < end;
             k += static_cast<O>(narrow_lanes)) {
            const C j = t.right || t.P.offsets ? load(columns + k) : 0;
            const double right = t.right ? load(t.right + j) : 1;
            const O from = t.P.offsets ? place_in<O, C>(t.P, j, i) : k;
            put(t, k, right == 0 ? 0 : left * load(t.values + from) / right);
        }
    }
}

/* Numbers as they are need no rows. */
GPU_KERNEL void narrow_numbers(tulle__amg_narrowing t) {
    for (int64_t k = loop_first(); k < t.A.nnz; k += loop_stride()) put(t, k, load(t.values + k));
}

constexpr int64_t no_exponent = -1 << 20; /* stands for that of a vector of zeros */

GPU_FUNCTION int64_t exponent_of(double number) {
    return number != 0 && fabs(number) < INFINITY ? ilogb(number) : no_exponent;
}

GPU_FUNCTION double entering(const tulle__amg_passage &t, int64_t i) {
    return t.d ? load(t.d + i) * load(t.b + i) : load(t.b + i);
}

/* Finds the largest exponents of d b, a block's part each. */
GPU_KERNEL void find_exponents(tulle__amg_passage t) {
    GPU_SHARED(int64_t, room, loop_warps);
    int64_t largest = no_exponent;
    for (int64_t i = loop_first(); i < t.n; i += loop_stride()) {
        largest = most::of(largest, exponent_of(entering(t, i)));
    }
    largest = block_reduce<most>(largest, room);
    if (thread() == 0) t.unit[block()] = largest;
}

GPU_KERNEL void enter(tulle__amg_passage t, int parts) {
    GPU_SHARED(int64_t, room, loop_warps);
    GPU_SHARED(int64_t, unit, 1);
    int64_t largest = no_exponent;
    for (int part = static_cast<int>(thread()); part < parts; part += loop_threads) {
        largest = most::of(largest, t.unit[part]);
    }
    largest = block_reduce<most>(largest, room);
    if (thread() == 0) unit[0] = largest == no_exponent ? 0 : largest;
    sync();
    const int exponent = static_cast<int>(unit[0]);
    if (block() == 0 && thread() == 0) t.unit[TULLE__AMG_EXPONENT] = exponent;
    for (int64_t i = loop_first(); i < t.n; i += loop_stride()) {
        t.narrow[i] = static_cast<float>(scalbn(entering(t, i), -exponent));
    }
}

GPU_KERNEL void leave(tulle__amg_passage t) {
    const int exponent = static_cast<int>(load(t.unit + TULLE__AMG_EXPONENT));
    for (int64_t i = loop_first(); i < t.n; i += loop_stride()) {
        t.wide[i] = scalbn(static_cast<double>(load(t.narrow + i)), exponent);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_narrow)(const tulle__place *place,
                                    const tulle__amg_narrowing *narrowing) {
    const int64_t most_blocks = INT32_MAX; /* rows wait for memory: as many as there are */
    const gpu::grid all = gpu::loop_grid(narrowing->A.rows * gpu::narrow_lanes, most_blocks);
    if (!narrowing->left && !narrowing->right && !narrowing->P.offsets) {
        return gpu::launch(place, gpu::narrow_numbers, gpu::loop_grid(narrowing->A.nnz),
                           *narrowing);
    }
    switch (narrowing->A.index) {
        case TULLE_I32:
            return gpu::launch(place, gpu::narrow_rows<int32_t, int32_t>, all, *narrowing);
        case TULLE_I64_I32:
            return gpu::launch(place, gpu::narrow_rows<int64_t, int32_t>, all, *narrowing);
        default:
            return gpu::launch(place, gpu::narrow_rows<int64_t, int64_t>, all, *narrowing);
    }
}

tulle_status GPU_SYMBOL(amg_enter)(const tulle__place *place, const tulle__amg_passage *passage) {
    const gpu::grid few = gpu::loop_grid(passage->n, TULLE__AMG_MOST_PARTS);
    GPU_TRY(gpu::launch(place, gpu::find_exponents, few, *passage));
    return gpu::launch(place, gpu::enter, gpu::loop_grid(passage->n), *passage,
                       static_cast<int>(few.blocks));
}

tulle_status GPU_SYMBOL(amg_leave)(const tulle__place *place, const tulle__amg_passage *passage) {
    return gpu::launch(place, gpu::leave, gpu::loop_grid(passage->n), *passage);
}
