/* SPDX-License-Identifier: Apache-2.0 */
/* Factors by every kernel: the pattern by definition, |A' - L U| within its bound on it, the same
 * bits again, and solutions whose residuals are small. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "factor_check.h"
#include "places.h"
#include "tulle/advanced.h"

enum { MOST_ROWS = 80, RIGHT_SIDES = 3 };

/* What a setting points to, on a place. */
typedef struct {
    tulle_order *order;
    tulle_vec *rows, *cols;
    tulle_factor_options options;
} given;

static tulle_vec *scale_of(tulle_ctx *ctx, tulle_type type, int64_t n, const double *numbers) {
    if (!numbers) return NULL;
    tulle_vec *scale;
    void *typed = values_as(numbers, n, type);
    must(tulle_vec_create(ctx, type, n, &scale));
    must(tulle_vec_write(ctx, scale, typed, n));
    free(typed);
    return scale;
}

static given give(tulle_ctx *ctx, const factor_setting *s, int64_t n) {
    given g = {.options = s->options};
    if (s->order) must(tulle_order_create(ctx, n / s->block, s->order, &g.order));
    g.options.order = g.order;
    g.options.row_scale = g.rows = scale_of(ctx, s->type, n, s->rows);
    g.options.col_scale = g.cols = scale_of(ctx, s->type, n, s->cols);
    return g;
}

static void take_back(given *g) {
    tulle_order_destroy(g->order);
    tulle_vec_destroy(g->rows);
    tulle_vec_destroy(g->cols);
}

static void assert_same_mat(tulle_ctx *ctx, const tulle_mat *a, const tulle_mat *b) {
    entries one = factor_entries(ctx, a), two = factor_entries(ctx, b);
    entries_assert_same(&one, &two, "factors");
    entries_free(&one);
    entries_free(&two);
}

static void assert_same(tulle_ctx *ctx, const tulle_factor *F, const tulle_factor *G, bool lu) {
    tulle_mat *l[2] = {NULL, NULL}, *u[2] = {NULL, NULL};
    must(tulle_factor_export(ctx, F, &l[0], lu ? &u[0] : NULL));
    must(tulle_factor_export(ctx, G, &l[1], lu ? &u[1] : NULL));
    assert_same_mat(ctx, l[0], l[1]);
    if (lu) assert_same_mat(ctx, u[0], u[1]);
    for (int i = 0; i < 2; i++) {
        tulle_mat_destroy(l[i]);
        tulle_mat_destroy(u[i]);
    }
}

static void widen(double *to, const void *from, int64_t count, tulle_type type) {
    for (int64_t i = 0; i < count; i++) {
        to[i] = type == TULLE_F32 ? (double)((const float *)from)[i] : ((const double *)from)[i];
    }
}

static void try_solve(tulle_ctx *ctx, tulle_factor *F, const factor_setting *s, int64_t n,
                      tulle_trans op) {
    const double alpha = -1.5;
    tulle_vec *B = NULL, *X = NULL;
    double typed[MOST_ROWS * RIGHT_SIDES], b[MOST_ROWS * RIGHT_SIDES], x[MOST_ROWS * RIGHT_SIDES];
    must(tulle_vec_create_columns(ctx, s->type, n, RIGHT_SIDES, TULLE_ROW_MAJOR, 0, &B));
    must(tulle_vec_create_columns(ctx, s->type, n, RIGHT_SIDES, TULLE_COLUMN_MAJOR, n + 3, &X));
    must(tulle_vec_random(ctx, B, 5));
    must(tulle_factor_solve(ctx, op, tulle_num(alpha), F, B, X));
    must(tulle_vec_read(ctx, B, typed, RIGHT_SIDES));
    widen(b, typed, n * RIGHT_SIDES, s->type);
    must(tulle_factor_solve(ctx, op, tulle_num(alpha), F, B, B)); /* in place: the same bits */
    must(tulle_vec_read(ctx, B, typed, RIGHT_SIDES));
    widen(x, typed, n * RIGHT_SIDES, s->type);
    factor_check_solution(ctx, F, s, op, &(factor_solved){n, RIGHT_SIDES, alpha, b, x});
    double columns[MOST_ROWS * RIGHT_SIDES], wide[MOST_ROWS * RIGHT_SIDES];
    must(tulle_vec_read(ctx, X, columns, n));
    widen(wide, columns, n * RIGHT_SIDES, s->type);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < RIGHT_SIDES; j++) {
            assert_true(wide[j * n + i] == x[i * RIGHT_SIDES + j]);
        }
    }
    tulle_vec_destroy(B);
    tulle_vec_destroy(X);
}

