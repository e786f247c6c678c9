/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation from aggregates, T, and the matrix that smooths T, on a GPU: a thread for each row.
 * Each kernel has one row more than the matrix: the offset behind the last row. */
#include "amg/functions.h"
#include "amg/part.cuh"
#include "amg/rules.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, class O, class C>
GPU_KERNEL void count_tentative_rows(tulle__amg_split s, tulle__amg_aggregates a,
                                     tulle__amg_tentative t) {
    a.split = &s;
    t.of = &a;
    const int64_t rows = s.csr.rows;
    for (int64_t i = loop_first(); i <= rows; i += loop_stride()) {
        t.T.before[i] = i < rows ? entries_of_tentative_row<V, O, C>(&t, i) : 0;
    }
}

template <class V, class O, class C>
GPU_KERNEL void fill_tentative_rows(tulle__amg_split s, tulle__amg_aggregates a,
                                    tulle__amg_tentative t) {
    a.split = &s;
    t.of = &a;
    const int64_t rows = s.csr.rows;
    for (int64_t i = loop_first(); i <= rows; i += loop_stride()) {
        if (i < rows) {
            fill_tentative_row<V, O, C>(&t, i);
        } else {
            static_cast<O *>(t.T.offsets)[i] = static_cast<O>(t.T.before[i]);
        }
    }
}

template <class V, class O, class C>
GPU_KERNEL void count_smoothing_rows(tulle__amg_split s, tulle__amg_aggregates a,
                                     tulle__amg_tentative t) {
    a.split = &s;
    t.of = &a;
    const int64_t rows = s.csr.rows;
    for (int64_t i = loop_first(); i <= rows; i += loop_stride()) {
        t.S.before[i] = i < rows ? entries_of_smoothing_row<V, O, C>(&t, i) : 0;
    }
}

template <class V, class O, class C>
GPU_KERNEL void fill_smoothing_rows(tulle__amg_split s, tulle__amg_aggregates a,
                                    tulle__amg_tentative t) {
    a.split = &s;
    t.of = &a;
    const int64_t rows = s.csr.rows;
    for (int64_t i = loop_first(); i <= rows; i += loop_stride()) {
        if (i < rows) {
            fill_smoothing_row<V, O, C>(&t, i);
        } else {
            static_cast<O *>(t.S.offsets)[i] = static_cast<O>(t.S.before[i]);
        }
    }
}

typedef void tentative_kernel(tulle__amg_split s, tulle__amg_aggregates a, tulle__amg_tentative t);

inline tulle_status run(const tulle__place *place, tentative_kernel *kernel,
                        const tulle__amg_tentative *t) {
    const tulle__amg_split *s = t->of->split;
    return launch(place, kernel, loop_grid(s->csr.rows + 1), *s, *t->of, *t);
}

template <class V, class O, class C>
tulle_status count_tentative(const tulle__place *place, const tulle__amg_tentative *t) {
    return run(place, count_tentative_rows<V, O, C>, t);
}

template <class V, class O, class C>
tulle_status fill_tentative(const tulle__place *place, const tulle__amg_tentative *t) {
    return run(place, fill_tentative_rows<V, O, C>, t);
}

template <class V, class O, class C>
tulle_status count_smoothing(const tulle__place *place, const tulle__amg_tentative *t) {
    return run(place, count_smoothing_rows<V, O, C>, t);
}

template <class V, class O, class C>
tulle_status fill_smoothing(const tulle__place *place, const tulle__amg_tentative *t) {
    return run(place, fill_smoothing_rows<V, O, C>, t);
}

}  // namespace TULLE_GPU_NAMESPACE

typedef tulle_status (*tentative_work)(const tulle__place *, const tulle__amg_tentative *);

tulle_status GPU_SYMBOL(amg_count_tentative)(const tulle__place *place,
                                             const tulle__amg_tentative *t, int64_t *entries) {
    static constexpr tentative_work run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] =
        GPU_RUN_ALL(gpu::count_tentative);
    GPU_TRY(run[tulle__values_of(t->of->split->type)][t->of->split->csr.index](place, t));
    return gpu::sum_up(place, t->T.before, t->of->split->csr.rows, entries);
}

tulle_status GPU_SYMBOL(amg_fill_tentative)(const tulle__place *place,
                                            const tulle__amg_tentative *t) {
    static constexpr tentative_work run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] =
        GPU_RUN_ALL(gpu::fill_tentative);
    return run[tulle__values_of(t->of->split->type)][t->of->split->csr.index](place, t);
}

tulle_status GPU_SYMBOL(amg_count_smoothing)(const tulle__place *place,
                                             const tulle__amg_tentative *t, int64_t *entries) {
    static constexpr tentative_work run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] =
        GPU_RUN_ALL(gpu::count_smoothing);
    GPU_TRY(run[tulle__values_of(t->of->split->type)][t->of->split->csr.index](place, t));
    return gpu::sum_up(place, t->S.before, t->of->split->csr.rows, entries);
}

tulle_status GPU_SYMBOL(amg_fill_smoothing)(const tulle__place *place,
                                            const tulle__amg_tentative *t) {
    static constexpr tentative_work run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT] =
        GPU_RUN_ALL(gpu::fill_smoothing);
    return run[tulle__values_of(t->of->split->type)][t->of->split->csr.index](place, t);
}
