/* SPDX-License-Identifier: Apache-2.0 */
/* A sum of matrices whose offsets begin beyond 2^31 and 2^32 without the memory: columns and values
 * are moved back by as much, so that every address that is formed is real. And cuts through two
 * matrices, against the list of items that they cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algebra/cut.h"
#include "algebra/functions.h"
#include "beyond.h"
#include "core/context.h"
#include "entries.h"
#include "matrix/matrix.h"
#include "places.h"
#include "tulle/add.h"

/* A task, and the C that its back end asks for. */
typedef struct {
    tulle__add_task task; /* first */
    tulle_ctx *ctx;
    int phases;
} job;

static tulle_status make_c(tulle__add_task *task, int64_t nnz) {
    job *j = (job *)task;
    task->c = (tulle__sum){.nnz = nnz, .index = task->index};
    must(tulle__alloc(j->ctx, (size_t)((task->rows + 1) * tulle_offset_size(task->index)),
                      &task->c.offsets));
    must(tulle__alloc(j->ctx, (size_t)(nnz * tulle_index_size(task->index)), &task->c.cols_of));
    must(tulle__alloc(j->ctx, (size_t)nnz * sizeof(double), &task->c.values));
    return TULLE_OK;
}

static tulle_status ends(tulle__add_task *task, tulle__add_phase phase) {
    job *j = (job *)task;
    j->phases |= 1 << phase;
    return TULLE_OK;
}

/* A as one of a task's, its offsets moved up; these are the caller's to free. known: how long its
 * longest row is, which decides how it is cut on a GPU. */
static tulle__addend moved(tulle_ctx *ctx, const tulle_mat *A, int64_t base, bool known) {
    const tulle__pattern *p = A->pattern;
    return (tulle__addend){.nnz = p->nnz,
                           .longest = known ? p->stats.max_row : 0,
                           .offsets = moved_offsets(ctx, p->offsets.data, p->rows, base),
                           .cols_of = moved_back(p->cols_of.data, base, tulle_index_size(p->index)),
                           .values = moved_back(A->values.data, base, sizeof(double)),
                           .factor = tulle_num(1)};
}

static void add_moved(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat *B, const tulle_mat *C,
                      int64_t a_base, int64_t b_base, bool known) {
    const tulle__pattern *c = C->pattern;
    job j = {.ctx = ctx,
             .task = {.rows = A->pattern->rows,
                      .type = TULLE_F64,
                      .index = A->pattern->index,
                      .a = moved(ctx, A, a_base, known),
                      .b = moved(ctx, B, b_base, known),
                      .make_c = make_c,
                      .ends = ends}};
    must(ctx->backend->algebra->add(&ctx->place, &j.task));
    must(tulle_ctx_synchronize(ctx));
    assert_int_equal(j.phases, 1 << TULLE__ADD_COUNT | 1 << TULLE__ADD_COMPUTE);
    assert_int_equal(j.task.c.nnz, c->nnz);
    size_t rows = (size_t)c->rows + 1, nnz = (size_t)c->nnz;
    arrays_compare(ctx, j.task.c.offsets, c->offsets.data, rows * sizeof(int64_t));
    arrays_compare(ctx, j.task.c.cols_of, c->cols_of.data,
                   nnz * (size_t)tulle_index_size(c->index));
    arrays_compare(ctx, j.task.c.values, C->values.data, nnz * sizeof(double));
    tulle__free(ctx, j.task.c.values);
    tulle__free(ctx, j.task.c.cols_of);
    tulle__free(ctx, j.task.c.offsets);
    tulle__free(ctx, (void *)(uintptr_t)j.task.b.offsets);
    tulle__free(ctx, (void *)(uintptr_t)j.task.a.offsets);
}

static void try_offsets(tulle_ctx *ctx, const entries *A, const entries *B, bool known) {
    for (int index = TULLE_I64_I32; index <= TULLE_I64; index++) {
        tulle_mat *a = entries_to_csr(ctx, A, (tulle_index)index, TULLE_F64), *C = NULL;
        tulle_mat *b = entries_to_csr(ctx, B, (tulle_index)index, TULLE_F64);
        must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(1), a, tulle_num(1), b, NULL, NULL, &C));
        for (int i = 0; i < BEYOND; i++) {
            add_moved(ctx, a, b, C, beyond[i], beyond[(i + 1) % BEYOND], known);
            add_moved(ctx, a, b, C, i % 2 ? 0 : beyond[i], i % 2 ? beyond[i] : 0, known);
        }
        tulle_mat_destroy(C);
        tulle_mat_destroy(b);
        tulle_mat_destroy(a);
    }
}

