/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid of distributed matrices: one to four threads make the hierarchy that one process makes,
 * bit for bit, also after an update, and CG with it takes as many iterations. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/error.h"
#include "places.h"
#include "shares.h"

typedef struct {
    shares s;
    tulle_type type;
    tulle_amg_options options;
    tulle_method method;    /* 0: CG */
    int shared[MOST_RANKS]; /* numbers of shared levels */
} task;

/* The shares with the process's task behind them. */
static process of_shares(const process *p) {
    process own = *p;
    own.data = &((task *)p->data)->s;
    return own;
}

static tulle_status make_matrix(const process *p, tulle_dist_mat **A) {
    const process own = of_shares(p);
    return shares_matrix(&own, ((task *)p->data)->type, A);
}

/* Compares a matrix of a level, which is shared or whole, with that of one process. */
static tulle_status compare(const process *p, tulle_dist_mat *shared, const tulle_mat *whole,
                            const tulle_mat *due) {
    tulle_mat *gathered = NULL;
    if (shared) TULLE__TRY(tulle_dist_mat_gather(p->ctx, shared, 0, &gathered));
    if (shared) whole = gathered;
    if (shared && p->rank > 0) return TULLE_OK;
    if (!whole || !due) return whole || due ? wrong("a matrix, or none") : TULLE_OK;
    const tulle_status status = shares_compare(p->ctx, whole, due);
    tulle_mat_destroy(gathered);
    return status;
}

static tulle_status compare_levels(const process *p, const tulle_linop *M,
                                   const tulle_linop *alone) {
    tulle_amg_info info, due;
    TULLE__TRY(tulle_amg_describe(M, &info));
    TULLE__TRY(tulle_amg_describe(alone, &due));
    ((task *)p->data)->shared[p->rank] = info.shared_levels;
    if (info.levels != due.levels || info.operator_complexity != due.operator_complexity ||
        info.stalled != due.stalled) {
        return wrong("%d levels, not %d", info.levels, due.levels);
    }
    char text[4096];
    TULLE__TRY(tulle_amg_explain(M, text, sizeof text, NULL));
    if (!strstr(text, "shared")) return wrong("no shared levels in %s", text);
    for (int l = 0; l < info.levels; l++) {
        tulle_amg_level_info here, there;
        TULLE__TRY(tulle_amg_level(M, l, &here));
        TULLE__TRY(tulle_amg_level(alone, l, &there));
        if (here.rows != there.rows || here.nnz != there.nnz || here.passed != there.passed ||
            here.strong_share != there.strong_share) {
            return wrong("level %d: %lld rows and %lld entries, not %lld and %lld", l,
                         (long long)here.rows, (long long)here.nnz, (long long)there.rows,
                         (long long)there.nnz);
        }
        TULLE__TRY(compare(p, here.shared_A, here.A, there.A));
        TULLE__TRY(compare(p, here.shared_P, here.P, there.P));
    }
    return TULLE_OK;
}

/* Other values of entries from `begin` on. */
static void *other_numbers(const shares *s, int64_t begin, int64_t count, tulle_type type) {
    double *numbers = calloc((size_t)count + 1, sizeof *numbers);
    for (int64_t k = 0; k < count; k++) {
        numbers[k] = s->values[begin + k] * (1 + 0.125 * (double)((begin + k) % 3));
    }
    void *made = ranks_numbers(numbers, count, type);
    free(numbers);
    return made;
}

