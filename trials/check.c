/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/check.h"

#include <stdlib.h>
#include <string.h>

#include "tools/common/block.h"
#include "tools/common/error.h"

enum { MOST_COLUMNS = 4 };

struct trial_check {
    int64_t column[MOST_COLUMNS];
    tool_reference *reference[MOST_COLUMNS];
    int count;
    int holders;
};

/* Returns the index of the i-th of `count` columns that are spread evenly over k, from the first to
 * the last. */
static int64_t column_at(int i, int count, int64_t k) {
    return count > 1 ? i * (k - 1) / (count - 1) : 0;
}

static tulle_status add_column(const tool_csr *A, tulle_trans op, const tulle_vec_info *X,
                               const char *columns, int64_t j, trial_check *check) {
    const char *x = columns + j * X->rows * tulle_type_size(X->type);
    check->column[check->count] = j;
    tulle_status status = tool_reference_create(A, op, x, &check->reference[check->count]);
    check->count += status == TULLE_OK;
    return status;
}

tulle_status trial_check_create(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                                const tulle_vec *X, trial_check **check) {
    tulle_vec_info x;
    tool_csr csr = {0};
    trial_check *made = tool_alloc(1, sizeof *made);
    made->holders = 1;
    void *columns = tool_block_host(X);
    tulle_status status = tulle_vec_describe(X, &x);
    if (status == TULLE_OK) status = tool_block_read(ctx, X, columns);
    if (status == TULLE_OK) status = tool_csr_open(ctx, A, &csr);
    int count = x.cols < MOST_COLUMNS ? (int)x.cols : MOST_COLUMNS;
    for (int i = 0; i < count && status == TULLE_OK; i++) {
        status = add_column(&csr, op, &x, columns, column_at(i, count, x.cols), made);
    }
    tool_csr_close(&csr);
    free(columns);
    if (status != TULLE_OK) {
        trial_check_release(made);
        made = NULL;
    }
    *check = made;
    return status;
}

tulle_status trial_check_compare(tulle_ctx *ctx, const trial_check *check, const tulle_vec *Y,
                                 double *units) {
    tulle_vec_info y;
    char *columns = tool_block_host(Y);
    tulle_status status = tulle_vec_describe(Y, &y);
    if (status == TULLE_OK) status = tool_block_read(ctx, Y, columns);
    *units = 0;
    for (int i = 0; i < check->count && status == TULLE_OK; i++) {
        const char *at = columns + check->column[i] * y.rows * tulle_type_size(y.type);
        double error = tool_reference_compare(check->reference[i], 1, 0, NULL, at).units;
        if (!(error <= *units)) *units = error;
    }
    free(columns);
    return status;
}

trial_check *trial_check_retain(trial_check *check) {
    if (check) check->holders++;
    return check;
}

void trial_check_release(trial_check *check) {
    if (!check || --check->holders > 0) return;
    for (int i = 0; i < check->count; i++) tool_reference_destroy(check->reference[i]);
    free(check);
}
