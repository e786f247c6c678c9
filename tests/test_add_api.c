/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_add beside its numbers: arguments, types of C, reports, memory, progress, and what is left
 * after a failure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "making.h"
#include "matrix/result.h"
#include "places.h"
#include "tulle/add.h"
#include "tulle/advanced.h"

static tulle_status sum(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B,
                        const tulle_add_options *options, tulle_mat **C) {
    return tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(1), A, tulle_num(1), B, options, NULL, C);
}

static void assert_sum_fails(tulle_status got, tulle_status wanted, const char *argument,
                             tulle_mat **C) {
    making_assert_fails(got, "tulle_add", wanted, argument, C);
}

static void arguments(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "random:6,5,2", 1, TULLE_F64), *C = (tulle_mat *)1;
    tulle_mat *f = making_generated(ctx, "random:6,5,2", 1, TULLE_F32);
    tulle_mat *wide = making_generated(ctx, "random:6,6,2", 1, TULLE_F64);
    tulle_mat *tall = making_generated(ctx, "random:7,5,2", 1, TULLE_F64);
    tulle_scalar one = tulle_num(1), odd = tulle_at((const char *)&one + 1);
    const tulle_trans n = TULLE_N;
    assert_sum_fails(tulle_add(NULL, n, n, one, A, one, A, NULL, NULL, &C), TULLE_INVALID_ARGUMENT,
                     "ctx", &C);
    assert_sum_fails(tulle_add(ctx, n, n, one, NULL, one, A, NULL, NULL, &C),
                     TULLE_INVALID_ARGUMENT, "A", &C);
    assert_sum_fails(tulle_add(ctx, n, n, one, A, one, NULL, NULL, NULL, &C),
                     TULLE_INVALID_ARGUMENT, "B", &C);
    assert_int_equal(tulle_add(ctx, n, n, one, A, one, A, NULL, NULL, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_sum_fails(tulle_add(ctx, (tulle_trans)7, n, one, A, one, A, NULL, NULL, &C),
                     TULLE_INVALID_ARGUMENT, "op_A", &C);
    assert_sum_fails(tulle_add(ctx, n, (tulle_trans)7, one, A, one, A, NULL, NULL, &C),
                     TULLE_INVALID_ARGUMENT, "op_B", &C);
    assert_sum_fails(tulle_add(ctx, n, n, odd, A, one, A, NULL, NULL, &C), TULLE_INVALID_ARGUMENT,
                     "alpha", &C);
    assert_sum_fails(tulle_add(ctx, n, n, one, A, odd, A, NULL, NULL, &C), TULLE_INVALID_ARGUMENT,
                     "beta", &C);
    assert_sum_fails(sum(ctx, A, wide, NULL, &C), TULLE_SHAPE_MISMATCH, "B", &C);
    assert_sum_fails(sum(ctx, A, tall, NULL, &C), TULLE_SHAPE_MISMATCH, "B", &C);
    assert_sum_fails(tulle_add(ctx, n, TULLE_T, one, A, one, A, NULL, NULL, &C),
                     TULLE_SHAPE_MISMATCH, "B", &C);
    assert_sum_fails(sum(ctx, A, f, NULL, &C), TULLE_TYPE_MISMATCH, "B", &C);
    tulle_add_options bad = {.index_given = true, .index = (tulle_index)9};
    assert_sum_fails(sum(ctx, A, A, &bad, &C), TULLE_INVALID_ARGUMENT, "index", &C);
    tulle_mat_destroy(tall);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(f);
    tulle_mat_destroy(A);
}

/* Op(A) + op(B), of a job's first two operands. */
static tulle_status sum_of(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                           const tulle_index *index, tulle_mat **C) {
    tulle_add_options options = {.index_given = index != NULL};
    if (index) options.index = *index;
    return tulle_add(ctx, job->op, job->op, tulle_num(1), m[0], tulle_num(1), m[1], &options, NULL,
                     C);
}

static void grid_and_random(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    m[0] = making_generated(ctx, "p2d5:9,4", 1, TULLE_F64);
    m[1] = making_generated(ctx, "random:36,36,3", 1, TULLE_F64);
}

static const making grid_plus_random = {.operands = grid_and_random, .make = sum_of};

static void elsewhere(tulle_ctx *ctx, const char *where) {
    making_check_elsewhere(ctx, where, &grid_plus_random);
}

static void indices(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_indices(ctx, &grid_plus_random);
}

/* 32 bits cannot hold the columns: said before anything is computed. */
static void too_narrow(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t offsets[] = {0, 1}, first = 0, last = INT64_C(3000000000);
    const double one = 1;
    tulle_mat *A = NULL, *B = NULL, *C = NULL;
    must(tulle_mat_create_csr(ctx, 1, last + 1, 1, TULLE_I64, offsets, &first, TULLE_F64, &one,
                              NULL, &A));
    must(tulle_mat_create_csr(ctx, 1, last + 1, 1, TULLE_I64, offsets, &last, TULLE_F64, &one, NULL,
                              &B));
    tulle_add_options options = {.index_given = true, .index = TULLE_I64_I32};
    assert_sum_fails(sum(ctx, A, B, &options, &C), TULLE_TOO_LARGE, "cols", &C);
    must(sum(ctx, A, B, NULL, &C));
    entries c = entries_read(ctx, C);
    assert_int_equal(c.nnz, 2);
    assert_int_equal(c.col[0], 0);
    assert_int_equal(c.col[1], last);
    entries_free(&c);
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

/* The rule for more entries than 32 bits count, before there is memory for them: said where 32 bits
 * were asked for, else offsets of 64. */
static void many_entries(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t most = INT32_MAX;
    const tulle__asked any = {false, TULLE_I32}, narrow = {true, TULLE_I32},
                       wide = {true, TULLE_I64_I32};
    tulle__draft fits = {.ctx = ctx, .rows = 1, .cols = 1, .nnz = 3, .type = TULLE_F64};
    must(tulle__result_make("f", narrow, &fits));
    assert_int_equal(fits.index, TULLE_I32);
    tulle__draft_free(&fits);
    tulle_ctx_options options = {.memory_cap = 1 << 20};
    tulle_ctx *small = NULL;
    must(tulle_ctx_create(where, &options, &small));
    tulle__draft draft = {.ctx = small, .rows = 1, .cols = 1, .nnz = most + 1, .type = TULLE_F64};
    tulle_memory_usage usage;
    assert_int_equal(tulle__result_make("f", narrow, &draft), TULLE_TOO_LARGE);
    assert_string_equal(tulle_last_error()->argument, "options");
    assert_non_null(strstr(tulle_last_error()->message, "2147483648 entries"));
    assert_int_equal(tulle__result_make("f", any, &draft), TULLE_OUT_OF_MEMORY);
    assert_int_equal(draft.index, TULLE_I64_I32);
    draft.index = TULLE_I32;
    assert_int_equal(tulle__result_make("f", wide, &draft), TULLE_OUT_OF_MEMORY);
    assert_int_equal(draft.index, TULLE_I64_I32);
    draft.index = TULLE_I32;
    draft.nnz = most;
    assert_int_equal(tulle__result_make("f", any, &draft), TULLE_OUT_OF_MEMORY);
    assert_int_equal(draft.index, TULLE_I32);
    must(tulle_ctx_memory(small, &usage));
    assert_int_equal(usage.in_use, 0);
    tulle_ctx_destroy(small);
}

/* Matrices without rows, columns, entries. */
static void nothing(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int64_t offsets[] = {0, 0, 0, 0};
    for (int64_t m = 0; m <= 3; m += 3) {
        for (int64_t n = 0; n <= 2; n += 2) {
            tulle_mat *A = NULL, *C = NULL;
            tulle_mat_info info;
            must(tulle_mat_create_csr(ctx, m, n, 0, TULLE_I64, offsets, NULL, TULLE_F64, NULL, NULL,
                                      &A));
            must(sum(ctx, A, A, NULL, &C));
            must(tulle_mat_describe(C, &info));
            assert_int_equal(info.rows, m);
            assert_int_equal(info.cols, n);
            assert_int_equal(info.nnz, 0);
            tulle_mat_destroy(C);
            tulle_mat_destroy(A);
        }
    }
}

static void statistics(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "rmat:6,4", 1, TULLE_F64), *C = NULL;
    must(tulle_add(ctx, TULLE_N, TULLE_T, tulle_num(1), A, tulle_num(2), A, NULL, NULL, &C));
    making_check_statistics(ctx, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
}

/* alpha and beta from the context's memory: two numbers, or one for both. */
static void by_address(tulle_ctx *ctx, const char *where) {
    (void)where;
    const double numbers[] = {0.5, -3};
    tulle_mat *A = making_generated(ctx, "p2d5:5", 1, TULLE_F64);
    tulle_mat *B = making_generated(ctx, "random:25,25,4", 1, TULLE_F64);
    tulle_vec *both = NULL;
    tulle_vec_info info;
    must(tulle_vec_create(ctx, TULLE_F64, 2, &both));
    must(tulle_vec_write(ctx, both, numbers, 0));
    must(tulle_vec_describe(both, &info));
    for (int second = 0; second < 2; second++) {
        tulle_mat *given = NULL, *read = NULL;
        tulle_scalar alpha = tulle_at(info.data), beta = tulle_at((double *)info.data + second);
        must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(0.5), A, tulle_num(numbers[second]), B,
                       NULL, NULL, &given));
        must(tulle_add(ctx, TULLE_N, TULLE_N, alpha, A, beta, B, NULL, NULL, &read));
        entries_compare(ctx, given, read, "by address");
        tulle_mat_destroy(read);
        tulle_mat_destroy(given);
    }
    tulle_vec_destroy(both);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

/* Inf and NaN reach C, also through a factor of 0; entries that cancel stay. */
static void special_values(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int32_t offsets[] = {0, 4}, columns[] = {0, 1, 2, 3};
    const double of_a[] = {INFINITY, NAN, 1, -0.0}, of_b[] = {1, 1, -1, -0.0};
    tulle_mat *A = NULL, *B = NULL, *C = NULL;
    must(
        tulle_mat_create_csr(ctx, 1, 4, 4, TULLE_I32, offsets, columns, TULLE_F64, of_a, NULL, &A));
    must(
        tulle_mat_create_csr(ctx, 1, 4, 4, TULLE_I32, offsets, columns, TULLE_F64, of_b, NULL, &B));
    must(sum(ctx, A, B, NULL, &C));
    entries c = entries_read(ctx, C);
    assert_int_equal(c.nnz, 4);
    assert_true(isinf(c.value[0]) && isnan(c.value[1]) && c.value[2] == 0);
    assert_true(c.value[3] == 0 && signbit(c.value[3]));
    entries_free(&c);
    tulle_mat_destroy(C);
    must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(0), A, tulle_num(1), B, NULL, NULL, &C));
    c = entries_read(ctx, C);
    assert_int_equal(c.nnz, 4);
    assert_true(isnan(c.value[0]) && isnan(c.value[1]) && c.value[2] == -1);
    entries_free(&c);
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

