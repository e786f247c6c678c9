/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the rows of a multivector into another order, or rows to their places, on the GPU. */
#include "dense/gather.h"

#include "dense/functions.h"
#include "gpu/loop.cuh"

namespace {

/* Neighbouring threads write neighbouring numbers of the result: rows are the inner loop where the
 * result's columns are contiguous. */
template <class Index, class Item>
GPU_KERNEL void gather_each(tulle__gather g, bool by_row) {
    const Index *order = static_cast<const Index *>(g.order);
    const Item *from = static_cast<const Item *>(g.from);
    Item *to = static_cast<Item *>(g.to);
    gpu::loop_pairs at(by_row ? g.cols : g.rows);
    for (int64_t k = gpu::loop_first(); k < g.rows * g.cols; k += gpu::loop_stride()) {
        int64_t i = by_row ? at.outer : at.inner, c = by_row ? at.inner : at.outer;
        int64_t row = gpu::load(order + i);
        to[i * g.to_row + c * g.to_col] = gpu::load(from + row * g.from_row + c * g.from_col);
        at.next();
    }
}

/* As gather_each, but rows of the result are those of the order. */
template <class Index, class Item>
GPU_KERNEL void scatter_each(tulle__gather g, bool by_row) {
    const Index *order = static_cast<const Index *>(g.order);
    const Item *from = static_cast<const Item *>(g.from);
    Item *to = static_cast<Item *>(g.to);
    gpu::loop_pairs at(by_row ? g.cols : g.rows);
    for (int64_t k = gpu::loop_first(); k < g.rows * g.cols; k += gpu::loop_stride()) {
        int64_t i = by_row ? at.outer : at.inner, c = by_row ? at.inner : at.outer;
        const Item number = gpu::load(from + i * g.from_row + c * g.from_col);
        Item &place = to[gpu::load(order + i) * g.to_row + c * g.to_col];
        place = g.adds ? place + number : number;
        at.next();
    }
}

}  // namespace

/* True where neighbouring threads are to have neighbouring columns. */
static bool goes_by_row(const tulle__gather *g) {
    return g->to_col == 1 && g->cols > 1;
}

template <class Index, class Item>
static tulle_status gather(const tulle__place *place, const tulle__gather *g) {
    return gpu::launch(place, gather_each<Index, Item>, gpu::loop_grid(g->rows * g->cols), *g,
                       goes_by_row(g));
}

template <class Index>
static tulle_status gather_items(const tulle__place *place, const tulle__gather *g) {
    return g->item_size == 4 ? gather<Index, uint32_t>(place, g)
                             : gather<Index, uint64_t>(place, g);
}

tulle_status GPU_SYMBOL(gather_rows)(const tulle__place *place, const tulle__gather *g) {
    return g->order_size == 4 ? gather_items<int32_t>(place, g) : gather_items<int64_t>(place, g);
}

template <class Index, class Item>
static tulle_status scatter(const tulle__place *place, const tulle__gather *g) {
    return gpu::launch(place, scatter_each<Index, Item>, gpu::loop_grid(g->rows * g->cols), *g,
                       goes_by_row(g));
}

template <class Index>
static tulle_status scatter_items(const tulle__place *place, const tulle__gather *g) {
    return g->item_size == 4 ? scatter<Index, float>(place, g) : scatter<Index, double>(place, g);
}

tulle_status GPU_SYMBOL(scatter_rows)(const tulle__place *place, const tulle__gather *g) {
    return g->order_size == 4 ? scatter_items<int32_t>(place, g) : scatter_items<int64_t>(place, g);
}
