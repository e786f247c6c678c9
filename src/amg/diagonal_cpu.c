/* SPDX-License-Identifier: Apache-2.0 */
/* The diagonal of a smoother, on the CPU. */
#include "amg/functions.h"
#include "core/threads/sizes.h"

#define INVERT(VALUE, name)                                                                        \
    static void name(int threads, int64_t n, VALUE *d) {                                           \
        _Pragma("omp parallel for simd num_threads(threads) schedule(static)") for (int64_t i = 0; \
                                                                                    i < n; i++) {  \
            d[i] = d[i] == 0 ? 0 : 1 / d[i];                                                       \
        }                                                                                          \
    }
INVERT(float, invert_f32)
INVERT(double, invert_f64)

tulle_status tulle__cpu_amg_invert(const tulle__place *place, tulle_type type, int64_t n, void *d) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, 2 * n);
    if (type == TULLE_F32) {
        invert_f32(threads, n, d);
    } else {
        invert_f64(threads, n, d);
    }
    return TULLE_OK;
}