/* Times add up, memory is what the call held, and the context's own mark stays. */
static void reports(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:8", 1, TULLE_F64), *C = NULL;
    tulle_mat *B = making_generated(ctx, "banded:64,3", 1, TULLE_F64);
    tulle_memory_usage before, after;
    tulle_add_report r;
    must(tulle_ctx_trim(ctx));
    must(tulle_ctx_memory(ctx, &before));
    must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(1), A, tulle_num(1), B, NULL, &r, &C));
    must(tulle_ctx_memory(ctx, &after));
    tulle_mat_info a, b, info;
    must(tulle_mat_describe(A, &a));
    must(tulle_mat_describe(B, &b));
    must(tulle_mat_describe(C, &info));
    assert_int_equal(r.nnz, info.nnz);
    assert_int_equal(r.both, a.nnz + b.nnz - info.nnz);
    assert_true(r.both >= 64); /* the diagonal at least */
    double all = r.operands_ms + r.count_ms + r.allocate_ms + r.compute_ms + r.finish_ms;
    assert_true(all > 0 && all <= r.total_ms);
    assert_true(r.peak_bytes >= info.pattern_bytes + info.value_bytes);
    assert_true(after.high >= before.high);
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

/* Beside C the call holds little, however many the entries; and nothing where none are converted
 * stays in use. */
