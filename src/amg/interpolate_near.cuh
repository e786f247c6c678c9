/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of the strong connections of fine rows to coarse rows, with the numbers of the coarse rows.
 * A row of interpolation takes the lists of all its strong fine neighbours, and most lists are
 * taken by several rows: a list has a fraction of the row's entries, and no marks to look at. */
#ifndef TULLE_AMG_INTERPOLATE_NEAR_CUH
#define TULLE_AMG_INTERPOLATE_NEAR_CUH

#include "amg/team.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The lists in their types. */
template <class V, class C>
struct near_lists {
    const int64_t *before;
    const C *columns;
    const V *values;
    GPU_FUNCTION explicit near_lists(const tulle__amg_interpolation *m)
        : before(m->near.before),
          columns(static_cast<const C *>(m->near.columns)),
          values(static_cast<const V *>(m->near.values)) {}
    GPU_FUNCTION int64_t length(int64_t row) const { return before[row + 1] - before[row]; }
};

/* Fills the lists, whose lengths are known. */
template <class T, class V, class O, class C>
GPU_KERNEL void fill_lists(tulle__amg_split s, tulle__amg_near_lists near) {
    C *columns = static_cast<C *>(near.columns);
    V *values = static_cast<V *>(near.values);
    const O *offsets = static_cast<const O *>(s.csr.offsets);
    const C *cols_of = static_cast<const C *>(s.csr.cols_of);
    for (int64_t i = T::first(); i < s.csr.rows; i += T::stride()) {
        int64_t to = near.before[i];
        const int64_t to_end = near.before[i + 1];
        for (int64_t at = offsets[i]; to < to_end; at += T::size) {
            const int64_t k = at + T::own();
            const bool listed = k < offsets[i + 1] && s.strong[k] == TULLE__AMG_TO_COARSE;
            int others = 0;
            const int count = T::count(listed, &others);
            if (listed) {
                columns[to + others] = static_cast<C>(s.number[cols_of[k]]);
                values[to + others] = static_cast<const V *>(s.values)[k];
            }
            to += count;
        }
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
