/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a CSR matrix. Where the pattern is its own transpose, which a look at every
 * entry finds out on the way, values only change places; elsewhere entries are sorted by column. */
#ifndef TULLE_MATRIX_TURN_H
#define TULLE_MATRIX_TURN_H

#include "matrix/build.h"

/* T = A', with A's index type. In A's own context T shares A's pattern where that is its own
 * transpose and not borrowed. */
tulle_status tulle__turn(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **T);

/* The pattern alone: offsets, columns, and for each entry where it was in p. Waits. */
tulle_status tulle__turn_pattern(tulle_ctx *ctx, const tulle__pattern *p, void *offsets,
                                 void *cols_of, int64_t *perm);

/* The way that is to be tried first: where a context says how much it may hold, what takes least.
 */
tulle__turning_way tulle__turn_way(const tulle_ctx *ctx);

/* The statistics of a transpose, of which those of the pattern itself say how much is to be seen:
 * the rows of rising ones rise. Waits. */
tulle_status tulle__turned_stats(tulle_ctx *ctx, const tulle__stats *stats,
                                 const tulle__pattern_view *turned, tulle__stats *turned_stats);

#endif
