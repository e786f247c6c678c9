/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed matrices: what is refused, and that all processes hear of a failure of one of them.
 */
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

/* Faults of one process are told to all. */
typedef struct {
    int64_t columns[2], offsets[3];
    tulle_type type;
    tulle_status own;
    const char *argument;
} fault;
static const fault faults[] = {
    {{0, 6}, {0, 1, 2}, TULLE_F64, TULLE_INVALID_MATRIX, "columns"},
    {{0, -1}, {0, 1, 2}, TULLE_F64, TULLE_INVALID_MATRIX, "columns"},
    {{0, 1}, {0, 2, 1}, TULLE_F64, TULLE_INVALID_MATRIX, "offsets"},
    {{0, 1}, {1, 1, 2}, TULLE_F64, TULLE_INVALID_MATRIX, "offsets"},
    {{0, 1}, {0, 1, 2}, (tulle_type)7, TULLE_INVALID_ARGUMENT, "type"},
    {{0, 1}, {0, 1, 2}, TULLE_F32, TULLE_INVALID_ARGUMENT, "type"},
};

static tulle_status make_at_fault(process *p) {
    static const fault none = {{0, 1}, {0, 1, 2}, TULLE_F64, TULLE_OK, ""};
    const fault *f = p->rank == 1 ? p->data : &none;
    const double values[] = {1, 2};
    tulle_dist_mat *A = (tulle_dist_mat *)1;
    const tulle_status status =
        tulle_dist_mat_create(p->ctx, p->comm, 2, 2, f->offsets, f->columns, f->type, values, &A);
    return A ? wrong("a matrix") : status;
}

static void test_faults(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        process p[MOST_RANKS];
        const bool differs = faults[i].type == TULLE_F32;
        run_ranks(3, 0, "cpu:1", make_at_fault, (void *)(faults + i), p);
        for (int r = 0; r < 3; r++) {
            const bool own = r == 1 || differs;
            assert_int_equal(p[r].status, own ? faults[i].own : TULLE_PEER_FAILED);
            if (own) assert_string_equal(p[r].argument, faults[i].argument);
            if (!own) assert_non_null(strstr(p[r].words, "rank 1 failed"));
        }
    }
}

/* Each allocation of rank 1 fails in turn: rank 0 hears of it, and nobody waits. */
static tulle_status without_memory(process *p) {
    counting c = {.fail_at = 0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    tulle_ctx *own = p->ctx;
    tulle_dist_mat *A = NULL;
    if (strcmp(p->where, "emulated") == 0) options.device = &allocator;
    TULLE__TRY(tulle_ctx_create(p->where, &options, &p->ctx));
    if (p->rank == 1) c.fail_at = c.requests + ((shares *)p->data)->k;
    tulle_status status = shares_matrix(p, TULLE_F64, &A);
    if (status != TULLE_OK && A) status = wrong("a matrix after a failure");
    c.fail_at = 0;
    tulle_dist_mat_destroy(A);
    tulle_comm_destroy(p->comm); /* it has memory of the context, too */
    p->comm = NULL;
    tulle_ctx_destroy(p->ctx);
    p->ctx = own;
    return c.live == 0 ? status : wrong("%lld blocks are left", (long long)c.live);
}

static void no_memory(tulle_ctx *ctx, const char *where) {
    shares s = shares_make(12, 12, 2, 5);
    process p[MOST_RANKS];
    (void)ctx;
    shares_deal(&s, 2, 0);
    s.k = 0;
    do {
        s.k++; /* the allocation that fails */
        run_ranks(2, 60, where, without_memory, &s, p);
        if (p[1].status == TULLE_OK) break;
        if (p[1].status != TULLE_OUT_OF_MEMORY || p[0].status != TULLE_PEER_FAILED ||
            p[0].seconds > 30) {
            fail_msg("allocation %d: %s, %s; %s", s.k, tulle_status_name(p[0].status),
                     tulle_status_name(p[1].status), p[1].words);
        }
    } while (true);
    must_all(p);
    assert_true(s.k > 20);
    shares_drop(&s);
}
ONCE_ON_EACH_PLACE(no_memory)

/* Offsets and columns that are not A's are refused. */
static tulle_status other_arrays(process *p) {
    static const int64_t offsets[] = {0, 1, 2}, columns[] = {1, 3}, none[] = {0, 0, 0};
    static const int64_t more[] = {0, 1, 3}, others[] = {1, 2}, own[] = {1, 1};
    static const double values[] = {1, 2};
    const bool empty = p->rank == 1;
    tulle_dist_mat *A = NULL;
    TULLE__TRY(tulle_dist_mat_create(p->ctx, p->comm, 2, 2, empty ? none : offsets, columns,
                                     TULLE_F64, values, &A));
    tulle_status status = TULLE_OK;
    if (!empty &&
        (tulle_dist_mat_set_values(A, more, columns, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, none, columns, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, offsets, others, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, offsets, own, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, NULL, columns, values) != TULLE_INVALID_ARGUMENT ||
         tulle_dist_mat_set_values(A, offsets, columns, NULL) != TULLE_INVALID_ARGUMENT)) {
        status = wrong("other arrays are taken");
    }
    if (empty) status = tulle_dist_mat_set_values(A, none, NULL, NULL);
    tulle_dist_mat_destroy(A);
    return status;
}

static tulle_status other_root(process *p) {
    double number = 1;
    tulle_vec *x = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 0, &x));
    const tulle_status status = tulle_dist_gather(p->ctx, p->comm, x, p->rank, &number);
    tulle_vec_destroy(x);
    return status;
}

