/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of a diagonal block: steps 2 and 3 of LU of Afanasyev and others 2015, section 3.4,
 * who modify the block by shuffles, factorise and invert it.
 *
 * The paper prints neither, so this is ours: Gauss and Jordan's elimination of [D | I] with row
 * exchanges, by one warp. A lane has a column, and what a step multiplies it by comes from the lane
 * of the step's column, by a shuffle. The modification is tulle's: a pivot that is too small is
 * boosted where the factors ask for it. */
#ifndef TULLE_BATCH_PUBLISHED_INVERSE_CUH
#define TULLE_BATCH_PUBLISHED_INVERSE_CUH

#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* The first of the largest numbers from number k on. */
template <class V, int b>
GPU_FUNCTION int largest_from(int k, const V (&column)[b]) {
    int best = k;
    V most = column[k] < 0 ? -column[k] : column[k];
    GPU_UNROLL
    for (int r = 0; r < b; r++) {
        const V size = column[r] < 0 ? -column[r] : column[r];
        if (r <= k || !(size > most)) continue;
        best = r;
        most = size;
    }
    return best;
}

/* Lane c below b has column c of D, and lane b + c column c of I, which becomes that of the
 * inverse. judge(k, pivot): what to divide by, asked once for each pivot. All lanes of a warp call
 * it. */
template <class V, int b, class Judge>
GPU_FUNCTION void invert_columns(V (&column)[b], Judge judge) {
    static_assert(2 * b <= 32, "a lane has a column");
    GPU_UNROLL
    for (int k = 0; k < b; k++) {
        const int best = shuffle(full_warp, largest_from<V, b>(k, column), k);
        GPU_UNROLL
        for (int r = k + 1; r < b; r++) {
            const V above = column[k];
            column[k] = r == best ? column[r] : above;
            column[r] = r == best ? above : column[r];
        }
        V pivot = column[k];
        if (lane() == static_cast<unsigned>(k)) pivot = judge(k, pivot);
        const V number = column[k] / shuffle(full_warp, pivot, k);
        GPU_UNROLL
        for (int r = 0; r < b; r++) {
            const V factor = shuffle(full_warp, column[r], k);
            if (r != k) column[r] = fma(-factor, number, column[r]);
        }
        column[k] = number;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
