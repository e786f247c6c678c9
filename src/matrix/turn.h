/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a CSR matrix. On a GPU, where the pattern is its own transpose, which a look at
 * every entry finds out on the way, values only change places; elsewhere entries are sorted by
 * column. */
#ifndef TULLE_MATRIX_TURN_H
#define TULLE_MATRIX_TURN_H

#include "matrix/build.h"

/* Makes T = A^T, with A's index type. In A's own context T may share A's pattern, where that is its
 * own transpose and not borrowed. */
tulle_status tulle__turn(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **T);

/* Transposes the pattern alone: offsets, columns, and for each entry its index in p. Waits. */
tulle_status tulle__turn_pattern(tulle_ctx *ctx, const tulle__pattern *p, void *offsets,
                                 void *cols_of, int64_t *perm);

/* Returns the way of transposing that is tried first: where the context has a cap, the one that
 * takes the least memory. */
tulle__turning_way tulle__turn_way(const tulle_ctx *ctx);

/* Finds the statistics of a transpose. Those of the pattern itself say how much is known
 * already: rows whose columns rise have a transpose whose columns rise. Waits. */
tulle_status tulle__turned_stats(tulle_ctx *ctx, const tulle__stats *stats,
                                 const tulle__pattern_view *turned, tulle__stats *turned_stats);

#endif
