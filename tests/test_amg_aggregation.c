/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid by aggregation: aggregates are those of the stated rules, found one after the other;
 * smoothed interpolation is its formula; hierarchies are the same on every place and in all units;
 * coarsenings are kept; the number of iterations stays small. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "amg/hash.h"
#include "hierarchies.h"
#include "places.h"
#include "problems.h"
#include "zoo.h"

/* Both families, and a loop over them. */
#define BOTH(family)                                                                               \
    for (tulle_amg_family family = TULLE_AMG_AGGREGATION; family <= TULLE_AMG_SMOOTHED; family++)

/* Side of a grid on a place. */
static int side_of(const char *where) {
    return is_slow(where) ? 12 : 30;
}

/* Diffusion in the two directions of a grid, of which one is a hundred times the other, with
 * positive entries between diagonal neighbours. */
static double stretched(int64_t i, int64_t j) {
    enum { SIDE = 12 };
    const int64_t x = i % SIDE - j % SIDE, y = i / SIDE - j / SIDE;
    if (x == 0 && y == 0) return 202;
    if (x == 0 && llabs((long long)y) == 1) return -100;
    if (y == 0 && llabs((long long)x) == 1) return -1;
    return llabs((long long)x) == 1 && llabs((long long)y) == 1 ? 0.25 : 0;
}

/* Conductances between neighbours on a grid, from 1 to 128, and 1 to the ground. */
static double conducted(int64_t i, int64_t j) {
    enum { SIDE = 12 };
    const int64_t steps[] = {1, -1, SIDE, -SIDE};
    double sum = 1;
    if (i != j) {
        const int64_t x = llabs((long long)(i % SIDE - j % SIDE));
        const int64_t y = llabs((long long)(i / SIDE - j / SIDE));
        return x + y == 1 ? -ldexp(1, (int)(tulle__amg_hash(i * j + i + j) % 8)) : 0;
    }
    for (int k = 0; k < 4; k++) {
        const int64_t other = i + steps[k];
        if (other >= 0 && other < SIDE * SIDE) sum -= conducted(i, other);
    }
    return sum;
}

/* A chain in parts, with a row of zeros, a row without a diagonal entry, and rows that the diagonal
 * dominates. */
static double broken(int64_t i, int64_t j) {
    if (i == 30 || j == 30 || (i == 17 && j == 17)) return 0;
    if (i == j) return i % 11 == 3 ? 30 : 2;
    return llabs((long long)(i - j)) == 1 && i + j != 101 ? -1 : 0;
}

/* A system of those that the rules are tested with. */
static host_system system_number(int which) {
    if (which == 0) return rough_grid(13);
    if (which == 1) return system_grid(12, 0, 0);
    if (which == 2) return system_of(144, stretched);
    if (which == 3) return system_of(144, conducted);
    return system_of(120, broken);
}
enum { SYSTEMS = 5 };

/* Strong connections and aggregates, found row by row. */
typedef struct {
    int64_t n;
    bool *strong; /* [n n] */
    int64_t *aggregate;
    int64_t *root; /* [n] row that is the root of an aggregate */
    int64_t aggregates;
} naive;

/* The squared strength of a connection, 0 where a row takes no part. */
static double strength_of(const double *a, int64_t n, int64_t i, int64_t j) {
    double own = fabs(a[i * n + i]), other = fabs(a[j * n + j]);
    for (int side = 0; side < 2; side++) {
        const int64_t row = side == 0 ? i : j;
        double sum = 0;
        for (int64_t k = 0; k < n; k++) sum += a[row * n + k];
        if (!(fabs(sum) <= 0.9 * fabs(a[row * n + row])) || a[row * n + row] == 0) return 0;
    }
    return i == j ? 0 : fabs(a[i * n + j]) / own * (fabs(a[i * n + j]) / other);
}

/* True when row i goes before row j in the order of roots. */
static bool goes_before(int64_t i, int64_t j) {
    return tulle__amg_hash(i) > tulle__amg_hash(j);
}

/* True when rows are within two edges of each other. */
static bool are_near(const naive *g, int64_t i, int64_t j) {
    if (i == j || g->strong[i * g->n + j]) return true;
    for (int64_t k = 0; k < g->n; k++) {
        if (g->strong[i * g->n + k] && g->strong[k * g->n + j]) return true;
    }
    return false;
}

/* Takes rows in the order of their hashes as roots, each unless it is near one: a maximal set of
 * which no two are near. */
