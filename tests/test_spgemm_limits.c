/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for sparse products that treat rows by their sizes: rows around every size at which
 * another way begins, with every value of the kernels' parameters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

static entries room_for(int64_t nnz) {
    entries e = {.nnz = 0};
    e.row = calloc((size_t)nnz, sizeof *e.row);
    e.col = calloc((size_t)nnz, sizeof *e.col);
    e.value = calloc((size_t)nnz, sizeof *e.value);
    assert_true(e.row && e.col && e.value);
    return e;
}

static void put(entries *e, int64_t row, int64_t col) {
    e->row[e->nnz] = row;
    e->col[e->nnz] = col;
    e->value[e->nnz] = (double)(e->nnz % 7) - 2.5;
    e->nnz++;
}

/* B: width rows of one entry, then rows of width entries, each in the columns after those of the
 * one before, or, shared, in those of so many rows together. */
static entries narrow_and_wide(int64_t width, int64_t wide, int64_t share) {
    entries e = room_for(width + wide * width);
    for (int64_t k = 0; k < width; k++) put(&e, k, k / share);
    for (int64_t k = 0; k < wide; k++) {
        for (int64_t j = 0; j < width; j++) put(&e, width + k, (1 + k / share) * width + j);
    }
    e.rows = width + wide;
    e.cols = (1 + wide) * width;
    return e;
}

/* A: rows of limit and limit + 1 products with such a B, for powers of two, or from limit - below
 * on. */
static entries rows_around(int64_t first, int64_t last, int64_t width, int64_t below) {
    int64_t nnz = 0;
    for (int64_t limit = first; limit <= last; limit *= 2) nnz += 3 * (limit / width + width);
    entries e = room_for(nnz);
    for (int64_t limit = first; limit <= last; limit *= 2) {
        for (int64_t n = limit - below; n <= limit + 1; n++, e.rows++) {
            for (int64_t k = 0; k < n % width; k++) put(&e, e.rows, k);
            for (int64_t k = 0; k < n / width; k++) put(&e, e.rows, width + k);
        }
    }
    e.cols = width + last / width + 1;
    assert_true(e.nnz <= nnz);
    return e;
}

static void multiply(tulle_ctx *ctx, const entries *A, const entries *B, const spgemm_setting *s) {
    tulle_mat *a = entries_to_csr(ctx, A, s->a_index, s->type), *C = NULL;
    tulle_mat *b = entries_to_csr(ctx, B, s->b_index, s->type);
    tulle_spgemm_options options = {.unsorted = s->unsorted};
    tulle_spgemm_report report;
    must(tulle_ctx_trim(ctx));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(s->alpha), a, b, &options, &report, &C));
    spgemm_check(ctx, A, B, s, C);
    if (report.peak_bytes > report.bound_bytes) {
        fail_msg("%s:%s held %lld bytes, of %lld at most", report.kernel, report.params,
                 (long long)report.peak_bytes, (long long)report.bound_bytes);
    }
    tulle_mat_destroy(C);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
}

static void try_rows(tulle_ctx *ctx, int64_t first, int64_t last, int64_t width, int64_t share,
                     unsigned number) {
    entries A = rows_around(first, last, width, last < 4096);
    entries B = narrow_and_wide(width, A.cols - width, share);
    spgemm_setting s = {.alpha = -0.75,
                        .type = number / 2 % 2 ? TULLE_F64 : TULLE_F32,
                        .a_index = (tulle_index)(number % 3),
                        .b_index = (tulle_index)(number % 3),
                        .unsorted = number % 4 == 3};
    multiply(ctx, &A, &B, &s);
    entries_free(&A);
    entries_free(&B);
}

/* Slices of 2^24 products are those of 2^18 here, as there are fewer products than either: on the
 * emulator one of the two is enough. */
static bool is_known(const char *where, const char *spec) {
    return is_slow(where) && strstr(spec, "slice=24");
}

/* All products apart, and two, three or more for each entry. On the emulator, kernels that are not
 * the default have some of the rows with one spec and others with the next, and with another
 * commit. */
static void try_limits(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const int64_t rows[][4] = {
        {1, 256, 1, 1}, {512, 2048, 64, 1}, {1, 256, 1, 2}, {512, 2048, 64, 2}, {16, 512, 1, 40}};
    enum { ROWS = sizeof rows / sizeof *rows, SHARE = 3 };
    const bool all = !is_slow(where) || strcmp(spec, "spgemm_auto") == 0;
    if (is_known(where, spec)) return;
    for (unsigned i = 0; i < ROWS; i++) {
        const int64_t *r = rows[i];
        if (!all && (number + i + (unsigned)turn_of(where, SHARE)) % SHARE > 0) continue;
        try_rows(ctx, r[0], r[1], r[2], r[3], number + i);
    }
}

