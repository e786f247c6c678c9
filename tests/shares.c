/* SPDX-License-Identifier: Apache-2.0 */
#include "shares.h"

#include <stdlib.h>

const int share_shapes[SHARE_SHAPES][4] = {
    {40, 40, 0, 6}, {23, 57, 1, 5}, {57, 19, 0, 4}, {12, 12, 40, 40}, {9, 9, 0, 0}};

static double random_number(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-53;
}

shares shares_make(int64_t rows, int64_t cols, int least, int most) {
    shares s = {.rows = rows, .cols = cols};
    uint64_t seed = (uint64_t)(rows * 1000 + cols * 10 + most);
    s.offsets = calloc((size_t)rows + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)(rows * most) + 1, sizeof *s.columns);
    s.values = calloc((size_t)(rows * most) + 1, sizeof *s.values);
    for (int64_t i = 0; i < rows; i++) {
        int64_t at = s.offsets[i];
        const int count = least + (int)(random_number(&seed) * (most - least + 1));
        int64_t column = 0;
        for (int e = 0; e < count && column < cols; e++) {
            column += (int64_t)(random_number(&seed) * 2 * (double)cols / most);
            if (column >= cols) break;
            s.columns[at] = column;
            s.values[at++] = (double)(float)(random_number(&seed) - 0.5);
        }
        s.offsets[i + 1] = at;
    }
    s.x = calloc((size_t)((rows + cols) * MOST_COLUMNS), sizeof *s.x);
    s.y = calloc((size_t)((rows + cols) * MOST_COLUMNS), sizeof *s.y);
    for (int64_t i = 0; i < (rows + cols) * MOST_COLUMNS; i++) {
        s.x[i] = (double)(float)(random_number(&seed) - 0.5);
        s.y[i] = (double)(float)(random_number(&seed) - 0.5);
    }
    return s;
}

void shares_drop(shares *s) {
    free(s->offsets);
    free(s->columns);
    free(s->values);
    free(s->x);
    free(s->y);
}

void shares_deal(shares *s, int ranks, int way) {
    for (int r = 0; r < ranks; r++) {
        int64_t row = 0, col = 0;
        tulle_dist_share(s->rows, ranks, r, &row);
        tulle_dist_share(s->cols, ranks, r, &col);
        if (way == 1 && r > 0) {
            row = s->rows > ranks - r ? s->rows - (ranks - r) : 0;
            col = s->cols > ranks - r ? s->cols - (ranks - r) : 0;
        }
        s->row_start[r] = row;
        s->col_start[r] = col;
    }
    s->row_start[ranks] = s->rows;
    s->col_start[ranks] = s->cols;
    if (way == 2 && ranks > 1) {
        s->row_start[2] = s->row_start[1];
        s->col_start[2] = s->col_start[1];
        if (ranks == 2) {
            s->row_start[1] = s->rows;
            s->col_start[1] = s->cols;
            s->row_start[2] = s->rows;
            s->col_start[2] = s->cols;
        }
    }
}

tulle_status shares_matrix(const process *p, tulle_type type, tulle_dist_mat **A) {
    const shares *s = p->data;
    const int64_t row = s->row_start[p->rank], rows = s->row_start[p->rank + 1] - row;
    const int64_t cols = s->col_start[p->rank + 1] - s->col_start[p->rank];
    const int64_t begin = s->offsets[row];
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = s->offsets[row + i] - begin;
    void *values = ranks_numbers(s->values + begin, offsets[rows], type);
    double *zeros = calloc((size_t)offsets[rows] + 1, sizeof *zeros);
    const tulle_status status =
        tulle_dist_mat_create(p->ctx, p->comm, rows, cols, offsets, s->columns + begin, type,
                              s->replaces ? zeros : values, A);
    free(zeros);
    free(values);
    free(offsets);
    return status;
}

tulle_status shares_vector(const process *p, const double *numbers, int64_t all, int64_t first,
                           int64_t last, tulle_vec **X) {
    const shares *s = p->data;
    const int64_t rows = last - first;
    const bool by_row = s->layout == TULLE_ROW_MAJOR;
    double *own = calloc((size_t)(rows * s->k) + 1, sizeof *own);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t c = 0; c < s->k; c++) {
            own[by_row ? i * s->k + c : i + c * rows] = numbers[first + i + c * all];
        }
    }
    void *given = ranks_numbers(own, rows * s->k, s->type);
    tulle_status status = tulle_vec_create_columns(p->ctx, s->type, rows, s->k, s->layout, 0, X);
    if (status == TULLE_OK) status = tulle_vec_write(p->ctx, *X, given, 0);
    free(given);
    free(own);
    return status;
}
