/* SPDX-License-Identifier: Apache-2.0 */
/* What the published CSR kernels are given by the host. The row blocks of CSR-Adaptive: against the
 * paper's example, against the definition on every matrix of the zoo, and where there are as many
 * as there can be. The lanes of LightSpMV: by the mean row alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "places.h"
#include "spmv/plan/plan.h"
#include "tulle/advanced.h"
#include "zoo.h"

enum { BLOCK = 64 };

/* By the definition: rows are taken while their entries fit, and one row in any case. starts: room
 * for rows + 1. */
static int64_t naive_row_blocks(const zoo_matrix *m, int block, int64_t *starts) {
    int64_t count = 0, row = 0;
    while (row < m->rows) {
        int64_t behind = row + 1;
        while (behind < m->rows && m->offsets[behind + 1] - m->offsets[row] <= block) behind++;
        starts[count++] = row;
        row = behind;
    }
    starts[count] = m->rows;
    return count;
}

/* Compares the plan's with the definition's; gives their number. */
static int64_t check_row_blocks(tulle_ctx *ctx, const zoo_matrix *m, tulle_type type, int block) {
    char spec[64];
    snprintf(spec, sizeof spec, "spmv_csr_adaptive_published:block=%d", block);
    tulle_mat *A = zoo_mat(ctx, m, TULLE_I32, type);
    must(tulle_mat_plan(ctx, TULLE_N, A, spec));
    tulle__plan *plan = tulle__plan_there(A, TULLE_N, false);
    assert_non_null(plan);
    int64_t *starts = malloc((size_t)(m->rows + 1) * sizeof *starts);
    int32_t *found = malloc(plan->bytes);
    assert_non_null(starts);
    assert_non_null(found);
    const int64_t count = naive_row_blocks(m, block, starts);
    assert_int_equal(plan->prepared_count, count);
    assert_true(plan->bytes >= (size_t)(count + 1) * sizeof *found);
    must(tulle__copy_wait(ctx, found, plan->prepared, (size_t)(count + 1) * sizeof *found));
    for (int64_t b = 0; b <= count; b++) assert_int_equal(found[b], starts[b]);
    tulle__plan_release(plan);
    tulle_mat_destroy(A);
    free(starts);
    free(found);
    return count;
}

/* A matrix with so many entries in each row. */
static zoo_matrix of_lengths(int64_t rows, const int64_t *lengths) {
    zoo_matrix m = {.name = "made of rows", .rows = rows};
    m.offsets = calloc((size_t)rows + 1, sizeof *m.offsets);
    assert_non_null(m.offsets);
    for (int64_t i = 0; i < rows; i++) {
        m.offsets[i + 1] = m.offsets[i] + lengths[i];
        if (lengths[i] > m.cols) m.cols = lengths[i];
    }
    m.nnz = m.offsets[rows];
    m.columns = malloc((size_t)m.nnz * sizeof *m.columns);
    m.values = malloc((size_t)m.nnz * sizeof *m.values);
    assert_non_null(m.columns);
    assert_non_null(m.values);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t e = m.offsets[i]; e < m.offsets[i + 1]; e++) {
            m.columns[e] = e - m.offsets[i];
            m.values[e] = 1;
        }
    }
    return m;
}

static int64_t check_lengths(tulle_ctx *ctx, int64_t rows, const int64_t *lengths) {
    zoo_matrix m = of_lengths(rows, lengths);
    const int64_t count = check_row_blocks(ctx, &m, TULLE_F64, BLOCK);
    zoo_free(&m);
    return count;
}

static bool has_kernel(const tulle_ctx *ctx, const char *name) {
    for (int k = 0; k < tulle_kernel_count(ctx->kind); k++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(ctx->kind, k, &info));
        if (strcmp(info.name, name) == 0) return true;
    }
    return false;
}

/* Hiranandani, IV.C: "if the block size is 64 and row 1 has 20 elements, row 2 has 21 elements and
 * row 3 has 44 elements, row 1 and row 2 will be allotted to row-block 1 while row 3 will be
 * allotted to row-block 2". */
static void check_example(tulle_ctx *ctx) {
    static const int64_t printed[] = {20, 21, 44}, full[] = {20, 44, 0, 1}, long_one[] = {0, 65, 0},
                         long_first[] = {65, 1};
    assert_int_equal(check_lengths(ctx, 3, printed), 2);
    assert_int_equal(check_lengths(ctx, 4, full), 2);
    assert_int_equal(check_lengths(ctx, 3, long_one), 3);
    assert_int_equal(check_lengths(ctx, 2, long_first), 2);
}

/* Neighbours that just do not fit together, so many that their starts go to the device at several
 * times; and more rows than come to the host at once. */
static void check_many(tulle_ctx *ctx) {
    enum { PAIRED = 4999, SHORT = 40000 };
    int64_t *lengths = malloc(SHORT * sizeof *lengths);
    assert_non_null(lengths);
    for (int i = 0; i < PAIRED; i++) lengths[i] = i % 2 ? BLOCK : 1;
    assert_int_equal(check_lengths(ctx, PAIRED, lengths), PAIRED);
    for (int i = 0; i < SHORT; i++) lengths[i] = i % 3 == 0;
    assert_true(check_lengths(ctx, SHORT, lengths) > 1);
    free(lengths);
}

static void check_zoo(tulle_ctx *ctx, const char *where) {
    const int large = is_slow(where) ? 0 : zoo_large_count();
    for (int i = 0; i < zoo_count() + large; i++) {
        zoo_matrix m = i < zoo_count() ? zoo_make(i) : zoo_make_large(i - zoo_count());
        check_row_blocks(ctx, &m, i % 2 ? TULLE_F64 : TULLE_F32, i % 3 ? BLOCK : 1024);
        zoo_free(&m);
    }
}

/* A matrix of so many entries in 40 rows, all but 30 of them in one. */
static void check_lanes_of(tulle_ctx *ctx, int64_t entries, int lanes) {
    enum { ROWS = 40, OTHERS = 30 };
    int64_t lengths[ROWS] = {0};
    for (int i = 0; i < OTHERS; i++) lengths[i] = 1;
    lengths[ROWS - 1] = entries - OTHERS;
    zoo_matrix m = of_lengths(ROWS, lengths);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F32);
    char expected[64];
    snprintf(expected, sizeof expected, "lanes=%d,level=1,block=1024", lanes);
    tulle_choice choice;
    must(tulle_ctx_force_kernel(ctx, "spmv_csr_light"));
    must(tulle_spmv_describe(ctx, TULLE_N, A, true, &choice));
    must(tulle_ctx_force_kernel(ctx, NULL));
    assert_string_equal(choice.params, expected);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

/* On both sides of each step; means are rounded. */
static void check_lanes(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (!has_kernel(ctx, "spmv_csr_light")) return;
    check_lanes_of(ctx, 80, 2);
    check_lanes_of(ctx, 99, 2);
    check_lanes_of(ctx, 101, 4);
    check_lanes_of(ctx, 179, 4);
    check_lanes_of(ctx, 181, 8);
    check_lanes_of(ctx, 2579, 8);
    check_lanes_of(ctx, 2581, 32);
}

static void check_place(tulle_ctx *ctx, const char *where) {
    if (!has_kernel(ctx, "spmv_csr_adaptive_published")) return;
    check_example(ctx);
    check_many(ctx);
    check_zoo(ctx, where);
}

static void test_row_blocks(void **state) {
    (void)state;
    on_each_place(check_place);
}

static void test_lanes(void **state) {
    (void)state;
    on_each_place(check_lanes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_row_blocks),
                                       cmocka_unit_test(test_lanes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
