/* SPDX-License-Identifier: Apache-2.0 */
/* The transposed copy that planned A^T x products run on. */
#ifndef TULLE_MATRIX_TRANSPOSED_H
#define TULLE_MATRIX_TRANSPOSED_H

#include "matrix/matrix.h"

/* Makes the transposed pattern unless it is there, and A's values in its order. */
tulle_status tulle__transposed_make(tulle_ctx *ctx, tulle_mat *A);

/* Bytes of the transposed pattern with its permutation. */
int64_t tulle__transposed_bytes(const tulle__pattern *pattern);

#endif