/* Rank 1 makes a call with an x of another size, and then goes on: neither process may take numbers
 * of the other's next or last call for those of its own. */
typedef enum { PRODUCT, OPERATOR, SOLUTION, SLIPS } slip_of;

static tulle_status use(const process *p, slip_of of, tulle_dist_mat *A, tulle_linop *L,
                        tulle_solver *S, const tulle_vec *x, tulle_vec *y) {
    const tulle_scalar one = tulle_num(1), none = tulle_num(0);
    if (of == PRODUCT) return tulle_dist_mat_multiply(p->ctx, TULLE_N, one, A, x, none, y);
    if (of == OPERATOR) return tulle_linop_apply(p->ctx, TULLE_N, one, L, x, none, y);
    return tulle_solver_run(p->ctx, S, x, y, NULL);
}

static tulle_status use_all(const process *p, tulle_dist_mat *A, tulle_linop *L, tulle_solver *S,
                            tulle_vec *const v[3]) {
    const slip_of of = *(const slip_of *)p->data;
    if (p->rank == 1 && use(p, of, A, L, S, v[2], v[1]) != TULLE_SHAPE_MISMATCH) {
        return wrong("another size is taken");
    }
    return use(p, of, A, L, S, v[0], v[1]);
}

static tulle_status slip(process *p) {
    static const int64_t offsets[] = {0, 2, 4};
    const int64_t columns[] = {2 * p->rank, 2 * (1 - p->rank), 2 * p->rank + 1, 3 - 2 * p->rank};
    static const double values[] = {2, -1, 2, -1};
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL;
    tulle_solver *S = NULL;
    tulle_vec *v[3] = {NULL, NULL, NULL};
    tulle_status status =
        tulle_dist_mat_create(p->ctx, p->comm, 2, 2, offsets, columns, TULLE_F64, values, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, NULL, NULL, &S);
    for (int i = 0; i < 3 && status == TULLE_OK; i++) {
        status = tulle_vec_create(p->ctx, TULLE_F64, i < 2 ? 2 : 3, v + i);
        if (status == TULLE_OK) status = tulle_vec_fill(p->ctx, v[i], 1);
    }
    if (status == TULLE_OK) status = use_all(p, A, L, S, v);
    for (int i = 0; i < 3; i++) tulle_vec_destroy(v[i]);
    tulle_solver_destroy(S);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

static void test_slips(void **state) {
    (void)state;
    for (slip_of of = PRODUCT; of < SLIPS; of++) {
        process p[MOST_RANKS];
        run_ranks(2, 0, "cpu:1", slip, &of, p);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(p[r].status, TULLE_PEER_FAILED);
            assert_true(p[r].seconds < 30);
        }
    }
}

/* A vector that is missing in one process is told to all, which may go on. */
static tulle_status without_x(process *p) {
    double result = 7;
    tulle_vec *x = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
    tulle_status status = tulle_vec_fill(p->ctx, x, 2);
    const tulle_vec *given = p->rank == 1 ? NULL : x;
    const tulle_status due = p->rank == 1 ? TULLE_INVALID_ARGUMENT : TULLE_PEER_FAILED;
    if (status == TULLE_OK && (tulle_dist_dot(p->ctx, p->comm, given, given, &result) != due ||
                               tulle_dist_norm2(p->ctx, p->comm, given, &result) != due ||
                               tulle_dist_gather(p->ctx, p->comm, given, 0, &result) != due)) {
        status = wrong("a status that is not %s", tulle_status_name(due));
    }
    if (status == TULLE_OK) status = tulle_dist_dot(p->ctx, p->comm, x, x, &result);
    if (status == TULLE_OK && result != 12) status = wrong("inner product %g", result);
    tulle_vec_destroy(x);
    return status;
}

