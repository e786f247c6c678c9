/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha op(A) + beta op(B) against the definition: the pattern exactly, values within their
 * bound in long double, and bit by bit where alpha and beta are powers of two, so that an entry is
 * rounded once. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"
#include "tulle/add.h"

typedef struct {
    tulle_trans op_A, op_B;
    double alpha, beta;
    tulle_type type;
    tulle_index a_index, b_index;
} setting;

/* The entries of a matrix in one place. */
typedef struct {
    long double sum, magnitude;
    int64_t count;
} place;

static entries op_of(const entries *e, tulle_trans op) {
    entries sorted = entries_copy(e);
    if (op == TULLE_T) entries_transpose(&sorted);
    entries_sort(&sorted);
    return sorted;
}

static int compare_places(const entries *a, int64_t i, const entries *b, int64_t j) {
    if (i == a->nnz || j == b->nnz) return (i == a->nnz) - (j == b->nnz);
    if (a->row[i] != b->row[j]) return a->row[i] < b->row[j] ? -1 : 1;
    return a->col[i] == b->col[j] ? 0 : a->col[i] < b->col[j] ? -1 : 1;
}

/* The entries from *k on that share its place; *k goes behind them. */
static place gather(const entries *sorted, int64_t *k) {
    place found = {0};
    int64_t first = *k;
    for (; *k < sorted->nnz && compare_places(sorted, first, sorted, *k) == 0; ++*k) {
        found.sum += sorted->value[*k];
        found.magnitude += fabs(sorted->value[*k]);
        found.count++;
    }
    return found;
}

static void check_value(const setting *s, const place *a, const place *b, double got) {
    long double unit = s->type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    long double tiny = s->type == TULLE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    long double alpha = s->type == TULLE_F32 ? (long double)(float)s->alpha : s->alpha;
    long double beta = s->type == TULLE_F32 ? (long double)(float)s->beta : s->beta;
    long double n = (long double)(a->count > b->count ? a->count : b->count) + 1;
    long double mass = fabsl(alpha) * a->magnitude + fabsl(beta) * b->magnitude;
    long double bound = n * unit / (1 - n * unit) * mass + n * tiny;
    long double want = alpha * a->sum + beta * b->sum;
    double error = (double)(fabsl((long double)got - want) / bound);
    if (!(error <= 1)) fail_msg("off by %g of the bound", error);
}

static void check_sum(tulle_ctx *ctx, const entries *A, const entries *B, const setting *s,
                      const tulle_mat *C) {
    entries a = op_of(A, s->op_A), b = op_of(B, s->op_B), c = entries_read(ctx, C);
    int64_t i = 0, j = 0, k = 0;
    assert_int_equal(c.rows, a.rows);
    assert_int_equal(c.cols, a.cols);
    for (; i < a.nnz || j < b.nnz; k++) {
        int order = compare_places(&a, i, &b, j);
        const entries *from = order <= 0 ? &a : &b;
        int64_t first = order <= 0 ? i : j;
        assert_true(k < c.nnz);
        assert_int_equal(compare_places(from, first, &c, k), 0);
        place in_a = {0}, in_b = {0};
        if (order <= 0) in_a = gather(&a, &i);
        if (order >= 0) in_b = gather(&b, &j);
        check_value(s, &in_a, &in_b, c.value[k]);
    }
    assert_int_equal(k, c.nnz);
    entries_free(&a);
    entries_free(&b);
    entries_free(&c);
}

static bool is_power_of_two(double x) {
    int exponent;
    return fabs(frexp(x, &exponent)) == 0.5;
}

/* One rounding: of a sum of two floats, a double has all bits that decide it. order: what
 * compare_places says of both. */
static double once_rounded(const setting *s, int order, double a, double b) {
    double sum = s->alpha * a + s->beta * b;
    if (order < 0) sum = s->alpha * a;
    if (order > 0) sum = s->beta * b;
    return s->type == TULLE_F32 ? (double)(float)sum : sum;
}

/* C as entries; with A and B summed in their order. */
static entries sum_by_definition(const entries *A, const entries *B, const setting *s) {
    entries a = op_of(A, s->op_A), b = op_of(B, s->op_B);
    entries_sum(&a, s->type);
    entries_sum(&b, s->type);
    entries c = entries_random(a.rows, a.cols, 0, 1);
    entries_free(&c);
    c.row = calloc((size_t)(a.nnz + b.nnz) + 1, sizeof *c.row);
    c.col = calloc((size_t)(a.nnz + b.nnz) + 1, sizeof *c.col);
    c.value = calloc((size_t)(a.nnz + b.nnz) + 1, sizeof *c.value);
    assert_true(c.row && c.col && c.value);
    int64_t i = 0, j = 0;
    while (i < a.nnz || j < b.nnz) {
        int order = compare_places(&a, i, &b, j);
        c.row[c.nnz] = order <= 0 ? a.row[i] : b.row[j];
        c.col[c.nnz] = order <= 0 ? a.col[i] : b.col[j];
        c.value[c.nnz++] = once_rounded(s, order, a.value[i], b.value[j]);
        i += order <= 0;
        j += order >= 0;
    }
    entries_free(&a);
    entries_free(&b);
    return c;
}

