/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/spoil.h"

tulle_status trial_spoil_factor(const trial_problem *p, const tulle_mat *A, tulle_factor *F) {
    const int64_t count = p->info.storage.stored;
    tulle_mat_arrays arrays;
    tulle_vec *as_they_are = NULL, *values = NULL;
    tulle_vec_info info;
    tulle_mat *other = NULL;
    tulle_status status = tulle_mat_view(A, &arrays);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, p->info.type, count, &values);
    if (status == TULLE_OK) status = tulle_vec_describe(values, &info);
    if (status == TULLE_OK) {
        status = tulle_vec_wrap(p->ctx, p->info.type, count, 1, TULLE_COLUMN_MAJOR, 0,
                                (void *)arrays.values, &as_they_are);
    }
    if (status == TULLE_OK) status = tulle_vec_copy(p->ctx, as_they_are, values);
    if (status == TULLE_OK) status = tulle_vec_scale(p->ctx, tulle_num(2), values);
    if (status == TULLE_OK) {
        status = tulle_mat_with_values(p->ctx, A, p->info.type, count, info.data, &other);
    }
    if (status == TULLE_OK) status = tulle_factor_update(p->ctx, F, other);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    tulle_mat_destroy(other);
    tulle_vec_destroy(values);
    tulle_vec_destroy(as_they_are);
    return status;
}
