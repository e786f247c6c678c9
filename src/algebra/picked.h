/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a matrix of a pick. */
#ifndef TULLE_ALGEBRA_PICKED_H
#define TULLE_ALGEBRA_PICKED_H

#include "algebra/pick.h"
#include "matrix/matrix.h"

/* Makes C of a pick, whose make_c and c need not be set. `rising` is true when the columns of A
 * ascend without repetition. */
tulle_status tulle__picked_make(const char *function, tulle_ctx *ctx, const tulle__pick *pick,
                                bool rising, tulle_mat **C);

#endif
