/* SPDX-License-Identifier: Apache-2.0 */
/* Computes X = Q R of tall multivectors. R is Cholesky's factor of X^T X, and X R^-1 is nearly
 * orthonormal; a second pass makes it so (CholeskyQR2: T. Fukaya, Y. Nakatsukasa, Y. Yanagisawa
 * and Y. Yamamoto 2014). This needs a condition number of X below the square root of 1 / u.
 * Columns that are more dependent are made orthogonal one after the other, by Gram-Schmidt's
 * method, twice. */
#include <math.h>

#include "matrix/operand.h"
#include "vector/operands.h"
#include "vector/small.h"

enum { MOST = TULLE__MULTI_MOST };

/* Returns the least pivot of X^T X relative to its diagonal number, and the least size of a column
 * relative to its original size, that count as independent. */
static double least_pivot(const tulle_vec *X) {
    return 1e3 * (double)X->cols * (X->type == TULLE_F32 ? 0x1p-24 : 0x1p-53);
}
static const double least_second_pivot = 0.5;

/* Largest growth of roundoff in X R^-1 that needs no correction. */
static const double harmless_growth = 4;

typedef struct qr {
    tulle_ctx *ctx;
    tulle_vec *X, *R;
    tulle_vec *W;     /* scratch of X's shape; owned */
    tulle_vec *small; /* k x k scratch; owned */
    double r[MOST * MOST];
    int rank;
} qr;

/* read_small and the function after it move small matrices, by columns, between the host, in f64,
 * and the place, in X's type. */
static tulle_status read_small(const qr *q, const tulle_vec *from, double *to) {
    const int64_t count = from->rows * from->cols;
    float narrow[MOST * MOST];
    if (from->type == TULLE_F64) return tulle_vec_read(q->ctx, from, to, 0);
    TULLE__TRY(tulle_vec_read(q->ctx, from, narrow, 0));
    for (int64_t i = 0; i < count; i++) to[i] = (double)narrow[i];
    return TULLE_OK;
}

static tulle_status write_small(const qr *q, const double *from, tulle_vec *to) {
    const int64_t k = to->rows;
    const bool by_row = to->layout == TULLE_ROW_MAJOR;
    double all[MOST * MOST];
    float narrow[MOST * MOST];
    for (int64_t i = 0; i < k * k; i++) {
        all[i] = by_row ? from[i / k + i % k * k] : from[i];
        narrow[i] = (float)all[i];
    }
    const void *numbers = to->type == TULLE_F32 ? (const void *)narrow : all;
    return tulle_vec_write(q->ctx, to, numbers, 0);
}

/* Computes to := to + (from - to R) R^-1. Multiplying by an inverse is not a stable way to solve:
 * where columns of `from` are similar, the terms of the product with R^-1 are much larger than its
 * result. After this step |from - to R| is of the size of roundoff in `from` (R. D. Skeel 1980). */
static tulle_status refine(qr *q, const tulle_vec *from, const double *R, const double *inverse,
                           tulle_vec *to) {
    tulle_vec *left = NULL;
    TULLE__TRY(tulle_vec_create_columns(q->ctx, from->type, from->rows, from->cols, from->layout, 0,
                                        &left));
    tulle_status status = tulle_vec_copy(q->ctx, from, left);
    if (status == TULLE_OK) status = write_small(q, R, q->small);
    if (status == TULLE_OK) {
        status = tulle_vec_combine(q->ctx, tulle_num(-1), to, q->small, tulle_num(1), left);
    }
    if (status == TULLE_OK) status = write_small(q, inverse, q->small);
    if (status == TULLE_OK) {
        status = tulle_vec_combine(q->ctx, tulle_num(1), left, q->small, tulle_num(1), to);
    }
    tulle_vec_destroy(left);
    return status;
}

/* Computes to := from R^-1 with R^T R = from^T from; *done is true if `from` was well enough
 * conditioned for that. */
