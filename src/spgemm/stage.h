/* SPDX-License-Identifier: Apache-2.0 */
/* The stages of a call, each of which makes one product; D is added to the last product. The report
 * covers all stages. */
#ifndef TULLE_SPGEMM_STAGE_H
#define TULLE_SPGEMM_STAGE_H

#include "algebra/plus.h"
#include "spgemm/call.h"
#include "spgemm/product.h"

/* Starts a call whose arguments have been checked. */
tulle__spgemm_run tulle__spgemm_start(const char *function, tulle_ctx *ctx, tulle_type type,
                                      tulle_scalar alpha, const tulle_spgemm_options *options,
                                      int stages);

/* Makes the product of the call's operands; their index type is at least as wide as `least`.
 * last: with the statistics of a matrix, in the index type that was asked for; else only an
 * operand or an addend, of which nothing is known but that its columns rise. */
tulle_status tulle__spgemm_stage(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                 tulle_index least, bool last, tulle_mat **C);

/* The arguments of adding D, for the last product that a run has made or foreseen. */
tulle__plus tulle__spgemm_sum_of(const tulle__spgemm_run *run, const tulle_mat *product);

/* Largest number of entries of the last product: one for each multiplication, or for each
 * place. */
double tulle__spgemm_most(const tulle__spgemm_run *run);

/* Makes A P whatever C is asked to be: its columns rise, as those of a right operand must. */
tulle_status tulle__spgemm_right(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                 tulle_index least, tulle_mat **right);

/* Checks the arguments of a triple product. */
tulle_status tulle__spgemm_check_triple(const char *function, const tulle_ctx *ctx,
                                        const tulle_mat *A, const tulle_mat *P);

/* Makes C of the product, which it takes, and beta D, where there is a D. */
tulle_status tulle__spgemm_plus(tulle__spgemm_run *run, tulle_mat *product, tulle_mat **C);

/* Makes a whole call by `way`, which makes C from the operands; the report gets memory and time,
 * unless it is NULL. */
typedef tulle_status tulle__spgemm_way(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                       tulle_mat **C);
tulle_status tulle__spgemm_call_by(tulle__spgemm_way *way, tulle__spgemm_run *run,
                                   const tulle__spgemm_call *c, tulle_spgemm_report *report,
                                   tulle_mat **C);

#endif
