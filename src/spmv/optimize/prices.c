/* SPDX-License-Identifier: Apache-2.0 */
/* Costs of preparation, and the memory that it takes. The constants are from conversions
 * measured on an H200 (lab/results/h200-formats.jsonl: 7 to 81 entries a row): putting the
 * entries into slots took four times as long as a copy of the same bytes, when a thread walked a
 * row; now warps take tiles (format/fill.cu), so that this is an upper bound. A transpose takes
 * 0.12 nanoseconds an entry; a form with all its waits takes a tenth of a millisecond. */
#include "format/formats.h"
#include "spmv/bytes.h"
#include "spmv/optimize/contest.h"

static const double fill_factor = 4, transpose_bytes = 500;
enum { GPU_WAITS_US = 120, CPU_WAITS_US = 20 };

double tulle__price_of_plan(const tulle_ctx *ctx) {
    int us = ctx->kind == TULLE_CPU ? CPU_WAITS_US : GPU_WAITS_US;
    return us * tulle__bytes_a_microsecond(&ctx->info);
}

static double entries_of(const tulle__pattern *csr, tulle_type type) {
    int64_t entry = tulle_index_size(csr->index) + tulle_type_size(type);
    return (double)csr->nnz * (double)entry;
}

int64_t tulle__bytes_of_form(const tulle__pattern *csr, tulle_type type, tulle_format format,
                             const tulle_storage *storage) {
    tulle_mat_lengths n = tulle__counts(format, csr->rows, csr->cols, storage);
    int64_t values = tulle__has(format, TULLE__AS_CSR) ? 0 : n.values * tulle_type_size(type);
    return tulle__structure_bytes(&n, csr->index) + values;
}

double tulle__price_of_form(const tulle_ctx *ctx, const tulle__pattern *csr, tulle_type type,
                            tulle_format format, const tulle_storage *storage) {
    double made = (double)tulle__bytes_of_form(csr, type, format, storage);
    double factor = tulle__has(format, TULLE__LIST) ? 2 : fill_factor;
    return tulle__price_of_plan(ctx) + made + factor * (entries_of(csr, type) + made);
}

double tulle__price_of_transpose(const tulle_ctx *ctx, const tulle__pattern *csr) {
    return tulle__price_of_plan(ctx) + transpose_bytes * (double)csr->nnz;
}

int64_t tulle__bytes_of_transpose(const tulle__pattern *csr, tulle_type type) {
    int64_t entry = tulle_index_size(csr->index) + tulle_type_size(type) + (int64_t)sizeof(int64_t);
    return (csr->cols + 1) * tulle_offset_size(csr->index) + csr->nnz * entry;
}
