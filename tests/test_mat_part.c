/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_part against the definition: every entry of a part, bit by bit and in its order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "making.h"
#include "places.h"
#include "small_matrices.h"

static const tulle_part parts[] = {TULLE_LOWER, TULLE_UPPER};

static bool is_in(tulle_part part, int64_t offset, int64_t i, int64_t j) {
    if (offset > INT32_MAX || offset < INT32_MIN) return (part == TULLE_LOWER) == (offset > 0);
    return part == TULLE_LOWER ? j <= i + offset : j >= i + offset;
}

static entries part_of(const entries *e, tulle_part part, int64_t offset) {
    entries p = entries_copy(e);
    p.nnz = 0;
    for (int64_t k = 0; k < e->nnz; k++) {
        if (!is_in(part, offset, e->row[k], e->col[k])) continue;
        p.row[p.nnz] = e->row[k];
        p.col[p.nnz] = e->col[k];
        p.value[p.nnz++] = e->value[k];
    }
    return p;
}

static void check(tulle_ctx *ctx, const tulle_mat *A, const entries *e, tulle_part part,
                  int64_t offset) {
    tulle_mat_info info;
    tulle_mat *B = NULL;
    must(tulle_mat_describe(A, &info));
    must(tulle_mat_part(ctx, A, part, offset, &B));
    entries want = part_of(e, part, offset);
    entries_check(ctx, B, &want, TULLE_CSR, info.index, info.type, "part");
    entries_free(&want);
    tulle_mat_destroy(B);
}

static void part_matrix(tulle_ctx *ctx, const small_matrix *m, uint64_t seed) {
    const int64_t offsets[] = {0,    -1,    1,         (int64_t)(seed % 40) - 20,
                               3000, -3000, INT64_MIN, INT64_MAX};
    for (int i = 0; i < 8; i++) {
        check(ctx, m->A, &m->e, parts[((uint64_t)i + seed) % 2], offsets[i]);
    }
}

static void random_matrices(tulle_ctx *ctx, const char *where) {
    each_small_matrix(ctx, where, places_seed(), part_matrix);
}

static void test_random_matrices(void **state) {
    (void)state;
    on_each_place(random_matrices);
}

/* Values are copied, whatever they are. */
static void values(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = small_entries(6, 6, 20, true, 2);
    e.value[0] = NAN, e.value[1] = INFINITY, e.value[2] = -0.0, e.value[3] = -INFINITY;
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I64_I32, TULLE_F64), *B = NULL;
    must(tulle_mat_part(ctx, A, TULLE_UPPER, -6, &B));
    entries all = entries_read(ctx, B);
    assert_int_equal(all.nnz, e.nnz);
    for (int64_t k = 0; k < e.nnz; k++) assert_same_number(all.value[k], e.value[k]);
    entries_free(&all);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    entries_free(&e);
}
ONCE_ON_EACH_PLACE(values)

static void formats(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = small_entries(30, 40, 200, true, 9);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
        tulle_mat *B = NULL;
        must(tulle_mat_convert(ctx, A, (tulle_format)f, TULLE_I32, 0, &B));
        check(ctx, B, &e, parts[f % 2], 2);
        tulle_mat_destroy(B);
    }
    tulle_mat_destroy(A);
    entries_free(&e);
}
ONCE_ON_EACH_PLACE(formats)

static void random_one(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    m[0] = making_generated(ctx, "random:36,36,3", 1, TULLE_F64);
}

static tulle_status lower_of(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                             const tulle_index *index, tulle_mat **C) {
    (void)job;
    (void)index;
    return tulle_mat_part(ctx, m[0], TULLE_LOWER, 0, C);
}

static const making lower = {.operands = random_one, .make = lower_of};

static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_cancelling(ctx, &lower, 2);
}
ONCE_ON_EACH_PLACE(cancelling)

static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    making_check_running_out(where, &lower, 2);
}
ONCE_ON_EACH_PLACE(running_out)

static void errors(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const char *const name = "tulle_mat_part";
    tulle_mat *A = making_generated(ctx, "random:6,5,2", 1, TULLE_F64), *B = (tulle_mat *)1;
    making_assert_fails(tulle_mat_part(NULL, A, TULLE_LOWER, 0, &B), name, TULLE_INVALID_ARGUMENT,
                        "ctx", &B);
    making_assert_fails(tulle_mat_part(ctx, NULL, TULLE_LOWER, 0, &B), name, TULLE_INVALID_ARGUMENT,
                        "A", &B);
    making_assert_fails(tulle_mat_part(ctx, A, (tulle_part)7, 0, &B), name, TULLE_INVALID_ARGUMENT,
                        "part", &B);
    assert_int_equal(tulle_mat_part(ctx, A, TULLE_LOWER, 0, NULL), TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(errors)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices), cmocka_unit_test(test_values),
        cmocka_unit_test(test_formats),         cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_running_out),     cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
