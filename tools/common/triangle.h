/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_TRIANGLE_H
#define TOOL_TRIANGLE_H

#include "tulle/tulle.h"

/* The fewest bytes of T X = B for so many columns: T, B and X, each read or written once. Of CSR T
 * has its entries and the offsets of its rows; of blocks, those that it reaches into. */
int64_t tool_triangle_bytes(const tulle_mat_info *A, const tulle_trisolve_info *T, tulle_diag diag,
                            int64_t columns);

#endif
