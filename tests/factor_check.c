/* SPDX-License-Identifier: Apache-2.0 */
#include "factor_check.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"

static void *zeros(int64_t count, size_t size) {
    void *made = calloc((size_t)count + 1, size);
    assert_non_null(made);
    return made;
}

/* Whether an entry of A is read, and whether its mirror is, too. */
static bool is_read(const factor_setting *s, int64_t row, int64_t col) {
    row /= s->block;
    col /= s->block;
    if (s->options.reads == TULLE_READS_LOWER) return col <= row;
    if (s->options.reads == TULLE_READS_UPPER) return col >= row;
    return true;
}

/* Where scalar row i of A stands in A'. */
static int64_t place_of(const factor_setting *s, int64_t blocks, int64_t i) {
    if (!s->order) return i;
    int64_t at = 0;
    while (at < blocks && s->order[at] != i / s->block) at++;
    return at * s->block + i % s->block;
}

static void put(factor_dense *d, const factor_setting *s, int64_t row, int64_t col,
                long double value) {
    const int64_t blocks = d->n / d->block;
    const int64_t i = place_of(s, blocks, row), j = place_of(s, blocks, col);
    if (s->rows) value *= s->rows[row];
    if (s->cols) value *= s->cols[col];
    if (i == j) value *= 1 + (long double)s->options.shift;
    d->a[i * d->n + j] = value;
    d->kept[i / d->block * blocks + j / d->block] = true;
}

/* What levels of fill keep, with the levels of all places; INT_MAX: not kept. */
static void fill_in(factor_dense *d, int most) {
    const int64_t n = d->n / d->block;
    int *level = zeros(n * n, sizeof *level);
    for (int64_t q = 0; q < n * n; q++) level[q] = d->kept[q] ? 0 : INT_MAX;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++) {
            if (level[i * n + k] == INT_MAX) continue;
            for (int64_t j = k + 1; j < n; j++) {
                if (level[k * n + j] == INT_MAX) continue;
                int up = level[i * n + k] + level[k * n + j] + 1;
                if (up <= most && up < level[i * n + j]) level[i * n + j] = up;
            }
        }
    }
    for (int64_t q = 0; q < n * n; q++) d->kept[q] = level[q] != INT_MAX;
    free(level);
}

static void mirror_pattern(factor_dense *d) {
    const int64_t n = d->n / d->block;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            bool either = d->kept[i * n + j] || d->kept[j * n + i];
            d->kept[i * n + j] = d->kept[j * n + i] = either;
        }
    }
}

/* For L L^T what stands below the diagonal stands for both. */
static void mirror_lower(factor_dense *d) {
    for (int64_t i = 0; i < d->n; i++) {
        for (int64_t j = 0; j < i; j++) {
            d->a[j * d->n + i] = d->a[i * d->n + j];
            d->kept[j * d->n + i] = d->kept[i * d->n + j];
        }
    }
}

factor_dense factor_dense_of(const entries *A, const factor_setting *s) {
    const int64_t blocks = (A->rows + s->block - 1) / s->block;
    factor_dense d = {.n = blocks * s->block, .block = s->block};
    d.a = zeros(d.n * d.n, sizeof *d.a);
    d.kept = zeros(blocks * blocks, sizeof *d.kept);
    for (int64_t i = A->rows; i < d.n; i++) d.a[i * d.n + i] = 1;
    for (int64_t i = 0; i < blocks; i++) d.kept[i * blocks + i] = true;
    for (int64_t e = 0; e < A->nnz; e++) {
        if (!is_read(s, A->row[e], A->col[e])) continue;
        put(&d, s, A->row[e], A->col[e], A->value[e]);
        if (s->options.reads != TULLE_READS_ALL && A->row[e] / s->block != A->col[e] / s->block) {
            put(&d, s, A->col[e], A->row[e], A->value[e]);
        }
    }
    if (s->options.kind == TULLE_CHOLESKY) mirror_lower(&d);
    if (s->options.fill == TULLE_FILL_ALL) mirror_pattern(&d);
    fill_in(&d, s->options.fill == TULLE_FILL_ALL ? INT_MAX : s->options.fill);
    return d;
}

void factor_dense_free(factor_dense *d) {
    free(d->a);
    free(d->kept);
}

