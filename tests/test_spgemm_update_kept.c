/* SPDX-License-Identifier: Apache-2.0 */
/* Values alone of products of transposed and converted operands, and of P^T A P, what these need
 * being kept: the bits of products made anew, on a GPU also from a graph that was captured; nothing
 * that stays behind, whatever fails. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "counting.h"
#include "making.h"
#include "places.h"
#include "tulle/generate.h"
#include "tulle/spgemm.h"

/* Of two operands, or P^T A P. */
typedef struct call {
    const char *A, *B; /* generators; B NULL: A once more */
    bool triple;
    tulle_trans op_A, op_B;
    tulle_index index[2], c_index; /* of C: at least so wide */
} call;

static const call calls[] = {
    {"random:40,30,4", NULL, .op_A = TULLE_T},
    {"random:40,30,4", NULL, .op_B = TULLE_T},
    {"p2d5:9", NULL, .op_A = TULLE_T, .op_B = TULLE_T}, /* its own transpose */
    {"p2d5:9", "random:30,81,3", .op_B = TULLE_T},
    {"rmat:6,6", "random:40,64,2", .op_A = TULLE_T, .op_B = TULLE_T},
    {"random:40,30,4", "random:30,20,2", .index = {2, 0}, .c_index = TULLE_I64},
    {"random:40,30,4", "random:40,20,2", .op_A = TULLE_T, .index = {0, 2}, .c_index = TULLE_I64},
    {"random:20,20,0", "random:20,9,3", .op_A = TULLE_T},
    {"dense_rows:60,4,2", "random:60,60,2", .op_B = TULLE_T},
    {"p3d7:5", "interp3:5", .triple = true},
    {"rmat:6,6", "random:64,9,3", .triple = true},
    {"p2d5:7", "random:49,49,2", .triple = true, .index = {0, 2}, .c_index = TULLE_I64},
    {"p2d5:7", "p2d5:7", .triple = true},
    {"random:30,30,0", "random:30,9,2", .triple = true},
};
enum { CALLS = sizeof calls / sizeof *calls };

static tulle_mat *summed(tulle_ctx *ctx, const char *spec, tulle_index index, uint64_t seed) {
    tulle_mat *A = making_generated(ctx, spec, seed, TULLE_F64), *B = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, index, TULLE_SUM_DUPLICATES, &B));
    tulle_mat_destroy(A);
    return B;
}

static void operands(tulle_ctx *ctx, const call *c, tulle_mat *m[2]) {
    m[0] = summed(ctx, c->A, c->index[0], 1);
    m[1] = c->B ? summed(ctx, c->B, c->index[1], 2) : tulle_mat_retain(m[0]);
}

static tulle_status make(tulle_ctx *ctx, const call *c, double alpha, tulle_mat *const m[2],
                         tulle_mat **C) {
    const tulle_scalar factor = tulle_num(alpha);
    const tulle_spgemm_options options = {.index_given = true, .index = c->c_index};
    if (c->triple) return tulle_spgemm_galerkin(ctx, factor, m[0], m[1], &options, NULL, C);
    return tulle_spgemm(ctx, c->op_A, c->op_B, factor, m[0], m[1], &options, NULL, C);
}

static tulle_status update(tulle_ctx *ctx, const call *c, double alpha, tulle_mat *const m[2],
                           tulle_mat *C) {
    if (c->triple) return tulle_spgemm_galerkin_update(ctx, tulle_num(alpha), m[0], m[1], C);
    return tulle_spgemm_update(ctx, c->op_A, c->op_B, tulle_num(alpha), m[0], m[1], C);
}