static void take_roots(naive *g, bool *is_root) {
    bool *seen = calloc((size_t)g->n, sizeof *seen);
    for (int64_t turn = 0; turn < g->n; turn++) {
        int64_t next = -1;
        bool connected = false, near = false;
        for (int64_t i = 0; i < g->n; i++) {
            if (!seen[i] && (next < 0 || goes_before(i, next))) next = i;
        }
        seen[next] = true;
        for (int64_t j = 0; j < g->n; j++) {
            connected = connected || g->strong[next * g->n + j];
            near = near || (is_root[j] && are_near(g, next, j));
        }
        is_root[next] = connected && !near;
    }
    free(seen);
}

/* Joins rows to the strongest neighbour that `joins` has an aggregate of. */
static void join_rows(naive *g, const double *a, const int64_t *joins, int64_t *to) {
    for (int64_t i = 0; i < g->n; i++) {
        double most = 0;
        for (int64_t j = 0; j < g->n && joins[i] < 0; j++) {
            const double strength = strength_of(a, g->n, i, j);
            if (!g->strong[i * g->n + j] || joins[j] < 0 || strength <= most) continue;
            most = strength;
            to[i] = joins[j];
        }
    }
}

static naive naive_of(const host_mat *A) {
    const int64_t n = A->rows;
    const size_t all = (size_t)(n * n);
    double *a = calloc(all, sizeof *a), *strength = calloc(all, sizeof *strength);
    double *largest = calloc((size_t)n, sizeof *largest);
    bool *is_root = calloc((size_t)n, sizeof *is_root);
    int64_t *first = calloc((size_t)n, sizeof *first);
    naive g = {.n = n,
               .strong = calloc(all, sizeof *g.strong),
               .aggregate = calloc((size_t)n, sizeof *g.aggregate),
               .root = calloc((size_t)n, sizeof *g.root)};
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
            a[i * n + A->columns[k]] = A->values[k];
        }
    }
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (a[i * n + j] != 0) strength[i * n + j] = strength_of(a, n, i, j);
            largest[i] = fmax(largest[i], strength[i * n + j]);
        }
    }
    for (int64_t k = 0; k < n * n; k++) {
        const double least = 0.0625 * fmax(largest[k / n], largest[k % n]);
        g.strong[k] = strength[k] > 0 && strength[k] >= least;
    }
    take_roots(&g, is_root);
    for (int64_t i = 0; i < n; i++) {
        first[i] = -1;
        if (!is_root[i]) continue;
        g.root[g.aggregates] = i;
        first[i] = g.aggregates++;
    }
    memcpy(g.aggregate, first, (size_t)n * sizeof *first);
    join_rows(&g, a, first, g.aggregate);
    memcpy(first, g.aggregate, (size_t)n * sizeof *first);
    join_rows(&g, a, first, g.aggregate);
    free(a);
    free(strength);
    free(largest);
    free(is_root);
    free(first);
    return g;
}

static void naive_free(naive *g) {
    free(g->strong);
    free(g->aggregate);
    free(g->root);
}

/* Roots are not near each other, and each row with a strong connection is near one. */
static void assert_maximal(const naive *g) {
    for (int64_t a = 0; a < g->aggregates; a++) {
        for (int64_t b = 0; b < a; b++) assert_false(are_near(g, g->root[a], g->root[b]));
    }
    for (int64_t i = 0; i < g->n; i++) {
        bool near = false, connected = false;
        for (int64_t j = 0; j < g->n; j++) connected = connected || g->strong[i * g->n + j];
        for (int64_t a = 0; a < g->aggregates; a++) near = near || are_near(g, i, g->root[a]);
        assert_true(near == connected);
        assert_true((g->aggregate[i] >= 0) == connected);
    }
}

/* P of plain aggregation is 1 in the column of a row's aggregate, and nothing else. */
static void plain_rules(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int which = 0; which < SYSTEMS; which++) {
        host_system s = system_number(which);
        tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
        const tulle_amg_options o = {.family = TULLE_AMG_AGGREGATION, .coarsest_rows = 8};
        tulle_linop *M = NULL;
        tulle_amg_level_info level;
        must(tulle_amg_create(ctx, A, &o, &M));
        must(tulle_amg_level(M, 0, &level));
        host_mat of_A = read_mat(ctx, level.A), P = read_mat(ctx, level.P);
        naive g = naive_of(&of_A);
        assert_maximal(&g);
        assert_int_equal(P.cols, g.aggregates);
        for (int64_t i = 0; i < g.n; i++) {
            const int64_t at = P.offsets[i];
            assert_int_equal(P.offsets[i + 1] - at, g.aggregate[i] >= 0);
            if (g.aggregate[i] < 0) continue;
            assert_int_equal(P.columns[at], g.aggregate[i]);
            assert_true(P.values[at] == 1);
        }
        naive_free(&g);
        free_mat(&of_A);
        free_mat(&P);
        tulle_linop_destroy(M);
        tulle_mat_destroy(A);
        system_free(&s);
    }
}
ONCE_ON_EACH_PLACE(plain_rules)

