/* SPDX-License-Identifier: Apache-2.0 */
/* Diagonal blocks as factors have them: not there, inverted, or factorised with pivots; of every
 * size, by every kernel, against the definition in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/access.h"
#include "format/bsr.h"
#include "places.h"
#include "trisolve/triangle.h"
#include "trisolve_check.h"

/* A matrix on the host, and the same on the place. */
typedef struct {
    int64_t n, rows, stored; /* rows and stored: blocks */
    int b, words;
    int64_t *offsets, *cols;
    uint32_t *mask; /* NULL: all cells are entries */
    double *values;
    uint8_t *pivots;
    void *pivots_there;
    tulle_mat *A;
} blocks;

static void *room(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static int64_t *wide(const void *array, int64_t count, int64_t size) {
    int64_t *to = room(count, sizeof *to);
    for (int64_t i = 0; i < count; i++) to[i] = tulle__get(array, size, i);
    return to;
}

/* The arrays, without the numbers. */
static void read_blocks(tulle_ctx *ctx, const trisolve_setting *s, blocks *m) {
    tulle_mat_lengths count;
    must(tulle_mat_counts(m->A, &count));
    void *offsets = room(count.offsets, 8), *cols = room(count.cols, 8);
    m->mask = count.mask > 0 ? room(count.mask, sizeof *m->mask) : NULL;
    const tulle_mat_buffers to = {.offsets = offsets, .cols = cols, .mask = m->mask};
    must(tulle_mat_read_arrays(ctx, m->A, &to));
    m->rows = count.offsets - 1;
    m->stored = count.cols;
    m->words = (int)tulle__mask_words(m->b * m->b);
    m->offsets = wide(offsets, count.offsets, tulle_offset_size(s->index));
    m->cols = wide(cols, count.cols, tulle_index_size(s->index));
    free(offsets);
    free(cols);
}

/* A diagonal block as it is stored; beyond the matrix, that of the identity, which all read. */
static void fill_diagonal(const blocks *m, int64_t i, tulle__diagonal how, uint64_t *state,
                          double *block) {
    for (int r = 0; r < m->b; r++) {
        for (int c = 0; c < m->b; c++) {
            const bool inside = i * m->b + r < m->n && i * m->b + c < m->n;
            double v = inside ? zoo_number(state) / 2 : 0;
            if (r == c) v = inside ? (float)(1.5 + v) : 1; /* exact in binary32, too */
            block[r * m->b + c] = how == TULLE__DIAGONAL_UNIT ? (double)NAN : v;
        }
    }
}

static void fill_values(blocks *m, tulle__diagonal how, uint64_t *state) {
    const int64_t cells = (int64_t)m->b * m->b;
    m->values = room(m->stored * cells, sizeof *m->values);
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
            double *block = m->values + e * cells;
            if (m->cols[e] == i) {
                fill_diagonal(m, i, how, state, block);
                continue;
            }
            for (int64_t q = 0; q < cells; q++) {
                const bool is = !m->mask || (m->mask[e * m->words + q / 32] >> (q % 32) & 1u);
                block[q] = is ? zoo_number(state) / 4 : (double)NAN;
            }
        }
    }
}

/* A permutation of the rows that each block has of the matrix. */
static void fill_pivots(tulle_ctx *ctx, blocks *m, uint64_t *state) {
    m->pivots = room(m->rows * m->b, 1);
    for (int64_t i = 0; i < m->rows; i++) {
        uint8_t *p = m->pivots + i * m->b;
        const int64_t left = m->n - i * m->b, rows = left < m->b ? left : m->b;
        for (int r = 0; r < m->b; r++) p[r] = (uint8_t)r;
        for (int64_t r = rows - 1; r > 0; r--) {
            const int64_t other = (int64_t)(zoo_bits(state) % (uint64_t)(r + 1));
            const uint8_t kept = p[r];
            p[r] = p[other];
            p[other] = kept;
        }
    }
    must(tulle__alloc(ctx, (size_t)(m->rows * m->b), &m->pivots_there));
    must(tulle__copy_wait(ctx, m->pivots_there, m->pivots, (size_t)(m->rows * m->b)));
}