/* The same pattern with other values, in its own arrays: what kernels read is where it was. */
static void change(tulle_ctx *ctx, tulle_mat *A, double by) {
    entries e = entries_read(ctx, A);
    tulle_mat_info info;
    tulle_mat *B = NULL;
    tulle_mat_arrays arrays;
    must(tulle_mat_describe(A, &info));
    for (int64_t k = 0; k < e.nnz; k++) e.value[k] = e.value[k] * by + (double)(k % 7);
    B = entries_to_csr(ctx, &e, info.index, TULLE_F64);
    must(tulle_mat_view(B, &arrays));
    must(tulle_mat_set_values(ctx, A, info.nnz, arrays.values));
    must(tulle_ctx_synchronize(ctx));
    tulle_mat_destroy(B);
    entries_free(&e);
}

static void compare(tulle_ctx *ctx, const call *c, double alpha, tulle_mat *const m[2],
                    const tulle_mat *C, const char *what) {
    tulle_mat *want = NULL;
    must(make(ctx, c, alpha, m, &want));
    entries_compare(ctx, C, want, what);
    tulle_mat_destroy(want);
}

static void destroy(tulle_mat *m[2]) {
    tulle_mat_destroy(m[0]);
    tulle_mat_destroy(m[1]);
}

/* Again and again, each time with other values. */
static void values(tulle_ctx *ctx, const char *where) {
    for (int k = 0; k < CALLS; k++) {
        if (is_slow(where) && k % 3 != turn_in_order(where, 3)) continue;
        tulle_mat *m[2], *C = NULL;
        tulle_mat_info before, after;
        operands(ctx, &calls[k], m);
        must(make(ctx, &calls[k], 1, m, &C));
        must(tulle_mat_describe(C, &before));
        for (int n = 0; n < 3; n++) {
            must(update(ctx, &calls[k], n + 2, m, C));
            compare(ctx, &calls[k], n + 2, m, C, calls[k].A);
            change(ctx, m[n % 2], 1.5);
        }
        must(tulle_mat_describe(C, &after));
        assert_true(before.nnz == 0 || after.plan_bytes > before.plan_bytes);
        tulle_mat_destroy(C);
        destroy(m);
    }
}
static void test_values(void **state) {
    (void)state;
    on_each_place(values);
}

/* What is captured after the first call runs again on what the operands have then. */
static void captured(tulle_ctx *ctx, const char *where) {
    if (ctx->kind == TULLE_CPU) return;
    const tulle__place *place = &ctx->place;
    for (int k = 0; k < CALLS; k++) {
        if (is_slow(where) && k % 3 != turn_of(where, 3)) continue;
        tulle_mat *m[2], *C = NULL;
        void *graph = NULL;
        operands(ctx, &calls[k], m);
        must(make(ctx, &calls[k], 1, m, &C));
        must(update(ctx, &calls[k], 3, m, C));
        must(ctx->backend->capture_begin(place));
        must(update(ctx, &calls[k], 3, m, C));
        must(ctx->backend->capture_end(place, &graph));
        for (int n = 0; n < 2; n++) {
            change(ctx, m[n], -0.5);
            must(ctx->backend->graph_launch(place, graph));
            compare(ctx, &calls[k], 3, m, C, calls[k].A);
        }
        must(ctx->backend->graph_destroy(place->device, graph));
        tulle_mat_destroy(C);
        destroy(m);
    }
}

/* Repeated columns are added up anew by each call, where B is a transpose, too. */
static void repeated(tulle_ctx *ctx, const char *where) {
    (void)where;
    entries e = entries_random(20, 15, 90, 4);
    tulle_mat *A = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64);
    tulle_mat *B = making_generated(ctx, "random:9,15,3", 1, TULLE_F64);
    const call forms[] = {{.op_B = TULLE_T}, {.op_A = TULLE_T}, {.op_A = TULLE_T, .op_B = TULLE_N}};
    tulle_mat *const pairs[][2] = {{B, A}, {A, A}, {A, A}};
    for (int k = 0; k < 3; k++) {
        tulle_mat *C = NULL;
        must(make(ctx, &forms[k], 1, pairs[k], &C));
        for (int n = 0; n < 3; n++) {
            must(update(ctx, &forms[k], n, pairs[k], C));
            compare(ctx, &forms[k], n, pairs[k], C, "repeated");
            change(ctx, A, 0.5);
        }
        tulle_mat_destroy(C);
    }
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    entries_free(&e);
}