/* Gives other values to the matrix, and to that of one process. */
static tulle_status change(const process *p, tulle_dist_mat *A, tulle_mat *whole) {
    const task *t = p->data;
    const shares *s = &t->s;
    const int64_t row = s->row_start[p->rank], rows = s->row_start[p->rank + 1] - row;
    const int64_t begin = s->offsets[row], count = s->offsets[row + rows] - begin;
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = s->offsets[row + i] - begin;
    void *own = other_numbers(s, begin, count, t->type);
    void *all = other_numbers(s, 0, s->offsets[s->rows], t->type);
    tulle_status status = tulle_dist_mat_set_values(A, offsets, s->columns + begin, own);
    if (status == TULLE_OK) {
        status = tulle_mat_set_values(p->ctx, whole, s->offsets[s->rows], all);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    free(all);
    free(own);
    free(offsets);
    return status;
}

/* Copies numbers of a type to f64. */
static double *widened(const void *numbers, int64_t count, tulle_type type) {
    double *wide = calloc((size_t)count + 1, sizeof *wide);
    for (int64_t i = 0; i < count; i++) {
        wide[i] = type == TULLE_F64 ? ((const double *)numbers)[i] : ((const float *)numbers)[i];
    }
    return wide;
}

/* Returns M applied to ones, or NULL. */
static double *cycled(const process *p, tulle_linop *M, int64_t rows) {
    const task *t = p->data;
    tulle_vec *b = NULL, *x = NULL;
    double *numbers = calloc((size_t)rows + 1, sizeof *numbers), *wide = NULL;
    tulle_status status = tulle_vec_create(p->ctx, t->type, rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->type, rows, &x);
    if (status == TULLE_OK) status = tulle_vec_fill(p->ctx, b, 1);
    if (status == TULLE_OK) {
        status = tulle_linop_apply(p->ctx, TULLE_N, tulle_num(1), M, b, tulle_num(0), x);
    }
    if (status == TULLE_OK) status = tulle_vec_read(p->ctx, x, numbers, 0);
    if (status == TULLE_OK) wide = widened(numbers, rows, t->type);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    free(numbers);
    return wide;
}

/* Compares a cycle with that of one process; products of shared levels have other roundings. */
static tulle_status compare_cycles(const process *p, tulle_linop *M, tulle_linop *alone) {
    const shares *s = &((task *)p->data)->s;
    const int64_t first = s->row_start[p->rank], rows = s->row_start[p->rank + 1] - first;
    double *got = cycled(p, M, rows), *due = got ? cycled(p, alone, s->rows) : NULL, largest = 0;
    tulle_status status = due ? TULLE_OK : wrong("a cycle that failed");
    for (int64_t i = 0; i < s->rows && due; i++) largest = fmax(largest, fabs(due[i]));
    for (int64_t i = 0; i < rows && due && status == TULLE_OK; i++) {
        if (fabs(got[i] - due[first + i]) <= 1e-3 * largest) continue;
        status = wrong("%g in row %lld, not %g", got[i], (long long)(first + i), due[first + i]);
    }
    free(got);
    free(due);
    return status;
}

/* Brings both hierarchies to the values that their matrices have, and compares them. */
static tulle_status update(const process *p, tulle_linop *M, tulle_linop *alone,
                           tulle_amg_how how) {
    TULLE__TRY(tulle_amg_update(p->ctx, M, NULL, how));
    TULLE__TRY(tulle_amg_update(p->ctx, alone, NULL, how));
    TULLE__TRY(compare_levels(p, M, alone));
    return compare_cycles(p, M, alone);
}

/* Aggregates that are smoothed are not kept over processes, which leaves M as it was. */
static tulle_status keep_coarsening(const process *p, tulle_linop *M, tulle_linop *alone) {
    const task *t = p->data;
    const tulle_amg_how how = TULLE_AMG_KEEP_COARSENING;
    if (t->options.family != TULLE_AMG_SMOOTHED) return update(p, M, alone, how);
    if (tulle_amg_update(p->ctx, M, NULL, how) == TULLE_UNSUPPORTED) {
        return compare_cycles(p, M, alone);
    }
    return wrong("aggregates that are kept");
}

static tulle_status hierarchy(process *p) {
    const task *t = p->data;
    tulle_dist_mat *A = NULL;
    tulle_mat *whole = NULL;
    tulle_linop *M = NULL, *alone = NULL;
    tulle_status status = make_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_amg_create_dist(p->ctx, A, &t->options, &M);
    if (status == TULLE_OK) status = shares_whole(p->ctx, &t->s, t->type, &whole);
    if (status == TULLE_OK) status = tulle_amg_create(p->ctx, whole, &t->options, &alone);
    if (status == TULLE_OK) status = compare_levels(p, M, alone);
    if (status == TULLE_OK) status = change(p, A, whole);
    if (status == TULLE_OK) status = update(p, M, alone, TULLE_AMG_KEEP_P);
    if (status == TULLE_OK) status = keep_coarsening(p, M, alone);
    tulle_linop_destroy(M);
    tulle_linop_destroy(alone);
    tulle_mat_destroy(whole);
    tulle_dist_mat_destroy(A);
    return status;
}

/* Plain, in two dimensions, with directions, with jumps, rough, negative. */
static const grid grids[] = {{8, 8, {1, 1, 1}, 1},    {22, 1, {1, 1, 1}, 1},
                             {8, 8, {1, 1, 0.01}, 1}, {9, 9, {1, 1, 1}, 1000},
                             {8, 8, {1, 1, 1}, 0},    {8, 8, {-1, -1, -1}, 1}};
enum { GRIDS = sizeof grids / sizeof *grids };

static const tulle_amg_family families[] = {TULLE_AMG_CLASSICAL, TULLE_AMG_AGGREGATION,
                                            TULLE_AMG_SMOOTHED};

static void same_levels(tulle_ctx *ctx, const char *where) {
    const int few = is_slow(where) ? 6 : 1, turn = turn_of(where, 6);
    int number = 0;
    (void)ctx;
    for (int i = 0; i < GRIDS; i++) {
        task t = {.s = shares_grid(grids + i), .options = {.coarsest_rows = 20}};
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            for (int way = 0; way < SHARE_WAYS; way++) {
                if (number++ % few != (few > 1 ? turn : 0)) continue;
                process p[MOST_RANKS];
                t.type = number % 2 ? TULLE_F64 : TULLE_F32;
                t.options.gathered_rows = way == 0 ? 1 : way == 1 ? 60 : 200;
                t.options.family = families[number / 2 % 3];
                t.options.most_levels = number % 5 ? 0 : 2;
                t.options.passing = number % 3 ? TULLE_AMG_PASS_CHOOSE : TULLE_AMG_PASS_FIRST;
                shares_deal(&t.s, ranks, way);
                run_ranks(ranks, 0, where, hierarchy, &t, p);
                must_all_of(p, "grid %d, way %d, ", i, way);
                assert_true(t.shared[0] >= 1);
            }
        }
        shares_drop(&t.s);
    }
}
ONCE_ON_EACH_PLACE(same_levels)

