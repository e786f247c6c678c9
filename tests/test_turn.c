/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes of CSR: by mirror images, by sorting columns, by buckets and by tiles of them, by
 * sorting pairs; values and permutations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "entries.h"
#include "matrix/turn.h"
#include "places.h"

static entries none(int64_t rows, int64_t cols, int64_t most) {
    size_t count = (size_t)most + 1;
    return (entries){.rows = rows,
                     .cols = cols,
                     .row = calloc(count, sizeof(int64_t)),
                     .col = calloc(count, sizeof(int64_t)),
                     .value = calloc(count, sizeof(double))};
}

/* Values that tell entries apart, and that 32 bits hold. */
static void put(entries *e, int64_t row, int64_t col) {
    e->row[e->nnz] = row;
    e->col[e->nnz] = col;
    e->value[e->nnz] = (double)(e->nnz % 8191) - 4000;
    e->nnz++;
}

/* Rows of so many entries, columns in no order, some of them twice; of so many rows one has any. */
static entries scattered(int64_t rows, int64_t cols, int64_t row, int64_t every, uint64_t seed) {
    entries e = none(rows, cols, rows / every * row);
    for (int64_t i = every - 1; i < rows; i += every) {
        for (int64_t k = 0; k < row; k++) {
            put(&e, i, (int64_t)(zoo_bits(&seed) % (uint64_t)cols));
        }
    }
    return e;
}

static bool linked(int64_t i, int64_t j, const int64_t *steps, int count) {
    for (int s = 0; s < count; s++) {
        if (i - j == steps[s] || j - i == steps[s]) return true;
    }
    return i == j;
}

/* Diagonals on both sides, and an entry in each of two corners. */
static entries symmetric(int64_t n, const int64_t *steps, int count) {
    entries e = none(n, n, n * (2 * count + 2) + 2);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            bool corner = i + j == n - 1 && i * j == 0;
            if (corner || linked(i, j, steps, count)) put(&e, i, j);
        }
    }
    return e;
}

/* Diagonals so far apart, so many on each side. */
static entries diagonals(int64_t n, int64_t apart, int64_t each_side) {
    entries e = none(n, n, n * (2 * each_side + 1));
    for (int64_t i = 0; i < n; i++) {
        for (int64_t d = -each_side; d <= each_side; d++) {
            const int64_t j = i + d * apart;
            if (0 <= j && j < n) put(&e, i, j);
        }
    }
    return e;
}

static entries turned(const entries *e) {
    entries want = entries_copy(e);
    entries_transpose(&want);
    entries_sort(&want);
    return want;
}

/* A transpose's arrays; payload: its values, or where each entry came from. */
typedef struct turned_arrays {
    void *offsets, *cols, *payload;
} turned_arrays;

static turned_arrays room_for(tulle_ctx *ctx, const tulle__pattern *p) {
    turned_arrays t = {NULL, NULL, NULL};
    must(tulle__alloc(ctx, ((size_t)p->cols + 1) * sizeof(int64_t), &t.offsets));
    must(tulle__alloc(ctx, (size_t)p->nnz * sizeof(int64_t), &t.cols));
    must(tulle__alloc(ctx, (size_t)p->nnz * sizeof(int64_t), &t.payload));
    return t;
}

static void free_arrays(tulle_ctx *ctx, turned_arrays *t) {
    tulle__free(ctx, t->payload);
    tulle__free(ctx, t->cols);
    tulle__free(ctx, t->offsets);
}

/* Where each entry came from: the values of one, in this order, are those of the other. */
static void check_perm(tulle_ctx *ctx, const void *perm, const entries *e, const entries *want) {
    int64_t *host = calloc((size_t)e->nnz + 1, sizeof *host);
    must(tulle__copy_wait(ctx, host, perm, (size_t)e->nnz * sizeof *host));
    for (int64_t k = 0; k < e->nnz; k++) {
        assert_in_range(host[k], 0, e->nnz - 1);
        assert_true(e->value[host[k]] == want->value[k] && e->row[host[k]] == want->col[k]);
    }
    free(host);
}

