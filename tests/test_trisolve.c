/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel for op(T) X = alpha B against the definition in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "trisolve_check.h"
#include "tulle/advanced.h"

/* The next case is the caller's: on a CPU, all are; in each order of the emulator, one in `of`. */
static bool is_turn(const char *where, int of) {
    static int cases;
    return !is_slow(where) || (cases++ + turn_in_order(where, of)) % of == 0;
}

/* Each matrix of the zoo, on a CPU by all kinds of triangles and types. */
static void zoo_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    for (int i = 0; i < zoo_count(); i++) {
        zoo_matrix m = zoo_make(i);
        entries e = entries_of_zoo(&m);
        for (unsigned kind = 0; kind < 72; kind++) {
            trisolve_setting s =
                trisolve_setting_number(spec, 1000 * number + 100 * (unsigned)i + kind);
            s.part = (tulle_part)(kind & 1);
            s.op = (tulle_trans)(kind >> 1 & 1);
            s.diag = (tulle_diag)(kind >> 2 & 1);
            s.stored = kind / 8 % 3 == 1 ? TULLE_F64 : TULLE_F32;
            s.type = kind / 8 % 3 == 0 ? TULLE_F32 : TULLE_F64;
            s.index = (tulle_index)(kind / 24);
            if (is_turn(where, 29)) trisolve_try(ctx, &e, &s, spec);
        }
        entries_free(&e);
        zoo_free(&m);
    }
}

/* Of a triangle whose other part is empty, too: entries (i, j) with 0 < i - j <= reach. */
static entries band(int64_t n, int64_t reach) {
    entries e = entries_random(n > 0 ? n : 1, n > 0 ? n : 1, n * reach, 5);
    int64_t count = 0;
    for (int64_t k = 0; k < e.nnz; k++) {
        e.row[count] = k / reach;
        e.col[count] = k / reach - 1 - k % reach;
        if (e.col[count] >= 0) count++;
    }
    e.nnz = count;
    e.rows = e.cols = n;
    return e;
}

/* Chains, where each row is a level; none, where one level has all; everything in between. */
static void shapes_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    const struct {
        int64_t n, reach, nnz; /* reach 0: so many entries at random */
    } shapes[] = {{0, 1, 0},    {1, 1, 0},     {1, 0, 3},    {2, 1, 0},    {70, 1, 0},
                  {33, 2, 0},   {40, 39, 0},   {90, 0, 0},   {50, 0, 60},  {130, 0, 500},
                  {64, 0, 900}, {200, 0, 400}, {31, 0, 300}, {20, 0, 3000}};
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const int64_t n = shapes[k].n;
        entries e = shapes[k].reach > 0 ? band(n, shapes[k].reach)
                                        : entries_random(n, n, shapes[k].nnz, number + k);
        for (unsigned i = 0; i < 30; i++) {
            trisolve_setting s = trisolve_setting_number(spec, 5000 * number + 50 * k + i);
            if (i % 3 == 0) s.part = TULLE_LOWER;
            if (is_turn(where, 13)) trisolve_try(ctx, &e, &s, spec);
        }
        entries_free(&e);
    }
}

/* Every parameter; rows of many lengths, so that lanes that share them have several turns. */
static void parameters_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    entries e = entries_random(120, 120, 2500, number);
    for (int64_t k = 0; k < 100; k++) e.row[k] = 60;
    for (unsigned i = 0; i < (is_slow(where) ? 3 : 40); i++) {
        trisolve_setting s = trisolve_setting_number(spec, 7000 * number + i);
        trisolve_try(ctx, &e, &s, spec);
    }
    entries_free(&e);
}

/* Unknowns that are subnormal are rounded to few bits, beside numbers at the end of the type. */
static void ends_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    enum { N = 20 };
    int64_t row[N], col[N];
    double value[N];
    entries e = {N, N, N, row, col, value};
    (void)where;
    for (int i = 0; i < N; i++) {
        row[i] = col[i] = i;
        value[i] = i + 1 < N ? 1.7e308 : 1e-308;
    }
    trisolve_setting s = trisolve_setting_number(spec, number);
    s.diag = TULLE_NON_UNIT;
    s.stored = s.type = TULLE_F64;
    s.alpha = 1;
    tulle_mat *A = trisolve_matrix(ctx, &e, &s);
    columns B = trisolve_numbers(&e, &s);
    for (int64_t k = 0; k < N * B.cols; k++) B.at[k] = 1e-3 * (double)(k % N + 1);
    columns X = trisolve_solve(ctx, A, &B, &s);
    trisolve_check(&e, &B, &X, &s, spec);
    columns_free(&X);
    columns_free(&B);
    tulle_mat_destroy(A);
}

