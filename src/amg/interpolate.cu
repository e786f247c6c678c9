/* SPDX-License-Identifier: Apache-2.0 */
/* The factors of interpolation, and its rows, on a GPU: a thread for each row. */
#include "amg/functions.h"
#include "amg/part.cuh"
#include "amg/rules.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Each of these has one row more than the matrix: the offset behind the last row. */
template <class V, class O, class C>
GPU_KERNEL void count_factor_rows(tulle__amg_split s, tulle__amg_factors f) {
    f.split = &s;
    for (int64_t i = loop_first(); i <= s.csr.rows; i += loop_stride()) {
        if (i < s.csr.rows) {
            count_factor_row<V, O, C>(&f, i);
        } else {
            f.between.before[i] = f.down.before[i] = 0;
        }
    }
}

template <class V, class O, class C>
GPU_KERNEL void fill_factor_rows(tulle__amg_split s, tulle__amg_factors f) {
    f.split = &s;
    for (int64_t i = loop_first(); i <= s.csr.rows; i += loop_stride()) {
        if (i < s.csr.rows) {
            fill_factor_row<V, O, C>(&f, i);
        } else {
            static_cast<O *>(f.between.offsets)[i] = static_cast<O>(f.between.before[i]);
            static_cast<O *>(f.down.offsets)[i] = static_cast<O>(f.down.before[i]);
        }
    }
}

template <class V, class O, class C>
GPU_KERNEL void count_rows(tulle__amg_split s, tulle__amg_interpolation m) {
    m.split = &s;
    for (int64_t i = loop_first(); i <= s.csr.rows; i += loop_stride()) {
        m.P.before[i] = i < s.csr.rows ? entries_of_row<V, O, C>(&m, i) : 0;
    }
}

template <class V, class O, class C>
GPU_KERNEL void fill_rows(tulle__amg_split s, tulle__amg_interpolation m) {
    m.split = &s;
    for (int64_t i = loop_first(); i <= s.csr.rows; i += loop_stride()) {
        if (i < s.csr.rows) {
            fill_row<V, O, C>(&m, i);
        } else {
            static_cast<O *>(m.P.offsets)[i] = static_cast<O>(m.P.before[i]);
        }
    }
}

template <class V, class O, class C>
tulle_status count_factors(const tulle__place *place, const tulle__amg_factors *f) {
    return launch(place, count_factor_rows<V, O, C>, loop_grid(f->split->csr.rows + 1), *f->split,
                  *f);
}

template <class V, class O, class C>
tulle_status fill_factors(const tulle__place *place, const tulle__amg_factors *f) {
    return launch(place, fill_factor_rows<V, O, C>, loop_grid(f->split->csr.rows + 1), *f->split,
                  *f);
}

template <class V, class O, class C>
tulle_status count_all(const tulle__place *place, const tulle__amg_interpolation *m) {
    return launch(place, count_rows<V, O, C>, loop_grid(m->split->csr.rows + 1), *m->split, *m);
}

template <class V, class O, class C>
tulle_status fill_all(const tulle__place *place, const tulle__amg_interpolation *m) {
    return launch(place, fill_rows<V, O, C>, loop_grid(m->split->csr.rows + 1), *m->split, *m);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(amg_count_factors)(const tulle__place *place, const tulle__amg_factors *f,
                                           int64_t entries[2]) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_factors *) = GPU_RUN_ALL(gpu::count_factors);
    const tulle__amg_split *s = f->split;
    GPU_TRY(run[tulle__values_of(s->type)][s->csr.index](place, f));
    GPU_TRY(gpu::sum_up(place, f->between.before, s->csr.rows, entries));
    return gpu::sum_up(place, f->down.before, s->csr.rows, entries + 1);
}

tulle_status GPU_SYMBOL(amg_fill_factors)(const tulle__place *place, const tulle__amg_factors *f) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_factors *) = GPU_RUN_ALL(gpu::fill_factors);
    return run[tulle__values_of(f->split->type)][f->split->csr.index](place, f);
}

tulle_status GPU_SYMBOL(amg_count_rows)(const tulle__place *place,
                                        const tulle__amg_interpolation *m, int64_t *entries) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_interpolation *) = GPU_RUN_ALL(gpu::count_all);
    const tulle__amg_split *s = m->split;
    GPU_TRY(run[tulle__values_of(s->type)][s->csr.index](place, m));
    return gpu::sum_up(place, m->P.before, s->csr.rows, entries);
}

tulle_status GPU_SYMBOL(amg_fill_rows)(const tulle__place *place,
                                       const tulle__amg_interpolation *m) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__amg_interpolation *) = GPU_RUN_ALL(gpu::fill_all);
    return run[tulle__values_of(m->split->type)][m->split->csr.index](place, m);
}
