/* SPDX-License-Identifier: Apache-2.0 */
/* The diagonal of a smoother, on the CPU. */
#include <omp.h>

#include "amg/diagonal_rules.h"
#include "amg/functions.h"
#include "core/threads/sizes.h"

/* Inverts sums begin to end - 1; returns true where no row has too much noise for f32. */
#define INVERT(VALUE, name)                                                                        \
    static bool name(const tulle__amg_inversion *t, int64_t begin, int64_t end) {                  \
        VALUE *d = t->d;                                                                           \
        const VALUE *noises = t->noise;                                                            \
        bool fits = true;                                                                          \
        for (int64_t i = begin; i < end; i++) {                                                    \
            const double sum = (double)d[i], noise = noises ? (double)noises[i] : 0;               \
            const bool counts = tulle__amg_counts(t, sum, noise);                                  \
            fits = fits && !(counts && noise > t->most * sum);                                     \
            d[i] = !counts ? 0 : tulle__amg_is_negative(t, i) ? -1 / d[i] : 1 / d[i];              \
        }                                                                                          \
        return fits;                                                                               \
    }
INVERT(float, invert_f32)
INVERT(double, invert_f64)

tulle_status tulle__cpu_amg_invert(const tulle__place *place,
                                   const tulle__amg_inversion *inversion) {
    const int64_t n = inversion->n;
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, 2 * n);
    bool fits = true;
#pragma omp parallel num_threads(threads) reduction(&& : fits)
    {
        const int64_t p = omp_get_thread_num(), parts = omp_get_num_threads();
        fits = (inversion->type == TULLE_F32 ? invert_f32 : invert_f64)(inversion, n * p / parts,
                                                                        n * (p + 1) / parts);
    }
    if (!fits && inversion->unfit) *inversion->unfit = TULLE__AMG_NOISY;
    return TULLE_OK;
}
