/* SPDX-License-Identifier: Apache-2.0 */
/* Generators: the same bits everywhere, and structure against naive constructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"

static tulle_ctx *one_thread(void) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    return ctx;
}

static entries generated(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, seed, type, &A));
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    assert_int_equal(info.format, TULLE_CSR);
    assert_int_equal(info.index, TULLE_I32);
    assert_int_equal(info.type, type);
    entries e = entries_read(ctx, A);
    tulle_mat_destroy(A);
    return e;
}

/* On one thread, in binary64. */
static entries on_cpu(const char *spec, uint64_t seed) {
    tulle_ctx *ctx = one_thread();
    entries e = generated(ctx, spec, seed, TULLE_F64);
    tulle_ctx_destroy(ctx);
    return e;
}

static const char *const small_specs[] = {
    "p2d5:7,5",
    "p2d9:6,4",
    "p2d:3",
    "p3d7:4,3,5",
    "p3d27:3,4,3",
    "fem3:3,2,3",
    "blocks:2,3",
    "interp3:6",
    "interp3:5,4,3",
    "fem:60",
    "fem:1",
    "random:40,30,5",
    "random:40,1000,40",
    "random:5,7,7",
    "random:0,0,0",
    "random:3,0,0",
    "powerlaw:60,4,30",
    "powerlaw:90,5.5,90,60,5",
    "powerlaw:70,9,50,40,5,6",
    "powerlaw:30,40,300,0,0,20,400",
    "web:50,2,10,30,3",
    "peaks:60,2,9,7",
    "peaks:61,3,40,4,50,60,5,3",
    "peaks:40,0,90,10,0,30,9,1,100",
    "rmat:5,4",
    "rmat17:4,3,40,20,20",
    "banded:40,5,50",
    "banded:9,100",
    "dense_rows:40,3,2",
    "rail:6,50,3",
    "tile:p2d5:3,4:5",
    "tile:tile:random:5,5,2:2:3",
};
static const char *const large_specs[] = {
    "fem:20000",           "powerlaw:300000,4.2,3000,60,100", "rmat:14,8", "rail:500,20000,10",
    "dense_rows:5000,6,3",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void check_same(tulle_ctx *ctx, tulle_ctx *reference, const char *spec) {
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        entries here = generated(ctx, spec, 5, type), there = generated(reference, spec, 5, type);
        entries_assert_same(&here, &there, spec);
        entries_free(&here);
        entries_free(&there);
    }
}

static void same_bits(tulle_ctx *ctx, const char *where) {
    tulle_ctx *reference = one_thread();
    for (size_t i = 0; i < COUNT(small_specs); i++) check_same(ctx, reference, small_specs[i]);
    for (size_t i = 0; i < COUNT(large_specs) && !is_slow(where); i++) {
        check_same(ctx, reference, large_specs[i]);
    }
    tulle_ctx_destroy(reference);
}

/* Columns ascend and differ in every row, and are in range; values are finite. */
static void test_well_formed(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT(small_specs) + COUNT(large_specs); i++) {
        bool small = i < COUNT(small_specs);
        const char *spec = small ? small_specs[i] : large_specs[i - COUNT(small_specs)];
        entries e = on_cpu(spec, 3);
        for (int64_t k = 0; k < e.nnz; k++) {
            bool in_row = k > 0 && e.row[k] == e.row[k - 1];
            if (in_row && e.col[k] <= e.col[k - 1]) fail_msg("%s: row %ld", spec, (long)e.row[k]);
            assert_true(e.col[k] >= 0 && e.col[k] < e.cols);
            assert_true(e.value[k] - e.value[k] == 0);
        }
        entries_free(&e);
    }
}

static void test_same_bits(void **state) {
    (void)state;
    on_each_place(same_bits);
}

/* A stencil, entry by entry over all pairs of unknowns. */
typedef struct {
    const char *spec;
    int64_t nx, ny, nz, block;
    bool star;
    double diagonal;
} stencil;

static double stencil_entry(const stencil *s, int64_t i, int64_t j, bool *there) {
    int64_t p = i / s->block, q = j / s->block;
    int64_t dx = llabs(p % s->nx - q % s->nx), dy = llabs(p / s->nx % s->ny - q / s->nx % s->ny);
    int64_t dz = llabs(p / s->nx / s->ny - q / s->nx / s->ny);
    *there = s->star ? dx + dy + dz <= 1 : dx <= 1 && dy <= 1 && dz <= 1;
    double laplacian = p == q ? s->diagonal : -1;
    return i % s->block == j % s->block ? laplacian : laplacian / 4;
}

