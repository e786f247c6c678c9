/* SPDX-License-Identifier: Apache-2.0 */
/* Linear triangles for -div(k grad u) = f, u = 0 on the boundary, on an irregular triangulation.
 * The inner nodes of an nx x ny grid are moved at random, each cell is cut along a random one of
 * its diagonals, k is 1, 2, 4 or 8 on random patches of 16 x 16 cells, and the nodes are numbered
 * at random within windows of 4096 nodes. Rows have at most 9 entries. The entry of nodes i and j
 * is the sum over triangles of k (e_i . e_j) / (2 D), where e_i is the edge opposite to node i and
 * D twice the area (Strang and Fix). Coordinates are integers, so that everything but the quotients
 * and their sum is exact: the bits are the same everywhere, and the matrix is symmetric. */
#ifndef TULLE_IO_ROWS_FEM_H
#define TULLE_IO_ROWS_FEM_H

#include "io/rows_common.h"

enum { TULLE__FEM_NX, TULLE__FEM_NY };

enum {
    TULLE__FEM_CELL = 1024, /* width of a cell, in units of the coordinates */
    TULLE__FEM_MOVE = 192,  /* largest move along an axis; below 256 every cell stays convex */
    TULLE__FEM_PATCH = 16,  /* number of cells, along an axis, of a patch of constant k */
    /* number of nodes of a window, 2^12, within which numbers are random */
    TULLE__FEM_WINDOW = 4096
};

/* Uses of random bits: moves, cuts, coefficients, and rounds of the renumbering. */
enum { TULLE__FEM_BITS_MOVE, TULLE__FEM_BITS_CUT, TULLE__FEM_BITS_K, TULLE__FEM_BITS_ROUND };

ROWS_FUNCTION uint64_t tulle__fem_bits(uint64_t seed, int use, int64_t counter) {
    return tulle__bits(seed, (uint64_t)use, (uint64_t)counter);
}

/* Returns the result of a Feistel network on 12 bits, or of its inverse if back is true. */
ROWS_FUNCTION uint32_t tulle__fem_scramble(uint64_t key, uint32_t v, bool back) {
    uint32_t left = v >> 6, right = v & 63;
    for (int k = 0; k < 4; k++) {
        int round = back ? 3 - k : k;
        uint32_t from = back ? left : right;
        uint32_t f = (uint32_t)tulle__bits(key, (uint64_t)round, from) & 63;
        uint32_t mixed = (back ? right : left) ^ f;
        left = back ? mixed : from;
        right = back ? from : mixed;
    }
    return left << 6 | right;
}

/* Returns the number of the node at a place in the grid, or the place of a number if back is true:
 * a permutation within each window. Where the last window is short, scrambling goes on until the
 * result is inside. */
ROWS_FUNCTION int64_t tulle__fem_renumber(const tulle__rows_args *g, int64_t n, bool back) {
    int64_t window = n / TULLE__FEM_WINDOW, first = window * TULLE__FEM_WINDOW;
    int64_t size =
        g->rows - first < TULLE__FEM_WINDOW ? g->rows - first : (int64_t)TULLE__FEM_WINDOW;
    uint64_t key = tulle__fem_bits(g->seed, TULLE__FEM_BITS_ROUND, window);
    uint32_t v = (uint32_t)(n - first);
    do {
        v = tulle__fem_scramble(key, v, back);
    } while ((int64_t)v >= size);
    return first + (int64_t)v;
}

/* A node of the grid with its boundary: x is 0 to nx + 1, y is 0 to ny + 1; inner nodes are
 * unknowns. */
typedef struct tulle__fem_node {
    int64_t x, y;
} tulle__fem_node;

ROWS_FUNCTION bool tulle__fem_inner(const tulle__rows_args *g, tulle__fem_node p) {
    return p.x >= 1 && p.x <= g->number[TULLE__FEM_NX] && p.y >= 1 &&
           p.y <= g->number[TULLE__FEM_NY];
}

ROWS_FUNCTION tulle__fem_node tulle__fem_node_of(const tulle__rows_args *g, int64_t row) {
    int64_t place = tulle__fem_renumber(g, row, true), nx = g->number[TULLE__FEM_NX];
    tulle__fem_node p = {place % nx + 1, place / nx + 1};
    return p;
}

ROWS_FUNCTION int64_t tulle__fem_row_of(const tulle__rows_args *g, tulle__fem_node p) {
    return tulle__fem_renumber(g, p.x - 1 + (p.y - 1) * g->number[TULLE__FEM_NX], false);
}

/* Returns the coordinates of a node. */
ROWS_FUNCTION tulle__fem_node tulle__fem_position(const tulle__rows_args *g, tulle__fem_node p) {
    tulle__fem_node at = {p.x * TULLE__FEM_CELL, p.y * TULLE__FEM_CELL};
    if (!tulle__fem_inner(g, p)) return at;
    uint64_t bits =
        tulle__fem_bits(g->seed, TULLE__FEM_BITS_MOVE, p.x + p.y * (g->number[TULLE__FEM_NX] + 2));
    at.x += (int64_t)((bits >> 40) % (2 * TULLE__FEM_MOVE + 1)) - TULLE__FEM_MOVE;
    at.y += (int64_t)((bits & 0xffffff) % (2 * TULLE__FEM_MOVE + 1)) - TULLE__FEM_MOVE;
    return at;
}

