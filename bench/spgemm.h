/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha op(A) op(B) + beta D by tulle_spgemm, as one trial; of the trial galerkin, C = alpha
 * B^T A B + beta D by tulle_spgemm_galerkin. */
#ifndef BENCH_SPGEMM_H
#define BENCH_SPGEMM_H

#include "bench/making.h"

/* Holds the choices of a trial (bench_given.options); the benchmark takes bench_spgemm_plain. */
typedef struct bench_spgemm_options {
    tulle_trans op_a, op_b;
    double alpha, beta;
    tulle_spgemm_options call; /* with beta again, and D, or NULL */
} bench_spgemm_options;

/* C = A B, with nothing added. */
extern const bench_spgemm_options bench_spgemm_plain;

/* Compares C with alpha op(A) op(B) + beta D, or with galerkin alpha B^T A B + beta D. */
tulle_status bench_spgemm_verify(const bench_making *making, const tool_csr *C, bool rising,
                                 bool galerkin, tool_spgemm_error *error);

static inline const bench_spgemm_options *bench_spgemm_options_of(const bench_making *making) {
    return making->options ? (const bench_spgemm_options *)making->options : &bench_spgemm_plain;
}

#endif
