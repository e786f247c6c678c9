/* SPDX-License-Identifier: Apache-2.0 */
#include "core/access.h"
#include "core/threads/sizes.h"
#include "spgemm/functions.h"

tulle_status tulle__cpu_take_lengths(const tulle__place *place, int64_t rows, int64_t size,
                                     const void *offsets, int64_t *unfit, uint8_t *lengths) {
    int64_t found = 0;
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, rows);
#pragma omp parallel for num_threads(threads) reduction(max : found)
    for (int64_t i = 0; i < rows; i++) {
        const int64_t length = tulle__get(offsets, size, i + 1) - tulle__get(offsets, size, i);
        if (length > UINT8_MAX) found = 1;
        lengths[i] = (uint8_t)length;
    }
    *unfit = found;
    return TULLE_OK;
}