/* Returns true when the cell with lower left corner (x, y) is cut from lower left to upper
 * right. */
ROWS_FUNCTION bool tulle__fem_cut_rises(const tulle__rows_args *g, int64_t x, int64_t y) {
    int64_t cell = x + y * (g->number[TULLE__FEM_NX] + 1);
    return tulle__fem_bits(g->seed, TULLE__FEM_BITS_CUT, cell) >> 63;
}

ROWS_FUNCTION int64_t tulle__fem_k(const tulle__rows_args *g, int64_t x, int64_t y) {
    int64_t wide = g->number[TULLE__FEM_NX] / TULLE__FEM_PATCH + 1;
    int64_t patch = x / TULLE__FEM_PATCH + y / TULLE__FEM_PATCH * wide;
    return (int64_t)1 << (tulle__fem_bits(g->seed, TULLE__FEM_BITS_K, patch) >> 62);
}

/* Returns true when two different nodes, at most one step apart along each axis, share an edge. */
ROWS_FUNCTION bool tulle__fem_adjacent(const tulle__rows_args *g, tulle__fem_node p,
                                       tulle__fem_node q) {
    if (p.x == q.x || p.y == q.y) return true;
    bool rises = (p.x < q.x) == (p.y < q.y);
    return rises == tulle__fem_cut_rises(g, p.x < q.x ? p.x : q.x, p.y < q.y ? p.y : q.y);
}

ROWS_FUNCTION int64_t tulle__rows_fem(const tulle__rows_args *g, int64_t row,
                                      tulle__columns columns) {
    tulle__fem_node p = tulle__fem_node_of(g, row);
    int64_t count = 0;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            tulle__fem_node q = {p.x + dx, p.y + dy};
            if (!tulle__fem_inner(g, q) || !tulle__fem_adjacent(g, p, q)) continue;
            tulle__column_set(columns, count, tulle__fem_row_of(g, q));
            count++;
        }
    }
    if (tulle__columns_wanted(columns)) tulle__columns_sort(columns, count);
    return count;
}

ROWS_FUNCTION bool tulle__fem_same(tulle__fem_node p, tulle__fem_node q) {
    return p.x == q.x && p.y == q.y;
}

/* Returns the index of a node among the corners of a triangle, or -1. */
ROWS_FUNCTION int tulle__fem_corner(const tulle__fem_node *corner, tulle__fem_node p) {
    for (int c = 0; c < 3; c++) {
        if (corner[c].x == p.x && corner[c].y == p.y) return c;
    }
    return -1;
}

/* Returns the contribution of a triangle of cell (x, y) to the entry of p and q. */
ROWS_FUNCTION double tulle__fem_triangle(const tulle__rows_args *g, int64_t x, int64_t y,
                                         const tulle__fem_node *corner, tulle__fem_node p,
                                         tulle__fem_node q) {
    int i = tulle__fem_corner(corner, p), j = tulle__fem_corner(corner, q);
    if (i < 0 || j < 0) return 0;
    tulle__fem_node at[3], edge[3];
    for (int c = 0; c < 3; c++) at[c] = tulle__fem_position(g, corner[c]);
    for (int c = 0; c < 3; c++) {
        edge[c].x = at[(c + 2) % 3].x - at[(c + 1) % 3].x;
        edge[c].y = at[(c + 2) % 3].y - at[(c + 1) % 3].y;
    }
    int64_t twice_area = edge[0].x * edge[1].y - edge[0].y * edge[1].x;
    int64_t dot = edge[i].x * edge[j].x + edge[i].y * edge[j].y;
    return (double)(tulle__fem_k(g, x, y) * dot) / (double)(2 * twice_area);
}

/* Returns the value of an entry: the sum over the four cells around the node, in a fixed order. */
ROWS_FUNCTION double tulle__value_fem(const tulle__rows_args *g, int64_t row, int64_t column) {
    tulle__fem_node p = tulle__fem_node_of(g, row), q = tulle__fem_node_of(g, column);
    double sum = 0;
    for (int64_t y = p.y - 1; y <= p.y; y++) {
        for (int64_t x = p.x - 1; x <= p.x; x++) {
            tulle__fem_node a = {x, y}, b = {x + 1, y}, c = {x + 1, y + 1}, d = {x, y + 1};
            bool rises = tulle__fem_cut_rises(g, x, y);
            tulle__fem_node first[3] = {a, b, rises ? c : d};
            tulle__fem_node second[3] = {rises ? a : b, c, d};
            sum += tulle__fem_triangle(g, x, y, first, p, q);
            sum += tulle__fem_triangle(g, x, y, second, p, q);
        }
    }
    return sum;
}

#endif
