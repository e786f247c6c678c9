/* SPDX-License-Identifier: Apache-2.0 */
/* C = A A or C = A B. */
#include <inttypes.h>
#include <stdlib.h>

#include "bench/making.h"
#include "tools/common/error.h"

static tulle_status fits(const bench_making *m) {
    if (m->a.cols == m->b.rows) return TULLE_OK;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "A is %" PRId64 " x %" PRId64 " and B %" PRId64 " x %" PRId64
                       ": A B does not exist",
                       m->a.rows, m->a.cols, m->b.rows, m->b.cols);
}

static int64_t products(const bench_making *m) {
    const tool_csr *a = &m->host_a, *b = &m->host_b;
    int64_t *lengths = tool_alloc((size_t)b->rows + 1, sizeof *lengths);
    for (int64_t p = 0; p < b->heads; p++) {
        lengths[tool_csr_row(b, p)] = tool_csr_offset(b, p + 1) - tool_csr_offset(b, p);
    }
    int64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int64_t e = 0; e < a->nnz; e++) sum += lengths[tool_csr_column(a, e)];
    free(lengths);
    return sum;
}

static tulle_status make(const bench_making *m, tulle_spgemm_report *report, tulle_mat **C) {
    return tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->A, m->B, NULL, report, C);
}

static tulle_status verify(const bench_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    const tool_spgemm_claim claim = {.A = &m->host_a,
                                     .B = &m->host_b,
                                     .C = C,
                                     .op_A = TULLE_N,
                                     .op_B = TULLE_N,
                                     .alpha = 1,
                                     .rising = rising};
    return tool_verify_spgemm(&claim, error);
}

static const bench_maker maker = {
    .together = "A B",
    .reports = true,
    .fits = fits,
    .products = products,
    .make = make,
    .verify = verify,
};

const bench_operation bench_operation_spgemm = {
    .name = "spgemm",
    .kernels = "spgemm",
    .function = "",
    .formula = "A A",
    BENCH_MAKES(maker),
};
