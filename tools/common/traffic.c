/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/traffic.h"

#include <inttypes.h>
#include <omp.h>

#include "spmv/rule/rule.h"
#include "tools/common/error.h"
#include "tools/common/lines.h"

static tulle_status check(const tulle_mat_info *A) {
    if (A->format != TULLE_CSR) {
        return tool_record(TULLE_UNSUPPORTED, "lines are counted for CSR matrices alone");
    }
    if (A->cols < INT64_MAX / 64) return TULLE_OK;
    return tool_record(TULLE_TOO_LARGE,
                       "the bytes of a product with %" PRId64 " columns pass 64 bits", A->cols);
}

tulle_status paper_traffic_of(tulle_ctx *ctx, const tulle_mat *A, int64_t rows_per_block,
                              paper_traffic *traffic) {
    tulle_mat_info info;
    tulle_device_info device;
    tool_csr csr;
    tulle_status status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK) status = check(&info);
    if (status == TULLE_OK) status = tulle_ctx_device(ctx, &device);
    if (status == TULLE_OK) status = tool_csr_open(ctx, A, &csr);
    if (status != TULLE_OK) return status;
    if (rows_per_block == 0) rows_per_block = tulle__reguly_giles_rows(info.rows, info.mean_row);
    int threads = device.threads > 0 ? device.threads : omp_get_max_threads();
    paper_lines lines = paper_lines_count(&csr, rows_per_block, threads);
    tool_csr_close(&csr);
    int64_t vectors = (info.rows + info.cols) * tulle_type_size(info.type);
    *traffic = (paper_traffic){
        .rows_per_block = rows_per_block,
        .blocks = lines.blocks,
        .minimal_bytes = info.pattern_bytes + info.value_bytes + vectors,
        .matrix_bytes = (lines.offsets + lines.columns + lines.values) * PAPER_LINE_BYTES,
        .x_bytes = lines.x * PAPER_LINE_BYTES,
        .y_bytes = lines.y * PAPER_LINE_BYTES,
    };
    traffic->effective_bytes = traffic->matrix_bytes + traffic->x_bytes + traffic->y_bytes;
    return TULLE_OK;
}
