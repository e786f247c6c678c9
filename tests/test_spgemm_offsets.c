/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, and values of a C, whose offsets begin beyond 2^31 and 2^32; a C whose
 * offsets are wider than those of its operands, as it has them where 32 bits cannot count its
 * entries; and what puts pieces of such a C in their places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "beyond.h"
#include "core/context.h"
#include "entries.h"
#include "making.h"
#include "matrix/matrix.h"
#include "places.h"
#include "spgemm/functions.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"

/* A task, and the C that its kernel asks for. */
typedef struct {
    tulle__spgemm_task task; /* first */
    tulle_ctx *ctx;
    tulle_index index; /* that C gets */
    int phases;
} job;

static tulle_status make_c(tulle__spgemm_task *task, int64_t nnz) {
    job *j = (job *)task;
    task->c = (tulle__spgemm_result){.nnz = nnz, .index = j->index};
    must(tulle__alloc(j->ctx, (size_t)((task->a.rows + 1) * tulle_offset_size(j->index)),
                      &task->c.offsets));
    must(tulle__alloc(j->ctx, (size_t)(nnz * tulle_index_size(j->index)), &task->c.cols_of));
    must(tulle__alloc(j->ctx, (size_t)nnz * sizeof(double), &task->c.values));
    return TULLE_OK;
}

/* As where C's entries are more than the offsets that were asked for can count. */
static tulle_status refuse_c(tulle__spgemm_task *task, int64_t nnz) {
    task->c.nnz = nnz;
    return tulle__fail(TULLE_TOO_LARGE, "refuse_c", "options", -1, "%lld are too many",
                       (long long)nnz);
}

static tulle_status ends(tulle__spgemm_task *task, tulle__spgemm_phase phase) {
    job *j = (job *)task;
    j->phases |= 1 << phase;
    return TULLE_OK;
}

static tulle_status tells(tulle__spgemm_task *task, tulle__spgemm_phase phase, double part) {
    (void)task;
    (void)phase;
    (void)part;
    return TULLE_OK;
}

static tulle__spgemm_operand operand_of(const tulle_mat *A) {
    const tulle__pattern *p = A->pattern;
    return (tulle__spgemm_operand){.rows = p->rows,
                                   .cols = p->cols,
                                   .nnz = p->nnz,
                                   .offsets = p->offsets.data,
                                   .cols_of = p->cols_of.data,
                                   .values = A->values.data,
                                   .stats = &p->stats};
}

static job job_of(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, tulle_index index) {
    return (job){.task = {.place = &ctx->place,
                          .device = &ctx->info,
                          .a = operand_of(A),
                          .b = operand_of(B),
                          .type = TULLE_F64,
                          .index = A->pattern->index,
                          .alpha = tulle_num(1),
                          .make_c = make_c,
                          .ends = ends,
                          .tells = tells},
                 .ctx = ctx,
                 .index = index};
}

/* The same operand with its offsets moved up; these are the caller's to free. */
static void move(tulle_ctx *ctx, tulle__spgemm_operand *o, tulle_index index, int64_t base) {
    o->offsets = moved_offsets(ctx, o->offsets, o->rows, base);
    o->cols_of = moved_back(o->cols_of, base, tulle_index_size(index));
    o->values = moved_back(o->values, base, sizeof(double));
}

static void free_offsets(tulle_ctx *ctx, const tulle__spgemm_operand *o) {
    tulle__free(ctx, (void *)(uintptr_t)o->offsets);
}

static tulle_status try(tulle_ctx *ctx, job *j) {
    int params[TULLE__MAX_PARAMS] = {0};
    const tulle__spec *spec = &ctx->forced[TULLE__OP_SPGEMM];
    const tulle__spgemm_kernel *kernel = tulle__spgemm_of(spec->kernel);
    if (kernel->defaults) kernel->defaults(&j->task, params);
    j->task.params = params;
    tulle_status status = kernel->run[TULLE__VALUES_F64][j->task.index](&j->task);
    must(tulle_ctx_synchronize(ctx));
    return status;
}

