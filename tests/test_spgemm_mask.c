/* SPDX-License-Identifier: Apache-2.0 */
/* A product with a mask against the product without one, of which the entries are kept that the
 * mask has, too: the same bits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/context.h"
#include "making.h"
#include "places.h"
#include "small_matrices.h"
#include "spgemm_check.h"
#include "tulle/add.h"
#include "tulle/advanced.h"
#include "tulle/algebra.h"

/* A product of random matrices, rows x inner and inner x cols, and its mask. */
typedef struct {
    int64_t rows, inner, cols;
    int64_t a_nnz, b_nnz, mask_nnz;
    bool sorted, ascend; /* columns of A, B and D ascend, and those of the mask; else they stand in
                            any order and repeat */
    tulle_trans op_A, op_B;
    tulle_type type, mask_type;
    tulle_index index[3];    /* of A, B, mask */
    tulle_format format;     /* of the mask */
    int64_t stride;          /* only each so-many-th column of C has entries; 0: each has */
    bool odd, plus, pattern; /* odd: with NaN and Inf; plus: with a D; pattern: A and B are 1 */
} setting;

/* A call's matrices; D may be NULL. csr: the mask as CSR. */
typedef struct {
    tulle_mat *A, *B, *mask, *csr, *D;
} matrices;

static void free_matrices(matrices *m) {
    tulle_mat_destroy(m->A);
    tulle_mat_destroy(m->B);
    tulle_mat_destroy(m->mask);
    tulle_mat_destroy(m->csr);
    tulle_mat_destroy(m->D);
}

/* Moves columns that lie side by side so far apart. */
static void spread(entries *e, int64_t stride) {
    if (stride == 0) return;
    e->cols *= stride;
    for (int64_t k = 0; k < e->nnz; k++) e->col[k] *= stride;
}

/* Entries whose columns ascend in their rows, or stand in any order and repeat. */
static entries random_entries(bool ascend, int64_t rows, int64_t cols, int64_t nnz, uint64_t seed) {
    return ascend ? small_entries(rows, cols, nnz, true, seed)
                  : entries_random(rows, cols, nnz, seed);
}

/* Number of columns that may have entries. */
static int64_t cols_of(const setting *s) {
    return s->stride > 0 ? s->cols / s->stride : s->cols;
}

static tulle_mat *factor(tulle_ctx *ctx, const setting *s, bool second, uint64_t seed) {
    const tulle_trans op = second ? s->op_B : s->op_A;
    const int64_t rows = second ? s->inner : s->rows, cols = second ? cols_of(s) : s->inner;
    entries e = random_entries(s->sorted, op == TULLE_N ? rows : cols, op == TULLE_N ? cols : rows,
                               second ? s->b_nnz : s->a_nnz, seed);
    if (s->odd && e.nnz > 3) e.value[1] = NAN, e.value[2] = INFINITY, e.value[3] = -INFINITY;
    for (int64_t k = 0; s->pattern && k < e.nnz; k++) e.value[k] = 1;
    if (second) spread(&e, s->stride);
    tulle_mat *A = entries_to_csr(ctx, &e, s->index[second], s->type);
    entries_free(&e);
    return A;
}

static matrices make(tulle_ctx *ctx, const setting *s, uint64_t seed) {
    matrices m = {.A = factor(ctx, s, false, seed), .B = factor(ctx, s, true, seed + 1)};
    entries e = random_entries(s->ascend, s->rows, cols_of(s), s->mask_nnz, seed + 2);
    spread(&e, s->stride);
    for (int64_t k = 0; k < e.nnz; k += 3) e.value[k] = k % 2 ? NAN : -1; /* not looked at */
    for (int64_t k = 1; k < e.nnz && s->format <= TULLE_CSC; k += 5) e.value[k] = 0;
    m.csr = entries_to_csr(ctx, &e, s->index[2], s->mask_type);
    must(tulle_mat_convert(ctx, m.csr, s->format, s->index[2], 0, &m.mask));
    entries_free(&e);
    if (!s->plus) return m;
    e = random_entries(s->sorted, s->rows, s->cols, s->rows + s->cols, seed + 3);
    m.D = entries_to_csr(ctx, &e, TULLE_I32, s->type);
    entries_free(&e);
    return m;
}

