/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation of rows of every length, with tables of each kind: P is its formula, computed here
 * without tables, and has the same bits on every place; under a cap of memory it is made or
 * refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hierarchies.h"
#include "places.h"

/* Rows of the chain with hubs, of which more than 2048 become coarse. */
enum { CHAIN = 5000, HUBS = 4 };

/* Number of rows that each hub depends on. */
static const int64_t reach[HUBS] = {100, 400, 2000, CHAIN};

static void put(host_system *s, int64_t column, double value) {
    s->columns[s->nnz] = column;
    s->values[s->nnz++] = value;
}

/* The hub that a row of the chain depends on, or -1. Two rows depend on each hub, so that the hub
 * has less influence than the rows of the chain, and becomes fine. */
static int64_t hub_of(int64_t j) {
    const int64_t which = j - 20;
    return which >= 0 && which % 30 == 0 && which / 30 < 2 * HUBS ? which / 30 / 2 : -1;
}

/* Puts a row of the chain: a strong connection to each neighbour, and weak ones further on; the
 * last row has weak ones to all rows. */
static void put_link(host_system *s, int64_t j) {
    const int64_t hub = hub_of(j), first = HUBS, n = s->n;
    const double diagonal = 2.75 + (double)(j % 7) / 16;
    if (j == n - 1) {
        for (int64_t k = 0; k < j - 1; k++) put(s, k, -1 / 16384.0);
        put(s, j - 1, -1);
        put(s, j, diagonal);
        return;
    }
    if (hub >= 0) put(s, hub, -1 - (double)(j % 3) / 4);
    if (j > first) put(s, j - 1, j % 11 == 0 ? 0.25 : -1 - (double)(j % 5) / 8);
    put(s, j, diagonal + (hub >= 0));
    put(s, j + 1, -1);
    for (int64_t k = 10; k <= 50 && j + k < n; k += 5) put(s, j + k, -1 / 64.0);
}

/* A chain, and hubs that depend on many of its rows; equal numbers where columns decide. */
static host_system chain_with_hubs(void) {
    const int64_t n = HUBS + CHAIN, room = 14 * n + HUBS * n;
    host_system s = {.n = n,
                     .offsets = calloc((size_t)n + 1, sizeof *s.offsets),
                     .columns = calloc((size_t)room, sizeof *s.columns),
                     .values = calloc((size_t)room, sizeof *s.values)};
    for (int64_t i = 0; i < n; i++) {
        if (i < HUBS) {
            put(&s, i, 1.25 * (double)reach[i]);
            for (int64_t k = 0; k < reach[i]; k++) put(&s, HUBS + k, -1 - (double)(k % 2) / 8);
        } else {
            put_link(&s, i);
        }
        s.offsets[i + 1] = s.nnz;
    }
    return s;
}

/* A dense block beside a chain that is tied to it. */
static double of_block(int64_t i, int64_t j) {
    if (i == j) return i < 90 ? 300 : 4.5;
    if (i < 90 && j < 90) return -1 - (double)((7 * i + 13 * j) % 5) / 2;
    return llabs((long long)(i - j)) == 1 ? -1 : i % 90 == j % 90 ? -1 : 0;
}

/* An arrow: all rows depend on the first one, and it on them. */
static double of_arrow(int64_t i, int64_t j) {
    if (i == j) return i == 0 ? 500 : 4;
    if (i == 0 || j == 0) return -1;
    return llabs((long long)(i - j)) == 1 ? -1 : 0;
}

/* A connection of two points of a grid, which depends on both of them. */
static double of_points(int64_t i, int64_t j) {
    return -1 - (double)((5 * i + 3 * j) % 7) / 8;
}

/* Points of a grid of 6 x 6 x 6, each tied to those beside it along the axes: rows of few products.
 */
static double of_axes(int64_t i, int64_t j) {
    const int64_t apart = llabs((long long)(i / 36 - j / 36)) +
                          llabs((long long)(i / 6 % 6 - j / 6 % 6)) +
                          llabs((long long)(i % 6 - j % 6));
    return apart == 0 ? 12.5 : apart == 1 ? of_points(i, j) : 0;
}

