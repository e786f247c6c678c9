/* SPDX-License-Identifier: Apache-2.0 */
/* P^T A P, and products + beta D, under a cap that does not leave what A P, or the product, takes:
 * the same bits, no byte beyond the cap, an error that says what is missing; cancelling, and memory
 * that runs out, in each group of rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "making.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

/* C = -1/2 A B + 3 D, or -1/2 B^T A B + 3 D, of generators; D: NULL, there is none. */
typedef struct problem {
    const char *A, *B, *D;
    bool triple;
    tulle_trans op_A, op_B;
    tulle_format format; /* of all */
    tulle_index index[3];
    tulle_type type;
    bool unsorted;
} problem;

static tulle_mat *operand(tulle_ctx *ctx, const problem *p, const char *spec, int number) {
    tulle_mat *csr = making_generated(ctx, spec, (uint64_t)number + 1, p->type), *A = NULL;
    must(tulle_mat_convert(ctx, csr, p->format, p->index[number], 0, &A));
    tulle_mat_destroy(csr);
    return A;
}

static void operands(tulle_ctx *ctx, const problem *p, tulle_mat *m[3]) {
    m[0] = operand(ctx, p, p->A, 0);
    m[1] = operand(ctx, p, p->B, 1);
    m[2] = p->D ? operand(ctx, p, p->D, 2) : NULL;
}

static void destroy(tulle_mat *m[3]) {
    for (int k = 0; k < 3; k++) tulle_mat_destroy(m[k]);
}

static tulle_status make(tulle_ctx *ctx, const problem *p, tulle_mat *const m[],
                         tulle_spgemm_report *r, tulle_mat **C) {
    const tulle_spgemm_options options = {.unsorted = p->unsorted, .D = m[2], .beta = tulle_num(3)};
    if (p->triple) return tulle_spgemm_galerkin(ctx, tulle_num(-0.5), m[0], m[1], &options, r, C);
    return tulle_spgemm(ctx, p->op_A, p->op_B, tulle_num(-0.5), m[0], m[1], &options, r, C);
}

static int64_t bytes_of(const tulle_mat *C) {
    tulle_mat_info info;
    must(tulle_mat_describe(C, &info));
    return info.pattern_bytes + info.value_bytes;
}

/* What a call without groups has beside C: A P and P^T, or the product. */
static int64_t way_bytes(tulle_ctx *ctx, const problem *p, tulle_mat *const m[]) {
    tulle_mat *X = NULL, *T = NULL;
    const tulle_trans op_A = p->triple ? TULLE_N : p->op_A, op_B = p->triple ? TULLE_N : p->op_B;
    must(tulle_spgemm(ctx, op_A, op_B, tulle_num(1), m[0], m[1], NULL, NULL, &X));
    int64_t bytes = bytes_of(X);
    if (p->triple) must(tulle_mat_transpose(ctx, m[1], &T));
    if (p->triple) bytes += bytes_of(T);
    tulle_mat_destroy(T);
    tulle_mat_destroy(X);
    return bytes;
}

static void compare(tulle_ctx *ctx, const problem *p, const tulle_mat *C, const tulle_mat *want) {
    entries got = entries_read(ctx, C), is = entries_read(ctx, want);
    if (p->unsorted) entries_sort(&got);
    if (p->unsorted) entries_sort(&is);
    entries_assert_same(&got, &is, "under a cap");
    entries_free(&is);
    entries_free(&got);
    making_check_statistics(ctx, C);
}

/* A context whose allocator counts what it holds; on a GPU the device's own. */
static tulle_ctx *counted(const char *where, counting *c) {
    tulle_allocator allocator = counting_allocator(c);
    const tulle_ctx_options options = {.device = is_slow(where) ? &allocator : NULL};
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    if (ctx->kind == TULLE_CPU) {
        assert_int_equal(ctx->pool.count, 0);
        ctx->pool.source = allocator;
        ctx->pool.keeps_whole = false; /* as in a pool that begins with such a source */
    }
    return ctx;
}

/* From what the whole call takes down, until the cap is too small, which is said. Returns the least
 * room that did; *cut: the most in which it took more than three pieces. */
