/* SPDX-License-Identifier: Apache-2.0 */
#include "block_matrices.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"

static bool has_block(const block_shape *s, int64_t i, int64_t j) {
    uint64_t state = s->seed + (uint64_t)(i * s->cols + j);
    return i % 5 != 2 && j != 1 && zoo_bits(&state) % 3 == 0;
}

static bool has_cell(const block_shape *s, int64_t i, int64_t j) {
    return s->kind != CELLS_HOLES || (5 * i + 3 * j) % 4 > 0;
}

zoo_matrix block_matrix(const block_shape *s) {
    zoo_matrix m = {.name = "blocks", .rows = s->rows * s->tall, .cols = s->cols * s->wide};
    if (s->kind == CELLS_CUT && s->tall > 1) m.rows--;
    if (s->kind == CELLS_CUT && s->wide > 1) m.cols--;
    m.offsets = calloc((size_t)m.rows + 1, sizeof *m.offsets);
    m.columns = calloc((size_t)(m.rows * m.cols) + 1, sizeof *m.columns);
    m.values = calloc((size_t)(m.rows * m.cols) + 1, sizeof *m.values);
    assert_true(m.offsets && m.columns && m.values);
    uint64_t state = s->seed;
    for (int64_t i = 0; i < m.rows; i++) {
        for (int64_t j = 0; j < m.cols; j++) {
            if (!has_block(s, i / s->tall, j / s->wide) || !has_cell(s, i, j)) continue;
            m.columns[m.nnz] = j;
            m.values[m.nnz++] = zoo_number(&state);
        }
        m.offsets[i + 1] = m.nnz;
    }
    return m;
}

tulle_mat *block_mat(tulle_ctx *ctx, const zoo_matrix *m, const block_shape *s, tulle_index index,
                     tulle_type type) {
    const tulle_convert_options options = {.block = s->tall, .block_cols = s->wide, .fill = 1000};
    tulle_mat *csr = zoo_mat(ctx, m, index, type), *bsr = NULL;
    must(tulle_mat_convert_with(ctx, csr, TULLE_BSR, index, &options, &bsr));
    tulle_mat_destroy(csr);
    return bsr;
}
