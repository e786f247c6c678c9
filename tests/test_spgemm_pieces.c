/* SPDX-License-Identifier: Apache-2.0 */
/* Products under a cap on the context's memory: the same bits in any number of pieces, a peak that
 * was said before, an error that says what is missing; cancelling, and memory that runs out, in
 * each piece. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "making.h"
#include "matrix/matrix.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"
#include "tulle/spgemm.h"

/* A product under a cap that leaves so much room beside what is in use. */
static tulle_status within(tulle_ctx *ctx, size_t room, tulle_mat *const m[],
                           const tulle_spgemm_options *options, tulle_spgemm_report *report,
                           tulle_mat **C) {
    must(tulle_ctx_trim(ctx));
    ctx->pool.cap = ctx->pool.in_use + room;
    tulle_status status =
        tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(-0.5), m[0], m[1], options, report, C);
    ctx->pool.cap = 0;
    return status;
}

/* A device's pool keeps what was freed, in blocks that are larger than what they serve next; here
 * the emulator's does as well. */
static void keep_freed(tulle_ctx *ctx) {
    if (ctx->kind == TULLE_EMULATED) ctx->pool.keeps = true;
}

static int64_t bytes_of(const tulle_mat *C) {
    tulle_mat_info info;
    must(tulle_mat_describe(C, &info));
    return info.pattern_bytes + info.value_bytes;
}

static bool repeats(const tulle_ctx *ctx, const char *spec) {
    const size_t length = strcspn(spec, ":");
    tulle_kernel_info info;
    for (int k = 0;; k++) {
        must(tulle_kernel_describe(ctx->kind, k, &info));
        if (strlen(info.name) == length && strncmp(info.name, spec, length) == 0) {
            return info.repeatable;
        }
    }
}

/* What a kernel makes of two matrices without a cap. */
typedef struct {
    tulle_mat *m[2], *C;
    entries a, b;
    tulle_spgemm_report report;
    spgemm_setting setting;
    const char *spec;
} whole;

static whole whole_of(tulle_ctx *ctx, const char *spec, tulle_mat *A, tulle_mat *B, bool unsorted) {
    whole w = {.m = {A, B}, .a = entries_read(ctx, A), .b = entries_read(ctx, B), .spec = spec};
    const tulle_spgemm_options options = {.unsorted = unsorted};
    w.setting = (spgemm_setting){.alpha = -0.5, .type = A->type, .unsorted = unsorted};
    must(tulle_ctx_trim(ctx));
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(-0.5), A, B, &options, &w.report, &w.C));
    assert_int_equal(w.report.pieces, 1);
    return w;
}

static void whole_free(whole *w) {
    tulle_mat_destroy(w->C);
    entries_free(&w->b);
    entries_free(&w->a);
    tulle_mat_destroy(w->m[0]);
    tulle_mat_destroy(w->m[1]);
}

static void check_same(tulle_ctx *ctx, const whole *w, const tulle_mat *C) {
    if (repeats(ctx, w->spec) && !w->setting.unsorted) {
        entries_compare(ctx, w->C, C, w->spec);
    } else {
        spgemm_check(ctx, &w->a, &w->b, &w->setting, C);
    }
    making_check_statistics(ctx, C);
}

/* The pieces that it took; 0: it said that there is too little room. */
static int64_t try_room(tulle_ctx *ctx, const whole *w, size_t room) {
    const tulle_spgemm_options options = {.unsorted = w->setting.unsorted};
    const size_t before = ctx->pool.in_use;
    tulle_spgemm_report r = {.pieces = 0};
    tulle_mat *C = (tulle_mat *)1;
    tulle_status status = within(ctx, room, w->m, &options, &r, &C);
    if (status != TULLE_OK) {
        assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        assert_null(C);
        assert_non_null(strstr(tulle_last_error()->message, "context's cap"));
        assert_int_equal(ctx->pool.in_use, before);
        return 0;
    }
    check_same(ctx, w, C);
    assert_true(r.peak_bytes <= r.predicted_bytes && r.predicted_bytes <= r.bound_bytes);
    assert_true(r.bound_bytes <= (int64_t)room);
    assert_int_equal(r.products, w->report.products);
    assert_int_equal(r.nnz, w->report.nnz);
    tulle_mat_destroy(C);
    return r.pieces;
}

