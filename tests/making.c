/* SPDX-License-Identifier: Apache-2.0 */
#include "making.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "gaps.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

static tulle_mat *const no_matrix = (tulle_mat *)1;

tulle_mat *making_generated(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type) {
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, seed, type, &A));
    return A;
}

void making_assert_fails(tulle_status got, const char *function, tulle_status wanted,
                         const char *argument, tulle_mat **C) {
    assert_int_equal(got, wanted);
    assert_string_equal(tulle_last_error()->function, function);
    assert_string_equal(tulle_last_error()->argument, argument);
    assert_null(*C);
    *C = no_matrix;
}

static void destroy(tulle_mat *m[MAKING_OPERANDS]) {
    for (int k = 0; k < MAKING_OPERANDS; k++) tulle_mat_destroy(m[k]);
}

void making_check_elsewhere(tulle_ctx *ctx, const char *where, const making *job) {
    tulle_ctx *other = place_elsewhere(where);
    if (!other) return;
    tulle_mat *here[MAKING_OPERANDS] = {NULL}, *far[MAKING_OPERANDS] = {NULL};
    job->operands(ctx, job, here);
    job->operands(other, job, far);
    for (int k = 0; k < 2; k++) {
        tulle_mat *m[MAKING_OPERANDS] = {here[0], here[1], here[2]}, *C = no_matrix;
        m[k] = far[k];
        assert_int_equal(job->make(ctx, job, m, NULL, &C), TULLE_SPACE_MISMATCH);
        assert_null(C);
    }
    destroy(far);
    destroy(here);
    tulle_ctx_destroy(other);
}

/* With operand k in a wider index type, or as it is. */
static void check_index(tulle_ctx *ctx, const making *job, tulle_mat *const given[MAKING_OPERANDS],
                        int k, tulle_index wide, const tulle_index *asked, const entries *want) {
    tulle_mat *m[MAKING_OPERANDS] = {given[0], given[1], given[2]}, *C = NULL;
    must(tulle_mat_convert(ctx, given[k], TULLE_CSR, wide, 0, &m[k]));
    must(job->make(ctx, job, m, asked, &C));
    entries_check(ctx, C, want, TULLE_CSR, asked ? *asked : wide, TULLE_F64,
                  asked ? "given" : "not given");
    tulle_mat_destroy(C);
    tulle_mat_destroy(m[k]);
}

void making_check_indices(tulle_ctx *ctx, const making *job) {
    tulle_mat *m[MAKING_OPERANDS] = {NULL}, *plain = NULL;
    job->operands(ctx, job, m);
    must(job->make(ctx, job, m, NULL, &plain));
    entries want = entries_read(ctx, plain);
    for (int index = 0; index < 3; index++) {
        const tulle_index asked = (tulle_index)index, wide = (tulle_index)(2 - index);
        for (int k = 0; k < 2; k++) {
            check_index(ctx, job, m, k, wide, &asked, &want);
            check_index(ctx, job, m, k, wide, NULL, &want);
        }
    }
    entries_free(&want);
    tulle_mat_destroy(plain);
    destroy(m);
}

void making_check_statistics(tulle_ctx *ctx, const tulle_mat *C) {
    tulle_mat_info got, want;
    tulle_mat_arrays arrays;
    tulle_mat *same = NULL;
    must(tulle_mat_describe(C, &got));
    must(tulle_mat_view(C, &arrays));
    must(tulle_mat_create_csr(ctx, got.rows, got.cols, got.nnz, got.index, arrays.offsets,
                              arrays.cols, got.type, arrays.values, NULL, &same));
    must(tulle_mat_describe(same, &want));
    info_clear_gaps(&got);
    info_clear_gaps(&want);
    assert_memory_equal(&got, &want, sizeof got);
    tulle_mat_destroy(same);
}

/* How far a call is, and when to say no. */
typedef struct {
    int left;
    int64_t done;
    bool falls;
} watcher;

static int watch(void *user, const char *what, int64_t done, int64_t total) {
    watcher *w = user;
    if (strcmp(what, "multiplying") == 0) {
        if (done <= w->done || done > total) w->falls = true;
        w->done = done;
    }
    return --w->left == 0;
}

/* Cancels a call the n-th time that it asks; whether it no longer does. */
static bool cancel_once(tulle_ctx *ctx, const making *job, tulle_mat *const m[MAKING_OPERANDS],
                        int n) {
    tulle_mat *C = no_matrix;
    tulle_memory_usage before, after;
    watcher w = {.left = n};
    must(tulle_ctx_memory(ctx, &before));
    must(tulle_ctx_set_progress(ctx, watch, &w));
    tulle_status status = job->make(ctx, job, m, NULL, &C);
    must(tulle_ctx_set_progress(ctx, NULL, NULL));
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_CANCELLED);
        assert_null(C);
    }
    assert_false(w.falls);
    tulle_mat_destroy(C);
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(after.in_use - after.workspace, before.in_use - before.workspace);
    return status == TULLE_OK;
}

void making_check_cancelling(tulle_ctx *ctx, const making *job, int least) {
    enum { MOST = 400 };
    tulle_mat *m[MAKING_OPERANDS] = {NULL};
    int asked = 0;
    job->operands(ctx, job, m);
    while (!cancel_once(ctx, job, m, asked + 1)) assert_true(++asked < MOST);
    assert_true(asked >= least);
    destroy(m);
}

/* What operands in CSR hold, before a call and after it. */
static void read_operands(tulle_ctx *ctx, tulle_mat *const m[MAKING_OPERANDS],
                          entries held[MAKING_OPERANDS]) {
    for (int k = 0; k < MAKING_OPERANDS; k++) {
        tulle_mat_info info;
        held[k] = (entries){0};
        if (!m[k]) continue;
        must(tulle_mat_describe(m[k], &info));
        if (info.format == TULLE_CSR) held[k] = entries_read(ctx, m[k]);
    }
}

/* Fails the n-th allocation of a call; whether it no longer gets that far. */
static bool fail_once(const char *where, const making *job, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    tulle_mat *m[MAKING_OPERANDS] = {NULL}, *C = no_matrix;
    entries before[MAKING_OPERANDS], after[MAKING_OPERANDS];
    tulle_memory_usage had, has;
    must(tulle_ctx_create(where, &options, &ctx));
    must(tulle_ctx_force_kernel(ctx, job->kernel));
    job->operands(ctx, job, m);
    read_operands(ctx, m, before);
    must(tulle_ctx_trim(ctx));
    must(tulle_ctx_memory(ctx, &had));
    c.fail_at = c.requests + n;
    tulle_status status = job->make(ctx, job, m, NULL, &C);
    bool done = status == TULLE_OK && c.requests < c.fail_at;
    c.fail_at = 0;
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(C);
    }
    tulle_mat_destroy(C);
    must(tulle_ctx_memory(ctx, &has));
    assert_int_equal(has.in_use - has.workspace, had.in_use - had.workspace);
    read_operands(ctx, m, after);
    for (int k = 0; k < MAKING_OPERANDS; k++) {
        entries_assert_same(&before[k], &after[k], "an operand");
        entries_free(&before[k]);
        entries_free(&after[k]);
    }
    destroy(m);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

void making_check_running_out(const char *where, const making *job, int64_t least) {
    int64_t allocations = 0;
    while (!fail_once(where, job, allocations + 1)) allocations++;
    if (allocations < least) {
        fail_msg("%s: %lld allocations, at least %lld", where, (long long)allocations,
                 (long long)least);
    }
}