static blocks make(tulle_ctx *ctx, int64_t n, trisolve_setting *s, tulle__diagonal how,
                   uint64_t number) {
    uint64_t state = number;
    blocks m = {.n = n, .b = (int)s->block};
    entries any = entries_random(n, n, number % 3 == 0 ? n * n * 2 : 3 * n, number);
    entries e = trisolve_usable(&any, true);
    m.A = trisolve_matrix(ctx, &e, s);
    read_blocks(ctx, s, &m);
    fill_values(&m, how, &state);
    fill_pivots(ctx, &m, &state);
    const int64_t count = m.stored * m.b * m.b;
    void *values = values_as(m.values, count, s->stored);
    must(tulle_mat_set_values(ctx, m.A, count, values));
    free(values);
    entries_free(&e);
    entries_free(&any);
    return m;
}

static void forget(tulle_ctx *ctx, blocks *m) {
    tulle__free(ctx, m->pivots_there);
    tulle_mat_destroy(m->A);
    free(m->offsets);
    free(m->cols);
    free(m->mask);
    free(m->values);
    free(m->pivots);
}

/* b long doubles, of a block or of its part of a column. */
typedef struct {
    long double at[TULLE__MOST_BLOCK];
} part;

static long double cell(const blocks *m, tulle_trans op, int64_t e, int r, int c) {
    const int q = op == TULLE_N ? r * m->b + c : c * m->b + r;
    return m->values[e * m->b * m->b + q];
}

/* How the factors of a block, or its inverse, act: y := op(F) x, |y| := |op(F)| |x|, where F is L
 * (lower, ones on its diagonal), U, or all of it. */
enum { FACTOR_L, FACTOR_U, FACTOR_ALL };
static void act(const blocks *m, tulle_trans op, int64_t e, int factor, part *x, part *size) {
    part y = {{0}}, y_size = {{0}};
    for (int r = 0; r < m->b; r++) {
        for (int c = 0; c < m->b; c++) {
            const int row = op == TULLE_N ? r : c, col = op == TULLE_N ? c : r; /* in the block */
            long double v = cell(m, op, e, r, c);
            if (factor == FACTOR_L) v = row == col ? 1 : row > col ? v : 0;
            if (factor == FACTOR_U && row > col) v = 0;
            y.at[r] += v * x->at[c];
            y_size.at[r] += fabsl(v) * size->at[c];
        }
    }
    *x = y;
    *size = y_size;
}

/* Row pivots[r] goes to r, or back. */
static void permute(const blocks *m, int64_t i, bool back, part *x, part *size) {
    part y, y_size;
    for (int r = 0; r < m->b; r++) {
        const int p = m->pivots[i * m->b + r];
        y.at[back ? p : r] = x->at[back ? r : p];
        y_size.at[back ? p : r] = size->at[back ? r : p];
    }
    *x = y;
    *size = y_size;
}

/* What is left of one block row and column, from alpha b less all products beside the diagonal
 * (rest) and X's numbers (x), with the sizes of both. */
static void meet(const blocks *m, const trisolve_setting *s, tulle__diagonal how, int64_t i,
                 int64_t diagonal, part *x, part *x_size, part *rest, part *size) {
    if (how == TULLE__DIAGONAL_INVERTED) act(m, s->op, diagonal, FACTOR_ALL, rest, size);
    if (how == TULLE__DIAGONAL_FACTORISED && s->op == TULLE_N) { /* P rest = L U x */
        permute(m, i, false, rest, size);
        act(m, s->op, diagonal, FACTOR_U, x, x_size);
        act(m, s->op, diagonal, FACTOR_L, x, x_size);
    } else if (how == TULLE__DIAGONAL_FACTORISED) { /* rest = U' L' P x */
        permute(m, i, false, x, x_size);
        act(m, s->op, diagonal, FACTOR_L, x, x_size);
        act(m, s->op, diagonal, FACTOR_U, x, x_size);
    }
}

static part numbers_of(const blocks *m, const columns *from, int64_t i, int64_t c, part *size) {
    part p = {{0}};
    *size = p;
    for (int r = 0; r < m->b && i * m->b + r < m->n; r++) {
        p.at[r] = from->at[c * m->n + i * m->b + r];
        size->at[r] = fabsl(p.at[r]);
    }
    return p;
}

/* Subtracts block e of A, of which op says how it is read, from the rest of its row of op(T). */
static void subtract(const blocks *m, tulle_trans op, int64_t e, const part *x, part *rest,
                     part *size) {
    for (int r = 0; r < m->b; r++) {
        for (int c = 0; c < m->b; c++) {
            const int q = op == TULLE_N ? r * m->b + c : c * m->b + r;
            if (m->mask && !(m->mask[e * m->words + q / 32] >> (q % 32) & 1u)) continue;
            rest->at[r] -= cell(m, op, e, r, c) * x->at[c];
            size->at[r] += fabsl(cell(m, op, e, r, c) * x->at[c]);
        }
    }
}