/* Caps from what the whole takes down to what C alone does. Returns the most pieces. */
static int64_t try_caps(tulle_ctx *ctx, const whole *w) {
    const double c = (double)bytes_of(w->C), peak = (double)w->report.peak_bytes;
    static const double shares[] = {0.8, 0.5, 0.3, 0.15, 0.1, 0.05};
    int64_t most = 0;
    assert_int_equal(try_room(ctx, w, (size_t)peak), 1);
    const size_t step = ctx->kind == TULLE_CPU ? 1 : 5;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i += step) {
        int64_t pieces = try_room(ctx, w, (size_t)(c + shares[i] * (peak - c)));
        if (pieces > most) most = pieces;
        if (pieces == 0) break;
    }
    assert_int_equal(try_room(ctx, w, (size_t)c - 1), 0);
    return most;
}

/* On the emulator kernels by name have half of their parameters, with another commit the others. */
static bool is_left_out(const char *where, const char *spec, unsigned number) {
    return is_slow(where) && strcmp(spec, "spgemm_auto") != 0 &&
           (number + (unsigned)turn_of(where, 2)) % 2 > 0;
}

/* Where a piece takes long: on the emulator, and on a real GPU, whose memory is freed and taken
 * anew after each that is refused. */
static bool takes_long(const tulle_ctx *ctx, const char *where) {
    return is_slow(where) || ctx->kind == TULLE_CUDA;
}

/* Whether a kernel makes all rows in one piece or fails, as published ones do. */
static bool makes_rows_at_once(const char *spec) {
    return strstr(spec, "slice=0") != NULL;
}

static void pieces_of_spec(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const char *const specs[][2] = {{"p2d5:45", "p2d5:14"},
                                           {"rmat:9,6", "rmat:8,3"},
                                           {"dense_rows:2400,3,2", "dense_rows:260,3,2"}};
    if (is_left_out(where, spec, number)) return;
    for (int i = 0; i < 3; i++) {
        if (is_slow(where) && i != (int)number % 3) continue;
        const char *name = specs[i][takes_long(ctx, where)];
        tulle_type type = (number + (unsigned)i) % 2 ? TULLE_F64 : TULLE_F32;
        tulle_mat *A = making_generated(ctx, name, 1, type);
        whole w = whole_of(ctx, spec, A, tulle_mat_retain(A), number % 3 == 2);
        int64_t most = try_caps(ctx, &w);
        if (makes_rows_at_once(spec) ? most != 0 : most < 2) {
            fail_msg("%s: %s in %lld pieces", spec, name, (long long)most);
        }
        whole_free(&w);
    }
}

static void in_pieces(tulle_ctx *ctx, const char *where) {
    keep_freed(ctx);
    spgemm_each_spec(ctx, where, is_slow(where) ? 1 : 4, pieces_of_spec);
}

/* Whether what a kernel holds for a row of thousands of products grows with these. */
static bool grows(const char *spec) {
    static const char *const names[] = {"spgemm_spa", "spgemm_esc", "spgemm_bhsparse",
                                        "spgemm_balanced_hash"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strncmp(spec, names[i], strlen(names[i])) == 0) return true;
    }
    return false;
}

/* A of one row, in each index type: pieces are columns of B. */
static void columns_of_spec(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    if (is_left_out(where, spec, number)) return;
    entries long_row = entries_random(1, 60, 90, number);
    entries b = entries_random(60, 6000, takes_long(ctx, where) ? 4000 : 9000, number + 1);
    const tulle_index index = (tulle_index)(number % 3);
    entries_sort(&b);
    entries_sum(&b, TULLE_F64);
    tulle_mat *A = entries_to_csr(ctx, &long_row, index, TULLE_F64);
    tulle_mat *B = entries_to_csr(ctx, &b, index, TULLE_F64);
    whole w = whole_of(ctx, spec, A, B, false);
    w.setting.a_index = w.setting.b_index = index;
    int64_t most = try_caps(ctx, &w);
    if (makes_rows_at_once(spec) ? most != 0 : most < 2 && grows(spec)) {
        fail_msg("%s: a row in %lld pieces", spec, (long long)most);
    }
    whole_free(&w);
    entries_free(&b);
    entries_free(&long_row);
}

static void by_columns(tulle_ctx *ctx, const char *where) {
    keep_freed(ctx);
    spgemm_each_spec(ctx, where, is_slow(where) ? 1 : 4, columns_of_spec);
}

