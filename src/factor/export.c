/* SPDX-License-Identifier: Apache-2.0 */
/* Exports L and U as matrices, which are made on the host. */
#include <math.h>
#include <string.h>

#include "factor/host_rows.h"
#include "factor/object.h"
#include "matrix/build.h"

/* L and U in one pattern, in host memory, with values in f64. */
typedef struct pulled {
    tulle__host_rows rows;
    double *values;
    uint8_t *pivots;
    int block;
} pulled;

static void let_go(tulle_ctx *ctx, pulled *p) {
    tulle__host_rows_free(ctx, &p->rows);
    tulle__host_free(ctx, p->values);
    tulle__host_free(ctx, p->pivots);
}

static void widen_numbers(double *values, int64_t count) {
    const char *narrow = (const char *)values;
    for (int64_t i = count; i-- > 0;) {
        float number;
        memcpy(&number, narrow + i * (int64_t)sizeof number, sizeof number);
        values[i] = (double)number;
    }
}

static tulle_status pull(tulle_ctx *ctx, const tulle_factor *F, pulled *p) {
    const tulle__symbolic *s = F->symbolic;
    const int64_t stored = s->pattern->storage.stored;
    const tulle__host_choice all = {.reads = TULLE_READS_ALL};
    *p = (pulled){.block = s->block};
    TULLE__TRY(tulle__host_rows_of("tulle_factor_export", ctx, F->LU, &all, &p->rows));
    p->values = tulle__host_alloc(ctx, tulle__bytes(stored + 1, sizeof *p->values));
    p->pivots = tulle__host_alloc(ctx, tulle__bytes(s->rows * s->block + 1, 1));
    if (!p->values || !p->pivots) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__copy_wait(ctx, p->values, F->LU->values.data,
                                tulle__bytes(stored, tulle_type_size(F->LU->type))));
    if (F->LU->type == TULLE_F32) widen_numbers(p->values, stored);
    if (!F->pivots) return TULLE_OK;
    return tulle__copy_wait(ctx, p->pivots, F->pivots, tulle__bytes(s->rows * s->block, 1));
}

/* Computes D := P^T L U. */
static void multiply_out(int b, double *D, const uint8_t *pivots) {
    double whole[TULLE__MOST_BLOCK * TULLE__MOST_BLOCK];
    for (int r = 0; r < b; r++) {
        for (int c = 0; c < b; c++) {
            double sum = 0;
            for (int m = 0; m <= r && m <= c; m++) {
                sum += (m == r ? 1 : D[r * b + m]) * D[m * b + c];
            }
            whole[pivots[r] * b + c] = sum;
        }
    }
    memcpy(D, whole, (size_t)(b * b) * sizeof *D);
}

/* Computes D := D^-1 by Gauss and Jordan, with exchanges of rows. */
static void invert_back(int b, double *D) {
    double I[TULLE__MOST_BLOCK * TULLE__MOST_BLOCK] = {0};
    for (int r = 0; r < b; r++) I[r * b + r] = 1;
    for (int k = 0; k < b; k++) {
        int best = k;
        for (int r = k + 1; r < b; r++) {
            if (fabs(D[r * b + k]) > fabs(D[best * b + k])) best = r;
        }
        for (int c = 0; c < b; c++) {
            const double d = D[k * b + c], i = I[k * b + c];
            D[k * b + c] = D[best * b + c];
            I[k * b + c] = I[best * b + c];
            D[best * b + c] = d;
            I[best * b + c] = i;
        }
        const double pivot = D[k * b + k];
        for (int c = 0; c < b; c++) {
            D[k * b + c] /= pivot;
            I[k * b + c] /= pivot;
        }
        for (int r = 0; r < b; r++) {
            const double factor = D[r * b + k];
            for (int c = 0; c < b && r != k; c++) {
                D[r * b + c] -= factor * D[k * b + c];
                I[r * b + c] -= factor * I[k * b + c];
            }
        }
    }
    memcpy(D, I, (size_t)(b * b) * sizeof *D);
}

static void plain_diagonals(const tulle_factor *F, pulled *p) {
    const int b = p->block;
    for (int64_t row = 0; row < p->rows.rows && b > 1; row++) {
        int64_t at = p->rows.begins[row];
        while (p->rows.cols[at] < row) at++;
        double *D = p->values + at * b * b;
        if (F->options.inverted) {
            invert_back(b, D);
        } else {
            multiply_out(b, D, p->pivots + row * b);
        }
    }
}

