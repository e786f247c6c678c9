/* SPDX-License-Identifier: Apache-2.0 */
/* The null vectors that a solver leaves out. */
#include <math.h>

#include "solver/solver.h"
#include "vector/operands.h"

/* Checks Z^T Z = I to half of the digits: with other columns, the part that Z Z^T takes out of x
 * is not the part along them. */
static tulle_status judge_null_space(tulle_solver *S, double *numbers) {
    const int64_t k = S->null_space->cols;
    const double most = S->type == TULLE_F32 ? 0x1p-12 : 0x1p-26;
    tulle_vec *products = NULL;
    TULLE__TRY(tulle_vec_create_columns(S->ctx, S->type, k, k, TULLE_COLUMN_MAJOR, 0, &products));
    tulle_status status =
        tulle_vec_inner(S->ctx, tulle_num(1), S->null_space, S->null_space, tulle_num(0), products);
    if (status == TULLE_OK) {
        status = tulle__solver_sum_all(S, products->data, (int)(k * k));
    }
    if (status == TULLE_OK) status = tulle_vec_read(S->ctx, products, numbers, k);
    tulle_vec_destroy(products);
    TULLE__TRY(status);
    for (int64_t i = 0; i < k * k; i++) {
        const double number = S->type == TULLE_F32 ? ((const float *)numbers)[i] : numbers[i];
        const double away = number - (i % (k + 1) == 0 ? 1 : 0);
        if (!(fabs(away) <= most)) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_solver_create", "null_space", -1,
                               "null_space: its columns are not orthonormal: column %lld times "
                               "column %lld is %g",
                               (long long)(i % k), (long long)(i / k), number);
        }
    }
    return TULLE_OK;
}
static tulle_status check_null_space(tulle_solver *S, const tulle_vec *given) {
    const size_t count = (size_t)given->cols * (size_t)given->cols;
    TULLE__TRY(tulle_vec_copy(S->ctx, given, S->null_space));
    if (tulle__is_empty(S)) return TULLE_OK;
    double *numbers = tulle__host_alloc(S->ctx, count * sizeof *numbers);
    if (!numbers) return TULLE_OUT_OF_MEMORY;
    const tulle_status status = judge_null_space(S, numbers);
    tulle__host_free(S->ctx, numbers);
    return status;
}

tulle_status tulle__solver_take_null_space(tulle_solver *S) {
    const tulle_vec *given = S->options.null_space;
    if (!given && !S->options.constant_null_space) return TULLE_OK;
    const int64_t k = given ? given->cols : 1;
    TULLE__TRY(
        tulle_vec_create_columns(S->ctx, S->type, S->n, k, TULLE_COLUMN_MAJOR, 0, &S->null_space));
    return tulle_vec_create_columns(S->ctx, S->type, k, S->most_columns, TULLE_COLUMN_MAJOR, 0,
                                    &S->along);
}

tulle_status tulle__solver_fill_null_space(tulle_solver *S) {
    const tulle_vec *given = S->options.null_space;
    if (!S->null_space) return TULLE_OK;
    S->options.null_space = NULL;
    if (given) return check_null_space(S, given);
    double rows = (double)S->n;
    if (tulle__is_shared(S)) TULLE__TRY(tulle__solver_sum(S, &rows, 1));
    return tulle_vec_fill(S->ctx, S->null_space, rows > 0 ? 1 / sqrt(rows) : 0);
}
