/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out at any point of every call that makes a matrix: a clean status, no object,
 * no leak, inputs that serve as before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "entries.h"
#include "places.h"

/* Every call that allocates, with the object that it makes. */
typedef struct {
    zoo_matrix zoo;
    tulle_mat *csr, *coo, *far;
    tulle_format format;
    tulle_mat *laid; /* csr in that format */
} subjects;

static tulle_status create_csr(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    const zoo_matrix *z = &s->zoo;
    return tulle_mat_create_csr(ctx, z->rows, z->cols, z->nnz, TULLE_I64, z->offsets, z->columns,
                                TULLE_F64, z->values, NULL, B);
}
static tulle_status create_coo(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    const zoo_matrix *z = &s->zoo; /* columns stand for rows that fall: counted in a table */
    return tulle_mat_create_coo(ctx, z->cols, z->cols, z->nnz, TULLE_I64, z->columns, z->columns,
                                TULLE_F64, z->values, NULL, B);
}
static tulle_status create_tall_coo(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    const zoo_matrix *z = &s->zoo; /* the same in many rows: sorted */
    return tulle_mat_create_coo(ctx, 1000, z->cols, z->nnz, TULLE_I64, z->columns, z->columns,
                                TULLE_F64, z->values, NULL, B);
}
static tulle_status with_values(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_with_values(ctx, s->csr, TULLE_F64, s->zoo.nnz, s->zoo.values, B);
}
static tulle_status to_csr(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_convert(ctx, s->coo, TULLE_CSR, TULLE_I32, 0, B);
}
static tulle_status to_coo(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_convert(ctx, s->csr, TULLE_COO, TULLE_I32, 0, B);
}
static tulle_status summed(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_convert(ctx, s->coo, TULLE_COO, TULLE_I64, TULLE_SUM_DUPLICATES, B);
}
static tulle_status transposed(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_transpose(ctx, s->csr, B);
}
static tulle_status copied(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_copy(ctx, s->csr, TULLE_F32, B);
}
static tulle_status fetched(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_copy(ctx, s->far, TULLE_F32, B);
}
static tulle_status tiled(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_tile(ctx, s->csr, 3, B);
}
static tulle_status laid_out(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_convert(ctx, s->csr, s->format, TULLE_I64_I32, 0, B);
}
static tulle_status between(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    tulle_format other = s->format == TULLE_BSR ? TULLE_SELL : TULLE_BSR;
    return tulle_mat_convert(ctx, s->laid, other, TULLE_I64, 0, B);
}
static tulle_status back_to_coo(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_convert(ctx, s->laid, TULLE_COO, TULLE_I64, 0, B);
}
static tulle_status laid_transposed(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_transpose(ctx, s->laid, B);
}
static tulle_status laid_copied(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    return tulle_mat_copy(ctx, s->laid, TULLE_F32, B);
}
static tulle_status from_arrays(tulle_ctx *ctx, const subjects *s, tulle_mat **B) {
    tulle_mat_info info;
    tulle_mat_arrays arrays;
    must(tulle_mat_describe(s->laid, &info));
    must(tulle_mat_view(s->laid, &arrays));
    return tulle_mat_create(ctx, info.rows, info.cols, info.format, &info.storage, info.index,
                            &arrays, info.type, NULL, B);
}

typedef tulle_status (*maker)(tulle_ctx *ctx, const subjects *s, tulle_mat **B);

/* Nothing is held that was not before, the workspace aside, which may have grown, and then into a
 * block of the pool that is up to twice as large. */
static void assert_same_memory(const tulle_memory_usage *before, const tulle_memory_usage *after) {
    size_t had = before->in_use - before->workspace, has = after->in_use - after->workspace;
    if (after->workspace == before->workspace) assert_int_equal(has, had);
    assert_in_range(has, had, had + after->workspace);
}

