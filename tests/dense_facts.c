/* SPDX-License-Identifier: Apache-2.0 */
#include "dense_facts.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "matrix/facts.h"
#include "places.h"

void dense_put(dense *d, int row, int col, double value) {
    d->has[row][col] = true;
    d->value[row][col] = value;
}

entries dense_entries(const dense *d) {
    const size_t most = (size_t)DENSE_MOST * DENSE_MOST;
    entries e = {.rows = d->rows,
                 .cols = d->cols,
                 .row = calloc(most, sizeof(int64_t)),
                 .col = calloc(most, sizeof(int64_t)),
                 .value = calloc(most, sizeof(double))};
    for (int i = 0; i < d->rows; i++) {
        for (int j = 0; j < d->cols; j++) {
            if (!d->has[i][j]) continue;
            e.row[e.nnz] = i;
            e.col[e.nnz] = j;
            e.value[e.nnz++] = d->value[i][j];
        }
    }
    return e;
}

static long double unit_of(tulle_type type) {
    return type == TULLE_F32 ? 0x1p-24L : 0x1p-53L;
}

/* Returns the number at a place in the type, or 0 where there is no entry. */
static long double number(const dense *d, tulle_type type, int i, int j) {
    if (!d->has[i][j]) return 0;
    return type == TULLE_F32 ? (long double)(float)d->value[i][j] : (long double)d->value[i][j];
}

static bool is_finite(long double x) {
    return x >= -(long double)DBL_MAX && x <= (long double)DBL_MAX;
}

/* Returns true when mirror images are alike by the definition in tulle/facts.h, which also says
 * what is alike among numbers that are not finite. */
static bool are_alike(long double x, long double y, long double mean, long double u) {
    const long double limit = 8 * u * (fmaxl(fabsl(x), fabsl(y)) + mean);
    if (x == y) return true;
    return is_finite(x) && is_finite(y) && is_finite(mean) && fabsl(x - y) <= limit;
}

/* Returns true when mirror images that are not alike are near each other by the same definition. */
static bool are_near(long double x, long double y, long double mean) {
    return is_finite(mean) && fabsl(x - y) <= mean / 64;
}

static void add_place(const dense *d, tulle_type type, int i, int j, tulle_facts *f) {
    const long double u = unit_of(type), x = number(d, type, i, j), size = fabsl(x);
    if (!is_finite(x)) {
        if (f->not_finite++ == 0) f->bad_row = i;
        if (f->not_finite == 1) f->bad_column = j;
    } else {
        f->zeros += x == 0;
        if (size > 0 && (f->smallest == 0 || (double)size < f->smallest))
            f->smallest = (double)size;
        if ((double)size > f->largest) f->largest = (double)size;
    }
    if (i == j) {
        f->diagonal++;
        f->diagonal_zero += x == 0;
        f->diagonal_positive += x > 0;
        return;
    }
    f->off_diagonal++;
    f->off_positive += x > 0;
    if (d->rows != d->cols) return;
    const long double y = number(d, type, j, i);
    const long double mean =
        sqrtl(fabsl(number(d, type, i, i))) * sqrtl(fabsl(number(d, type, j, j)));
    f->mirrored += d->has[j][i];
    f->equal += d->has[j][i] && x == y;
    f->opposite += d->has[j][i] && x == -y;
    f->alike += are_alike(x, y, mean, u);
    f->near += are_alike(x, y, mean, u) || are_near(x, y, mean);
    f->indefinite_pairs += size > mean * (1 + 8 * u);
}

