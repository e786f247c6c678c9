/* SPDX-License-Identifier: Apache-2.0 */
/* Products of BSR matrices in blocks. The pattern of C is the product of the patterns of blocks, by
 * the kernels that multiply numbers; then a kernel of spgemm/blocks.h computes the values. */
#ifndef TULLE_SPGEMM_IN_BLOCKS_H
#define TULLE_SPGEMM_IN_BLOCKS_H

#include "spgemm/blocks.h"
#include "spgemm/call.h"

/* Returns true when a call is made in blocks: op(A) and op(B) are BSR without padding, blocks of
 * op(A) have as many columns as those of op(B) have rows, and there are numbers to share a block.
 * options NULL: there are neither D nor a mask, which are for products by numbers. */
bool tulle__spgemm_has_blocks(const tulle__spgemm_call *c, const tulle_spgemm_options *options);

/* Does tulle__spgemm_has_blocks for the triple product P^T A P, A and P being c's A and B. */
bool tulle__spgemm_has_triple_blocks(const tulle__spgemm_call *c,
                                     const tulle_spgemm_options *options);

/* Make C := alpha op(A) op(B), and alpha P^T A P with P^T as c's R where that is known, in BSR. */
tulle_status tulle__spgemm_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                     tulle_scalar alpha, const tulle_spgemm_options *options,
                                     tulle_spgemm_report *report, tulle_mat **C);
tulle_status tulle__spgemm_triple_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                            tulle_scalar alpha, const tulle_spgemm_options *options,
                                            tulle_spgemm_report *report, tulle_mat **C);

/* Forecast these calls. */
tulle_status tulle__spgemm_forecast_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                              const tulle_spgemm_options *options,
                                              tulle_spgemm_bounds *bounds);
tulle_status tulle__spgemm_forecast_triple_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                                     const tulle_spgemm_options *options,
                                                     tulle_spgemm_bounds *bounds);

/* Computes new values of C, which has every block of the product; C's pattern keeps what the first
 * call finds out. */
tulle_status tulle__spgemm_update_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                            tulle_scalar alpha, tulle_mat *C);

/* Returns the task of a product of matrices in BSR with C's pattern and values. */
tulle__blocks_task tulle__blocks_task_of(tulle_ctx *ctx, const tulle_mat *a, const tulle_mat *b,
                                         const tulle__block_operand *c, void *values,
                                         tulle_scalar alpha);

/* Returns the pattern of blocks of a BSR pattern as tasks have it. */
tulle__block_operand tulle__block_operand_of(const tulle__pattern *pattern);

/* Selects the kernel for values of the type: each takes all tasks. */
tulle_status tulle__blocks_select(const char *function, const tulle_ctx *ctx, tulle_type type,
                                  tulle__spec *spec);

/* Runs the kernel that the context selects; *spec tells which. */
tulle_status tulle__blocks_run(const char *function, const tulle__blocks_task *task,
                               tulle__spec *spec);

#endif
