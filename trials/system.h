/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRIAL_SYSTEM_H
#define TRIAL_SYSTEM_H

#include "tulle/tulle.h"

/* Makes the matrix of a system for iterative methods from a square A in CSR. It is A itself (one
 * more owner) if no row's diagonal entry is below the sum of the magnitudes of the row's other
 * entries, and at least one is above it, so that the method has something to do; else it is
 * tool_dominant of A. symmetric: true for methods that need a symmetric matrix, which is then
 * positive definite as well; TULLE_UNSUPPORTED where A is not symmetric. */
tulle_status trial_system_of(tulle_ctx *ctx, tulle_mat *A, bool symmetric, tulle_mat **B);

#endif
