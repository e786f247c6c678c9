/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that stand in the pattern of a CSR or BSR matrix, as matrices of scalars on the host: of
 * blocks every cell is an entry. */
#ifndef BENCH_CELLS_H
#define BENCH_CELLS_H

#include "tools/common/csr.h"

typedef struct bench_cells {
    tool_csr pattern;   /* as tool_csr_open has it; of BSR offsets and columns count blocks */
    int64_t block;      /* rows of one; 1: CSR */
    const void *values; /* the numbers, of the pattern's type */
} bench_cells;

/* Which entries: all, the triangles, or the lower one with ones on its diagonal. */
typedef enum bench_cells_part {
    BENCH_CELLS_ALL,
    BENCH_CELLS_LOWER,
    BENCH_CELLS_UPPER,
    BENCH_CELLS_UNIT_LOWER
} bench_cells_part;

/* For tool_csr_close. */
tool_csr bench_cells_part_of(const bench_cells *cells, bench_cells_part part);

#endif
