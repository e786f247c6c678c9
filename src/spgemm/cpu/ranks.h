/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of C with few multiplications: the column of each multiplication is compared with the
 * columns of all others, eight at a time. These comparisons take less time than the branches of
 * a hash table and of a sort, which the processor cannot foresee. */
#ifndef TULLE_SPGEMM_CPU_RANKS_H
#define TULLE_SPGEMM_CPU_RANKS_H

#include "spgemm/cpu/colset.h"

enum { TULLE__RANKS_LANES = 8, TULLE__RANKS_BLOCKS = 8 };
enum { TULLE__RANKS_MOST = TULLE__RANKS_LANES * TULLE__RANKS_BLOCKS };

/* Lanes of a comparison: -1 where it holds, else 0. */
typedef int32_t tulle__ranks_lanes __attribute__((vector_size(TULLE__RANKS_LANES * 4)));

typedef union tulle__ranks_keys {
    int32_t at[TULLE__RANKS_MOST];
    tulle__ranks_lanes block[TULLE__RANKS_BLOCKS];
} tulle__ranks_keys;

/* Fills the block behind the keys with numbers that are no column, none of them twice. */
TULLE__INLINED int64_t tulle__ranks_pad(tulle__ranks_keys *keys, int64_t count) {
    int64_t blocks = (count + TULLE__RANKS_LANES - 1) / TULLE__RANKS_LANES;
    for (int64_t k = count; k < blocks * TULLE__RANKS_LANES; k++) keys->at[k] = (int32_t)(-1 - k);
    return blocks;
}

/* again[k] := -1 where an earlier key equals key k, else 0. Returns the number of different
 * keys. */
TULLE__INLINED int64_t tulle__ranks_again(const tulle__ranks_keys *keys, int64_t count,
                                          int64_t blocks, tulle__ranks_keys *again) {
    const tulle__ranks_lanes number = {0, 1, 2, 3, 4, 5, 6, 7};
    tulle__ranks_lanes all = {0};
    for (int64_t b = 0; b < blocks; b++) {
        tulle__ranks_lanes block = keys->block[b], same = {0};
        int64_t first = b * TULLE__RANKS_LANES;
        for (int64_t k = 0; k < first; k++) same |= block == keys->at[k];
        for (int k = 0; k < TULLE__RANKS_LANES - 1; k++) {
            same |= (block == keys->at[first + k]) & (number > k);
        }
        again->block[b] = same;
        all += same;
    }
    for (int k = 0; k < TULLE__RANKS_LANES; k++) count += all[k];
    return count;
}

/* Lists the keys that have no equal before them, in their order. */
TULLE__INLINED void tulle__ranks_once(const tulle__ranks_keys *keys, int64_t count,
                                      const tulle__ranks_keys *again, int32_t *once) {
    int64_t n = 0;
    for (int64_t k = 0; k < count; k++) {
        once[n] = keys->at[k];
        n += 1 + again->at[k];
    }
}

/* ranks[k] := the number of keys in `once` that are less than key k. */
TULLE__INLINED void tulle__ranks_of(const tulle__ranks_keys *keys, int64_t blocks,
                                    const int32_t *once, int64_t differ, tulle__ranks_keys *ranks) {
    int64_t b = 0;
    for (; b + 1 < blocks; b += 2) {
        tulle__ranks_lanes one = {0}, two = {0};
        for (int64_t k = 0; k < differ; k++) {
            one -= keys->block[b] > once[k];
            two -= keys->block[b + 1] > once[k];
        }
        ranks->block[b] = one;
        ranks->block[b + 1] = two;
    }
    if (b == blocks) return;
    tulle__ranks_lanes one = {0};
    for (int64_t k = 0; k < differ; k++) one -= keys->block[b] > once[k];
    ranks->block[b] = one;
}

#endif