/* Points of a grid of 16 x 16, each tied to those at most `far` columns and rows away. */
static double of_squares(int64_t i, int64_t j, int64_t far) {
    const int64_t x = llabs((long long)(i % 16 - j % 16)), y = llabs((long long)(i / 16 - j / 16));
    const int64_t ends = 2 * far + 1;
    if (i == j) return 2 * (double)(ends * ends);
    return x <= far && y <= far ? of_points(i, j) : 0;
}

/* Some tens of products a row, which lanes list, and more than 64, which a warp lists. */
static double of_near_squares(int64_t i, int64_t j) {
    return of_squares(i, j, 2);
}
static double of_far_squares(int64_t i, int64_t j) {
    return of_squares(i, j, 3);
}

/* What P is made from, by its definition. */
typedef struct {
    const host_system *s;
    bool *strong;
    int64_t *number; /* coarse row's number; -1: fine */
    double *to_coarse, *diagonal;
    int64_t coarse;
} plan;

static double at(const host_system *s, int64_t i, int64_t j) {
    for (int64_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
        if (s->columns[k] == j) return s->values[k];
    }
    return 0;
}

/* Coarse rows are unit rows of P with the next number: rows of the systems here have sums above 0,
 * so that fine rows of P add up to less than 1. */
static plan plan_of(const host_system *s, const host_mat *P) {
    const size_t n = (size_t)s->n;
    plan p = {s,
              calloc((size_t)s->nnz, 1),
              calloc(n, sizeof *p.number),
              calloc(n, sizeof *p.to_coarse),
              calloc(n, sizeof *p.diagonal),
              0};
    for (int64_t i = 0; i < s->n; i++) {
        const int64_t k = P->offsets[i];
        const bool unit = P->offsets[i + 1] - k == 1 && P->values[k] == 1;
        p.number[i] = unit && P->columns[k] == p.coarse ? p.coarse++ : -1;
        p.diagonal[i] = at(s, i, i);
    }
    assert_int_equal(p.coarse, P->cols);
    for (int64_t i = 0; i < s->n; i++) {
        double largest = 0, sum = 0;
        for (int64_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
            sum += s->values[k];
            largest = fmax(largest, -s->values[k]);
        }
        for (int64_t k = s->offsets[i]; k < s->offsets[i + 1]; k++) {
            const double value = s->values[k];
            p.strong[k] = sum <= 0.9 * p.diagonal[i] && value < 0 && -value >= 0.25 * largest;
            if (p.strong[k] && p.number[s->columns[k]] >= 0) p.to_coarse[i] += value;
        }
    }
    return p;
}

static void plan_free(plan *p) {
    free(p->strong);
    free(p->number);
    free(p->to_coarse);
    free(p->diagonal);
}

/* Adds a factor times row k's strong connections to coarse rows. */
static void add(const plan *p, int64_t k, double factor, double *sums, bool *there) {
    for (int64_t q = p->s->offsets[k]; q < p->s->offsets[k + 1]; q++) {
        const int64_t column = p->number[p->s->columns[q]];
        if (!p->strong[q] || column < 0) continue;
        sums[column] += factor * p->s->values[q];
        there[column] = true;
    }
}

/* Computes a fine row before truncation; returns what it is divided by. */
static double whole_row(const plan *p, int64_t i, double *sums, bool *there) {
    const host_system *s = p->s;
    double weight = 0;
    for (int64_t q = s->offsets[i]; q < s->offsets[i + 1]; q++) {
        const int64_t k = s->columns[q];
        const double value = s->values[q];
        if (p->strong[q] && p->number[k] >= 0) continue;
        const double back = p->strong[q] ? fmin(at(s, k, i), 0) : 0;
        const double sum = p->strong[q] ? p->to_coarse[k] + back : 0;
        weight += sum != 0 ? value / sum * back : value;
        if (sum != 0) add(p, k, value / sum, sums, there);
    }
    add(p, i, 1, sums, there);
    return weight > 0 ? weight : p->diagonal[i];
}