static size_t try_rooms(tulle_ctx *ctx, const problem *p, tulle_mat *const m[], counting *c,
                        double step, int64_t *most_pieces, size_t *cut) {
    tulle_spgemm_report whole, r;
    tulle_mat *want = NULL, *C = NULL;
    size_t least = 0;
    must(tulle_ctx_trim(ctx));
    must(make(ctx, p, m, &whole, &want));
    const size_t held = ctx->pool.in_use;
    *most_pieces = 0;
    *cut = 0;
    for (double room = (double)whole.peak_bytes;; room *= step) {
        must(tulle_ctx_trim(ctx));
        ctx->pool.cap = held + (size_t)room;
        c->most = c->bytes;
        must(tulle_ctx_reset_high(ctx));
        const tulle_status status = make(ctx, p, m, &r, &C);
        const size_t cap = ctx->pool.cap;
        ctx->pool.cap = 0;
        assert_true(c->most <= (int64_t)cap);
        assert_true(tulle__pool_usage(&ctx->pool).high <= cap);
        if (status != TULLE_OK) {
            assert_int_equal(status, TULLE_OUT_OF_MEMORY);
            assert_null(C);
            assert_non_null(strstr(tulle_last_error()->message, "context's cap"));
            assert_int_equal(ctx->pool.in_use, held);
            break;
        }
        compare(ctx, p, C, want);
        assert_int_equal(r.nnz, whole.nnz);
        assert_true(r.products >= whole.products);
        assert_true(r.peak_bytes <= r.predicted_bytes && r.predicted_bytes <= r.bound_bytes);
        assert_true(r.bound_bytes <= (int64_t)room);
        assert_true((r.add_ms > 0) == (p->D != NULL));
        if (r.pieces > *most_pieces) *most_pieces = r.pieces;
        if (r.pieces > 3 && *cut == 0) *cut = (size_t)room;
        least = (size_t)room;
        tulle_mat_destroy(C);
        C = NULL;
    }
    tulle_mat_destroy(want);
    return least;
}

/* Returns the most pieces. */
static int64_t try_problem(const char *where, const char *kernel, const problem *p, double step,
                           bool below_the_way) {
    counting c = {0};
    tulle_ctx *ctx = counted(where, &c);
    tulle_mat *m[3], *C = NULL;
    int64_t pieces = 0;
    size_t cut = 0;
    must(tulle_ctx_force_kernel(ctx, kernel));
    operands(ctx, p, m);
    must(make(ctx, p, m, NULL, &C));
    const int64_t at_once = way_bytes(ctx, p, m) + bytes_of(C);
    tulle_mat_destroy(C);
    const size_t least = try_rooms(ctx, p, m, &c, step, &pieces, &cut);
    if (below_the_way && (int64_t)least >= at_once) {
        fail_msg("%s, %s, %s: %zu bytes, and %lld at once", p->A, p->B, kernel ? kernel : "", least,
                 (long long)at_once);
    }
    assert_true(!below_the_way || pieces > 2);
    destroy(m);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return pieces;
}

/* What groups are for: A P is many times C, and the product is most of C. */
static void tight(tulle_ctx *ctx, const char *where) {
    const bool small = is_slow(where) || ctx->kind == TULLE_CUDA;
    const problem large[] = {{.format = TULLE_CSR,
                              .A = "p2d5:150",
                              .B = "random:22500,400,2",
                              .triple = true,
                              .type = TULLE_F64},
                             {.format = TULLE_CSR,
                              .A = "p2d9:100",
                              .B = "random:10000,300,2",
                              .D = "random:300,300,3",
                              .triple = true,
                              .type = TULLE_F32},
                             {.format = TULLE_CSR,
                              .A = "rmat:10,8",
                              .B = "rmat:10,8",
                              .D = "p2d5:32,32",
                              .type = TULLE_F64}};
    const problem little[] = {
        {.format = TULLE_CSR,
         .A = "p2d5:40",
         .B = "random:1600,20,3",
         .triple = true,
         .type = TULLE_F64},
        {.format = TULLE_CSR,
         .A = "p2d5:40",
         .B = "random:1600,15,3",
         .D = "random:15,15,3",
         .triple = true,
         .type = TULLE_F32},
        {.format = TULLE_CSR, .A = "rmat:6,8", .B = "rmat:6,8", .D = "p2d5:8", .type = TULLE_F64}};
    const problem *problems = small ? little : large;
    /* what tables of a GPU's kernels take is more than all of the last of these */
    const int below = ctx->kind == TULLE_CPU ? 3 : 2;
    for (int k = 0; k < 3; k++) {
        if (is_slow(where) && k == turn_of(where, 3)) continue; /* with another commit, another */
        try_problem(where, NULL, &problems[k], 0.7, k < below);
    }
}

