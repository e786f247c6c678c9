/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the vectors that functions of a matrix take. */
#ifndef TULLE_ALGEBRA_VECTOR_H
#define TULLE_ALGEBRA_VECTOR_H

#include "matrix/matrix.h"
#include "vector/operands.h"

/* Checks that v has `length` numbers of A's type, next to each other, in the context's memory, and
 * does not overlap A's arrays. */
tulle_status tulle__check_vector_of(const char *function, const tulle_ctx *ctx, tulle__operand v,
                                    int64_t length, const tulle_mat *A);

#endif
