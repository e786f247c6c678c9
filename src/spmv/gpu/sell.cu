/* SPDX-License-Identifier: Apache-2.0 */
/* SELL-C-sigma: one thread per position; the slots of a slice of C positions are an ELL of its own
 * width. Kreutzer, Hager, Wellein, Fehske and Bishop, SIAM J. Sci. Comput. 36 (2014). A slice
 * of 32 fits a warp and is found by a shift, any other by a division. */
#include "spmv/gpu/slots_model.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { BLOCK, SHARE, AHEAD };
const tulle__param params[] = {slot_block_param, slot_share_param, slot_ahead_param};

constexpr int warp_slice = 32;

/* A step that addresses hold as a constant, so that only the first address takes registers. */
struct warp_step {
    GPU_FUNCTION constexpr operator int() const { return warp_slice; }
};

/* Layout of slices of a warp, one thread per row. */
template <class O>
struct warp_layout {
    static constexpr bool stays = false;
    const O *offsets;
    template <class V, class C>
    GPU_FUNCTION strided_path<V, C, warp_step> path(const slot_product<V, C> &a, int64_t p,
                                                    turn) const {
        int64_t first = static_cast<int64_t>(load(offsets + p / warp_slice));
        int64_t end = static_cast<int64_t>(load(offsets + p / warp_slice + 1));
        return {a, first + p % warp_slice, warp_step{}, (end - first) / warp_slice};
    }
};

/* Layout of any slices. The slots of narrow ones stand close together: the next load wants the
 * same lines. */
template <class O>
struct slice_layout {
    static constexpr bool stays = true;
    const O *offsets;
    int slice;
    template <class V, class C>
    GPU_FUNCTION strided_path<V, C, int> path(const slot_product<V, C> &a, int64_t p,
                                              turn t) const {
        unsigned size = static_cast<unsigned>(slice);
        uint64_t s = static_cast<uint64_t>(p) / size, place = static_cast<uint64_t>(p) % size;
        uint64_t first = static_cast<uint64_t>(load(offsets + s));
        uint64_t end = static_cast<uint64_t>(load(offsets + s + 1));
        return path_of_turn(a, static_cast<int64_t>(first + place), slice,
                            static_cast<int64_t>((end - first) / size), t);
    }
};

template <class Layout, class V, class C>
tulle_status run_layout(const tulle__spmv_task *task, const Layout &layout,
                        const slot_product<V, C> &a) {
    crew c = make_crew(task->params[BLOCK], task->params[SHARE]);
    GPU_TRY(start_slots(task, a));
    return task->params[AHEAD] == 8 ? run_slots<8>(task, layout, a, c)
                                    : run_slots<4>(task, layout, a, c);
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    slot_product<V, C> a = make_slot_product<V, C>(task);
    const O *offsets = static_cast<const O *>(task->offsets);
    int slice = static_cast<int>(task->shape.storage->slice);
    bool warps = slice == warp_slice && task->params[SHARE] == 1;
    return warps ? run_layout(task, warp_layout<O>{offsets}, a)
                 : run_layout(task, slice_layout<O>{offsets, slice}, a);
}

void defaults(const tulle__spmv_shape *shape, int *values) {
    int64_t width = shape->stats->max_row;
    values[SHARE] = share_for(shape, shape->rows, width);
    slots_ahead(values[SHARE], width, &values[BLOCK], &values[AHEAD]);
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return crews_fit(shape, values[BLOCK], values[SHARE]);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return slots_bytes(shape, beta_zero);
}

double cost(const tulle__spmv_shape *shape, const int *values) {
    return slots_cost(shape, shape->stats->max_row, values[SHARE]);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_sell);
const tulle__spmv_kernel GPU_SYMBOL(spmv_sell) = {
    .head = {.name = "spmv_sell",
             .summary = "SELL-C-sigma: a thread a row of its slice, or several in turns",
             .source = "Kreutzer et al., SIAM J. Sci. Comput. 2014; Hiranandani, II",
             .format = TULLE_SELL,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REFERENCE,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_ALL(gpu::run),
};
