/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of blocks by every kernel that takes blocks: diagonal blocks that need their pivots, rows
 * of many blocks, patterns that are not symmetric, numbers that look like awaited ones, and
 * singular blocks. */
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
#include "zoo.h"

static const int sizes[] = {2, 3, 4, 5, 7, 8, 16};
enum { SIZES = sizeof sizes / sizeof *sizes };

static const char *const kernels[] = {"factor_blocks", "factor_blocks:blocks=1",
                                      "factor_poll_blocks"};

/* With every kernel of a GPU, or the CPU's only one. */
static void on_each_kernel(tulle_ctx *ctx, int block,
                           void (*check)(tulle_ctx *ctx, const void *what), const void *what) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    if (device.backend == TULLE_CPU) {
        check(ctx, what);
        return;
    }
    for (int k = block == 7 ? 2 : 0; k < 3; k++) {
        must(tulle_ctx_force_kernel(ctx, kernels[k]));
        check(ctx, what);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static entries room_for(int64_t n, int64_t most) {
    entries e = {n,
                 n,
                 0,
                 calloc((size_t)most, sizeof *e.row),
                 calloc((size_t)most, sizeof *e.col),
                 calloc((size_t)most, sizeof *e.value)};
    assert_true(e.row && e.col && e.value);
    return e;
}
static void put(entries *e, int64_t row, int64_t col, double value) {
    e->row[e->nnz] = row;
    e->col[e->nnz] = col;
    e->value[e->nnz++] = value;
}

/* Blocks (i, j) where `kept` says so: small numbers, and on the diagonal rows that dominate, but in
 * another order, so that no pivot stands where it is needed. */
static entries turned_blocks(int64_t blocks, int b, bool (*kept)(int64_t i, int64_t j)) {
    entries e = room_for(blocks * b, blocks * blocks * b * b);
    uint64_t state = 7;
    for (int64_t i = 0; i < blocks * b; i++) {
        for (int64_t j = 0; j < blocks * b; j++) {
            if (!kept(i / b, j / b)) continue;
            const bool large = i / b == j / b && (i + 1 + i / b) % b == j % b;
            put(&e, i, j,
                large ? 3 + (double)(i % 5) : zoo_number(&state) / (double)(2 * b * blocks));
        }
    }
    return e;
}
static bool all_blocks(int64_t i, int64_t j) {
    (void)i;
    (void)j;
    return true;
}
/* Row j has column k > j where row k does not have column j, and a later row has both. */
static bool one_sided(int64_t i, int64_t j) {
    return i == j || i % 7 == 6 || (j > i && (i + j) % 3 != 0) || (j < i && (3 * i + j) % 5 == 1);
}

typedef struct {
    const entries *A;
    const factor_setting *s;
} tried;

static void factorise(tulle_ctx *ctx, const void *what) {
    const tried *t = what;
    tulle_mat *A = factor_mat(ctx, t->A, t->s);
    tulle_factor *F = NULL;
    must(tulle_factor_create(ctx, A, &t->s->options, &F));
    factor_check(ctx, F, t->A, t->s);
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}

static void try_blocks(tulle_ctx *ctx, int64_t blocks, int b, bool (*kept)(int64_t, int64_t),
                       tulle_type type) {
    const entries e = turned_blocks(blocks, b, kept);
    for (int inverted = 0; inverted < 2; inverted++) {
        const factor_setting s = {.options = {.inverted = inverted != 0}, .block = b, .type = type};
        on_each_kernel(ctx, b, factorise, &(tried){&e, &s});
    }
    entries_free((entries *)&e);
}

static void pivoting(tulle_ctx *ctx, const char *where) {
    for (int k = 0; k < SIZES; k++) {
        if (is_slow(where) && (k + turn_of(where, 3)) % 3) continue;
        try_blocks(ctx, 4, sizes[k], all_blocks, TULLE_F64);
        try_blocks(ctx, 21, sizes[k] < 5 ? sizes[k] : 2, one_sided, TULLE_F64);
    }
    try_blocks(ctx, 5, 4, all_blocks, TULLE_F32);
}

/* A row before it has more blocks than a kernel takes at a time; rows that do not fit in shared
 * memory, all of them or one alone. */
static bool arrow(int64_t i, int64_t j) {
    return i == j || i == 65;
}
static void many_blocks(tulle_ctx *ctx, const char *where) {
    const int turn = turn_of(where, 3);
    const bool all = !is_slow(where);
    if (all || turn == 0) try_blocks(ctx, 38, 2, all_blocks, TULLE_F64);
    if (all || turn == 1) try_blocks(ctx, 49, 2, all_blocks, TULLE_F32);
    if (all || turn == 2) try_blocks(ctx, 66, 16, arrow, TULLE_F64);
}

/* Rows in scratch, of whose blocks a lane has several numbers in a row, at several places; or one,
 * in blocks whose rows are no whole number of vectors. */
static void in_scratch(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    if (device.backend != TULLE_CPU) must(tulle_ctx_force_kernel(ctx, "factor_blocks"));
    for (int b = 3; b <= 5; b++) {
        if (is_slow(where) && b != 3 + turn_of(where, 2)) continue;
        const entries e = turned_blocks(49, b, all_blocks);
        const factor_setting s = {
            .options = {.inverted = b == 3}, .block = b, .type = b == 5 ? TULLE_F32 : TULLE_F64};
        factorise(ctx, &(tried){&e, &s});
        entries_free((entries *)&e);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
}

/* All fill, whose pattern is known to be symmetric, with rows of as many blocks as there are. */
static bool scattered(int64_t i, int64_t j) {
    return i == j || (i * 7 + j * 11) % 23 == 0 || i % 40 == 39;
}
static void filled(tulle_ctx *ctx, const char *where) {
    (void)where;
    const entries e = turned_blocks(56, 3, scattered);
    const factor_setting s = {.options = {.fill = TULLE_FILL_ALL}, .block = 3, .type = TULLE_F64};
    on_each_kernel(ctx, 3, factorise, &(tried){&e, &s});
    entries_free((entries *)&e);
}

/* A NaN with the bits that memory is filled with is a number like others, wherever it stands: in a
 * block that others wait for, off the diagonal or on it. */
static void update_with(tulle_ctx *ctx, const void *what) {
    enum { COUNT = 9 * 2 * 2 };
    const factor_setting s = {.block = 2, .type = TULLE_F64};
    tulle_mat *A = factor_mat(ctx, what, &s);
    tulle_factor *F = NULL;
    tulle_factor_report report;
    must(tulle_factor_create(ctx, A, &s.options, &F));
    for (int at = 0; at <= COUNT; at++) {
        double values[COUNT];
        for (int i = 0; i < COUNT; i++) values[i] = i / 4 % 4 == 0 && i % 4 % 3 == 0 ? 3 : 0.125;
        if (at < COUNT) memset(&values[at], 0xff, sizeof *values);
        tulle_mat *B = NULL;
        must(tulle_mat_with_values(ctx, A, TULLE_F64, COUNT, values, &B));
        must(tulle_factor_update(ctx, F, B));
        must(tulle_factor_status(ctx, F, &report));
        assert_int_equal(report.bad > 0, at < COUNT);
        tulle_mat_destroy(B);
    }
    tulle_factor_destroy(F);
    tulle_mat_destroy(A);
}
static void awaited_numbers(tulle_ctx *ctx, const char *where) {
    (void)where;
    const entries e = turned_blocks(3, 2, all_blocks);
    on_each_kernel(ctx, 2, update_with, &e);
    entries_free((entries *)&e);
}

/* Row 0 of block 1 is zero, and with it its column 1, whose pivot is the first bad one. */
static void refuse_singular(tulle_ctx *ctx, const void *what) {
    const tried *t = what;
    tulle_mat *A = factor_mat(ctx, t->A, t->s);
    tulle_factor *F = NULL;
    assert_int_equal(tulle_factor_create(ctx, A, &t->s->options, &F), TULLE_ZERO_PIVOT);
    assert_int_equal(tulle_last_error()->row, t->s->block + 1);
    tulle_mat_destroy(A);
}
static void singular(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int k = 0; k < SIZES; k++) {
        const int b = sizes[k];
        entries e = room_for(3 * b, 3 * b * b);
        for (int64_t i = 0; i < 3 * b; i++) {
            for (int64_t c = 0; c < b; c++) {
                const bool zero = i / b == 1 && i % b == 0;
                put(&e, i, i / b * b + c, zero ? 0 : (i + 1) % b == c ? 2 : 0);
            }
        }
        const factor_setting s = {.block = b, .type = TULLE_F64};
        on_each_kernel(ctx, b, refuse_singular, &(tried){&e, &s});
        entries_free(&e);
    }
}

ONCE_ON_EACH_PLACE(pivoting)
ONCE_ON_EACH_PLACE(many_blocks)
ONCE_ON_EACH_PLACE(in_scratch)
ONCE_ON_EACH_PLACE(filled)
ONCE_ON_EACH_PLACE(awaited_numbers)
ONCE_ON_EACH_PLACE(singular)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pivoting),   cmocka_unit_test(test_many_blocks),
        cmocka_unit_test(test_in_scratch), cmocka_unit_test(test_filled),
        cmocka_unit_test(test_singular),   cmocka_unit_test(test_awaited_numbers),
    };
    emulate_by_turns(2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