static void limits(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 100, try_limits);
}

/* Columns so far apart that each warp of a block that lists them has several steps of words. */
static void far_columns(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries A = entries_random(2, 900, 1200, 1), B = entries_random(900, 400000, 27000, 2);
    const spgemm_setting s = {.alpha = -0.75, .type = TULLE_F64};
    multiply(ctx, &A, &B, &s);
    entries_free(&B);
    entries_free(&A);
}

/* B: 60 rows of 60 entries each, whose columns lie as far apart as cols allows. */
static entries spread(int64_t cols) {
    enum { WIDTH = 60 };
    entries e = room_for(WIDTH * WIDTH);
    for (int64_t i = 0; i < WIDTH; i++) {
        for (int64_t k = 0; k < WIDTH; k++) put(&e, i, cols / WIDTH * k + i);
    }
    e.rows = WIDTH;
    e.cols = cols;
    return e;
}

static entries product_as(tulle_ctx *ctx, tulle_index index, const entries *A, const entries *B) {
    tulle_mat *a = entries_to_csr(ctx, A, index, TULLE_F64);
    tulle_mat *b = entries_to_csr(ctx, B, index, TULLE_F64), *C = NULL;
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), a, b, NULL, NULL, &C));
    entries c = entries_read(ctx, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
    return c;
}

static entries product_of(tulle_ctx *ctx, const entries *A, const entries *B) {
    return product_as(ctx, TULLE_I64, A, B);
}

/* Rows that span nearly all columns that numbers of 64 bits count, against the same entries in
 * columns near each other; all sums are exact. On the emulator one width, another with another
 * commit. */
static void farthest(tulle_ctx *ctx, const char *where) {
    static const int64_t cols[] = {1LL << 55, 1LL << 57, INT64_MAX - 1};
    enum { WIDTHS = sizeof cols / sizeof *cols };
    entries A = spread(60), near = spread(3600);
    for (int64_t k = 0; k < A.nnz; k++) A.col[k] %= A.cols;
    entries want = product_of(ctx, &A, &near);
    for (int n = 0; n < WIDTHS; n++) {
        if (is_slow(where) && n != turn_of(where, WIDTHS)) continue;
        entries far = spread(cols[n]), c = product_of(ctx, &A, &far);
        for (int64_t k = 0; k < c.nnz; k++) {
            c.col[k] = c.col[k] / (cols[n] / 60) * 60 + c.col[k] % (cols[n] / 60);
        }
        c.cols = want.cols;
        entries_assert_same(&c, &want, "far columns");
        entries_free(&c);
        entries_free(&far);
    }
    entries_free(&want);
    entries_free(&near);
    entries_free(&A);
}

/* Rows of entries here and there, of which each has its columns in common with another; at the
 * front, where crowded says so, all of a row's are side by side. */
static entries here_and_there(int64_t rows, int64_t each, int64_t cols, bool crowded) {
    const int64_t apart = cols / each, twins = rows / 2;
    entries e = room_for(rows * each);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t own = i % twins;
        const int64_t step = crowded && own % 3 == 0 ? each : apart;
        for (int64_t k = 0; k < each; k++) put(&e, i, k * step + own * 7919 * (k + 1) % step);
    }
    e.rows = rows;
    e.cols = cols;
    return e;
}

/* More products than a table of a block holds, over far more columns than there are windows of a
 * bitmap that would end, against a CPU; all sums are exact. */
static void sparsest(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const struct {
        int64_t cols;
        tulle_index index;
        bool crowded;
    } cases[] = {{INT64_C(1) << 30, TULLE_I32, false},
                 {INT64_C(1) << 30, TULLE_I64_I32, true},
                 {INT64_C(1) << 45, TULLE_I64, false},
                 {INT64_MAX - 1, TULLE_I64, true}};
    tulle_ctx *cpu;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    entries A = here_and_there(4, 280, 300, false);
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        entries B = here_and_there(300, 50, cases[n].cols, cases[n].crowded);
        entries c = product_as(ctx, cases[n].index, &A, &B);
        entries want = product_as(cpu, cases[n].index, &A, &B);
        entries_assert_same(&c, &want, "here and there");
        entries_free(&want);
        entries_free(&c);
        entries_free(&B);
    }
    entries_free(&A);
    tulle_ctx_destroy(cpu);
}

