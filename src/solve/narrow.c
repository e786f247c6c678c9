/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/narrow.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "core/error.h"
#include "tulle/formats.h"
#include "tulle/vec.h"

/* Exponents of numbers that, with numbers far below them, are far from the ends of f32. */
enum { MOST_EXPONENT = 60 };

/* The exponent of the largest scale, a number of f64: of an A below the least normal number the
 * scale leaves all digits that f32 holds. */
enum { MOST_SCALE = 1000 };

static int exponent_of(double largest) {
    int exponent = largest > 0 ? ilogb(largest) : 0;
    if (exponent < -MOST_SCALE) exponent = -MOST_SCALE;
    return abs(exponent) > MOST_EXPONENT ? exponent : 0;
}

static tulle_status view_values(tulle_ctx *ctx, const tulle_mat *A, tulle_vec **values) {
    tulle_mat_arrays arrays;
    tulle_mat_lengths counts;
    TULLE__TRY(tulle_mat_view(A, &arrays));
    TULLE__TRY(tulle_mat_counts(A, &counts));
    return tulle_vec_wrap(ctx, tulle_mat_type(A), counts.values, 1, TULLE_COLUMN_MAJOR,
                          counts.values, (void *)(uintptr_t)arrays.values, values);
}

/* Makes a copy of A times `scale`, in another type. It scales in A's type before it rounds, because
 * f32 would lose the numbers that the scale is to bring into its range. */
static tulle_status copy_scaled(tulle_ctx *ctx, const tulle_mat *A, double scale, tulle_type type,
                                tulle_mat **copy) {
    tulle_vec *values = NULL, *scaled = NULL, *rounded = NULL;
    tulle_vec_info info = {.rows = 0};
    TULLE__TRY(view_values(ctx, A, &values));
    tulle_status status = tulle_vec_describe(values, &info);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, info.type, info.rows, &scaled);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, type, info.rows, &rounded);
    if (status == TULLE_OK) {
        status = tulle_vec_axpby(ctx, tulle_num(scale), values, tulle_num(0), scaled);
    }
    if (status == TULLE_OK) status = tulle_vec_copy(ctx, scaled, rounded);
    if (status == TULLE_OK) status = tulle_vec_describe(rounded, &info);
    if (status == TULLE_OK) {
        status = tulle_mat_with_values(ctx, A, type, info.rows, info.data, copy);
    }
    tulle_vec_destroy(rounded);
    tulle_vec_destroy(scaled);
    tulle_vec_destroy(values);
    return status;
}

tulle_status tulle__narrow(tulle_ctx *ctx, const tulle_mat *A, const tulle_facts *facts,
                           tulle_mat **narrow, double *scale) {
    const int exponent = exponent_of(facts->largest);
    *scale = ldexp(1, -exponent);
    return exponent != 0 ? copy_scaled(ctx, A, *scale, TULLE_F32, narrow)
                         : tulle_mat_copy(ctx, A, TULLE_F32, narrow);
}

tulle_status tulle__near_one(tulle_ctx *ctx, tulle_mat *A, tulle_mat **copy, double *scale) {
    tulle_vec *values = NULL;
    double largest = 0;
    TULLE__TRY(view_values(ctx, A, &values));
    const tulle_status status = tulle_vec_norm_max(ctx, values, tulle_to_num(&largest));
    tulle_vec_destroy(values);
    if (status != TULLE_OK) return status;
    const int most = tulle_mat_type(A) == TULLE_F32 ? FLT_MAX_EXP - 2 : MOST_SCALE;
    int exponent = largest > 0 && largest <= DBL_MAX ? ilogb(largest) : 0;
    if (exponent < -most) exponent = -most;
    *scale = ldexp(1, -exponent);
    if (exponent != 0) return copy_scaled(ctx, A, *scale, tulle_mat_type(A), copy);
    *copy = tulle_mat_retain(A);
    return TULLE_OK;
}

tulle_status tulle__negated(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **copy) {
    return copy_scaled(ctx, A, -1, tulle_mat_type(A), copy);
}
