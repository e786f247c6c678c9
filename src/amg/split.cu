/* SPDX-License-Identifier: Apache-2.0 */
/* Splitting a level into coarse and fine rows, on a GPU: a thread for each row. The host asks after
 * every other round whether rows are open. */
#include "amg/functions.h"
#include "amg/rules.cuh"
#include "gpu/fetch.cuh"
#include "gpu/primitives.h"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, class O, class C>
GPU_KERNEL void connect_rows(tulle__amg_split s) {
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        connect_row<V, O, C>(&s, i);
    }
}

template <class V, class O, class C>
GPU_KERNEL void begin_rows(tulle__amg_split s) {
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) begin_row<V, O, C>(&s, i);
}

template <class V, class O, class C>
GPU_KERNEL void compete_rows(tulle__amg_split s, int round) {
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        compete_row<V, O, C>(&s, round, i);
    }
}

template <class V, class O, class C>
GPU_KERNEL void choose_rows(tulle__amg_split s, int round) {
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        choose_row<V, O, C>(&s, round, i);
    }
}

template <class V, class O, class C>
GPU_KERNEL void settle_rows(tulle__amg_split s) {
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) settle_row<V, O, C>(&s, i);
}

/* Lanes of a warp count their open rows together. */
template <class V, class O, class C>
GPU_KERNEL void end_rows(tulle__amg_split s) {
    int64_t own = 0;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        own += end_row<V, O, C>(&s, i);
    }
    own = warp_reduce<total>(own);
    if (lane() == 0 && own > 0) atomic_add(s.open, own);
}

GPU_KERNEL void mark_coarse(tulle__amg_split s) {
    for (int64_t i = loop_first(); i <= s.csr.rows; i += loop_stride()) {
        s.number[i] = i < s.csr.rows && s.kind[i] == TULLE__AMG_COARSE;
    }
}

template <class V, class O, class C>
tulle_status connect(const tulle__place *place, const tulle__amg_split *s) {
    const grid all = loop_grid(s->csr.rows);
    GPU_TRY(launch(place, connect_rows<V, O, C>, all, *s));
    return launch(place, begin_rows<V, O, C>, all, *s);
}

template <class V, class O, class C>
tulle_status split_round(const tulle__place *place, const tulle__amg_split *s, int round) {
    const grid all = loop_grid(s->csr.rows);
    GPU_TRY(TULLE__HERE(set_bytes)(place, s->open, 0, sizeof *s->open));
    GPU_TRY(launch(place, compete_rows<V, O, C>, all, *s, round));
    GPU_TRY(launch(place, choose_rows<V, O, C>, all, *s, round));
    GPU_TRY(launch(place, settle_rows<V, O, C>, all, *s));
    return launch(place, end_rows<V, O, C>, all, *s);
}

/* Makes two rounds for one wait of the host: a round without open rows changes nothing, and takes
 * less time than a wait. */
template <class V, class O, class C>
tulle_status split_rounds(const tulle__place *place, const tulle__amg_split *s, int round,
                          int64_t *open) {
    GPU_TRY((split_round<V, O, C>(place, s, 2 * round - 1)));
    GPU_TRY((split_round<V, O, C>(place, s, 2 * round)));
    return to_host(place, open, s->open, sizeof *open);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_connect)(const tulle__place *place, const tulle__amg_split *s) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_split *) = GPU_RUN_ALL(gpu::connect);
    return run[tulle__values_of(s->type)][s->csr.index](place, s);
}

tulle_status GPU_SYMBOL(amg_round)(const tulle__place *place, const tulle__amg_split *s, int round,
                                   int64_t *open) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_split *, int, int64_t *) =
        GPU_RUN_ALL(gpu::split_rounds);
    return run[tulle__values_of(s->type)][s->csr.index](place, s, round, open);
}

tulle_status GPU_SYMBOL(amg_number)(const tulle__place *place, const tulle__amg_split *s,
                                    int64_t *coarse) {
    GPU_TRY(gpu::launch(place, gpu::mark_coarse, gpu::loop_grid(s->csr.rows + 1), *s));
    GPU_TRY(gpu::exclusive_scan(place, s->number, s->number, s->csr.rows + 1));
    return gpu::to_host(place, coarse, s->number + s->csr.rows, sizeof *coarse);
}
