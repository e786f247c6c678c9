/* SPDX-License-Identifier: Apache-2.0 */
/* Products, transposes and sums of distributed matrices have the patterns and the bits that one
 * process computes, however one to four threads share the rows; and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/error.h"
#include "counting.h"
#include "places.h"
#include "shares.h"

typedef enum { TIMES, GALERKIN, TURNED, PLUS, OPERATIONS } operation;

/* The operands, and the operation. */
typedef struct {
    shares A, B;
    tulle_type type;
    operation of;
    int fail_at; /* allocation of rank 1 that fails; 0: none */
} task;

/* A process whose data are the shares of one operand. */
static process of_shares(const process *p, shares *s) {
    process own = *p;
    own.data = s;
    return own;
}

static tulle_status compute(const process *p, tulle_dist_mat *A, tulle_dist_mat *B,
                            tulle_dist_mat **C) {
    const task *t = p->data;
    const tulle_scalar two = tulle_num(2), minus = tulle_num(-0.5);
    if (t->of == TIMES) return tulle_dist_spgemm(p->ctx, two, A, B, C);
    if (t->of == GALERKIN) return tulle_dist_spgemm_galerkin(p->ctx, two, A, B, C);
    if (t->of == TURNED) return tulle_dist_mat_transpose(p->ctx, A, C);
    return tulle_dist_add(p->ctx, two, A, minus, B, C);
}

static tulle_status compute_alone(tulle_ctx *ctx, operation of, const tulle_mat *A,
                                  const tulle_mat *B, tulle_mat **C) {
    const tulle_scalar two = tulle_num(2), minus = tulle_num(-0.5);
    if (of == TIMES) return tulle_spgemm(ctx, TULLE_N, TULLE_N, two, A, B, NULL, NULL, C);
    if (of == GALERKIN) return tulle_spgemm_galerkin(ctx, two, A, B, NULL, NULL, C);
    if (of == TURNED) return tulle_mat_transpose(ctx, A, C);
    return tulle_add(ctx, TULLE_N, TULLE_N, two, A, minus, B, NULL, NULL, C);
}

static tulle_status check(const process *p, tulle_dist_mat *C) {
    const task *t = p->data;
    tulle_mat *got = NULL, *A = NULL, *B = NULL, *due = NULL;
    tulle_status status = tulle_dist_mat_gather(p->ctx, C, 0, &got);
    if (status == TULLE_OK && p->rank == 0) {
        status = shares_whole(p->ctx, &t->A, t->type, &A);
        if (status == TULLE_OK) status = shares_whole(p->ctx, &t->B, t->type, &B);
        if (status == TULLE_OK) status = compute_alone(p->ctx, t->of, A, B, &due);
        if (status == TULLE_OK) status = shares_compare(p->ctx, got, due);
    }
    tulle_mat_destroy(got);
    tulle_mat_destroy(due);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    return status;
}

static tulle_status make_pair(process *p, tulle_dist_mat **A, tulle_dist_mat **B) {
    task *t = p->data;
    const process a = of_shares(p, &t->A), b = of_shares(p, &t->B);
    TULLE__TRY(shares_matrix(&a, t->type, A));
    return shares_matrix(&b, t->type, B);
}

static tulle_status run(process *p) {
    tulle_dist_mat *A = NULL, *B = NULL, *C = NULL;
    tulle_status status = make_pair(p, &A, &B);
    if (status == TULLE_OK) status = compute(p, A, B, &C);
    if (status == TULLE_OK) status = check(p, C);
    tulle_dist_mat_destroy(A);
    tulle_dist_mat_destroy(B);
    tulle_dist_mat_destroy(C);
    return status;
}

/* Rows and columns of A, and columns of B: a square, a wide and a tall A; none of a kind. */
static const int sizes[][3] = {{30, 30, 30}, {11, 40, 17}, {37, 9, 5}, {0, 6, 4}, {5, 0, 3}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Makes operands of an operation; false: it has none of these sizes. */
static bool make_operands(int size, operation of, task *t) {
    const int m = sizes[size][0], l = sizes[size][1], n = sizes[size][2];
    if (of == GALERKIN && m != l) return false;
    t->of = of;
    t->A = shares_make(m, l, 0, 6);
    t->B = of == PLUS ? shares_make(m, l, 1, 4) : shares_make(l, n, 0, 5);
    return true;
}

static void same_bits(tulle_ctx *ctx, const char *where) {
    const int few = is_slow(where) ? 5 : 1, turn = turn_of(where, 5);
    int number = 0;
    (void)ctx;
    for (int size = 0; size < SIZES; size++) {
        for (int of = 0; of < OPERATIONS; of++) {
            task t = {.type = (size + of) % 2 ? TULLE_F32 : TULLE_F64};
            if (!make_operands(size, (operation)of, &t)) continue;
            for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
                for (int way = 0; way < SHARE_WAYS; way++) {
                    if (number++ % few != (few > 1 ? turn : 0)) continue;
                    process p[MOST_RANKS];
                    shares_deal(&t.A, ranks, way);
                    shares_deal(&t.B, ranks, way);
                    run_ranks(ranks, 0, where, run, &t, p);
                    must_all_of(p, "operation %d of sizes %d, way %d, ", of, size, way);
                }
            }
            shares_drop(&t.A);
            shares_drop(&t.B);
        }
    }
}
ONCE_ON_EACH_PLACE(same_bits)