/* Solves A x = b with a preconditioner M of the operator L. */
static tulle_status run(const process *p, tulle_linop *L, tulle_linop *M, int64_t rows,
                        const double *numbers, tulle_solver_report *report) {
    const task *t = p->data;
    tulle_vec *b = NULL, *x = NULL;
    tulle_solver *S = NULL;
    const tulle_solver_options options = {.method = t->method};
    void *given = ranks_numbers(numbers, rows, t->type);
    tulle_status status = tulle_vec_create(p->ctx, t->type, rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, t->type, rows, &x);
    if (status == TULLE_OK) status = tulle_vec_write(p->ctx, b, given, 0);
    if (status == TULLE_OK) status = tulle_solver_create(p->ctx, L, M, &options, &S);
    if (status == TULLE_OK) status = tulle_solver_run(p->ctx, S, b, x, report);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    free(given);
    return status;
}

static tulle_status solve_alone(const process *p, tulle_solver_report *report) {
    const task *t = p->data;
    tulle_mat *whole = NULL;
    tulle_linop *L = NULL, *M = NULL;
    tulle_status status = shares_whole(p->ctx, &t->s, t->type, &whole);
    if (status == TULLE_OK) status = tulle_linop_from_mat(p->ctx, whole, &L);
    if (status == TULLE_OK) status = tulle_amg_create(p->ctx, whole, &t->options, &M);
    if (status == TULLE_OK) status = run(p, L, M, t->s.rows, t->s.x, report);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_mat_destroy(whole);
    return status;
}

