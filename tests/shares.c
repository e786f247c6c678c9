/* SPDX-License-Identifier: Apache-2.0 */
#include "shares.h"

#include <stdlib.h>
#include <string.h>

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

/* Coefficient of a point. */
static double coefficient(const grid *g, const int at[3]) {
    if (g->inside == 0) {
        uint64_t seed = (uint64_t)(at[0] + 1000 * at[1] + 1000000 * at[2]);
        random_number(&seed);
        return 0.001 + random_number(&seed) * random_number(&seed);
    }
    for (int d = 0; d < 3; d++) {
        const int side = d == 2 ? g->depth : g->width;
        if (side > 1 && (at[d] < side / 3 || at[d] >= side - side / 3)) return 1;
    }
    return g->inside;
}

/* Returns the point of a step along axis d, or -1 beyond the border. */
static int64_t neighbour(const grid *g, const int at[3], int d, int step, double *k) {
    int to[3] = {at[0], at[1], at[2]};
    to[d] += step;
    const double own = coefficient(g, at);
    *k = g->k[d] * own;
    if (to[d] < 0 || to[d] >= (d == 2 ? g->depth : g->width)) return -1;
    const double other = coefficient(g, to);
    *k = g->k[d] * 2 * own * other / (own + other);
    return to[0] + (int64_t)g->width * (to[1] + (int64_t)g->width * to[2]);
}

static void put(shares *s, int64_t *at, int64_t column, double value) {
    s->columns[*at] = column;
    s->values[(*at)++] = value;
}

shares shares_grid(const grid *g) {
    static const int axis[] = {2, 1, 0, 0, 1, 2};
    const int64_t n = (int64_t)g->width * g->width * g->depth;
    shares s = {.rows = n, .cols = n, .k = 1, .type = TULLE_F64};
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)n * 7 + 1, sizeof *s.columns);
    s.values = calloc((size_t)n * 7 + 1, sizeof *s.values);
    s.x = calloc((size_t)n + 1, sizeof *s.x);
    s.y = calloc((size_t)n + 1, sizeof *s.y);
    for (int64_t i = 0; i < n; i++) {
        const int at[3] = {(int)(i % g->width), (int)(i / g->width % g->width),
                           (int)(i / g->width / g->width)};
        double sum = 0, k;
        int64_t e = s.offsets[i], own = 0;
        for (int step = 0; step < 6; step++) {
            if (step == 3) own = e++;
            if (axis[step] == 2 && g->depth == 1) continue;
            const int64_t j = neighbour(g, at, axis[step], step < 3 ? -1 : 1, &k);
            sum += k;
            if (j >= 0) put(&s, &e, j, -k);
        }
        s.columns[own] = i;
        s.values[own] = sum;
        s.offsets[i + 1] = e;
        s.x[i] = (double)(i * i % 101) / 101 - 0.3;
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

tulle_status shares_whole(tulle_ctx *ctx, const shares *s, tulle_type type, tulle_mat **A) {
    const int64_t nnz = s->offsets[s->rows];
    void *values = ranks_numbers(s->values, nnz, type);
    const tulle_status status = tulle_mat_create_csr(ctx, s->rows, s->cols, nnz, TULLE_I64,
                                                     s->offsets, s->columns, type, values, NULL, A);
    free(values);
    return status;
}

tulle_status shares_compare(tulle_ctx *ctx, const tulle_mat *got, const tulle_mat *due) {
    const tulle_mat *const both[] = {got, due};
    void *arrays[2][3] = {{NULL}};
    const size_t rows = (size_t)tulle_mat_rows(due), nnz = (size_t)tulle_mat_nnz(due);
    const size_t bytes[] = {(rows + 1) * 8, nnz * 8,
                            nnz * (size_t)tulle_type_size(tulle_mat_type(due))};
    tulle_status status = TULLE_OK;
    if (tulle_mat_rows(got) != tulle_mat_rows(due) || tulle_mat_cols(got) != tulle_mat_cols(due) ||
        tulle_mat_nnz(got) != tulle_mat_nnz(due)) {
        return wrong("%lld entries, not %lld", (long long)tulle_mat_nnz(got), (long long)nnz);
    }
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        tulle_mat *wide = NULL;
        for (int k = 0; k < 3; k++) arrays[i][k] = calloc(bytes[k] + 1, 1);
        status = tulle_mat_convert(ctx, both[i], TULLE_CSR, TULLE_I64, 0, &wide);
        if (status == TULLE_OK) {
            status = tulle_mat_read(ctx, wide, arrays[i][0], NULL, arrays[i][1], arrays[i][2]);
        }
        tulle_mat_destroy(wide);
    }
    for (int k = 0; k < 3 && status == TULLE_OK; k++) {
        if (memcmp(arrays[0][k], arrays[1][k], bytes[k]) != 0) status = wrong("array %d", k);
    }
    for (int k = 0; k < 6; k++) free(arrays[k / 3][k % 3]);
    return status;
}
