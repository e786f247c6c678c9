/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions of matrices whose rows as they stand share badly, as those of a shuffled grid. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/error.h"
#include "counting.h"
#include "orders.h"
#include "places.h"
#include "shares.h"

/* A model matrix whose rows are shuffled, and what threads do with it. */
typedef struct task {
    const char *spec;
    tulle_type type;
    int k;
    bool none_for_1; /* rank 1 has no rows before */
    bool one_way;    /* entries below the diagonal are left out of the pattern */
    const char *precond;
    tulle_mat *whole;
    const int64_t *order; /* order[i]: old number of the row at place i after the partition */
    const int64_t *starts;
    tulle_mat *due;                                /* the whole matrix after the partition */
    int64_t needed[MOST_RANKS], needs[MOST_RANKS]; /* rows of x from others, before and after */
} task;

/* Skips a test where libtulle has no METIS, after a look at what is said then. */
static void need_metis(void) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tulle_order *P = NULL;
    int64_t starts[3];
    must(tulle_ctx_create("cpu:1", NULL, &ctx));
    must(tulle_generate(ctx, "p2d5:3", 1, TULLE_F64, &A));
    const tulle_status status = tulle_order_partition(ctx, A, 2, starts, &P);
    tulle_order_destroy(P);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    if (status == TULLE_OK) return;
    assert_int_equal(status, TULLE_UNSUPPORTED);
    assert_non_null(strstr(tulle_last_error()->message, "without METIS"));
    say_skipped("partitions: the build has no METIS");
    skip();
}

static int64_t share(const task *t, int64_t n, int ranks, int rank, int64_t *first) {
    if (!t->none_for_1 || ranks == 1) return tulle_dist_share(n, ranks, rank, first);
    const int64_t rows = tulle_dist_share(n, ranks - 1, rank > 1 ? rank - 1 : 0, first);
    if (rank == 1) *first += rows;
    return rank == 1 ? 0 : rows;
}

static tulle_status make(const process *p, tulle_dist_mat **A) {
    const task *t = p->data;
    tulle_mat *own = NULL;
    int64_t first;
    const int64_t rows = share(t, tulle_mat_rows(t->whole), p->ranks, p->rank, &first);
    tulle_status status = tulle_mat_copy(p->ctx, t->whole, t->type, &own);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_from_rows(p->ctx, p->comm, own, first, rows, rows, A);
    }
    tulle_mat_destroy(own);
    return status;
}

/* Number i of column j of what travels. */
static double number(int64_t i, int64_t j) {
    return 1 + (double)(i % 1024) + (double)j / 4;
}

/* Fills a multivector of `rows` rows, row i of which is row names[i] of the whole (NULL: first +
 * i), or compares it. */
static tulle_status rows_of(const process *p, tulle_vec *X, int64_t rows, int64_t first,
                            const int64_t *names, bool compares) {
    const task *t = p->data;
    double *numbers = calloc((size_t)(rows * t->k) + 1, sizeof *numbers);
    for (int64_t i = 0; i < rows * t->k; i++) {
        const int64_t row = i / t->k;
        numbers[i] = number(names ? names[row] : first + row, i % t->k);
    }
    void *due = ranks_numbers(numbers, rows * t->k, t->type), *got = calloc(1, 1);
    tulle_status status = TULLE_OK;
    if (!compares) {
        status = tulle_vec_write(p->ctx, X, due, 0);
    } else {
        const size_t bytes = (size_t)(rows * t->k * tulle_type_size(t->type));
        free(got);
        got = calloc(bytes + 1, 1);
        status = tulle_vec_read(p->ctx, X, got, 0);
        if (status == TULLE_OK && memcmp(got, due, bytes) != 0) status = wrong("rows of others");
    }
    free(numbers);
    free(due);
    free(got);
    return status;
}