/* Whether the kernel promises the same bits from run to run. */
static bool repeats(tulle_ctx *ctx, const char *spec, const trisolve_setting *s) {
    tulle_device_info device;
    tulle_kernel_info info = {.name = NULL};
    must(tulle_ctx_device(ctx, &device));
    for (int k = 0; !info.name || strcspn(spec, ":") != strlen(info.name) ||
                    strncmp(spec, info.name, strlen(info.name)) != 0;
         k++) {
        must(tulle_kernel_describe(device.backend, k, &info));
    }
    return s->op == TULLE_N ? info.repeatable : info.repeatable_t;
}

/* What a second call, another kernel, other vectors and other threads compute has the same bits on
 * a CPU; the second call, everywhere where the kernel says so. Levels are wide enough for several
 * threads. */
static void bits(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    const bool cpu = strncmp(where, "cpu", 3) == 0;
    for (unsigned i = 0; i < (cpu ? 24 : 2); i++) {
        trisolve_setting s = trisolve_setting_number(spec, 9000 * (cpu ? 1 : number) + i);
        const int64_t n = cpu ? 6000 : 300;
        entries any = entries_random(n, n, 2 * n, i), e = trisolve_usable(&any, !s.diag);
        tulle_mat *A = trisolve_matrix(ctx, &e, &s);
        columns B = trisolve_numbers(&e, &s), X = trisolve_solve(ctx, A, &B, &s);
        if (cpu)
            must(tulle_ctx_force_kernel(ctx, i % 2 ? "trisolve_rows" : "trisolve_rows:bits=0"));
        columns again = trisolve_solve(ctx, A, &B, &s);
        must(tulle_ctx_force_kernel(ctx, spec));
        trisolve_check(&e, &B, &X, &s, spec);
        const bool same = repeats(ctx, spec, &s);
        for (int64_t k = 0; same && k < n * s.vectors; k++) {
            assert_near(again.at[k], X.at[k], 0, spec);
        }
        columns_free(&again);
        columns_free(&X);
        columns_free(&B);
        tulle_mat_destroy(A);
        entries_free(&e);
        entries_free(&any);
    }
}

/* Rows with rising columns and many entries, one column of B: on a CPU numbers of X are gathered or
 * loaded one by one, and the bits are the same. */
static void gathered_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    static const char *const others[] = {"trisolve_rows:bits=0",     "trisolve_rows:gather=0",
                                         "trisolve_rows:gather=1",   "trisolve_levels:bits=0",
                                         "trisolve_levels:gather=0", "trisolve_levels:gather=1"};
    if (strncmp(where, "cpu", 3) != 0) return;
    for (unsigned i = 0; i < 24; i++) {
        trisolve_setting s = trisolve_setting_number(spec, 13000 * number + i);
        s.part = (tulle_part)(i % 2);
        s.op = TULLE_N;
        s.block = 0;
        s.vectors = 1;
        s.index = (tulle_index)(i % 3);
        if (s.alpha == 0) s.alpha = 2;
        const int64_t n = 150;
        entries any = entries_random(n, n, 60 * n, number + i), e = trisolve_usable(&any, !s.diag);
        entries_sort(&e);
        entries_sum(&e, s.stored);
        tulle_mat *A = trisolve_matrix(ctx, &e, &s);
        columns B = trisolve_numbers(&e, &s), X = trisolve_solve(ctx, A, &B, &s);
        trisolve_check(&e, &B, &X, &s, spec);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
            must(tulle_ctx_force_kernel(ctx, others[k]));
            columns again = trisolve_solve(ctx, A, &B, &s);
            for (int64_t r = 0; r < n; r++) assert_near(again.at[r], X.at[r], 0, others[k]);
            columns_free(&again);
        }
        must(tulle_ctx_force_kernel(ctx, spec));
        columns_free(&X);
        columns_free(&B);
        tulle_mat_destroy(A);
        entries_free(&e);
        entries_free(&any);
    }
}

/* Which unknowns depend on unknown `first`. */
static bool *reached(const entries *e, const trisolve_setting *s, int64_t first) {
    bool *found = calloc((size_t)e->rows + 1, sizeof *found), more = true;
    assert_non_null(found);
    found[first] = true;
    while (more) {
        more = false;
        for (int64_t k = 0; k < e->nnz; k++) {
            if (e->row[k] == e->col[k] || !trisolve_has(s, e->row[k], e->col[k])) continue;
            const int64_t to = s->op == TULLE_N ? e->row[k] : e->col[k];
            const int64_t from = s->op == TULLE_N ? e->col[k] : e->row[k];
            if (!found[from] || found[to]) continue;
            found[to] = more = true;
        }
    }
    return found;
}

/* A NaN whose bits are all ones, as memory may be filled with. */
static long double all_ones(tulle_type type) {
    float f32;
    double f64;
    memset(&f32, 0xff, sizeof f32);
    memset(&f64, 0xff, sizeof f64);
    return type == TULLE_F32 ? f32 : f64;
}

/* What is not finite in one number of B, or on the diagonal, is so in the unknowns that depend on
 * it and in no other, all of which keep their bits, if the kernel says so. */
