/* SPDX-License-Identifier: Apache-2.0 */
/* A hierarchy in words: a line for each level with the level's own numbers, how the last level is
 * solved, and texts that are cut where the room ends. */
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "problems.h"
#include "zoo.h"

enum { ROOM = 8192, MOST_LINE = 100 };

static const char *explained(const tulle_linop *M) {
    static char text[ROOM];
    size_t length = 0;
    must(tulle_amg_explain(M, text, sizeof text, &length));
    assert_int_equal(strlen(text), length);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        assert_non_null(strchr(line, '\n'));
        assert_true(strcspn(line, "\n") <= MOST_LINE);
    }
    return text;
}

static void assert_says(const char *text, const char *words) {
    if (!strstr(text, words)) fail_msg("no '%s' in:\n%s", words, text);
}

/* Checks the line of level l, whose numbers are those of tulle_amg_level, and returns the next one.
 */
static const char *check_level(const tulle_linop *M, int l, const char *line) {
    tulle_amg_level_info level, first;
    char head[64], wanted[64];
    double row = 0, share = 0;
    must(tulle_amg_level(M, l, &level));
    must(tulle_amg_level(M, 0, &first));
    snprintf(head, sizeof head, "  %d%s ", l, level.passed ? " passed" : "");
    assert_memory_equal(line, head, strlen(head));
    snprintf(wanted, sizeof wanted, " %" PRId64 " ", level.rows);
    const char *at = strstr(line, wanted);
    assert_non_null(at);
    snprintf(wanted, sizeof wanted, " %" PRId64 " %%lf %%lf", level.nnz);
    assert_int_equal(sscanf(at + 1 + strcspn(at + 1, " "), wanted, &row, &share), 2);
    assert_true(row > (double)level.nnz / (double)level.rows - 0.051);
    assert_true(row < (double)level.nnz / (double)level.rows + 0.051);
    assert_true(share > (double)level.nnz / (double)first.nnz - 0.00051);
    assert_true(share < (double)level.nnz / (double)first.nnz + 0.00051);
    return strchr(line, '\n') + 1;
}