/* Row i of A_F for the connections that are strong in A; returns d_i. */
static long double filtered_row(const host_mat *A, const naive *strong, int64_t i,
                                long double *row) {
    long double sum = 0;
    memset(row, 0, (size_t)A->cols * sizeof *row);
    for (int64_t k = A->offsets[i]; k < A->offsets[i + 1]; k++) {
        const int64_t j = A->columns[k];
        row[strong->strong[i * A->cols + j] ? j : i] += A->values[k];
    }
    for (int64_t j = 0; j < A->cols; j++) sum += fabsl(row[j]);
    return sum;
}

/* Returns the error that rounding a row of P to f32 may add to an entry: numbers become multiples
 * of at most 2^-22 times the largest one, which takes the errors of all others. */
static long double rounding_of(const host_mat *P, int64_t i) {
    long double largest = 0;
    for (int64_t k = P->offsets[i]; k < P->offsets[i + 1]; k++) {
        largest = fmaxl(largest, fabsl(P->values[k]));
    }
    return 0x1p-23L * largest * (long double)(P->offsets[i + 1] - P->offsets[i]);
}

/* Asserts that P is (I - 4/3 D^-1 A_F) T, with strong connections of A and T of `of`. */
static void assert_smoothed(const host_mat *A, const naive *of, const host_mat *P, bool rounded) {
    naive now = naive_of(A);
    long double *row = calloc((size_t)A->cols, sizeof *row);
    long double *wanted = calloc((size_t)P->cols, sizeof *wanted);
    for (int64_t i = 0; i < A->rows; i++) {
        const long double d = filtered_row(A, &now, i, row);
        const long double most = 1e-14L + (rounded ? rounding_of(P, i) : 0);
        bool any = false;
        memset(wanted, 0, (size_t)P->cols * sizeof *wanted);
        for (int64_t j = 0; j < A->cols; j++) any = any || now.strong[i * A->cols + j];
        if (of->aggregate[i] >= 0) wanted[of->aggregate[i]] = 1;
        for (int64_t j = 0; j < A->cols && any && of->aggregate[i] >= 0; j++) {
            if (of->aggregate[j] >= 0) wanted[of->aggregate[j]] -= 4 / 3.0L * row[j] / d;
        }
        for (int64_t c = 0; c < P->cols; c++) {
            assert_true(fabsl(number_at(P, i, c) - wanted[c]) <= most);
        }
    }
    naive_free(&now);
    free(row);
    free(wanted);
}

static void smoothed_rules(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int which = 0; which < SYSTEMS; which++) {
        host_system s = system_number(which);
        tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
        const tulle_amg_options o = {
            .family = TULLE_AMG_SMOOTHED, .coarsest_rows = 8, .precision = TULLE_AMG_SAME};
        tulle_linop *M = NULL;
        tulle_amg_level_info level;
        must(tulle_amg_create(ctx, A, &o, &M));
        must(tulle_amg_level(M, 0, &level));
        host_mat of_A = read_mat(ctx, level.A), P = read_mat(ctx, level.P);
        naive g = naive_of(&of_A);
        assert_smoothed(&of_A, &g, &P, false);
        naive_free(&g);
        free_mat(&of_A);
        free_mat(&P);
        tulle_linop_destroy(M);
        tulle_mat_destroy(A);
        system_free(&s);
    }
}
ONCE_ON_EACH_PLACE(smoothed_rules)

