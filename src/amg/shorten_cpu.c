/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of interpolation with the digits of f32, on the CPU. */
#include "amg/functions.h"
#include "amg/shorten_rules.h"
#include "core/threads/sizes.h"

#define SHORTEN(OFFSET, name)                                                                      \
    static void name(int threads, int64_t rows, const OFFSET *offsets, double *numbers) {          \
        _Pragma("omp parallel for num_threads(threads) schedule(static)") for (int64_t i = 0;      \
                                                                               i < rows; i++) {    \
            tulle__amg_shorten_row(numbers + offsets[i], offsets[i + 1] - offsets[i]);             \
        }                                                                                          \
    }
SHORTEN(int32_t, shorten_i32)
SHORTEN(int64_t, shorten_i64)

tulle_status tulle__cpu_amg_shorten(const tulle__place *place, const tulle__pattern_view *P,
                                    double *numbers) {
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, P->nnz);
    if (tulle_offset_size(P->index) == 4) {
        shorten_i32(threads, P->rows, P->offsets, numbers);
    } else {
        shorten_i64(threads, P->rows, P->offsets, numbers);
    }
    return TULLE_OK;
}