/* One whose scratch is as large as what it computes. */
static const char *small_kernel(const tulle_ctx *ctx) {
    return ctx->kind == TULLE_CPU ? "spgemm_spa" : "spgemm_esc";
}

/* Operands that are converted, turned, of 64 bits; C in any order, of f32; rows without entries,
 * and D where there are none. */
static void settings(tulle_ctx *ctx, const char *where) {
    static const problem problems[] = {
        {.A = "p2d5:20",
         .B = "random:400,30,1",
         .triple = true,
         .format = TULLE_COO,
         .type = TULLE_F32},
        {.format = TULLE_CSR,
         .A = "rmat:8,6",
         .B = "random:256,50,2",
         .triple = true,
         .unsorted = true,
         .index = {2},
         .type = TULLE_F32},
        {.format = TULLE_CSR,
         .A = "rmat:8,6",
         .B = "random:256,10,2",
         .D = "random:10,10,1",
         .triple = true,
         .index = {0, 1, 2},
         .type = TULLE_F32},
        {.format = TULLE_CSR,
         .A = "dense_rows:150,3,2",
         .B = "random:150,90,1",
         .triple = true,
         .type = TULLE_F64},
        {.format = TULLE_CSR,
         .A = "random:200,150,3",
         .B = "random:230,150,3",
         .D = "random:200,230,1",
         .op_B = TULLE_T,
         .type = TULLE_F32},
        {.A = "random:150,200,3",
         .B = "random:230,150,3",
         .D = "random:200,230,1",
         .op_A = TULLE_T,
         .op_B = TULLE_T,
         .format = TULLE_CSC,
         .index = {1, 0, 1},
         .type = TULLE_F32},
        {.format = TULLE_CSR,
         .A = "random:200,150,0",
         .B = "random:150,230,3",
         .D = "random:200,230,1",
         .index = {0, 0, 2},
         .type = TULLE_F32},
        {.format = TULLE_CSR,
         .A = "random:200,150,3",
         .B = "random:150,230,3",
         .D = "random:200,230,0",
         .type = TULLE_F64},
        {.format = TULLE_CSR,
         .A = "random:90,90,0",
         .B = "random:90,70,2",
         .D = "random:70,70,2",
         .triple = true,
         .type = TULLE_F32},
    };
    enum { PROBLEMS = sizeof problems / sizeof *problems };
    const bool small = is_slow(where) || ctx->kind == TULLE_CUDA;
    int cut = 0, tried = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        if (small && k % 3 != turn_of(where, 3)) continue;
        const int64_t pieces =
            try_problem(where, small_kernel(ctx), &problems[k], small ? 0.7 : 0.9, false);
        if (pieces > (problems[k].triple ? 2 : 1)) cut++;
        tried++;
    }
    if (3 * cut < tried) fail_msg("only %d of %d were cut", cut, tried);
}

static void with_kernel(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const problem problems[] = {
        {.A = "p2d5:12", .B = "random:144,12,1", .triple = true, .type = TULLE_F64},
        {.A = "rmat:6,6", .B = "rmat:6,6", .D = "p2d5:8", .type = TULLE_F64},
    };
    tulle_kernel_info info = {.repeatable = false};
    for (int k = 0; k < tulle_kernel_count(ctx->kind) &&
                    strncmp(info.name ? info.name : "", spec, strcspn(spec, ":")) != 0;
         k++) {
        must(tulle_kernel_describe(ctx->kind, k, &info));
    }
    if (info.repeatable) try_problem(where, spec, &problems[number % 2], 0.7, false);
}

static void kernels(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, is_slow(where) ? 1 : 4, with_kernel);
}

/* The room that some groups need, for making_check_*. */
static size_t room;
static const problem small_triple = {.format = TULLE_CSR,
                                     .A = "p2d5:12",
                                     .B = "random:144,6,2",
                                     .D = "random:6,6,2",
                                     .triple = true,
                                     .type = TULLE_F64};

static void triple_operands(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    operands(ctx, &small_triple, m);
}

static tulle_status capped(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                           const tulle_index *index, tulle_mat **C) {
    (void)job;
    (void)index;
    must(tulle_ctx_trim(ctx));
    ctx->pool.cap = ctx->pool.in_use + room;
    const tulle_status status = make(ctx, &small_triple, m, NULL, C);
    ctx->pool.cap = 0;
    return status;
}

static void find_room(tulle_ctx *ctx) {
    must(tulle_ctx_force_kernel(ctx, small_kernel(ctx)));
    counting c = {0};
    tulle_mat *m[3];
    int64_t pieces = 0;
    operands(ctx, &small_triple, m);
    try_rooms(ctx, &small_triple, m, &c, 0.9, &pieces, &room);
    assert_true(pieces > 3 && room > 0);
    destroy(m);
}

