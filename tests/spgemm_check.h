/* SPDX-License-Identifier: Apache-2.0 */
/* C = alpha op(A) op(B) + beta D against the definition in long double: the pattern exactly, the
 * values within their bound. */
#ifndef TESTS_SPGEMM_CHECK_H
#define TESTS_SPGEMM_CHECK_H

#include "entries.h"
#include "tulle/spgemm.h"

typedef struct {
    tulle_trans op_A, op_B;
    double alpha;
    tulle_type type;
    tulle_index a_index, b_index;
    bool unsorted;
    const entries *D; /* is added, beta times; NULL: nothing is */
    double beta;
} spgemm_setting;

/* Fails unless C is the product (+ beta D) of the matrices that A and B list. */
void spgemm_check(tulle_ctx *ctx, const entries *A, const entries *B, const spgemm_setting *s,
                  const tulle_mat *C);

/* Fails unless the report of the last call fits its C: times add up, of which a sum's is one where
 * it was a product plus D; and the peak is below the bound, above what C and a matrix on the way to
 * it, of so many bytes, take together, and known to the context, which held so much before. */
void spgemm_check_report(tulle_ctx *ctx, const tulle_spgemm_report *report, const tulle_mat *C,
                         bool plus, int64_t way_bytes, const tulle_memory_usage *before);

/* Calls test with each kernel forced, with all values of its parameters, or, where these are more
 * than most, with the kernel's own; number: of the call. */
typedef void (*spgemm_spec_test)(tulle_ctx *ctx, const char *where, const char *spec,
                                 unsigned number);
void spgemm_each_spec(tulle_ctx *ctx, const char *where, int most, spgemm_spec_test test);

#endif
