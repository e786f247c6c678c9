/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts a few different columns by ranks: the place of a column is the number of columns that are
 * less. Eight comparisons at a time take less time than the branches of a sort, which the processor
 * cannot foresee. */
#ifndef TULLE_SPGEMM_CPU_RANKS_H
#define TULLE_SPGEMM_CPU_RANKS_H

#include <stdint.h>
#include <string.h>

#include "spgemm/cpu/colset.h"

enum { TULLE__RANKS_LANES = 8, TULLE__RANKS_BLOCKS = 8 };
enum { TULLE__RANKS_MOST = TULLE__RANKS_LANES * TULLE__RANKS_BLOCKS };

/* Lanes of a comparison: -1 where it holds, else 0. */
typedef int32_t tulle__ranks_lanes __attribute__((vector_size(TULLE__RANKS_LANES * 4)));

/* ranks[k] := the number of keys that are less than keys[k]. There are at most TULLE__RANKS_MOST
 * keys, all different; the array has room for a block behind them, which is filled with numbers
 * that are no column. Whole blocks of ranks are written. */
TULLE__INLINED void tulle__ranks_of(int32_t *restrict keys, int64_t count,
                                    int32_t *restrict ranks) {
    const tulle__ranks_lanes none = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX,
                                     INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    memcpy(keys + count, &none, sizeof none);
    for (int64_t b = 0; b < count; b += TULLE__RANKS_LANES) {
        tulle__ranks_lanes here, even = {0}, odd = {0};
        memcpy(&here, keys + b, sizeof here);
        for (int64_t k = 0; k < count; k += TULLE__RANKS_LANES) {
            even -= here > keys[k];
            odd -= here > keys[k + 1];
            even -= here > keys[k + 2];
            odd -= here > keys[k + 3];
            even -= here > keys[k + 4];
            odd -= here > keys[k + 5];
            even -= here > keys[k + 6];
            odd -= here > keys[k + 7];
        }
        even += odd;
        memcpy(ranks + b, &even, sizeof even);
    }
}

#endif
