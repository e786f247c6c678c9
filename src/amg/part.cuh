/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of matrices of interpolation, on a GPU. */
#ifndef TULLE_AMG_PART_CUH
#define TULLE_AMG_PART_CUH

#include "gpu/fetch.cuh"
#include "gpu/primitives.h"

namespace TULLE_GPU_NAMESPACE {

/* Turns the counts of rows into the numbers of entries before them; returns the number of all
 * entries (waits). */
inline tulle_status sum_up(const tulle__place *place, int64_t *counts, int64_t rows,
                           int64_t *entries) {
    GPU_TRY(exclusive_scan(place, counts, counts, rows + 1));
    return to_host(place, entries, counts + rows, sizeof *entries);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