static void check_pattern_alone(tulle_ctx *ctx, const tulle_mat *A, const entries *e,
                                const entries *want) {
    turned_arrays t = room_for(ctx, A->pattern);
    must(tulle__turn_pattern(ctx, A->pattern, t.offsets, t.cols, t.payload));
    check_perm(ctx, t.payload, e, want);
    free_arrays(ctx, &t);
}

/* Whether the transpose stands on the pattern that A has. */
static bool turn(tulle_ctx *ctx, const entries *e, tulle_index index, tulle_type type,
                 const char *what) {
    tulle_mat *A = entries_to_csr(ctx, e, index, type), *T = NULL;
    entries want = turned(e);
    must(tulle_mat_transpose(ctx, A, &T));
    entries_check(ctx, T, &want, TULLE_CSR, index, type, what);
    bool shared = T->pattern == A->pattern;
    check_pattern_alone(ctx, A, e, &want);
    entries_free(&want);
    tulle_mat_destroy(A);
    tulle_mat_destroy(T);
    return shared;
}

/* In a way that sizes do not lead to here: values if perm is false. */
static void turn_by(tulle_ctx *ctx, const entries *e, tulle_index index, tulle_type type, bool perm,
                    tulle__turning_way way, const char *what) {
    if (ctx->kind == TULLE_CPU) return;
    const tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    tulle_mat *A = entries_to_csr(ctx, e, index, type), *T = NULL;
    entries want = turned(e);
    const tulle__pattern_view csr = tulle__view_of(A->pattern);
    turned_arrays t = room_for(ctx, A->pattern);
    tulle__turning job = {
        .csr = &csr, .type = type, .offsets = t.offsets, .out_cols = t.cols, .way = way};
    if (perm) job.perm = t.payload;
    if (!perm) job.values = A->values.data;
    if (!perm) job.out_values = t.payload;
    must(ctx->backend->matrix->turn_csr(&ctx->place, &job));
    if (perm) check_perm(ctx, t.payload, e, &want);
    if (!perm) {
        must(tulle_mat_create_csr(ctx, e->cols, e->rows, e->nnz, index, t.offsets, t.cols, type,
                                  t.payload, &borrow, &T));
        entries_check(ctx, T, &want, TULLE_CSR, index, type, what);
        tulle_mat_destroy(T);
    }
    free_arrays(ctx, &t);
    entries_free(&want);
    tulle_mat_destroy(A);
}

static void each_scattered(tulle_ctx *ctx, const char *where) {
    static const struct {
        int64_t rows, cols, row, every;
        const char *what;
    } cases[] = {
        {40, 40, 3, 1, "less than a tile"},
        {1300, 9000, 16, 1, "several tiles and buckets"},
        {3000, 150, 6, 1, "columns of some and of many entries"},
        {10000, 3, 3, 1, "buckets of two tiles"},
        {300, 70000, 2, 1, "few entries for many columns"},
        {4000, 500, 40, 13, "empty rows"},
        {70000, 20, 3, 1000, "rows too many to count in a tile"},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        for (int pair = i % 6; pair < 6; pair += is_slow(where) ? 6 : 1) {
            const tulle_index index = (tulle_index)(pair % 3);
            const tulle_type type = pair < 3 ? TULLE_F64 : TULLE_F32;
            const char *what = cases[i].what;
            const bool perm = (i + pair) % 2 == 0;
            entries e =
                scattered(cases[i].rows, cases[i].cols, cases[i].row, cases[i].every, (uint64_t)i);
            assert_false(turn(ctx, &e, index, type, what));
            turn_by(ctx, &e, index, type, perm, TULLE__TURN_BUCKETS, what);
            if (i == 0) turn_by(ctx, &e, index, type, perm, TULLE__TURN_PAIRS, what);
            entries_free(&e);
        }
    }
}

/* More tiles than a thread sums over. */
static void many_tiles(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = scattered(9000, 6000, 8, 1, 3);
    turn_by(ctx, &e, TULLE_I64, TULLE_F64, false, TULLE__TURN_BUCKETS, "many tiles");
    entries_free(&e);
}

