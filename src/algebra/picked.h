/* SPDX-License-Identifier: Apache-2.0 */
/* From a pick to a matrix. */
#ifndef TULLE_ALGEBRA_PICKED_H
#define TULLE_ALGEBRA_PICKED_H

#include "algebra/pick.h"
#include "matrix/matrix.h"

/* Makes C of a pick, whose make_c and c need not be set. rising: the columns of A ascend and are
 * not repeated. */
tulle_status tulle__picked_make(const char *function, tulle_ctx *ctx, const tulle__pick *pick,
                                bool rising, tulle_mat **C);

#endif