ONCE_ON_EACH_PLACE(far_columns)
ONCE_ON_EACH_PLACE(sparsest)
ONCE_ON_EACH_PLACE(farthest)

static void test_limits(void **state) {
    (void)state;
    once_on_each_place(limits);
}

/* Neighbours that each meet so many rows of eight entries of B, in falling order. */
static entries rows_that_meet(int64_t rows, int64_t met, int64_t of) {
    entries e = room_for(rows * met);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = met; k-- > 0;) put(&e, i, 8 + (i + 5 * k) % of);
    }
    e.rows = rows;
    e.cols = 8 + of;
    return e;
}

/* As many rows of B as are merged in registers, or one more; with so many entries that those of a
 * warp's rows fit into its shared memory, or do not. */
static void try_merged(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const int64_t met[] = {1, 5, 8, 9};
    enum { MET = sizeof met / sizeof *met, WIDE = 40 };
    if (is_slow(where) && strcmp(spec, "spgemm_auto") != 0) return;
    for (int64_t share = 1; share <= 20; share += 19) {
        for (int k = 0; k < MET; k++, number++) {
            entries A = rows_that_meet(70, met[k], WIDE), B = narrow_and_wide(8, WIDE, share);
            spgemm_setting s = {.alpha = 2,
                                .type = number % 2 ? TULLE_F64 : TULLE_F32,
                                .a_index = (tulle_index)(number % 3),
                                .b_index = (tulle_index)(number % 3)};
            multiply(ctx, &A, &B, &s);
            entries_free(&B);
            entries_free(&A);
        }
    }
}

/* Rows with the columns of the row before, three at a time, or fifty; so many that a GPU's warps
 * take several each. */
static void try_twins(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    enum { WIDE = 40, MET = 9, ROWS = 1100 };
    if (is_slow(where) && strcmp(spec, "spgemm_auto") != 0) return;
    entries A = rows_that_meet(ROWS, MET, WIDE), B = narrow_and_wide(8, WIDE, 1);
    for (int64_t i = 0; i < ROWS; i++) {
        const int64_t group = i < 1000 ? i / 3 : i / 50;
        for (int64_t k = 0; k < MET; k++) A.col[i * MET + k] = 8 + (group + 4 * k) % WIDE;
    }
    spgemm_setting s = {.alpha = 2, .type = number % 2 ? TULLE_F64 : TULLE_F32};
    multiply(ctx, &A, &B, &s);
    entries_free(&B);
    entries_free(&A);
}

static void twins(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 1, try_twins);
}

static void test_twins(void **state) {
    (void)state;
    once_on_each_place(twins);
}

/* Rows of some hundreds of products, the first two twins, whose columns reach just as far as a
 * bitmap is best for, and one farther, or as far as a bitmap goes, and one farther. */
static void try_reach(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const int64_t reaches[] = {32 * 300, 32 * 300 + 1, 32768, 32769};
    static const int64_t met[] = {30, 30, 29, 26, 25};
    enum { MET = 30, EACH = 10, ROWS = sizeof met / sizeof *met };
    if (is_slow(where) && strcmp(spec, "spgemm_auto") != 0) return;
    for (size_t i = 0; i < sizeof reaches / sizeof *reaches; i++) {
        entries A = room_for(ROWS * MET), B = room_for(MET * EACH);
        for (A.rows = 0; A.rows < ROWS; A.rows++) {
            for (int64_t k = 0; k < met[A.rows]; k++) put(&A, A.rows, k);
        }
        for (int64_t k = 0; k < MET * EACH; k++) {
            put(&B, k / EACH, 26 * (k / EACH) + 13 * (k % EACH));
        }
        B.col[EACH - 1] = reaches[i] - 1;
        A.cols = B.rows = MET;
        B.cols = 40000;
        spgemm_setting s = {.alpha = 1, .type = (number + i) % 2 ? TULLE_F64 : TULLE_F32};
        multiply(ctx, &A, &B, &s);
        entries_free(&B);
        entries_free(&A);
    }
}

static void reach(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 1, try_reach);
}

static void test_reach(void **state) {
    (void)state;
    once_on_each_place(reach);
}

