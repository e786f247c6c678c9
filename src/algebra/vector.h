/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of functions of a matrix. */
#ifndef TULLE_ALGEBRA_VECTOR_H
#define TULLE_ALGEBRA_VECTOR_H

#include "matrix/matrix.h"
#include "vector/operands.h"

/* Checks that v has so many numbers of A's type, side by side, in the context's memory, and apart
 * from A's arrays. */
tulle_status tulle__check_vector_of(const char *function, const tulle_ctx *ctx, tulle__operand v,
                                    int64_t length, const tulle_mat *A);

#endif