static void memory(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"p2d5:60", "rmat:9,8", "dense_rows:900,3,2",
                                        "random:9,9,0"};
    (void)where;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        tulle_mat *A = making_generated(ctx, specs[i], 1, TULLE_F32), *C = NULL;
        tulle_mat *B = making_generated(ctx, specs[i], 1, TULLE_F32);
        tulle_add_report r;
        tulle_mat_info info;
        must(tulle_ctx_trim(ctx));
        must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(1), A, tulle_num(1), B, NULL, &r, &C));
        must(tulle_mat_describe(C, &info));
        int64_t bytes = info.pattern_bytes + info.value_bytes;
        assert_true(r.peak_bytes >= bytes && r.peak_bytes <= bytes + bytes / 8 + 65536);
        tulle_mat_destroy(C);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
    }
}

/* C = 2 A - B / 2, whose values are those of the two, one after the other; powers of two, so that
 * sums are rounded once. */
static void check_shared(tulle_ctx *ctx, tulle_mat *A, tulle_mat *B,
                         const tulle_add_options *options, bool shares) {
    tulle_mat *C = NULL;
    tulle_add_report r;
    tulle_mat_info info;
    must(tulle_ctx_trim(ctx));
    must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(2), A, tulle_num(-0.5), B, options, &r, &C));
    must(tulle_mat_describe(C, &info));
    assert_true((C->pattern == A->pattern) == shares);
    entries a = entries_read(ctx, A), b = entries_read(ctx, B), c = entries_read(ctx, C);
    assert_int_equal(c.nnz, a.nnz);
    assert_int_equal(r.nnz, a.nnz);
    assert_int_equal(r.both, a.nnz);
    for (int64_t e = 0; e < c.nnz; e++) {
        assert_true(c.row[e] == a.row[e] && c.col[e] == a.col[e]);
        assert_true(c.value[e] == 2 * a.value[e] - 0.5 * b.value[e]);
    }
    const int64_t few = info.value_bytes + info.pattern_bytes / 2;
    if (shares) assert_true(r.peak_bytes >= info.value_bytes && r.peak_bytes < few);
    making_check_statistics(ctx, C);
    entries_free(&c);
    entries_free(&b);
    entries_free(&a);
    tulle_mat_destroy(C);
}

