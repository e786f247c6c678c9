/* SPDX-License-Identifier: Apache-2.0 */
#include "blocks.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"

host_block host_block_make(int64_t rows, int64_t cols, tulle_layout layout, int64_t gap,
                           tulle_type type) {
    bool by_row = layout == TULLE_ROW_MAJOR;
    host_block b = {.rows = rows, .cols = cols, .layout = layout, .type = type};
    b.ld = (by_row ? cols : rows) + gap;
    b.count = (by_row ? rows : cols) * b.ld;
    b.numbers = malloc((size_t)(b.count + 1) * sizeof *b.numbers);
    assert_non_null(b.numbers);
    for (int64_t i = 0; i < b.count; i++) b.numbers[i] = (double)NAN;
    return b;
}

void host_block_free(host_block *b) {
    free(b->numbers);
}

double *host_block_at(const host_block *b, int64_t i, int64_t j) {
    return b->numbers + (b->layout == TULLE_ROW_MAJOR ? i * b->ld + j : i + j * b->ld);
}

void *host_block_column(const host_block *b, int64_t j) {
    double *column = malloc((size_t)(b->rows + 1) * sizeof *column);
    assert_non_null(column);
    for (int64_t i = 0; i < b->rows; i++) {
        double number = *host_block_at(b, i, j);
        if (b->type == TULLE_F32) {
            ((float *)(void *)column)[i] = (float)number;
        } else {
            column[i] = number;
        }
    }
    return column;
}

int host_block_gaps_kept(const host_block *b) {
    int64_t run = b->layout == TULLE_ROW_MAJOR ? b->cols : b->rows;
    for (int64_t i = 0; i < b->count; i++) {
        if (i % b->ld >= run && !isnan(b->numbers[i])) return 0;
    }
    return 1;
}

place_block place_block_make(tulle_ctx *ctx, const host_block *b) {
    place_block made = {0};
    float *single = malloc((size_t)(b->count + 1) * sizeof *single);
    assert_non_null(single);
    for (int64_t i = 0; i < b->count; i++) single[i] = (float)b->numbers[i];
    must(tulle_vec_create(ctx, b->type, b->count, &made.whole));
    const void *from = b->type == TULLE_F32 ? (const void *)single : b->numbers;
    must(tulle_vec_write(ctx, made.whole, from, 0));
    free(single);
    tulle_vec_info info;
    must(tulle_vec_describe(made.whole, &info));
    must(tulle_vec_wrap(ctx, b->type, b->rows, b->cols, b->layout, b->ld, info.data, &made.block));
    return made;
}

void place_block_read(tulle_ctx *ctx, const place_block *from, host_block *to) {
    float *single = malloc((size_t)(to->count + 1) * sizeof *single);
    assert_non_null(single);
    bool narrow = to->type == TULLE_F32;
    must(tulle_vec_read(ctx, from->whole, narrow ? (void *)single : to->numbers, 0));
    for (int64_t i = 0; i < to->count && narrow; i++) to->numbers[i] = (double)single[i];
    free(single);
}

void place_block_free(place_block *b) {
    tulle_vec_destroy(b->block);
    tulle_vec_destroy(b->whole);
}

double host_block_error(const zoo_matrix *m, product p, const host_block *x, const host_block *y0,
                        const host_block *y) {
    double worst = 0;
    host_block wide_x = *x, wide_y = *y0;
    wide_x.type = wide_y.type = TULLE_F64;
    for (int64_t j = 0; j < y->cols; j++) {
        void *x_j = host_block_column(&wide_x, j), *y0_j = host_block_column(&wide_y, j);
        void *y_j = host_block_column(y, j);
        p.x = x_j;
        p.y0 = y0_j;
        double error = product_error(m, &p, y->type, y_j);
        if (!(error <= worst)) worst = error;
        free(x_j);
        free(y0_j);
        free(y_j);
    }
    return worst;
}
