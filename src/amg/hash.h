/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of a row's number that stands for a random number, and that of a table of columns. */
#ifndef TULLE_AMG_HASH_H
#define TULLE_AMG_HASH_H

#include "format/formats.h"

/* A mixture of the bits of a number, which gives each number below 2^32 another one (the
 * multipliers are C. Wellons' "lowbias32"). */
SLOTS_FUNCTION uint32_t tulle__amg_hash(int64_t row) {
    uint32_t x = (uint32_t)row ^ (uint32_t)((uint64_t)row >> 32) * UINT32_C(0x9e3779b9);
    x = (x ^ (x >> 16)) * UINT32_C(0x7feb352d);
    x = (x ^ (x >> 15)) * UINT32_C(0x846ca68b);
    return x ^ (x >> 16);
}

/* First slot of a column in a table of 2^bits slots, 0 < bits: the leading bits of the column times
 * 2^32 over the golden ratio (D. E. Knuth, "The Art of Computer Programming", volume 3, 6.4), which
 * spreads columns that are a power of two apart, as those of a grid may be. */
SLOTS_FUNCTION int64_t tulle__amg_first_slot(int64_t column, int bits) {
    const uint32_t x = (uint32_t)column * UINT32_C(0x9e3779b1);
    return (int64_t)(x >> (bits < 32 ? 32 - bits : 0));
}

#endif
