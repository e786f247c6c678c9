/* SPDX-License-Identifier: Apache-2.0 */
/* Triangular systems, and factors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "factor_check.h"
#include "orders.h"
#include "places.h"
#include "random_launch.h"
#include "trisolve_check.h"
#include "tulle/advanced.h"

enum { MOST_ROWS = 40 };

bool random_trisolve(tulle_ctx *ctx, uint64_t *state, const char *kernel) {
    trisolve_setting s = trisolve_setting_number(kernel, zoo_bits(state));
    int64_t n = 1 + random_below(state, 70);
    entries any = entries_random(n, n, random_below(state, 6 * n), zoo_bits(state));
    must(tulle_ctx_force_kernel(ctx, kernel));
    trisolve_try(ctx, &any, &s, kernel);
    must(tulle_ctx_force_kernel(ctx, NULL));
    entries_free(&any);
    return true;
}

/* A X = B, diagonal entries of A shifted, where the factors are A's own: the residual within
 * n (|A| |X| + |B|), times some roundings of the factors. */
static void check_solution(tulle_ctx *ctx, tulle_factor *F, const entries *A,
                           const factor_setting *s, uint64_t seed) {
    columns B = columns_random(A->rows, 1, seed, s->type);
    const lie plain = {TULLE_COLUMN_MAJOR, 0, 0};
    placed b = columns_place(ctx, &B, s->type, plain), x = columns_place(ctx, &B, s->type, plain);
    must(tulle_factor_solve(ctx, TULLE_N, tulle_num(1), F, b.X, x.X));
    columns X = placed_read(ctx, &x);
    long double *rest = calloc((size_t)A->rows, sizeof *rest), *size = NULL;
    size = calloc((size_t)A->rows, sizeof *size);
    assert_true(rest && size);
    for (int64_t i = 0; i < A->rows; i++) {
        rest[i] = B.at[i];
        size[i] = fabsl(B.at[i]);
    }
    for (int64_t k = 0; k < A->nnz; k++) {
        const long double times = A->row[k] == A->col[k] ? 1 + s->options.shift : 1;
        const long double term = times * A->value[k] * X.at[A->col[k]];
        rest[A->row[k]] -= term;
        size[A->row[k]] += fabsl(term);
    }
    const long double roundings = 400 * (long double)A->rows;
    const tulle_type of_factors = s->options.single ? TULLE_F32 : s->type;
    for (int64_t i = 0; i < A->rows; i++) {
        assert_near(rest[i], 0, roundings * unit_of(of_factors) * size[i], "A X - B");
    }
    free(rest);
    free(size);
    columns_free(&X);
    columns_free(&B);
    placed_free(&b);
    placed_free(&x);
}

static factor_setting draw_factor(uint64_t *state) {
    static const int blocks[] = {1, 1, 2, 3, 4, 5, 8};
    static const int fills[] = {0, 1, 2, TULLE_FILL_ALL};
    static const double modified[] = {0, 0, 0.95, 1}, shifts[] = {0, 0, 0.25, 2};
    factor_setting s = {.block = blocks[random_below(state, 7)],
                        .type = random_below(state, 2) ? TULLE_F64 : TULLE_F32,
                        .index = (tulle_index)random_below(state, 3)};
    s.options.fill = fills[random_below(state, 4)];
    s.options.inverted = random_below(state, 2) == 1;
    s.options.modified = modified[random_below(state, 4)];
    s.options.shift = shifts[random_below(state, 4)];
    s.options.single = random_below(state, 3) == 0;
    if (s.block == 1 && random_below(state, 3) == 0) {
        s.options.kind = TULLE_CHOLESKY;
        s.options.modified = 0;
    }
    return s;
}

/* The factors of A are made, made anew, and, where they are A's own, solved with. */
static bool try_factor(tulle_ctx *ctx, uint64_t *state, const char *kernel, const entries *A,
                       const factor_setting *s) {
    tulle_mat *a = factor_mat(ctx, A, s);
    tulle_factor *F = NULL;
    must(tulle_ctx_force_kernel(ctx, kernel));
    tulle_status status = tulle_factor_create(ctx, a, &s->options, &F);
    bool taken = random_is_taken(status, kernel);
    if (taken) {
        factor_check(ctx, F, A, s);
        must(tulle_factor_update(ctx, F, a));
        factor_check(ctx, F, A, s);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    if (taken && s->options.fill == TULLE_FILL_ALL) {
        check_solution(ctx, F, A, s, zoo_bits(state));
    }
    tulle_factor_destroy(F);
    tulle_mat_destroy(a);
    return taken;
}

/* An order is of whole blocks. */
bool random_factor(tulle_ctx *ctx, uint64_t *state, const char *kernel) {
    int64_t order[MOST_ROWS];
    factor_setting s = draw_factor(state);
    tulle_order *P = NULL;
    int64_t n = 1 + random_below(state, MOST_ROWS);
    if (random_below(state, 3) == 0) {
        const int64_t blocks = (n + s.block - 1) / s.block;
        P = order_shuffled(ctx, blocks, zoo_bits(state));
        must(tulle_order_read(ctx, P, order));
        s.options.order = P;
        s.order = order;
        n = blocks * s.block;
    }
    entries A = factor_matrix(n, random_below(state, 4 * n), s.options.kind == TULLE_CHOLESKY,
                              zoo_bits(state));
    bool taken = try_factor(ctx, state, kernel, &A, &s);
    tulle_order_destroy(P);
    entries_free(&A);
    return taken;
}
