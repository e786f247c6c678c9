/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/narrow.h"

#include <math.h>
#include <stdlib.h>

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

/* Scaled in f64 first: f32 would lose the numbers that are to be brought into its range. */
static tulle_status copy_scaled(tulle_ctx *ctx, const tulle_mat *A, double scale,
                                tulle_mat **narrow) {
    tulle_mat_arrays arrays;
    tulle_mat_lengths counts;
    tulle_vec *values = NULL, *scaled = NULL, *singles = NULL;
    tulle_vec_info info = {.data = NULL};
    tulle_status status = tulle_mat_view(A, &arrays);
    if (status == TULLE_OK) status = tulle_mat_counts(A, &counts);
    if (status == TULLE_OK) {
        status = tulle_vec_wrap(ctx, TULLE_F64, counts.values, 1, TULLE_COLUMN_MAJOR, counts.values,
                                (void *)(uintptr_t)arrays.values, &values);
    }
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, counts.values, &scaled);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F32, counts.values, &singles);
    if (status == TULLE_OK) {
        status = tulle_vec_axpby(ctx, tulle_num(scale), values, tulle_num(0), scaled);
    }
    if (status == TULLE_OK) status = tulle_vec_copy(ctx, scaled, singles);
    if (status == TULLE_OK) status = tulle_vec_describe(singles, &info);
    if (status == TULLE_OK) {
        status = tulle_mat_with_values(ctx, A, TULLE_F32, counts.values, info.data, narrow);
    }
    tulle_vec_destroy(singles);
    tulle_vec_destroy(scaled);
    tulle_vec_destroy(values);
    return status;
}

tulle_status tulle__narrow(tulle_ctx *ctx, const tulle_mat *A, const tulle_facts *facts,
                           tulle_mat **narrow, double *scale) {
    const int exponent = exponent_of(facts->largest);
    *scale = ldexp(1, -exponent);
    return exponent != 0 ? copy_scaled(ctx, A, *scale, narrow)
                         : tulle_mat_copy(ctx, A, TULLE_F32, narrow);
}
