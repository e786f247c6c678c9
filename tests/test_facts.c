/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a matrix: counts against a dense matrix in long double, of every format and type. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "matrix/facts.h"
#include "places.h"

enum { MOST = 40 };

/* A matrix in which every place has a number, or none. */
typedef struct dense {
    int rows, cols;
    bool has[MOST][MOST];
    double value[MOST][MOST];
} dense;

static void put(dense *d, int row, int col, double value) {
    d->has[row][col] = true;
    d->value[row][col] = value;
}

static entries entries_of(const dense *d) {
    const size_t most = (size_t)MOST * MOST;
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

/* The number at a place in A's type. */
static long double number(const dense *d, tulle_type type, int i, int j) {
    if (!d->has[i][j]) return 0;
    return type == TULLE_F32 ? (long double)(float)d->value[i][j] : (long double)d->value[i][j];
}

static bool is_finite(long double x) {
    return x >= -(long double)DBL_MAX && x <= (long double)DBL_MAX;
}

/* The definitions of the header, for numbers that are finite, and its sentences on others. */
static bool are_alike(long double x, long double y, long double mean, long double u) {
    const long double limit = 8 * u * (fmaxl(fabsl(x), fabsl(y)) + mean);
    if (x == y) return true;
    return is_finite(x) && is_finite(y) && is_finite(mean) && fabsl(x - y) <= limit;
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
    if (d->rows != d->cols) return;
    const long double y = number(d, type, j, i);
    const long double mean =
        sqrtl(fabsl(number(d, type, i, i))) * sqrtl(fabsl(number(d, type, j, j)));
    f->mirrored += d->has[j][i];
    f->equal += d->has[j][i] && x == y;
    f->opposite += d->has[j][i] && x == -y;
    f->alike += are_alike(x, y, mean, u);
    f->indefinite_pairs += size > mean * (1 + 8 * u);
}

static void add_row(const dense *d, tulle_type type, int i, tulle_facts *f) {
    long double sum = 0;
    int64_t length = 0;
    const long double own = i < d->cols ? fabsl(number(d, type, i, i)) : 0;
    for (int j = 0; j < d->cols; j++) {
        length += d->has[i][j];
        if (d->has[i][j]) add_place(d, type, i, j, f);
        if (j != i) sum += fabsl(number(d, type, i, j));
    }
    if (own == 0 && f->empty_diagonal < 0) f->empty_diagonal = i;
    f->not_dominant += !(sum - own <= (long double)(length + 4) * 2 * unit_of(type) * own);
}

/* Finds the largest size of full blocks, by the blocks that have an entry. */
static void find_block(const dense *d, tulle_facts *f) {
    static const int sizes[] = {8, 6, 5, 4, 3, 2};
    const int64_t nnz = f->diagonal + f->off_diagonal;
    for (int s = 0; s < 6 && f->block == 0; s++) {
        const int b = sizes[s];
        bool has[MOST][MOST] = {{false}};
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

static tulle_facts facts_of(const dense *d, tulle_type type) {
    tulle_facts f = {.empty_diagonal = -1, .bad_row = -1, .bad_column = -1};
    for (int i = 0; i < d->rows; i++) add_row(d, type, i, &f);
    find_block(d, &f);
    f.symmetric = d->rows == d->cols && f.alike == f.off_diagonal;
    return f;
}

static void expect(const tulle_facts *f, const tulle_facts *want) {
    assert_int_equal(f->diagonal, want->diagonal);
    assert_int_equal(f->diagonal_zero, want->diagonal_zero);
    assert_int_equal(f->diagonal_positive, want->diagonal_positive);
    assert_int_equal(f->empty_diagonal, want->empty_diagonal);
    assert_int_equal(f->off_diagonal, want->off_diagonal);
    assert_int_equal(f->mirrored, want->mirrored);
    assert_int_equal(f->equal, want->equal);
    assert_int_equal(f->alike, want->alike);
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
}

/* Holds a matrix to the facts, and the short comparison to the long one. */
static void check_mat(tulle_ctx *ctx, const tulle_mat *A, const tulle_facts *want) {
    tulle_facts f, brief;
    must(tulle_mat_facts(ctx, A, &f));
    expect(&f, want);
    must(tulle__mat_facts(ctx, A, false, &brief));
    assert_int_equal(brief.symmetric, want->symmetric);
    assert_int_equal(brief.not_dominant, want->not_dominant);
    if (want->symmetric) expect(&brief, want);
}

static void check(tulle_ctx *ctx, const dense *d, tulle_index index, tulle_type type) {
    const tulle_facts want = facts_of(d, type);
    entries e = entries_of(d);
    tulle_mat *A = entries_to_csr(ctx, &e, index, type);
    check_mat(ctx, A, &want);
    tulle_mat_destroy(A);
    entries_free(&e);
}

static void check_types(tulle_ctx *ctx, const dense *d) {
    static const tulle_index indices[] = {TULLE_I32, TULLE_I64_I32, TULLE_I64};
    for (int i = 0; i < 6; i++) check(ctx, d, indices[i % 3], i < 3 ? TULLE_F32 : TULLE_F64);
}

/* Which entries a random matrix has, and how its mirror images differ. */
typedef struct kind {
    int rows, cols;
    int of_100;    /* entries in a hundred places */
    int lone;      /* of a hundred entries, those whose mirror image is left out */
    int apart;     /* of a hundred, those whose mirror image differs by up to that many roundings */
    int zeros;     /* of a hundred, those that are 0 */
    int without;   /* of a hundred, rows without a diagonal entry */
    double weight; /* of the diagonal */
} kind;

static bool chance(uint64_t *seed, int of_100) {
    return zoo_bits(seed) % 100 < (uint64_t)of_100;
}

/* A value with few bits, so that sums have no rounding. */
static double some_value(uint64_t *seed, const kind *k) {
    if (chance(seed, k->zeros)) return zoo_bits(seed) % 2 ? 0.0 : -0.0;
    const double size = (double)(zoo_bits(seed) % 15 + 1) / 8;
    return zoo_bits(seed) % 3 ? -size : size;
}

/* A factor of the diagonal that keeps differences away from their limits, where the roundings of
 * the comparison itself decide; test_limits is about these. */
static const double no_tie = 1.0000123;

static void put_mirror(dense *d, int i, int j, double value, tulle_type type, uint64_t *seed,
                       const kind *k) {
    if (j >= d->rows || i >= d->cols || chance(seed, k->lone)) return;
    const double roundings = 2 * (double)(zoo_bits(seed) % 32) * (double)unit_of(type);
    if (chance(seed, k->apart)) value *= 1 + roundings;
    if (chance(seed, k->apart / 4)) value = -value;
    put(d, j, i, value);
}

static dense random_dense(const kind *k, tulle_type type, uint64_t seed) {
    dense d = {.rows = k->rows, .cols = k->cols};
    for (int i = 0; i < d.rows; i++) {
        for (int j = 0; j < d.cols; j++) {
            if (i == j || d.has[i][j] || !chance(&seed, k->of_100)) continue;
            const double value = some_value(&seed, k);
            put(&d, i, j, value);
            put_mirror(&d, i, j, value, type, &seed, k);
        }
        if (i < d.cols && !chance(&seed, k->without)) {
            put(&d, i, i, k->weight * some_value(&seed, k) * no_tie);
        }
    }
    return d;
}

static const kind kinds[] = {
    {20, 20, 20, 0, 0, 0, 0, 4},     {20, 20, 20, 0, 50, 5, 10, 4},
    {17, 17, 30, 40, 30, 10, 20, 9}, {33, 33, 50, 10, 10, 0, 0, 1},
    {12, 31, 30, 0, 0, 5, 5, 3},     {31, 12, 30, 0, 0, 5, 5, 3},
    {1, 1, 0, 0, 0, 0, 0, 1},        {1, 40, 60, 0, 0, 20, 0, 1},
    {40, 1, 60, 0, 0, 20, 0, 1},     {25, 25, 0, 0, 0, 0, 30, -1},
    {40, 40, 8, 0, 100, 0, 0, 100},  {24, 24, 100, 0, 0, 0, 0, 1},
    {30, 30, 15, 100, 0, 30, 50, 2}, {0, 0, 0, 0, 0, 0, 0, 0},
    {0, 5, 0, 0, 0, 0, 0, 0},        {5, 0, 0, 0, 0, 0, 0, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void random_matrices(tulle_ctx *ctx, const char *where) {
    const int rounds = is_slow(where) ? 1 : 8;
    for (int k = 0; k < KINDS; k++) {
        for (int round = 0; round < rounds; round++) {
            const uint64_t seed = places_seed() + (uint64_t)(100 * k + round);
            for (int type = TULLE_F32; type <= TULLE_F64; type++) {
                const dense d = random_dense(&kinds[k], (tulle_type)type, seed);
                check(ctx, &d, (tulle_index)((round + k) % 3), (tulle_type)type);
            }
        }
    }
}

static void test_random_matrices(void **state) {
    (void)state;
    on_each_place(random_matrices);
}

/* Every format, and entries in no order of which some are repeated. */
static void formats(tulle_ctx *ctx, const char *where) {
    (void)where;
    const dense d = random_dense(&kinds[2], TULLE_F64, 7);
    const tulle_facts want = facts_of(&d, TULLE_F64);
    entries e = entries_of(&d);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        tulle_mat *B = NULL;
        must(tulle_mat_convert(ctx, A, (tulle_format)f, TULLE_I32, 0, &B));
        check_mat(ctx, B, &want);
        tulle_mat_destroy(B);
    }
    tulle_mat_destroy(A);
    for (int64_t i = 0; i < e.nnz / 2; i++) { /* from the end to the begin, halves of each twice */
        const int64_t j = e.nnz - 1 - i, row = e.row[i], col = e.col[i];
        const double value = e.value[i];
        e.row[i] = e.row[j], e.col[i] = e.col[j], e.value[i] = e.value[j];
        e.row[j] = row, e.col[j] = col, e.value[j] = value;
    }
    entries twice = entries_copy(&e);
    twice.row = realloc(twice.row, 2 * (size_t)e.nnz * sizeof(int64_t));
    twice.col = realloc(twice.col, 2 * (size_t)e.nnz * sizeof(int64_t));
    twice.value = realloc(twice.value, 2 * (size_t)e.nnz * sizeof(double));
    for (int64_t i = 0; i < e.nnz; i++) {
        twice.row[e.nnz + i] = e.row[i];
        twice.col[e.nnz + i] = e.col[i];
        twice.value[e.nnz + i] = twice.value[i] = e.value[i] / 2;
    }
    twice.nnz = 2 * e.nnz;
    A = entries_to_csr(ctx, &twice, TULLE_I64, TULLE_F64);
    check_mat(ctx, A, &want);
    tulle_mat_destroy(A);
    must(entries_to_coo(ctx, &twice, TULLE_I32, TULLE_F64, &A));
    check_mat(ctx, A, &want);
    tulle_mat_destroy(A);
    entries_free(&twice);
    entries_free(&e);
}

static void test_formats(void **state) {
    (void)state;
    on_each_place(formats);
}

/* Numbers that are Inf or NaN, alone, equal to their mirror images, and on the diagonal. */
static void not_finite(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double odd[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    for (int i = 0; i < 3; i++) {
        for (int at = 0; at < 4; at++) {
            dense d = random_dense(&kinds[0], TULLE_F64, (uint64_t)(i + 3));
            put(&d, 13, at == 0 ? 13 : 4, odd[i]);
            if (at == 2) put(&d, 4, 13, odd[i]);
            if (at == 3) put(&d, 19, 0, odd[(i + 1) % 3]);
            check_types(ctx, &d);
        }
    }
}

static void test_not_finite(void **state) {
    (void)state;
    on_each_place(not_finite);
}

/* D A D with powers of two, one for all rows or another in each, has the counts of A. */
static dense scaled(const dense *d, int all, int step) {
    dense s = *d;
    for (int i = 0; i < d->rows; i++) {
        for (int j = 0; j < d->cols; j++) {
            s.value[i][j] = ldexp(d->value[i][j], 2 * all + step * (i % 5) + step * (j % 5));
        }
    }
    return s;
}

static void units(tulle_ctx *ctx, const char *where) {
    static const int powers[] = {0, 1, -332, 332, -250, 250};
    const int count = is_slow(where) ? 4 : 6;
    for (int k = 0; k < KINDS; k++) {
        if (kinds[k].rows != kinds[k].cols) continue;
        const dense d = random_dense(&kinds[k], TULLE_F64, 11);
        tulle_facts want = facts_of(&d, TULLE_F64);
        for (int p = 0; p < count; p++) {
            const dense s = scaled(&d, powers[p], p < 4 ? 0 : 20);
            tulle_facts of_s = facts_of(&s, TULLE_F64);
            want.smallest = of_s.smallest;
            want.largest = of_s.largest;
            if (p >= 4) want.not_dominant = of_s.not_dominant;
            expect(&of_s, &want);
            check(ctx, &s, TULLE_I32, TULLE_F64);
        }
    }
}

static void test_units(void **state) {
    (void)state;
    on_each_place(units);
}

/* Numbers at the ends of the types, whose products and sums are beyond them. */
static void extremes(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double sizes[] = {DBL_MAX, 1e300, 1e-300, DBL_MIN, 0x1p-1074, 3 * 0x1p-1060};
    for (int s = 0; s < 6; s++) {
        const double v = sizes[s];
        dense d = {.rows = 4, .cols = 4};
        for (int i = 0; i < 4; i++) put(&d, i, i, v);
        put(&d, 0, 1, v), put(&d, 1, 0, v);
        put(&d, 1, 2, v), put(&d, 2, 1, -v);
        put(&d, 0, 3, v / 2), put(&d, 3, 0, nextafter(v / 2, 0));
        put(&d, 2, 3, v), put(&d, 2, 0, nextafter(v, 0));
        check(ctx, &d, TULLE_I32, TULLE_F64);
    }
    dense d = {.rows = 2, .cols = 2};
    put(&d, 0, 0, 0x1p-149), put(&d, 1, 1, (double)FLT_MAX);
    put(&d, 0, 1, 1.5), put(&d, 1, 0, 1.5 + 0x1p-22);
    check_types(ctx, &d);
}

static void test_extremes(void **state) {
    (void)state;
    on_each_place(extremes);
}

/* The limits themselves: one rounding of u on either side of each. */
static void limits(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int roundings = 1; roundings <= 40; roundings++) {
        const double off = roundings * 0x1p-52;
        dense d = {.rows = 6, .cols = 6};
        for (int i = 0; i < 6; i++) put(&d, i, i, i == 5 ? 0 : 1);
        put(&d, 0, 1, 1), put(&d, 1, 0, 1 + off);     /* within 8 u (2 + off) */
        put(&d, 0, 2, 0.5), put(&d, 2, 0, 0.5 - off); /* within 8 u (3 / 2) */
        put(&d, 3, 4, off / 2);                       /* alone: within 8 u (1 + off / 2) */
        put(&d, 3, 5, 1), put(&d, 5, 3, 1 + off);     /* no diagonal: within 8 u (1 + off) */
        put(&d, 4, 0, 1 + off / 2), put(&d, 0, 4, 1 + off / 2);
        check(ctx, &d, TULLE_I32, TULLE_F64);
        dense e = {.rows = 3, .cols = 3};
        put(&e, 0, 0, 1), put(&e, 1, 1, 1), put(&e, 2, 2, 1);
        put(&e, 0, 1, 0.5), put(&e, 0, 2, 0.5 + off);
        check(ctx, &e, TULLE_I64, TULLE_F64);
    }
}

static void test_limits(void **state) {
    (void)state;
    on_each_place(limits);
}

/* Fails unless the last row of so many is counted as not dominant, or is not. One is the column of
 * the entry 1; the others are half a rounding of it. */
static void check_sum(tulle_ctx *ctx, int one, int roundings, int64_t not_dominant) {
    dense d = {.rows = 16, .cols = 16};
    for (int j = 0; j < 15; j++) put(&d, 15, j, j == one ? 1 : 0x1p-53);
    put(&d, 15, 15, 1 - roundings * 0x1p-52);
    entries e = entries_of(&d);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_facts f;
    must(tulle_mat_facts(ctx, A, &f));
    assert_int_equal(f.not_dominant, not_dominant);
    tulle_mat_destroy(A);
    entries_free(&e);
}

/* Sums that depend on their order: 1 in the order of the columns where 1 is the first number, and
 * seven roundings more where it is the last. Twenty are allowed. */
static void order_of_sums(tulle_ctx *ctx, const char *where) {
    (void)where;
    check_sum(ctx, 0, 18, 0);
    check_sum(ctx, 0, 20, 1);
    check_sum(ctx, 14, 12, 0);
    check_sum(ctx, 14, 13, 1);
}

static void test_order_of_sums(void **state) {
    (void)state;
    on_each_place(order_of_sums);
}

/* Blocks that are whole, that lack some entries, and that are not on the grid of their size. */
static dense block_dense(int b, int lacking, int shift, uint64_t seed) {
    dense d = {.rows = 36 / b * b, .cols = 36 / b * b};
    for (int i = 0; i < d.rows; i++) {
        for (int j = 0; j < d.cols; j++) {
            const int r = (i + shift) / b, c = (j + shift) / b;
            if ((r + 2 * c) % 3 != 0 || chance(&seed, lacking)) continue;
            put(&d, i, j, 1);
        }
    }
    return d;
}

static void blocks(tulle_ctx *ctx, const char *where) {
    int found = 0;
    for (int b = 1; b <= 9; b++) {
        for (int lacking = 0; lacking <= 12; lacking += is_slow(where) ? 6 : 3) {
            for (int shift = 0; shift < 2; shift++) {
                const dense d = block_dense(b, lacking, shift, (uint64_t)b);
                const tulle_facts f = facts_of(&d, TULLE_F64);
                if (f.block > 0) found |= 1 << f.block;
                check(ctx, &d, (tulle_index)(b % 3), TULLE_F64);
            }
        }
    }
    assert_int_equal(found, 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8);
}

static void test_blocks(void **state) {
    (void)state;
    on_each_place(blocks);
}

static void add(entries *e, int64_t row, int64_t col) {
    e->row[e->nnz] = row;
    e->col[e->nnz] = col;
    e->value[e->nnz++] = row == col ? 2 : -1;
}

/* Three diagonals, and a row and a column in the middle that are full. */
static entries crossed(int64_t n) {
    const int64_t middle = n / 2;
    entries e = {.rows = n,
                 .cols = n,
                 .row = calloc((size_t)(5 * n), sizeof(int64_t)),
                 .col = calloc((size_t)(5 * n), sizeof(int64_t)),
                 .value = calloc((size_t)(5 * n), sizeof(double))};
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = i == middle || i == 0 ? 0 : i - 1;
        const int64_t last = i == middle || i + 1 == n ? n - 1 : i + 1;
        if (middle < first) add(&e, i, middle);
        for (int64_t j = first; j <= last; j++) add(&e, i, j);
        if (middle > last) add(&e, i, middle);
    }
    return e;
}

/* So many rows that several threads and blocks of threads count. */
static void many_rows(tulle_ctx *ctx, const char *where) {
    const int64_t n = is_slow(where) ? 400 : 30000;
    entries e = crossed(n);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_facts f;
    must(tulle_mat_facts(ctx, A, &f));
    assert_int_equal(f.diagonal, n);
    assert_int_equal(f.off_diagonal, 2 * (n - 1) + 2 * (n - 3));
    assert_int_equal(f.mirrored, f.off_diagonal);
    assert_int_equal(f.equal, f.off_diagonal);
    assert_int_equal(f.not_dominant, n - 5 + 1);
    assert_int_equal(f.empty_diagonal, -1);
    assert_true(f.symmetric && f.block == 0 && f.smallest == 1 && f.largest == 2);
    tulle_mat_destroy(A);
    e.value[e.nnz - 5] = (double)NAN;
    A = entries_to_csr(ctx, &e, TULLE_I64, TULLE_F32);
    must(tulle_mat_facts(ctx, A, &f));
    assert_int_equal(f.not_finite, 1);
    assert_int_equal(f.bad_row, e.row[e.nnz - 5]);
    assert_int_equal(f.bad_column, e.col[e.nnz - 5]);
    tulle_mat_destroy(A);
    entries_free(&e);
}

static void test_many_rows(void **state) {
    (void)state;
    once_on_each_place(many_rows);
}

/* A hypersparse matrix has the facts of the small one, at other places. */
static int64_t far(int64_t i) {
    return i < 3 ? i : (i + 1) * (INT64_C(1) << 40);
}

static void hypersparse(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int k = 0; k < 6; k++) {
        dense d = random_dense(&kinds[k], TULLE_F64, 5);
        const bool odd = k % 2 != 0;
        if (odd) put(&d, 9, 3, (double)NAN);
        for (int i = 0; i < 3; i++) put(&d, i, i, 1);
        tulle_facts want = facts_of(&d, TULLE_F64);
        entries e = entries_of(&d);
        for (int64_t i = 0; i < e.nnz; i++) {
            e.row[i] = far(e.row[i]);
            e.col[i] = far(e.col[i]);
        }
        e.rows = INT64_C(1) << 50;
        e.cols = d.rows == d.cols ? e.rows : e.rows - 1;
        want.empty_diagonal = 3;
        want.block = 0;
        want.block_filled = 0;
        want.symmetric = want.symmetric && d.rows == d.cols;
        if (odd) want.bad_row = far(9);
        if (odd) want.bad_column = far(3);
        tulle_ctx *cpu = NULL;
        tulle_mat *coo = NULL, *dcsr = NULL, *A = NULL;
        must(tulle_ctx_create("cpu:1", NULL, &cpu));
        must(entries_to_coo(cpu, &e, TULLE_I64, TULLE_F64, &coo));
        check_mat(cpu, coo, &want);
        must(tulle_mat_convert(cpu, coo, TULLE_DCSR, TULLE_I64, 0, &dcsr));
        must(tulle_mat_copy(ctx, dcsr, TULLE_F64, &A));
        check_mat(ctx, A, &want);
        tulle_mat_destroy(A);
        tulle_mat_destroy(dcsr);
        tulle_mat_destroy(coo);
        tulle_ctx_destroy(cpu);
        entries_free(&e);
    }
}

static void test_hypersparse(void **state) {
    (void)state;
    once_on_each_place(hypersparse);
}

static void bad_arguments(tulle_ctx *ctx, const char *where) {
    const dense d = random_dense(&kinds[0], TULLE_F64, 1);
    entries e = entries_of(&d);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_facts f;
    assert_int_equal(tulle_mat_facts(NULL, A, &f), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_facts(ctx, NULL, &f), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_facts(ctx, A, NULL), TULLE_INVALID_ARGUMENT);
    tulle_ctx *other = place_elsewhere(where);
    if (other) assert_int_equal(tulle_mat_facts(other, A, &f), TULLE_SPACE_MISMATCH);
    tulle_ctx_destroy(other);
    tulle_mat_destroy(A);
    entries_free(&e);
}

ONCE_ON_EACH_PLACE(bad_arguments)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_not_finite),      cmocka_unit_test(test_units),
        cmocka_unit_test(test_extremes),        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_order_of_sums),   cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_many_rows),       cmocka_unit_test(test_hypersparse),
        cmocka_unit_test(test_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
