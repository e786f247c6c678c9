/* SPDX-License-Identifier: Apache-2.0 */
/* The triple product for a caller that has the transpose of P already. */
#ifndef TULLE_SPGEMM_GALERKIN_H
#define TULLE_SPGEMM_GALERKIN_H

#include "core/context.h"
#include "matrix/matrix.h"
#include "spgemm/lengths.h"
#include "tulle/matrix.h"

/* C := R A P, as tulle_spgemm_galerkin, where R is P^T in CSR with rising columns. Where the cap
 * of the context makes the product go in groups of rows, these are cut from P, and R is not
 * used. lengths: of the rows of A P and of C, [2], which are used where they are known and else
 * taken; NULL: neither. Known lengths must be those of the same patterns. like: the pattern that C
 * then has and shares, so that it is not made again; NULL: C gets one of its own. */
tulle_status tulle__spgemm_galerkin_with(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *P,
                                         const tulle_mat *R, tulle__spgemm_lengths *lengths,
                                         tulle__pattern *like, tulle_mat **C);

#endif