static void run(tulle_ctx *ctx, job *j) {
    must(try(ctx, j));
    assert_true(j->phases & 1 << TULLE__SPGEMM_COMPUTE);
}

/* C's arrays against those of the same product; frees them. */
static void check(tulle_ctx *ctx, job *j, const tulle_mat *want) {
    const tulle__pattern *p = want->pattern;
    const tulle_index index = j->index;
    tulle_mat *C = NULL;
    assert_int_equal(j->task.c.nnz, p->nnz);
    must(tulle_mat_create_csr(ctx, p->rows, p->cols, p->nnz, index, j->task.c.offsets,
                              j->task.c.cols_of, TULLE_F64, j->task.c.values, NULL, &C));
    entries got = entries_read(ctx, C), wanted = entries_read(ctx, want);
    assert_memory_equal(got.row, wanted.row, (size_t)p->nnz * sizeof *got.row);
    assert_memory_equal(got.col, wanted.col, (size_t)p->nnz * sizeof *got.col);
    assert_memory_equal(got.value, wanted.value, (size_t)p->nnz * sizeof *got.value);
    entries_free(&wanted);
    entries_free(&got);
    tulle_mat_destroy(C);
    tulle__free(ctx, j->task.c.values);
    tulle__free(ctx, j->task.c.cols_of);
    tulle__free(ctx, j->task.c.offsets);
}

/* Small whole numbers, so that the order of sums is no matter: kernels may add atomically. */
static tulle_mat *whole_numbers(tulle_ctx *ctx, int64_t rows, int64_t cols, int64_t nnz,
                                tulle_index index, uint64_t seed) {
    entries e = entries_random(rows, cols, nnz, seed);
    entries_sort(&e);
    entries_sum(&e, TULLE_F64);
    for (int64_t k = 0; k < e.nnz; k++) e.value[k] = (double)(k % 13) - 5;
    tulle_mat *A = entries_to_csr(ctx, &e, index, TULLE_F64);
    entries_free(&e);
    return A;
}

/* Slices number the entries of A from 0, as all matrices of the library have them. */
static bool numbers_entries(const char *spec) {
    return strncmp(spec, "spgemm_esc", 10) == 0 || strncmp(spec, "spgemm_bhsparse", 15) == 0 ||
           strncmp(spec, "spgemm_balanced_hash", 20) == 0;
}

static void wide_and_moved(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)number;
    const int64_t many = is_slow(where) ? 300 : 4000;
    for (int index = 0; index < 3; index++) {
        tulle_mat *A = whole_numbers(ctx, 60, 200, many, (tulle_index)index, 1), *C = NULL;
        tulle_mat *B = whole_numbers(ctx, 200, 3000, 3 * many, (tulle_index)index, 2);
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, NULL, NULL, &C));
        job plain = job_of(ctx, A, B, index == TULLE_I32 ? TULLE_I64_I32 : (tulle_index)index);
        run(ctx, &plain);
        check(ctx, &plain, C);
        for (int i = 0; i < BEYOND && index > TULLE_I32 && !numbers_entries(spec); i++) {
            job j = job_of(ctx, A, B, (tulle_index)index);
            move(ctx, &j.task.a, (tulle_index)index, beyond[i]);
            move(ctx, &j.task.b, (tulle_index)index, beyond[(i + 1) % BEYOND]);
            run(ctx, &j);
            check(ctx, &j, C);
            free_offsets(ctx, &j.task.a);
            free_offsets(ctx, &j.task.b);
        }
        tulle_mat_destroy(C);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
    }
}

static void products(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, is_slow(where) ? 1 : 4, wide_and_moved);
}

/* What is said against C's entries is what the kernel returns, and nothing else is said after it.
 */