/* Each allocation of rank 1 fails in turn: rank 0 hears of it, nobody waits, and the communicator
 * is of use afterwards. */
static tulle_status without_memory(process *p) {
    const task *t = p->data;
    counting c = {.fail_at = 0};
    tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *own = p->ctx;
    tulle_dist_mat *A = NULL, *B = NULL, *C = NULL;
    TULLE__TRY(tulle_ctx_create(p->where, &options, &p->ctx));
    tulle_status status = make_pair(p, &A, &B);
    if (p->rank == 1) c.fail_at = c.requests + t->fail_at;
    if (status == TULLE_OK) status = compute(p, A, B, &C);
    c.fail_at = 0;
    if (status != TULLE_OK && C) status = wrong("a matrix after a failure");
    tulle_dist_mat_destroy(C);
    C = NULL;
    if (compute(p, A, B, &C) != TULLE_OK) status = wrong("the communicator has failed");
    tulle_dist_mat_destroy(A);
    tulle_dist_mat_destroy(B);
    tulle_dist_mat_destroy(C);
    tulle_comm_destroy(p->comm); /* it has memory of the context, too */
    p->comm = NULL;
    tulle_ctx_destroy(p->ctx);
    p->ctx = own;
    return c.live == 0 ? status : wrong("%lld blocks are left", (long long)c.live);
}

static void test_no_memory(void **state) {
    (void)state;
    for (int of = 0; of < OPERATIONS; of++) {
        task t = {.type = TULLE_F64};
        process p[MOST_RANKS];
        make_operands(0, (operation)of, &t);
        shares_deal(&t.A, 2, 0);
        shares_deal(&t.B, 2, 0);
        do {
            t.fail_at++;
            run_ranks(2, 60, "cpu:1", without_memory, &t, p);
            if (p[1].status == TULLE_OK) break;
            if (p[1].status != TULLE_OUT_OF_MEMORY || p[0].status != TULLE_PEER_FAILED ||
                p[0].seconds > 30) {
                fail_msg("operation %d, allocation %d: %s %s, %s %s", of, t.fail_at,
                         tulle_status_name(p[0].status), p[0].words, tulle_status_name(p[1].status),
                         p[1].words);
            }
        } while (true);
        must_all(p);
        assert_true(t.fail_at > 20);
        shares_drop(&t.A);
        shares_drop(&t.B);
    }
}

/* Operands that do not fit are refused in all processes; so is one that is missing in one. */
static tulle_status misfit(process *p) {
    task *t = p->data;
    tulle_dist_mat *A = NULL, *B = NULL, *other = NULL, *C = (tulle_dist_mat *)1;
    const process b = of_shares(p, &t->B);
    const tulle_scalar one = tulle_num(1);
    TULLE__TRY(make_pair(p, &A, &B));
    tulle_status status = shares_matrix(&b, TULLE_F32, &other);
    if (status == TULLE_OK &&
        (tulle_dist_spgemm(p->ctx, one, B, A, &C) != TULLE_SHAPE_MISMATCH ||
         tulle_dist_add(p->ctx, one, A, one, B, &C) != TULLE_SHAPE_MISMATCH ||
         tulle_dist_spgemm_galerkin(p->ctx, one, B, B, &C) != TULLE_SHAPE_MISMATCH ||
         tulle_dist_spgemm(p->ctx, one, A, other, &C) != TULLE_TYPE_MISMATCH)) {
        status = wrong("operands that do not fit are taken");
    }
    tulle_dist_mat *given = p->rank == 1 ? NULL : B;
    const tulle_status due = p->rank == 1 ? TULLE_INVALID_ARGUMENT : TULLE_PEER_FAILED;
    if (status == TULLE_OK && (tulle_dist_spgemm(p->ctx, one, A, given, &C) != due ||
                               tulle_dist_mat_transpose(p->ctx, A, given ? &C : NULL) != due)) {
        status = wrong("a missing operand is taken");
    }
    if (status == TULLE_OK && C) status = wrong("a matrix");
    if (status == TULLE_OK) status = tulle_dist_spgemm(p->ctx, one, A, B, &C);
    tulle_dist_mat_destroy(status == TULLE_OK ? C : NULL);
    tulle_dist_mat_destroy(A);
    tulle_dist_mat_destroy(B);
    tulle_dist_mat_destroy(other);
    return status;
}