/* The same matrix around arrays that are the caller's, which C must not need. */
static tulle_mat *borrowing(tulle_ctx *ctx, const tulle_mat *A) {
    const tulle_mat_options borrow = {.ownership = TULLE_BORROW};
    tulle_mat_info info;
    tulle_mat_arrays arrays;
    tulle_mat *B = NULL;
    must(tulle_mat_describe(A, &info));
    must(tulle_mat_view(A, &arrays));
    must(tulle_mat_create_csr(ctx, info.rows, info.cols, info.nnz, info.index, arrays.offsets,
                              arrays.cols, info.type, arrays.values, &borrow, &B));
    return B;
}

/* Operands with one pattern: values are added, of more numbers than a block of a GPU has. */
static void shared_patterns(tulle_ctx *ctx, const char *where) {
    (void)where;
    const tulle_add_options same = {.index_given = true, .index = TULLE_I32};
    const tulle_add_options wide = {.index_given = true, .index = TULLE_I64};
    tulle_mat *A = making_generated(ctx, "rmat:9,3", 1, TULLE_F64), *B = NULL;
    entries e = entries_read(ctx, A);
    for (int64_t k = 0; k < e.nnz; k++) e.value[k] = (double)(k % 100) - 50;
    must(tulle_mat_with_values(ctx, A, TULLE_F64, e.nnz, e.value, &B));
    assert_true(e.nnz > 1024 && e.nnz % 256 != 0);
    check_shared(ctx, A, B, NULL, true);
    check_shared(ctx, A, B, &same, true);
    check_shared(ctx, A, A, NULL, true);
    check_shared(ctx, A, B, &wide, false);
    tulle_mat *lent = borrowing(ctx, A);
    check_shared(ctx, lent, lent, NULL, false);
    tulle_mat_destroy(lent);
    entries_free(&e);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

/* Columns in any order and repeated are summed up first; C has the pattern that this gives. */
static void shared_unsorted(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = entries_random(40, 50, 700, 3);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64), *C = NULL;
    entries_sort(&e);
    entries_sum(&e, TULLE_F64);
    must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(1), A, tulle_num(1), A, NULL, NULL, &C));
    for (int64_t k = 0; k < e.nnz; k++) e.value[k] *= 2;
    entries_check(ctx, C, &e, TULLE_CSR, TULLE_I32, TULLE_F64, "unsorted");
    making_check_statistics(ctx, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
    entries_free(&e);
}

static void matrix_twice(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    m[0] = making_generated(ctx, "rmat:5,6", 1, TULLE_F64);
    m[1] = tulle_mat_retain(m[0]);
}

/* Once for each phase. */
static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_cancelling(ctx, &(making){.operands = matrix_twice, .make = sum_of}, 5);
    making_check_cancelling(ctx, &grid_plus_random, 5);
}

/* B: unsorted and repeated. */
static void dense_rows_and_random(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    entries rows = entries_random(90, 90, 700, 4);
    m[0] = making_generated(ctx, "dense_rows:90,6,2", 1, TULLE_F64);
    m[1] = entries_to_csr(ctx, &rows, TULLE_I64_I32, TULLE_F64);
    entries_free(&rows);
}