static void refused(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)where;
    (void)number;
    tulle_mat *A = whole_numbers(ctx, 60, 200, 300, TULLE_I32, 1), *C = NULL;
    tulle_mat *B = whole_numbers(ctx, 200, 3000, 900, TULLE_I32, 2);
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, NULL, NULL, &C));
    const size_t in_use = ctx->pool.in_use;
    job j = job_of(ctx, A, B, TULLE_I32);
    j.task.make_c = refuse_c;
    assert_int_equal(try(ctx, &j), TULLE_TOO_LARGE);
    assert_string_equal(tulle_last_error()->function, "refuse_c");
    assert_int_equal(j.phases & 1 << TULLE__SPGEMM_COMPUTE, 0);
    if (j.task.c.nnz != C->pattern->nnz) fail_msg("%s: another number of entries", spec);
    assert_int_equal(ctx->pool.in_use, in_use);
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}

static void too_many(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, is_slow(where) ? 1 : 4, refused);
}

static void free_kept(tulle_ctx *ctx, const tulle__spgemm_kept *kept) {
    for (size_t i = 0; i < sizeof kept->arrays / sizeof *kept->arrays; i++) {
        tulle__free(ctx, kept->arrays[i]);
    }
}

/* In as little memory as it can do with, which leaves none for lists of products on a GPU: these
 * number the entries of C from 0. */
static void keep_by_rows(job *j, tulle__spgemm_kept *kept, int64_t *outside) {
    tulle_ctx *ctx = j->ctx;
    tulle_status status = TULLE_OUT_OF_MEMORY;
    for (size_t room = 1 << 12; status == TULLE_OUT_OF_MEMORY; room += room / 2) {
        *kept = (tulle__spgemm_kept){.bytes = 0};
        ctx->pool.cap = ctx->pool.in_use + room;
        status = ctx->backend->spgemm->keep_product(&j->task, kept, outside);
        if (status != TULLE_OK) free_kept(ctx, kept);
    }
    ctx->pool.cap = 0;
    must(status);
}

/* Values of a C whose offsets begin there. */
static void update_moved(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, const tulle_mat *C,
                         int64_t base) {
    const tulle__pattern *p = C->pattern;
    const tulle_index index = p->index;
    const size_t bytes = (size_t)p->nnz * sizeof(double);
    job j = job_of(ctx, A, B, index);
    tulle__spgemm_kept kept = {.bytes = 0};
    int64_t outside = -1;
    void *values = NULL, *offsets = moved_offsets(ctx, p->offsets.data, p->rows, base);
    must(tulle__alloc(ctx, bytes, &values));
    j.task.c = (tulle__spgemm_result){
        .nnz = p->nnz,
        .index = index,
        .offsets = offsets,
        .cols_of = (void *)(uintptr_t)moved_back(p->cols_of.data, base, tulle_index_size(index)),
        .values = (void *)(uintptr_t)moved_back(values, base, sizeof(double))};
    j.task.widest_row = p->stats.max_row;
    keep_by_rows(&j, &kept, &outside);
    assert_int_equal(outside, -1);
    must(ctx->backend->spgemm->update_product(&j.task, &kept));
    arrays_compare(ctx, values, C->values.data, bytes);
    free_kept(ctx, &kept);
    tulle__free(ctx, values);
    tulle__free(ctx, offsets);
}

static void values(tulle_ctx *ctx, const char *where) {
    const int64_t many = is_slow(where) ? 300 : 4000;
    for (int index = TULLE_I64_I32; index <= TULLE_I64; index++) {
        tulle_mat *A = whole_numbers(ctx, 60, 200, many, (tulle_index)index, 1), *C = NULL;
        tulle_mat *B = whole_numbers(ctx, 200, 3000, 3 * many, (tulle_index)index, 2);
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, B, NULL, NULL, &C));
        for (int i = 0; i < BEYOND; i++) update_moved(ctx, A, B, C, beyond[i]);
        tulle_mat_destroy(C);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
    }
}

