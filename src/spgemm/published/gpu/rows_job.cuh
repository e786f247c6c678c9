/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose products are all made before they are added: where a row's entries go there is room
 * for as many as it has products. */
#ifndef TULLE_SPGEMM_PUBLISHED_ROWS_JOB_CUH
#define TULLE_SPGEMM_PUBLISHED_ROWS_JOB_CUH

#include "spgemm/gpu/factors.cuh"
#include "spgemm/gpu/row_groups.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The kernels of such rows are given this; a functor of its own says where a row has its room. */
template <class V, class O, class C>
struct rows_job {
    factors<V, O, C> f;
    int64_t first;          /* row of A that is row 0 here */
    const int64_t *numbers; /* products of each row */
    C *cols;
    V *values;
    int64_t *counts; /* entries of each row, which kernels fill in */
    scalar<V> alpha; /* sums are multiplied by */
};

/* Rows have their room from begins[row] on. */
struct room_of_row {
    const int64_t *begins;
    GPU_FUNCTION int64_t operator()(int64_t i) const { return load(begins + i); }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
