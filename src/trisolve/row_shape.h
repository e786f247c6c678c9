/* SPDX-License-Identifier: Apache-2.0 */
/* The distribution of rows whose unknowns are all known among warps; made on the host, used on a
 * GPU. */
#ifndef TULLE_TRISOLVE_ROW_SHAPE_H
#define TULLE_TRISOLVE_ROW_SHAPE_H

#include "format/parts.h"
#include "trisolve/trisolve.h"

/* Number of lanes of a warp, and of entries of a row that a lane loads at a time. */
enum { TULLE__ROW_LANES = 32, TULLE__ROW_FLIGHT = 4 };

/* The shape: a warp has `groups` places; in each place `coop` lanes take entries in turn, for each
 * unknown of the block and each of `across` neighbouring columns. A strip is so many columns. */
typedef struct tulle__row_shape {
    int coop, across, groups;
    int64_t strips;
} tulle__row_shape;

/* Returns the number of lanes that a row of a schedule keeps busy. */
static inline int tulle__row_coop(const tulle__schedule *s) {
    int coop = 1;
    while (coop < TULLE__ROW_LANES && (int64_t)coop * TULLE__ROW_FLIGHT * s->rows < s->entries) {
        coop *= 2;
    }
    return coop;
}

/* Returns the number of lanes per row for a kernel whose lanes wait for `turn` numbers at a time:
 * enough for a row of mean length, and so many that the longest row takes few turns. */
static inline int tulle__polling_coop(const tulle__schedule *s, int block, int64_t turn) {
    const int64_t most_turns = 64;
    int coop = 1;
    while (coop < TULLE__ROW_LANES &&
           (coop * turn * s->rows < s->entries * block || coop * turn * most_turns < s->longest)) {
        coop *= 2;
    }
    return coop;
}

/* Returns the shape for at least one vector. */
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
