/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha op(A) op(B) + beta D: against the definition in long double, against the product and
 * tulle_add one after the other, and what is left when it fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "making.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/add.h"
#include "tulle/spgemm.h"

/* Of one shape for op(A), op(B) and D: 30 x 20, 20 x 25. */
typedef struct {
    tulle_trans op_A, op_B;
    double alpha, beta;
    tulle_type type;
    tulle_index index[3]; /* of A, B, D */
    tulle_format format;  /* of D */
    bool unsorted;
} setting;

static tulle_mat *random_matrix(tulle_ctx *ctx, tulle_trans op, int64_t rows, int64_t cols,
                                int64_t nnz, uint64_t seed, tulle_index index, tulle_type type) {
    entries e = op == TULLE_N ? entries_random(rows, cols, nnz, seed)
                              : entries_random(cols, rows, nnz, seed);
    tulle_mat *A = entries_to_csr(ctx, &e, index, type);
    entries_free(&e);
    return A;
}

/* The same bits as the product, which tulle_add then adds to D. */
static void check_two_calls(tulle_ctx *ctx, const setting *s, const tulle_mat *A,
                            const tulle_mat *B, const tulle_mat *D, const tulle_mat *C) {
    tulle_mat *product = NULL, *sum = NULL;
    must(tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(s->alpha), A, B, NULL, NULL, &product));
    must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(1), product, tulle_num(s->beta), D, NULL, NULL,
                   &sum));
    entries_compare(ctx, C, sum, "of two calls");
    tulle_mat_destroy(sum);
    tulle_mat_destroy(product);
}

static void check_definition(tulle_ctx *ctx, const setting *s, const tulle_mat *A,
                             const tulle_mat *B, const tulle_mat *D, const tulle_mat *C) {
    entries a = entries_read(ctx, A), b = entries_read(ctx, B), d = entries_read(ctx, D);
    const spgemm_setting all = {.op_A = s->op_A,
                                .op_B = s->op_B,
                                .alpha = s->alpha,
                                .type = s->type,
                                .D = &d,
                                .beta = s->beta};
    spgemm_check(ctx, &a, &b, &all, C);
    entries_free(&a);
    entries_free(&b);
    entries_free(&d);
}

static void multiply_and_add(tulle_ctx *ctx, const setting *s, uint64_t seed) {
    tulle_mat *A = random_matrix(ctx, s->op_A, 30, 20, 90, seed, s->index[0], s->type);
    tulle_mat *B = random_matrix(ctx, s->op_B, 20, 25, 60, seed + 1, s->index[1], s->type);
    tulle_mat *csr = random_matrix(ctx, TULLE_N, 30, 25, 120, seed + 2, s->index[2], s->type);
    tulle_mat *D = NULL, *C = NULL;
    tulle_mat_info info;
    tulle_spgemm_report r;
    must(tulle_mat_convert(ctx, csr, s->format, s->index[2], 0, &D));
    tulle_spgemm_options options = {.unsorted = s->unsorted, .D = D, .beta = tulle_num(s->beta)};
    must(tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(s->alpha), A, B, &options, &r, &C));
    must(tulle_mat_describe(C, &info));
    assert_int_equal(info.format, TULLE_CSR);
    assert_int_equal(info.nnz, r.nnz);
    tulle_index widest = s->index[0] > s->index[1] ? s->index[0] : s->index[1];
    assert_int_equal(info.index, widest > s->index[2] ? widest : s->index[2]);
    check_definition(ctx, s, A, B, csr, C);
    check_two_calls(ctx, s, A, B, D, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(D);
    tulle_mat_destroy(csr);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

static void settings(tulle_ctx *ctx, const char *where) {
    static const double alphas[] = {1, -0.75, 0, 1e3}, betas[] = {1, 0, -3.5};
    static const tulle_format formats[] = {TULLE_CSR, TULLE_COO, TULLE_CSC, TULLE_ELL, TULLE_DCSR};
    const unsigned count = is_slow(where) ? 4 : 180;
    for (unsigned n = 0; n < count; n++) {
        unsigned i = n + 4 * (unsigned)turn_in_order(where, 45);
        const setting s = {
            .op_A = (tulle_trans)(i & 1),
            .op_B = (tulle_trans)(i / 2 & 1),
            .alpha = alphas[i % 4],
            .beta = betas[i % 3],
            .type = i / 4 % 2 ? TULLE_F64 : TULLE_F32,
            .index = {(tulle_index)(i / 5 % 3), (tulle_index)(i / 3 % 3), (tulle_index)(i / 2 % 3)},
            .format = formats[i % 5],
            .unsorted = i % 7 == 0};
        multiply_and_add(ctx, &s, i);
    }
}

static void test_settings(void **state) {
    (void)state;
    on_each_place(settings);
}

/* D has the only entries, or none; it is A, or B. */
static void corners(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const char *const specs[][3] = {{"random:5,4,0", "random:4,6,2", "random:5,6,2"},
                                           {"random:5,4,2", "random:4,6,2", "random:5,6,0"},
                                           {"random:0,4,0", "random:4,6,2", "random:0,6,0"},
                                           {"random:5,0,0", "random:0,6,0", "random:5,6,3"},
                                           {"random:5,4,3", "random:4,0,0", "random:5,0,0"}};
    const setting plain = {.alpha = 2, .beta = -1, .type = TULLE_F64};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        tulle_mat *m[3], *C = NULL;
        for (int k = 0; k < 3; k++) m[k] = making_generated(ctx, specs[i][k], 3, TULLE_F64);
        tulle_spgemm_options options = {.D = m[2], .beta = tulle_num(-1)};
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(2), m[0], m[1], &options, NULL, &C));
        check_definition(ctx, &plain, m[0], m[1], m[2], C);
        tulle_mat_destroy(C);
        for (int k = 0; k < 3; k++) tulle_mat_destroy(m[k]);
    }
    tulle_mat *A = making_generated(ctx, "p2d5:5", 1, TULLE_F64), *C = NULL;
    tulle_spgemm_options options = {.D = A, .beta = tulle_num(-1)};
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(2), A, A, &options, NULL, &C));
    check_definition(ctx, &plain, A, A, A, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
}

