/* SPDX-License-Identifier: Apache-2.0 */
/* Products with distributed matrices, for one to four threads that share the rows of one matrix
 * evenly, unevenly, or not at all. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"
#include "shares.h"

static double number(tulle_type type, const void *numbers, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

/* Compares this process's rows of Y with the definition, in units of the bound: for each row n + 2
 * roundings, and two more for each process. */
static tulle_status judge(const process *p, const tulle_vec *Y, int64_t all, int64_t first,
                          int64_t last) {
    const shares *s = p->data;
    const int64_t rows = last - first, from = s->op == TULLE_N ? s->cols : s->rows;
    const double u = s->type == TULLE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    const size_t count = (size_t)(all * s->k);
    long double *sum = calloc(count + 1, sizeof *sum), *size = calloc(count + 1, sizeof *size);
    int64_t *terms = calloc((size_t)all + 1, sizeof *terms);
    for (int64_t i = 0; i < s->rows; i++) {
        for (int64_t e = s->offsets[i]; e < s->offsets[i + 1]; e++) {
            const int64_t to = s->op == TULLE_N ? i : s->columns[e];
            const int64_t of = s->op == TULLE_N ? s->columns[e] : i;
            terms[to]++;
            for (int64_t c = 0; c < s->k; c++) {
                const long double term = (long double)s->values[e] * s->x[of + c * from];
                sum[to + c * all] += term;
                size[to + c * all] += fabsl(term);
            }
        }
    }
    void *got = calloc((size_t)(rows * s->k) + 1, sizeof(double));
    tulle_status status = tulle_vec_read(p->ctx, Y, got, 0);
    for (int64_t i = 0; i < rows && status == TULLE_OK; i++) {
        for (int64_t c = 0; c < s->k; c++) {
            const int64_t at = first + i + c * all;
            const long double old = s->beta == 0 ? 0 : s->beta * s->y[at];
            const double y =
                number(s->type, got, s->layout == TULLE_ROW_MAJOR ? i * s->k + c : i + c * rows);
            const long double bound = (double)(terms[first + i] + 2 + 2 * p->ranks) * u *
                                      (fabsl(s->alpha * size[at]) + fabsl(old));
            if (!(fabsl(y - (s->alpha * sum[at] + old)) <= 1.01L * bound)) {
                status = wrong("row %lld, column %lld: %.17g, not %.17Lg", (long long)(first + i),
                               (long long)c, y, s->alpha * sum[at] + old);
            }
        }
    }
    free(got);
    free(terms);
    free(size);
    free(sum);
    return status;
}

/* Gives a matrix that was made with zeros its values, after a product that may keep data of them.
 */
static tulle_status replace_values(const process *p, tulle_dist_mat *A, const tulle_vec *X,
                                   tulle_vec *Y) {
    const shares *s = p->data;
    const int64_t row = s->row_start[p->rank], rows = s->row_start[p->rank + 1] - row;
    const int64_t begin = s->offsets[row];
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = s->offsets[row + i] - begin;
    void *values = ranks_numbers(s->values + begin, offsets[rows], s->type);
    tulle_status status =
        tulle_dist_mat_multiply(p->ctx, s->op, tulle_num(1), A, X, tulle_num(1), Y);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_set_values(A, offsets, s->columns + begin, values);
    }
    free(values);
    free(offsets);
    return status;
}

static tulle_status multiply(process *p) {
    const shares *s = p->data;
    const bool turned = s->op == TULLE_T;
    const int64_t *from = turned ? s->row_start : s->col_start;
    const int64_t *to = turned ? s->col_start : s->row_start;
    const int r = p->rank;
    tulle_dist_mat *A = NULL;
    tulle_vec *X = NULL, *Y = NULL;
    tulle_status status = shares_matrix(p, s->type, &A);
    if (status == TULLE_OK) {
        status = shares_vector(p, s->x, turned ? s->rows : s->cols, from[r], from[r + 1], &X);
    }
    if (status == TULLE_OK) {
        status = shares_vector(p, s->y, turned ? s->cols : s->rows, to[r], to[r + 1], &Y);
    }
    if (status == TULLE_OK && s->replaces) status = replace_values(p, A, X, Y);
    if (status == TULLE_OK && s->beta == 0) status = tulle_vec_fill(p->ctx, Y, NAN);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_multiply(p->ctx, s->op, tulle_num(s->alpha), A, X,
                                         tulle_num(s->beta), Y);
    }
    if (status == TULLE_OK) {
        status = judge(p, Y, turned ? s->cols : s->rows, to[r], to[r + 1]);
    }
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_dist_mat_destroy(A);
    return status;
}

static void products(tulle_ctx *ctx, const char *where) {
    const int few = is_slow(where) ? 7 : 1, turn = turn_of(where, 7);
    int number_of_case = 0;
    (void)ctx;
    for (int shape = 0; shape < SHARE_SHAPES; shape++) {
        shares s = shares_make(share_shapes[shape][0], share_shapes[shape][1],
                               share_shapes[shape][2], share_shapes[shape][3]);
        for (int ranks = 1; ranks <= MOST_RANKS; ranks++) {
            for (int way = 0; way < SHARE_WAYS * 16; way++) {
                if (number_of_case++ % few != (few > 1 ? turn : 0)) continue;
                shares_deal(&s, ranks, way / 16);
                s.type = way & 1 ? TULLE_F32 : TULLE_F64;
                s.op = way & 2 ? TULLE_T : TULLE_N;
                s.layout = way & 4 ? TULLE_ROW_MAJOR : TULLE_COLUMN_MAJOR;
                s.k = way & 8 ? MOST_COLUMNS : 1;
                s.alpha = way & 8 ? -0.5 : 1;
                s.beta = (way + ranks) % 3 == 0 ? 2 : 0;
                s.replaces = (way + ranks) % 5 < 2;
                process p[MOST_RANKS];
                run_ranks(ranks, 0, where, multiply, &s, p);
                must_all(p);
            }
        }
        shares_drop(&s);
    }
}
ONCE_ON_EACH_PLACE(products)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
