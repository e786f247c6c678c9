/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spmv and plans as an API: misuse, selection, the repeatable setting, new values, memory
 * that runs out at any point. Results are judged in test_spmv.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

/* A 33 x 60 matrix of the zoo with a vector for each side. */
typedef struct {
    zoo_matrix zoo;
    tulle_mat *A;
    tulle_vec *x, *y; /* 60 and 33 numbers */
} fixture;

static fixture set_up(tulle_ctx *ctx) {
    fixture f = {.zoo = zoo_make(8)};
    f.A = zoo_mat(ctx, &f.zoo, TULLE_I32, TULLE_F64);
    must(tulle_vec_create(ctx, TULLE_F64, f.zoo.cols, &f.x));
    must(tulle_vec_create(ctx, TULLE_F64, f.zoo.rows, &f.y));
    must(tulle_vec_random(ctx, f.x, 1));
    must(tulle_vec_random(ctx, f.y, 2));
    return f;
}

static void tear_down(fixture *f) {
    tulle_vec_destroy(f->x);
    tulle_vec_destroy(f->y);
    tulle_mat_destroy(f->A);
    zoo_free(&f->zoo);
}

static tulle_status spmv(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, const tulle_vec *x,
                         tulle_vec *y) {
    return tulle_spmv(ctx, op, tulle_num(1), A, x, tulle_num(0), y);
}

