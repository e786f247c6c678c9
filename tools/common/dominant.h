/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_DOMINANT_H
#define TOOL_DOMINANT_H

#include "tulle/tulle.h"

/* A square matrix in CSR, but for its diagonal, each entry of which is 1 and the sum of the
 * magnitudes of the others in its row. */
tulle_status tool_dominant(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);

#endif
