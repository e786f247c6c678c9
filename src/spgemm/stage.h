/* SPDX-License-Identifier: Apache-2.0 */
/* What calls that make a sparse product consist of: one product or several in a row, D added to the
 * last, and the report of all. */
#ifndef TULLE_SPGEMM_STAGE_H
#define TULLE_SPGEMM_STAGE_H

#include "algebra/plus.h"
#include "spgemm/call.h"
#include "spgemm/product.h"

/* A call whose arguments have been checked. */
tulle__spgemm_run tulle__spgemm_start(const char *function, tulle_ctx *ctx, tulle_type type,
                                      tulle_scalar alpha, const tulle_spgemm_options *options,
                                      int stages);

/* The product of the call's operands, their index type at least so wide. last: with the statistics
 * of a matrix, in the index type that was asked for; else only an operand or an addend, of which
 * no more is known than that its columns rise. */
tulle_status tulle__spgemm_stage(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                 tulle_index least, bool last, tulle_mat **C);

/* The bytes that the call may need, as known when the kernel has counted products or is done; kept:
 * those that the context kept before the product. */
void tulle__spgemm_bound_stage(tulle__spgemm_run *run, size_t kept);

/* The bytes that adding D may need on top of a product that has at most so many entries: what
 * there is beside it, and what the pool has kept since the call began. Of the last product. */
void tulle__spgemm_bound_sum(tulle__spgemm_run *run, double most, double sum, size_t kept);

/* What adding D is given, for the last product that a run has made or foreseen. */
tulle__plus tulle__spgemm_sum_of(const tulle__spgemm_run *run, const tulle_mat *product);

/* Entries that the last product has at most: one for each product, or for each place. */
double tulle__spgemm_most(const tulle__spgemm_run *run);

/* A P as it is, whatever C is asked to be: its columns rise, as those of a right operand must. */
tulle_status tulle__spgemm_right(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                 tulle_index least, tulle_mat **right);

/* The arguments of a triple product. */
tulle_status tulle__spgemm_check_triple(const char *function, const tulle_ctx *ctx,
                                        const tulle_mat *A, const tulle_mat *P);

/* The same as tulle__spgemm_check_tables of its arguments. */
tulle_status tulle__spgemm_check_triple_tables(const char *function, const tulle_ctx *ctx,
                                               const tulle_mat *A, const tulle_mat *P,
                                               const tulle_mat *D);

/* Of bytes that a call may have needed, those that the context's cap lets it. */
int64_t tulle__spgemm_within_cap(const tulle__spgemm_run *run, double bytes);

/* C := the product, which it takes, + beta D, where there is a D. */
tulle_status tulle__spgemm_plus(tulle__spgemm_run *run, tulle_mat *product, tulle_mat **C);

/* All of a call: how it makes C from its operands; with what the report says of memory and time,
 * unless that is NULL. */
typedef tulle_status tulle__spgemm_way(tulle__spgemm_run *run, const tulle__spgemm_call *c,
                                       tulle_mat **C);
tulle_status tulle__spgemm_call_by(tulle__spgemm_way *way, tulle__spgemm_run *run,
                                   const tulle__spgemm_call *c, tulle_spgemm_report *report,
                                   tulle_mat **C);

#endif