/* Two diagonal matrices, each the other's operand, transposed: their transposes would share their
 * patterns. */
static void diagonals(tulle_ctx *ctx) {
    entries e = entries_random(6, 6, 6, 1);
    for (int64_t k = 0; k < e.nnz; k++) e.row[k] = e.col[k] = k;
    tulle_mat *D = entries_to_csr(ctx, &e, TULLE_I32, TULLE_F64), *C = NULL;
    must(tulle_spgemm(ctx, TULLE_T, TULLE_N, tulle_num(1), D, D, NULL, NULL, &C));
    must(tulle_spgemm_update(ctx, TULLE_T, TULLE_N, tulle_num(1), D, D, C));
    must(tulle_spgemm_update(ctx, TULLE_T, TULLE_N, tulle_num(1), C, C, D));
    tulle_mat_destroy(C);
    tulle_mat_destroy(D);
    entries_free(&e);
}

/* Two products take turns on one pattern, one of them its own operand's: what is kept of one goes,
 * and nothing is held in a circle. */
static void in_turns(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator,
                                       .device = is_slow(where) ? &allocator : NULL};
    tulle_ctx *own = NULL;
    tulle_mat *D = NULL, *E = NULL;
    must(tulle_ctx_create(where, &options, &own));
    D = summed(own, "p2d5:6", TULLE_I32, 1);
    must(tulle_spgemm(own, TULLE_T, TULLE_N, tulle_num(1), D, D, NULL, NULL, &E));
    tulle_mat *both[2] = {E, E}, *m[2] = {D, D}, *F = NULL, *G = NULL;
    const call squared = {.op_A = TULLE_T}, triple = {.triple = true};
    must(make(own, &squared, 1, both, &F)); /* E^T E has more entries than D^T D */
    must(make(own, &triple, 1, both, &G));
    for (int n = 0; n < 3; n++) {
        must(update(own, &squared, 2, both, F));
        compare(own, &squared, 2, both, F, "E^T E");
        must(update(own, &squared, 2, both, G));
        must(update(own, &triple, 2, both, G));
        compare(own, &triple, 2, both, G, "E^T E E");
        must(update(own, &squared, 1, m, E));
        must(update(own, &squared, 1, m, F));
    }
    diagonals(own);
    tulle_mat *const all[] = {D, E, F, G};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
    tulle_ctx_destroy(own);
    assert_int_equal(c.live, 0);
}

/* Fails the n-th allocation of a first call; whether it no longer gets that far. */
static bool fail_once(const char *where, const call *k, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator,
                                       .device = is_slow(where) ? &allocator : NULL};
    tulle_ctx *ctx = NULL;
    tulle_mat *m[2], *C = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    operands(ctx, k, m);
    must(make(ctx, k, 1, m, &C));
    c.fail_at = c.requests + n;
    const tulle_status status = update(ctx, k, 2, m, C);
    const bool done = status == TULLE_OK && c.requests < c.fail_at;
    c.fail_at = 0;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        compare(ctx, k, 1, m, C, "C is as it was");
    }
    must(update(ctx, k, 4, m, C));
    compare(ctx, k, 4, m, C, "after that");
    tulle_mat_destroy(C);
    destroy(m);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    static const call some[] = {{"random:20,12,3", NULL, .op_A = TULLE_T},
                                {"p2d5:4", "random:16,4,2", .triple = true}};
    for (int k = 0; k < 2; k++) {
        int64_t n = 1;
        while (!fail_once(where, &some[k], n)) n++;
        /* What a GPU itself is asked for is not counted (fail_once). */
        assert_true(n > (strncmp(where, "cuda", 4) == 0 ? 1 : 8));
    }
}