static void check_stencil(const stencil *s) {
    entries e = on_cpu(s->spec, 1);
    int64_t k = 0, rows = s->nx * s->ny * s->nz * s->block;
    assert_int_equal(e.rows, rows);
    assert_int_equal(e.cols, rows);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < rows; j++) {
            bool there;
            double value = stencil_entry(s, i, j, &there);
            if (!there) continue;
            assert_true(k < e.nnz);
            assert_int_equal(e.row[k], i);
            assert_int_equal(e.col[k], j);
            assert_true(e.value[k] == value);
            k++;
        }
    }
    assert_int_equal(k, e.nnz);
    entries_free(&e);
}

static void test_stencils(void **state) {
    (void)state;
    static const stencil stencils[] = {
        {"p2d5:6", 6, 6, 1, 1, true, 4},        {"p2d5:7,3", 7, 3, 1, 1, true, 4},
        {"p2d5:1,9", 1, 9, 1, 1, true, 4},      {"p2d9:5,4", 5, 4, 1, 1, false, 8},
        {"p3d7:3", 3, 3, 3, 1, true, 6},        {"p3d7:4,2,5", 4, 2, 5, 1, true, 6},
        {"p3d27:2,3,4", 2, 3, 4, 1, false, 26}, {"fem3:3,2,2", 3, 2, 2, 3, false, 26},
        {"blocks:5,2", 2, 2, 2, 5, false, 26},
    };
    for (size_t i = 0; i < COUNT(stencils); i++) check_stencil(&stencils[i]);
}

/* What a fine node takes from a coarse one along one axis, by their distance in fine nodes. */
static double interpolated(int64_t fine, int64_t coarse) {
    int64_t away = llabs(fine - (2 * coarse + 1));
    return away == 0 ? 1 : away == 1 ? 0.5 : 0;
}

static void check_interpolation(const char *spec, int64_t nx, int64_t ny, int64_t nz) {
    entries e = on_cpu(spec, 1);
    int64_t mx = nx / 2, my = ny / 2, k = 0;
    assert_int_equal(e.rows, nx * ny * nz);
    assert_int_equal(e.cols, mx * my * (nz / 2));
    for (int64_t i = 0; i < e.rows; i++) {
        for (int64_t j = 0; j < e.cols; j++) {
            double value = interpolated(i % nx, j % mx) * interpolated(i / nx % ny, j / mx % my) *
                           interpolated(i / nx / ny, j / mx / my);
            if (value == 0) continue;
            assert_true(k < e.nnz);
            assert_int_equal(e.row[k], i);
            assert_int_equal(e.col[k], j);
            assert_true(e.value[k] == value);
            k++;
        }
    }
    assert_int_equal(k, e.nnz);
    entries_free(&e);
}

static void test_interpolations(void **state) {
    (void)state;
    check_interpolation("interp3:2", 2, 2, 2);
    check_interpolation("interp3:3", 3, 3, 3);
    check_interpolation("interp3:6", 6, 6, 6);
    check_interpolation("interp3:5,4,7", 5, 4, 7);
}

static void test_symmetric(void **state) {
    (void)state;
    static const char *const specs[] = {"p2d9:9,8",   "p3d27:5",  "fem3:4,5,6",
                                        "blocks:6,3", "fem:5000", "fem:37"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        entries e = on_cpu(specs[i], 11), t = entries_copy(&e);
        entries_transpose(&t);
        entries_sort(&t);
        entries_assert_same(&t, &e, specs[i]);
        entries_free(&e);
        entries_free(&t);
    }
}

/* What must hold for linear elements: -div(k grad 1) = 0, so that the rows of nodes away from the
 * boundary sum to 0, and those beside it to more; a positive diagonal. */
static void test_fem(void **state) {
    (void)state;
    entries e = on_cpu("fem:10000", 2);
    assert_int_equal(e.rows, 10000);
    int64_t zero_sums = 0, longest = 0;
    for (int64_t k = 0; k < e.nnz;) {
        double sum = 0, size = 0;
        int64_t row = e.row[k], first = k;
        for (; k < e.nnz && e.row[k] == row; k++) {
            sum += e.value[k];
            size += e.value[k] < 0 ? -e.value[k] : e.value[k];
            if (e.col[k] == row) assert_true(e.value[k] > 0);
        }
        if (k - first > longest) longest = k - first;
        if (sum < 1e-14 * size && sum > -1e-14 * size) zero_sums++;
        assert_true(sum > -1e-14 * size);
    }
    assert_int_equal(zero_sums, 98 * 98);
    assert_true(longest == 9);
    entries_free(&e);
}

