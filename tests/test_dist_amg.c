/* SPDX-License-Identifier: Apache-2.0 */
/* Multigrid of distributed matrices: one to four threads make the hierarchy that one process makes,
 * bit for bit, and CG with it takes as many iterations. */
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
    int64_t iterations[MOST_RANKS];
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
    tulle_linop_destroy(M);
    tulle_linop_destroy(alone);
    tulle_mat_destroy(whole);
    tulle_dist_mat_destroy(A);
    return status;
}

/* Plain, in two dimensions, with directions, with jumps. */
static const grid grids[] = {
    {8, 8, {1, 1, 1}, 1}, {22, 1, {1, 1, 1}, 1}, {8, 8, {1, 1, 0.01}, 1}, {9, 9, {1, 1, 1}, 1000}};
enum { GRIDS = sizeof grids / sizeof *grids };

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
                shares_deal(&t.s, ranks, way);
                run_ranks(ranks, 0, where, hierarchy, &t, p);
                for (int r = 0; r < ranks; r++) {
                    if (p[r].status == TULLE_OK) continue;
                    fail_msg("grid %d, way %d, rank %d of %d: %s", i, way, r, ranks, p[r].words);
                }
                assert_true(t.shared[0] >= 1);
            }
        }
        shares_drop(&t.s);
    }
}
ONCE_ON_EACH_PLACE(same_levels)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
