/* SPDX-License-Identifier: Apache-2.0 */
/* The job of operators that make element matrices anew whenever they are applied. All arrays are in
 * the place's memory. */
#ifndef TULLE_FEM_PATCHES_MATRIX_FREE_H
#define TULLE_FEM_PATCHES_MATRIX_FREE_H

#include "fem/elements/cell.h"
#include "fem/patches/patches.h"

/* A number for each element in the order of patches, of the job's type, or one for all. */
typedef struct tulle__coefficient {
    const void *of_element; /* NULL: one for all */
    double number;
} tulle__coefficient;

/* What is kept of an element whose Jacobian is constant: the upper triangle, by rows, of k times
 * its metric G (fem/elements/isoparametric.h) with the weight of all of the reference cell, over
 * 2^dimension of products of intervals; and, where there is a reaction, c times the measure over
 * that, or over nodes (nodes + 1) of simplices. Numbers of 32 elements, in the order of patches,
 * are together, so that neighbours read neighbours, and the next number of an element is at a fixed
 * distance. */
enum {
    TULLE__METRIC_LANES = 32,
    TULLE__METRIC_ROW = 8,    /* numbers, with zeros behind */
    TULLE__METRIC_KINDS = 256 /* at most */
};
/* Or, where few elements differ by more than their coordinates are known to, one row for each kind
 * of them, one behind the other, and of each element which one it has. */
typedef struct tulle__metrics {
    void *numbers; /* of the job's type */
    int each;      /* of an element */
    bool massive;  /* the last one is that of the reaction */
    int64_t count; /* of elements, or rows */
    uint8_t *kind; /* of each element, in the order of patches; NULL: each has its own metric */
} tulle__metrics;

TULLE_INLINE int tulle__metric_numbers(tulle_shape shape) {
    return tulle__cell_dimension(shape) == 2 ? 3 : TULLE__CELL_METRIC;
}

/* Where the first number of element e stands. */
TULLE_INLINE int64_t tulle__metric_first(int each, uint32_t e) {
    const uint32_t lane = e % TULLE__METRIC_LANES;
    return (int64_t)(e - lane) * each + lane;
}

/* The elements of one kind times x. */
typedef struct tulle__patches_job {
    tulle_type type;
    tulle_shape shape;
    bool affine; /* their Jacobians are constant: metrics say all */
    tulle__patches patches;
    tulle__vectors vectors;
    tulle__metrics metrics;
    const void *coordinates; /* of others, of each patch those of its nodes: coordinate d of node l
                                at dimension * patch.node + d * patch.nodes + l; in f32 from a
                                point of the patch's own on */
    tulle__coefficient diffusion, reaction; /* of others */
    void *room;                             /* on a CPU: patch_room numbers for each thread */
} tulle__patches_job;

/* Numbers of a node of a patch: x, the sum and, where metrics do not stand for them, coordinates.
 */
enum { TULLE__FREE_COORDINATES = 2 * TULLE__PATCH_GROUP }; /* from x to the first coordinate */
TULLE_INLINE int tulle__free_more(tulle_shape shape, bool affine) {
    return 1 + (affine ? 0 : tulle__cell_dimension(shape));
}

#endif