/* Enough entries for several tiles of a GPU and several pieces of a CPU. */
static void offsets(tulle_ctx *ctx, const char *where) {
    int64_t many = is_slow(where) ? 4000 : 40000;
    entries A = entries_random(300, 5000, many, 1), B = entries_random(300, 5000, many, 2);
    entries_sort(&A);
    entries_sum(&A, TULLE_F64);
    entries_sort(&B);
    entries_sum(&B, TULLE_F64);
    try_offsets(ctx, &A, &B, true);
    entries_free(&B);
    entries_free(&A);
}

/* Rows of four entries, so many columns apart. */
static entries short_rows(int64_t rows, int64_t apart) {
    entries e = entries_random(rows, 5000, 4 * rows, 3);
    for (int64_t k = 0; k < e.nnz; k++) {
        e.row[k] = k / 4;
        e.col[k] = e.row[k] * 37 % 4000 + k % 4 * apart;
    }
    return e;
}

/* Enough rows for several strips; they are tiles where nobody knows how long rows are. */
static void short_offsets(tulle_ctx *ctx, const char *where) {
    const int64_t rows = is_slow(where) ? 290 : 5000;
    entries A = short_rows(rows, 3), B = short_rows(rows, 2);
    try_offsets(ctx, &A, &B, true);
    try_offsets(ctx, &A, &B, false);
    entries_free(&B);
    entries_free(&A);
}

/* One item after another: the next entry by row and column, of equal ones A's, or an end of a row.
 */
static void pass(const tulle__two_csr *t, tulle__cut *at) {
    int64_t a_end = tulle__two_a(t, at->row + 1), b_end = tulle__two_b(t, at->row + 1);
    bool in_a = at->a < a_end, in_b = at->b < b_end;
    if (!in_a && !in_b) {
        at->row++;
    } else if (in_a && (!in_b || tulle__two_a_col(t, at->a) <= tulle__two_b_col(t, at->b))) {
        at->a++;
    } else {
        at->b++;
    }
}

/* Whether the entry before and the one behind are A's and B's of one place. */
static bool parts_a_pair(const tulle__two_csr *t, const tulle__cut *at, bool after_a) {
    return after_a && at->b < tulle__two_b(t, at->row + 1) &&
           tulle__two_a_col(t, at->a - 1) == tulle__two_b_col(t, at->b);
}

static void check_cuts(const entries *A, const entries *B, int64_t base) {
    int64_t *a = entries_begins(A), *b = entries_begins(B);
    int64_t *moved_a = widths(a, A->rows + 1, 8, base), *moved_b = widths(b, A->rows + 1, 8, 0);
    tulle__two_csr two = {.rows = A->rows,
                          .a_nnz = A->nnz,
                          .b_nnz = B->nnz,
                          .offset_size = 8,
                          .index_size = 8,
                          .a_offsets = moved_a,
                          .a_cols = moved_back(A->col, base, 8),
                          .b_offsets = moved_b,
                          .b_cols = B->col};
    assert_int_equal(tulle__two_items(&two), A->rows + A->nnz + B->nnz);
    tulle__cut at = {0};
    bool after_a = false;
    for (int64_t items = 0; items <= tulle__two_items(&two); items++) {
        tulle__cut cut = tulle__cut_at(&two, items), want = at;
        want.b += at.row < two.rows && parts_a_pair(&two, &at, after_a);
        assert_int_equal(cut.row, want.row);
        assert_int_equal(cut.a, want.a);
        assert_int_equal(cut.b, want.b);
        if (items == tulle__two_items(&two)) break;
        int64_t before = at.a;
        pass(&two, &at);
        after_a = at.a > before;
    }
    assert_true(at.row == two.rows && at.a == A->nnz && at.b == B->nnz);
    free(moved_b);
    free(moved_a);
    free(b);
    free(a);
}

static void test_cuts(void **state) {
    (void)state;
    static const int64_t shapes[][4] = {{1, 40, 60, 50},   {40, 1, 60, 50}, {7, 9, 30, 40},
                                        {50, 50, 20, 400}, {60, 4, 0, 30},  {60, 4, 30, 0},
                                        {5, 300, 300, 9},  {9, 3, 0, 0},    {3, 8, 90, 90}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const int64_t *s = shapes[i];
        entries A = entries_random(s[0], s[1], s[2], i),
                B = entries_random(s[0], s[1], s[3], i + 9);
        entries_sort(&A);
        entries_sum(&A, TULLE_F64);
        entries_sort(&B);
        entries_sum(&B, TULLE_F64);
        check_cuts(&A, &B, 0);
        check_cuts(&A, &B, ((int64_t)1 << 32) + 3);
        check_cuts(&A, &A, 0);
        entries_free(&B);
        entries_free(&A);
    }
}

static void test_offsets(void **state) {
    (void)state;
    on_each_place(offsets);
}

static void test_short_offsets(void **state) {
    (void)state;
    on_each_place(short_offsets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_short_offsets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
