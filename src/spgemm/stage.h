/* SPDX-License-Identifier: Apache-2.0 */
/* What calls that make a sparse product consist of: one product or several in a row, D added to the
 * last, and the report of all. */
#ifndef TULLE_SPGEMM_STAGE_H
#define TULLE_SPGEMM_STAGE_H

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
