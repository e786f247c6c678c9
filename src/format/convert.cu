/* SPDX-License-Identifier: Apache-2.0 */
/* Converts the arrays of a matrix to other element types, and puts values into another order, on
 * the GPU. */
#include "format/functions.h"
#include "gpu/loop.cuh"

/* Converts indices, and adds a number to each. Sums wrap like unsigned numbers, so that the
 * smallest index becomes far out of range instead of undefined. */
template <class From, class To>
GPU_KERNEL void convert_each(int64_t count, const From *from, To *to, int64_t add) {
    for (int64_t k = gpu::loop_first(); k < count; k += gpu::loop_stride()) {
        to[k] = static_cast<To>(static_cast<uint64_t>(from[k]) + static_cast<uint64_t>(add));
    }
}

template <class From, class To>
static tulle_status convert(const tulle__place *place, int64_t count, const void *from, void *to,
                            int64_t add) {
    return gpu::launch(place, convert_each<From, To>, gpu::loop_grid(count), count,
                       static_cast<const From *>(from), static_cast<To *>(to), add);
}

tulle_status GPU_SYMBOL(convert_indices)(const tulle__place *place, int64_t count,
                                         int64_t from_size, const void *from, int64_t to_size,
                                         void *to, int64_t add) {
    if (from_size == 4 && to_size == 4) {
        return convert<int32_t, int32_t>(place, count, from, to, add);
    }
    if (from_size == 4) return convert<int32_t, int64_t>(place, count, from, to, add);
    if (to_size == 4) return convert<int64_t, int32_t>(place, count, from, to, add);
    return convert<int64_t, int64_t>(place, count, from, to, add);
}

template <class From, class To>
GPU_KERNEL void round_each(int64_t count, const From *from, To *to) {
    for (int64_t k = gpu::loop_first(); k < count; k += gpu::loop_stride()) {
        to[k] = static_cast<To>(from[k]);
    }
}

tulle_status GPU_SYMBOL(convert_values)(const tulle__place *place, int64_t count,
                                        tulle_type from_type, const void *from, tulle_type to_type,
                                        void *to) {
    if (from_type == to_type) {
        if (from == to) return TULLE_OK;
        return GPU_SYMBOL(copy)(place, to, from,
                                static_cast<size_t>(count * tulle_type_size(to_type)));
    }
    if (from_type == TULLE_F32) {
        return gpu::launch(place, round_each<float, double>, gpu::loop_grid(count), count,
                           static_cast<const float *>(from), static_cast<double *>(to));
    }
    return gpu::launch(place, round_each<double, float>, gpu::loop_grid(count), count,
                       static_cast<const double *>(from), static_cast<float *>(to));
}

template <class Value>
GPU_KERNEL void gather_each(int64_t count, const int64_t *perm, const Value *from, Value *to) {
    for (int64_t k = gpu::loop_first(); k < count; k += gpu::loop_stride()) {
        to[k] = gpu::load(from + gpu::load_once(perm + k));
    }
}

template <class Value>
static tulle_status gather(const tulle__place *place, int64_t count, const int64_t *perm,
                           const void *from, void *to) {
    return gpu::launch(place, gather_each<Value>, gpu::loop_grid(count), count, perm,
                       static_cast<const Value *>(from), static_cast<Value *>(to));
}

tulle_status GPU_SYMBOL(gather_values)(const tulle__place *place, int64_t count, tulle_type type,
                                       const int64_t *perm, const void *from, void *to) {
    return tulle_type_size(type) == 4 ? gather<uint32_t>(place, count, perm, from, to)
                                      : gather<uint64_t>(place, count, perm, from, to);
}
