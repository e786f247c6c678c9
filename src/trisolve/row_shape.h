/* SPDX-License-Identifier: Apache-2.0 */
/* How warps share out rows whose unknowns are all there; made on the host, used on a GPU. */
#ifndef TULLE_TRISOLVE_ROW_SHAPE_H
#define TULLE_TRISOLVE_ROW_SHAPE_H

#include "format/parts.h"
#include "trisolve/trisolve.h"

/* Lanes of a warp, and entries of a row that a lane has on their way. */
enum { TULLE__ROW_LANES = 32, TULLE__ROW_FLIGHT = 4 };

/* A warp has `groups` places, in each of which `coop` lanes take entries in turn, for each unknown
 * of the block and each of `across` columns, which are neighbours. A strip is so many columns. */
typedef struct tulle__row_shape {
    int coop, across, groups;
    int64_t strips;
} tulle__row_shape;

/* Lanes that the rows of a schedule keep busy. */
static inline int tulle__row_coop(const tulle__schedule *s) {
    int coop = 1;
    while (coop < TULLE__ROW_LANES && (int64_t)coop * TULLE__ROW_FLIGHT * s->rows < s->entries) {
        coop *= 2;
    }
    return coop;
}

/* Lanes for the mean row of a kernel whose lanes wait for `turn` numbers at once, and so many that
 * the longest row takes few turns. */
static inline int tulle__polling_coop(const tulle__schedule *s, int block, int64_t turn) {
    const int64_t most_turns = 64;
    int coop = 1;
    while (coop < TULLE__ROW_LANES &&
           (coop * turn * s->rows < s->entries * block || coop * turn * most_turns < s->longest)) {
        coop *= 2;
    }
    return coop;
}

/* vectors: at least one. */
static inline tulle__row_shape tulle__row_shape_of(int coop, int block, int64_t vectors) {
    tulle__row_shape shape;
    const int across = TULLE__ROW_LANES / block;
    shape.across = vectors < across ? (int)vectors : across;
    shape.strips = tulle__ceil_div(vectors, shape.across);
    shape.across = (int)tulle__ceil_div(vectors, shape.strips);
    shape.coop = coop;
    while (shape.coop * block * shape.across > TULLE__ROW_LANES) shape.coop /= 2;
    shape.groups = TULLE__ROW_LANES / (shape.coop * block * shape.across);
    return shape;
}

#endif