static void put_number(tulle_type type, void *values, int64_t at, double number) {
    if (type == TULLE_F32) {
        ((float *)values)[at] = (float)number;
    } else {
        ((double *)values)[at] = number;
    }
}

/* Stores block e of LU, or the identity, as block `at` of a new matrix. */
static void put_block(const pulled *p, tulle_type type, int64_t e, bool identity, void *values,
                      int64_t at) {
    const int64_t cells = (int64_t)p->block * p->block;
    for (int64_t q = 0; q < cells; q++) {
        double number = identity ? q % (p->block + 1) == 0 : p->values[e * cells + q];
        put_number(type, values, at * cells + q, number);
    }
}

/* Fills one triangle with its diagonal; `ones` is true when the diagonal is that of L. */
static void fill_part(const pulled *p, tulle_type type, bool upper, bool ones,
                      tulle__host_rows *part, void *values) {
    int64_t count = 0;
    for (int64_t row = 0; row < p->rows.rows; row++) {
        for (int64_t e = p->rows.begins[row]; e < p->rows.begins[row + 1]; e++) {
            const int64_t col = p->rows.cols[e];
            if (upper ? col < row : col > row) continue;
            put_block(p, type, e, ones && col == row, values, count);
            part->cols[count++] = col;
        }
        part->begins[row + 1] = count;
    }
}

static tulle_status around(tulle_ctx *ctx, const tulle_factor *F, const tulle__host_rows *part,
                           const void *values, tulle_mat **made) {
    tulle__pattern *pattern;
    tulle__array copy = {.ownership = TULLE_COPY};
    TULLE__TRY(tulle__host_rows_pattern(ctx, F->symbolic->pattern, part, &pattern));
    const size_t bytes = tulle__bytes(pattern->storage.stored, tulle_type_size(F->LU->type));
    tulle_status status = tulle__alloc(ctx, bytes, &copy.data);
    if (status == TULLE_OK) status = tulle__copy_wait(ctx, copy.data, values, bytes);
    if (status == TULLE_OK) status = tulle__mat_around(ctx, pattern, F->LU->type, &copy, made);
    if (status != TULLE_OK) tulle__free(ctx, copy.data);
    tulle__pattern_release(pattern);
    return status;
}

static tulle_status make_part(tulle_ctx *ctx, const tulle_factor *F, const pulled *p, bool upper,
                              tulle_mat **made) {
    const int64_t all = p->rows.begins[p->rows.rows], cells = (int64_t)p->block * p->block;
    tulle__host_rows part;
    TULLE__TRY(tulle__host_rows_make(ctx, p->rows.rows, all, &part));
    void *values = tulle__host_alloc(ctx, tulle__bytes(all * cells + 1, sizeof(double)));
    tulle_status status = values ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) {
        fill_part(p, F->LU->type, upper, !upper && F->symbolic->kind == TULLE_LU, &part, values);
        status = around(ctx, F, &part, values, made);
    }
    tulle__host_free(ctx, values);
    tulle__host_rows_free(ctx, &part);
    return status;
}

static tulle_status make_both(tulle_ctx *ctx, const tulle_factor *F, tulle_mat **L, tulle_mat **U) {
    pulled p;
    tulle_status status = pull(ctx, F, &p);
    if (status == TULLE_OK && L) status = make_part(ctx, F, &p, false, L);
    if (status == TULLE_OK && U) {
        plain_diagonals(F, &p);
        status = make_part(ctx, F, &p, true, U);
    }
    let_go(ctx, &p);
    if (status != TULLE_OK && L) {
        tulle_mat_destroy(*L);
        *L = NULL;
    }
    return status;
}

tulle_status tulle_factor_export(tulle_ctx *ctx, const tulle_factor *F, tulle_mat **L,
                                 tulle_mat **U) {
    if (L) *L = NULL;
    if (U) *U = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(F);
    if (!L && !U) return TULLE__BAD("L", "L and U are both NULL");
    if (U && F->symbolic->kind == TULLE_CHOLESKY) {
        return TULLE__BAD("U", "U of L L^T is L transposed: ask for L, and give NULL for U");
    }
    if (!tulle__same_space(ctx, F->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, __func__, "F", -1,
                           "F lives in other memory than the context's");
    }
    return make_both(ctx, F, L, U);
}