static void check(const blocks *m, const trisolve_setting *s, tulle__diagonal how, const columns *B,
                  const columns *X, const char *what) {
    part *rest = room(m->rows, sizeof *rest), *size = room(m->rows, sizeof *size);
    const long double alpha = s->alpha;
    for (int64_t c = 0; c < X->cols; c++) {
        int64_t longest = 0;
        for (int64_t i = 0; i < m->rows; i++) {
            rest[i] = numbers_of(m, B, i, c, &size[i]);
            for (int r = 0; r < m->b; r++) {
                rest[i].at[r] *= alpha;
                size[i].at[r] *= fabsl(alpha);
            }
        }
        for (int64_t i = 0; i < m->rows; i++) {
            for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
                const int64_t j = m->cols[e];
                if (i == j || !trisolve_has(s, i, j)) continue;
                part x_size, x = numbers_of(m, X, s->op == TULLE_N ? j : i, c, &x_size);
                const int64_t to = s->op == TULLE_N ? i : j;
                subtract(m, s->op, e, &x, &rest[to], &size[to]);
            }
            const int64_t length = m->offsets[i + 1] - m->offsets[i];
            if (length > longest) longest = length;
        }
        if (s->op == TULLE_T) longest = m->rows;
        for (int64_t i = 0; i < m->rows; i++) {
            int64_t diagonal = m->offsets[i];
            while (m->cols[diagonal] != i) diagonal++;
            part x_size, x = numbers_of(m, X, i, c, &x_size);
            meet(m, s, how, i, diagonal, &x, &x_size, &rest[i], &size[i]);
            for (int r = 0; r < m->b && i * m->b + r < m->n; r++) {
                const long double n = (long double)((longest + 3) * m->b + 4);
                const long double bound =
                    gamma_of(n, s->type) * (size[i].at[r] + x_size.at[r]) + least_of(s->type);
                assert_near(x.at[r], rest[i].at[r], bound, what);
            }
        }
    }
    free(rest);
    free(size);
}

static void try_one(tulle_ctx *ctx, const char *spec, trisolve_setting *s, tulle__diagonal how,
                    int64_t n, uint64_t number) {
    blocks m = make(ctx, n, s, how, number);
    columns B = columns_random(n, s->vectors, number, s->type);
    placed b = columns_place(ctx, &B, s->type, s->b), x = columns_place(ctx, &B, s->type, s->x);
    const tulle__triangle T = {
        .A = m.A, .part = s->part, .diagonal = how, .pivots = m.pivots_there};
    must(tulle__triangle_solve(spec, ctx, &T, s->op, tulle_num(s->alpha), s->in_place ? x.X : b.X,
                               x.X));
    columns X = placed_read(ctx, &x);
    check(&m, s, how, &B, &X, spec);
    columns_free(&X);
    placed_free(&x);
    placed_free(&b);
    columns_free(&B);
    forget(ctx, &m);
}

static void diagonals_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    static const tulle__diagonal all[] = {TULLE__DIAGONAL_UNIT, TULLE__DIAGONAL_INVERTED,
                                          TULLE__DIAGONAL_FACTORISED};
    int cases = 0;
    for (int b = 1; b <= TULLE__MOST_BLOCK; b++) {
        for (int how = 0; how < 3; how++) {
            for (unsigned kind = 0; kind < 4; kind++) {
                if ((++cases + (int)number) % (is_slow(where) ? 4 : 1) > 0) continue;
                if (b > 1 && trisolve_takes_no_blocks(spec)) continue;
                trisolve_setting s =
                    trisolve_setting_number(spec, number + (uint64_t)(cases * 4) + kind);
                s.part = (tulle_part)(kind & 1);
                s.op = (tulle_trans)(kind >> 1);
                s.block = b;
                s.diag = TULLE_UNIT; /* the diagonal is no entry of what stands beside it */
                if (s.alpha == 0) s.alpha = 0.5;
                try_one(ctx, spec, &s, all[how], b * 5 + (int)kind % 3 * b / 2, number + kind);
            }
        }
    }
}
static void each_kernel(tulle_ctx *ctx, const char *where) {
    trisolve_each_spec(ctx, where, false, diagonals_by);
}
static void test_diagonals(void **state) {
    (void)state;
    on_each_place(each_kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_diagonals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