static tulle_status travel(const process *p, const tulle_dist_mat_info *a,
                           const tulle_dist_mat_info *b, const tulle_dist_order *P) {
    const task *t = p->data;
    tulle_vec *X = NULL, *Y = NULL, *Z = NULL;
    tulle_status status =
        tulle_vec_create_columns(p->ctx, t->type, a->local_rows, t->k, TULLE_ROW_MAJOR, 0, &X);
    if (status == TULLE_OK) {
        status =
            tulle_vec_create_columns(p->ctx, t->type, b->local_rows, t->k, TULLE_ROW_MAJOR, 0, &Y);
    }
    if (status == TULLE_OK) {
        status =
            tulle_vec_create_columns(p->ctx, t->type, a->local_rows, t->k, TULLE_ROW_MAJOR, 0, &Z);
    }
    if (status == TULLE_OK) status = rows_of(p, X, a->local_rows, a->first_row, NULL, false);
    if (status == TULLE_OK) status = tulle_dist_vec_permute(p->ctx, P, X, Y);
    if (status == TULLE_OK) {
        status = rows_of(p, Y, b->local_rows, 0, t->order + b->first_row, true);
    }
    if (status == TULLE_OK) status = tulle_dist_vec_unpermute(p->ctx, P, Y, Z);
    if (status == TULLE_OK) status = rows_of(p, Z, a->local_rows, a->first_row, NULL, true);
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_vec_destroy(Z);
    return status;
}

static tulle_status partition(process *p) {
    task *t = p->data;
    tulle_dist_mat *A = NULL, *B = NULL;
    tulle_dist_order *P = NULL;
    tulle_mat *got = NULL, *due = NULL;
    tulle_dist_mat_info a = {.rows = 0}, b = {.rows = 0};
    tulle_status status = make(p, &A);
    if (status == TULLE_OK) status = tulle_dist_mat_partition(p->ctx, A, &B, &P);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(A, &a);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(B, &b);
    tulle_dist_mat_destroy(A);
    if (status == TULLE_OK && (b.first_row != t->starts[p->rank] || b.first_col != b.first_row ||
                               b.local_rows != t->starts[p->rank + 1] - b.first_row)) {
        status = wrong("rows from %lld on", (long long)b.first_row);
    }
    t->needed[p->rank] = a.received;
    t->needs[p->rank] = b.received;
    if (status == TULLE_OK) status = travel(p, &a, &b, P);
    if (status == TULLE_OK) status = tulle_dist_mat_gather(p->ctx, B, 0, &got);
    if (status == TULLE_OK && got) status = tulle_mat_copy(p->ctx, t->due, t->type, &due);
    if (status == TULLE_OK && got) status = shares_compare(p->ctx, got, due);
    tulle_mat_destroy(got);
    tulle_mat_destroy(due);
    tulle_dist_mat_destroy(B);
    tulle_dist_order_destroy(P);
    return status;
}

/* Makes the whole matrix on a CPU, with shuffled rows. */
static void open_task(tulle_ctx *cpu, task *t, uint64_t seed) {
    tulle_mat *plain = NULL, *all = NULL;
    must(tulle_generate(cpu, t->spec, 1, t->type, &plain));
    tulle_order *shuffle = order_shuffled(cpu, tulle_mat_rows(plain), seed);
    must(tulle_mat_permute(cpu, plain, shuffle, shuffle, &all));
    if (t->one_way) {
        must(tulle_mat_part(cpu, all, TULLE_UPPER, 0, &t->whole));
    } else {
        t->whole = all;
        all = NULL;
    }
    tulle_mat_destroy(all);
    tulle_mat_destroy(plain);
    tulle_order_destroy(shuffle);
}

static int64_t most(const int64_t *numbers, int count) {
    int64_t found = 0;
    for (int i = 0; i < count; i++) found = numbers[i] > found ? numbers[i] : found;
    return found;
}

/* Parts the matrix by so many threads; each finds what tulle_order_partition finds for the whole
 * one. */