/* How many entries each row, or each column, has. */
static int64_t *lengths(const int64_t *index, int64_t nnz, int64_t count) {
    int64_t *length = calloc((size_t)count + 1, sizeof *length);
    assert_non_null(length);
    for (int64_t k = 0; k < nnz; k++) length[index[k]]++;
    return length;
}

/* How many of the lengths are this one. */
static int64_t count_of(const int64_t *length, int64_t count, int64_t wanted) {
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) found += length[i] == wanted;
    return found;
}

static void test_row_lengths(void **state) {
    (void)state;
    entries e = on_cpu("random:1000,500,7", 4);
    int64_t *length = lengths(e.row, e.nnz, e.rows);
    assert_int_equal(count_of(length, e.rows, 7), 1000);
    free(length);
    entries_free(&e);

    e = on_cpu("rail:50,2000,6", 4);
    length = lengths(e.col, e.nnz, e.cols);
    assert_int_equal(count_of(length, e.cols, 6), 2000);
    free(length);
    entries_free(&e);

    e = on_cpu("dense_rows:300,4,7", 4);
    length = lengths(e.row, e.nnz, e.rows);
    assert_int_equal(count_of(length, e.rows, 4), 293);
    assert_int_equal(count_of(length, e.rows, 300), 7);
    free(length);
    entries_free(&e);
}

/* Uniform columns: each half of the matrix gets half of the entries, within 6 standard deviations
 * (the square root of a quarter of the number of entries each). */
static void test_uniform(void **state) {
    (void)state;
    entries e = on_cpu("random:10000,9001,4", 6);
    int64_t left = 0;
    for (int64_t k = 0; k < e.nnz; k++) left += 2 * e.col[k] < e.cols - 1;
    assert_true(llabs(2 * left - e.nnz) < 2 * 6 * 100);
    entries_free(&e);
}

static void test_powerlaw(void **state) {
    (void)state;
    entries e = on_cpu("powerlaw:200000,4.2,900,60,100", 8);
    int64_t *length = lengths(e.row, e.nnz, e.rows), longest = 0, local = 0, ones = 0;
    for (int64_t i = 0; i < e.rows; i++) {
        if (length[i] > longest) longest = length[i];
        ones += length[i] == 1;
    }
    for (int64_t k = 0; k < e.nnz; k++) local += llabs(e.col[k] - e.row[k]) <= 110;
    assert_int_equal(longest, 900);
    assert_true((double)e.nnz > 4.0 * 200000 && (double)e.nnz < 4.4 * 200000);
    assert_true(2 * ones > e.rows);
    assert_true((double)local > 0.5 * (double)e.nnz && (double)local < 0.7 * (double)e.nnz);
    free(length);
    entries_free(&e);
}

/* Rows from a length of its own on, and more columns than rows. */
static void test_powerlaw_from(void **state) {
    (void)state;
    entries e = on_cpu("powerlaw:20000,30,400,50,100,16,50000", 8);
    int64_t *length = lengths(e.row, e.nnz, e.rows), right = 0;
    assert_int_equal(e.cols, 50000);
    for (int64_t i = 0; i < e.rows; i++) assert_in_range(length[i], 16, 400);
    for (int64_t k = 0; k < e.nnz; k++) right += e.col[k] > 20100;
    assert_true((double)e.nnz > 29.0 * 20000 && (double)e.nnz < 31.0 * 20000);
    assert_true(right > 0);
    free(length);
    entries_free(&e);
}

/* Runs of three long rows, one in five; three short rows of ten are empty; half of the entries are
 * within a width of the diagonal, but for those that make room for others. */
static void test_peaks(void **state) {
    (void)state;
    entries e = on_cpu("peaks:30000,4,60,5,30,50,200,3", 8);
    int64_t *length = lengths(e.row, e.nnz, e.rows), empty = 0, local = 0;
    for (int64_t i = 0; i < e.rows; i++) {
        const bool is_long = i % 15 < 3;
        if (is_long) assert_int_equal(length[i], 60);
        if (!is_long && length[i] != 0) assert_int_equal(length[i], 4);
        empty += length[i] == 0;
    }
    for (int64_t k = 0; k < e.nnz; k++) local += llabs(e.col[k] - e.row[k]) <= 230;
    assert_true((double)empty > 0.29 * 24000 && (double)empty < 0.31 * 24000);
    assert_true((double)local > 0.48 * (double)e.nnz && (double)local < 0.55 * (double)e.nnz);
    free(length);
    entries_free(&e);
    e = on_cpu("peaks:10,0,8,4,0,0,0,1,12", 8);
    assert_true(e.cols == 12 && e.nnz == 3 * 8);
    entries_free(&e);
}

