/* SPDX-License-Identifier: Apache-2.0 */
/* Rows whose terms are all computed before they are added: each row has room for as many entries
 * as it has multiplications. */
#ifndef TULLE_SPGEMM_PUBLISHED_ROWS_JOB_CUH
#define TULLE_SPGEMM_PUBLISHED_ROWS_JOB_CUH

#include "spgemm/gpu/factors.cuh"
#include "spgemm/gpu/row_groups.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Arguments of the kernels of such rows; a functor of its own gives the beginning of a row's
 * room. */
template <class V, class O, class C>
struct rows_job {
    factors<V, O, C> f;
    int64_t first;          /* row of A that is row 0 here */
    const int64_t *numbers; /* number of multiplications of each row */
    C *cols;
    V *values;
    int64_t *counts; /* number of entries of each row, which kernels fill in */
    scalar<V> alpha; /* factor of the sums */
};

/* Beginning of a row's room: begins[row]. */
struct room_of_row {
    const int64_t *begins;
    GPU_FUNCTION int64_t operator()(int64_t i) const { return load(begins + i); }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
