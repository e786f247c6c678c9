/* SPDX-License-Identifier: Apache-2.0 */
/* y_i = the sum of |a_ij| over a row, or a column. The floor has the values, and the offsets of
 * rows or the whole pattern. */
#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "tools/common/csr.h"
#include "tools/common/error.h"
#include "trials/operation.h"
#include "trials/vectors.h"
#include "tulle/algebra.h"

/* The sums by definition, and the error that each may have; NULL: results are not checked. */
typedef struct own {
    long double *want, *bound;
} own;

static void add_entries(const tool_csr *A, tulle_trans op, long double *want) {
    for (int64_t p = 0; p < A->heads; p++) {
        const int64_t end = tool_csr_offset(A, p + 1);
        for (int64_t e = tool_csr_offset(A, p); e < end; e++) {
            const int64_t at = op == TULLE_N ? tool_csr_row(A, p) : tool_csr_column(A, e);
            want[at] += fabsl((long double)tool_csr_value(A, e));
        }
    }
}

/* Computes the sums that are due, and their bounds as in tulle/algebra.h for a row that has all
 * entries. */
static tulle_status expect(const trial_problem *p, tulle_mat *csr, int64_t n, own *o) {
    tool_csr A;
    const long double gamma = trial_gamma(TULLE_F64, (double)p->info.nnz);
    const tulle_status status = tool_csr_open(p->ctx, csr, &A);
    if (status != TULLE_OK) return status;
    o->want = tool_alloc((size_t)n, sizeof *o->want);
    o->bound = tool_alloc((size_t)n, sizeof *o->bound);
    add_entries(&A, p->trans, o->want);
    for (int64_t i = 0; i < n; i++) {
        o->bound[i] =
            (trial_gamma(p->info.type, 1) + 2 * gamma) * o->want[i] + trial_least(p->info.type);
    }
    tool_csr_close(&A);
    return TULLE_OK;
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    const bool by_rows = p->trans == TULLE_N;
    const int64_t n = by_rows ? p->info.rows : p->info.cols;
    const bool offsets_alone = by_rows && p->info.format == TULLE_CSR;
    own *o = tool_alloc(1, sizeof *o);
    p->own = o;
    p->minimal_bytes =
        p->info.value_bytes + n * tulle_type_size(p->info.type) +
        (offsets_alone ? (n + 1) * tulle_offset_size(p->info.index) : p->info.pattern_bytes);
    p->flops = (double)p->info.nnz;
    const tulle_status status = tulle_vec_create(p->ctx, p->info.type, n, &p->y);
    if (status != TULLE_OK || !given->check) return status;
    return expect(p, given->csr ? given->csr : p->A, n, o);
}

static void close_problem(trial_problem *p) {
    own *o = p->own;
    if (!o) return;
    free(o->want);
    free(o->bound);
    free(o);
}

static tulle_status run(void *state) {
    const trial_problem *p = state;
    return tulle_mat_sums(p->ctx, p->trans, p->A, TULLE_SUM_SIZES, p->y);
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    const own *o = p->own;
    const int64_t n = p->trans == TULLE_N ? p->info.rows : p->info.cols;
    *units = (double)NAN;
    if (!o->want) return TULLE_OK;
    void *y = tool_block_host(p->y);
    const tulle_status status = tool_block_read(p->ctx, p->y, y);
    *units = 0;
    for (int64_t i = 0; status == TULLE_OK && i < n; i++) {
        const long double got = trial_vectors_number(p, y, n, i, 0);
        const double off = (double)(fabsl(got - o->want[i]) / o->bound[i]);
        if (!(off <= *units)) *units = off;
    }
    free(y);
    return status;
}

const trial_operation trial_operation_row_sums = {
    .name = "row_sums",
    .function = "tulle_mat_sums",
    .formula = "sums of |A|'s rows",
    .transposed = "sums of |A|'s columns",
    .general = true,
    .open = open_problem,
    .close = close_problem,
    .prepare = trial_vectors_prepare,
    .run = run,
    .finish = trial_vectors_finish,
    .reset = trial_problem_poison,
    .error = error_of,
};
