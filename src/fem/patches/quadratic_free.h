/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of operators that apply hexahedra of order 2 without their matrices. All arrays are in
 * the place's memory.
 *
 * Cells are in patches, as in patches.h, with nodes numbered anew in each. A thread has a cell, and
 * all products of a patch's cells are there before they are added up: number i of cell e at
 * i * elements + e, the lattice's numbers counting (quadratic.h). So a patch's cells may be in any
 * order, and its nodes are in that of how many products they get: what rank k adds up, the k-th
 * product of each node that has so many, is a list for the first nodes. */
#ifndef TULLE_FEM_PATCHES_QUADRATIC_FREE_H
#define TULLE_FEM_PATCHES_QUADRATIC_FREE_H

#include "fem/elements/cell_jobs.h"
#include "fem/patches/matrix_free.h"
#include "fem/patches/patches.h"

/* Cells of a patch, at most, and their products and nodes. */
enum { TULLE__LATTICE_CELLS = 128, TULLE__LATTICE_MOST = TULLE__LATTICE_CELLS * TULLE__LATTICE };

/* Lists of places begin at multiples of so many. */
enum { TULLE__LATTICE_ROUND = 8 };

typedef struct tulle__lattice_patch {
    int64_t node, slot, element, rank, place; /* where the patch's own begin */
    int32_t nodes, slots, elements, ranks;
} tulle__lattice_patch;

/* Arrays of all patches of one kind of cells, one patch behind the other. */
typedef struct tulle__lattice_patches {
    int64_t count, nodes, slots, elements, ranks, places_count;
    int32_t most;                /* nodes of a patch */
    tulle__lattice_patch *patch; /* count */
    uint32_t *list;              /* nodes: which one it is, and flags as in patches.h */
    uint16_t *slot_of;           /* nodes: the slot of a shared one, from patch.slot on */
    uint16_t *places;   /* number i of cell e at patch.place + i * elements + e: its node */
    uint16_t *from;     /* rank by rank from patch.place on: the product of a node */
    int32_t *rank_ends; /* ranks: where each ends there */
    int32_t *order;     /* elements: which cell it is; on the host alone */
} tulle__lattice_patches;

/* Numbers of a cell at a point of quadrature: those of a metric, and of a mass. */
TULLE_INLINE int tulle__lattice_numbers(bool massive) {
    return TULLE__CELL_METRIC + (massive ? 1 : 0);
}

/* Points of quadrature at which a cell has numbers. */
TULLE_INLINE int tulle__lattice_points(bool affine) {
    return affine ? 1 : TULLE__LATTICE;
}

/* The cells of one kind times x, as tulle__patches_job. numbers: c of point q of cell e of a patch
 * at points * tulle__lattice_numbers * patch.element + (q * tulle__lattice_numbers + c) * elements
 * + e: 5 / 12 times the metric, and the mass, with the point's weight, or, where one point stands
 * for all, without. */
typedef struct tulle__lattices_job {
    tulle_type type;
    bool affine;  /* their Jacobians are constant */
    bool massive; /* they have a mass */
    tulle__lattice_patches patches;
    tulle__vectors vectors;
    const void *numbers;
    void *room; /* on a CPU: 2 * patches.most numbers for each thread */
} tulle__lattices_job;

/* numbers, as above, of cells in the order of patches. */
typedef struct tulle__lattice_metrics_job {
    tulle_type type;
    bool affine, massive;
    tulle__cells cells;
    int64_t patches;
    const tulle__lattice_patch *patch;
    void *numbers; /* out */
} tulle__lattice_metrics_job;

/* Where number c of point q of cell e of a patch stands. */
TULLE_INLINE int64_t tulle__lattice_number_at(const tulle__lattice_patch *patch, bool affine,
                                              bool massive, int q, int c, int e) {
    const int64_t numbers = tulle__lattice_numbers(massive);
    return tulle__lattice_points(affine) * numbers * patch->element +
           (q * numbers + c) * patch->elements + e;
}

#endif