entries factor_entries(tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat *csr = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &csr));
    entries e = entries_read(ctx, csr);
    tulle_mat_destroy(csr);
    return e;
}

long double *factor_whole(tulle_ctx *ctx, const tulle_mat *A, int64_t n) {
    entries e = factor_entries(ctx, A);
    long double *whole = zeros(n * n, sizeof *whole);
    assert_int_equal(e.rows, n);
    for (int64_t i = 0; i < e.nnz; i++) whole[e.row[i] * n + e.col[i]] = e.value[i];
    entries_free(&e);
    return whole;
}

/* The condition, in the largest row sum, of a b x b block that stands in rows of n numbers. */
static long double condition(const long double *block, int64_t n, int b) {
    long double D[32 * 16], most = 0, most_inverse = 0;
    for (int r = 0; r < b; r++) {
        long double sum = 0;
        for (int c = 0; c < b; c++) {
            D[r * 2 * b + c] = block[r * n + c];
            D[r * 2 * b + b + c] = r == c;
            sum += fabsl(block[r * n + c]);
        }
        if (sum > most) most = sum;
    }
    for (int k = 0; k < b; k++) {
        int best = k;
        for (int r = k; r < b; r++) {
            if (fabsl(D[r * 2 * b + k]) > fabsl(D[best * 2 * b + k])) best = r;
        }
        for (int c = 0; c < 2 * b; c++) {
            long double number = D[k * 2 * b + c];
            D[k * 2 * b + c] = D[best * 2 * b + c];
            D[best * 2 * b + c] = number;
        }
        for (int r = 0; r < b; r++) {
            long double by = D[r * 2 * b + k] / D[k * 2 * b + k];
            for (int c = 0; c < 2 * b && r != k; c++) D[r * 2 * b + c] -= by * D[k * 2 * b + c];
        }
    }
    for (int r = 0; r < b; r++) {
        long double sum = 0;
        for (int c = 0; c < b; c++) sum += fabsl(D[r * 2 * b + b + c] / D[r * 2 * b + r]);
        if (sum > most_inverse) most_inverse = sum;
    }
    return most * most_inverse;
}

/* The largest number of the diagonal block of row k. */
static long double largest(const factor_dense *d, const long double *U, int64_t k) {
    const int64_t first = k / d->block * d->block;
    long double most = 0;
    for (int64_t r = first; r < first + d->block; r++) {
        for (int64_t c = first; c < first + d->block; c++) {
            if (fabsl(U[r * d->n + c]) > most) most = fabsl(U[r * d->n + c]);
        }
    }
    return most;
}

/* (L U)_ij, and |L| |U| there; each number of a diagonal block of |U| is its largest, b times. */
static long double product(const factor_dense *d, const long double *L, const long double *U,
                           int64_t i, int64_t j, long double *size) {
    long double sum = 0;
    *size = 0;
    for (int64_t k = 0; k < d->n; k++) {
        const bool inside = d->block > 1 && k / d->block == j / d->block;
        const long double l = L[i * d->n + k], u = U[k * d->n + j];
        sum += l * u;
        *size += fabsl(l) * (inside && l != 0 ? d->block * largest(d, U, k) : fabsl(u));
    }
    return sum;
}

/* What is dropped from block row of i and column of j mod block: by modified ILU it goes to the
 * diagonal block. */
static long double dropped(const factor_dense *d, const long double *L, const long double *U,
                           int64_t i, int64_t j, long double *size) {
    const int64_t blocks = d->n / d->block, b = d->block;
    long double sum = 0;
    for (int64_t q = 0; q < blocks; q++) {
        long double own;
        if (d->kept[i / b * blocks + q]) continue;
        sum += product(d, L, U, i, q * b + j % b, &own);
        *size += own;
    }
    return sum;
}