static void add_row(const dense *d, tulle_type type, int i, tulle_facts *f) {
    long double sum = 0, high = 0;
    bool uneven = false;
    int64_t length = 0;
    const long double own = i < d->cols ? fabsl(number(d, type, i, i)) : 0;
    for (int j = 0; j < d->cols; j++) {
        length += d->has[i][j];
        if (d->has[i][j]) add_place(d, type, i, j, f);
        if (j != i) sum += fabsl(number(d, type, i, j));
        if (j == i || !d->has[i][j]) continue;
        high = fmaxl(high, fabsl(number(d, type, i, j)));
    }
    if (own == 0 && f->empty_diagonal < 0) f->empty_diagonal = i;
    for (int j = 0; j < d->cols; j++) {
        const long double size = fabsl(number(d, type, i, j));
        if (j != i && size > ldexpl(high, -33)) uneven = uneven || size < high / 4;
    }
    f->uneven += uneven;
    f->not_dominant += !(sum - own <= (long double)(length + 4) * 2 * unit_of(type) * own);
}

/* Finds the largest size of full blocks, by the blocks that have an entry. */
static void find_block(const dense *d, tulle_facts *f) {
    static const int sizes[] = {8, 6, 5, 4, 3, 2};
    const int64_t nnz = f->diagonal + f->off_diagonal;
    for (int s = 0; s < 6 && f->block == 0; s++) {
        const int b = sizes[s];
        bool has[DENSE_MOST][DENSE_MOST] = {{false}};
        int64_t blocks = 0;
        for (int i = 0; i < d->rows; i++) {
            for (int j = 0; j < d->cols; j++) {
                blocks += d->has[i][j] && !has[i / b][j / b];
                has[i / b][j / b] = has[i / b][j / b] || d->has[i][j];
            }
        }
        const double filled = nnz > 0 ? (double)nnz / (double)(blocks * b * b) : 0;
        if (d->rows < 2 * b || filled < 0.9) continue;
        f->block = b;
        f->block_filled = filled;
    }
}

tulle_facts dense_facts(const dense *d, tulle_type type) {
    tulle_facts f = {.empty_diagonal = -1, .bad_row = -1, .bad_column = -1};
    for (int i = 0; i < d->rows; i++) add_row(d, type, i, &f);
    find_block(d, &f);
    f.symmetric = d->rows == d->cols && f.alike == f.off_diagonal;
    f.nearly_symmetric = d->rows == d->cols && f.near == f.off_diagonal;
    return f;
}

void facts_expect(const tulle_facts *f, const tulle_facts *want) {
    assert_int_equal(f->diagonal, want->diagonal);
    assert_int_equal(f->diagonal_zero, want->diagonal_zero);
    assert_int_equal(f->diagonal_positive, want->diagonal_positive);
    assert_int_equal(f->empty_diagonal, want->empty_diagonal);
    assert_int_equal(f->off_diagonal, want->off_diagonal);
    assert_int_equal(f->off_positive, want->off_positive);
    assert_int_equal(f->uneven, want->uneven);
    assert_int_equal(f->mirrored, want->mirrored);
    assert_int_equal(f->equal, want->equal);
    assert_int_equal(f->alike, want->alike);
    assert_int_equal(f->near, want->near);
    assert_int_equal(f->opposite, want->opposite);
    assert_int_equal(f->indefinite_pairs, want->indefinite_pairs);
    assert_int_equal(f->not_dominant, want->not_dominant);
    assert_int_equal(f->zeros, want->zeros);
    assert_int_equal(f->not_finite, want->not_finite);
    assert_int_equal(f->bad_row, want->bad_row);
    assert_int_equal(f->bad_column, want->bad_column);
    assert_true(f->smallest == want->smallest && f->largest == want->largest);
    assert_int_equal(f->block, want->block);
    assert_true(f->block_filled == want->block_filled);
    assert_int_equal(f->symmetric, want->symmetric);
    assert_int_equal(f->nearly_symmetric, want->nearly_symmetric);
}

void facts_check_mat(tulle_ctx *ctx, const tulle_mat *A, const tulle_facts *want) {
    tulle_facts f, brief;
    must(tulle_mat_facts(ctx, A, &f));
    facts_expect(&f, want);
    must(tulle__mat_facts(ctx, A, false, &brief));
    assert_int_equal(brief.symmetric, want->symmetric);
    assert_int_equal(brief.nearly_symmetric, want->nearly_symmetric);
    assert_int_equal(brief.not_dominant, want->not_dominant);
    if (want->nearly_symmetric) facts_expect(&brief, want);
}