/* Rows that add up to 0 are interpolated by numbers that add up to 1. */
static void constants(tulle_ctx *ctx, const char *where) {
    host_system s = system_torus(side_of(where));
    tulle_mat *A = system_mat(ctx, &s, TULLE_F64);
    BOTH(family) {
        const tulle_amg_options o = {.coarsest_rows = 5, .family = family};
        tulle_linop *M = NULL;
        tulle_amg_info info;
        must(tulle_amg_create(ctx, A, &o, &M));
        must(tulle_amg_describe(M, &info));
        assert_true(info.levels >= 3);
        for (int l = 0; l + 1 < info.levels; l++) {
            tulle_amg_level_info level;
            must(tulle_amg_level(M, l, &level));
            host_mat P = read_mat(ctx, level.P);
            for (int64_t i = 0; i < P.rows; i++) {
                double sum = 0;
                for (int64_t k = P.offsets[i]; k < P.offsets[i + 1]; k++) sum += P.values[k];
                assert_true(fabs(sum - 1) <= (family == TULLE_AMG_SMOOTHED ? 1e-13 : 0));
            }
            free_mat(&P);
        }
        tulle_linop_destroy(M);
    }
    tulle_mat_destroy(A);
    system_free(&s);
}
ONCE_ON_EACH_PLACE(constants)

/* The same hierarchy as on a CPU with one thread, and in units that are an odd power of 2. */
static void same_everywhere(tulle_ctx *ctx, const char *where) {
    tulle_ctx *cpu = NULL;
    must(tulle_ctx_create("cpu:1", NULL, &cpu));
    for (int way = 0; way < 4; way++) {
        const tulle_type type = way & 1 ? TULLE_F64 : TULLE_F32;
        host_system s = rough_grid(side_of(where));
        const tulle_amg_options o = {
            .coarsest_rows = 3, .family = way & 2 ? TULLE_AMG_SMOOTHED : TULLE_AMG_AGGREGATION};
        const int power = type == TULLE_F64 ? 701 : 61;
        tulle_mat *A = system_mat(ctx, &s, type), *B = system_mat(cpu, &s, type);
        tulle_linop *M = NULL, *of_cpu = NULL, *scaled = NULL;
        must(tulle_amg_create(ctx, A, &o, &M));
        must(tulle_amg_create(cpu, B, &o, &of_cpu));
        assert_same(cpu, of_cpu, 0, ctx, M);
        for (int sign = -1; sign <= 1; sign += 2) {
            const int by = sign < 0 ? -power : 2 * power;
            for (int64_t k = 0; k < s.nnz; k++) s.values[k] = ldexp(s.values[k], by);
            tulle_mat *far = system_mat(ctx, &s, type);
            must(tulle_amg_create(ctx, far, &o, &scaled));
            assert_same(ctx, M, sign * power, ctx, scaled);
            tulle_linop_destroy(scaled);
            tulle_mat_destroy(far);
        }
        tulle_linop_destroy(M);
        tulle_linop_destroy(of_cpu);
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
        system_free(&s);
    }
    tulle_ctx_destroy(cpu);
}

static void test_same_everywhere(void **state) {
    (void)state;
    on_each_place(same_everywhere);
}

/* Solves with CG in at most so many iterations; M is symmetric and positive. */
static void assert_converges(tulle_ctx *ctx, tulle_mat *A, tulle_amg_family family,
                             tulle_amg_precision precision, int64_t most) {
    const tulle_amg_options o = {.family = family, .coarsest_rows = 20, .precision = precision};
    const tulle_solver_options with = {.method = TULLE_CG, .tolerance = 1e-8};
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    tulle_vec *b = system_vector(ctx, info.type, info.rows, 5);
    tulle_vec *c = system_vector(ctx, info.type, info.rows, 6);
    tulle_vec *Mb = system_vector(ctx, info.type, info.rows, 7);
    tulle_vec *Mc = system_vector(ctx, info.type, info.rows, 8);
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *S = NULL;
    tulle_solver_report r;
    double left, right, size;
    must(tulle_linop_from_mat(ctx, A, &L));
    must(tulle_amg_create(ctx, A, &o, &M));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, b, tulle_num(0), Mb));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), M, c, tulle_num(0), Mc));
    must(tulle_vec_dot(ctx, b, Mc, tulle_to_num(&left)));
    must(tulle_vec_dot(ctx, c, Mb, tulle_to_num(&right)));
    must(tulle_vec_dot(ctx, b, Mb, tulle_to_num(&size)));
    assert_true(size > 0);
    assert_true(fabs(left - right) <= (precision == TULLE_AMG_SAME ? 1e-12 : 1e-5) * size);
    must(tulle_solver_create(ctx, L, M, &with, &S));
    must(tulle_solver_run(ctx, S, b, c, &r));
    assert_int_equal(r.outcome, TULLE_CONVERGED);
    assert_true(r.iterations <= most);
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_vec_destroy(b);
    tulle_vec_destroy(c);
    tulle_vec_destroy(Mb);
    tulle_vec_destroy(Mc);
}

