/* SPDX-License-Identifier: Apache-2.0 */
/* C = A + B. Where no B is given it is A with its rows moved down by one, the last one to the top:
 * as long rows, as local as A's, of which some entries meet A's. For C = A + A has A's pattern,
 * which no code need look at: that is another operation, add_values, which reads and writes values.
 */
#include "trials/add.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/verify_add.h"

static tulle_status fits(const trial_making *m) {
    if (m->a.rows == m->b.rows && m->a.cols == m->b.cols) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A is %" PRId64 " x %" PRId64 " and B %" PRId64 " x %" PRId64
                       ": A + B does not exist",
                       m->a.rows, m->a.cols, m->b.rows, m->b.cols);
}

/* Makes the n x n matrix S of ones for which S A is A with its rows moved down by one, the last one
 * to the top. */
static tulle_status make_shift(tulle_ctx *ctx, int64_t n, tulle_mat **S) {
    int64_t *offsets = tool_alloc((size_t)n + 1, sizeof *offsets);
    int64_t *columns = tool_alloc((size_t)n, sizeof *columns);
    double *ones = tool_alloc((size_t)n, sizeof *ones);
    for (int64_t i = 0; i < n; i++) {
        offsets[i + 1] = i + 1;
        columns[i] = (i > 0 ? i : n) - 1;
        ones[i] = 1;
    }
    tulle_status status =
        tulle_mat_create_csr(ctx, n, n, n, TULLE_I64, offsets, columns, TULLE_F64, ones, NULL, S);
    free(ones);
    free(columns);
    free(offsets);
    return status;
}

tulle_status trial_moved_rows(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B) {
    tulle_mat_info a;
    tulle_mat *wide = NULL, *narrow = NULL, *S = NULL;
    *B = NULL;
    tulle_status status = tulle_mat_describe(A, &a);
    if (status == TULLE_OK) status = make_shift(ctx, a.rows, &wide);
    if (status == TULLE_OK) status = tulle_mat_convert(ctx, wide, TULLE_CSR, a.index, 0, &narrow);
    if (status == TULLE_OK) status = tulle_mat_copy(ctx, narrow, a.type, &S);
    if (status == TULLE_OK) {
        status = tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), S, A, NULL, NULL, B);
    }
    tulle_mat_destroy(S);
    tulle_mat_destroy(narrow);
    tulle_mat_destroy(wide);
    return status;
}

static const trial_add_options *options_of(const trial_making *m) {
    static const trial_add_options plain = {.alpha = 1, .beta = 1};
    return m->options ? (const trial_add_options *)m->options : &plain;
}

static tulle_status make(const trial_making *m, void *report, tulle_mat **C) {
    const trial_add_options *o = options_of(m);
    return tulle_add(m->ctx, o->op_a, o->op_b, tulle_num(o->alpha), m->A, tulle_num(o->beta), m->B,
                     &o->call, report, C);
}

static tulle_status verify(const trial_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    (void)rising; /* the claim is that they do */
    const trial_add_options *o = options_of(m);
    const tool_add_claim claim = {.A = &m->host_a,
                                  .B = &m->host_b,
                                  .C = C,
                                  .op_A = o->op_a,
                                  .op_B = o->op_b,
                                  .alpha = o->alpha,
                                  .beta = o->beta};
    return tool_verify_add(&claim, error);
}

static const trial_maker sum = {
    .together = "A + B",
    .other = "A's rows moved down by one",
    .make_other = trial_moved_rows,
    .fits = fits,
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_add = {
    .name = "add",
    .function = "tulle_add",
    .formula = "A + B",
    TRIAL_MAKES(sum),
};

static const trial_maker sum_of_values = {
    .values_alone = true,
    .make = make,
    .verify = verify,
};

const trial_operation trial_operation_add_values = {
    .name = "add_values",
    .function = "tulle_add",
    .formula = "A + A, values alone",
    TRIAL_MAKES(sum_of_values),
};
