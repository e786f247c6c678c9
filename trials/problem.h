/* SPDX-License-Identifier: Apache-2.0 */
/* One case of an operation (operation.h) to be measured on a place: it reads x, or data that the
 * operation holds itself, and leaves its result in y. */
#ifndef TRIAL_PROBLEM_H
#define TRIAL_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/common/sample.h"
#include "trials/blocks.h"
#include "trials/check.h"
#include "tulle/advanced.h"
#include "tulle/tulle.h"

typedef struct trial_operation trial_operation;

typedef struct trial_problem {
    tulle_ctx *ctx;
    tulle_device_info device;
    tulle_mat *A; /* the caller's */
    tulle_mat_info info;
    tulle_trans trans;
    trial_block block;
    tulle_vec *x, *y;
    int64_t minimal_bytes; /* each input read once, each output written once */
    double flops;          /* additions, multiplications, divisions; 0: nobody has counted */
    bool checked;          /* true: results are checked by the operation */
    trial_check *check;    /* the check of a product with A, which may be another problem's; NULL:
                              none */
    tool_sample sample;    /* tasks of a batch that are checked */
    int64_t checked_rows;  /* number of rows of the result that are checked; 0: all are, or none */
    const trial_operation *operation;
    int detail;     /* index among the operation's details */
    int64_t count;  /* number of problems that run together; else 1 */
    int streams;    /* largest number of streams of tasks; 0: the batch's own default */
    int fill;       /* the level of fill that factors keep, where it is a detail of them */
    int64_t levels; /* the longest chain of rows that wait for one another; 0: none do */
    /* The members below are for iterative methods; fewest bytes, flops and times are those of one
     * iteration. */
    int64_t iterations;   /* number of iterations of a call; 0: not an iterative method */
    bool whole;           /* a solution to a tolerance, of which preparing is a part; with 0
                             iterations the times are those of a whole solution */
    double product_ms;    /* time of the products, and of solves with factors, alone */
    int64_t vector_bytes; /* the part of the fewest bytes beside the products */
    void *own;            /* data of the operation, as the exact results */
} trial_problem;

void trial_problem_close(trial_problem *problem);

/* Makes x, with random numbers, and y: vectors of info.rows numbers of info.type. */
tulle_status trial_problem_vectors(trial_problem *problem, uint64_t seed);

/* Fills y with NaN, so that what nobody writes is seen. */
tulle_status trial_problem_poison(const trial_problem *problem);

/* Fills y with a number far from any result, for libraries that multiply by zero what stands in y.
 */
tulle_status trial_problem_fill_far(const trial_problem *problem);

/* Finds the error of y in units of the bound; NaN where results are not checked. */
tulle_status trial_problem_error(const trial_problem *problem, double *units);

#endif
