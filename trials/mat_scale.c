/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and columns of a matrix in CSR scaled in place, on a copy of A. All factors are 1 or -1, so
 * that what is scaled many times stays as large as it was. The floor reads the pattern and the
 * factors, and reads and writes the values. */
#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "tools/common/csr.h"
#include "tools/common/error.h"
#include "trials/operation.h"
#include "trials/vectors.h"
#include "tulle/algebra.h"

/* The matrix that is scaled; x has the factors of the columns, y those of the rows. */
typedef struct own {
    tulle_mat *scaled;
    bool checked;
} own;

static double row_factor(int64_t i) {
    return i % 2 == 0 ? -1 : 1;
}

static double column_factor(int64_t j) {
    return j % 3 == 0 ? -1 : 1;
}

static tulle_status make_factors(const trial_problem *p, int64_t n, double (*factor)(int64_t),
                                 tulle_vec **v) {
    tulle_status status = tulle_vec_create(p->ctx, p->info.type, n, v);
    if (status != TULLE_OK) return status;
    void *numbers = tool_block_host(*v);
    for (int64_t i = 0; i < n; i++) {
        if (p->info.type == TULLE_F32) {
            ((float *)numbers)[i] = (float)factor(i);
        } else {
            ((double *)numbers)[i] = factor(i);
        }
    }
    status = tool_block_write(p->ctx, *v, numbers);
    free(numbers);
    return status;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const int64_t value = tulle_type_size(p->info.type);
    if (p->info.format != TULLE_CSR) {
        return tool_record(TULLE_UNSUPPORTED, "values are scaled in place in CSR alone");
    }
    own *o = tool_alloc(1, sizeof *o);
    *o = (own){.checked = given->check};
    p->own = o;
    p->minimal_bytes =
        p->info.pattern_bytes + 2 * p->info.value_bytes + (p->info.rows + p->info.cols) * value;
    p->flops = 2 * (double)p->info.nnz;
    tulle_status status = tulle_mat_copy(p->ctx, p->A, p->info.type, &o->scaled);
    if (status == TULLE_OK) status = make_factors(p, p->info.cols, column_factor, &p->x);
    if (status == TULLE_OK) status = make_factors(p, p->info.rows, row_factor, &p->y);
    return status;
}

static void close_problem(trial_problem *p) {
    own *o = p->own;
    if (!o) return;
    tulle_mat_destroy(o->scaled);
    free(o);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    return tulle_mat_scale(p->ctx, ((const own *)p->own)->scaled, p->y, p->x);
}

/* Gives the copy A's values again. */
static tulle_status reset(const trial_problem *p) {
    const own *o = p->own;
    tulle_mat_arrays A;
    const tulle_status status = tulle_mat_view(p->A, &A);
    if (status != TULLE_OK) return status;
    return tulle_mat_set_values(p->ctx, o->scaled, p->info.nnz, A.values);
}

/* Returns the number of entries that are not A's with the sign of the factors; NaN is right where A
 * has NaN. */
static int64_t count_wrong(const tool_csr *A, const tool_csr *B) {
    int64_t wrong = 0;
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t e = tool_csr_offset(A, i); e < tool_csr_offset(A, i + 1); e++) {
            const double sign = row_factor(i) * column_factor(tool_csr_column(A, e));
            const double want = sign * tool_csr_value(A, e), got = tool_csr_value(B, e);
            wrong += !(got == want || (isnan(want) && isnan(got)));
        }
    }
    return wrong;
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    const own *o = p->own;
    tool_csr A = {0}, B = {0};
    *units = (double)NAN;
    if (!o->checked) return TULLE_OK;
    tulle_status status = tool_csr_open(p->ctx, p->A, &A);
    if (status == TULLE_OK) status = tool_csr_open(p->ctx, o->scaled, &B);
    if (status == TULLE_OK) *units = count_wrong(&A, &B) == 0 ? 0 : INFINITY;
    tool_csr_close(&B);
    tool_csr_close(&A);
    return status;
}

const trial_operation trial_operation_mat_scale = {
    .name = "mat_scale",
    .function = "tulle_mat_scale",
    .formula = "r_i a_ij c_j",
    .general = true,
    .open = open_problem,
    .close = close_problem,
    .prepare = trial_vectors_prepare,
    .run = run,
    .finish = trial_vectors_finish,
    .reset = reset,
    .error = error_of,
};
