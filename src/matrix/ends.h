/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that say how long other arrays are: the last offset, and in the format PACKED the words
 * of the lines. */
#ifndef TULLE_MATRIX_ENDS_H
#define TULLE_MATRIX_ENDS_H

#include "matrix/build.h"

/* Checks that the numbers of a view agree with the lengths that its arrays give, so that no
 * array is read beyond its end; all arrays are the caller's, in host memory or in the context's,
 * and count from the base. Reads offsets and mask alone. Waits. */
tulle_status tulle__check_ends(const char *function, tulle_ctx *ctx,
                               const tulle__pattern_view *view, int base);

#endif
