/* SPDX-License-Identifier: Apache-2.0 */
/* Picks items of rows that go to other processes, and numbers rows, on the CPU. */
#include <string.h>

#include "dist/functions.h"

tulle_status tulle__cpu_dist_pick(const tulle__place *place, int64_t count, const int64_t *order,
                                  size_t size, const void *from, void *to) {
    (void)place;
    for (int64_t k = 0; k < count; k++) {
        memcpy((char *)to + (size_t)k * size, (const char *)from + (size_t)order[k] * size, size);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_dist_number(const tulle__place *place, int64_t count, int64_t first,
                                    int64_t *to) {
    (void)place;
    for (int64_t k = 0; k < count; k++) to[k] = first + k;
    return TULLE_OK;
}
