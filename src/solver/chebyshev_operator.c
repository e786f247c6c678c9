/* SPDX-License-Identifier: Apache-2.0 */
/* A polynomial in M A as a preconditioner: steps of Chebyshev's iteration from 0, whose scalars are
 * known beforehand. */
#include <math.h>
#include <string.h>

#include "comm/comm.h"
#include "solver/solver.h"

enum { MOST_DEGREE = 100, STEPS = 20 };

/* Factors of an estimate: `margin` of the upper end, which must not be passed; the polynomial is
 * small down to the upper end over `reach`. */
static const double margin = 1.1, reach = 30;

typedef struct polynomial {
    tulle_linop head;
    tulle_linop *A, *M; /* owned operators; M may be NULL */
    int degree;
    bool estimated;
    double lowest, highest;
    tulle__own_vector r, d, z, y;
} polynomial;

/* Computes M r, or r where there is no M. */
static tulle_status precondition(tulle_ctx *ctx, const polynomial *p, const tulle_vec *r,
                                 tulle_vec *z, const tulle_vec **to) {
    *to = p->M ? z : r;
    return p->M ? tulle__linop_run(ctx, p->M, TULLE_N, tulle_num(1), r, tulle_num(0), z) : TULLE_OK;
}

/* Computes Y := p(M A) M X, p the Chebyshev polynomial. */
static tulle_status run(tulle_ctx *ctx, polynomial *p, const tulle_vec *X, tulle_vec *Y) {
    const double theta = (p->highest + p->lowest) / 2, delta = (p->highest - p->lowest) / 2;
    const tulle_type type = p->head.type;
    const tulle_vec *to;
    double rho = delta / theta;
    tulle_vec r, d, z;
    TULLE__TRY(tulle__own_vector_take(ctx, &p->r, type, X->rows, X, &r));
    TULLE__TRY(tulle__own_vector_take(ctx, &p->d, type, X->rows, X, &d));
    if (p->M) TULLE__TRY(tulle__own_vector_take(ctx, &p->z, type, X->rows, X, &z));
    TULLE__TRY(tulle_vec_copy(ctx, X, &r));
    TULLE__TRY(precondition(ctx, p, &r, &z, &to));
    TULLE__TRY(tulle_vec_axpby(ctx, tulle_num(1 / theta), to, tulle_num(0), &d));
    TULLE__TRY(tulle_vec_copy(ctx, &d, Y));
    for (int i = 1; i < p->degree; i++) {
        const double next = 1 / (2 * theta / delta - rho);
        TULLE__TRY(tulle__linop_run(ctx, p->A, TULLE_N, tulle_num(-1), &d, tulle_num(1), &r));
        TULLE__TRY(precondition(ctx, p, &r, &z, &to));
        TULLE__TRY(
            tulle_vec_axpby(ctx, tulle_num(2 * next / delta), to, tulle_num(next * rho), &d));
        TULLE__TRY(tulle_vec_axpy(ctx, tulle_num(1), &d, Y));
        rho = next;
    }
    return TULLE_OK;
}

static bool is(tulle_scalar s, double number) {
    return !s.address && s.number == number;
}

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    polynomial *p = (polynomial *)L;
    tulle_vec y;
    (void)op;
    if (is(alpha, 1) && is(beta, 0)) return run(ctx, p, X, Y);
    TULLE__TRY(tulle__own_vector_take(ctx, &p->y, L->type, Y->rows, Y, &y));
    TULLE__TRY(run(ctx, p, X, &y));
    return tulle_vec_axpby(ctx, alpha, &y, beta, Y);
}

static tulle_status estimate(tulle_ctx *ctx, polynomial *p) {
    if (!p->estimated || (p->head.rows == 0 && !p->head.comm)) return TULLE_OK;
    TULLE__TRY(tulle__spectrum("tulle_linop_chebyshev", ctx, p->A, p->M, &(tulle_solver_options){0},
                               STEPS, &p->lowest, &p->highest));
    p->highest *= margin;
    p->lowest = p->highest / reach;
    return TULLE_OK;
}

static tulle_status renew(tulle_ctx *ctx, tulle_linop *L) {
    polynomial *p = (polynomial *)L;
    TULLE__TRY(tulle_linop_renew(ctx, p->A));
    if (p->M) TULLE__TRY(tulle_linop_renew(ctx, p->M));
    return estimate(ctx, p);
}