static void reach_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    for (unsigned i = 0; i < (is_slow(where) ? 6 : 60); i++) {
        trisolve_setting s = trisolve_setting_number(spec, 11000 * number + i);
        if (s.alpha == 0) s.alpha = 2;
        const int64_t n = 60, at = (int64_t)(i * 7 % 60), column = (int64_t)i % s.vectors;
        entries any = entries_random(n, n, 90, number + i), e = trisolve_usable(&any, !s.diag);
        tulle_mat *A = trisolve_matrix(ctx, &e, &s);
        columns B = trisolve_numbers(&e, &s), X = trisolve_solve(ctx, A, &B, &s);
        const long double bad[] = {NAN, -INFINITY, all_ones(s.type)};
        B.at[at + column * n] = bad[i % 3];
        columns Y = trisolve_solve(ctx, A, &B, &s);
        const bool keeps = repeats(ctx, spec, &s);
        bool *is_reached = reached(&e, &s, at);
        for (int64_t c = 0; c < s.vectors; c++) {
            for (int64_t k = 0; k < n; k++) {
                if (c == column && is_reached[k]) {
                    assert_false(isfinite(Y.at[k + c * n]));
                } else {
                    assert_true(isfinite(X.at[k + c * n]));
                    assert_true(isfinite(Y.at[k + c * n]));
                    if (keeps) assert_near(Y.at[k + c * n], X.at[k + c * n], 0, spec);
                }
            }
        }
        free(is_reached);
        columns_free(&Y);
        columns_free(&X);
        columns_free(&B);
        tulle_mat_destroy(A);
        entries_free(&e);
        entries_free(&any);
    }
}

/* A diagonal entry of 0 divides. */
static void zero_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    (void)where;
    (void)number;
    const int most = trisolve_takes_no_blocks(spec) ? 1 : 2;
    for (int block = 0; block <= most; block++) {
        const trisolve_setting s = {
            .alpha = 1, .stored = TULLE_F64, .type = TULLE_F64, .block = block, .vectors = 1};
        int64_t row[] = {0, 1, 2, 2, 3, 3}, col[] = {0, 1, 0, 2, 1, 3};
        double value[] = {2, 0, 1, 4, -3, 1};
        entries e = {4, 4, 6, row, col, value};
        long double numbers[] = {4, 5, 10, 1};
        columns B = {4, 1, numbers};
        tulle_mat *A = trisolve_matrix(ctx, &e, &s);
        columns X = trisolve_solve(ctx, A, &B, &s);
        const long double want[] = {2, INFINITY, 2, INFINITY};
        for (int k = 0; k < 4; k++) assert_near(X.at[k], want[k], 0, spec);
        columns_free(&X);
        tulle_mat_destroy(A);
    }
}

/* A CPU divides also where the inverse of a diagonal entry is no number. */
static void small_by(tulle_ctx *ctx, const char *where, const char *spec, uint64_t number) {
    (void)number;
    if (strncmp(where, "cpu", 3) != 0) return;
    const trisolve_setting s = {
        .alpha = 1, .stored = TULLE_F64, .type = TULLE_F64, .block = 0, .vectors = 1};
    int64_t row[] = {0, 1, 1}, col[] = {0, 0, 1};
    double value[] = {ldexp(1, -1030), 1, ldexp(1, 1020)};
    entries e = {2, 2, 3, row, col, value};
    long double numbers[] = {ldexp(3, -1030), 3 + ldexp(5, 1020)};
    columns B = {2, 1, numbers};
    tulle_mat *A = trisolve_matrix(ctx, &e, &s);
    columns X = trisolve_solve(ctx, A, &B, &s);
    assert_near(X.at[0], 3, 0, spec);
    assert_near(X.at[1], 5, 0, spec);
    columns_free(&X);
    tulle_mat_destroy(A);
}

#define TEST(name, parameters)                                                                     \
    static void each_##name(tulle_ctx *ctx, const char *where) {                                   \
        trisolve_each_spec(ctx, where, parameters, name);                                          \
    }                                                                                              \
    static void test_##name(void **state) {                                                        \
        (void)state;                                                                               \
        on_each_place(each_##name);                                                                \
    }
TEST(zoo_by, false)
TEST(shapes_by, false)
TEST(parameters_by, true)
TEST(bits, false)
TEST(gathered_by, true)
TEST(reach_by, false)
TEST(zero_by, false)
TEST(small_by, false)
TEST(ends_by, false)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo_by),        cmocka_unit_test(test_shapes_by),
        cmocka_unit_test(test_parameters_by), cmocka_unit_test(test_bits),
        cmocka_unit_test(test_gathered_by),   cmocka_unit_test(test_reach_by),
        cmocka_unit_test(test_zero_by),       cmocka_unit_test(test_small_by),
        cmocka_unit_test(test_ends_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