static void check_numbers(const factor_dense *d, const long double *L, const long double *U,
                          const factor_setting *s, tulle_type type) {
    const int64_t n = d->n, b = d->block, blocks = n / b;
    const long double unit = type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    const long double tiny = type == TULLE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    long double worst = 1;
    for (int64_t k = 0; k < blocks && b > 1; k++) {
        long double own = condition(U + k * b * n + k * b, n, (int)b);
        if (own > worst) worst = own;
    }
    const long double bound = (long double)(2 * n + 8) * unit * worst;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (!d->kept[i / b * blocks + j / b]) continue;
            if (s->options.kind == TULLE_CHOLESKY && j > i) continue;
            long double size, want = d->a[i * n + j];
            long double got = product(d, L, U, i, j, &size);
            if (s->options.modified > 0 && i / b == j / b) {
                want -= (long double)s->options.modified * dropped(d, L, U, i, j, &size);
            }
            long double error = fabsl(got - want);
            long double most = bound * (size + fabsl(d->a[i * n + j])) + (long double)n * tiny;
            if (!(error <= most)) {
                fail_msg(
                    "(%d, %d) is off by %Lg, bound %Lg; blocks of %d, kind %d, fill %d, reads %d, "
                    "modified %g, shift %g, %s%s%s%s",
                    (int)i, (int)j, error, most, s->block, (int)s->options.kind, s->options.fill,
                    (int)s->options.reads, s->options.modified, s->options.shift,
                    s->options.inverted ? "inverted " : "", s->options.single ? "single " : "",
                    s->order ? "ordered " : "", s->rows ? "scaled" : "");
            }
        }
    }
}

/* One triangle of the pattern, whole blocks; ones: with the diagonal in any case. */
static void check_pattern(tulle_ctx *ctx, const tulle_mat *part, const factor_dense *d,
                          bool upper) {
    const int64_t b = d->block, blocks = d->n / b;
    entries e = factor_entries(ctx, part);
    int64_t wanted = 0;
    for (int64_t i = 0; i < blocks; i++) {
        for (int64_t j = upper ? i : 0; j < (upper ? blocks : i + 1); j++) {
            wanted += d->kept[i * blocks + j] ? b * b : 0;
        }
    }
    assert_int_equal(e.nnz, wanted);
    for (int64_t q = 0; q < e.nnz; q++) {
        assert_true(d->kept[e.row[q] / b * blocks + e.col[q] / b]);
        assert_true(upper ? e.col[q] / b >= e.row[q] / b : e.col[q] / b <= e.row[q] / b);
    }
    entries_free(&e);
}

static void turn(long double *a, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            long double number = a[i * n + j];
            a[i * n + j] = a[j * n + i];
            a[j * n + i] = number;
        }
    }
}

void factor_check(tulle_ctx *ctx, const tulle_factor *F, const entries *A,
                  const factor_setting *s) {
    const bool lu = s->options.kind == TULLE_LU;
    factor_dense d = factor_dense_of(A, s);
    tulle_factor_info info;
    tulle_mat *l = NULL, *u = NULL;
    must(tulle_factor_describe(F, &info));
    assert_int_equal(info.rows, A->rows);
    assert_int_equal(info.block, s->block);
    must(tulle_factor_export(ctx, F, &l, lu ? &u : NULL));
    check_pattern(ctx, l, &d, false);
    if (lu) check_pattern(ctx, u, &d, true);
    long double *L = factor_whole(ctx, l, d.n), *U = factor_whole(ctx, lu ? u : l, d.n);
    if (!lu) turn(U, d.n);
    check_numbers(&d, L, U, s, info.type);
    free(L);
    free(U);
    tulle_mat_destroy(l);
    tulle_mat_destroy(u);
    factor_dense_free(&d);
}

static void set(entries *e, int64_t row, int64_t col, double value) {
    e->row[e->nnz] = row;
    e->col[e->nnz] = col;
    e->value[e->nnz++] = value;
}

entries factor_matrix(int64_t n, int64_t extra, bool symmetric, uint64_t seed) {
    bool *taken = zeros(n * n, sizeof *taken);
    entries e = {n,
                 n,
                 0,
                 zeros(n + 2 * extra, sizeof *e.row),
                 zeros(n + 2 * extra, sizeof *e.col),
                 zeros(n + 2 * extra, sizeof *e.value)};
    double *size = zeros(n, sizeof *size);
    uint64_t state = seed;
    for (int64_t i = 0; i < extra && n > 1; i++) {
        int64_t row = (int64_t)(zoo_bits(&state) % (uint64_t)n);
        int64_t col = (int64_t)(zoo_bits(&state) % (uint64_t)n);
        double value = zoo_number(&state);
        if (row == col || taken[row * n + col]) continue;
        taken[row * n + col] = true;
        set(&e, row, col, value);
        size[row] += fabs(value);
        size[col] += fabs(value);
        if (!symmetric) continue;
        taken[col * n + row] = true;
        set(&e, col, row, value);
        size[row] += fabs(value);
        size[col] += fabs(value);
    }
    for (int64_t i = 0; i < n; i++) set(&e, i, i, 1 + (double)(float)size[i]);
    free(size);
    free(taken);
    return e;
}