/* Two rows of hundreds of products that meet in a few columns, by a block, and others that do not:
 * the first products of a batch are added by the block, the rest by its warps. */
static void try_hot(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    enum { MET = 1500, FAR = 50000 };
    if (is_slow(where) && strcmp(spec, "spgemm_auto") != 0) return;
    entries A = room_for(2 * MET), B = room_for(2 * MET);
    for (int64_t k = 0; k < MET; k++) {
        put(&A, 0, k);
        put(&B, k, k % 3 == 0 ? 0 : k % 7);
        put(&B, k, 10 + k * (FAR / MET));
    }
    for (int64_t k = MET / 2; k-- > 0;) put(&A, 1, k);
    A.rows = 2;
    A.cols = B.rows = MET;
    B.cols = FAR + 10;
    spgemm_setting s = {.alpha = 1, .type = number % 2 ? TULLE_F64 : TULLE_F32};
    multiply(ctx, &A, &B, &s);
    entries_free(&B);
    entries_free(&A);
}

/* Rows whose columns are more than a bitmap of a block has room for beside as much again: one with
 * more entries near each other than 16 bits count, one with entries everywhere. */
static void try_long(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    enum { MET = 70, WIDE = 1000, FAR = 1000000 };
    if (is_slow(where) && strcmp(spec, "spgemm_auto") != 0) return;
    entries A = room_for(2 * MET), B = room_for((MET + 1) * WIDE);
    for (int64_t k = 0; k < MET; k++) {
        put(&A, 0, k);
        for (int64_t j = 0; j < WIDE; j++) put(&B, k, 17 + k * (WIDE - 20) + j);
    }
    for (int64_t j = 0; j < WIDE; j++) put(&B, MET, j * (FAR / WIDE));
    for (int64_t k = 0; k <= MET; k += 2) put(&A, 1, k);
    A.rows = 2;
    A.cols = B.rows = MET + 1;
    B.cols = FAR;
    spgemm_setting s = {.alpha = 1, .type = number % 2 ? TULLE_F64 : TULLE_F32};
    multiply(ctx, &A, &B, &s);
    entries_free(&B);
    entries_free(&A);
}

static void long_rows(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 1, try_long);
}

static void test_long_rows(void **state) {
    (void)state;
    once_on_each_place(long_rows);
}

static void hot(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 1, try_hot);
}

static void test_hot(void **state) {
    (void)state;
    once_on_each_place(hot);
}

static void merged(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 1, try_merged);
}

static void test_merged(void **state) {
    (void)state;
    once_on_each_place(merged);
}

/* Past what a block's shared memory holds, on the largest devices too; on the emulator, where
 * tables are as large as that. */
static void try_large(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    if (is_known(where, spec)) return;
    try_rows(ctx, 4096, 8192, 512, 1, number);
    if (is_slow(where) && !strstr(spec, "p100=0")) return;
    try_rows(ctx, 32768, 32768, 512, number % 2 + 1, number + 1);
}

static void large(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 4, try_large);
}

static void test_large(void **state) {
    (void)state;
    once_on_each_place(large);
}

/* So many rows that what goes through slices has many of them, and keeps most of C meanwhile; on
 * the emulator, other kernels have fewer. */
static void try_slices(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)number;
    enum { EACH = 32, WIDTH = 64 };
    const int64_t rows = is_slow(where) && !strstr(spec, "slice=") ? 16 : 70;
    if (is_known(where, spec)) return;
    entries A = room_for(rows * EACH), B = narrow_and_wide(WIDTH, WIDTH, 1);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < EACH; k++) put(&A, i, WIDTH + (i + k) % WIDTH);
    }
    A.rows = rows;
    A.cols = B.rows;
    spgemm_setting s = {.alpha = 1, .type = TULLE_F64, .a_index = TULLE_I64, .b_index = TULLE_I64};
    multiply(ctx, &A, &B, &s);
    entries_free(&A);
    entries_free(&B);
}

static void slices(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 3, try_slices);
}

static void test_slices(void **state) {
    (void)state;
    once_on_each_place(slices);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_merged),
        cmocka_unit_test(test_twins),     cmocka_unit_test(test_hot),
        cmocka_unit_test(test_long_rows), cmocka_unit_test(test_large),
        cmocka_unit_test(test_slices),    cmocka_unit_test(test_far_columns),
        cmocka_unit_test(test_reach),     cmocka_unit_test(test_farthest),
        cmocka_unit_test(test_sparsest),
    };
    emulate_by_turns(3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