void facts_check(tulle_ctx *ctx, const dense *d, tulle_index index, tulle_type type) {
    const tulle_facts want = dense_facts(d, type);
    entries e = dense_entries(d);
    tulle_mat *A = entries_to_csr(ctx, &e, index, type);
    facts_check_mat(ctx, A, &want);
    tulle_mat_destroy(A);
    entries_free(&e);
}

void facts_check_types(tulle_ctx *ctx, const dense *d) {
    static const tulle_index indices[] = {TULLE_I32, TULLE_I64_I32, TULLE_I64};
    for (int i = 0; i < 6; i++) facts_check(ctx, d, indices[i % 3], i < 3 ? TULLE_F32 : TULLE_F64);
}

bool dense_chance(uint64_t *seed, int of_100) {
    return zoo_bits(seed) % 100 < (uint64_t)of_100;
}

/* Returns a value with few bits, so that sums have no rounding errors. */
static double some_value(uint64_t *seed, const dense_kind *k) {
    if (dense_chance(seed, k->zeros)) return zoo_bits(seed) % 2 ? 0.0 : -0.0;
    const double size = (double)(zoo_bits(seed) % 15 + 1) / 8;
    return zoo_bits(seed) % 3 ? -size : size;
}

/* A factor of the diagonal that keeps differences away from their limits, where the roundings of
 * the comparison itself decide; test_facts_limits.c is about these. */
static const double no_tie = 1.0000123;

static void put_mirror(dense *d, int i, int j, double value, tulle_type type, uint64_t *seed,
                       const dense_kind *k) {
    if (j >= d->rows || i >= d->cols || dense_chance(seed, k->lone)) return;
    const double roundings = 2 * (double)(zoo_bits(seed) % 32) * (double)unit_of(type);
    if (dense_chance(seed, k->apart)) value *= 1 + roundings;
    if (dense_chance(seed, k->apart / 4)) value = -value;
    dense_put(d, j, i, value);
}

dense dense_random(const dense_kind *k, tulle_type type, uint64_t seed) {
    dense d = {.rows = k->rows, .cols = k->cols};
    for (int i = 0; i < d.rows; i++) {
        for (int j = 0; j < d.cols; j++) {
            if (i == j || d.has[i][j] || !dense_chance(&seed, k->of_100)) continue;
            const double value = some_value(&seed, k);
            dense_put(&d, i, j, value);
            put_mirror(&d, i, j, value, type, &seed, k);
        }
        if (i < d.cols && !dense_chance(&seed, k->without)) {
            dense_put(&d, i, i, k->weight * some_value(&seed, k) * no_tie);
        }
    }
    return d;
}

const dense_kind dense_kinds[DENSE_KINDS] = {
    {20, 20, 20, 0, 0, 0, 0, 4},     {20, 20, 20, 0, 50, 5, 10, 4},
    {17, 17, 30, 40, 30, 10, 20, 9}, {33, 33, 50, 10, 10, 0, 0, 1},
    {12, 31, 30, 0, 0, 5, 5, 3},     {31, 12, 30, 0, 0, 5, 5, 3},
    {1, 1, 0, 0, 0, 0, 0, 1},        {1, 40, 60, 0, 0, 20, 0, 1},
    {40, 1, 60, 0, 0, 20, 0, 1},     {25, 25, 0, 0, 0, 0, 30, -1},
    {40, 40, 8, 0, 100, 0, 0, 100},  {24, 24, 100, 0, 0, 0, 0, 1},
    {30, 30, 15, 100, 0, 30, 50, 2}, {0, 0, 0, 0, 0, 0, 0, 0},
    {0, 5, 0, 0, 0, 0, 0, 0},        {5, 0, 0, 0, 0, 0, 0, 0},
};