/* P of another pattern, on a C that has places for both. */
static void another(tulle_ctx *ctx, const char *where) {
    (void)where;
    const call triple = {.triple = true};
    tulle_mat *A = summed(ctx, "p2d5:4", TULLE_I32, 1), *C = NULL;
    tulle_mat *P[] = {summed(ctx, "random:16,3,2", TULLE_I32, 1),
                      summed(ctx, "random:16,3,2", TULLE_I32, 2)};
    for (int n = 0; n < 4; n++) {
        tulle_mat *m[2] = {A, P[n % 2]};
        tulle_mat_info info;
        if (!C) must(make(ctx, &triple, 1, m, &C));
        must(tulle_mat_describe(C, &info));
        assert_int_equal(info.nnz, 9);
        must(update(ctx, &triple, n + 1, m, C));
        compare(ctx, &triple, n + 1, m, C, "another P");
    }
    tulle_mat *const all[] = {A, C, P[0], P[1]};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
}

/* The values of an f64 matrix as f32, with its pattern. */
static tulle_mat *single(tulle_ctx *ctx, tulle_mat *A) {
    tulle_mat_info info;
    tulle_mat *f = NULL;
    must(tulle_mat_describe(A, &info));
    double *wide = malloc((size_t)info.nnz * sizeof *wide);
    float *narrow = malloc((size_t)info.nnz * sizeof *narrow);
    must(tulle_mat_read(ctx, A, NULL, NULL, NULL, wide));
    for (int64_t k = 0; k < info.nnz; k++) narrow[k] = (float)wide[k];
    must(tulle_mat_with_values(ctx, A, TULLE_F32, info.nnz, narrow, &f));
    must(tulle_ctx_synchronize(ctx));
    free(narrow);
    free(wide);
    return f;
}

/* Matrices of both value types share their patterns, and take turns: each type has what it needs,
 * and keeps it. */
static void types_of_value(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int k = 0; k < CALLS; k++) {
        tulle_mat *m[2], *f[2], *C = NULL, *F = NULL;
        int64_t kept[4];
        operands(ctx, &calls[k], m);
        f[0] = single(ctx, m[0]);
        f[1] = m[1] == m[0] ? tulle_mat_retain(f[0]) : single(ctx, m[1]);
        must(make(ctx, &calls[k], 1, m, &C));
        F = single(ctx, C);
        for (int n = 0; n < 4; n++) {
            tulle_mat_info info;
            tulle_mat *const *of = n % 2 ? m : f;
            tulle_mat *const to = n % 2 ? C : F;
            must(update(ctx, &calls[k], n + 2, of, to));
            compare(ctx, &calls[k], n + 2, of, to, calls[k].A);
            change(ctx, m[n % 2], 1.5);
            must(tulle_mat_describe(C, &info));
            kept[n] = info.plan_bytes;
        }
        assert_true(kept[0] > 0 && kept[1] > kept[0]);
        assert_int_equal(kept[3], kept[1]);
        tulle_mat *const all[] = {C, F, f[0], f[1], m[0], m[1]};
        for (size_t n = 0; n < sizeof all / sizeof *all; n++) tulle_mat_destroy(all[n]);
    }
}

/* A C without entries has a place for none. */
static void empty(tulle_ctx *ctx, const char *where) {
    (void)where;
    const call squared = {.op_A = TULLE_T};
    tulle_mat *A = summed(ctx, "p2d5:3", TULLE_I32, 1),
              *C = summed(ctx, "random:9,9,0", TULLE_I32, 1);
    tulle_mat *full[2] = {A, A}, *none[2] = {C, A};
    for (int n = 0; n < 2; n++) {
        tulle_mat *D = summed(ctx, "random:9,9,0", TULLE_I32, 1);
        must(update(ctx, &squared, 1, none, D));
        assert_int_equal(update(ctx, &squared, 1, full, D), TULLE_INVALID_ARGUMENT);
        assert_int_equal(tulle_last_error()->row, 0);
        must(update(ctx, &squared, 1, none, D));
        tulle_mat_destroy(D);
    }
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
}

