/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_MATRIX_CSC_H
#define TULLE_MATRIX_CSC_H

#include "matrix/matrix.h"

/* Makes the CSC matrix whose columns are the rows of T, a CSR matrix. stats: of the CSC matrix. */
tulle_status tulle__csc_around(tulle_ctx *ctx, const tulle_mat *T, const tulle__stats *stats,
                               tulle_mat **B);

#endif