/* All processes solve together, and rank 0 alone, which does not communicate. One process that has
 * all levels alone has its bits. */
static tulle_status solve(process *p) {
    const task *t = p->data;
    const int64_t first = t->s.row_start[p->rank], rows = t->s.row_start[p->rank + 1] - first;
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver_report report = {.iterations = 0}, alone = {.iterations = 0};
    tulle_status status = make_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(p->ctx, A, &L);
    if (status == TULLE_OK) status = tulle_amg_create_dist(p->ctx, A, &t->options, &M);
    if (status == TULLE_OK) status = run(p, L, M, rows, t->s.x + first, &report);
    if (status == TULLE_OK && p->rank == 0) status = solve_alone(p, &alone);
    if (status == TULLE_OK && report.outcome != TULLE_CONVERGED) {
        status = wrong("%s after %lld iterations", tulle_outcome_text(report.outcome),
                       (long long)report.iterations);
    }
    if (status == TULLE_OK && p->rank == 0 && llabs(report.iterations - alone.iterations) > 2) {
        status = wrong("%lld iterations, and %lld alone", (long long)report.iterations,
                       (long long)alone.iterations);
    }
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

/* p3d7:24, p2d5:80, and problems with directions, with jumps, and rough ones. */
static const grid large[] = {{24, 24, {1, 1, 1}, 1},
                             {80, 1, {1, 1, 1}, 1},
                             {20, 20, {1, 1, 0.01}, 1},
                             {21, 21, {1, 1, 1}, 1000},
                             {20, 20, {1, 1, 1}, 0}};
static const grid small[] = {{6, 6, {1, 1, 1}, 1}, {14, 1, {1, 0.1, 1}, 1000}};

/* Solves problems on so many threads, with levels that are gathered early or late. */
static void solve_all(const char *where, const grid *problems, int count, int few) {
    int number = 0;
    const int turn = few > 1 ? turn_of(where, few) : 0;
    for (int i = 0; i < count; i++) {
        task t = {.s = shares_grid(problems + i), .type = TULLE_F64};
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            for (int way = 0; way < SHARE_WAYS; way++) {
                if (number++ % few != turn) continue;
                process p[MOST_RANKS];
                t.options = (tulle_amg_options){.coarsest_rows = problems == large ? 0 : 10,
                                                .gathered_rows = way == 2 ? 0 : 1};
                t.options.family = families[number / 2 % 3];
                t.options.precision = ranks % 2 ? TULLE_AMG_SAME : TULLE_AMG_PRECISION_CHOOSE;
                shares_deal(&t.s, ranks, way);
                run_ranks(ranks, 0, where, solve, &t, p);
                must_all_of(p, "grid %d, way %d, ", i, way);
            }
        }
        shares_drop(&t.s);
    }
}

static void iterations(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    if (is_slow(where)) {
        solve_all(where, small, sizeof small / sizeof *small, 5);
    } else {
        solve_all(where, large, sizeof large / sizeof *large, 2);
    }
}
ONCE_ON_EACH_PLACE(iterations)

