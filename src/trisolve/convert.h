/* SPDX-License-Identifier: Apache-2.0 */
/* For the program and its benchmark: the part of a solution that brings T into another form. */
#ifndef TULLE_TRISOLVE_CONVERT_H
#define TULLE_TRISOLVE_CONVERT_H

#include "tulle/trisolve.h"

TULLE_BEGIN

/* Does only the conversion of T that tulle_trisolve with these arguments would do first, so that
 * its time can be measured; *converts is true if there is one. Neither reads B nor writes X, and
 * does not synchronise. Errors: as tulle_trisolve. */
TULLE_API tulle_status tulle__trisolve_convert(tulle_ctx *ctx, tulle_part part, tulle_diag diag,
                                               tulle_trans op, const tulle_mat *A,
                                               const tulle_vec *B, tulle_vec *X, bool *converts);

TULLE_END
#endif