/* More entries in a column than a block takes; among many columns, tables would take more. */
static void full_column(tulle_ctx *ctx, const char *where) {
    static const int64_t cols[] = {2, 1500, 65536};
    const int64_t n = 3 * 9216 + 1;
    for (int c = 0; c < 3; c++) {
        if (is_slow(where) && c != turn_of(where, 3)) continue;
        entries e = none(n, cols[c], n);
        for (int64_t i = 0; i < n; i++) put(&e, i, i % 10 == 0 ? i % cols[c] : 0);
        turn(ctx, &e, (tulle_index)c, TULLE_F32, "a full column");
        turn_by(ctx, &e, (tulle_index)c, TULLE_F32, false, TULLE__TURN_BUCKETS, "a full column");
        entries_free(&e);
    }
}

/* The last row's last entry but one takes the place of the last: its mirror image stays alone. */
static void move_last(entries *e) {
    e->nnz--;
    e->col[e->nnz - 1] = e->cols - 1;
}

/* One entry in each row and in each column, as in the transpose, but in other places. */
static entries cycle(int64_t n) {
    entries e = none(n, n, n);
    for (int64_t i = 0; i < n; i++) put(&e, i, (i + 1) % n);
    return e;
}

static void mirrors(tulle_ctx *ctx, const char *where) {
    static const int64_t steps[] = {1, 20, 7, 11, 2, 3, 29, 40, 33};
    for (int count = 1; count <= 9; count += 4) {
        if (is_slow(where) && count / 4 != turn_of(where, 3)) continue;
        for (int pair = count % 6; pair < 6; pair += is_slow(where) ? 6 : 1) {
            tulle_type type = pair < 3 ? TULLE_F64 : TULLE_F32;
            entries e = symmetric(150, steps, count);
            assert_true(turn(ctx, &e, (tulle_index)(pair % 3), type, "symmetric"));
            move_last(&e);
            assert_false(turn(ctx, &e, (tulle_index)(pair % 3), type, "nearly symmetric"));
            entries_free(&e);
        }
    }
    entries e = cycle(40);
    assert_false(turn(ctx, &e, TULLE_I32, TULLE_F64, "a cycle"));
    entries_free(&e);
}

/* More rows than a GPU's small blocks take, with few entries and with some more. */
static void many_rows(tulle_ctx *ctx, const char *where) {
    for (int k = 0; k < 2; k++) {
        if (is_slow(where) && k != turn_of(where, 2)) continue;
        const tulle_index index = (tulle_index)(is_slow(where) ? turn_of(where, 3) : k);
        const tulle_type type = turn_of(where, 4) / 2 ? TULLE_F32 : TULLE_F64;
        entries e = diagonals((1 << 16) + 77, 190, k ? 4 : 2);
        assert_true(turn(ctx, &e, index, type, "many rows"));
        assert_true(is_slow(where) || turn(ctx, &e, TULLE_I64, TULLE_F32, "many rows, wide"));
        move_last(&e);
        assert_true(is_slow(where) || !turn(ctx, &e, index, type, "nearly symmetric"));
        entries_free(&e);
    }
}

/* Few rows whose columns rise, which pass by all columns with unlike steps: a row takes each column
 * in a stretch and none in another, one has no entries, and one ends early. */
static entries long_rows(int64_t rows, int64_t cols) {
    entries e = none(rows, cols, rows * cols);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t end = i == 2 ? cols / 3 : cols;
        for (int64_t j = i; j < end && i != 4; j++) {
            const int64_t stretch = j / 200 % 3;
            if (stretch == i % 3 || (stretch > 0 && (i + j) % 7 == 0)) put(&e, i, j);
        }
    }
    return e;
}

static void few_long_rows(tulle_ctx *ctx, const char *where) {
    static const int64_t cols[] = {6007, 512, 4096, 513};
    for (int c = 0; c < 4; c++) {
        if (is_slow(where) && c != turn_of(where, 4)) continue;
        for (int pair = c % 6; pair < 6; pair += is_slow(where) ? 6 : 1) {
            const tulle_type type = pair < 3 ? TULLE_F64 : TULLE_F32;
            entries e = long_rows(7, cols[c]);
            assert_false(turn(ctx, &e, (tulle_index)(pair % 3), type, "few long rows"));
            entries_free(&e);
        }
    }
}