/* A cycle for the right-hand side. */
static tulle_status cycle(const process *p, tulle_linop *M, double *to) {
    const task *t = p->data;
    tulle_vec *b = NULL, *x = NULL;
    tulle_status status = tulle_vec_create(p->ctx, TULLE_F64, t->s.rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(p->ctx, TULLE_F64, t->s.rows, &x);
    if (status == TULLE_OK) status = tulle_vec_write(p->ctx, b, t->s.x, 0);
    if (status == TULLE_OK) {
        status = tulle_linop_apply(p->ctx, TULLE_N, tulle_num(1), M, b, tulle_num(0), x);
    }
    if (status == TULLE_OK) status = tulle_vec_read(p->ctx, x, to, 0);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    return status;
}

/* One process that has all levels alone has the cycle of tulle_amg_create, bit for bit. */
static tulle_status two_cycles(process *p) {
    const task *t = p->data;
    const size_t n = (size_t)t->s.rows;
    tulle_dist_mat *A = NULL;
    tulle_mat *whole = NULL;
    tulle_linop *M = NULL, *alone = NULL;
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
    tulle_status status = make_matrix(p, &A);
    if (status == TULLE_OK) status = tulle_amg_create_dist(p->ctx, A, &t->options, &M);
    if (status == TULLE_OK) status = shares_whole(p->ctx, &t->s, TULLE_F64, &whole);
    if (status == TULLE_OK) status = tulle_amg_create(p->ctx, whole, &t->options, &alone);
    if (status == TULLE_OK) status = cycle(p, M, x);
    if (status == TULLE_OK) status = cycle(p, alone, y);
    if (status == TULLE_OK && memcmp(x, y, n * sizeof *x) != 0) status = wrong("other bits");
    tulle_linop_destroy(M);
    tulle_linop_destroy(alone);
    tulle_mat_destroy(whole);
    tulle_dist_mat_destroy(A);
    free(x);
    free(y);
    return status;
}

static void same_cycle(tulle_ctx *ctx, const char *where) {
    task t = {.s = shares_grid(grids), .type = TULLE_F64, .options = {.coarsest_rows = 20}};
    process p[MOST_RANKS];
    (void)ctx;
    shares_deal(&t.s, 1, 0);
    for (int i = 0; i < 3; i++) {
        if (is_slow(where) && i != turn_of(where, 3)) continue;
        t.options.family = families[i];
        run_ranks(1, 0, where, two_cycles, &t, p);
        must_all_of(p, "family %d, ", i);
    }
    shares_drop(&t.s);
}
ONCE_ON_EACH_PLACE(same_cycle)

/* A row depends on rows before it alone, which know nothing of it: neighbours of different
 * processes may then both be coarse, and the hierarchy is of use all the same. */
static shares one_sided(int64_t n) {
    shares s = {.rows = n, .cols = n};
    s.offsets = calloc((size_t)n + 1, sizeof *s.offsets);
    s.columns = calloc((size_t)(3 * n), sizeof *s.columns);
    s.values = calloc((size_t)(3 * n), sizeof *s.values);
    s.x = calloc((size_t)n, sizeof *s.x);
    s.y = calloc((size_t)n, sizeof *s.y);
    for (int64_t i = 0; i < n; i++) {
        const int64_t before[] = {i - 7, i - 1};
        int64_t at = s.offsets[i];
        for (int k = 0; k < 2; k++) {
            if (before[k] < 0) continue;
            s.columns[at] = before[k];
            s.values[at++] = -1;
        }
        s.columns[at] = i;
        s.values[at++] = 2.5;
        s.offsets[i + 1] = at;
        s.x[i] = 1 + (double)(i % 5);
    }
    return s;
}

static void unsymmetric(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int i = 0; i < 3; i++) {
        if (is_slow(where) && i != turn_of(where, 3)) continue;
        task t = {.s = one_sided(90), .type = TULLE_F64, .method = TULLE_BICGSTAB};
        process p[MOST_RANKS];
        t.options =
            (tulle_amg_options){.coarsest_rows = 10, .gathered_rows = 1, .family = families[i]};
        for (int ranks = 1; ranks <= MOST_RANKS; ranks += is_slow(where) ? 3 : 1) {
            shares_deal(&t.s, ranks, 0);
            run_ranks(ranks, 0, where, solve, &t, p);
            must_all_of(p, "family %d, ", i);
        }
        shares_drop(&t.s);
    }
}
ONCE_ON_EACH_PLACE(unsymmetric)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_levels),
        cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_same_cycle),
        cmocka_unit_test(test_unsymmetric),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
