/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_FEM_PATCHES_METRICS_JOIN_H
#define TULLE_FEM_PATCHES_METRICS_JOIN_H

#include "fem/patches/patched.h"

/* Where metrics of few kinds stand for those of all affine cells of a block, brings them and the
 * kind of each cell; numbers: of all, on the host. Two are of one kind if they differ by less than
 * 16 units of rounding, of f64 or the type, times the largest coordinate over the shortest column
 * of the Jacobian. Each cell is of the first kind that it is like, in the order of patches. */
tulle_status tulle__metrics_join(const tulle__patched_making *m, const int32_t *order,
                                 tulle__patched_block *b, const void *numbers);

#endif