static void levels(tulle_ctx *ctx, const char *where) {
    const tulle_amg_options options = {.coarsest_rows = 20, .degree = 3};
    problem p = problem_of(ctx, system_grid(12, 0, 0), TULLE_F64);
    tulle_linop *M = NULL;
    tulle_amg_info info;
    char head[64];
    (void)where;
    must(tulle_amg_create(ctx, p.A, &options, &M));
    must(tulle_amg_describe(M, &info));
    assert_true(info.levels > 2);
    const char *text = explained(M);
    snprintf(head, sizeof head, "multigrid of %d levels: %.2f times A's entries", info.levels,
             info.operator_complexity);
    assert_memory_equal(text, head, strlen(head));
    assert_says(text, "  smoother  polynomial of degree 3, computed in f32\n");
    assert_says(text, " rows, solved by its inverse\n");
    const char *line = strstr(text, "\n  0 ");
    assert_non_null(line++);
    for (int l = 0; l < info.levels; l++) line = check_level(M, l, line);
    assert_int_equal(*line, '\0');
    tulle_linop_destroy(M);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(levels)

/* Says how fast a cycle is, with advice where it is slow, as where constants are not what smoothing
 * leaves. */
static void factors(tulle_ctx *ctx, const char *where) {
    const tulle_amg_options options = {.coarsest_rows = 20};
    for (int scaled = 0; scaled < (is_slow(where) ? 1 : 2); scaled++) {
        host_system s = system_grid(is_slow(where) ? 16 : 40, 0, 0);
        for (int64_t i = 0; i < s.n && scaled; i++) {
            for (int64_t e = s.offsets[i]; e < s.offsets[i + 1]; e++) {
                const int powers = (int)(i * 7 % 11 + s.columns[e] * 7 % 11);
                s.values[e] = ldexp(s.values[e], powers);
            }
        }
        problem p = problem_of(ctx, s, TULLE_F64);
        tulle_linop *M = NULL;
        double factor = 2;
        must(tulle_amg_create(ctx, p.A, &options, &M));
        const char *text = explained(M), *at = strstr(text, "  factor    ");
        assert_non_null(at);
        assert_int_equal(sscanf(at, "  factor %lf of the residual", &factor), 1);
        assert_true(scaled ? factor > 0.9 : factor < 0.8);
        assert_int_equal(strstr(text, "which is slow: ") != NULL, scaled);
        tulle_linop_destroy(M);
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(factors)

/* Says why a cycle is not in f32. */
static void says_why(tulle_ctx *ctx, const char *where) {
    const tulle_amg_options options = {.coarsest_rows = 20};
    host_system s = system_grid(12, 0, 0);
    tulle_linop *M = NULL;
    (void)where;
    /* pairs of rows in which one number is far above all others */
    for (int64_t i = 0; i < s.n; i++) {
        for (int64_t e = s.offsets[i]; e < s.offsets[i + 1]; e++) {
            const int64_t j = s.columns[e];
            if (i == j) s.values[e] += 1e10;
            if (i != j && i / 2 == j / 2) s.values[e] -= 1e10;
        }
    }
    problem p = problem_of(ctx, s, TULLE_F64);
    must(tulle_amg_create(ctx, p.A, &options, &M));
    assert_says(explained(M), "degree 2, in f64: coefficients jump too far for f32\n");
    tulle_linop_destroy(M);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(says_why)

/* The text names the family, which is the classical one where nobody chose. */
static void names_family(tulle_ctx *ctx, const char *where) {
    static const char *const names[] = {"classical interpolation\n", "classical interpolation\n",
                                        "plain aggregation, a W cycle\n", "smoothed aggregation\n"};
    problem p = problem_of(ctx, system_grid(7, 0, 0), TULLE_F64);
    (void)where;
    for (int family = 0; family < 4; family++) {
        const tulle_amg_options options = {.family = (tulle_amg_family)family, .coarsest_rows = 20};
        tulle_linop *M = NULL;
        char wanted[64];
        must(tulle_amg_create(ctx, p.A, &options, &M));
        snprintf(wanted, sizeof wanted, "  family    %s", names[family]);
        assert_says(explained(M), wanted);
        tulle_linop_destroy(M);
    }
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(names_family)

/* A last level without an inverse, whose diagonal dominates or does not. */
static void last_level(tulle_ctx *ctx, const char *where) {
    static const struct {
        double shift;
        const char *words;
    } all[] = {
        {0, "  last      100 rows, smoothed, which does not solve it: coarsening has stalled\n"},
        {10, "  last      100 rows, smoothed, which solves it\n"}};
    const tulle_amg_options options = {.coarsest_rows = 1, .most_levels = 1};
    (void)where;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        problem p = problem_of(ctx, system_grid(10, 0, all[k].shift), TULLE_F64);
        tulle_linop *M = NULL;
        must(tulle_amg_create(ctx, p.A, &options, &M));
        assert_says(explained(M), all[k].words);
        tulle_linop_destroy(M);
        problem_free(&p);
    }
}
ONCE_ON_EACH_PLACE(last_level)

static void ends_of_the_room(tulle_ctx *ctx, const char *where) {
    problem p = problem_of(ctx, system_grid(3, 0, 0), TULLE_F64);
    tulle_linop *M = NULL;
    char text[ROOM], cut[ROOM];
    size_t length = 0, again = 0;
    (void)where;
    must(tulle_amg_create(ctx, p.A, NULL, &M));
    must(tulle_amg_explain(M, NULL, 0, &length));
    must(tulle_amg_explain(M, text, length + 1, NULL));
    assert_int_equal(strlen(text), length);
    memset(cut, 'x', sizeof cut);
    must(tulle_amg_explain(M, cut, 10, &again));
    assert_int_equal(again, length);
    assert_int_equal(cut[9], '\0');
    for (size_t k = 10; k < sizeof cut; k++) assert_int_equal(cut[k], 'x');
    assert_memory_equal(cut, text, 9);
    assert_int_equal(tulle_amg_explain(M, NULL, 1, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_amg_explain(NULL, text, sizeof text, NULL), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_amg_explain(p.L, text, sizeof text, NULL), TULLE_INVALID_ARGUMENT);
    tulle_linop_destroy(M);
    problem_free(&p);
}
ONCE_ON_EACH_PLACE(ends_of_the_room)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),     cmocka_unit_test(test_factors),
        cmocka_unit_test(test_says_why),   cmocka_unit_test(test_names_family),
        cmocka_unit_test(test_last_level), cmocka_unit_test(test_ends_of_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