static void misuse(tulle_ctx *ctx, const char *where) {
    (void)where;
    fixture f = set_up(ctx);
    assert_int_equal(spmv(NULL, TULLE_N, f.A, f.x, f.y), TULLE_INVALID_ARGUMENT);
    assert_int_equal(spmv(ctx, TULLE_N, NULL, f.x, f.y), TULLE_INVALID_ARGUMENT);
    assert_int_equal(spmv(ctx, TULLE_N, f.A, NULL, f.y), TULLE_INVALID_ARGUMENT);
    assert_int_equal(spmv(ctx, TULLE_N, f.A, f.x, NULL), TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "y");
    assert_int_equal(spmv(ctx, (tulle_trans)2, f.A, f.x, f.y), TULLE_INVALID_ARGUMENT);
    assert_int_equal(spmv(ctx, TULLE_N, f.A, f.y, f.x), TULLE_SHAPE_MISMATCH);
    assert_int_equal(spmv(ctx, TULLE_T, f.A, f.x, f.y), TULLE_SHAPE_MISMATCH);

    tulle_vec *single = NULL, *block = NULL, *inside = NULL;
    must(tulle_vec_create(ctx, TULLE_F32, f.zoo.cols, &single));
    assert_int_equal(spmv(ctx, TULLE_N, f.A, single, f.y), TULLE_TYPE_MISMATCH);
    must(tulle_vec_create_columns(ctx, TULLE_F64, f.zoo.cols, 2, TULLE_COLUMN_MAJOR, 0, &block));
    assert_int_equal(spmv(ctx, TULLE_N, f.A, block, f.y), TULLE_SHAPE_MISMATCH);
    tulle_vec_info info;
    must(tulle_vec_describe(f.x, &info));
    must(tulle_vec_wrap(ctx, TULLE_F64, f.zoo.rows, 1, TULLE_COLUMN_MAJOR, 0, (char *)info.data + 8,
                        &inside));
    assert_int_equal(spmv(ctx, TULLE_N, f.A, f.x, inside), TULLE_ALIASED);
    tulle_vec_destroy(inside);
    must(tulle_vec_wrap(ctx, TULLE_F64, 0, 1, TULLE_COLUMN_MAJOR, 0, (char *)info.data + 8,
                        &inside));
    tulle_mat *empty = NULL;
    const int32_t start = 0;
    must(tulle_mat_create_csr(ctx, 0, f.zoo.cols, 0, TULLE_I32, &start, NULL, TULLE_F64, NULL, NULL,
                              &empty));
    must(spmv(ctx, TULLE_N, empty, f.x, inside)); /* nothing overlaps nothing */
    tulle_mat_destroy(empty);
    tulle_vec_destroy(inside);
    must(tulle_vec_describe(f.y, &info));
    assert_int_equal(tulle_spmv(ctx, TULLE_N, tulle_at(info.data), f.A, f.x, tulle_num(0), f.y),
                     TULLE_ALIASED);
    assert_int_equal(tulle_spmv(ctx, TULLE_N, tulle_num(1), f.A, f.x,
                                tulle_at((char *)info.data + 8 * (f.zoo.rows - 1)), f.y),
                     TULLE_ALIASED);
    tulle_mat_arrays arrays;
    must(tulle_mat_view(f.A, &arrays));
    must(tulle_vec_wrap(ctx, TULLE_F64, f.zoo.rows, 1, TULLE_COLUMN_MAJOR, 0,
                        (void *)(uintptr_t)arrays.values, &inside));
    assert_int_equal(spmv(ctx, TULLE_N, f.A, f.x, inside), TULLE_ALIASED);

    tulle_mat *coo = NULL;
    must(tulle_mat_convert(ctx, f.A, TULLE_COO, TULLE_I32, 0, &coo));
    must(spmv(ctx, TULLE_N, coo, f.x, f.y));
    assert_int_equal(tulle_mat_optimize(ctx, TULLE_N, coo, 10), TULLE_UNSUPPORTED);
    assert_int_equal(tulle_mat_optimize(ctx, TULLE_N, f.A, 0), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_optimize(NULL, TULLE_N, f.A, 1), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_optimize(ctx, TULLE_N, NULL, 1), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_optimize(ctx, (tulle_trans)7, f.A, 1), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_mat_plan(ctx, TULLE_N, f.A, "spmv_nothing"), TULLE_NOT_FOUND);
    assert_int_equal(tulle_mat_forget_plans(NULL), TULLE_INVALID_ARGUMENT);
    tulle_choice choice;
    assert_int_equal(tulle_spmv_describe(NULL, TULLE_N, f.A, true, &choice),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_spmv_describe(ctx, TULLE_N, NULL, true, &choice),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_spmv_describe(ctx, TULLE_N, f.A, true, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_spmv_describe(ctx, (tulle_trans)2, f.A, true, &choice),
                     TULLE_INVALID_ARGUMENT);
    must(tulle_spmv_describe(ctx, TULLE_N, f.A, true, &choice));
    must(tulle_ctx_force_kernel(ctx, choice.kernel));
    assert_int_equal(spmv(ctx, TULLE_N, coo, f.x, f.y), TULLE_UNSUPPORTED);
    assert_int_equal(tulle_spmv_describe(ctx, TULLE_N, coo, true, &choice), TULLE_UNSUPPORTED);
    assert_string_equal(tulle_last_error()->function, "tulle_spmv_describe");
    must(tulle_ctx_force_kernel(ctx, NULL));
    tulle_mat_destroy(coo);
    tulle_vec_destroy(single);
    tulle_vec_destroy(block);
    tulle_vec_destroy(inside);
    tear_down(&f);
}

static void test_misuse(void **state) {
    (void)state;
    on_each_place(misuse);
}

/* Objects of another memory space are refused. */
static void other_space(tulle_ctx *ctx, const char *where) {
    if (strncmp(where, "cpu", 3) == 0) return;
    tulle_ctx *cpu = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    fixture f = set_up(ctx), g = set_up(cpu);
    assert_int_equal(spmv(cpu, TULLE_N, f.A, g.x, g.y), TULLE_SPACE_MISMATCH);
    assert_int_equal(spmv(ctx, TULLE_N, f.A, g.x, f.y), TULLE_SPACE_MISMATCH);
    assert_int_equal(tulle_mat_optimize(cpu, TULLE_N, f.A, 1), TULLE_SPACE_MISMATCH);
    tulle_choice choice;
    assert_int_equal(tulle_spmv_describe(cpu, TULLE_N, f.A, true, &choice), TULLE_SPACE_MISMATCH);
    tear_down(&f);
    tear_down(&g);
    tulle_ctx_destroy(cpu);
}

static void test_other_space(void **state) {
    (void)state;
    on_each_place(other_space);
}

static void selection(tulle_ctx *ctx, const char *where) {
    fixture f = set_up(ctx);
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, TULLE_N, f.A, true, &choice));
    assert_string_equal(choice.by, "rule");
    int64_t minimal = (f.zoo.rows + 1) * 4 + f.zoo.nnz * 12 + (f.zoo.rows + f.zoo.cols) * 8;
    assert_int_equal(choice.minimal_bytes, minimal);
    assert_true(choice.kernel_bytes > 0);
    must(tulle_mat_plan(ctx, TULLE_N, f.A, NULL));
    must(tulle_spmv_describe(ctx, TULLE_N, f.A, false, &choice));
    assert_string_equal(choice.by, "plan");
    assert_int_equal(choice.minimal_bytes, minimal + f.zoo.rows * 8);
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    tulle_kernel_info info;
    int k = 0; /* the first that runs without a plan of its own */
    do must(tulle_kernel_describe(device.backend, k++, &info));
    while (info.needs_plan);
    must(tulle_ctx_force_kernel(ctx, info.name));
    must(tulle_spmv_describe(ctx, TULLE_N, f.A, true, &choice));
    assert_string_equal(choice.by, "forced");
    assert_string_equal(choice.kernel, info.name);
    must(tulle_ctx_force_kernel(ctx, NULL));
    must(tulle_mat_forget_plans(f.A));
    must(tulle_ctx_set_rule(ctx, "reguly_giles"));
    must(tulle_spmv_describe(ctx, TULLE_N, f.A, true, &choice));
    if (strncmp(where, "cpu", 3) != 0) {
        assert_string_equal(choice.kernel, "spmv_csr_vector");
        assert_string_equal(choice.params, "coop=2,repeat=1,block=128");
    } else {
        assert_string_equal(choice.by, "reference");
    }
    must(tulle_ctx_set_rule(ctx, "tulle"));
    tear_down(&f);
}