/* Moves the column that truncation keeps next to kept[count]; returns false where there is none. */
static bool keep_next(const double *sums, bool *there, int64_t coarse, int64_t *kept) {
    int64_t best = -1;
    for (int64_t j = 0; j < coarse; j++) {
        if (there[j] && (best < 0 || fabs(sums[j]) > fabs(sums[best]))) best = j;
    }
    if (best < 0) return false;
    there[best] = false;
    *kept = best;
    return true;
}

static void assert_row(const plan *p, const host_mat *P, int64_t i, int most, double digits) {
    double *sums = calloc((size_t)p->coarse, sizeof *sums), all = 0, some = 0;
    bool *there = calloc((size_t)p->coarse, sizeof *there);
    const double divisor = whole_row(p, i, sums, there);
    const int64_t begin = P->offsets[i], end = P->offsets[i + 1];
    int64_t kept[16];
    int count = 0;
    for (int64_t j = 0; j < p->coarse; j++) all += sums[j];
    while (count < most && keep_next(sums, there, p->coarse, kept + count)) count++;
    for (int k = 0; k < count; k++) some += sums[kept[k]];
    assert_int_equal(end - begin, count);
    for (int k = 0; k < count; k++) {
        const double wanted = -sums[kept[k]] / divisor * (all / some);
        int64_t q = begin;
        while (q < end && P->columns[q] != kept[k]) q++;
        assert_true(q < end);
        assert_true(fabs(P->values[q] - wanted) <= digits * fabs(wanted));
    }
    for (int64_t q = begin + 1; q < end; q++) assert_true(P->columns[q - 1] < P->columns[q]);
    free(sums);
    free(there);
}

/* Asserts that P is its formula. Of a long chain every so-many-th row is looked at, and all that
 * have to do with hubs. */
static void assert_formula(const host_system *s, const host_mat *P, int most, tulle_type type) {
    plan p = plan_of(s, P);
    const int64_t step = s->n > CHAIN ? 17 : 1;
    for (int64_t i = 0; i < s->n; i++) {
        const bool looked_at = i < 300 || i % step == 0 || i == s->n - 1;
        if (looked_at && p.number[i] < 0)
            assert_row(&p, P, i, most, type == TULLE_F32 ? 1e-6 : 1e-12);
    }
    plan_free(&p);
}

static tulle_mat *matrix(tulle_ctx *ctx, const host_system *s, tulle_type type, tulle_index index) {
    tulle_mat *wide = system_mat(ctx, s, type), *A = NULL;
    must(tulle_mat_convert(ctx, wide, TULLE_CSR, index, 0, &A));
    tulle_mat_destroy(wide);
    return A;
}

/* P is its formula where it is not rounded. */
static const tulle_amg_options two_levels = {.most_levels = 2,
                                             .coarsest_rows = 1,
                                             .family = TULLE_AMG_CLASSICAL,
                                             .precision = TULLE_AMG_SAME};

static tulle_linop *hierarchy(tulle_ctx *ctx, const host_system *s, tulle_type type,
                              tulle_index index, int most) {
    tulle_amg_options o = two_levels;
    tulle_mat *A = matrix(ctx, s, type, index);
    tulle_linop *M = NULL;
    o.interpolation_entries = most;
    must(tulle_amg_create(ctx, A, &o, &M));
    tulle_mat_destroy(A);
    return M;
}

/* P of the place is the formula, and has the bits of a CPU with one thread. */
static void assert_interpolation(tulle_ctx *ctx, const host_system *s, tulle_type type,
                                 tulle_index index, int most) {
    tulle_ctx *cpu = NULL;
    tulle_amg_level_info level, of_cpu;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    tulle_linop *M = hierarchy(ctx, s, type, index, most);
    tulle_linop *N = hierarchy(cpu, s, type, index, most);
    must(tulle_amg_level(M, 0, &level));
    must(tulle_amg_level(N, 0, &of_cpu));
    assert_non_null(level.P);
    assert_same_mats(cpu, of_cpu.P, 0, ctx, level.P);
    host_mat P = read_mat(ctx, level.P);
    assert_formula(s, &P, most > 0 ? most : 4, type);
    free_mat(&P);
    tulle_linop_destroy(M);
    tulle_linop_destroy(N);
    tulle_ctx_destroy(cpu);
}