static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    const polynomial *p = (const polynomial *)L;
    uint64_t all =
        tulle__stamp_join(tulle__linop_stamp(ctx, p->A), p->M ? tulle__linop_stamp(ctx, p->M) : 0);
    uint64_t bounds[2];
    memcpy(bounds, &p->lowest, sizeof p->lowest);
    memcpy(bounds + 1, &p->highest, sizeof p->highest);
    const uint64_t others[] = {bounds[0], bounds[1], (uint64_t)(uintptr_t)p->r.data,
                               (uint64_t)(uintptr_t)p->y.data};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        all = tulle__stamp_join(all, others[i]);
    }
    return all;
}

static bool capturable(const tulle_linop *L) {
    const polynomial *p = (const polynomial *)L;
    return tulle__linop_is_capturable(p->A) && (!p->M || tulle__linop_is_capturable(p->M));
}

static void destroy(tulle_linop *L) {
    polynomial *p = (polynomial *)L;
    tulle__own_vector *const own[] = {&p->r, &p->d, &p->z, &p->y};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) tulle__own_vector_release(own[i]);
    tulle_linop_destroy(p->A);
    tulle_linop_destroy(p->M);
}

static const tulle__linop_kind kind = {.name = "Chebyshev",
                                       .bytes = sizeof(polynomial),
                                       .apply = apply,
                                       .renew = renew,
                                       .stamp = stamp,
                                       .capturable = capturable,
                                       .destroy = destroy};

static const char *const function = "tulle_linop_chebyshev";

static tulle_status check_numbers(int degree, double lowest, double highest) {
    if (degree < 1 || degree > MOST_DEGREE) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "degree", -1,
                           "degree is %d; it must be 1 to %d", degree, (int)MOST_DEGREE);
    }
    const bool estimated = lowest == 0 && highest == 0;
    if (estimated || (lowest > 0 && lowest < highest && highest < INFINITY)) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "lowest", -1,
                       "0 < lowest < highest, and lowest is %g, highest %g", lowest, highest);
}

static tulle_status check(tulle_ctx *ctx, const tulle_linop *A, const tulle_linop *M) {
    TULLE__NEED_OF(function, ctx);
    TULLE__TRY(tulle__linop_check(function, "A", ctx, A));
    TULLE__TRY(tulle__linop_check_square(function, "A", A));
    if (!M) return TULLE_OK;
    TULLE__TRY(tulle__linop_check(function, "M", ctx, M));
    if (M->rows != A->rows || M->cols != A->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "M", -1,
                           "M is %lld x %lld, A %lld x %lld", (long long)M->rows,
                           (long long)M->cols, (long long)A->rows, (long long)A->cols);
    }
    if (M->type == A->type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, function, "M", -1,
                       "A and M take vectors of different types");
}

/* Compares what all processes must give alike. */
static tulle_status agree(tulle_comm *comm, const tulle_linop *M, int degree, double lowest,
                          double highest, tulle_status here) {
    uint64_t bits[2];
    memcpy(bits, &lowest, sizeof lowest);
    memcpy(bits + 1, &highest, sizeof highest);
    const tulle__agreement facts[] = {
        {"M", M != NULL}, {"degree", (uint64_t)degree}, {"lowest", bits[0]}, {"highest", bits[1]}};
    return tulle__comm_agree(comm, function, here, facts, sizeof facts / sizeof *facts);
}

tulle_status tulle_linop_chebyshev(tulle_ctx *ctx, tulle_linop *A, tulle_linop *M, int degree,
                                   double lowest, double highest, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(A);
    tulle_linop *made = NULL;
    tulle_status status = check(ctx, A, M);
    if (status == TULLE_OK) status = check_numbers(degree, lowest, highest);
    if (status == TULLE_OK) {
        status = tulle__linop_make(ctx, &kind, A->type, A->rows, A->cols, &made);
    }
    if (A->comm) status = agree(A->comm, M, degree, lowest, highest, status);
    if (!made || status != TULLE_OK) {
        tulle_linop_destroy(made);
        return status;
    }
    polynomial *p = (polynomial *)made;
    p->A = tulle__linop_retain(A);
    p->M = tulle__linop_retain(M);
    made->comm = A->comm;
    p->degree = degree;
    p->estimated = lowest == 0 && highest == 0;
    p->lowest = lowest;
    p->highest = highest;
    status = estimate(ctx, p);
    if (status != TULLE_OK) {
        tulle_linop_destroy(made);
        return status;
    }
    *L = made;
    return TULLE_OK;
}