static void test_misfits(void **state) {
    (void)state;
    task t = {.type = TULLE_F64};
    process p[MOST_RANKS];
    make_operands(1, TIMES, &t);
    shares_deal(&t.A, 3, 0);
    shares_deal(&t.B, 3, 0);
    run_ranks(3, 0, "cpu:1", misfit, &t, p);
    must_all(p);
    shares_drop(&t.A);
    shares_drop(&t.B);
    assert_int_equal(tulle_dist_spgemm(NULL, tulle_num(1), NULL, NULL, NULL),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_dist_mat_transpose(NULL, NULL, NULL), TULLE_INVALID_ARGUMENT);
}

/* Compares fetched rows, every third and the last one of the matrix, with the values times `by`. */
static tulle_status compare_rows(const process *p, const tulle_mat *got, double by) {
    const task *t = p->data;
    shares some = {.rows = tulle_mat_rows(got), .cols = t->A.cols};
    some.offsets = calloc((size_t)some.rows + 1, sizeof *some.offsets);
    some.columns = calloc((size_t)t->A.offsets[t->A.rows] + 1, sizeof *some.columns);
    some.values = calloc((size_t)t->A.offsets[t->A.rows] + 1, sizeof *some.values);
    int64_t at = 0, row = 0;
    for (int64_t i = p->rank; i < t->A.rows; i += 3) {
        for (int64_t e = t->A.offsets[i]; e < t->A.offsets[i + 1]; e++) {
            some.columns[at] = t->A.columns[e];
            some.values[at++] = by * t->A.values[e];
        }
        some.offsets[++row] = at;
    }
    tulle_mat *due = NULL;
    tulle_status status = row == some.rows ? TULLE_OK : wrong("%lld rows", (long long)some.rows);
    if (status == TULLE_OK) status = shares_whole(p->ctx, &some, t->type, &due);
    if (status == TULLE_OK) status = shares_compare(p->ctx, got, due);
    tulle_mat_destroy(due);
    shares_drop(&some);
    return status;
}

/* Gives this process's rows twice their values. */
static tulle_status double_values(const process *p, tulle_dist_mat *A) {
    const task *t = p->data;
    const int64_t row = t->A.row_start[p->rank], rows = t->A.row_start[p->rank + 1] - row;
    const int64_t begin = t->A.offsets[row], nnz = t->A.offsets[row + rows] - begin;
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    double *twice = calloc((size_t)nnz + 1, sizeof *twice);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = t->A.offsets[row + i] - begin;
    for (int64_t e = 0; e < nnz; e++) twice[e] = 2 * t->A.values[begin + e];
    void *values = ranks_numbers(twice, nnz, t->type);
    const tulle_status status = tulle_dist_mat_set_values(A, offsets, t->A.columns + begin, values);
    free(values);
    free(twice);
    free(offsets);
    return status;
}

static tulle_status fetch(process *p) {
    task *t = p->data;
    const process a = of_shares(p, &t->A);
    tulle_dist_mat *A = NULL;
    tulle_dist_rows *F = NULL;
    int64_t wanted[64], count = 0;
    for (int64_t i = p->rank; i < t->A.rows; i += 3) wanted[count++] = i;
    tulle_status status = shares_matrix(&a, t->type, &A);
    if (status == TULLE_OK) status = tulle_dist_rows_fetch(p->ctx, A, count, wanted, &F);
    if (status == TULLE_OK) status = compare_rows(p, tulle_dist_rows_mat(F), 1);
    if (status == TULLE_OK) status = double_values(p, A);
    if (status == TULLE_OK) status = tulle_dist_rows_update(p->ctx, F);
    if (status == TULLE_OK) status = compare_rows(p, tulle_dist_rows_mat(F), 2);
    tulle_dist_rows_destroy(F);
    F = (tulle_dist_rows *)1;
    if (status == TULLE_OK && count > 0) {
        if (p->rank == 0) wanted[count - 1] = t->A.rows;
        const tulle_status due = p->rank == 0 ? TULLE_INVALID_ARGUMENT : TULLE_PEER_FAILED;
        if (tulle_dist_rows_fetch(p->ctx, A, count, wanted, &F) != due || F) {
            status = wrong("a row that A lacks");
        }
    }
    tulle_dist_mat_destroy(A);
    return status;
}

static void fetched(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int size = 0; size < 3; size++) {
        task t = {.type = size % 2 ? TULLE_F32 : TULLE_F64};
        make_operands(size, PLUS, &t);
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            const int way = (ranks + size) % SHARE_WAYS;
            process p[MOST_RANKS];
            if (is_slow(where) && way != turn_of(where, SHARE_WAYS)) continue;
            shares_deal(&t.A, ranks, way);
            run_ranks(ranks, 0, where, fetch, &t, p);
            must_all(p);
        }
        shares_drop(&t.A);
        shares_drop(&t.B);
    }
}
ONCE_ON_EACH_PLACE(fetched)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_fetched),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_misfits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
