/* SPDX-License-Identifier: Apache-2.0 */
/* The lines (matrix/block_lines.h) that a BSR or CSR pattern, of blocks of 1, keeps with it. */
#ifndef TULLE_MATRIX_BLOCK_LINES_OF_H
#define TULLE_MATRIX_BLOCK_LINES_OF_H

#include "matrix/block_lines.h"
#include "matrix/derived.h"

/* Returns the block rows of a pattern (TULLE_N) or its block columns (TULLE_T). They are made in
 * the first call, which waits, and live as long as the pattern. */
tulle_status tulle__block_lines_of(tulle_ctx *ctx, tulle__pattern *pattern, tulle_trans op,
                                   const tulle__block_lines **lines);

#endif