/* With any kernel, C rises with D, also where it need not. */
static void with_kernel(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)where;
    (void)spec;
    (void)number;
    const setting plain = {.alpha = 1, .beta = 3, .type = TULLE_F64};
    tulle_mat *A = making_generated(ctx, "random:70,70,8", 1, TULLE_F64), *C = NULL;
    tulle_mat *D = making_generated(ctx, "random:70,70,9", 2, TULLE_F64);
    const tulle_spgemm_options options = {.unsorted = true, .D = D, .beta = tulle_num(3)};
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, &options, NULL, &C));
    check_definition(ctx, &plain, A, A, D, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(D);
    tulle_mat_destroy(A);
}

static void kernels(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 0, with_kernel);
}

static void assert_plus_fails(tulle_ctx *ctx, const tulle_mat *A,
                              const tulle_spgemm_options *options, tulle_status wanted,
                              const char *argument) {
    tulle_mat *C = (tulle_mat *)1;
    tulle_status got = tulle_spgemm(ctx, TULLE_N, TULLE_T, tulle_num(1), A, A, options, NULL, &C);
    making_assert_fails(got, "tulle_spgemm", wanted, argument, &C);
}

static void arguments(tulle_ctx *ctx, const char *where) {
    tulle_ctx *other = place_elsewhere(where);
    if (!other) return;
    tulle_mat *A = making_generated(ctx, "random:6,5,2", 1, TULLE_F64);
    tulle_mat *D = making_generated(ctx, "random:6,6,2", 1, TULLE_F64);
    tulle_mat *f = making_generated(ctx, "random:6,6,2", 1, TULLE_F32);
    tulle_mat *far = making_generated(other, "random:6,6,2", 1, TULLE_F64);
    const double one[2] = {1, 1};
    tulle_spgemm_options options = {.D = A, .beta = tulle_num(1)};
    assert_plus_fails(ctx, A, &options, TULLE_SHAPE_MISMATCH, "D");
    options.D = f;
    assert_plus_fails(ctx, A, &options, TULLE_TYPE_MISMATCH, "D");
    options.D = far;
    assert_plus_fails(ctx, A, &options, TULLE_SPACE_MISMATCH, "D");
    assert_non_null(strstr(tulle_last_error()->message, "D lives on"));
    options = (tulle_spgemm_options){.D = D, .beta = tulle_at((const char *)one + 1)};
    assert_plus_fails(ctx, A, &options, TULLE_INVALID_ARGUMENT, "beta");
    tulle_mat_destroy(far);
    tulle_mat_destroy(f);
    tulle_mat_destroy(D);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(other);
}

