/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/making.h"

#include <stdio.h>

#include "bench/verdict.h"

static tulle_status open_second(bench_making *m, const tulle_mat *B) {
    if (!B) {
        m->b = m->a;
        m->host_b = m->host_a;
        return TULLE_OK;
    }
    m->B = B;
    tulle_status status = tulle_mat_describe(B, &m->b);
    return status == TULLE_OK ? tool_csr_open(m->ctx, B, &m->host_b) : status;
}

tulle_status bench_making_open(tulle_ctx *ctx, const bench_maker *maker, const tulle_mat *A,
                               const tulle_mat *B, const char *second, bool check,
                               bench_making *making) {
    *making = (bench_making){.ctx = ctx, .maker = maker, .A = A, .B = A, .second = second};
    tulle_status status = tulle_ctx_device(ctx, &making->device);
    if (status == TULLE_OK) status = tulle_mat_describe(A, &making->a);
    if (status == TULLE_OK) status = tool_csr_open(ctx, A, &making->host_a);
    if (status == TULLE_OK) status = open_second(making, B);
    if (status == TULLE_OK && maker->fits) status = maker->fits(making);
    if (status != TULLE_OK) {
        bench_making_close(making);
        return status;
    }
    if (maker->products) making->products = maker->products(making);
    if (check) making->known = bench_verdicts_create();
    return TULLE_OK;
}

void bench_making_close(bench_making *making) {
    bench_verdicts_destroy(making->known);
    if (making->second) tool_csr_close(&making->host_b);
    tool_csr_close(&making->host_a);
}

static int64_t bytes_of(const bench_making *making, const tulle_mat_info *info) {
    return info->value_bytes + (making->maker->values_alone ? 0 : info->pattern_bytes);
}

/* In A's index type, or with 64-bit offsets where these cannot count C's entries. */
int64_t bench_making_result_bytes(const bench_making *making, int64_t nnz) {
    const bench_maker *maker = making->maker;
    int64_t rows = maker->turned ? making->a.cols : making->a.rows;
    if (maker->coarse) rows = making->b.cols;
    if (maker->values_alone) return nnz * tulle_type_size(making->a.type);
    bool narrow = tulle_offset_size(making->a.index) == 4 && nnz <= INT32_MAX;
    int64_t entry = tulle_index_size(making->a.index) + tulle_type_size(making->a.type);
    return (rows + 1) * (narrow ? 4 : 8) + nnz * entry;
}

int64_t bench_making_bytes(const bench_making *making, int64_t nnz) {
    int64_t second = making->second ? bytes_of(making, &making->b) : 0;
    return bytes_of(making, &making->a) + second + bench_making_result_bytes(making, nnz);
}

tulle_status bench_maker_default(const bench_maker *maker, tulle_ctx *ctx, char name[64]) {
    static const int32_t offsets[] = {0, 1}, column = 0;
    static const double one = 1;
    name[0] = '\0';
    if (maker->kernel) return TULLE_OK;
    tulle_mat *A = NULL, *C = NULL;
    tulle_spgemm_report report;
    tulle_status status =
        tulle_mat_create_csr(ctx, 1, 1, 1, TULLE_I32, offsets, &column, TULLE_F64, &one, NULL, &A);
    const bench_making tiny = {.ctx = ctx, .maker = maker, .A = A, .B = A};
    if (status == TULLE_OK) status = maker->make(&tiny, &report, &C);
    if (status == TULLE_OK) snprintf(name, 64, "%s", report.kernel);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
    return status;
}
