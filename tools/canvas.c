/* SPDX-License-Identifier: Apache-2.0 */
#include "canvas.h"

#include "tools/common/error.h"
#include "tools/common/progress.h"

static int64_t divide_up(int64_t a, int64_t b) {
    return a / b + (a % b != 0);
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static tool_canvas create(const tool_csr *A, int64_t most_wide, int64_t most_high) {
    tool_canvas c = {0};
    c.step = larger(larger(divide_up(A->cols, most_wide), divide_up(A->rows, most_high)), 1);
    c.wide = larger(divide_up(A->cols, c.step), 1);
    c.high = larger(divide_up(A->rows, c.step), 1);
    c.count = tool_alloc((size_t)(c.wide * c.high), sizeof *c.count);
    return c;
}

static tulle_status fill(const tool_csr *A, tool_canvas *c) {
    for (int64_t p = 0; p < A->heads; p++) {
        if (p % 65536 == 0 && tool_progress(NULL, "drawing", p, A->heads)) {
            return TULLE_CANCELLED;
        }
        int64_t *line = c->count + tool_csr_row(A, p) / c->step * c->wide;
        for (int64_t k = tool_csr_offset(A, p); k < tool_csr_offset(A, p + 1); k++) {
            line[tool_csr_column(A, k) / c->step]++;
        }
    }
    return TULLE_OK;
}

tulle_status tool_canvas_draw(const tool_csr *A, int64_t most_wide, int64_t most_high,
                              tool_canvas *canvas) {
    *canvas = create(A, most_wide, most_high);
    tulle_status status = fill(A, canvas);
    tool_progress_end();
    return status;
}