/* On a GPU a graph's long row is not searched for mirror images: the transpose has a pattern of its
 * own. */
static void long_row(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t n = 300;
    for (int way = 0; way < 2; way++) {
        const int64_t hub = way ? 32 : n; /* and rows of up to so many are */
        entries e = none(n, n, 3 * n);
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                if (i == j || (i * j == 0 && i + j < hub)) put(&e, i, j);
            }
        }
        const bool mirrored = turn(ctx, &e, TULLE_I32, TULLE_F64, "a long row");
        assert_int_equal(mirrored, hub < n || ctx->kind == TULLE_CPU);
        entries_free(&e);
    }
}

/* Buckets take a few bytes an entry beside the transpose, the sort 20 and more. */
static void capped(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CPU) return;
    entries e = scattered(2000, 2000, 10, 1, 5), want = turned(&e);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F32), *T = NULL;
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    must(tulle_ctx_trim(ctx));
    const size_t arrays = (size_t)(info.pattern_bytes + info.value_bytes);
    ctx->pool.cap = ctx->pool.in_use + arrays + 12 * (size_t)e.nnz;
    const tulle_status status = tulle_mat_transpose(ctx, A, &T);
    ctx->pool.cap = 0;
    must(status);
    entries_check(ctx, T, &want, TULLE_CSR, TULLE_I32, TULLE_F32, "under a cap");
    tulle_mat_destroy(T);
    tulle_mat_destroy(A);
    entries_free(&want);
    entries_free(&e);
}

static void *moved(tulle_ctx *ctx, const void *from, size_t bytes) {
    void *to = NULL;
    must(tulle__alloc(ctx, bytes, &to));
    must(tulle__copy_wait(ctx, to, from, bytes));
    return to;
}

/* The caller's arrays are nobody else's; of a repeated entry both have the same mirror image. */
static void not_shared(tulle_ctx *ctx, const char *where) {
    static const int32_t offsets[] = {0, 2, 3}, columns[] = {0, 1, 0}, twice[] = {1, 1, 0};
    static const double values[] = {1, 2, 3}, want[] = {1, 3, 2}, want_twice[] = {3, 1, 2};
    const tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    (void)where;
    for (int t = 0; t < 2; t++) {
        void *o = moved(ctx, offsets, sizeof offsets), *v = moved(ctx, values, sizeof values);
        void *c = moved(ctx, t ? twice : columns, sizeof columns);
        tulle_mat *A = NULL, *T = NULL;
        double got[3];
        must(tulle_mat_create_csr(ctx, 2, 2, 3, TULLE_I32, o, c, TULLE_F64, v, &borrow, &A));
        must(tulle_mat_transpose(ctx, A, &T));
        tulle_mat_destroy(A);
        tulle__free(ctx, o);
        tulle__free(ctx, c);
        tulle__free(ctx, v);
        must(tulle_mat_read(ctx, T, NULL, NULL, NULL, got));
        for (int k = 0; k < 3; k++) assert_true(got[k] == (t ? want_twice : want)[k]);
        tulle_mat_destroy(T);
    }
}

static void test_scattered(void **state) {
    (void)state;
    on_each_place(each_scattered);
}
static void test_mirrors(void **state) {
    (void)state;
    on_each_place(mirrors);
}
ONCE_ON_EACH_PLACE(many_tiles)
ONCE_ON_EACH_PLACE(many_rows)
ONCE_ON_EACH_PLACE(full_column)
ONCE_ON_EACH_PLACE(few_long_rows)
ONCE_ON_EACH_PLACE(long_row)
ONCE_ON_EACH_PLACE(capped)
ONCE_ON_EACH_PLACE(not_shared)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scattered),    cmocka_unit_test(test_many_tiles),
        cmocka_unit_test(test_full_column),  cmocka_unit_test(test_mirrors),
        cmocka_unit_test(test_long_row),     cmocka_unit_test(test_capped),
        cmocka_unit_test(test_not_shared),   cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_few_long_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
