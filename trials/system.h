/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRIAL_SYSTEM_H
#define TRIAL_SYSTEM_H

#include "tulle/tulle.h"

/* The matrix of a system for iterative methods, from a square A in CSR: A itself (one more owner)
 * where no row's diagonal entry is below the sum of the magnitudes of the others and one is above
 * it, so that the method has something to do; else tool_dominant of A. symmetric: for methods that
 * need it, then the matrix is positive definite as well; TULLE_UNSUPPORTED: A is not symmetric. */
tulle_status trial_system_of(tulle_ctx *ctx, tulle_mat *A, bool symmetric, tulle_mat **B);

#endif