/* Types of values and of indices, of which an emulator takes one with each order. */
enum { TYPES = 6 };

static void long_rows(tulle_ctx *ctx, const char *where) {
    host_system s = chain_with_hubs();
    const int turn = turn_in_order(where, TYPES);
    for (int way = 0; way < TYPES; way++) {
        if (is_slow(where) && way != turn) continue;
        assert_interpolation(ctx, &s, way % 2 ? TULLE_F32 : TULLE_F64, (tulle_index)(way / 2),
                             way < 3 ? 0 : 16);
    }
    system_free(&s);
}

static void test_long_rows(void **state) {
    (void)state;
    on_each_place(long_rows);
}

static void every_table(tulle_ctx *ctx, const char *where) {
    static const struct {
        int64_t n;
        double (*entry)(int64_t, int64_t);
    } systems[] = {{240, of_block},
                   {240, of_arrow},
                   {216, of_axes},
                   {256, of_near_squares},
                   {256, of_far_squares}};
    const int turn = turn_of(where, TYPES);
    for (size_t which = 0; which < sizeof systems / sizeof *systems; which++) {
        host_system s = system_of(systems[which].n, systems[which].entry);
        for (int way = 0; way < TYPES; way++) {
            if (is_slow(where) && way != turn && way != 0) continue;
            assert_interpolation(ctx, &s, way % 2 ? TULLE_F32 : TULLE_F64, (tulle_index)(way / 2),
                                 way % 3 == 2 ? 1 : 4);
        }
        system_free(&s);
    }
}
ONCE_ON_EACH_PLACE(every_table)

static tulle_memory_usage usage_of(tulle_ctx *ctx) {
    tulle_memory_usage usage;
    must(tulle_ctx_trim(ctx));
    must(tulle_ctx_memory(ctx, &usage));
    return usage;
}

/* Makes a hierarchy under a cap, which is kept; returns false where memory runs out, which is said,
 * and leaves nothing. made, high: the most memory that the context had until A was there, and at
 * all. */
static bool fits(const char *where, const host_system *s, size_t cap, size_t *made, size_t *high) {
    const tulle_ctx_options options = {.memory_cap = cap};
    tulle_ctx *ctx = NULL;
    tulle_linop *M = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    tulle_mat *A = system_mat(ctx, s, TULLE_F64);
    const size_t held = usage_of(ctx).in_use;
    *made = usage_of(ctx).high;
    const tulle_status status = tulle_amg_create(ctx, A, &two_levels, &M);
    *high = usage_of(ctx).high;
    if (cap > 0) assert_true(*high <= cap);
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(M);
        assert_true(strlen(tulle_last_error()->message) > 0);
    }
    tulle_linop_destroy(M);
    assert_int_equal(usage_of(ctx).in_use, held);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return status == TULLE_OK;
}

static void caps(tulle_ctx *unused, const char *where) {
    host_system s = chain_with_hubs();
    size_t made, all, some;
    (void)unused;
    assert_true(fits(where, &s, 0, &made, &all));
    assert_true(made < all);
    for (int part = 0; part < 8; part++) {
        if (is_slow(where) && part != turn_of(where, 8)) continue;
        fits(where, &s, made + (all - made) / 8 * (size_t)part, &some, &some);
    }
    if (!is_slow(where)) assert_true(fits(where, &s, 2 * all, &some, &some));
    system_free(&s);
}
ONCE_ON_EACH_PLACE(caps)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long_rows),
        cmocka_unit_test(test_every_table),
        cmocka_unit_test(test_caps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