static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        const making job = {
            .operands = dense_rows_and_random, .make = sum_of, .op = (tulle_trans)op};
        making_check_running_out(where, &job, 5);
    }
    making_check_running_out(where, &(making){.operands = matrix_twice, .make = sum_of}, 1);
}

/* Entries at each third column; in rows from `apart` on the last ones lie one
 * column further. */
static entries thirds(int64_t rows, int64_t row, int64_t apart, int64_t last) {
    const size_t count = (size_t)(rows * row);
    entries e = {.rows = rows,
                 .cols = 3 * row + 1,
                 .row = calloc(count, sizeof(int64_t)),
                 .col = calloc(count, sizeof(int64_t)),
                 .value = calloc(count, sizeof(double))};
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t k = 0; k < row; k++) {
            e.row[e.nnz] = i;
            e.col[e.nnz] = 3 * k + (i >= apart && k >= row - last);
            e.value[e.nnz++] = (double)(i + k % 7);
        }
    }
    return e;
}

/* Operands whose first rows have one pattern and whose last rows have some entries in common: C has
 * far fewer entries than both together, or nearly as many, and no more memory than a third beside
 * what its entries take. */
static void partly_alike(tulle_ctx *ctx, const char *where) {
    const int64_t rows = is_slow(where) ? 500 : 4000, row = 24;
    for (int64_t last = 1; last <= row; last += row - 1) {
        if (is_slow(where) && last != 1) continue;
        entries a = thirds(rows, row, rows, 0), b = thirds(rows, row, rows / 2, last);
        entries want = {.rows = rows, .cols = a.cols};
        want.row = calloc((size_t)(2 * a.nnz), sizeof(int64_t));
        want.col = calloc((size_t)(2 * a.nnz), sizeof(int64_t));
        want.value = calloc((size_t)(2 * a.nnz), sizeof(double));
        for (int64_t e = 0; e < a.nnz; e++) {
            const bool both = a.col[e] == b.col[e];
            for (int64_t k = 0; k < (both ? 1 : 2); k++, want.nnz++) {
                want.row[want.nnz] = a.row[e];
                want.col[want.nnz] = a.col[e] + k;
                want.value[want.nnz] = both ? 2 * a.value[e] : a.value[e];
            }
        }
        tulle_mat *A = entries_to_csr(ctx, &a, TULLE_I32, TULLE_F64), *C = NULL;
        tulle_mat *B = entries_to_csr(ctx, &b, TULLE_I32, TULLE_F64);
        tulle_memory_usage before, after;
        tulle_mat_info info;
        must(tulle_ctx_memory(ctx, &before));
        must(sum(ctx, A, B, NULL, &C));
        must(tulle_ctx_memory(ctx, &after));
        must(tulle_mat_describe(C, &info));
        entries_check(ctx, C, &want, TULLE_CSR, TULLE_I32, TULLE_F64, "partly alike");
        const int64_t bytes = info.pattern_bytes + info.value_bytes;
        assert_in_range(after.in_use - before.in_use, bytes, bytes + bytes / 3 + 65536);
        tulle_mat_destroy(C);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
        entries_free(&want);
        entries_free(&b);
        entries_free(&a);
    }
}

ONCE_ON_EACH_PLACE(arguments)
ONCE_ON_EACH_PLACE(elsewhere)
ONCE_ON_EACH_PLACE(indices)
ONCE_ON_EACH_PLACE(too_narrow)
ONCE_ON_EACH_PLACE(many_entries)
ONCE_ON_EACH_PLACE(nothing)
ONCE_ON_EACH_PLACE(statistics)
ONCE_ON_EACH_PLACE(by_address)
ONCE_ON_EACH_PLACE(special_values)
ONCE_ON_EACH_PLACE(reports)
ONCE_ON_EACH_PLACE(memory)
ONCE_ON_EACH_PLACE(shared_patterns)
ONCE_ON_EACH_PLACE(shared_unsorted)
ONCE_ON_EACH_PLACE(cancelling)
ONCE_ON_EACH_PLACE(running_out)
ONCE_ON_EACH_PLACE(partly_alike)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),       cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_indices),         cmocka_unit_test(test_too_narrow),
        cmocka_unit_test(test_many_entries),    cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_statistics),      cmocka_unit_test(test_by_address),
        cmocka_unit_test(test_special_values),  cmocka_unit_test(test_reports),
        cmocka_unit_test(test_memory),          cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_running_out),     cmocka_unit_test(test_shared_patterns),
        cmocka_unit_test(test_shared_unsorted), cmocka_unit_test(test_partly_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
