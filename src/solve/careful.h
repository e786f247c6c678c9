/* SPDX-License-Identifier: Apache-2.0 */
/* An operator that applies A in a format, and computes residuals with the rows of A. */
#ifndef TULLE_SOLVE_CAREFUL_H
#define TULLE_SOLVE_CAREFUL_H

#include "tulle/linop.h"
#include "tulle/matrix.h"

/* Replaces L, which applies A in some format, by an operator that does the same, but computes
 * b - A x with the rows of A: each of its numbers as if in twice the precision of f64. Two things
 * hide a residual as large as |A| |x| times the roundoff otherwise: a product in f64 in another
 * format than CSR, and entries of the same place that were added and rounded. Where numbers cancel,
 * b - A x then looks like 0 though it is far larger than b. A, in any format, is the same matrix as
 * L's; where it is not in CSR it is converted for each residual, and where there is no memory for
 * that the residual is that of L. On failure L stays. */
tulle_status tulle__careful_take(tulle_ctx *ctx, tulle_mat *A, tulle_linop **L);

#endif
