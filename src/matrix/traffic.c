/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_traffic: the bytes of a product, at the least and through cache lines. */
#include <inttypes.h>

#include "matrix/build.h"
#include "matrix/lines.h"
#include "spmv/bytes.h"
#include "spmv/select.h"
#include "tune/rule.h"

/* Lines of an array with an element for each row, and `more` shared with the next block. */
static int64_t lines_by_rows(int64_t rows, int64_t rows_per_block, int64_t more, int64_t size) {
    int64_t lines = 0;
    for (int64_t first = 0; first < rows; first += rows_per_block) {
        int64_t end = rows - first > rows_per_block ? first + rows_per_block : rows;
        lines += tulle__lines_of(first, end + more, size);
    }
    return lines;
}

static tulle_status count_blocks(tulle_ctx *ctx, const tulle_mat *A, int64_t rows_per_block,
                                 bool beta_zero, tulle_traffic *traffic) {
    const tulle__pattern *p = A->pattern;
    int64_t step = rows_per_block < p->rows ? rows_per_block : p->rows + (p->rows == 0);
    tulle__spmv_call call = tulle__one_vector(TULLE_N);
    tulle__spmv_shape shape = tulle__spmv_shape_of(ctx, p, A->type, &call);
    tulle__pattern_view view = tulle__view_of(p);
    tulle__lines lines = {0};
    int64_t blocks = p->rows / step + (p->rows % step != 0);
    int64_t offsets = lines_by_rows(p->rows, step, 1, tulle_offset_size(p->index));
    int64_t y = lines_by_rows(p->rows, step, 0, tulle_type_size(A->type));
    TULLE__TRY(ctx->backend->count_lines(&ctx->place, &view, A->type, step, blocks, &lines));
    *traffic = (tulle_traffic){
        .rows_per_block = rows_per_block,
        .blocks = blocks,
        .minimal_bytes = tulle__spmv_minimal_bytes(&shape, beta_zero),
        .matrix_bytes = (offsets + lines.columns + lines.values) * TULLE_LINE_BYTES,
        .x_bytes = lines.x * TULLE_LINE_BYTES,
        .y_bytes = (beta_zero ? 1 : 2) * y * TULLE_LINE_BYTES,
    };
    traffic->effective_bytes = traffic->matrix_bytes + traffic->x_bytes + traffic->y_bytes;
    return TULLE_OK;
}

tulle_status tulle_mat_traffic(tulle_ctx *ctx, const tulle_mat *A, int64_t rows_per_block,
                               bool beta_zero, tulle_traffic *traffic) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(traffic);
    if (rows_per_block < 0) {
        return TULLE__BAD("rows_per_block", "rows_per_block is %" PRId64 "; 0 is the rule's",
                          rows_per_block);
    }
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    const tulle__pattern *p = A->pattern;
    if (p->format != TULLE_CSR) {
        return tulle__fail(TULLE_UNSUPPORTED, __func__, "A", -1,
                           "lines are counted for CSR matrices: convert A with tulle_mat_convert");
    }
    TULLE__TRY(tulle__check_bytes_fit(__func__, "A", p->rows, p->cols, p->nnz));
    if (rows_per_block == 0) {
        rows_per_block = tulle__reguly_giles_rows(p->rows, p->stats.mean_row);
    }
    return count_blocks(ctx, A, rows_per_block, beta_zero, traffic);
}
