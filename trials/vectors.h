/* SPDX-License-Identifier: Apache-2.0 */
/* The operands of operations on vectors: the problem's x and y, and a second operand. */
#ifndef TRIAL_VECTORS_H
#define TRIAL_VECTORS_H

#include "trials/operation.h"

/* Ways to ask for one: with single numbers on the host, with everything in the context's memory,
 * and the same from a CUDA graph. Where there are no single numbers, the last two. */
enum { TRIAL_VECTORS_HOST, TRIAL_VECTORS_DEVICE, TRIAL_VECTORS_CAPTURED };
#define TRIAL_VECTORS_DETAILS                                                                      \
    { "host", "device", "captured" }
enum { TRIAL_MULTIVECTORS_DEVICE, TRIAL_MULTIVECTORS_CAPTURED };
#define TRIAL_MULTIVECTORS_DETAILS                                                                 \
    { "device", "captured" }

/* Finds the value that number (row, column) of y should have, and the largest error that it may
 * have. own: by tulle's bound; else by that of a library that says none. */
typedef void trial_expect(const trial_problem *problem, bool own, int64_t row, int64_t column,
                          long double *value, long double *bound);

/* The `own` of such a problem. */
typedef struct trial_vectors {
    tulle_vec *second; /* second operand, as large as x, or small; NULL: there is none */
    tulle_vec *start;  /* y before a call whose result is checked */
    double *numbers;   /* the results, where they go to the host and not to y; else NULL */
    double by;         /* factor of an operation that has one */
    tulle_vec *factor; /* `by` in the context's memory */
    bool sums;         /* trial_shapes */
    trial_expect *expect;
    /* For the check, columns one after another; NULL: none. */
    void *host_x, *host_second, *host_start;
    void *more; /* the operation's own, which it gives up itself */
} trial_vectors;

/* Shapes, by rows and columns; second.rows 0: there is none. */
typedef struct trial_shape {
    int64_t rows, cols;
} trial_shape;
typedef struct trial_shapes {
    trial_shape x, second, y;
    trial_expect *expect;
    bool adds;   /* true: adds to y, which starts with numbers; else nothing reads y */
    bool sums;   /* each number of y is a sum over the rows of x */
    bool host;   /* results go to the host: y.rows of them */
    bool unlike; /* the second operand has other numbers than x */
    double by;   /* factor of the operation; 0: 0.5 */
} trial_shapes;

/* Opens a problem with vectors of the given shapes and layout; x and the second operand have random
 * numbers. */
tulle_status trial_vectors_open(trial_problem *problem, const trial_given *given,
                                const trial_shapes *shapes);
void trial_vectors_close(trial_problem *problem);

/* Sets y to its start, and the results on the host to NaN. */
tulle_status trial_vectors_reset(const trial_problem *problem);

/* Prepare and finish for a trial_operation that prepares nothing: the state is the problem. */
tulle_status trial_vectors_prepare(const trial_problem *problem, trial_task *task);
void trial_vectors_finish(void *state);

/* The first returns the operation's factor, the second the place of its results: on the host, or in
 * the context's memory. */
tulle_status trial_vectors_factor(const trial_problem *problem, tulle_scalar *factor);
tulle_status trial_vectors_result(const trial_problem *problem, tulle_result *result);

/* Finds the worst of y's numbers in units of their bounds: of columns of y a few, and of their
 * numbers all, or a few where each is a sum over all rows. NaN: results are not checked. */
tulle_status trial_vectors_error(const trial_problem *problem, void *state, double *units);

/* Returns the number of rows of y that are compared where the tasks of a sample are checked; 0: all
 * tasks are. rows: number of rows of y. */
int64_t trial_vectors_checked(const trial_problem *problem, int64_t rows);

/* The members of an operation on vectors. kind: TRIAL_VECTORS, or TRIAL_MULTIVECTORS where there
 * are no single numbers. */
#define TRIAL_VECTOR_OPERATION(kind, opens, runs)                                                  \
    .sized = true, .blocks = true, .detail = kind##_DETAILS, .captured = kind##_CAPTURED,          \
    .open = (opens), .close = trial_vectors_close, .prepare = trial_vectors_prepare,               \
    .run = (runs), .finish = trial_vectors_finish, .reset = trial_vectors_reset,                   \
    .error = trial_vectors_error

/* n u / (1 - n u), u the unit roundoff of the type. */
long double trial_gamma(tulle_type type, double n);

/* For sums of n products in an order that nobody knows: with rounding errors that are independent,
 * 8 sqrt(n) u passes with a probability of 1e-13. Source: N. J. Higham and T. Mary, "A new approach
 * to probabilistic rounding error analysis" (2019), lambda = 8. */
long double trial_gamma_likely(tulle_type type, double n);

/* Returns the smallest positive number of the type, the bound of what underflows. */
long double trial_least(tulle_type type);

/* Returns number (row, column) of an array that stands column by column. */
static inline long double trial_vectors_number(const trial_problem *problem, const void *columns,
                                               int64_t rows, int64_t row, int64_t column) {
    const int64_t at = row + column * rows;
    return problem->info.type == TULLE_F32 ? (long double)((const float *)columns)[at]
                                           : (long double)((const double *)columns)[at];
}

#endif