/* Keeps the entries of C whose places the mask has. */
static void filter(tulle_ctx *ctx, entries *c, const tulle_mat *mask) {
    entries m = entries_read(ctx, mask);
    entries_sort(&m);
    int64_t *begin = entries_begins(&m), kept = 0;
    for (int64_t e = 0; e < c->nnz; e++) {
        int64_t f = begin[c->row[e]];
        while (f < begin[c->row[e] + 1] && m.col[f] < c->col[e]) f++;
        if (f == begin[c->row[e] + 1] || m.col[f] != c->col[e]) continue;
        c->row[kept] = c->row[e], c->col[kept] = c->col[e], c->value[kept++] = c->value[e];
    }
    c->nnz = kept;
    free(begin);
    entries_free(&m);
}

/* Only the sign of a zero may differ. */
static void assert_same(const entries *got, const entries *want) {
    assert_int_equal(got->rows, want->rows);
    assert_int_equal(got->cols, want->cols);
    assert_int_equal(got->nnz, want->nnz);
    for (int64_t e = 0; e < want->nnz; e++) {
        assert_int_equal(got->row[e], want->row[e]);
        assert_int_equal(got->col[e], want->col[e]);
        if (got->value[e] != 0 || want->value[e] != 0)
            assert_same_number(got->value[e], want->value[e]);
    }
}

/* The masked product by its definition, of the same context. */
static tulle_mat *expected(tulle_ctx *ctx, const setting *s, const matrices *m, double alpha,
                           double beta) {
    tulle_mat *whole = NULL, *kept = NULL, *sum = NULL;
    tulle_mat_info info;
    must(tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(alpha), m->A, m->B, NULL, NULL, &whole));
    must(tulle_mat_describe(whole, &info));
    entries c = entries_read(ctx, whole);
    filter(ctx, &c, m->csr);
    kept = entries_to_csr(ctx, &c, info.index, s->type);
    entries_free(&c);
    tulle_mat_destroy(whole);
    if (!m->D) return kept;
    must(tulle_add(ctx, TULLE_N, TULLE_N, tulle_num(1), kept, tulle_num(beta), m->D, NULL, NULL,
                   &sum));
    tulle_mat_destroy(kept);
    return sum;
}

static void compare(tulle_ctx *ctx, const tulle_mat *C, const tulle_mat *want) {
    entries got = entries_read(ctx, C), wanted = entries_read(ctx, want);
    assert_same(&got, &wanted);
    entries_free(&wanted);
    entries_free(&got);
}

static tulle_index widest(const setting *s) {
    tulle_index index = TULLE_I32;
    for (int k = 0; k < 3; k++) index = s->index[k] > index ? s->index[k] : index;
    return index;
}

/* Blocks that a pool keeps may be larger than the requests that they are taken for, and bounds do
 * not count what is too large of them; so the pool keeps none here. */
static void check(tulle_ctx *ctx, const setting *s, uint64_t seed) {
    const double alpha = s->pattern ? 1 : -0.7, beta = 2.5;
    matrices m = make(ctx, s, seed);
    const tulle_spgemm_options options = {
        .mask = m.mask, .D = m.D, .beta = tulle_num(beta), .unsorted = seed % 2};
    tulle_mat *C = NULL, *want = expected(ctx, s, &m, alpha, beta);
    tulle_spgemm_report report;
    tulle_spgemm_bounds bounds;
    tulle_mat_info info;
    must(tulle_ctx_trim(ctx));
    ctx->pool.keeps = false;
    must(tulle_spgemm_forecast(ctx, s->op_A, s->op_B, m.A, m.B, &options, &bounds));
    must(tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(alpha), m.A, m.B, &options, &report, &C));
    ctx->pool.keeps = ctx->kind == TULLE_CUDA;
    compare(ctx, C, want);
    must(tulle_mat_describe(C, &info));
    assert_int_equal(info.index, widest(s));
    assert_int_equal(info.format, TULLE_CSR);
    assert_string_equal(report.kernel, "masked_rows");
    assert_string_equal(bounds.kernel, report.kernel);
    assert_int_equal(bounds.products, report.products);
    assert_true(report.nnz == info.nnz && info.nnz <= bounds.nnz);
    assert_in_range(report.peak_bytes, 0, report.bound_bytes);
    assert_in_range(report.bound_bytes, 0, bounds.bytes);
    assert_true(bounds.nnz <= s->mask_nnz + (m.D ? s->rows + s->cols : 0));
    making_check_statistics(ctx, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(want);
    free_matrices(&m);
}

