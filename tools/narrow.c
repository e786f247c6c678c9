/* SPDX-License-Identifier: Apache-2.0 */
#include "narrow.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/csr.h"
#include "tools/common/error.h"

/* Exponents of numbers that, with what is far below them, are far from the ends of f32. */
enum { MOST_EXPONENT = 60 };

/* The exponent of the largest scale, a number of f64: of numbers below the least normal one it
 * leaves what f32 has with all digits, too. */
enum { MOST_SCALE = 1000 };

/* 0 where nothing is to be moved, or nothing can be. */
static int exponent_of_largest(const tool_csr *A) {
    double largest = 0;
    for (int64_t e = 0; e < A->nnz; e++) {
        const double size = fabs(tool_csr_value(A, e));
        if (isfinite(size)) largest = fmax(largest, size);
    }
    int exponent = largest > 0 ? ilogb(largest) : 0;
    if (exponent < -MOST_SCALE) exponent = -MOST_SCALE;
    return abs(exponent) > MOST_EXPONENT ? exponent : 0;
}

static tulle_status copy_scaled(tulle_ctx *ctx, const tulle_mat *A, const tool_csr *csr, int power,
                                tulle_mat **narrow) {
    float *values = tool_alloc((size_t)csr->nnz, sizeof *values);
    for (int64_t e = 0; e < csr->nnz; e++) {
        values[e] = (float)ldexp(tool_csr_value(csr, e), power);
    }
    const tulle_status status = tulle_mat_with_values(ctx, A, TULLE_F32, csr->nnz, values, narrow);
    free(values);
    return status;
}

tulle_status tool_narrow(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **narrow, double *scale) {
    tool_csr csr = {0};
    tulle_status status = tool_csr_open(ctx, A, &csr);
    const int exponent = status == TULLE_OK ? exponent_of_largest(&csr) : 0;
    *scale = ldexp(1, -exponent);
    if (status == TULLE_OK && exponent != 0) {
        status = copy_scaled(ctx, A, &csr, -exponent, narrow);
    } else if (status == TULLE_OK) {
        status = tulle_mat_copy(ctx, A, TULLE_F32, narrow);
    }
    tool_csr_close(&csr);
    return status;
}
