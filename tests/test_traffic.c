/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes of a product against a plain count of lines, for matrices on every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"
#include "tools/common/error.h"
#include "tools/common/traffic.h"
#include "tulle/advanced.h"

/* Lines that elements first to end - 1 stand in, one by one. */
static int64_t stretch(int64_t first, int64_t end, int64_t size) {
    int64_t lines = 0, before = -1;
    for (int64_t i = first; i < end; i++) {
        int64_t line = i * size / 128;
        lines += line != before;
        before = line;
    }
    return lines;
}

/* Distinct lines of x in a stretch of entries, ticked off one by one. */
static int64_t distinct(const zoo_matrix *m, int64_t first, int64_t end, int64_t size) {
    int64_t lines = 0, per_line = 128 / size;
    bool *seen = calloc((size_t)(m->cols / per_line + 1), sizeof *seen);
    assert_non_null(seen);
    for (int64_t k = first; k < end; k++) {
        lines += !seen[m->columns[k] / per_line];
        seen[m->columns[k] / per_line] = true;
    }
    free(seen);
    return lines;
}

static paper_traffic plain(const zoo_matrix *m, tulle_index index, tulle_type type,
                           int64_t rows_per_block) {
    int64_t o = tulle_offset_size(index), c = tulle_index_size(index), v = tulle_type_size(type);
    paper_traffic t = {.rows_per_block = rows_per_block};
    for (int64_t row = 0; row < m->rows; t.blocks++) {
        int64_t end = m->rows - row < rows_per_block ? m->rows : row + rows_per_block;
        int64_t k = m->offsets[row], k_end = m->offsets[end];
        t.matrix_bytes +=
            128 * (stretch(row, end + 1, o) + stretch(k, k_end, c) + stretch(k, k_end, v));
        t.x_bytes += 128 * distinct(m, k, k_end, v);
        t.y_bytes += 128 * stretch(row, end, v);
        row = end;
    }
    t.effective_bytes = t.matrix_bytes + t.x_bytes + t.y_bytes;
    t.minimal_bytes = (m->rows + 1) * o + m->nnz * (c + v) + m->cols * v + m->rows * v;
    return t;
}

static void compare(tulle_ctx *ctx, const tulle_mat *A, const paper_traffic *want,
                    const char *name) {
    paper_traffic got;
    must(paper_traffic_of(ctx, A, want->rows_per_block, &got));
    if (memcmp(&got, want, sizeof got) == 0) return;
    fail_msg(
        "%s by %lld rows: blocks %lld (%lld), minimal %lld (%lld), matrix %lld (%lld), "
        "x %lld (%lld), y %lld (%lld)",
        name, (long long)want->rows_per_block, (long long)got.blocks, (long long)want->blocks,
        (long long)got.minimal_bytes, (long long)want->minimal_bytes, (long long)got.matrix_bytes,
        (long long)want->matrix_bytes, (long long)got.x_bytes, (long long)want->x_bytes,
        (long long)got.y_bytes, (long long)want->y_bytes);
}

static void compare_all(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index, tulle_type type) {
    static const int64_t steps[] = {1, 3, 16, 64, 1000, INT64_MAX};
    tulle_mat *A = zoo_mat(ctx, m, index, type);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
        paper_traffic want = plain(m, index, type, steps[s]);
        compare(ctx, A, &want, m->name);
    }
    tulle_mat_destroy(A);
}

static void zoo(tulle_ctx *ctx, const char *where) {
    for (int i = 0; i < zoo_count(); i++) {
        zoo_matrix m = zoo_make(i);
        for (int pair = turn_of(where, 4); pair < 6; pair += is_slow(where) ? 4 : 1) {
            int combination = (pair + i) % 6;
            compare_all(ctx, &m, (tulle_index)(combination / 2),
                        combination % 2 ? TULLE_F64 : TULLE_F32);
        }
        zoo_free(&m);
    }
}