static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    const making job = {.operands = triple_operands, .make = capped};
    find_room(ctx);
    making_check_cancelling(ctx, &job, 20);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static void running_out(tulle_ctx *ctx, const char *where) {
    const making job = {.operands = triple_operands, .make = capped, .kernel = small_kernel(ctx)};
    find_room(ctx);
    making_check_running_out(where, &job, 10);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

/* An index type that cannot hold what was asked for is said of C alone; a scalar may be the
 * context's; a cap below everything is an error at once. */
static void corners(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *m[3], *C = (tulle_mat *)1;
    find_room(ctx);
    operands(ctx, &small_triple, m);
    for (size_t beside = 1; beside < room / 2; beside *= 4) {
        must(tulle_ctx_trim(ctx));
        const size_t held = ctx->pool.in_use;
        ctx->pool.cap = held + beside;
        const tulle_status status = make(ctx, &small_triple, m, NULL, &C);
        ctx->pool.cap = 0;
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(C);
        assert_int_equal(ctx->pool.in_use, held);
    }
    tulle_vec *half = NULL;
    tulle_vec_info info;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 2, 1, TULLE_COLUMN_MAJOR, 0, &half));
    must(tulle_vec_fill(ctx, half, 0.5));
    must(tulle_vec_describe(half, &info));
    const tulle_spgemm_options options = {.D = m[2], .beta = tulle_at((double *)info.data + 1)};
    tulle_mat *want = NULL;
    must(tulle_spgemm_galerkin(ctx, tulle_at(info.data), m[0], m[1], &options, NULL, &want));
    must(tulle_ctx_trim(ctx));
    ctx->pool.cap = ctx->pool.in_use + room;
    const tulle_status status =
        tulle_spgemm_galerkin(ctx, tulle_at(info.data), m[0], m[1], &options, NULL, &C);
    ctx->pool.cap = 0;
    must(status);
    compare(ctx, &small_triple, C, want);
    tulle_mat_destroy(C);
    tulle_mat_destroy(want);
    tulle_vec_destroy(half);
    destroy(m);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

/* Columns of P without entries: rows of C that meet no row of A. */
static void empty_columns(tulle_ctx *ctx, const char *where) {
    static const problem p = {"p2d5:10", "random:100,3,1", .triple = true, .format = TULLE_CSR,
                              .type = TULLE_F64};
    tulle_mat *m[3], *P = NULL, *want = NULL;
    tulle_spgemm_report r;
    entries e;
    operands(ctx, &p, m);
    e = entries_read(ctx, m[1]);
    e.cols = is_slow(where) ? 40 : 2000;
    for (int64_t k = 0; k < e.nnz; k++) e.col[k] = 1 + e.col[k] * 17;
    P = m[1];
    m[1] = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    must(make(ctx, &p, m, &r, &want));
    int made = 0, refused = 0;
    for (int share = 1; share < 100; share += is_slow(where) ? 6 : 1) {
        tulle_mat *C = (tulle_mat *)1;
        must(tulle_ctx_trim(ctx));
        ctx->pool.cap = ctx->pool.in_use + (size_t)(r.peak_bytes * share / 100);
        const tulle_status status = make(ctx, &p, m, NULL, &C);
        ctx->pool.cap = 0;
        if (status == TULLE_OK) {
            compare(ctx, &p, C, want);
            tulle_mat_destroy(C);
            made++;
        } else {
            assert_int_equal(status, TULLE_OUT_OF_MEMORY);
            assert_null(C);
            refused++;
        }
    }
    assert_true(made > 0 && refused > 0);
    tulle_mat_destroy(want);
    tulle_mat_destroy(P);
    entries_free(&e);
    destroy(m);
}

ONCE_ON_EACH_PLACE(tight)
ONCE_ON_EACH_PLACE(empty_columns)
ONCE_ON_EACH_PLACE(settings)
ONCE_ON_EACH_PLACE(kernels)
ONCE_ON_EACH_PLACE(cancelling)
ONCE_ON_EACH_PLACE(running_out)
ONCE_ON_EACH_PLACE(corners)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tight),         cmocka_unit_test(test_settings),
        cmocka_unit_test(test_kernels),       cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_running_out),   cmocka_unit_test(test_corners),
        cmocka_unit_test(test_empty_columns),
    };
    emulate_by_turns(3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