static void part(tulle_ctx *cpu, const char *where, task *t, int ranks, int less) {
    static int64_t order[ORDERS_MOST], inverse[ORDERS_MOST];
    int64_t starts[MOST_RANKS + 1], again[MOST_RANKS + 1];
    const int64_t n = tulle_mat_rows(t->whole);
    tulle_order *P = NULL, *Q = NULL;
    must(tulle_order_partition(cpu, t->whole, ranks, starts, &P));
    order_check(cpu, P, n, order, inverse);
    must(tulle_order_partition(cpu, t->whole, ranks, again, &Q));
    assert_memory_equal(starts, again, ((size_t)ranks + 1) * sizeof *starts);
    must(tulle_order_read(cpu, Q, inverse));
    assert_memory_equal(order, inverse, (size_t)n * sizeof *order);
    assert_int_equal(starts[0], 0);
    assert_int_equal(starts[ranks], n);
    for (int r = 0; r < ranks; r++) {
        assert_true(starts[r] <= starts[r + 1]);
        for (int64_t i = starts[r]; i + 1 < starts[r + 1]; i++) {
            assert_true(order[i] < order[i + 1]);
        }
    }
    must(tulle_mat_permute(cpu, t->whole, P, P, &t->due));
    t->order = order;
    t->starts = starts;
    process p[MOST_RANKS];
    run_ranks(ranks, 0, where, partition, t, p);
    must_all_of(p, "%s: ", t->spec);
    if (less > 1) assert_true(most(t->needs, ranks) * less <= most(t->needed, ranks));
    tulle_mat_destroy(t->due);
    tulle_order_destroy(P);
    tulle_order_destroy(Q);
}

static void parted(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    const bool slow = is_slow(where);
    const struct {
        const char *spec;
        tulle_type type;
        int least, most, less; /* numbers of ranks; the halo is so many times smaller */
        bool none_for_1, one_way;
    } cases[] = {
        {slow ? "p2d5:12" : "p2d5:48", TULLE_F64, 2, 4, slow ? 2 : 5, false, false},
        {slow ? "p3d7:5" : "p3d7:12", TULLE_F32, 3, 4, slow ? 1 : 2, true, false},
        {"p2d9:14", TULLE_F64, 3, 3, 2, false, true},
        {"fem3:3", TULLE_F64, 2, 2, 1, true, false},
        {"dense_rows:60,3,2", TULLE_F64, 3, 3, 1, false, false},
        {"p2d5:2", TULLE_F64, 1, 4, 1, false, false},
        {"banded:40,0,40", TULLE_F32, 2, 2, 1, false, false},
    };
    tulle_ctx *cpu = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        task t = {.spec = cases[i].spec,
                  .type = cases[i].type,
                  .k = 1 + (int)i % MOST_COLUMNS,
                  .none_for_1 = cases[i].none_for_1,
                  .one_way = cases[i].one_way};
        open_task(cpu, &t, 5 + i);
        for (int ranks = cases[i].least; ranks <= cases[i].most; ranks++) {
            part(cpu, where, &t, ranks, cases[i].less);
        }
        tulle_mat_destroy(t.whole);
    }
    tulle_ctx_destroy(cpu);
}

static void test_parted(void **state) {
    (void)state;
    need_metis();
    once_on_each_place(parted);
}

/* Solves A x = b by way of the partition, with the multigrid that reaches over processes: x comes
 * back to where b was. */