static void large(tulle_ctx *ctx, const char *where) {
    for (int i = turn_of(where, 2); i < zoo_large_count(); i += is_slow(where) ? 2 : 1) {
        zoo_matrix m = zoo_make_large(i);
        tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64);
        paper_traffic want = plain(&m, TULLE_I32, TULLE_F64, 40);
        compare(ctx, A, &want, m.name);
        tulle_mat_destroy(A);
        zoo_free(&m);
    }
}

/* Columns from far apart: no table could have a place for each line. And farther than any x. */
static void wide(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t cols = (int64_t)1 << 55;
    int64_t offsets[] = {0, 3, 3, 6};
    int64_t columns[] = {0, cols - 1, 15, cols / 2, 16, 17};
    double values[6] = {1, 1, 1, 1, 1, 1};
    zoo_matrix m = {"wide", 3, cols, 6, offsets, columns, values};
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I64, TULLE_F64);
    paper_traffic got;
    must(paper_traffic_of(ctx, A, 1, &got));
    assert_int_equal(got.x_bytes, 128 * (2 + 2));
    must(paper_traffic_of(ctx, A, 3, &got));
    assert_int_equal(got.x_bytes, 128 * 4);
    tulle_mat_destroy(A);

    m.cols = (int64_t)1 << 58;
    A = zoo_mat(ctx, &m, TULLE_I64, TULLE_F64);
    assert_int_equal(paper_traffic_of(ctx, A, 1, &got), TULLE_TOO_LARGE);
    tulle_mat_destroy(A);
}

/* The default is what the kernel would do under the rule of the paper. */
static void rule(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"p2d5:7,9", "random:60,60,17", "p2d5:700",
                                        "random:90000,50,17"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        if (is_slow(where) && i > 1) continue;
        tulle_mat *A = NULL;
        must(tulle_generate(ctx, specs[i], 1, TULLE_F64, &A));
        paper_traffic given, same;
        must(paper_traffic_of(ctx, A, 0, &given));
        must(paper_traffic_of(ctx, A, given.rows_per_block, &same));
        assert_memory_equal(&given, &same, sizeof given);
        tulle_choice choice;
        must(tulle_ctx_set_rule(ctx, "reguly_giles"));
        must(tulle_spmv_describe(ctx, TULLE_N, A, true, &choice));
        int coop = 0, repeat = 0, block = 0;
        bool vector =
            sscanf(choice.params, "coop=%d,repeat=%d,block=%d", &coop, &repeat, &block) == 3;
        assert_true(vector || strncmp(where, "cpu", 3) == 0);
        if (vector) assert_int_equal(given.rows_per_block, repeat * (block / coop));
        tulle_mat_destroy(A);
    }
}

static void misuse(tulle_ctx *ctx, const char *where) {
    zoo_matrix m = zoo_make(8);
    tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64), *coo = NULL;
    paper_traffic t;
    must(tulle_mat_convert(ctx, A, TULLE_COO, TULLE_I32, 0, &coo));
    assert_int_equal(paper_traffic_of(ctx, coo, 0, &t), TULLE_UNSUPPORTED);
    assert_non_null(strstr(tool_error_line(), "CSR"));
    if (strncmp(where, "cpu", 3) != 0) {
        tulle_ctx *home = NULL;
        must(tulle_ctx_create("cpu:1", NULL, &home));
        assert_int_equal(paper_traffic_of(home, A, 0, &t), TULLE_SPACE_MISMATCH);
        tulle_ctx_destroy(home);
    }
    tulle_mat_destroy(coo);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void test_zoo(void **state) {
    (void)state;
    once_on_each_place(zoo);
}
static void test_large(void **state) {
    (void)state;
    once_on_each_place(large);
}
static void test_wide(void **state) {
    (void)state;
    once_on_each_place(wide);
}
static void test_rule(void **state) {
    (void)state;
    on_each_place(rule);
}
static void test_misuse(void **state) {
    (void)state;
    once_on_each_place(misuse);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),  cmocka_unit_test(test_large),  cmocka_unit_test(test_wide),
        cmocka_unit_test(test_rule), cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
