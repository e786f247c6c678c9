/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed matrices and vectors gathered again, inner products and norms, and descriptions. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/error.h"
#include "places.h"
#include "shares.h"

/* The matrix and a multivector come back as they were; the description is right. */
static tulle_status compare_matrix(const process *p, tulle_mat *whole) {
    const shares *s = p->data;
    const int64_t nnz = s->offsets[s->rows];
    tulle_mat *wide = NULL;
    int64_t *offsets = calloc((size_t)s->rows + 1, sizeof *offsets);
    int64_t *columns = calloc((size_t)nnz + 1, sizeof *columns);
    double *values = calloc((size_t)nnz + 1, sizeof *values);
    tulle_status status = tulle_mat_nnz(whole) == nnz ? TULLE_OK : wrong("another nnz");
    if (status == TULLE_OK) {
        status = tulle_mat_convert(p->ctx, whole, TULLE_CSR, TULLE_I64, 0, &wide);
    }
    if (status == TULLE_OK) status = tulle_mat_read(p->ctx, wide, offsets, NULL, columns, values);
    for (int64_t i = 0; i <= s->rows && status == TULLE_OK; i++) {
        if (offsets[i] != s->offsets[i]) status = wrong("offset %lld", (long long)i);
    }
    for (int64_t e = 0; e < nnz && status == TULLE_OK; e++) {
        if (columns[e] != s->columns[e] || values[e] != s->values[e]) {
            status = wrong("entry %lld", (long long)e);
        }
    }
    tulle_mat_destroy(wide);
    free(offsets);
    free(columns);
    free(values);
    return status;
}

static tulle_status gather_matrix(const process *p, tulle_dist_mat *A, int root) {
    tulle_mat *whole = NULL;
    tulle_status status = tulle_dist_mat_gather(p->ctx, A, root, &whole);
    if (status == TULLE_OK && (whole != NULL) != (p->rank == root)) {
        status = wrong("a matrix where none should be, or none");
    }
    if (status == TULLE_OK && whole) status = compare_matrix(p, whole);
    tulle_mat_destroy(whole);
    return status;
}

static tulle_status gather_vector(const process *p, int root) {
    const shares *s = p->data;
    const int r = p->rank;
    double *all = p->rank == root ? calloc((size_t)(s->rows * s->k), sizeof *all) : NULL;
    double norms[MOST_COLUMNS], dots[MOST_COLUMNS];
    tulle_vec *X = NULL;
    tulle_status status = shares_vector(p, s->x, s->rows, s->row_start[r], s->row_start[r + 1], &X);
    if (status == TULLE_OK) status = tulle_dist_gather(p->ctx, p->comm, X, root, all);
    for (int64_t i = 0; i < s->rows * s->k && all && status == TULLE_OK; i++) {
        if (all[i] != s->x[i]) status = wrong("number %lld is %g", (long long)i, all[i]);
    }
    if (status == TULLE_OK) status = tulle_dist_norm2(p->ctx, p->comm, X, norms);
    if (status == TULLE_OK) status = tulle_dist_dot(p->ctx, p->comm, X, X, dots);
    for (int c = 0; c < s->k && status == TULLE_OK; c++) {
        long double square = 0;
        for (int64_t i = 0; i < s->rows; i++)
            square += s->x[i + c * s->rows] * s->x[i + c * s->rows];
        const long double bound = 1000 * DBL_EPSILON * square;
        if (!(fabsl(dots[c] - square) <= bound)) status = wrong("inner product %g", dots[c]);
        if (!(fabsl(norms[c] - sqrtl(square)) <= bound)) status = wrong("norm %g", norms[c]);
    }
    tulle_vec_destroy(X);
    free(all);
    return status;
}

static tulle_status gather(process *p) {
    const shares *s = p->data;
    tulle_dist_mat *A = NULL;
    tulle_dist_mat_info info;
    tulle_status status = shares_matrix(p, TULLE_F64, &A);
    if (status == TULLE_OK) status = tulle_dist_mat_describe(A, &info);
    if (status == TULLE_OK &&
        (info.rows != s->rows || info.cols != s->cols || info.nnz != s->offsets[s->rows] ||
         info.first_row != s->row_start[p->rank] || info.first_col != s->col_start[p->rank] ||
         info.local_rows != tulle_mat_rows(tulle_dist_mat_block(A)) ||
         info.local_cols != tulle_mat_cols(tulle_dist_mat_block(A)) || info.type != TULLE_F64 ||
         (info.received > 0) != (info.receives_from > 0) ||
         (info.sent > 0) != (info.sends_to > 0) || (info.edge_rows > 0) != (info.received > 0))) {
        status = wrong("the description");
    }
    for (int root = 0; root < p->ranks && status == TULLE_OK; root++) {
        status = gather_matrix(p, A, root);
        if (status == TULLE_OK) status = gather_vector(p, root);
    }
    tulle_dist_mat_destroy(A);
    return status;
}

static void gathered(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int shape = 0; shape < SHARE_SHAPES; shape++) {
        shares s = shares_make(share_shapes[shape][0], share_shapes[shape][1],
                               share_shapes[shape][2], share_shapes[shape][3]);
        s.type = TULLE_F64;
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            const int way = (ranks + shape) % SHARE_WAYS;
            s.k = 1 + shape % MOST_COLUMNS;
            s.layout = ranks % 2 ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR;
            if (is_slow(where) && way != turn_of(where, SHARE_WAYS)) continue;
            shares_deal(&s, ranks, way);
            process p[MOST_RANKS];
            run_ranks(ranks, 0, where, gather, &s, p);
            must_all(p);
        }
        shares_drop(&s);
    }
}
ONCE_ON_EACH_PLACE(gathered)

/* Norms whose squares leave the range of f64, and numbers that are none. */
static tulle_status extremes(process *p) {
    static const double given[][2] = {{1e200, 5e200}, {1e-200, 3e-200}, {0, 0},
                                      {INFINITY, 1},  {NAN, 1},         {INFINITY, NAN}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        double norm;
        tulle_vec *x = NULL;
        TULLE__TRY(tulle_vec_create(p->ctx, TULLE_F64, 1, &x));
        tulle_status status = tulle_vec_fill(p->ctx, x, given[i][p->rank]);
        if (status == TULLE_OK) status = tulle_dist_norm2(p->ctx, p->comm, x, &norm);
        tulle_vec_destroy(x);
        TULLE__TRY(status);
        const double due = hypot(given[i][0], given[i][1]);
        const bool none = isnan(given[i][0]) || isnan(given[i][1]);
        const bool right =
            none ? isnan(norm) : norm == due || fabs(norm - due) <= 4 * DBL_EPSILON * due;
        if (!right) return wrong("norm %g of case %d", norm, (int)i);
    }
    return TULLE_OK;
}
static void test_extremes(void **state) {
    (void)state;
    process p[MOST_RANKS];
    run_ranks(2, 0, "cpu:1", extremes, NULL, p);
    must_all(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gathered),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
