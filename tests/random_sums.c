/* SPDX-License-Identifier: Apache-2.0 */
/* Sums and transposes of sparse matrices, and operations of vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "columns.h"
#include "entries.h"
#include "places.h"
#include "random_launch.h"
#include "tulle/add.h"
#include "tulle/vec.h"

enum { MOST_SIDE = 60 };

/* Of a dense matrix one place: the entries that meet there. */
typedef struct {
    long double sum, size;
    int count;
} spot;

static void add_to(spot *all, const entries *e, tulle_trans op, double factor, int64_t cols) {
    for (int64_t k = 0; k < e->nnz; k++) {
        int64_t row = op == TULLE_N ? e->row[k] : e->col[k];
        spot *at = all + row * cols + (op == TULLE_N ? e->col[k] : e->row[k]);
        at->sum += factor * (long double)e->value[k];
        at->size += fabsl(factor * (long double)e->value[k]);
        at->count++;
    }
}

static void check_sum(tulle_ctx *ctx, const tulle_mat *C, spot *want, tulle_type type) {
    entries c = entries_read(ctx, C);
    for (int64_t k = 0; k < c.nnz; k++) {
        spot *at = want + c.row[k] * c.cols + c.col[k];
        assert_true(at->count > 0);
        const long double n = at->count + 2;
        assert_near((long double)c.value[k], at->sum,
                    gamma_of(n, type) * at->size + n * least_of(type), "sum");
        at->count = 0;
    }
    for (int64_t k = 0; k < c.rows * c.cols; k++) assert_int_equal(want[k].count, 0);
    entries_free(&c);
}

bool random_add(tulle_ctx *ctx, uint64_t *state, const char *kernel) {
    (void)kernel;
    tulle_type type = random_below(state, 2) ? TULLE_F64 : TULLE_F32;
    tulle_trans op[2];
    double factor[2];
    entries of[2];
    tulle_mat *m[2], *C = NULL;
    int64_t rows = 1 + random_below(state, MOST_SIDE), cols = 1 + random_below(state, MOST_SIDE);
    spot *want = calloc((size_t)(rows * cols), sizeof *want);
    assert_non_null(want);
    for (int i = 0; i < 2; i++) {
        op[i] = (tulle_trans)random_below(state, 2);
        factor[i] = 0.5 * (double)random_below(state, 4) - 0.5;
        int64_t nnz = random_below(state, 5 * (rows + cols));
        bool turned = op[i] == TULLE_T;
        of[i] = entries_random(turned ? cols : rows, turned ? rows : cols, nnz, zoo_bits(state));
        m[i] = entries_to_csr(ctx, &of[i], (tulle_index)random_below(state, 3), type);
        add_to(want, &of[i], op[i], factor[i], cols);
    }
    must(tulle_add(ctx, op[0], op[1], tulle_num(factor[0]), m[0], tulle_num(factor[1]), m[1], NULL,
                   NULL, &C));
    check_sum(ctx, C, want, type);
    tulle_mat_destroy(C);
    for (int i = 0; i < 2; i++) {
        tulle_mat_destroy(m[i]);
        entries_free(&of[i]);
    }
    free(want);
    return true;
}

/* From one of the formats; kernel: one that multiplies in it. */
bool random_transpose(tulle_ctx *ctx, uint64_t *state, const char *kernel) {
    tulle_type type = random_below(state, 2) ? TULLE_F64 : TULLE_F32;
    tulle_index index = (tulle_index)random_below(state, 3);
    zoo_matrix m = random_matrix(state, MOST_SIDE);
    tulle_mat *A = random_in_format(ctx, &m, kernel, index, type), *B = NULL, *list = NULL;
    entries want = entries_of_zoo(&m);
    if (A) {
        must(tulle_mat_transpose(ctx, A, &B));
        entries_transpose(&want);
        entries_sort(&want);
        must(tulle_mat_convert(ctx, B, TULLE_COO, index, 0, &list));
        entries got = entries_read(ctx, list);
        entries_sort(&got);
        entries_assert_same(&got, &want, kernel);
        entries_free(&got);
    }
    bool taken = A;
    tulle_mat_destroy(list);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    entries_free(&want);
    zoo_free(&m);
    return taken;
}

static void check_dots(tulle_ctx *ctx, const columns *x, const columns *y, const placed *on_x,
                       const placed *on_y, tulle_type type) {
    double got[MOST_SIDE];
    must(tulle_vec_dot(ctx, on_x->X, on_y->X, tulle_to_num(got)));
    for (int64_t c = 0; c < x->cols; c++) {
        long double sum = 0, size = 0;
        for (int64_t i = 0; i < x->rows; i++) {
            const long double term = x->at[i + c * x->rows] * y->at[i + c * x->rows];
            sum += term;
            size += fabsl(term);
        }
        const long double n = (long double)x->rows + 2;
        assert_near((long double)got[c], sum, gamma_of(n, type) * size + n * least_of(type), "dot");
    }
}

/* Y := alpha X + beta Y, and X^T Y. */
bool random_vectors(tulle_ctx *ctx, uint64_t *state, const char *kernel) {
    (void)kernel;
    tulle_type type = random_below(state, 2) ? TULLE_F64 : TULLE_F32;
    int64_t rows = random_below(state, 2000), cols = 1 + random_below(state, 5);
    double alpha = 0.5 * (double)random_below(state, 4) - 0.5, beta = 0.25;
    lie how[2];
    for (int i = 0; i < 2; i++) {
        how[i] = (lie){(tulle_layout)random_below(state, 2), random_below(state, 4),
                       random_below(state, 3)};
    }
    columns x = columns_random(rows, cols, zoo_bits(state), type);
    columns y = columns_random(rows, cols, zoo_bits(state), type);
    placed on_x = columns_place(ctx, &x, type, how[0]), on_y = columns_place(ctx, &y, type, how[1]);
    check_dots(ctx, &x, &y, &on_x, &on_y, type);
    must(tulle_vec_axpby(ctx, tulle_num(alpha), on_x.X, tulle_num(beta), on_y.X));
    columns got = placed_read(ctx, &on_y);
    for (int64_t k = 0; k < rows * cols; k++) {
        const long double a = alpha * x.at[k], b = beta * y.at[k];
        assert_near(got.at[k], a + b,
                    gamma_of(2, type) * (fabsl(a) + fabsl(b)) + 2 * least_of(type), "axpby");
    }
    columns_free(&got);
    columns_free(&x);
    columns_free(&y);
    placed_free(&on_x);
    placed_free(&on_y);
    return true;
}