static void test_banded(void **state) {
    (void)state;
    entries e = on_cpu("banded:2000,30,25", 9);
    int64_t diagonal = 0;
    for (int64_t k = 0; k < e.nnz; k++) {
        assert_true(llabs(e.col[k] - e.row[k]) <= 30);
        diagonal += e.col[k] == e.row[k];
    }
    assert_int_equal(diagonal, 2000);
    double beside = (double)(e.nnz - diagonal), places = 2000 * 60 - 30 * 31;
    assert_true(beside > 0.24 * places && beside < 0.26 * places);
    entries_free(&e);
    e = on_cpu("banded:50,3", 9);
    assert_int_equal(e.nnz, 50 * 7 - 3 * 4);
    entries_free(&e);
}

/* The four quarters of the matrix get shares near A, B, C and D; few edges coincide here. */
static void test_rmat(void **state) {
    (void)state;
    entries e = on_cpu("rmat:20,1,40,30,20", 10);
    double share[4] = {0};
    for (int64_t k = 0; k < e.nnz; k++) {
        share[2 * (e.row[k] >= e.rows / 2) + (e.col[k] >= e.cols / 2)] += 1.0 / (double)e.nnz;
    }
    assert_int_equal(e.rows, 1 << 20);
    assert_true((double)e.nnz > (1 << 20) * 0.9 && e.nnz <= 1 << 20);
    static const double wanted[4] = {0.4, 0.3, 0.2, 0.1};
    for (int q = 0; q < 4; q++) {
        assert_true(share[q] > wanted[q] - 0.02 && share[q] < wanted[q] + 0.02);
    }
    entries_free(&e);
}

static void test_tile(void **state) {
    (void)state;
    entries one = on_cpu("tile:random:5,7,3:1", 2), three = on_cpu("tile:random:5,7,3:3", 2);
    assert_int_equal(three.rows, 15);
    assert_int_equal(three.cols, 21);
    assert_int_equal(three.nnz, 3 * one.nnz);
    for (int64_t k = 0; k < three.nnz; k++) {
        int64_t copy = k / one.nnz, at = k % one.nnz;
        assert_int_equal(three.row[k], one.row[at] + 5 * copy);
        assert_int_equal(three.col[k], one.col[at] + 7 * copy);
        assert_true(three.value[k] == one.value[at]);
    }
    entries_free(&one);
    entries_free(&three);
}

static void test_seeds_differ(void **state) {
    (void)state;
    static const char *const specs[] = {"fem:500", "random:50,50,3", "rmat:6,3", "banded:50,4,50"};
    for (size_t i = 0; i < COUNT(specs); i++) {
        entries a = on_cpu(specs[i], 1), b = on_cpu(specs[i], 2);
        assert_true(a.nnz != b.nnz ||
                    memcmp(a.value, b.value, (size_t)a.nnz * sizeof *a.value) != 0);
        entries_free(&a);
        entries_free(&b);
    }
}

static void test_registry(void **state) {
    (void)state;
    tulle_generator_info info;
    for (int i = 0; i < tulle_generator_count(); i++) {
        must(tulle_generator_describe(i, &info));
        assert_memory_equal(info.usage, info.name, strlen(info.name));
        assert_memory_equal(info.example, info.name, strlen(info.name));
        assert_true(strlen(info.summary) > 10);
    }
    assert_int_equal(tulle_generator_describe(-1, &info), TULLE_NOT_FOUND);
    assert_int_equal(tulle_generator_describe(tulle_generator_count(), &info), TULLE_NOT_FOUND);
    assert_int_equal(tulle_generator_describe(0, NULL), TULLE_INVALID_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_well_formed),
        cmocka_unit_test(test_stencils),      cmocka_unit_test(test_symmetric),
        cmocka_unit_test(test_fem),           cmocka_unit_test(test_row_lengths),
        cmocka_unit_test(test_uniform),       cmocka_unit_test(test_powerlaw),
        cmocka_unit_test(test_powerlaw_from), cmocka_unit_test(test_peaks),
        cmocka_unit_test(test_banded),        cmocka_unit_test(test_rmat),
        cmocka_unit_test(test_tile),          cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_registry),      cmocka_unit_test(test_interpolations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
