/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha op(A) op(B) + beta D by tulle_spgemm, as one trial, with a mask or without; of the
 * trial galerkin, C = alpha B^T A B + beta D by tulle_spgemm_galerkin. */
#ifndef TRIAL_SPGEMM_H
#define TRIAL_SPGEMM_H

#include "trials/making.h"

/* Holds the choices of a trial (trial_given.options); the benchmark takes trial_spgemm_plain. */
typedef struct trial_spgemm_options {
    tulle_trans op_a, op_b;
    double alpha, beta;
    tulle_spgemm_options call; /* options of the call; they have beta again, and D and the mask,
                                  or NULL */
} trial_spgemm_options;

/* C = A B, with nothing added. */
extern const trial_spgemm_options trial_spgemm_plain;

/* Returns the number of multiplications in A B. */
int64_t trial_spgemm_products(const trial_making *making);

/* Compares C with alpha op(A) op(B) + beta D, or with galerkin alpha B^T A B + beta D. */
tulle_status trial_spgemm_verify(const trial_making *making, const tool_csr *C, bool rising,
                                 bool galerkin, tool_spgemm_error *error);

static inline const trial_spgemm_options *trial_spgemm_options_of(const trial_making *making) {
    return making->options ? (const trial_spgemm_options *)making->options : &trial_spgemm_plain;
}

#endif