static void try_setting(tulle_ctx *ctx, const entries *A, const factor_setting *s) {
    given g = give(ctx, s, A->rows);
    tulle_mat *a = factor_mat(ctx, A, s);
    tulle_factor *F = NULL, *G = NULL;
    must(tulle_factor_create(ctx, a, &g.options, &F));
    take_back(&g);
    factor_check(ctx, F, A, s);
    must(tulle_factor_update(ctx, F, a));
    must(tulle_factor_create_like(ctx, F, a, &G));
    assert_same(ctx, F, G, s->options.kind == TULLE_LU);
    tulle_mat_destroy(a);
    if (A->rows > 0) {
        try_solve(ctx, F, s, A->rows, TULLE_N);
        try_solve(ctx, G, s, A->rows, TULLE_T);
    }
    tulle_factor_destroy(F);
    tulle_factor_destroy(G);
}

/* The i-th setting for a block size, in an order in which neighbours differ in much. */
static factor_setting setting_number(unsigned i, int block) {
    static const int fills[] = {0, 1, 2, TULLE_FILL_ALL};
    factor_setting s = {.block = block,
                        .type = i % 2 ? TULLE_F64 : TULLE_F32,
                        .index = (tulle_index)(i % 3),
                        .options = {.fill = fills[i / 2 % 4],
                                    .modified = i % 5 == 3 ? 0.95 : 0,
                                    .shift = i % 7 == 4 ? 0.25 : 0,
                                    .single = i % 11 == 5,
                                    .inverted = i / 3 % 2 == 1}};
    if (block == 1 && i % 4 == 2) {
        s.options.kind = TULLE_CHOLESKY;
        s.options.modified = 0;
    }
    if (s.options.kind == TULLE_CHOLESKY || i % 6 == 1) s.options.reads = (tulle_reads)(i / 4 % 3);
    return s;
}

static const int64_t swapped[] = {7, 2, 9, 4, 0, 8, 1, 6, 3, 5};
enum { SWAPPED = sizeof swapped / sizeof *swapped };

static bool is_kernel_for(const char *name, int block) {
    const bool any = strcmp(name, "factor_rows") == 0, blocks = strstr(name, "blocks") != NULL;
    if (strcmp(name, "factor_blocks") == 0 && block == 7) return false;
    return any || blocks == (block > 1);
}

/* These take L U alone, from which nothing is dropped into the diagonal. */
static void fit_to_kernel(const char *name, factor_setting *s) {
    if (strcmp(name, "factor_blocks") != 0 && strcmp(name, "factor_spread") != 0) return;
    s->options.kind = TULLE_LU;
    s->options.modified = 0;
}

static void try_matrices(tulle_ctx *ctx, const char *where, const char *kernel, int block,
                         unsigned first) {
    const unsigned settings = is_slow(where) ? 4 : 24;
    double scale[MOST_ROWS];
    for (int i = 0; i < MOST_ROWS; i++) scale[i] = ldexp(1, i % 5 - 2);
    for (unsigned i = first; i < first + settings; i++) {
        factor_setting s = setting_number(i, block);
        fit_to_kernel(kernel, &s);
        const bool symmetric =
            s.options.kind == TULLE_CHOLESKY || s.options.reads != TULLE_READS_ALL;
        const bool ordered = i % 3 == 1;
        const int64_t n = ordered ? SWAPPED * block : 3 + (int64_t)(i * 7 % 29);
        if (n > MOST_ROWS) continue;
        if (ordered) s.order = swapped;
        if (i % 4 == 3) s.rows = s.cols = scale;
        entries A = factor_matrix(n, n * (2 + i % 3), symmetric, 100 + i);
        if (i % 2 == 0) entries_sort(&A);
        try_setting(ctx, &A, &s);
        entries_free(&A);
    }
}