/* Each type, op, format of the mask and so on, in turn: neighbours differ in many of them. */
static void random_products(tulle_ctx *ctx, const char *where) {
    static const int64_t shapes[][3] = {{30, 20, 25}, {1, 50, 300}, {40, 1, 40}, {70, 70, 70},
                                        {0, 5, 5},    {5, 5, 0},    {5, 0, 5},   {200, 30, 3}};
    const int cases = is_slow(where) ? 24 : 240;
    for (int k = 0; k < cases; k++) {
        const unsigned long r = (unsigned long)k + 7 * (unsigned long)turn_of(where, 97);
        const int64_t *n = shapes[r % 8], places = n[0] * n[2];
        setting s = {.rows = n[0], .inner = n[1], .cols = n[2]};
        s.a_nnz = n[0] * n[1] > 0 ? (int64_t)(r % 5) * (n[0] + 9) : 0;
        s.b_nnz = n[1] * n[2] > 0 ? (int64_t)(r % 7) * (n[1] + 20) : 0;
        const int64_t nnz[] = {0, 3 * n[0] + n[2], places / 3, 2 * places, 1};
        s.mask_nnz = places > 0 ? nnz[r % 5] : 0;
        s.ascend = r % 2 && s.mask_nnz <= places / 2;
        s.op_A = r / 2 % 2 ? TULLE_T : TULLE_N;
        s.op_B = r / 4 % 2 ? TULLE_T : TULLE_N;
        s.type = r / 3 % 2 ? TULLE_F32 : TULLE_F64;
        s.mask_type = r / 5 % 2 ? TULLE_F32 : TULLE_F64;
        for (unsigned long i = 0; i < 3; i++) s.index[i] = (tulle_index)((r / 2 + i * r / 3) % 3);
        s.format = (tulle_format)(r / 6 % TULLE_FORMAT_COUNT);
        s.odd = r % 11 == 3;
        s.plus = r % 3 == 1 && places > 0;
        check(ctx, &s, r + places_seed());
    }
}

static void test_random_products(void **state) {
    (void)state;
    on_each_place(random_products);
}

/* Each way of matching rows: few columns of the mask in long rows of B, where a table of all
 * columns pays and where it does not; short rows of B in long rows of the mask; stretches of a long
 * row. */
static void ways(tulle_ctx *ctx, const char *where) {
    const setting cases[] = {
        {.rows = 6, .inner = 9, .cols = 700, .a_nnz = 40, .b_nnz = 5000, .mask_nnz = 12},
        {.rows = 6, .inner = 9, .cols = 700, .a_nnz = 40, .b_nnz = 5000, .mask_nnz = 3000},
        {.rows = 3, .inner = 5, .cols = 3000, .a_nnz = 12, .b_nnz = 9000, .mask_nnz = 5000},
        {.rows = 4, .inner = 9, .cols = 90000, .a_nnz = 30, .b_nnz = 60, .mask_nnz = 200},
        {.rows = 4, .inner = 9, .cols = 90000, .a_nnz = 30, .b_nnz = 200, .mask_nnz = 60},
        {.rows = 400, .inner = 30, .cols = 40, .a_nnz = 900, .b_nnz = 300, .mask_nnz = 2000},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int type = 0; type < 2; type++) {
            setting s = cases[k];
            s.type = type ? TULLE_F32 : TULLE_F64;
            s.mask_type = TULLE_F64;
            s.ascend = k % 2;
            s.index[0] = s.index[1] = s.index[2] = (tulle_index)(k % 3);
            s.pattern = k == 5;
            s.stride = s.cols == 90000 ? 1000 : 0;
            if (is_slow(where) && (k + (size_t)type) % 2 != (size_t)turn_of(where, 2)) continue;
            check(ctx, &s, k + 5);
        }
    }
}
ONCE_ON_EACH_PLACE(ways)

/* A mask that is A, or that is all of the product's pattern. */
static void own_masks(tulle_ctx *ctx, const char *where) {
    tulle_mat *A = making_generated(ctx, is_slow(where) ? "rmat:6,5" : "rmat:9,8", 1, TULLE_F64);
    const setting s = {.type = TULLE_F64};
    tulle_mat *whole = NULL;
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, NULL, NULL, &whole));
    const matrices by_a = {.A = A, .B = A, .csr = A}, by_whole = {.A = A, .B = A, .csr = whole};
    for (int k = 0; k < 2; k++) {
        const matrices *m = k ? &by_whole : &by_a;
        const tulle_spgemm_options options = {.mask = m->csr};
        tulle_mat *C = NULL, *want = expected(ctx, &s, m, 1, 0);
        must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, &options, NULL, &C));
        compare(ctx, C, want);
        tulle_mat_destroy(C);
        tulle_mat_destroy(want);
    }
    tulle_mat_destroy(whole);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(own_masks)