static void test_selection(void **state) {
    (void)state;
    on_each_place(selection);
}

/* A repeatable transposed product on a GPU needs a plan, and then repeats; on a CPU it does anyway.
 */
static void repeatable(tulle_ctx *ctx, const char *where) {
    fixture f = set_up(ctx);
    must(tulle_ctx_set_repeatable(ctx, true));
    must(spmv(ctx, TULLE_N, f.A, f.x, f.y));
    tulle_status expected = strncmp(where, "cpu", 3) == 0 ? TULLE_OK : TULLE_NEEDS_PLAN;
    assert_int_equal(spmv(ctx, TULLE_T, f.A, f.y, f.x), expected);
    must(tulle_mat_optimize(ctx, TULLE_T, f.A, 2));
    must(spmv(ctx, TULLE_T, f.A, f.y, f.x));
    must(tulle_ctx_set_repeatable(ctx, false));
    tear_down(&f);
}

static void test_repeatable(void **state) {
    (void)state;
    on_each_place(repeatable);
}

/* Plans survive new values, also those of a second matrix with the same pattern. */
static void new_values(tulle_ctx *ctx, const char *where) {
    (void)where;
    fixture f = set_up(ctx);
    must(tulle_mat_plan(ctx, TULLE_T, f.A, NULL));
    double *values = malloc((size_t)f.zoo.nnz * sizeof *values);
    assert_non_null(values);
    for (int64_t e = 0; e < f.zoo.nnz; e++) values[e] = f.zoo.values[e] = (double)(e % 17) - 8;
    must(tulle_mat_set_values(ctx, f.A, f.zoo.nnz, values));
    tulle_mat *second = NULL;
    must(tulle_mat_with_values(ctx, f.A, TULLE_F64, f.zoo.nnz, values, &second));

    double x[64], y[64], y0[64] = {0};
    must(tulle_vec_read(ctx, f.y, x, 0));
    product p = {.op = TULLE_T, .alpha = 1, .beta = 0, .x = x, .y0 = y0};
    tulle_mat *both[] = {f.A, second};
    for (int i = 0; i < 2; i++) {
        must(spmv(ctx, TULLE_T, both[i], f.y, f.x));
        must(tulle_vec_read(ctx, f.x, y, 0));
        assert_true(product_error(&f.zoo, &p, TULLE_F64, y) <= 1);
    }
    must(tulle_mat_optimize(ctx, TULLE_T, second, 100));
    tulle_choice choice;
    must(tulle_spmv_describe(ctx, TULLE_T, second, true, &choice));
    assert_string_equal(choice.by, "plan");
    assert_true(choice.plan_bytes > 0);
    tulle_mat_info info;
    must(tulle_mat_describe(f.A, &info));
    assert_true(info.plan_bytes > 0);
    tulle_mat_destroy(second);
    free(values);
    tear_down(&f);
}

static void test_new_values(void **state) {
    (void)state;
    on_each_place(new_values);
}

/* A product on a CPU with so many threads. */
static void product_with(const char *where, const zoo_matrix *m, tulle_trans op, double *y_host) {
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, NULL, &ctx));
    tulle_mat *A = zoo_mat(ctx, m, TULLE_I32, TULLE_F64);
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, op == TULLE_N ? m->cols : m->rows, &x));
    must(tulle_vec_create(ctx, TULLE_F64, op == TULLE_N ? m->rows : m->cols, &y));
    must(tulle_vec_random(ctx, x, 1));
    must(spmv(ctx, op, A, x, y));
    must(tulle_vec_read(ctx, y, y_host, 0));
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
}