static tulle_status solve(process *p) {
    task *t = p->data;
    tulle_dist_mat *A = NULL, *B = NULL;
    tulle_dist_order *P = NULL;
    tulle_dist_mat_info a = {.local_rows = 0}, b = {.local_rows = 0};
    tulle_vec *v[4] = {NULL};
    double norms[2];
    tulle_solve_report report = {.attempts = 0};
    const tulle_solve_options options = {.method = "cg", .precond = t->precond};
    tulle_status status = make(p, &A);
    if (status == TULLE_OK) status = tulle_dist_mat_partition(p->ctx, A, &B, &P);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(A, &a);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(B, &b);
    for (int i = 0; i < 4 && status == TULLE_OK; i++) {
        status = tulle_vec_create(p->ctx, t->type, i < 2 ? a.local_rows : b.local_rows, v + i);
    }
    if (status == TULLE_OK) status = rows_of(p, v[0], a.local_rows, a.first_row, NULL, false);
    if (status == TULLE_OK) status = tulle_dist_norm2(p->ctx, p->comm, v[0], norms);
    if (status == TULLE_OK) status = tulle_dist_vec_permute(p->ctx, P, v[0], v[2]);
    if (status == TULLE_OK) {
        status = tulle_dist_solve(p->ctx, B, v[2], v[3], &options, &report);
    }
    if (status == TULLE_OK && report.solver.outcome != TULLE_CONVERGED) status = wrong("no x");
    if (status == TULLE_OK) status = tulle_dist_vec_unpermute(p->ctx, P, v[3], v[1]);
    if (status == TULLE_OK) {
        status =
            tulle_dist_mat_multiply(p->ctx, TULLE_N, tulle_num(-1), A, v[1], tulle_num(1), v[0]);
    }
    if (status == TULLE_OK) status = tulle_dist_norm2(p->ctx, p->comm, v[0], norms + 1);
    if (status == TULLE_OK && !(norms[1] <= 1e-7 * norms[0])) {
        status = wrong("|b - A x| is %g of |b|", norms[1] / norms[0]);
    }
    for (int i = 0; i < 4; i++) tulle_vec_destroy(v[i]);
    tulle_dist_order_destroy(P);
    tulle_dist_mat_destroy(A);
    tulle_dist_mat_destroy(B);
    return status;
}

static void solved(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    tulle_ctx *cpu = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    task t = {.spec = is_slow(where) ? "p2d5:10" : "p2d5:24", .type = TULLE_F64, .k = 1};
    open_task(cpu, &t, 3);
    for (int i = 0; i < 2; i++) {
        process p[MOST_RANKS];
        t.precond = i == 1 ? "amg" : "none";
        run_ranks(3, 0, where, solve, &t, p);
        must_all_of(p, "%s: ", t.precond);
    }
    tulle_mat_destroy(t.whole);
    tulle_ctx_destroy(cpu);
}

static void test_solved(void **state) {
    (void)state;
    need_metis();
    once_on_each_place(solved);
}

/* Arguments at fault are refused, and the communicator stays of use. */
static tulle_status refuse(process *p) {
    tulle_dist_mat *A = NULL, *B = NULL, *tall = NULL;
    tulle_dist_order *P = NULL;
    tulle_vec *X = NULL, *Y = NULL, *wide = NULL;
    tulle_dist_mat_info b;
    TULLE__TRY(tulle_dist_generate(p->ctx, p->comm, "random:9,7,2", 1, TULLE_F64, &tall));
    if (tulle_dist_mat_partition(p->ctx, tall, &B, &P) != TULLE_SHAPE_MISMATCH || B || P) {
        return wrong("a matrix that is not square");
    }
    TULLE__TRY(tulle_dist_generate(p->ctx, p->comm, "p2d5:8", 1, TULLE_F64, &A));
    tulle_status due = p->rank == 1 ? TULLE_INVALID_ARGUMENT : TULLE_PEER_FAILED;
    if (tulle_dist_mat_partition(p->ctx, A, &B, p->rank == 1 ? NULL : &P) != due) {
        return wrong("no place for the order of rank 1");
    }
    TULLE__TRY(tulle_dist_mat_partition(p->ctx, A, &B, &P));
    TULLE__TRY(tulle_dist_mat_describe(B, &b));
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 32, &X));
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, b.local_rows, &Y));
    TULLE__TRY(
        tulle_vec_create_columns(p->ctx, TULLE_F64, b.local_rows, 2, TULLE_ROW_MAJOR, 0, &wide));
    due = p->rank == 1 ? TULLE_SHAPE_MISMATCH : TULLE_PEER_FAILED;
    if (tulle_dist_vec_permute(p->ctx, P, X, p->rank == 1 ? wide : Y) != due) {
        return wrong("two columns in rank 1");
    }
    due = p->rank == 0 ? TULLE_INVALID_ARGUMENT : TULLE_PEER_FAILED;
    if (tulle_dist_vec_unpermute(p->ctx, P, Y, p->rank == 0 ? NULL : X) != due) {
        return wrong("no X in rank 0");
    }
    TULLE__TRY(tulle_vec_fill(p->ctx, X, 3));
    TULLE__TRY(tulle_dist_vec_permute(p->ctx, P, X, Y));
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_vec_destroy(wide);
    tulle_dist_order_destroy(P);
    tulle_dist_mat_destroy(A);
    tulle_dist_mat_destroy(B);
    tulle_dist_mat_destroy(tall);
    return TULLE_OK;
}