static void each_kernel(tulle_ctx *ctx, const char *where) {
    static const int blocks[] = {1, 2, 3, 4, 5, 7, 8, 16};
    tulle_device_info device;
    unsigned tried = 0;
    must(tulle_ctx_device(ctx, &device));
    for (int k = 0; k < tulle_kernel_count(device.backend); k++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(device.backend, k, &info));
        if (strcmp(info.operation, "factor") != 0 || !is_wanted(info.name)) continue;
        must(tulle_ctx_force_kernel(ctx, info.name));
        for (int b = 0; b < 8; b++) {
            if (!is_kernel_for(info.name, blocks[b])) continue;
            try_matrices(ctx, where, info.name, blocks[b],
                         5 * tried++ + (unsigned)turn_of(where, 24));
        }
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    assert_true(tried > 0);
}

static void test_each_kernel(void **state) {
    (void)state;
    on_each_place(each_kernel);
}

static void try_factors_alone(tulle_ctx *ctx, const entries *A, const factor_setting *s) {
    tulle_mat *a = factor_mat(ctx, A, s);
    tulle_factor *F = NULL;
    must(tulle_factor_create(ctx, a, &s->options, &F));
    factor_check(ctx, F, A, s);
    tulle_factor_destroy(F);
    tulle_mat_destroy(a);
}

/* count entries a row, at the columns that column says; those outside the matrix are none. */
static entries rows_of(int64_t n, int count, int64_t (*column)(int64_t n, int64_t row, int k)) {
    entries e = {n,
                 n,
                 0,
                 calloc((size_t)(n * count), sizeof *e.row),
                 calloc((size_t)(n * count), sizeof *e.col),
                 calloc((size_t)(n * count), sizeof *e.value)};
    assert_true(e.row && e.col && e.value);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < count; k++) {
            const int64_t col = column(n, i, k);
            if (col < 0 || col >= n) continue;
            e.row[e.nnz] = i;
            e.col[e.nnz] = col;
            e.value[e.nnz++] = col == i ? 2 + 0.001 * (double)i : -1.0 / (double)(n + k + i % 7);
        }
    }
    return e;
}

static int64_t far_neighbours(int64_t n, int64_t row, int k) {
    return row + (k - 1) * (n / 2);
}

/* A row of seven has six steps: the diagonal alone is met by rows before. */
static int64_t stencil(int64_t n, int64_t row, int k) {
    static const int64_t apart[] = {-16, -4, -1, 0, 1, 4, 16};
    (void)n;
    return row + apart[k];
}

/* The diagonal, and all of the last row. */
static int64_t arrow(int64_t n, int64_t row, int k) {
    return row == n - 1 ? k : k == 0 ? row : -1;
}

/* Two levels of rows for several threads; rows that are too long for shared memory. */
static void shapes(tulle_ctx *ctx, const char *where) {
    (void)where;
    factor_setting s = {.block = 1, .type = TULLE_F64};
    entries wide = rows_of(400, 3, far_neighbours);
    try_factors_alone(ctx, &wide, &s);
    entries_free(&wide);
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    if (device.backend != TULLE_CPU) must(tulle_ctx_force_kernel(ctx, "factor_poll:coop=4"));
    entries pointed = rows_of(200, 200, arrow);
    try_factors_alone(ctx, &pointed, &s);
    must(tulle_ctx_force_kernel(ctx, NULL));
    s.options.kind = TULLE_CHOLESKY;
    try_factors_alone(ctx, &pointed, &s);
    entries_free(&pointed);
    s = (factor_setting){.block = 16, .type = TULLE_F64};
    pointed = rows_of(49 * 16, 49 * 16, arrow);
    try_factors_alone(ctx, &pointed, &s);
    entries_free(&pointed);
}