tulle_mat *factor_mat(tulle_ctx *ctx, const entries *A, const factor_setting *s) {
    tulle_mat *csr = entries_to_csr(ctx, A, s->index, s->type), *bsr = NULL;
    if (s->block == 1) return csr;
    const tulle_convert_options options = {.block = s->block, .fill = 1e6};
    must(tulle_mat_convert_with(ctx, csr, TULLE_BSR, s->index, &options, &bsr));
    tulle_mat_destroy(csr);
    return bsr;
}

enum { MOST_ROWS = 256 };

/* For M = R^-1 P^T L U P C^-1. */
void factor_check_solution(tulle_ctx *ctx, const tulle_factor *F, const factor_setting *s,
                           tulle_trans op, const factor_solved *of) {
    const int64_t n = of->n, k = of->k;
    assert_true(n <= MOST_ROWS);
    const bool lu = s->options.kind == TULLE_LU;
    const int64_t whole = (n + s->block - 1) / s->block * s->block;
    tulle_factor_info info;
    tulle_mat *l = NULL, *u = NULL;
    must(tulle_factor_describe(F, &info));
    must(tulle_factor_export(ctx, F, &l, lu ? &u : NULL));
    long double *L = factor_whole(ctx, l, whole), *U = factor_whole(ctx, lu ? u : l, whole);
    const long double unit = s->type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    const long double own = info.type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    for (int64_t side = 0; side < k; side++) {
        long double z[MOST_ROWS] = {0}, w[MOST_ROWS] = {0}, size_z[MOST_ROWS] = {0};
        long double size[MOST_ROWS] = {0};
        for (int64_t i = 0; i < n; i++) {
            const int64_t row = s->order ? s->order[i / s->block] * s->block + i % s->block : i;
            const double *by = op == TULLE_N ? s->cols : s->rows;
            w[i] = (long double)of->X[row * k + side] / (by ? (long double)by[row] : 1);
        }
        for (int turn = 0; turn < 2; turn++) {
            const bool first = turn == 0, by_u = first == (op == TULLE_N);
            const long double *T = by_u ? U : L;
            const bool flipped = (op == TULLE_T) != (by_u && !lu);
            const long double *from = first ? w : z;
            for (int64_t i = 0; i < whole; i++) {
                long double sum = 0, sizes = 0;
                for (int64_t j = 0; j < whole; j++) {
                    const long double t = flipped ? T[j * whole + i] : T[i * whole + j];
                    sum += t * from[j];
                    sizes += fabsl(t) * (first ? fabsl(w[j]) : size_z[j]);
                }
                if (first) {
                    z[i] = sum;
                    size_z[i] = sizes;
                } else {
                    size[i] = sizes;
                    w[i] = sum;
                }
            }
        }
        const long double bound = (long double)(8 * whole + 40) * unit +
                                  (s->block > 1 ? (long double)(400 * whole) * own : 0);
        for (int64_t i = 0; i < n; i++) {
            const int64_t row = s->order ? s->order[i / s->block] * s->block + i % s->block : i;
            const double *by = op == TULLE_N ? s->rows : s->cols;
            const long double b = (long double)of->alpha * (long double)of->B[row * k + side] *
                                  (by ? (long double)by[row] : 1);
            if (!(fabsl(w[i] - b) <= bound * (size[i] + fabsl(b)) + LDBL_MIN)) {
                fail_msg("row %d is off by %Lg of %Lg", (int)i, fabsl(w[i] - b), size[i]);
            }
        }
    }
    free(L);
    free(U);
    tulle_mat_destroy(l);
    tulle_mat_destroy(u);
}
