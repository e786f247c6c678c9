/* SPDX-License-Identifier: Apache-2.0 */
/* What operations on vectors act on: the problem's x and y, and a second operand. */
#ifndef BENCH_VECTORS_H
#define BENCH_VECTORS_H

#include "bench/operation.h"

/* Ways to ask for one: with single numbers on the host, with everything in the context's memory,
 * and the same from a CUDA graph. Where there are no single numbers, the last two. */
enum { BENCH_VECTORS_HOST, BENCH_VECTORS_DEVICE, BENCH_VECTORS_CAPTURED };
#define BENCH_VECTORS_DETAILS                                                                      \
    { "host", "device", "captured" }
enum { BENCH_MULTIVECTORS_DEVICE, BENCH_MULTIVECTORS_CAPTURED };
#define BENCH_MULTIVECTORS_DETAILS                                                                 \
    { "device", "captured" }

/* Finds the value that number (row, column) of y should have, and how far it may be off: own: by
 * tulle's bound, else by that of a library that says none. */
typedef void bench_expect(const bench_problem *problem, bool own, int64_t row, int64_t column,
                          long double *value, long double *bound);

/* The `own` of such a problem. */
typedef struct bench_vectors {
    tulle_vec *second; /* as large as x, or small; NULL: there is none */
    tulle_vec *start;  /* what y is before a call that counts */
    double *numbers;   /* where results go to the host: these, and not y; else NULL */
    double by;         /* what is multiplied by where the operation has a factor */
    tulle_vec *factor; /* the same, in the context's memory */
    bool sums;         /* bench_shapes */
    bench_expect *expect;
    /* For the check, columns one after another; NULL: none. */
    void *host_x, *host_second, *host_start;
    void *more; /* the operation's own, which it gives up itself */
} bench_vectors;

/* Shapes, by rows and columns; second.rows 0: there is none. */
typedef struct bench_shape {
    int64_t rows, cols;
} bench_shape;
typedef struct bench_shapes {
    bench_shape x, second, y;
    bench_expect *expect;
    bool adds;   /* to y, which starts with numbers; else nothing reads it */
    bool sums;   /* each number of y is a sum over the rows of x */
    bool host;   /* results go to the host: y.rows of them */
    bool unlike; /* the second operand has other numbers than x */
    double by;   /* what is multiplied by; 0: 0.5 */
} bench_shapes;

/* Makes them, x and the second operand at random, all in the layout that is given. */
tulle_status bench_vectors_open(bench_problem *problem, const bench_given *given,
                                const bench_shapes *shapes);
void bench_vectors_close(bench_problem *problem);

/* y as it starts, and numbers NaN. */
tulle_status bench_vectors_reset(const bench_problem *problem);

/* prepare and finish of a bench_operation that prepares nothing: the state is the problem. */
tulle_status bench_vectors_prepare(const bench_problem *problem, bench_task *task);
void bench_vectors_finish(void *state);

/* What is multiplied by, and where results go: on the host, or in the context's memory. */
tulle_status bench_vectors_factor(const bench_problem *problem, tulle_scalar *factor);
tulle_status bench_vectors_result(const bench_problem *problem, tulle_result *result);

/* Finds the worst of y's numbers in units of their bounds: of columns of y a few, and of their
 * numbers all, or a few where each is a sum over all rows. NaN: results are not checked. */
tulle_status bench_vectors_error(const bench_problem *problem, void *state, double *units);

/* The members of an operation on vectors. kind: BENCH_VECTORS, or BENCH_MULTIVECTORS where there
 * are no single numbers. */
#define BENCH_VECTOR_OPERATION(kind, opens, runs)                                                  \
    .sized = true, .blocks = true, .detail = kind##_DETAILS, .captured = kind##_CAPTURED,          \
    .open = (opens), .close = bench_vectors_close, .prepare = bench_vectors_prepare,               \
    .run = (runs), .finish = bench_vectors_finish, .reset = bench_vectors_reset,                   \
    .error = bench_vectors_error

/* n u / (1 - n u), u the unit roundoff of the type. */
long double bench_gamma(tulle_type type, double n);

/* For sums of n products in an order that nobody knows: with rounding errors that are independent,
 * 8 sqrt(n) u passes with a probability of 1e-13. Source: N. J. Higham and T. Mary, "A new approach
 * to probabilistic rounding error analysis" (2019), lambda = 8. */
long double bench_gamma_likely(tulle_type type, double n);

/* What underflows: the smallest positive number of the type. */
long double bench_least(tulle_type type);

/* Number (row, column) of an array of columns. */
static inline long double bench_vectors_number(const bench_problem *problem, const void *columns,
                                               int64_t rows, int64_t row, int64_t column) {
    const int64_t at = row + column * rows;
    return problem->info.type == TULLE_F32 ? (long double)((const float *)columns)[at]
                                           : (long double)((const double *)columns)[at];
}

#endif