static tulle_status pass(qr *q, const tulle_vec *from, tulle_vec *to, double least, double *R,
                         bool *done) {
    double G[MOST * MOST], inverse[MOST * MOST];
    const int k = (int)from->cols;
    TULLE__TRY(tulle_vec_inner(q->ctx, tulle_num(1), from, from, tulle_num(0), q->small));
    TULLE__TRY(read_small(q, q->small, G));
    *done = tulle__small_cholesky(k, G, least, R);
    if (!*done) return TULLE_OK;
    tulle__small_invert(k, R, inverse);
    TULLE__TRY(write_small(q, inverse, q->small));
    TULLE__TRY(tulle_vec_combine(q->ctx, tulle_num(1), from, q->small, tulle_num(0), to));
    if (tulle__small_growth(k, G, R, inverse) <= harmless_growth) return TULLE_OK;
    return refine(q, from, R, inverse, to);
}

static tulle_status by_cholesky(qr *q, bool *done) {
    double first[MOST * MOST], second[MOST * MOST];
    const int k = (int)q->X->cols;
    TULLE__TRY(pass(q, q->X, q->W, least_pivot(q->X), first, done));
    if (!*done) return TULLE_OK;
    TULLE__TRY(pass(q, q->W, q->X, least_second_pivot, second, done));
    if (!*done) return TULLE_OK;
    tulle__small_multiply(k, second, first, q->r);
    q->rank = k;
    return TULLE_OK;
}

static tulle_vec columns_of(const tulle_vec *X, int64_t first, int64_t count) {
    const int64_t step = X->layout == TULLE_ROW_MAJOR ? 1 : X->ld;
    tulle_vec some = *X;
    some.cols = count;
    some.data = (char *)X->data + first * step * tulle_type_size(X->type);
    return some;
}

/* Computes v := v - Q Q^T v for the first j columns Q; adds the components to h unless it is
 * NULL. */
static tulle_status project(qr *q, int64_t j, tulle_vec *v, double *h) {
    double components[MOST];
    if (j == 0) return TULLE_OK;
    const tulle_vec Q = columns_of(q->W, 0, j);
    tulle_vec c = *q->small;
    c.rows = j;
    c.cols = 1;
    TULLE__TRY(tulle_vec_inner(q->ctx, tulle_num(1), &Q, v, tulle_num(0), &c));
    TULLE__TRY(tulle_vec_combine(q->ctx, tulle_num(-1), &Q, &c, tulle_num(1), v));
    if (!h) return TULLE_OK;
    TULLE__TRY(read_small(q, &c, components));
    for (int64_t i = 0; i < j; i++) h[i] += components[i];
    return TULLE_OK;
}

static tulle_status normalise(qr *q, double length, tulle_vec *v) {
    return tulle_vec_scale(q->ctx, tulle_num(1 / length), v);
}

/* Computes v := v / 2^exponent, exactly but for underflow, so that the largest number is from 1 to
 * 2; 0 stays as it is. Two factors are used, because the power between an end of the type and 1 may
 * be outside the type. *number is true when all numbers of v are finite. */
static tulle_status bring_to_one(qr *q, tulle_vec *v, int *exponent, bool *number) {
    double largest;
    *exponent = 0;
    TULLE__TRY(tulle_vec_norm_max(q->ctx, v, tulle_to_num(&largest)));
    *number = largest - largest == 0;
    if (!*number || largest == 0) return TULLE_OK;
    *exponent = ilogb(largest);
    const int half = *exponent / 2;
    TULLE__TRY(tulle_vec_scale(q->ctx, tulle_num(ldexp(1, -half)), v));
    return tulle_vec_scale(q->ctx, tulle_num(ldexp(1, half - *exponent)), v);
}