/* Bitwise the same for any number of threads, also where the rule picks the kernel. */
static void test_any_threads(void **state) {
    (void)state;
    static const char *const places[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:16", "cpu:64"};
    static double one[1 << 16], many[1 << 16];
    for (int i = 0; i < zoo_large_count(); i++) {
        zoo_matrix m = zoo_make_large(i);
        for (int op = TULLE_N; op <= TULLE_T; op++) {
            size_t bytes = (size_t)(op == TULLE_N ? m.rows : m.cols) * sizeof *one;
            assert_true(bytes <= sizeof one);
            product_with(places[0], &m, (tulle_trans)op, one);
            for (size_t p = 1; p < sizeof places / sizeof *places; p++) {
                product_with(places[p], &m, (tulle_trans)op, many);
                assert_memory_equal(one, many, bytes);
            }
        }
        zoo_free(&m);
    }
}

/* Everything around a product with the n-th request for memory failing, for every n. */
static tulle_status whole_life(const char *where, const tulle_ctx_options *options,
                               const zoo_matrix *m, const int32_t *offsets,
                               const int32_t *columns) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL, *B = NULL;
    tulle_vec *x = NULL, *y = NULL;
    tulle_status status = tulle_ctx_create(where, options, &ctx);
    if (status == TULLE_OK) {
        status = tulle_mat_create_csr(ctx, m->rows, m->cols, m->nnz, TULLE_I32, offsets, columns,
                                      TULLE_F64, m->values, NULL, &A);
    }
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, m->cols, &x);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, m->rows, &y);
    if (status == TULLE_OK) status = tulle_vec_fill(ctx, x, 1);
    if (status == TULLE_OK) status = spmv(ctx, TULLE_N, A, x, y);
    if (status == TULLE_OK) status = spmv(ctx, TULLE_T, A, y, x);
    if (status == TULLE_OK) status = tulle_mat_optimize(ctx, TULLE_N, A, 9);
    if (status == TULLE_OK) status = tulle_mat_optimize(ctx, TULLE_T, A, 9);
    if (status == TULLE_OK) status = spmv(ctx, TULLE_T, A, y, x);
    if (status == TULLE_OK)
        status = tulle_mat_with_values(ctx, A, TULLE_F64, m->nnz, m->values, &B);
    if (status == TULLE_OK) status = tulle_mat_optimize(ctx, TULLE_T, B, 9);
    if (status == TULLE_OK) status = spmv(ctx, TULLE_T, B, y, x);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tulle_ctx_destroy(ctx);
    return status;
}

static void memory_runs_out(tulle_ctx *unused, const char *where) {
    (void)unused;
    if (strncmp(where, "cuda", 4) == 0) return; /* host memory cannot stand for the device's */
    zoo_matrix m = zoo_make(8);
    int32_t offsets[64], columns[1024];
    for (int64_t i = 0; i <= m.rows; i++) offsets[i] = (int32_t)m.offsets[i];
    for (int64_t e = 0; e < m.nnz; e++) columns[e] = (int32_t)m.columns[e];
    tulle_status status = TULLE_OUT_OF_MEMORY;
    for (int64_t n = 1; status != TULLE_OK; n++) {
        counting both = {.fail_at = n};
        tulle_allocator allocator = counting_allocator(&both);
        tulle_ctx_options options = {.host = &allocator, .device = &allocator};
        status = whole_life(where, &options, &m, offsets, columns);
        if (status != TULLE_OK) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_int_equal(both.live, 0);
        assert_true(n < 10000);
    }
    zoo_free(&m);
}

static void test_memory_runs_out(void **state) {
    (void)state;
    on_each_place(memory_runs_out);
}

/* What was reserved for is served without memory. */
static void takes_no_memory(tulle_ctx *unused, const char *where) {
    (void)unused;
    if (strncmp(where, "cuda", 4) == 0) return;
    counting all = {0};
    tulle_allocator allocator = counting_allocator(&all);
    tulle_ctx_options options = {.host = &allocator, .device = &allocator};
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    fixture f = set_up(ctx);
    must(tulle_spmv_reserve(ctx, TULLE_N, f.A));
    must(tulle_spmv_reserve(ctx, TULLE_T, f.A));
    int64_t before = all.requests;
    must(spmv(ctx, TULLE_N, f.A, f.x, f.y));
    must(spmv(ctx, TULLE_T, f.A, f.y, f.x));
    assert_int_equal(all.requests, before);
    tear_down(&f);
    tulle_ctx_destroy(ctx);
    assert_int_equal(all.live, 0);
}

static void test_takes_no_memory(void **state) {
    (void)state;
    on_each_place(takes_no_memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_misuse),          cmocka_unit_test(test_other_space),
        cmocka_unit_test(test_selection),       cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_new_values),      cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_takes_no_memory), cmocka_unit_test(test_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
