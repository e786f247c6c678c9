/* SPDX-License-Identifier: Apache-2.0 */
/* C = A', whose values are A's to the bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/making.h"
#include "tools/common/error.h"

static tulle_status make(const bench_making *m, tulle_spgemm_report *report, tulle_mat **C) {
    (void)report;
    return tulle_mat_transpose(m->ctx, m->A, C);
}

static tool_spgemm_error fault_at(int64_t row, int64_t column, const char *fault) {
    return (tool_spgemm_error){
        .units = (double)INFINITY, .row = row, .column = column, .fault = fault};
}

static bool same_value(const tool_csr *A, int64_t a, const tool_csr *C, int64_t c) {
    size_t size = (size_t)tulle_type_size(A->type);
    const char *of_a = A->values, *of_c = C->values;
    return memcmp(of_a + (size_t)a * size, of_c + (size_t)c * size, size) == 0;
}

/* Walks A row by row: its entry in column j is the next one of C's row j. */
static tool_spgemm_error compare(const tool_csr *A, const tool_csr *C, int64_t *next) {
    for (int64_t p = 0; p < A->heads; p++) {
        int64_t i = tool_csr_row(A, p);
        for (int64_t e = tool_csr_offset(A, p); e < tool_csr_offset(A, p + 1); e++) {
            int64_t j = tool_csr_column(A, e), c = next[j]++;
            if (c >= tool_csr_offset(C, j + 1)) return fault_at(j, i, "is missing");
            if (tool_csr_column(C, c) != i) return fault_at(j, i, "is not in its place");
            if (!same_value(A, e, C, c)) return fault_at(j, i, "has another value");
        }
    }
    return (tool_spgemm_error){.row = -1, .column = -1};
}

/* With as many entries as A's, none of which is missing, C has no others. */
static tulle_status verify(const bench_making *m, const tool_csr *C, bool rising,
                           tool_spgemm_error *error) {
    (void)rising; /* entries that are in A's order rise */
    const tool_csr *A = &m->host_a;
    bool shaped = C->rows == A->cols && C->cols == A->rows && C->nnz == A->nnz && !C->order;
    *error = fault_at(C->rows, C->cols, "is its shape, which is not the transpose's");
    if (!shaped || tool_csr_offset(C, C->rows) != C->nnz) return TULLE_OK;
    int64_t *next = tool_alloc((size_t)C->rows + 1, sizeof *next);
    for (int64_t j = 0; j < C->rows; j++) next[j] = tool_csr_offset(C, j);
    *error = compare(A, C, next);
    free(next);
    return TULLE_OK;
}

static const bench_maker maker = {
    .turned = true,
    .make = make,
    .verify = verify,
};

const bench_operation bench_operation_transpose = {
    .name = "transpose",
    .function = "tulle_mat_transpose",
    .formula = "A'",
    BENCH_MAKES(maker),
};
