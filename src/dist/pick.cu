/* SPDX-License-Identifier: Apache-2.0 */
/* Picks items of rows that go to other processes, and numbers rows, on the GPU. */
#include "dist/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class Item>
GPU_KERNEL void pick_items(int64_t count, const int64_t *order, const Item *from, Item *to) {
    for (int64_t k = loop_first(); k < count; k += loop_stride())
        to[k] = load(from + load(order + k));
}

GPU_KERNEL void number_items(int64_t count, int64_t first, int64_t *to) {
    for (int64_t k = loop_first(); k < count; k += loop_stride()) to[k] = first + k;
}

template <class Item>
tulle_status pick(const tulle__place *place, int64_t count, const int64_t *order, const void *from,
                  void *to) {
    return launch(place, pick_items<Item>, loop_grid(count), count, order,
                  static_cast<const Item *>(from), static_cast<Item *>(to));
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(dist_pick)(const tulle__place *place, int64_t count, const int64_t *order,
                                   size_t size, const void *from, void *to) {
    if (count == 0) return TULLE_OK;
    if (size == 1) return gpu::pick<uint8_t>(place, count, order, from, to);
    return size == 4 ? gpu::pick<uint32_t>(place, count, order, from, to)
                     : gpu::pick<uint64_t>(place, count, order, from, to);
}

tulle_status GPU_SYMBOL(dist_number)(const tulle__place *place, int64_t count, int64_t first,
                                     int64_t *to) {
    if (count == 0) return TULLE_OK;
    return gpu::launch(place, gpu::number_items, gpu::loop_grid(count), count, first, to);
}