/* The number of triangles of a complete graph of n vertices is n (n - 1) (n - 2) / 6. */
static void triangles(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { N = 30 };
    int32_t offsets[N + 1], cols[N * N];
    for (int i = 0; i <= N; i++) offsets[i] = i * N;
    for (int e = 0; e < N * N; e++) cols[e] = e % N;
    const tulle_mat_options pattern = {.pattern = true};
    tulle_mat *A = NULL, *L = NULL, *C = NULL;
    must(tulle_mat_create_csr(ctx, N, N, N * N, TULLE_I32, offsets, cols, TULLE_F64, NULL, &pattern,
                              &A));
    must(tulle_mat_part(ctx, A, TULLE_LOWER, -1, &L));
    const tulle_spgemm_options options = {.mask = L};
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), L, L, &options, NULL, &C));
    entries c = entries_read(ctx, C);
    double sum = 0;
    for (int64_t e = 0; e < c.nnz; e++) sum += c.value[e];
    assert_true(sum == N * (N - 1) * (N - 2) / 6.0);
    entries_free(&c);
    tulle_mat_destroy(C);
    tulle_mat_destroy(L);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(triangles)

/* The same bits under caps that leave less and less room, until the product does not fit. */
static void capped(tulle_ctx *ctx, const setting *s, bool keeps) {
    matrices m = make(ctx, s, 3);
    const tulle_spgemm_options options = {.mask = m.mask, .D = m.D, .beta = tulle_num(2)};
    tulle_mat *want = expected(ctx, s, &m, 1, 2);
    tulle_spgemm_report report;
    int64_t pieces = 1;
    bool fits = true;
    if (ctx->kind == TULLE_EMULATED) ctx->pool.keeps = keeps;
    for (size_t room = 400000; fits && room > 500; room = room * 4 / 5) {
        tulle_mat *C = NULL;
        must(tulle_ctx_trim(ctx));
        ctx->pool.cap = ctx->pool.in_use + room;
        const tulle_status status =
            tulle_spgemm(ctx, s->op_A, s->op_B, tulle_num(1), m.A, m.B, &options, &report, &C);
        ctx->pool.cap = 0;
        fits = status == TULLE_OK;
        if (!fits) assert_int_equal(status, TULLE_OUT_OF_MEMORY);
        if (!fits) continue;
        compare(ctx, C, want);
        assert_true(report.peak_bytes <= (int64_t)room && report.bound_bytes <= (int64_t)room);
        if (report.pieces > pieces) pieces = report.pieces;
        tulle_mat_destroy(C);
    }
    assert_false(fits);
    assert_true(pieces > 2);
    ctx->pool.keeps = ctx->kind == TULLE_CUDA;
    tulle_mat_destroy(want);
    free_matrices(&m);
}

static void caps(tulle_ctx *ctx, const char *where) {
    (void)where;
    if (ctx->kind == TULLE_CUDA) {
        say_skipped("caps of %s: blocks of its pool are far larger than these matrices", where);
        return;
    }
    /* Most entries of the mask meet no product, so that C is small beside the kernel's memory. */
    setting s = {.rows = 40, .inner = 30, .cols = 500, .a_nnz = 90, .b_nnz = 300};
    s.mask_nnz = 6000;
    s.format = TULLE_CSR;
    s.type = s.mask_type = TULLE_F64;
    s.sorted = s.ascend = true;
    capped(ctx, &s, false);
    s.plus = true; /* in groups of rows */
    capped(ctx, &s, true);
    /* Products are so many that marks of all columns pay, but do not fit: then a row is made some
     * columns at a time, and those of the mask count from the first of these. */
    const setting wide = {.rows = 3,
                          .inner = 20,
                          .cols = 5000,
                          .a_nnz = 30,
                          .b_nnz = 20000,
                          .mask_nnz = 900,
                          .type = TULLE_F64,
                          .mask_type = TULLE_F32,
                          .sorted = true,
                          .ascend = true,
                          .format = TULLE_CSR};
    capped(ctx, &wide, false);
}
ONCE_ON_EACH_PLACE(caps)

static void random_operands(tulle_ctx *ctx, const making *job, tulle_mat *m[]) {
    (void)job;
    m[0] = making_generated(ctx, "rmat:5,6", 1, TULLE_F64);
    m[1] = tulle_mat_retain(m[0]);
    m[2] = making_generated(ctx, "random:32,32,9", 1, TULLE_F64);
}

static tulle_status masked(tulle_ctx *ctx, const making *job, tulle_mat *const m[],
                           const tulle_index *index, tulle_mat **C) {
    tulle_spgemm_options options = {.index_given = index != NULL, .mask = m[2]};
    if (index) options.index = *index;
    return tulle_spgemm(ctx, job->op, TULLE_N, tulle_num(1), m[0], m[1], &options, NULL, C);
}