static void converges(tulle_ctx *ctx, const char *where) {
    const bool slow = is_slow(where);
    const char *const names[] = {slow ? "p2d5:16" : "p2d5:60", slow ? "p3d7:6" : "p3d7:16",
                                 slow ? "p3d27:5" : "p3d27:14"};
    for (int k = 0; k < 3; k++) {
        tulle_mat *A = NULL;
        must(tulle_generate(ctx, names[k], 1, TULLE_F64, &A));
        for (int same = 0; same < 2; same++) {
            const tulle_amg_precision precision = same ? TULLE_AMG_SAME : 0;
            assert_converges(ctx, A, TULLE_AMG_AGGREGATION, precision, 20);
            assert_converges(ctx, A, TULLE_AMG_SMOOTHED, precision, 14);
        }
        tulle_mat_destroy(A);
    }
}
ONCE_ON_EACH_PLACE(converges)

/* New values with the coarsening kept: the same values give the same bits; others give the
 * interpolation of these values for the old aggregates or coarse rows; the old ones bring the old
 * hierarchy back. */
static void keeps(tulle_ctx *ctx, tulle_amg_family family) {
    host_system s = system_grid(12, 0, 0), other = system_of(144, stretched);
    tulle_mat *A = system_mat(ctx, &s, TULLE_F64), *B = system_mat(ctx, &other, TULLE_F64);
    const tulle_amg_options o = {
        .coarsest_rows = 10, .family = family, .passing = TULLE_AMG_PASS_NONE};
    tulle_linop *M = NULL, *fresh = NULL;
    tulle_amg_info before, after;
    tulle_amg_level_info level;
    must(tulle_amg_create(ctx, A, &o, &M));
    must(tulle_amg_create(ctx, A, &o, &fresh));
    must(tulle_amg_describe(fresh, &before));
    must(tulle_amg_update(ctx, M, NULL, TULLE_AMG_KEEP_COARSENING));
    assert_same(ctx, fresh, 0, ctx, M);
    must(tulle_amg_update(ctx, M, B, TULLE_AMG_KEEP_COARSENING));
    assert_products(ctx, M);
    must(tulle_amg_level(M, 0, &level));
    host_mat of_B = read_mat(ctx, level.A), P = read_mat(ctx, level.P);
    must(tulle_amg_level(fresh, 0, &level));
    host_mat of_A = read_mat(ctx, level.A), old = read_mat(ctx, level.P);
    naive g = naive_of(&of_A);
    assert_int_equal(P.cols, old.cols);
    if (family == TULLE_AMG_SMOOTHED) assert_smoothed(&of_B, &g, &P, true);
    for (int64_t i = 0; i < P.rows && family != TULLE_AMG_SMOOTHED; i++) {
        const int64_t at = old.offsets[i];
        if (old.offsets[i + 1] - at != 1 || old.values[at] != 1) continue;
        assert_true(number_at(&P, i, old.columns[at]) == 1);
    }
    for (int index = TULLE_I32; index <= TULLE_I64; index++) {
        tulle_mat *same = NULL;
        must(tulle_mat_convert(ctx, A, TULLE_CSR, (tulle_index)index, 0, &same));
        must(tulle_amg_update(ctx, M, same, TULLE_AMG_KEEP_COARSENING));
        assert_same(ctx, fresh, 0, ctx, M);
        tulle_mat_destroy(same);
    }
    must(tulle_amg_update(ctx, M, A, TULLE_AMG_KEEP_COARSENING));
    assert_same(ctx, fresh, 0, ctx, M);
    must(tulle_amg_describe(M, &after));
    assert_int_equal(before.bytes, after.bytes);
    naive_free(&g);
    free_mat(&of_A);
    free_mat(&of_B);
    free_mat(&P);
    free_mat(&old);
    tulle_linop_destroy(M);
    tulle_linop_destroy(fresh);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    system_free(&s);
    system_free(&other);
}

static void keeps_coarsening(tulle_ctx *ctx, const char *where) {
    (void)where;
    EACH_FAMILY(family)
    keeps(ctx, family);
}
ONCE_ON_EACH_PLACE(keeps_coarsening)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain_rules), cmocka_unit_test(test_smoothed_rules),
        cmocka_unit_test(test_constants),   cmocka_unit_test(test_same_everywhere),
        cmocka_unit_test(test_converges),   cmocka_unit_test(test_keeps_coarsening),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
