/* SPDX-License-Identifier: Apache-2.0 */
/* Measures one variant of an operation that makes a matrix: makes a matrix and verifies it, times
 * more calls, and verifies the last matrix. */
#ifndef BENCH_MAKE_H
#define BENCH_MAKE_H

#include "bench/row.h"

/* Fills the members of the row that depend on its variant. Fails with TULLE_UNSUPPORTED where the
 * variant cannot take the operands, with TULLE_OUT_OF_MEMORY where it needs more than there is. */
tulle_status bench_make(bench_row *row, const tool_budget *budget);

#endif