/* Makes a vector that is orthogonal to the first j columns, for a column that depends on them. */
static tulle_status make_other(qr *q, int64_t j, tulle_vec *v) {
    double length;
    TULLE__TRY(tulle_vec_random(q->ctx, v, (uint64_t)j + 1));
    for (int turn = 0; turn < 3; turn++) {
        TULLE__TRY(project(q, j, v, NULL));
        TULLE__TRY(tulle_vec_norm2(q->ctx, v, tulle_to_num(&length)));
        TULLE__TRY(normalise(q, length, v));
    }
    return TULLE_OK;
}

/* Takes the next column. The column is scaled to numbers whose squares fit in the type, and R's
 * column is scaled back. */
static tulle_status take_column(qr *q, int64_t j, bool *number) {
    const tulle_vec from = columns_of(q->X, j, 1);
    tulle_vec v = columns_of(q->W, j, 1);
    double *h = q->r + j * q->X->cols, before, left;
    int exponent;
    TULLE__TRY(tulle_vec_copy(q->ctx, &from, &v));
    TULLE__TRY(bring_to_one(q, &v, &exponent, number));
    if (!*number) return TULLE_OK;
    TULLE__TRY(tulle_vec_norm2(q->ctx, &v, tulle_to_num(&before)));
    TULLE__TRY(project(q, j, &v, h));
    TULLE__TRY(project(q, j, &v, h));
    TULLE__TRY(tulle_vec_norm2(q->ctx, &v, tulle_to_num(&left)));
    for (int64_t i = 0; i < j; i++) h[i] = ldexp(h[i], exponent);
    if (left <= least_pivot(q->X) * before) return make_other(q, j, &v);
    h[j] = ldexp(left, exponent);
    q->rank++;
    return normalise(q, left, &v);
}

static tulle_status by_columns(qr *q) {
    const int64_t k = q->X->cols;
    bool number = true;
    for (int64_t i = 0; i < k * k; i++) q->r[i] = 0;
    for (int64_t j = 0; j < k && number; j++) TULLE__TRY(take_column(q, j, &number));
    if (number) return tulle_vec_copy(q->ctx, q->W, q->X);
    q->rank = -1;
    return TULLE_OK;
}

static tulle_status run(qr *q) {
    const tulle_vec *X = q->X;
    bool done = false;
    TULLE__TRY(tulle_vec_create_columns(q->ctx, X->type, X->rows, X->cols, X->layout, 0, &q->W));
    TULLE__TRY(tulle_vec_create_columns(q->ctx, X->type, X->cols, X->cols, TULLE_COLUMN_MAJOR, 0,
                                        &q->small));
    TULLE__TRY(by_cholesky(q, &done));
    if (!done) TULLE__TRY(by_columns(q));
    return write_small(q, q->r, q->R);
}

static tulle_status check(const char *function, const tulle_ctx *ctx, const tulle_vec *X,
                          const tulle_vec *R) {
    const tulle__operand x = {"X", X}, r = {"R", R};
    TULLE__TRY(tulle__operand_check(function, ctx, x, X->rows, X->cols, X->type));
    TULLE__TRY(tulle__operand_check(function, ctx, r, X->cols, X->cols, X->type));
    if (X->cols < 1 || X->cols > MOST || X->rows < X->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "X", -1,
                           "X is %lld x %lld; it must have 1 to %d columns, and no fewer rows",
                           (long long)X->rows, (long long)X->cols, (int)MOST);
    }
    if (!tulle__dense_overlap(R, X)) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, function, "R", -1, "R overlaps X");
}

tulle_status tulle_vec_qr(tulle_ctx *ctx, tulle_vec *X, tulle_vec *R, int *rank) {
    TULLE__NEED(ctx);
    TULLE__NEED(X);
    TULLE__NEED(R);
    TULLE__TRY(check(__func__, ctx, X, R));
    qr q = {.ctx = ctx, .X = X, .R = R};
    const tulle_status status = run(&q);
    tulle_vec_destroy(q.W);
    tulle_vec_destroy(q.small);
    if (rank) *rank = q.rank;
    return status;
}
