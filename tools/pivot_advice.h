/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_PIVOT_ADVICE_H
#define TOOL_PIVOT_ADVICE_H

#include "tulle/factor.h"

/* Says why factors of a matrix with this name failed with TULLE_ZERO_PIVOT, the library's last
 * error, and which options help. A: what is factorised, in CSR or DCSR. Returns the failure. */
tulle_status tool_pivot_advice(tulle_ctx *ctx, const char *name, const tulle_mat *A,
                               const tulle_factor_options *options);

#endif
