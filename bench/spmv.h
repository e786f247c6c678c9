/* SPDX-License-Identifier: Apache-2.0 */
/* Y = op(A) X by tulle_spmv or tulle_spmm, as one trial. */
#ifndef BENCH_SPMV_H
#define BENCH_SPMV_H

#include "bench/acting.h"

/* Products have number 0 among the operations, and their own list of variants (variant.h). */
extern const bench_actor bench_actor_spmv;

static inline bool bench_is_product(const bench_problem *problem) {
    return problem->actor == &bench_actor_spmv;
}

/* A product with random X. After a failure there is nothing to close. */
tulle_status bench_spmv_open(tulle_ctx *ctx, tulle_mat *A, tulle_trans trans, bench_block block,
                             uint64_t seed, bool check, bench_problem *problem);

#endif
