/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of tulle_mat_optimize: the kernel that a product runs on now, and candidates for a
 * plan, by the models of the kernels. Costs are bytes that a plain copy would move in the same
 * time. */
#ifndef TULLE_SPMV_OPTIMIZE_CONTEST_H
#define TULLE_SPMV_OPTIMIZE_CONTEST_H

#include "spmv/plan/make.h"

/* A plan that could be built, and its costs by the models. */
typedef struct tulle__candidate {
    tulle__plan_request request;
    tulle_storage storage; /* layout of the form */
    double cost;           /* cost of a call */
    double prepare;        /* cost of building it */
    int64_t bytes;         /* bytes that it would hold */
    bool hopeful;          /* true: the cost is the least that it may be, without padding, or in
                              hope */
} tulle__candidate;

enum { TULLE__CANDIDATES = 32 };

typedef struct tulle__contest {
    const char *function; /* name of the public function */
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle__spmv_call call;
    tulle_optimize_options options;
    tulle__spec now; /* kernel that serves without a plan; kernel NULL: none does */
    double now_cost;
    bool must; /* true: a plan is wanted whatever it costs, since the product is repeatable only
                  with one */
    tulle__candidate item[TULLE__CANDIDATES];
    int count;
    tulle__candidate too_large; /* best of the candidates that need more memory than allowed */
    tulle__candidate nearest;   /* best of the candidates that gain nothing */
    int64_t asked;              /* number of times that the caller was asked whether to go on */
    tulle__form *transpose;     /* held transpose that candidates for A^T x are made from, or
                                   NULL */
} tulle__contest;

/* Starts a contest: finds the kernel that serves the call without a plan. */
void tulle__contest_start(tulle__contest *contest);

/* Looks for candidates. For A^T x that may mean to transpose, where it seems to pay. May wait. */
tulle_status tulle__contest_enter(tulle__contest *contest);

/* Asks the caller whether to go on, before a form is looked at, built or timed. */
tulle_status tulle__contest_ask(tulle__contest *contest);

/* Cost of all expected calls, with the preparation. */
double tulle__contest_total(const tulle__contest *contest, const tulle__candidate *candidate);
double tulle__contest_total_now(const tulle__contest *contest);

/* Sorts the candidates by rising total. */
void tulle__contest_sort(tulle__contest *contest);

/* Microseconds in which a copy would move so many bytes. */
double tulle__contest_us(const tulle__contest *contest, double bytes);

void tulle__contest_end(tulle__contest *contest);

/* storage.c: the layout that a form of the pattern would have; TULLE_TOO_LARGE or TULLE_UNSUPPORTED
 * where there is none. hopeful: as if there were no padding, without a look at the entries;
 * BSR else: from a sample of the rows. */
tulle_status tulle__forecast_storage(tulle_ctx *ctx, const char *function, tulle__pattern *csr,
                                     tulle_type type, const tulle__form_key *key, bool hopeful,
                                     tulle_storage *storage);

/* prices.c: cost of building a form, and bytes that it holds, values of the type included. */
double tulle__price_of_form(const tulle_ctx *ctx, const tulle__pattern *csr, tulle_type type,
                            tulle_format format, const tulle_storage *storage);
double tulle__price_of_transpose(const tulle_ctx *ctx, const tulle__pattern *csr);
double tulle__price_of_plan(const tulle_ctx *ctx);
int64_t tulle__bytes_of_form(const tulle__pattern *csr, tulle_type type, tulle_format format,
                             const tulle_storage *storage);
int64_t tulle__bytes_of_transpose(const tulle__pattern *csr, tulle_type type);

/* trial.c: builds the first candidates, times them and the unplanned product, and gives the
 * fastest plan, or NULL where none is faster than the unplanned product; the times are in
 * microseconds. */
typedef struct tulle__trial {
    tulle__plan *plan;
    const tulle__candidate *chosen;
    double now_us, us;
    int tried;
} tulle__trial;
tulle_status tulle__contest_try(tulle__contest *contest, int most, tulle__trial *trial);

/* Cost of trying so many candidates, beyond building the best of them. */
double tulle__price_of_trying(const tulle__contest *contest, int most);

/* explain.c: says the reasons and the times of a choice; chosen: NULL where nothing was built;
 * trial: as made by tulle__contest_try, or with nothing tried. Or says that a plan was there
 * before. */
void tulle__contest_explain(const tulle__contest *contest, const tulle__candidate *chosen,
                            const tulle__trial *trial, tulle_optimize_report *report);
void tulle__contest_explain_old(const tulle__contest *contest, tulle_optimize_report *report);

/* Describes the plan or kernel that products run on now, and the time of the preparation. */
void tulle__contest_describe(const tulle__contest *contest, double prepare_ms,
                             tulle_optimize_report *report);

#endif