/* Offsets of a piece, of 4 bytes and 8, behind so many entries. */
static void raised(tulle_ctx *ctx, const char *where) {
    enum { COUNT = 700 };
    int64_t host[COUNT], want[COUNT];
    int32_t narrow[COUNT], narrow_want[COUNT];
    void *there = NULL;
    (void)where;
    must(tulle__alloc(ctx, sizeof host, &there));
    for (int i = 0; i < BEYOND; i++) {
        const int64_t by = beyond[i], less = by % 1000;
        for (int k = 0; k < COUNT; k++) {
            host[k] = narrow[k] = 3 * k;
            want[k] = host[k] + by;
            narrow_want[k] = narrow[k] - (int32_t)less;
        }
        must(tulle__copy_wait(ctx, there, host, sizeof host));
        must(ctx->backend->spgemm->raise_numbers(&ctx->place, COUNT, by, 8, there));
        must(tulle__copy_wait(ctx, host, there, sizeof host));
        assert_memory_equal(host, want, sizeof host);
        must(tulle__copy_wait(ctx, there, narrow, sizeof narrow));
        must(ctx->backend->spgemm->raise_numbers(&ctx->place, COUNT, -less, 4, there));
        must(tulle__copy_wait(ctx, narrow, there, sizeof narrow));
        assert_memory_equal(narrow, narrow_want, sizeof narrow);
    }
    tulle__free(ctx, there);
}

/* A strip of operands whose offsets begin there is that of the same operands elsewhere. */
static void strip_moved(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, int64_t base) {
    const tulle_index index = A->pattern->index;
    const int64_t item = tulle_index_size(index);
    const tulle__spgemm_functions *f = ctx->backend->spgemm;
    job plain = job_of(ctx, A, B, index), moved = plain;
    move(ctx, &moved.task.a, index, base);
    move(ctx, &moved.task.b, index, base + 1);
    const int64_t nnz_a = A->pattern->nnz;
    tulle__spgemm_strip s[2] = {{.begin = 0, .end = nnz_a, .low = 500, .high = 2100},
                                {.begin = base, .end = base + nnz_a, .low = 500, .high = 2100}};
    int64_t nnz[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        const tulle__spgemm_task *task = k ? &moved.task : &plain.task;
        must(tulle__alloc(ctx, (size_t)(nnz_a + 1) * sizeof(int64_t), &s[k].offsets));
        must(tulle__alloc(ctx, (size_t)(nnz_a * item), &s[k].numbers));
        must(f->count_strip(task, &s[k], &nnz[k]));
        must(tulle__alloc(ctx, (size_t)(nnz[k] * item), &s[k].cols_of));
        must(tulle__alloc(ctx, (size_t)nnz[k] * sizeof(double), &s[k].values));
        must(f->fill_strip(task, &s[k]));
    }
    assert_int_equal(nnz[0], nnz[1]);
    assert_true(nnz[0] > 0);
    arrays_compare(ctx, s[0].offsets, s[1].offsets, (size_t)(nnz_a + 1) * sizeof(int64_t));
    arrays_compare(ctx, s[0].numbers, s[1].numbers, (size_t)(nnz_a * item));
    arrays_compare(ctx, s[0].cols_of, s[1].cols_of, (size_t)(nnz[0] * item));
    arrays_compare(ctx, s[0].values, s[1].values, (size_t)nnz[0] * sizeof(double));
    for (int k = 0; k < 2; k++) {
        tulle__free(ctx, s[k].values);
        tulle__free(ctx, s[k].cols_of);
        tulle__free(ctx, s[k].numbers);
        tulle__free(ctx, s[k].offsets);
    }
    free_offsets(ctx, &moved.task.a);
    free_offsets(ctx, &moved.task.b);
}

/* More entries than a block of a GPU has threads. */
static void strips(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int index = TULLE_I64_I32; index <= TULLE_I64; index++) {
        tulle_mat *A = whole_numbers(ctx, 1, 500, 900, (tulle_index)index, 1);
        tulle_mat *B = whole_numbers(ctx, 500, 3000, 2000, (tulle_index)index, 2);
        for (int i = 0; i < BEYOND; i++) strip_moved(ctx, A, B, beyond[i]);
        tulle_mat_destroy(B);
        tulle_mat_destroy(A);
    }
}

ONCE_ON_EACH_PLACE(products)
ONCE_ON_EACH_PLACE(too_many)
ONCE_ON_EACH_PLACE(values)
ONCE_ON_EACH_PLACE(raised)
ONCE_ON_EACH_PLACE(strips)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products), cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_values),   cmocka_unit_test(test_raised),
        cmocka_unit_test(test_strips),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
