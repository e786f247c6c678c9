/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_quality.h"

#include <float.h>
#include <math.h>

enum { STEPS = 10 };

/* State of the iteration: of x only the residual r = b - A x is kept. */
typedef struct iteration {
    tulle_ctx *ctx;
    const tulle_mat *A;
    tulle_factor *F;
    tulle_vec *r, *z;
} iteration;

/* Takes the step x := x + z with z := (L U)^-1 r: the residual becomes r := r - A z. */
static tulle_status step(const iteration *it, double *norm) {
    tulle_status status = tulle_factor_solve(it->ctx, TULLE_N, tulle_num(1), it->F, it->r, it->z);
    if (status == TULLE_OK) {
        status = tulle_spmv(it->ctx, TULLE_N, tulle_num(-1), it->A, it->z, tulle_num(1), it->r);
    }
    return status == TULLE_OK ? tulle_vec_norm2(it->ctx, it->r, tulle_to_num(norm)) : status;
}

static tulle_status iterate(const iteration *it, uint64_t seed, double unit,
                            tool_factor_quality *quality) {
    double first = 0, largest = 0;
    tulle_status status = tulle_vec_random(it->ctx, it->z, seed);
    if (status == TULLE_OK) {
        status = tulle_spmv(it->ctx, TULLE_N, tulle_num(1), it->A, it->z, tulle_num(0), it->r);
    }
    if (status == TULLE_OK) status = tulle_vec_norm2(it->ctx, it->r, tulle_to_num(&first));
    if (status == TULLE_OK) status = tulle_vec_norm_max(it->ctx, it->z, tulle_to_num(&largest));
    double now = first;
    while (status == TULLE_OK && quality->steps < STEPS && now > first * sqrt(unit) &&
           isfinite(now)) {
        status = step(it, &now);
        if (status == TULLE_OK && quality->steps == 0) {
            status = tulle_vec_norm_max(it->ctx, it->z, tulle_to_num(&quality->growth));
            quality->growth /= largest;
        }
        quality->steps++;
    }
    if (quality->steps > 0) quality->left = pow(now / first, 1.0 / quality->steps);
    return status;
}

tulle_status tool_factor_judge(tulle_ctx *ctx, const tulle_mat *A, tulle_factor *F, uint64_t seed,
                               tool_factor_quality *quality) {
    iteration it = {.ctx = ctx, .A = A, .F = F};
    tulle_mat_info info;
    *quality = (tool_factor_quality){0};
    tulle_status status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, info.type, info.rows, &it.r);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, info.type, info.rows, &it.z);
    if (status == TULLE_OK) {
        const double unit = (info.type == TULLE_F32 ? FLT_EPSILON : DBL_EPSILON) / 2;
        status = iterate(&it, seed, unit, quality);
    }
    tulle_vec_destroy(it.r);
    tulle_vec_destroy(it.z);
    return status;
}