/* What was said when C's entries had been counted is near what it took. */
static void predicted(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    static const char *const specs[] = {"p2d5:30", "fem3:3", "rmat:8,8", "powerlaw:500,5,60",
                                        "random:300,300,4"};
    enum { SPECS = sizeof specs / sizeof *specs };
    const double scans = ctx->kind == TULLE_CPU ? 0 : 65536; /* on a GPU these take up to so much */
    int near = 0, tried = 0;
    for (int i = 0; i < SPECS; i++) {
        if (is_slow(where) && i != (int)number % SPECS && strcmp(spec, "spgemm_auto") != 0)
            continue;
        tulle_mat *A = making_generated(ctx, specs[i], 1, TULLE_F64), *C = NULL;
        tulle_spgemm_report r;
        must(tulle_ctx_trim(ctx));
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, NULL, &r, &C));
        const double ratio = (double)r.predicted_bytes / ((double)r.peak_bytes + scans);
        assert_true(r.predicted_bytes <= r.bound_bytes);
        if (r.predicted_bytes < r.peak_bytes || ratio > 2)
            fail_msg("%s, %s: %g times the peak", spec, specs[i], ratio);
        near += ratio <= 1.3;
        tried++;
        tulle_mat_destroy(C);
        tulle_mat_destroy(A);
    }
    if (2 * near < tried) fail_msg("%s: near in %d of %d", spec, near, tried);
}

static void predictions(tulle_ctx *ctx, const char *where) {
    keep_freed(ctx);
    spgemm_each_spec(ctx, where, is_slow(where) ? 1 : 4, predicted);
}

/* So much beside C that some pieces are needed, for making_check_*. */
static size_t room;

static tulle_status capped_product(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                                   const tulle_index *index, tulle_mat **C) {
    (void)job;
    (void)index;
    return within(ctx, room, m, NULL, NULL, C);
}

static void row_and_block(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    entries b = entries_random(40, 4000, 1500, 1), a = entries_random(3, 40, 90, 2);
    entries_sort(&b);
    entries_sum(&b, TULLE_F64);
    entries_sort(&a);
    m[0] = entries_to_csr(ctx, &a, TULLE_I32, TULLE_F64);
    m[1] = entries_to_csr(ctx, &b, TULLE_I32, TULLE_F64);
    entries_free(&b);
    entries_free(&a);
}

/* What C takes of the product in m. */
static size_t bytes_of_product(tulle_ctx *ctx, tulle_mat *const m[]) {
    tulle_mat *C = NULL;
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), m[0], m[1], NULL, NULL, &C));
    const size_t bytes = (size_t)bytes_of(C);
    tulle_mat_destroy(C);
    return bytes;
}

/* The least room, to a few per cent, in which the product can be made. */
static void find_room(tulle_ctx *ctx, const char *spec) {
    tulle_mat *m[2], *C = NULL;
    tulle_spgemm_report r = {.pieces = 0};
    row_and_block(ctx, NULL, m);
    must(tulle_ctx_force_kernel(ctx, spec));
    room = bytes_of_product(ctx, m);
    while (within(ctx, room, m, NULL, &r, &C) != TULLE_OK) {
        assert_int_equal(tulle_last_error()->status, TULLE_OUT_OF_MEMORY);
        room += room / 32;
    }
    assert_true(r.pieces > 3); /* rows, and columns of one */
    tulle_mat_destroy(C);
    tulle_mat_destroy(m[0]);
    tulle_mat_destroy(m[1]);
}

static const char *kernel_with_columns(const tulle_ctx *ctx) {
    return ctx->kind == TULLE_CPU ? "spgemm_spa" : "spgemm_esc";
}

/* What is left beside C does not do for the least piece, or not for what cuts it: that is said, and
 * no smaller piece is looked for. */
