/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of operators that make element matrices anew whenever they are applied. All arrays are
 * in the place's memory. */
#ifndef TULLE_FEM_PATCHES_CELLS_H
#define TULLE_FEM_PATCHES_CELLS_H

#include "fem/elements/jobs.h"
#include "fem/patches/patches.h"

/* A number for each element in the order of patches, of the job's type, or one for all. */
typedef struct tulle__coefficient {
    const void *of_element; /* NULL: one for all */
    double number;
} tulle__coefficient;

/* The numbers that are kept of an element whose Jacobian is constant: the upper triangle, by rows,
 * of k times its metric G (fem/elements/isoparametric.h) with the weight of all of the reference
 * cell, over 2^dimension of products of intervals; and, where there is a reaction, c times the
 * measure over that, or over nodes (nodes + 1) of simplices. Numbers of 32 elements, in the order
 * of patches, are together, so that neighbours read neighbours, and the next number of an element
 * is at a fixed distance. */
enum {
    TULLE__METRIC_LANES = 32,
    TULLE__METRIC_ROW = 8,    /* number of numbers of a kind's row, with zeros at its end */
    TULLE__METRIC_KINDS = 256 /* largest number of kinds */
};
/* The metrics of elements: one for each element; or, where the elements differ by less than their
 * coordinates are known to, one row for each kind of element, one behind the other, and the kind of
 * each element. */
typedef struct tulle__metrics {
    void *numbers; /* numbers of the job's type */
    int each;      /* number of numbers of an element */
    bool massive;  /* true when the last number is that of the reaction */
    int64_t count; /* number of elements, or of kinds */
    uint8_t *kind; /* kind of each element, in the order of patches; NULL: each element has its own
                      metric */
} tulle__metrics;

TULLE_INLINE int tulle__metric_numbers(tulle_shape shape) {
    return tulle__cell_dimension(shape) == 2 ? 3 : TULLE__CELL_METRIC;
}

/* Returns the index of the first number of element e. */
TULLE_INLINE int64_t tulle__metric_first(int each, uint32_t e) {
    const uint32_t lane = e % TULLE__METRIC_LANES;
    return (int64_t)(e - lane) * each + lane;
}

/* Multiplies the elements of one kind by x. */
typedef struct tulle__patches_job {
    tulle_type type;
    tulle_shape shape;
    bool affine; /* true: the elements' Jacobians are constant, and metrics describes them
                    completely */
    tulle__patches patches;
    tulle__vectors vectors;
    tulle__metrics metrics;
    const void *coordinates; /* unless affine: coordinates of the nodes of each patch, coordinate d
                                of node l at dimension * patch.node + d * patch.nodes + l; in f32
                                relative to a point of the patch */
    tulle__coefficient diffusion, reaction; /* coefficients of elements that are not affine */
    void *room; /* scratch on a CPU: patch_room numbers for each thread */
} tulle__patches_job;

/* Numbers of a node of a patch: x, the sum and, where metrics do not stand for them, coordinates.
 */
enum { TULLE__FREE_COORDINATES = 2 * TULLE__PATCH_GROUP }; /* from x to the first coordinate */
TULLE_INLINE int tulle__free_more(tulle_shape shape, bool affine) {
    return 1 + (affine ? 0 : tulle__cell_dimension(shape));
}

/* Hexahedra of order 2 are in patches, too, with nodes numbered anew in each. A thread has a cell,
 * and all products of a patch's cells are there before they are added up: number i of cell e at i *
 * elements + e, the lattice's numbers counting (quadratic.h). So a patch's cells may be in any
 * order, and its nodes are in that of how many products they get: the products that rank k adds up,
 * the k-th ones of all nodes that have so many, are a list for the first nodes. */

/* Cells of a patch, at most, and their products and nodes. */
enum { TULLE__LATTICE_CELLS = 128, TULLE__LATTICE_MOST = TULLE__LATTICE_CELLS * TULLE__LATTICE };

/* Lists of places begin at multiples of so many. */
enum { TULLE__LATTICE_ROUND = 8 };

typedef struct tulle__lattice_patch {
    int64_t node, slot, element, rank, place; /* first of each kind that the patch has */
    int32_t nodes, slots, elements, ranks;
} tulle__lattice_patch;

/* Arrays of all patches of one kind of cells, one patch behind the other. */
typedef struct tulle__lattice_patches {
    int64_t count, nodes, slots, elements, ranks, places_count;
    int32_t most;                /* largest number of nodes of a patch */
    tulle__lattice_patch *patch; /* count */
    uint32_t *list;     /* for each node of a patch its number, with flags as in patches.h */
    uint16_t *slot_of;  /* for each node that patches share its slot, counted from patch.slot on */
    uint16_t *places;   /* node of number i of cell e at patch.place + i * elements + e */
    uint16_t *from;     /* product that a node adds, rank by rank, from patch.place on */
    int32_t *rank_ends; /* end of each rank in from */
    int32_t *order;     /* cell of each element; in host memory alone */
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
    bool affine;  /* true when the cells' Jacobians are constant */
    bool massive; /* true when the cells have a mass */
    tulle__lattice_patches patches;
    tulle__vectors vectors;
    const void *numbers;
    void *room; /* scratch on a CPU: 2 * patches.most numbers for each thread */
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

/* Returns the index of number c of point q of cell e of a patch. */
TULLE_INLINE int64_t tulle__lattice_number_at(const tulle__lattice_patch *patch, bool affine,
                                              bool massive, int q, int c, int e) {
    const int64_t numbers = tulle__lattice_numbers(massive);
    return tulle__lattice_points(affine) * numbers * patch->element +
           (q * numbers + c) * patch->elements + e;
}

#endif