static tulle_status without_host(process *p) {
    tulle_vec *x = NULL, *empty = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
    tulle_status status = tulle_vec_create(p->ctx, TULLE_F64, 0, &empty);
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, empty, 0, NULL);
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, x, 0, NULL);
    tulle_vec_destroy(x);
    tulle_vec_destroy(empty);
    return status;
}

static void test_missing(void **state) {
    (void)state;
    process p[MOST_RANKS];
    run_ranks(3, 0, "cpu:1", without_x, NULL, p);
    must_all(p);
    run_ranks(3, 0, "cpu:1", without_host, NULL, p);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
        assert_string_equal(p[r].argument, "host");
    }
}

/* Returns `made`, if the communicator is still of use. */
static tulle_status go_on(const process *p, tulle_status made) {
    double result = 0;
    tulle_vec *x = NULL;
    TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
    tulle_status status = tulle_vec_fill(p->ctx, x, 1);
    if (status == TULLE_OK) status = tulle_dist_dot(p->ctx, p->comm, x, x, &result);
    tulle_vec_destroy(x);
    TULLE__TRY(status);
    return result == p->ranks ? made : wrong("inner product %g", result);
}

static tulle_status make_empty(const process *p, tulle_ctx *ctx, int64_t cols, tulle_dist_mat **A) {
    static const int64_t offsets[] = {0};
    return tulle_dist_mat_create(ctx, p->comm, 0, cols, offsets, NULL, TULLE_F64, NULL, A);
}

/* More columns than int64 has. */
static tulle_status too_many(process *p) {
    tulle_dist_mat *A = NULL;
    const tulle_status status = make_empty(p, p->ctx, INT64_C(1) << 62, &A);
    return A ? wrong("a matrix") : go_on(p, status);
}

/* Nowhere to put the matrix. */
static tulle_status without_place(process *p) {
    tulle_dist_mat *A = NULL;
    const tulle_status status = make_empty(p, p->ctx, 0, p->rank == 1 ? NULL : &A);
    return A ? wrong("a matrix") : go_on(p, status);
}

/* A CPU and a device. */
static tulle_status two_kinds(process *p) {
    tulle_ctx *cpu = NULL;
    tulle_dist_mat *A = NULL;
    TULLE__TRY(tulle_ctx_create("cpu:1", NULL, &cpu));
    const tulle_status status = make_empty(p, p->rank == 0 ? cpu : p->ctx, 0, &A);
    const bool made = A;
    tulle_dist_mat_destroy(A);
    tulle_ctx_destroy(cpu);
    return made ? wrong("a matrix") : go_on(p, status);
}

static void kinds(tulle_ctx *ctx, const char *where) {
    process p[MOST_RANKS];
    tulle_device_info info;
    must(tulle_ctx_device(ctx, &info));
    if (info.backend == TULLE_CPU) return;
    run_ranks(2, 0, where, two_kinds, NULL, p);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
    }
}
ONCE_ON_EACH_PLACE(kinds)

static void test_refused(void **state) {
    (void)state;
    process p[MOST_RANKS];
    run_ranks(2, 0, "cpu:1", too_many, NULL, p);
    for (int r = 0; r < 2; r++) assert_int_equal(p[r].status, TULLE_TOO_LARGE);
    run_ranks(2, 0, "cpu:1", without_place, NULL, p);
    assert_int_equal(p[0].status, TULLE_PEER_FAILED);
    assert_int_equal(p[1].status, TULLE_INVALID_ARGUMENT);
}

static void test_arguments(void **state) {
    (void)state;
    process p[MOST_RANKS];
    int64_t first = 7;
    run_ranks(2, 0, "cpu:1", other_root, NULL, p);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(p[r].status, TULLE_INVALID_ARGUMENT);
        assert_string_equal(p[r].argument, "root");
    }
    run_ranks(2, 0, "cpu:1", other_arrays, NULL, p);
    must_all(p);
    assert_int_equal(tulle_dist_share(10, 4, 1, &first), 3);
    assert_int_equal(first, 3);
    assert_int_equal(tulle_dist_share(10, 4, 3, &first), 2);
    assert_int_equal(first, 8);
    assert_int_equal(tulle_dist_share(10, 4, 4, NULL), 0);
    assert_int_equal(tulle_dist_share(-1, 4, 0, NULL), 0);
    assert_null(tulle_dist_mat_block(NULL));
    assert_int_equal(tulle_dist_mat_set_values(NULL, &first, &first, &first),
                     TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_dist_mat_describe(NULL, NULL), TULLE_INVALID_ARGUMENT);
    tulle_dist_mat_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),    cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_no_memory), cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_slips),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
