/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_DOMINANT_H
#define TOOL_DOMINANT_H

#include "tulle/tulle.h"

/* Makes B, in CSR, from a square matrix A: the entries off the diagonal are A's, and each diagonal
 * entry is 1 plus the sum of the magnitudes of the others in its row. */
tulle_status tool_dominant(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);

#endif