static void too_tight(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *m[2];
    row_and_block(ctx, NULL, m);
    must(tulle_ctx_force_kernel(ctx, kernel_with_columns(ctx)));
    const size_t c = bytes_of_product(ctx, m), in_use = ctx->pool.in_use;
    for (size_t beside = 0; beside < 1200; beside += 100) {
        const size_t rooms[] = {1 + beside, c + beside};
        for (int k = 0; k < 2; k++) {
            tulle_mat *C = (tulle_mat *)1;
            assert_int_equal(within(ctx, rooms[k], m, NULL, NULL, &C), TULLE_OUT_OF_MEMORY);
            assert_null(C);
            assert_non_null(strstr(tulle_last_error()->message, ") is too small, and "));
            assert_int_equal(ctx->pool.in_use, in_use);
        }
    }
    tulle_mat_destroy(m[0]);
    tulle_mat_destroy(m[1]);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

/* An A without rows, whose C has none: as little as a wide B leaves does, by any kernel; and what
 * does not even leave that is said. */
static void no_rows_of_spec(tulle_ctx *ctx, const char *where, const char *spec, unsigned number) {
    (void)where;
    (void)number;
    entries none = entries_random(0, 500, 0, 1);
    tulle_mat *m[2] = {entries_to_csr(ctx, &none, TULLE_I32, TULLE_F64),
                       making_generated(ctx, "random:500,100000,2", 1, TULLE_F64)};
    const size_t in_use = ctx->pool.in_use;
    for (size_t beside = 1; beside <= 1 << 18; beside *= 2) {
        tulle_mat *C = (tulle_mat *)1;
        tulle_spgemm_report r;
        tulle_status status = within(ctx, beside, m, NULL, &r, &C);
        if (status == TULLE_OK) {
            tulle_mat_info info;
            must(tulle_mat_describe(C, &info));
            assert_true(info.rows == 0 && info.cols == 100000 && info.nnz == 0);
            making_check_statistics(ctx, C);
            assert_int_equal(r.products, 0);
            tulle_mat_destroy(C);
        } else {
            assert_int_equal(status, TULLE_OUT_OF_MEMORY);
            assert_null(C);
            if (!strstr(tulle_last_error()->message, ") is too small, and "))
                fail_msg("%s: %s", spec, tulle_last_error()->message);
        }
        assert_int_equal(ctx->pool.in_use, in_use);
        assert_true(beside == 1 ? status != TULLE_OK : beside < 1 << 18 || status == TULLE_OK);
    }
    tulle_mat_destroy(m[1]);
    tulle_mat_destroy(m[0]);
    entries_free(&none);
}
static void no_rows(tulle_ctx *ctx, const char *where) {
    spgemm_each_spec(ctx, where, 1, no_rows_of_spec);
}

static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    const making job = {.operands = row_and_block, .make = capped_product};
    find_room(ctx, kernel_with_columns(ctx));
    making_check_cancelling(ctx, &job, 15);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static void running_out(tulle_ctx *ctx, const char *where) {
    const making job = {
        .operands = row_and_block, .make = capped_product, .kernel = kernel_with_columns(ctx)};
    find_room(ctx, job.kernel);
    /* three of each of two pieces, unless blocks of the first serve the second */
    making_check_running_out(where, &job, ctx->pool.keeps ? 3 : 6);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

/* With D and as a triple product, whose stages may each be in pieces; on a GPU by a kernel whose
 * scratch is most of what they take. */
static void in_stages(tulle_ctx *ctx, const char *where) {
    const bool slow = takes_long(ctx, where);
    keep_freed(ctx);
    if (ctx->kind != TULLE_CPU) must(tulle_ctx_force_kernel(ctx, kernel_with_columns(ctx)));
    tulle_mat *A = making_generated(ctx, slow ? "p2d5:10" : "p2d5:50", 1, TULLE_F64);
    tulle_mat *P =
        making_generated(ctx, slow ? "random:100,100,2" : "random:2500,2500,2", 2, TULLE_F64);
    tulle_mat *C = NULL, *want = NULL;
    tulle_spgemm_report r;
    tulle_spgemm_options options = {.D = A, .beta = tulle_num(2)};
    for (int with_d = 0; with_d < 2; with_d++) {
        const tulle_spgemm_options *given = with_d ? &options : NULL;
        must(tulle_ctx_trim(ctx));
        must(tulle_spgemm_galerkin(ctx, tulle_num(1), A, P, given, &r, &want));
        int64_t most = 0;
        for (double share = 1; share > 0.5; share -= 0.04) {
            must(tulle_ctx_trim(ctx));
            ctx->pool.cap = ctx->pool.in_use + (size_t)(share * (double)r.peak_bytes);
            tulle_spgemm_report got = {.pieces = 0};
            tulle_status status = tulle_spgemm_galerkin(ctx, tulle_num(1), A, P, given, &got, &C);
            const size_t cap = ctx->pool.cap;
            ctx->pool.cap = 0;
            if (status != TULLE_OK) break;
            entries_compare(ctx, want, C, "in pieces");
            assert_true(got.peak_bytes <= got.predicted_bytes);
            assert_true(got.bound_bytes <= (int64_t)cap);
            if (got.pieces > most) most = got.pieces;
            tulle_mat_destroy(C);
        }
        if (!with_d) assert_true(most > 2);
        tulle_mat_destroy(want);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    tulle_mat_destroy(P);
    tulle_mat_destroy(A);
}

ONCE_ON_EACH_PLACE(in_pieces)
ONCE_ON_EACH_PLACE(by_columns)
ONCE_ON_EACH_PLACE(predictions)
ONCE_ON_EACH_PLACE(too_tight)
ONCE_ON_EACH_PLACE(no_rows)
ONCE_ON_EACH_PLACE(cancelling)
ONCE_ON_EACH_PLACE(running_out)
ONCE_ON_EACH_PLACE(in_stages)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_pieces),   cmocka_unit_test(test_by_columns),
        cmocka_unit_test(test_predictions), cmocka_unit_test(test_too_tight),
        cmocka_unit_test(test_cancelling),  cmocka_unit_test(test_running_out),
        cmocka_unit_test(test_in_stages),   cmocka_unit_test(test_no_rows),
    };
    emulate_by_turns(3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