/* A few full rows at both ends, and short ones between, all of which the first column meets. */
static int64_t thick(int64_t n, int64_t row, int k) {
    if (row < 5 || row >= n - 5) return k;
    return k == 0 ? 0 : k < 13 ? row + k - 1 : -1;
}

/* Rows shared by any number of lanes, or of a lane alone, have the same bits, also those too long
 * for shared memory. */
static void teams(tulle_ctx *ctx, const char *where) {
    static const char *const forced[] = {"factor_listed:coop=1,warps=2", "factor_listed:coop=2",
                                         "factor_listed:coop=4",         "factor_listed:coop=8",
                                         "factor_listed:coop=16",        "factor_listed:coop=32"};
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    if (device.backend == TULLE_CPU) return;
    const factor_setting s = {.block = 1, .type = TULLE_F64};
    entries tried[] = {factor_matrix(60, 700, false, 9), rows_of(200, 200, arrow),
                       rows_of(100, 3, far_neighbours), rows_of(90, 7, stencil),
                       rows_of(150, 150, thick)};
    (void)where;
    for (int i = 0; i < 5; i++) {
        tulle_mat *a = factor_mat(ctx, &tried[i], &s);
        tulle_factor *F = NULL;
        must(tulle_ctx_force_kernel(ctx, forced[0]));
        must(tulle_factor_create(ctx, a, NULL, &F));
        factor_check(ctx, F, &tried[i], &s);
        for (int k = 1; k < 6; k++) {
            tulle_factor *G = NULL;
            must(tulle_ctx_force_kernel(ctx, forced[k]));
            must(tulle_factor_create(ctx, a, NULL, &G));
            assert_same(ctx, F, G, true);
            tulle_factor_destroy(G);
        }
        tulle_factor_destroy(F);
        tulle_mat_destroy(a);
    }
    for (int i = 0; i < 5; i++) entries_free(&tried[i]);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static void test_teams(void **state) {
    (void)state;
    once_on_each_place(teams);
}

static void test_shapes(void **state) {
    (void)state;
    once_on_each_place(shapes);
}

/* Matrices of no rows and of one, and one whose diagonal is not stored at all. */
static void corners(tulle_ctx *ctx, const char *where) {
    (void)where;
    factor_setting s = {.block = 1, .type = TULLE_F64};
    for (int64_t n = 0; n < 2; n++) {
        entries A = factor_matrix(n, 0, true, 1);
        try_setting(ctx, &A, &s);
        s.options.kind = TULLE_CHOLESKY;
        try_setting(ctx, &A, &s);
        s.options.kind = TULLE_LU;
        entries_free(&A);
    }
    int64_t row[] = {0, 1, 2, 2}, col[] = {1, 2, 0, 2};
    double value[] = {3, 2, 5, 1};
    entries off = {3, 3, 4, row, col, value};
    const int64_t order[] = {1, 2, 0};
    s.order = order;
    s.options.fill = TULLE_FILL_ALL;
    s.options.tiny = 0.5;
    s.options.boost = true;
    given g = give(ctx, &s, 3);
    tulle_mat *a = factor_mat(ctx, &off, &s);
    tulle_factor *F = NULL;
    tulle_factor_report report;
    must(tulle_factor_create(ctx, a, &g.options, &F));
    must(tulle_factor_status(ctx, F, &report));
    assert_int_equal(report.bad, 0);
    assert_true(report.tiny > 0);
    assert_int_equal(report.tiny_row, 1);
    take_back(&g);
    tulle_factor_destroy(F);
    tulle_mat_destroy(a);
}

static void test_corners(void **state) {
    (void)state;
    on_each_place(corners);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kernel),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_teams),
        cmocka_unit_test(test_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
