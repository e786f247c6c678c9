/* SPDX-License-Identifier: Apache-2.0 */
/* Scales rows and columns on a GPU. One warp per stretch of successive entries, wherever rows
 * begin; a lane looks for the row of its next entry from the row of its last entry on. */
#include "algebra/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V, class O, class C>
struct scaling {
    int64_t rows, nnz;
    const O *offsets;
    const C *cols_of;
    const V *row_scale, *col_scale; /* factors; NULL: ones */
    const V *values;                /* values; may be the array `out` */
    V *out;
};

template <class V, class O, class C>
GPU_KERNEL void scale_entries(scaling<V, O, C> t) {
    const warp_stretch stretch(t.nnz);
    int64_t row = 0;
    for (int64_t k = stretch.begin + lane(); k < stretch.end; k += warp_lanes) {
        double value = static_cast<double>(t.values[k]);
        if (t.row_scale) {
            row = row_of_entry(t.offsets, t.rows, k, row);
            value *= static_cast<double>(load(t.row_scale + row));
        }
        if (t.col_scale) value *= static_cast<double>(load(t.col_scale + load(t.cols_of + k)));
        t.out[k] = static_cast<V>(value);
    }
}

template <class V, class O, class C>
tulle_status scale(const tulle__place *place, const tulle__scaling *job) {
    const tulle__pattern_view *csr = job->csr;
    const scaling<V, O, C> t = {csr->rows,
                                csr->nnz,
                                static_cast<const O *>(csr->offsets),
                                static_cast<const C *>(csr->cols_of),
                                static_cast<const V *>(job->row_scale),
                                static_cast<const V *>(job->col_scale),
                                static_cast<const V *>(job->values),
                                static_cast<V *>(job->out)};
    return launch(place, scale_entries<V, O, C>, loop_grid(csr->nnz), t);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(scale_entries)(const tulle__place *place, const tulle__scaling *job) {
    static constexpr tulle_status (*run[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        const tulle__place *, const tulle__scaling *) = GPU_RUN_ALL(gpu::scale);
    return run[tulle__values_of(job->type)][job->csr->index](place, job);
}
