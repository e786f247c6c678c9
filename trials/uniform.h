/* SPDX-License-Identifier: Apache-2.0 */
/* Uniform batches: as many systems as the block has columns, on the matrix's pattern. b is the
 * problem's x, or x of a product, and the result its y. */
#ifndef TRIAL_UNIFORM_H
#define TRIAL_UNIFORM_H

#include "tools/common/csr.h"
#include "trials/operation.h"

/* Operations on the systems, by the operation's details; methods precondition with Jacobi, but for
 * TRIAL_UNIFORM_ILU: BiCGStab with ILU(0). */
enum { TRIAL_UNIFORM_SPMV, TRIAL_UNIFORM_BICGSTAB, TRIAL_UNIFORM_GMRES, TRIAL_UNIFORM_ILU };
#define TRIAL_UNIFORM_DETAILS                                                                      \
    { "spmv", "bicgstab", "gmres", "ilu" }

enum { TRIAL_UNIFORM_RESTART = 30 };

/* The `own` of such a problem. */
typedef struct trial_uniform {
    tulle_uniform *P;
    tulle_vec *values; /* entries x systems */
    int64_t entries, systems;
    int32_t *offsets, *columns; /* offsets and columns of the pattern, in host memory */
    /* For the check, system after system; NULL: none. */
    void *host_values, *host_x;
} trial_uniform;

tulle_method trial_uniform_method(int detail);

/* Returns the largest |b - A x| / |b| allowed: the default tolerance of a solution. */
double trial_uniform_tolerance(tulle_type type);

#endif