static const making product = {.operands = random_operands, .make = masked};

static void elsewhere(tulle_ctx *ctx, const char *where) {
    making_check_elsewhere(ctx, where, &product);
}
ONCE_ON_EACH_PLACE(elsewhere)

static void indices(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_indices(ctx, &product);
}
ONCE_ON_EACH_PLACE(indices)

static void cancelling(tulle_ctx *ctx, const char *where) {
    (void)where;
    making_check_cancelling(ctx, &product, 5);
}
ONCE_ON_EACH_PLACE(cancelling)

static void running_out(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    making_check_running_out(
        where, &(making){.operands = random_operands, .make = masked, .op = TULLE_T}, 5);
}
ONCE_ON_EACH_PLACE(running_out)

/* The kernel of masked products is forced by its name; kernels of others are not asked. */
static void forced(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:6", 1, TULLE_F64);
    const tulle_spgemm_options options = {.mask = A};
    const char *const names[] = {"masked_rows", "spgemm_auto"};
    for (int k = 0; k < 2; k++) {
        for (int with = 0; with < 2; with++) {
            tulle_mat *C = NULL;
            tulle_spgemm_report report;
            must(tulle_ctx_force_kernel(ctx, names[k]));
            must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, with ? &options : NULL,
                              &report, &C));
            assert_string_equal(report.kernel, with ? "masked_rows" : "spgemm_auto");
            tulle_mat_destroy(C);
            must(tulle_ctx_force_kernel(ctx, NULL));
        }
    }
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(forced)

/* An update needs a C that has all entries of the product. */
static void no_update(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = making_generated(ctx, "p2d5:6", 1, TULLE_F64), *C = NULL;
    const tulle_spgemm_options options = {.mask = A};
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, &options, NULL, &C));
    assert_int_equal(tulle_spgemm_update(ctx, TULLE_N, TULLE_N, tulle_num(1), A, A, C),
                     TULLE_INVALID_ARGUMENT);
    tulle_mat_destroy(C);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(no_update)

static void errors(tulle_ctx *ctx, const char *where) {
    tulle_mat *A = making_generated(ctx, "random:6,5,2", 1, TULLE_F64), *C = (tulle_mat *)1;
    tulle_mat *B = making_generated(ctx, "random:5,6,2", 1, TULLE_F64);
    tulle_mat *tall = making_generated(ctx, "random:7,6,2", 1, TULLE_F64);
    tulle_mat *wide = making_generated(ctx, "random:6,7,2", 1, TULLE_F64);
    tulle_mat *square = making_generated(ctx, "random:5,5,2", 1, TULLE_F64);
    tulle_mat *const wrong[] = {tall, wide, square};
    const tulle_scalar one = tulle_num(1);
    tulle_spgemm_bounds bounds;
    tulle_spgemm_options options = {.mask = NULL};
    for (int k = 0; k < 3; k++) {
        options.mask = wrong[k];
        making_assert_fails(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, A, B, &options, NULL, &C),
                            "tulle_spgemm", TULLE_SHAPE_MISMATCH, "mask", &C);
        assert_int_equal(tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, A, B, &options, &bounds),
                         TULLE_SHAPE_MISMATCH);
    }
    options.mask = square;
    making_assert_fails(tulle_spgemm_galerkin(ctx, one, square, square, &options, NULL, &C),
                        "tulle_spgemm_galerkin", TULLE_INVALID_ARGUMENT, "mask", &C);
    assert_int_equal(tulle_spgemm_galerkin_forecast(ctx, square, square, &options, &bounds),
                     TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->argument, "mask");
    tulle_ctx *other = place_elsewhere(where);
    if (other) {
        tulle_mat *far = making_generated(other, "random:6,6,2", 1, TULLE_F64);
        options.mask = far;
        making_assert_fails(tulle_spgemm(ctx, TULLE_N, TULLE_N, one, A, B, &options, NULL, &C),
                            "tulle_spgemm", TULLE_SPACE_MISMATCH, "mask", &C);
        tulle_mat_destroy(far);
        tulle_ctx_destroy(other);
    }
    tulle_mat_destroy(square);
    tulle_mat_destroy(wide);
    tulle_mat_destroy(tall);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
}
ONCE_ON_EACH_PLACE(errors)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_products),
        cmocka_unit_test(test_ways),
        cmocka_unit_test(test_own_masks),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_caps),
        cmocka_unit_test(test_elsewhere),
        cmocka_unit_test(test_indices),
        cmocka_unit_test(test_cancelling),
        cmocka_unit_test(test_running_out),
        cmocka_unit_test(test_forced),
        cmocka_unit_test(test_no_update),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
