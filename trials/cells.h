/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that stand in the pattern of a CSR or BSR matrix, as matrices of scalars on the host: of
 * blocks every cell is an entry. */
#ifndef TRIAL_CELLS_H
#define TRIAL_CELLS_H

#include "tools/common/csr.h"

typedef struct trial_cells {
    tool_csr pattern;   /* pattern of tool_csr_open_blocks */
    int64_t block;      /* number of rows of a block; 1: CSR */
    const void *values; /* the numbers, of the pattern's type */
} trial_cells;

/* The entries of a part: all, a triangle, or the lower one with ones on its diagonal. */
typedef enum trial_cells_part {
    TRIAL_CELLS_ALL,
    TRIAL_CELLS_LOWER,
    TRIAL_CELLS_UPPER,
    TRIAL_CELLS_UNIT_LOWER
} trial_cells_part;

/* Returns a part of the entries; to be closed by tool_csr_close. */
tool_csr trial_cells_part_of(const trial_cells *cells, trial_cells_part part);

#endif
