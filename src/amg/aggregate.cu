/* SPDX-License-Identifier: Apache-2.0 */
/* Aggregates of a level's rows, on a GPU: a thread for each row. The host asks after each round
 * whether rows are open. */
#include "amg/functions.h"
#include "amg/rules.cuh"
#include "gpu/fetch.cuh"
#include "gpu/reduce.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, class O, class C>
GPU_KERNEL void measure_rows(tulle__amg_split s, tulle__amg_aggregates a) {
    a.split = &s;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        measure_row<V, O, C>(&a, i);
    }
}

template <class V, class O, class C>
GPU_KERNEL void find_strongest_rows(tulle__amg_split s, tulle__amg_aggregates a) {
    a.split = &s;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        find_strongest<V, O, C>(&a, i);
    }
}

template <class V, class O, class C>
GPU_KERNEL void link_rows(tulle__amg_split s, tulle__amg_aggregates a) {
    a.split = &s;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        link_row<V, O, C>(&a, i);
    }
}

template <class V, class O, class C>
GPU_KERNEL void nominate_rows(tulle__amg_split s, tulle__amg_aggregates a) {
    a.split = &s;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        nominate_row<V, O, C>(&a, i);
    }
}

/* Lanes of a warp count their open rows together. */
template <class V, class O, class C>
GPU_KERNEL void elect_rows(tulle__amg_split s, tulle__amg_aggregates a) {
    a.split = &s;
    int64_t own = 0;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        own += elect_row<V, O, C>(&a, i);
    }
    own = warp_reduce<total>(own);
    if (lane() == 0 && own > 0) atomic_add(s.open, own);
}

template <class V, class O, class C>
GPU_KERNEL void join_root_rows(tulle__amg_split s, tulle__amg_aggregates a) {
    a.split = &s;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        join_root_row<V, O, C>(&a, i);
    }
}

template <class V, class O, class C>
GPU_KERNEL void join_rows(tulle__amg_split s, tulle__amg_aggregates a) {
    a.split = &s;
    for (int64_t i = loop_first(); i < s.csr.rows; i += loop_stride()) {
        join_row<V, O, C>(&a, i);
    }
}

template <class V, class O, class C>
tulle_status measure_all(const tulle__place *place, const tulle__amg_aggregates *a) {
    const grid all = loop_grid(a->split->csr.rows);
    return launch(place, measure_rows<V, O, C>, all, *a->split, *a);
}

template <class V, class O, class C>
tulle_status find_all_strongest(const tulle__place *place, const tulle__amg_aggregates *a) {
    const grid all = loop_grid(a->split->csr.rows);
    return launch(place, find_strongest_rows<V, O, C>, all, *a->split, *a);
}

template <class V, class O, class C>
tulle_status link_all(const tulle__place *place, const tulle__amg_aggregates *a) {
    const grid all = loop_grid(a->split->csr.rows);
    return launch(place, link_rows<V, O, C>, all, *a->split, *a);
}

template <class V, class O, class C>
tulle_status elect_all(const tulle__place *place, const tulle__amg_aggregates *a) {
    const grid all = loop_grid(a->split->csr.rows);
    GPU_TRY(launch(place, nominate_rows<V, O, C>, all, *a->split, *a));
    return launch(place, elect_rows<V, O, C>, all, *a->split, *a);
}

template <class V, class O, class C>
tulle_status join_all(const tulle__place *place, const tulle__amg_aggregates *a) {
    const grid all = loop_grid(a->split->csr.rows);
    GPU_TRY(launch(place, join_root_rows<V, O, C>, all, *a->split, *a));
    return launch(place, join_rows<V, O, C>, all, *a->split, *a);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_measure)(const tulle__place *place, const tulle__amg_aggregates *a) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_aggregates *) = GPU_RUN_ALL(gpu::measure_all);
    return run[tulle__values_of(a->split->type)][a->split->csr.index](place, a);
}

tulle_status GPU_SYMBOL(amg_find_strongest)(const tulle__place *place,
                                            const tulle__amg_aggregates *a) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_aggregates *) = GPU_RUN_ALL(gpu::find_all_strongest);
    return run[tulle__values_of(a->split->type)][a->split->csr.index](place, a);
}

tulle_status GPU_SYMBOL(amg_link)(const tulle__place *place, const tulle__amg_aggregates *a) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_aggregates *) = GPU_RUN_ALL(gpu::link_all);
    return run[tulle__values_of(a->split->type)][a->split->csr.index](place, a);
}

tulle_status GPU_SYMBOL(amg_elect)(const tulle__place *place, const tulle__amg_aggregates *a,
                                   int64_t *open) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_aggregates *) = GPU_RUN_ALL(gpu::elect_all);
    int64_t *const counted = a->split->open;
    GPU_TRY(TULLE__HERE(set_bytes)(place, counted, 0, sizeof *counted));
    GPU_TRY(run[tulle__values_of(a->split->type)][a->split->csr.index](place, a));
    return gpu::to_host(place, open, counted, sizeof *counted);
}

tulle_status GPU_SYMBOL(amg_join)(const tulle__place *place, const tulle__amg_aggregates *a) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_aggregates *) = GPU_RUN_ALL(gpu::join_all);
    return run[tulle__values_of(a->split->type)][a->split->csr.index](place, a);
}
