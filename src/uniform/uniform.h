/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern that matrices share, and the checks of the public functions. */
#ifndef TULLE_UNIFORM_UNIFORM_H
#define TULLE_UNIFORM_UNIFORM_H

#include "dense/dense.h"
#include "uniform/functions.h"
#include "vector/operands.h"

struct tulle_uniform {
    tulle_ctx *ctx; /* context of the pattern; owned */
    tulle__uniform_view view;
    void *memory; /* memory that has all arrays of the view; owned */
};

/* Checks that the pattern is at the context's place, and that A has the right shape, for `count`
 * systems, and type. */
tulle_status tulle__uniform_check(const char *function, const tulle_ctx *ctx,
                                  const tulle_uniform *P, tulle__operand values, int64_t count,
                                  tulle_type type);

/* The reports of a call. If they go to the host, the back end writes them into the workspace,
 * before the `more` bytes that the call needs there. */
typedef struct tulle__uniform_reporting {
    tulle_ctx *ctx;
    tulle_uniform_reports to;
    int64_t count;
    tulle_uniform_report *here; /* place where the back end writes the reports; NULL: none */
    void *rest;                 /* the rest of the workspace */
} tulle__uniform_reporting;

/* tulle__uniform_reports_check fails with TULLE_ALIASED if reports overlap the operand. */
tulle_status tulle__uniform_reports_check(const char *function, tulle_uniform_reports to,
                                          int64_t count, tulle__operand with);
tulle_status tulle__uniform_reports_begin(tulle__uniform_reporting *r, int64_t more);
/* Copies the reports to the host if they go there, and gives memory back; takes and returns the
 * back end's status. */
tulle_status tulle__uniform_reports_end(const tulle__uniform_reporting *r, tulle_status status);

#endif
