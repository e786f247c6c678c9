/* SPDX-License-Identifier: Apache-2.0 */
/* The marks (matrix/marks.h) that a CSR pattern on a GPU keeps with it. */
#ifndef TULLE_MATRIX_MARKS_OF_H
#define TULLE_MATRIX_MARKS_OF_H

#include "matrix/derived.h"

/* Makes the marks of a pattern that nobody else knows yet, where there are to be any. Waits, or
 * the caller does, so that whoever has the pattern may read them whatever his own stream has
 * done: kernels that start early rely on that (gpu/gpu.cuh). */
tulle_status tulle__marks_make(tulle_ctx *ctx, tulle__pattern *pattern, bool wait);

/* Returns a pattern's marks; NULL: there are none. */
const void *tulle__marks_of(const tulle__pattern *pattern);

/* Returns the bytes of a pattern's marks; 0: there are none. */
int64_t tulle__marks_bytes(const tulle__pattern *pattern);

#endif
