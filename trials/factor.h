/* SPDX-License-Identifier: Apache-2.0 */
/* Factors L U, or L L', of A, as one trial. */
#ifndef TRIAL_FACTOR_H
#define TRIAL_FACTOR_H

#include "tools/common/verify_rows.h"
#include "trials/operation.h"
#include "trials/order.h"

/* Holds what a trial may choose (trial_given.options); the benchmark takes a detail instead. */
typedef struct trial_factor_options {
    tulle_factor_options factors; /* options; the trial itself sets the order P */
    trial_order order;            /* kind of P */
} trial_factor_options;

/* An open problem. */
typedef struct trial_factor {
    trial_factor_options options;
    double order_ms;        /* time of finding P, in milliseconds */
    tulle_order *P;         /* NULL: the rows stay as they are */
    tulle_mat *whole;       /* entries of A that are read and their mirror images, in CSR */
    tool_csr A;             /* A in host memory, in its format; empty where no peers are checked */
    tool_entry_error error; /* error that was found last */
    bool alone, check;      /* members of trial_given */
} trial_factor;

/* Returns what an open problem has. */
const trial_factor *trial_factor_of(const trial_problem *problem);

/* Returns the factors of a prepared task. */
tulle_factor *trial_factor_made(const trial_task *task);

#endif
