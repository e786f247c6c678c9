/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_TRIANGLE_H
#define TOOL_TRIANGLE_H

#include "tulle/tulle.h"

/* Returns the fewest bytes that solving T X = B moves for so many columns: T, B and X, each read or
 * written once. A T in CSR counts with its entries and the offsets of its rows; a T in blocks, with
 * the blocks that it reaches into. */
int64_t tool_triangle_bytes(const tulle_mat_info *A, const tulle_trisolve_info *T, tulle_diag diag,
                            int64_t columns);

#endif
