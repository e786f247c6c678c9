/* SPDX-License-Identifier: Apache-2.0 */
/* Solutions with factors by one block of threads, level after level. */
#ifndef TULLE_BATCH_GPU_SOLVE_ROWS_CUH
#define TULLE_BATCH_GPU_SOLVE_ROWS_CUH

#include "batch/gpu/pieces.cuh"
#include "batch/gpu/telling.cuh"
#include "factor/gpu/row.cuh"
#include "trisolve/gpu/rows.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Part number i, from one multivector to another. */
template <class S, class V, class I>
GPU_FUNCTION triangular<S, V, I> triangular_of(const tulle__task &t, int i,
                                               const tulle__strided &from,
                                               const tulle__strided &to) {
    const tulle__task_solve &s = t.solve;
    const tulle__task_triangle &p = s.part[i];
    return {s.n,
            p.schedule.rows,
            t.k2,
            static_cast<const I *>(p.schedule.order),
            static_cast<const I *>(p.schedule.begins),
            static_cast<const I *>(p.schedule.places),
            static_cast<const I *>(p.schedule.slots),
            static_cast<const I *>(p.schedule.diagonal),
            static_cast<const S *>(s.values),
            s.mask,
            s.pivots,
            s.block,
            static_cast<int>(tulle__mask_words(static_cast<int64_t>(s.block) * s.block)),
            p.diagonal,
            p.lower,
            p.turned,
            {i == 0 ? static_cast<V>(t.alpha) : V(1), nullptr},
            static_cast<const V *>(from.data),
            static_cast<V *>(to.data),
            from.row,
            from.col,
            to.row,
            to.col};
}

/* Rows of x into the order of the factors, or from there to y, and scaled. */
template <class V>
GPU_FUNCTION void move_rows(const tulle__task &t, const tulle__strided &moved, bool back) {
    const tulle__task_solve &s = t.solve;
    for (int64_t e = thread(); e < s.n * t.k2; e += block_size()) {
        const int64_t i = e / t.k2, row = s.order ? s.order[i] : i;
        const int c = static_cast<int>(e % t.k2);
        const double by = factor_scale_at(s.scale_type, s.scale[back], i);
        const V from = back ? *number_of<V>(moved, i, c) : *number_of<V>(t.x, row, c);
        *(back ? number_of<V>(t.y, row, c) : number_of<V>(moved, i, c)) =
            static_cast<V>(by * static_cast<double>(from));
    }
    sync();
}

template <class S, class V, class I, int most>
GPU_FUNCTION void solve_part(const tulle__task &t, int i, const tulle__strided &from,
                             const tulle__strided &to, V *known) {
    const tulle__task_triangle &p = t.solve.part[i];
    const int64_t *begins = p.schedule.level_begins;
    solve_in_block<S, V, I, most>(
        triangular_of<S, V, I>(t, i, from, to), p.shape, 0, p.schedule.levels,
        [&](int64_t l) { return begins[l + 1] - begins[l]; }, known);
    sync();
}

template <class S, class V, class I, int most>
GPU_FUNCTION void solve_parts(const tulle__task &t, V *scratch) {
    const tulle__task_solve &s = t.solve;
    const tulle__strided moved = {scratch, t.k2, 1};
    V *known = scratch + (s.moved ? s.n * t.k2 : 0);
    if (s.moved) move_rows<V>(t, moved, false);
    for (int i = 0; i < s.parts; i++) {
        const tulle__strided &to = s.moved ? moved : t.y;
        solve_part<S, V, I, most>(t, i, s.moved || i > 0 ? to : t.x, to, known);
    }
    if (s.moved) move_rows<V>(t, moved, true);
}

/* S: of the values as they are stored. */
template <class S, class V, int most>
GPU_FUNCTION void solve_by_levels(const tulle__batch_job &job, const tulle__task &t) {
    V *scratch = reinterpret_cast<V *>(job.scratch + t.first_scratch);
    if (t.solve.index != TULLE_I32) {
        solve_parts<S, V, int64_t, most>(t, scratch);
    } else {
        solve_parts<S, V, int32_t, most>(t, scratch);
    }
    if (t.solve.seen && thread() == 0) tell(job, t, t.solve.seen, t.solve.order);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
