/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern that matrices share, as an object, and what the public functions check. */
#ifndef TULLE_UNIFORM_UNIFORM_H
#define TULLE_UNIFORM_UNIFORM_H

#include "dense/dense.h"
#include "uniform/functions.h"
#include "vector/operands.h"

struct tulle_uniform {
    tulle_ctx *ctx; /* owned */
    tulle__uniform_view view;
    void *memory; /* which all arrays of the view are in */
};

/* The pattern's place; A's shape, given how many systems there are, and its type. */
tulle_status tulle__uniform_check(const char *function, const tulle_ctx *ctx,
                                  const tulle_uniform *P, tulle__operand values, int64_t count,
                                  tulle_type type);

/* Reports of a call on their way. Where they go to the host, the backend writes them into the
 * workspace, in front of what else the call wants there: `more` bytes. */
typedef struct tulle__uniform_reporting {
    tulle_ctx *ctx;
    tulle_uniform_reports to;
    int64_t count;
    tulle_uniform_report *here; /* where the backend writes; NULL: nowhere */
    void *rest;                 /* the rest of the workspace */
} tulle__uniform_reporting;

/* TULLE_ALIASED where reports overlap the operand. */
tulle_status tulle__uniform_reports_check(const char *function, tulle_uniform_reports to,
                                          int64_t count, tulle__operand with);
tulle_status tulle__uniform_reports_begin(tulle__uniform_reporting *r, int64_t more);
/* After the backend's status; copies to the host, and gives back. */
tulle_status tulle__uniform_reports_end(const tulle__uniform_reporting *r, tulle_status status);

#endif
