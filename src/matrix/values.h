/* SPDX-License-Identifier: Apache-2.0 */
/* New values of a matrix that are computed where they are to stay. */
#ifndef TULLE_MATRIX_VALUES_H
#define TULLE_MATRIX_VALUES_H

#include "matrix/matrix.h"

/* Gives the array that new values of A may be written to: A's own array, or, where A's is borrowed,
 * a new one from the context's pool. tulle__values_put or tulle__values_drop follows. */
tulle_status tulle__values_room(tulle_ctx *ctx, const tulle_mat *A, void **room);

/* Makes the written array A's values, and puts them into the copies for plans, in stream order. */
tulle_status tulle__values_put(tulle_ctx *ctx, tulle_mat *A, void *room);

/* Frees the array that tulle__values_room gave, after a failure, unless it is A's own array. */
void tulle__values_drop(tulle_ctx *ctx, const tulle_mat *A, void *room);

#endif
