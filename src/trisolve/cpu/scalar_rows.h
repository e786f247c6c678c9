/* SPDX-License-Identifier: Apache-2.0 */
/* Rows [begin, end) of a system that tulle__is_scalar, as numbered from 0 in the order in which one
 * thread would solve them, or, where it is given, of the places in `order`, A's rows. All kernels
 * share this, so that all give the same bits. */
#ifndef TULLE_TRISOLVE_CPU_SCALAR_ROWS_H
#define TULLE_TRISOLVE_CPU_SCALAR_ROWS_H

#include "trisolve/trisolve.h"

void tulle__solve_scalars(const tulle__trisolve_task *task, const void *order, int64_t begin,
                          int64_t end);

#endif