/* beta read from the context's memory; C in each index type that was asked for. */
static void beta_and_index(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:5", 1, TULLE_F64),
              *D = making_generated(ctx, "p2d9:5", 1, TULLE_F64);
    tulle_mat *plain = NULL;
    tulle_vec *half = NULL;
    tulle_vec_info info;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 1, 1, TULLE_COLUMN_MAJOR, 0, &half));
    must(tulle_vec_fill(ctx, half, 0.5));
    must(tulle_vec_describe(half, &info));
    tulle_spgemm_options options = {.D = D, .beta = tulle_num(0.5)};
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, &options, NULL, &plain));
    entries want = entries_read(ctx, plain);
    for (int index = 0; index < 3; index++) {
        tulle_mat *wide = NULL, *C = NULL;
        must(tulle_mat_convert(ctx, A, TULLE_CSR, (tulle_index)(2 - index), 0, &wide));
        options = (tulle_spgemm_options){
            .index_given = true, .index = (tulle_index)index, .D = D, .beta = tulle_at(info.data)};
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), wide, A, &options, NULL, &C));
        entries_check(ctx, C, &want, TULLE_CSR, (tulle_index)index, TULLE_F64, "given");
        tulle_mat_destroy(C);
        tulle_mat_destroy(wide);
    }
    entries_free(&want);
    tulle_mat_destroy(plain);
    tulle_vec_destroy(half);
    tulle_mat_destroy(D);
    tulle_mat_destroy(A);
}

/* The peak stays below the bound, and has the product and C in it; times add up; nothing but C
 * is left. */
static void reports(tulle_ctx *ctx, const char *where) {
    static const char *const specs[][2] = {{"p2d5:20", "random:400,400,30"},
                                           {"rmat:7,8", "p2d5:16,8"},
                                           {"dense_rows:60,3,2", "random:60,60,60"},
                                           {"random:9,9,0", "random:9,9,4"}};
    for (int i = 0; i < 12; i++) { /* on the emulator, each pair in one format */
        if (is_slow(where) && (i / 3 + i) % 3 != turn_of(where, 3)) continue;
        tulle_mat *A = making_generated(ctx, specs[i / 3][0], 1, TULLE_F32), *C = NULL, *D = NULL;
        tulle_mat *csr = making_generated(ctx, specs[i / 3][1], 1, TULLE_F32);
        static const tulle_format formats[] = {TULLE_CSR, TULLE_COO, TULLE_CSC};
        tulle_memory_usage before, after;
        tulle_mat_info info;
        tulle_spgemm_report r, alone;
        must(tulle_mat_convert(ctx, csr, formats[i % 3], (tulle_index)(i % 3), 0, &D));
        must(tulle_ctx_trim(ctx));
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, NULL, &alone, &C));
        assert_true(alone.add_ms == 0);
        must(tulle_mat_describe(C, &info));
        int64_t product = info.pattern_bytes + info.value_bytes;
        tulle_mat_destroy(C);
        must(tulle_ctx_trim(ctx));
        must(tulle_ctx_memory(ctx, &before));
        tulle_spgemm_options options = {.D = D, .beta = tulle_num(2)};
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, &options, &r, &C));
        assert_int_equal(r.products, alone.products);
        spgemm_check_report(ctx, &r, C, true, product, &before);
        tulle_mat_destroy(C);
        must(tulle_ctx_memory(ctx, &after));
        assert_int_equal(after.in_use, before.in_use);
        tulle_mat_destroy(D);
        tulle_mat_destroy(csr);
        tulle_mat_destroy(A);
    }
}

/* A A + D / 2. */
static tulle_status square_plus(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                                const tulle_index *index, tulle_mat **C) {
    (void)job;
    tulle_spgemm_options options = {
        .D = m[1], .beta = tulle_num(0.5), .index_given = index != NULL};
    if (index) options.index = *index;
    return tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), m[0], m[0], &options, NULL, C);
}

static void rmat_and_coo(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    m[0] = making_generated(ctx, "rmat:5,6", 1, TULLE_F64);
    must(tulle_mat_convert(ctx, m[0], TULLE_COO, TULLE_I32, 0, &m[1]));
}

/* Once for each phase of the product, and of the sum. */
static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_cancelling(ctx, &(making){.operands = rmat_and_coo, .make = square_plus}, 10);
}

static void dense_rows_and_csc(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    m[0] = making_generated(ctx, "dense_rows:50,4,2", 1, TULLE_F64);
    must(tulle_mat_convert(ctx, m[0], TULLE_CSC, TULLE_I64, 0, &m[1]));
}

static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    making_check_running_out(where, &(making){.operands = dense_rows_and_csc, .make = square_plus},
                             10);
}

ONCE_ON_EACH_PLACE(corners)
ONCE_ON_EACH_PLACE(kernels)
ONCE_ON_EACH_PLACE(arguments)
ONCE_ON_EACH_PLACE(beta_and_index)
ONCE_ON_EACH_PLACE(reports)
ONCE_ON_EACH_PLACE(cancelling)
ONCE_ON_EACH_PLACE(running_out)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),    cmocka_unit_test(test_corners),
        cmocka_unit_test(test_arguments),   cmocka_unit_test(test_beta_and_index),
        cmocka_unit_test(test_reports),     cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_running_out), cmocka_unit_test(test_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