static tulle_index wider(tulle_index a, tulle_index b) {
    return a > b ? a : b;
}

static void assert_same_signs(tulle_ctx *ctx, const tulle_mat *C, const entries *want) {
    entries c = entries_read(ctx, C);
    for (int64_t k = 0; k < c.nnz; k++) {
        assert_true(!signbit(c.value[k]) == !signbit(want->value[k]));
    }
    entries_free(&c);
}

static void check(tulle_ctx *ctx, const entries *A, const entries *B, const setting *s,
                  tulle_mat *C) {
    check_sum(ctx, A, B, s, C);
    if (!is_power_of_two(s->alpha) || !is_power_of_two(s->beta)) return;
    entries want = sum_by_definition(A, B, s);
    entries_check(ctx, C, &want, TULLE_CSR, wider(s->a_index, s->b_index), s->type, "sum");
    assert_same_signs(ctx, C, &want);
    entries_free(&want);
}

/* The same call again, with a report: the same bits. */
static void add_again(tulle_ctx *ctx, const setting *s, const tulle_mat *a, const tulle_mat *b,
                      const tulle_mat *C) {
    tulle_mat *again = NULL;
    tulle_add_report report;
    tulle_scalar alpha = tulle_num(s->alpha), beta = tulle_num(s->beta);
    must(tulle_add(ctx, s->op_A, s->op_B, alpha, a, beta, b, NULL, &report, &again));
    entries one = entries_read(ctx, C), two = entries_read(ctx, again);
    entries_assert_same(&one, &two, "again");
    assert_int_equal(report.nnz, one.nnz);
    entries_free(&one);
    entries_free(&two);
    tulle_mat_destroy(again);
}

static void add_matrices(tulle_ctx *ctx, const entries *A, const entries *B, const setting *s,
                         const tulle_mat *a, const tulle_mat *b, bool twice) {
    tulle_mat *C = NULL;
    tulle_scalar alpha = tulle_num(s->alpha), beta = tulle_num(s->beta);
    must(tulle_add(ctx, s->op_A, s->op_B, alpha, a, beta, b, NULL, NULL, &C));
    check(ctx, A, B, s, C);
    if (twice) add_again(ctx, s, a, b, C);
    tulle_mat_destroy(C);
}

/* The i-th of all settings, in an order in which neighbours differ in much. */
static setting setting_number(unsigned i) {
    static const double alphas[] = {1, -0.5, 0.3, 0, 4}, betas[] = {-1, 2, -0.7, 1, 1e30};
    return (setting){.alpha = alphas[i % 5],
                     .beta = betas[i % 5],
                     .type = i / 2 % 2 ? TULLE_F64 : TULLE_F32,
                     .a_index = (tulle_index)(i % 3),
                     .b_index = (tulle_index)(i / 3 % 3)};
}

typedef struct {
    tulle_ctx *ctx;
    unsigned number; /* of the setting */
    int third;       /* of the cases that is tried, from 1; 0: all are */
    int cases;       /* so far */
    int calls;       /* so far */
} tester;

/* Each order of the emulator meets a third of the cases. */
static bool is_turn(tester *t) {
    int number = t->cases++;
    return t->third == 0 || number % 3 == t->third - 1;
}

/* The next call; twice, or, where few can be made, one in three. */
static void add(tester *t, const entries *A, const entries *B, const setting *s) {
    tulle_mat *a = entries_to_csr(t->ctx, A, s->a_index, s->type);
    tulle_mat *b = entries_to_csr(t->ctx, B, s->b_index, s->type);
    add_matrices(t->ctx, A, B, s, a, b, t->third == 0 || t->calls % 3 == 0);
    t->calls++;
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
}

/* All ways in which the shapes agree; where only a third of the cases is tried, with one op_B, the
 * other with the next case: the kernels themselves see operands that have been turned. */
static void try_ops(tester *t, const entries *A, const entries *B) {
    for (int ops = 0; ops < 4; ops++) {
        setting s = setting_number(t->number++);
        s.op_A = (tulle_trans)(ops & 1);
        s.op_B = (tulle_trans)(ops >> 1);
        if (t->third > 0 && ops >> 1 != t->cases / 3 % 2) continue;
        bool turned = s.op_A != s.op_B;
        int64_t b_rows = turned ? B->cols : B->rows, b_cols = turned ? B->rows : B->cols;
        if (A->rows == b_rows && A->cols == b_cols) add(t, A, B, &s);
    }
}

