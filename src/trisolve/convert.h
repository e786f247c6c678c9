/* SPDX-License-Identifier: Apache-2.0 */
/* For the program and its benchmark: what a solution spends on bringing T into another form. */
#ifndef TULLE_TRISOLVE_CONVERT_H
#define TULLE_TRISOLVE_CONVERT_H

#include "tulle/trisolve.h"

TULLE_BEGIN

/* What tulle_trisolve with the same arguments would do first of this kind, alone, so that it can be
 * timed; *converts: whether there is anything. Neither reads B nor writes X. Does not synchronise.
 * Errors: as tulle_trisolve. */
TULLE_API tulle_status tulle__trisolve_convert(tulle_ctx *ctx, tulle_part part, tulle_diag diag,
                                               tulle_trans op, const tulle_mat *A,
                                               const tulle_vec *B, tulle_vec *X, bool *converts);

TULLE_END
#endif
