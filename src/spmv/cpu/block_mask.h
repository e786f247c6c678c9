/* SPDX-License-Identifier: Apache-2.0 */
/* The mask of a block of BSR: bits of the cells that are entries. */
#ifndef TULLE_SPMV_CPU_BLOCK_MASK_H
#define TULLE_SPMV_CPU_BLOCK_MASK_H

#include <stdbool.h>
#include <stdint.h>

static inline bool tulle__is_entry(const uint32_t *mask, int cell) {
    return mask[cell / 32] >> (cell % 32) & 1u;
}

/* True when none of so many cells is padding. */
static inline bool tulle__all_entries(const uint32_t *mask, int cells) {
    for (; cells >= 32; cells -= 32) {
        if (*mask++ != UINT32_MAX) return false;
    }
    uint32_t rest = (UINT32_C(1) << cells) - 1;
    return cells == 0 || (*mask & rest) == rest;
}

#endif