/* What lies beside the entries of a matrix: those of its columns moved on by one. */
static entries moved(const entries *e) {
    entries next = entries_copy(e);
    for (int64_t k = 0; k < next.nnz; k++) {
        next.col[k] = (next.col[k] + 1) % next.cols;
        next.value[k] *= -0.5;
    }
    return next;
}

/* Each matrix of the zoo with itself, with nothing, with its neighbour, and with any other. */
static void try_beside(tester *t, const entries *e) {
    entries next = moved(e), none = entries_copy(e);
    int64_t some = e->rows > 0 && e->cols > 0 ? 60 : 0;
    entries other = entries_random(e->rows, e->cols, some, 5);
    none.nnz = 0;
    const entries *const beside[] = {e, &next, &none, &other};
    for (int i = 0; i < 4; i++) {
        if (is_turn(t)) try_ops(t, e, beside[i]);
    }
    if (is_turn(t)) try_ops(t, &none, e);
    entries_free(&other);
    entries_free(&none);
    entries_free(&next);
}

static void try_zoo(tester *t) {
    for (int i = 0; i < zoo_count(); i++) {
        zoo_matrix m = zoo_make(i);
        entries e = entries_of_zoo(&m);
        try_beside(t, &e);
        entries_free(&e);
        zoo_free(&m);
    }
}

static void try_pair(tester *t, entries A, entries B) {
    if (is_turn(t)) {
        setting s = setting_number(t->number++);
        add(t, &A, &B, &s);
    }
    entries_free(&A);
    entries_free(&B);
}

/* Rows of the same length whose columns stand so many apart, from a first one on. */
static entries comb(int64_t rows, int64_t length, int64_t first, int64_t step) {
    entries e = entries_random(rows, first + length * step, rows * length, 3);
    for (int64_t k = 0; k < e.nnz; k++) {
        e.row[k] = k / length;
        e.col[k] = first + k % length * step;
    }
    return e;
}

static entries comb_within(int64_t rows, int64_t length, int64_t first, int64_t step,
                           int64_t cols) {
    entries e = comb(rows, length, first, step);
    assert_true(e.cols <= cols);
    e.cols = cols;
    return e;
}

/* Pairs of rows with three entries, `first` of them in the first row: one list of columns, whatever
 * `first` is. */
static entries folded(int64_t pairs, int64_t first) {
    entries e = comb(3 * pairs, 1, 0, 1);
    e.rows = 2 * pairs;
    e.cols = 3;
    for (int64_t k = 0; k < e.nnz; k++) {
        e.row[k] = k / 3 * 2 + (k % 3 >= first);
        e.col[k] = k % 3;
    }
    return e;
}

/* Of several tiles of a GPU, and pieces of a CPU: pairs that a cut would part, wherever it stands;
 * columns of A and B by turns; rows that end elsewhere in the same list of columns; rows without
 * entries; one row across tiles; A before B and behind it. */
static void try_tiles(tester *t) {
    for (int64_t odd = 0; odd < 2; odd++) {
        try_pair(t, comb_within(1, 4001 + odd, 0, 1, 9000), comb_within(1, 4000, odd, 1, 9000));
        try_pair(t, comb_within(2000 + odd, 2, 0, 1, 4), comb_within(2000 + odd, 2, odd, 1, 4));
    }
    try_pair(t, comb_within(3, 2000, 0, 2, 4002), comb_within(3, 2000, 1, 2, 4002));
    try_pair(t, folded(900, 1), folded(900, 2));
    try_pair(t, comb_within(1, 5000, 0, 1, 12000), comb_within(1, 6000, 5500, 1, 12000));
    try_pair(t, comb_within(1, 5000, 6500, 1, 12000), comb_within(1, 6000, 0, 1, 12000));
    try_pair(t, entries_random(9000, 50, 200, 1), entries_random(9000, 50, 300, 2));
    try_pair(t, entries_random(700, 700, 9000, 3), entries_random(700, 700, 6000, 4));
    try_pair(t, entries_random(40, 90000, 5000, 5), entries_random(40, 90000, 7000, 6));
    try_pair(t, entries_random(6000, 40, 0, 7), entries_random(6000, 40, 0, 8));
}

/* Rows of up to so many entries, three columns apart. */
static entries short_rows(int64_t rows, int64_t most, int64_t first, int64_t cols) {
    entries e = entries_random(rows, cols, rows * most, 11);
    int64_t k = 0;
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t j = 0; j < row * 5 % (most + 1); j++) {
            e.row[k] = row;
            e.col[k++] = first + row % 4 + 3 * j;
        }
    }
    e.nnz = k;
    return e;
}

