/* SPDX-License-Identifier: Apache-2.0 */
/* A symmetric pattern like that of an irregular mesh: nodes on an nx x ny x ... grid, `block`
 * unknowns a node, each pair of nodes within `reach` coupled with a probability that depends on
 * their distance (1 or more steps) and on the zone: zone 0 are pairs of nodes below `split`.
 * Coupled nodes give a full block, from which a pair of entries is kept when its random bits are
 * below `keep`, by which a count is met exactly. One unknown, the star, is coupled with the first
 * `rays` unknowns as well. Unknowns from `used` on have empty rows. */
#ifndef PAPERS_LIKE_ROWS_CLOUD_H
#define PAPERS_LIKE_ROWS_CLOUD_H

#include "io/rows_common.h"

/* Indices of number[]. OMIT: number of the 4 directions to opposite corners of the box in which
 * nodes are never coupled. */
enum {
    PAPER_CLOUD_NX,
    PAPER_CLOUD_NY,
    PAPER_CLOUD_BLOCK,
    PAPER_CLOUD_REACH,
    PAPER_CLOUD_OMIT,
    PAPER_CLOUD_SPLIT,
    PAPER_CLOUD_KEEP, /* threshold of random bits, a uint64_t */
    PAPER_CLOUD_STAR,
    PAPER_CLOUD_RAYS,
    PAPER_CLOUD_USED,
    PAPER_CLOUD_SYMMETRIC, /* 1: values are symmetric, as the pattern always is */
    PAPER_CLOUD_LOWER      /* 1: rows have the lower triangle alone */
};
/* Indices of real[]. NEAR, NEAR + 1: probability at distance 1 in zone 0, in zone 1. FAR, FAR + 1:
 * probability at larger distances in zone 0, in zone 1. */
enum { PAPER_CLOUD_NEAR, PAPER_CLOUD_FAR = 2 };

static inline uint64_t paper_cloud_pair_bits(uint64_t seed, int64_t a, int64_t b) {
    return a < b ? tulle__bits(seed, (uint64_t)a, (uint64_t)b)
                 : tulle__bits(seed, (uint64_t)b, (uint64_t)a);
}

/* True when (dx, dy, dz), all 1 or -1, points to a corner in one of the omitted directions. */
static inline bool paper_cloud_omitted(int64_t omit, int64_t dx, int64_t dy, int64_t dz) {
    if (dx * dy * dz == 0) return false;
    return (dx == dz ? 1 : 0) + (dy == dz ? 2 : 0) < omit;
}

static inline bool paper_cloud_coupled(const tulle__rows_args *g, int64_t node, int64_t other,
                                       int64_t dx, int64_t dy, int64_t dz) {
    if (node == other) return true;
    bool near = dx * dx <= 1 && dy * dy <= 1 && dz * dz <= 1;
    if (near && paper_cloud_omitted(g->number[PAPER_CLOUD_OMIT], dx, dy, dz)) return false;
    int zone = (node < other ? other : node) < g->number[PAPER_CLOUD_SPLIT] ? 0 : 1;
    double chance = g->real[(near ? PAPER_CLOUD_NEAR : PAPER_CLOUD_FAR) + zone];
    if (chance >= 1) return true;
    return chance > 0 && tulle__unit(paper_cloud_pair_bits(g->seed, node, other)) < chance;
}

/* The bits that decide whether an entry beside the diagonal of two coupled nodes is kept. */
static inline uint64_t paper_cloud_entry_bits(const tulle__rows_args *g, int64_t row,
                                              int64_t column) {
    return paper_cloud_pair_bits(~g->seed, row, column);
}

/* Appends the entries of one coupled node. */
static inline int64_t paper_cloud_append(const tulle__rows_args *g, int64_t row, int64_t node,
                                         tulle__columns columns, int64_t count) {
    int64_t block = g->number[PAPER_CLOUD_BLOCK];
    int64_t end = g->number[PAPER_CLOUD_LOWER] ? row + 1 : g->number[PAPER_CLOUD_USED];
    for (int64_t c = 0; c < block && node * block + c < end; c++) {
        int64_t column = node * block + c;
        if (column != row &&
            paper_cloud_entry_bits(g, row, column) >= (uint64_t)g->number[PAPER_CLOUD_KEEP]) {
            continue;
        }
        tulle__column_set(columns, count, column);
        count++;
    }
    return count;
}

static inline int64_t paper_rows_cloud(const tulle__rows_args *g, int64_t row,
                                       tulle__columns columns) {
    if (row >= g->number[PAPER_CLOUD_USED]) return 0;
    int64_t nx = g->number[PAPER_CLOUD_NX], ny = g->number[PAPER_CLOUD_NY];
    int64_t reach = g->number[PAPER_CLOUD_REACH], rays = g->number[PAPER_CLOUD_RAYS];
    int64_t star = g->number[PAPER_CLOUD_STAR];
    int64_t node = row / g->number[PAPER_CLOUD_BLOCK];
    int64_t x = node % nx, y = node / nx % ny, count = 0;
    for (int64_t k = 0; row == star && k < rays; k++, count++) {
        tulle__column_set(columns, count, k);
    }
    for (int64_t dz = -reach; dz <= reach; dz++) {
        for (int64_t dy = -reach; dy <= reach; dy++) {
            if (y + dy < 0 || y + dy >= ny) continue;
            for (int64_t dx = -reach; dx <= reach; dx++) {
                int64_t other = node + dx + nx * (dy + ny * dz);
                if (x + dx < 0 || x + dx >= nx || other < 0) continue;
                if (!paper_cloud_coupled(g, node, other, dx, dy, dz)) continue;
                count = paper_cloud_append(g, row, other, columns, count);
            }
        }
    }
    if (row < rays && !g->number[PAPER_CLOUD_LOWER]) {
        tulle__column_set(columns, count, star);
        count++;
    }
    return count;
}

static inline double paper_value_cloud(const tulle__rows_args *g, int64_t row, int64_t column) {
    bool swap = g->number[PAPER_CLOUD_SYMMETRIC] && row > column;
    return swap ? tulle__random_value(g, column, row) : tulle__random_value(g, row, column);
}

#endif
