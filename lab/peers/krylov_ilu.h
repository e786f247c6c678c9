/* SPDX-License-Identifier: Apache-2.0 */
/* ILU(0) of cuSPARSE: csrilu02, and SpSV with each factor. */
#ifndef BENCH_PEERS_KRYLOV_ILU_H
#define BENCH_PEERS_KRYLOV_ILU_H

#include "lab/peers/cusparse_legacy.h"

/* One of the factors. */
typedef struct krylov_triangle {
    cusparseSpMatDescr_t T;
    cusparseSpSVDescr_t solve;
    tulle_vec *scratch;
    void *buffer;
} krylov_triangle;

typedef struct krylov_ilu {
    tulle_ctx *ctx;
    cusparseHandle_t handle; /* the caller's */
    tulle_type type;
    cusparse_scalar one;
    cusparseSolvePolicy_t policy;
    cusparse_legacy_matrix A;
    csrilu02Info_t info;
    tulle_mat *LU;      /* both factors, on A's pattern */
    void *numbers;      /* values of LU */
    tulle_vec *scratch; /* scratch of csrilu02 */
    void *buffer;
    krylov_triangle part[2];     /* the triangles, by tulle_part */
    tulle_vec *between;          /* L^-1 times a vector */
    cusparseDnVecDescr_t middle; /* descriptor of `between` */
} krylov_ilu;

/* Factorises the problem's matrix, and prepares solves. To be closed also after a failure; a struct
 * of zeros may be closed, too. */
tulle_status krylov_ilu_open(const trial_problem *problem, cusparseHandle_t handle,
                             cusparseSolvePolicy_t policy, krylov_ilu *ilu);
void krylov_ilu_close(krylov_ilu *ilu);

/* Computes to := U^-1 L^-1 from. */
tulle_status krylov_ilu_apply(const krylov_ilu *ilu, cusparseDnVecDescr_t from,
                              cusparseDnVecDescr_t to);

#endif