static void test_refused(void **state) {
    (void)state;
    need_metis();
    process p[MOST_RANKS];
    run_ranks(2, 0, "cpu:1", refuse, NULL, p);
    must_all(p);
}

/* Each allocation of rank 1 fails in turn: rank 0 hears of it, and nothing is left. */
static tulle_status without_memory(process *p) {
    counting c = {.fail_at = 0};
    tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *own = p->ctx;
    tulle_dist_mat *A = NULL, *B = NULL;
    tulle_dist_order *P = NULL;
    tulle_dist_mat_info b = {.rows = 0};
    tulle_vec *X = NULL, *Y = NULL;
    TULLE__TRY(tulle_ctx_create(p->where, &options, &p->ctx));
    tulle_status status = tulle_dist_generate(p->ctx, p->comm, "p2d5:6", 1, TULLE_F64, &A);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, TULLE_F64, 18, &X);
    if (status == TULLE_OK) status = tulle_dist_mat_partition(p->ctx, A, &B, &P);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(B, &b); /* as of the next one */
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, TULLE_F64, b.local_rows, &Y);
    tulle_dist_order_destroy(P);
    tulle_dist_mat_destroy(B);
    P = NULL;
    B = NULL;
    if (p->rank == 1) c.fail_at = c.requests + *(int *)p->data;
    if (status == TULLE_OK) status = tulle_dist_mat_partition(p->ctx, A, &B, &P);
    if (status == TULLE_OK) status = tulle_dist_vec_permute(p->ctx, P, X, Y);
    if (status == TULLE_OK) status = tulle_dist_vec_unpermute(p->ctx, P, Y, X);
    c.fail_at = 0;
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_dist_order_destroy(P);
    tulle_dist_mat_destroy(A);
    tulle_dist_mat_destroy(B);
    tulle_comm_destroy(p->comm); /* it has memory of the context, too */
    p->comm = NULL;
    tulle_ctx_destroy(p->ctx);
    p->ctx = own;
    return c.live == 0 ? status : wrong("%lld blocks are left", (long long)c.live);
}

static void test_no_memory(void **state) {
    (void)state;
    need_metis();
    process p[MOST_RANKS];
    int k = 0; /* the allocation that fails */
    do {
        k++;
        run_ranks(2, 60, "cpu:1", without_memory, &k, p);
        if (p[1].status == TULLE_OK) break;
        if (p[1].status != TULLE_OUT_OF_MEMORY || p[0].status != TULLE_PEER_FAILED) {
            fail_msg("allocation %d: %s, %s; %s", k, tulle_status_name(p[0].status),
                     tulle_status_name(p[1].status), p[1].words);
        }
    } while (true);
    must_all(p);
    assert_true(k > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parted),
        cmocka_unit_test(test_solved),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