/* Fails the n-th allocation from now on; true when the call no longer gets that far. */
static bool fail_once(const char *where, maker call, tulle_format format, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL, *other = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    must(tulle_ctx_create("cpu:1", NULL, &other));
    entries twice = entries_random(20, 20, 80, 9);
    subjects s = {.zoo = zoo_make(8), .format = format};
    s.csr = zoo_mat(ctx, &s.zoo, TULLE_I64, TULLE_F64);
    s.far = zoo_mat(other, &s.zoo, TULLE_I64, TULLE_F64);
    must(entries_to_coo(ctx, &twice, TULLE_I64, TULLE_F64, &s.coo));
    must(tulle_mat_convert(ctx, s.csr, format, TULLE_I64, 0, &s.laid));
    must(tulle_ctx_trim(ctx));
    tulle_memory_usage before, after;
    must(tulle_ctx_memory(ctx, &before));

    c.fail_at = c.requests + n;
    tulle_mat *B = (tulle_mat *)1;
    tulle_status status = call(ctx, &s, &B);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(B);
        assert_true(strlen(tulle_last_error()->message) > 0);
        must(tulle_ctx_memory(ctx, &after));
        assert_same_memory(&before, &after);
        c.fail_at = 0; /* and the inputs serve as before */
        must(call(ctx, &s, &B));
    }
    tulle_mat_destroy(B);
    tulle_mat_destroy(s.csr);
    tulle_mat_destroy(s.coo);
    tulle_mat_destroy(s.far);
    tulle_mat_destroy(s.laid);
    tulle_ctx_destroy(ctx);
    tulle_ctx_destroy(other);
    entries_free(&twice);
    zoo_free(&s.zoo);
    assert_int_equal(c.live, 0);
    return done;
}

static void fail_all(const char *where, maker call, tulle_format format) {
    int64_t n = 1;
    while (!fail_once(where, call, format, n)) n++;
    assert_true(n > 1);
}

static void each_allocation_fails(tulle_ctx *unused, const char *where) {
    (void)unused;
    static const maker makers[] = {create_csr, create_coo, create_tall_coo, with_values, to_csr,
                                   to_coo,     summed,     transposed,      copied,      fetched,
                                   tiled};
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        fail_all(where, makers[i], TULLE_CSR);
    }
}

static void each_format_fails(tulle_ctx *unused, const char *where) {
    (void)unused;
    static const maker makers[] = {laid_out,        between,     back_to_coo,
                                   laid_transposed, laid_copied, from_arrays};
    for (int format = TULLE_CSC; format < TULLE_FORMAT_COUNT; format++) {
        for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
            if (is_slow(where) && i != (size_t)format % (sizeof makers / sizeof *makers)) continue;
            fail_all(where, makers[i], (tulle_format)format);
        }
    }
}

/* A block of three vectors of n numbers. */
static tulle_vec *three(tulle_ctx *ctx, int64_t n, tulle_layout layout) {
    tulle_vec *made = NULL;
    must(tulle_vec_create_columns(ctx, TULLE_F64, n, 3, layout, 0, &made));
    must(tulle_vec_fill(ctx, made, 2));
    return made;
}

/* tulle_spmm with the n-th allocation failing, on a context whose workspace is empty; true when the
 * call no longer gets that far. */
static bool spmm_fails(const char *where, tulle_trans op, tulle_layout layout, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    zoo_matrix zoo = zoo_make(21); /* square, so that any block fits either side */
    tulle_mat *A = zoo_mat(ctx, &zoo, TULLE_I32, TULLE_F64);
    tulle_vec *X = three(ctx, zoo.rows, layout), *Y = three(ctx, zoo.rows, layout);
    must(tulle_ctx_trim(ctx));

    double before[3 * 64], after[3 * 64];
    must(tulle_vec_read(ctx, Y, before, 0));
    c.fail_at = c.requests + n;
    tulle_status status = tulle_spmm(ctx, op, tulle_num(1), A, X, tulle_num(0), Y);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        must(tulle_vec_read(ctx, Y, after, 0));
        assert_memory_equal(before, after, sizeof before);
        c.fail_at = 0;
        must(tulle_spmm(ctx, op, tulle_num(1), A, X, tulle_num(0), Y));
    }
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    zoo_free(&zoo);
    assert_int_equal(c.live, 0);
    return done;
}

static void blocks(tulle_ctx *unused, const char *where) {
    (void)unused;
    for (int c = 0; c < 4; c++) {
        int64_t n = 1;
        while (!spmm_fails(where, (tulle_trans)(c / 2), (tulle_layout)(c % 2), n)) n++;
    }
}

static void test_blocks(void **state) {
    (void)state;
    once_on_each_place(blocks);
}

static void test_each_allocation_fails(void **state) {
    (void)state;
    once_on_each_place(each_allocation_fails);
}

static void test_each_format_fails(void **state) {
    (void)state;
    once_on_each_place(each_format_fails);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_allocation_fails),
        cmocka_unit_test(test_each_format_fails),
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