/* Strips of rows of a GPU, the last one not full: as long as they may be, and one longer; pairs,
 * and columns by turns; rows of different lengths, and without entries. */
static void try_strips(tester *t) {
    for (int64_t longer = 0; longer < 2; longer++) {
        try_pair(t, comb_within(70, 10 + longer, 0, 1, 40), comb_within(70, 10, 5, 1, 40));
    }
    try_pair(t, comb_within(33, 20, 0, 3, 90), comb_within(33, 0, 0, 1, 90));
    try_pair(t, comb_within(300, 7, 0, 2, 20), comb_within(300, 7, 1, 2, 20));
    try_pair(t, comb_within(31, 5, 0, 1, 9), comb_within(31, 5, 0, 1, 9));
    try_pair(t, comb_within(600, 1, 0, 1, 12), comb_within(600, 6, 0, 2, 12));
    try_pair(t, short_rows(500, 9, 0, 60), short_rows(500, 8, 3, 60));
    try_pair(t, short_rows(97, 6, 0, 60), comb_within(97, 9, 0, 2, 60));
}

/* Operands in every format that takes them. */
static void try_formats(tester *t) {
    entries A = comb_within(40, 5, 3, 7, 48), B = entries_random(40, 48, 150, 9);
    entries_sort(&B);
    setting s = {.alpha = 2, .beta = -1, .type = TULLE_F64};
    tulle_mat *a = entries_to_csr(t->ctx, &A, TULLE_I32, TULLE_F64);
    tulle_mat *b = entries_to_csr(t->ctx, &B, TULLE_I32, TULLE_F64);
    int taken = 0;
    for (int format = 0; format < TULLE_FORMAT_COUNT; format++) {
        tulle_mat *as = NULL, *bs = NULL;
        must(tulle_mat_convert(t->ctx, a, (tulle_format)format, TULLE_I32, 0, &as));
        add_matrices(t->ctx, &A, &B, &s, as, b, true);
        must(tulle_mat_convert(t->ctx, b, (tulle_format)format, TULLE_I32, 0, &bs));
        add_matrices(t->ctx, &A, &B, &s, as, bs, true);
        s.op_A = s.op_B = s.op_A == TULLE_N ? TULLE_T : TULLE_N;
        tulle_mat_destroy(bs);
        tulle_mat_destroy(as);
        taken++;
    }
    assert_int_equal(taken, TULLE_FORMAT_COUNT);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
    entries_free(&B);
    entries_free(&A);
}

/* A matrix and itself are read once, and every entry meets itself. */
static void try_itself(tester *t) {
    entries A = entries_random(50, 50, 400, 12);
    tulle_mat *a = entries_to_csr(t->ctx, &A, TULLE_I64_I32, TULLE_F32);
    for (int ops = 0; ops < 4; ops++) {
        setting s = {
            (tulle_trans)(ops & 1), (tulle_trans)(ops >> 1), 1, -1, TULLE_F32, TULLE_I64_I32,
            TULLE_I64_I32};
        add_matrices(t->ctx, &A, &A, &s, a, a, true);
    }
    tulle_mat_destroy(a);
    entries_free(&A);
}

static void run(tulle_ctx *ctx, const char *where, int third, void (*test)(tester *)) {
    tester t = {ctx, (unsigned)turn_of(where, 30), third, 0, 0};
    test(&t);
}

/* The third of the cases for an order of the emulator, of which there are three. */
static int third_of(const char *where) {
    return is_slow(where) ? 1 + turn_in_order(where, 3) : 0;
}

static void zoo(tulle_ctx *ctx, const char *where) {
    run(ctx, where, third_of(where), try_zoo);
}

static void tiles(tulle_ctx *ctx, const char *where) {
    run(ctx, where, third_of(where), try_tiles);
}

static void strips(tulle_ctx *ctx, const char *where) {
    run(ctx, where, third_of(where), try_strips);
}

static void formats(tulle_ctx *ctx, const char *where) {
    run(ctx, where, 0, try_formats);
}

static void itself(tulle_ctx *ctx, const char *where) {
    run(ctx, where, 0, try_itself);
}

static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}

static void test_tiles(void **state) {
    (void)state;
    on_each_place(tiles);
}

static void test_strips(void **state) {
    (void)state;
    on_each_place(strips);
}

static void test_formats(void **state) {
    (void)state;
    once_on_each_place(formats);
}

static void test_itself(void **state) {
    (void)state;
    once_on_each_place(itself);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),    cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_strips), cmocka_unit_test(test_formats),
        cmocka_unit_test(test_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