static void refused(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:4", 1, TULLE_F64);
    tulle_mat *P = making_generated(ctx, "random:16,5,2", 1, TULLE_F64);
    tulle_mat *f = making_generated(ctx, "random:16,5,2", 1, TULLE_F32);
    tulle_mat *C = NULL, *wrong = making_generated(ctx, "random:5,4,1", 1, TULLE_F64);
    tulle_mat *less = making_generated(ctx, "random:5,5,1", 1, TULLE_F64);
    const tulle_scalar one = tulle_num(1);
    must(tulle_spgemm_galerkin(ctx, one, A, P, NULL, NULL, &C));
    const struct {
        const tulle_mat *A, *P;
        tulle_mat *C;
        tulle_status want;
        const char *argument;
    } cases[] = {
        {NULL, P, C, TULLE_INVALID_ARGUMENT, "A"}, {A, NULL, C, TULLE_INVALID_ARGUMENT, "P"},
        {A, P, NULL, TULLE_INVALID_ARGUMENT, "C"}, {A, A, A, TULLE_INVALID_ARGUMENT, "C"},
        {A, f, C, TULLE_TYPE_MISMATCH, "P"},       {P, P, C, TULLE_SHAPE_MISMATCH, "A"},
        {A, C, C, TULLE_SHAPE_MISMATCH, "P"},      {A, P, wrong, TULLE_SHAPE_MISMATCH, "C"},
        {A, P, less, TULLE_INVALID_ARGUMENT, "C"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        assert_int_equal(tulle_spgemm_galerkin_update(ctx, one, cases[k].A, cases[k].P, cases[k].C),
                         cases[k].want);
        assert_string_equal(tulle_last_error()->argument, cases[k].argument);
        assert_string_equal(tulle_last_error()->function, "tulle_spgemm_galerkin_update");
    }
    tulle_mat *const all[] = {A, P, f, C, wrong, less};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tulle_mat_destroy(all[k]);
}

/* Cancels the n-th time that it is asked. */
static int cancel(void *left, const char *what, int64_t done, int64_t total) {
    (void)what;
    assert_true(done <= total);
    return --*(int *)left == 0;
}

static void cancelled(tulle_ctx *ctx, const char *where) {
    (void)where;
    const call *k = &calls[9];
    tulle_mat *m[2], *C = NULL;
    operands(ctx, k, m);
    must(make(ctx, k, 1, m, &C));
    tulle_status status = TULLE_CANCELLED;
    int n = 0;
    while (status == TULLE_CANCELLED) {
        int left = ++n;
        must(tulle_ctx_set_progress(ctx, cancel, &left));
        status = update(ctx, k, 5, m, C);
        must(tulle_ctx_set_progress(ctx, NULL, NULL));
        if (status == TULLE_CANCELLED) compare(ctx, k, 1, m, C, "C is as it was");
    }
    must(status);
    assert_true(n > 4);
    compare(ctx, k, 5, m, C, "not cancelled");
    tulle_mat_destroy(C);
    destroy(m);
}

ONCE_ON_EACH_PLACE(captured)
ONCE_ON_EACH_PLACE(repeated)
ONCE_ON_EACH_PLACE(in_turns)
ONCE_ON_EACH_PLACE(another)
ONCE_ON_EACH_PLACE(types_of_value)
ONCE_ON_EACH_PLACE(empty)
ONCE_ON_EACH_PLACE(running_out)
ONCE_ON_EACH_PLACE(refused)
ONCE_ON_EACH_PLACE(cancelled)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),      cmocka_unit_test(test_captured),
        cmocka_unit_test(test_repeated),    cmocka_unit_test(test_in_turns),
        cmocka_unit_test(test_another),     cmocka_unit_test(test_empty),
        cmocka_unit_test(test_running_out), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cancelled),   cmocka_unit_test(test_types_of_value),
    };
    emulate_by_turns(3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
