/* SPDX-License-Identifier: Apache-2.0 */
/* Operators on elements in patches. Elements are of a kind: cells of
 * order 1, cells of order 2, or elements with matrices; a kind is a row of functions. The rest is
 * one for all: patches are divided and filled, their sums in slots come to rows, with those of
 * elements that are kept besides, and masked rows get their diagonal entries. */
#ifndef TULLE_FEM_PATCHES_PATCHED_H
#define TULLE_FEM_PATCHES_PATCHED_H

#include "fem/assembly/assembly.h"
#include "fem/patches/cells.h"
#include "fem/patches/kept.h"
#include "fem/patches/patching.h"
#include "fem/patches/rest.h"
#include "mesh/mesh.h"
#include "operator/columns.h"
#include "tulle/fem.h"

struct tulle__patch_kind;

/* Elements of one kind in patches: cells of one shape, those whose Jacobians are constant, or the
 * others; or elements of a block of the caller's. Arrays are in the place's memory, and `order` is
 * NULL in patches there. */
typedef struct tulle__patched_block {
    const struct tulle__patch_kind *kind;
    tulle__patching patching; /* counts of the patching, and its arrays while patches are made */
    int64_t slots;            /* sums between patches of the block */
    int64_t first_slot;       /* number of the block's first slot among the operator's slots */
    tulle_shape shape;        /* shape of the cells */
    bool affine;              /* cells have a constant Jacobian */
    int64_t first;            /* number in the mesh of the cell that is element 0 */
    tulle__patches patches;   /* patches of cells of order 1, or of elements with matrices */
    tulle__lattice_patches lattices; /* patches of cells of order 2 */
    /* The members below are for cells of order 1, as in tulle__patches_job: affine cells have
     * metrics, others the rest. */
    tulle__metrics metrics;
    void *coordinates;
    void *of_diffusion, *of_reaction; /* a number of each cell; NULL: one number for all cells */
    double diffusion, reaction;       /* the numbers for all cells */
    /* The members below are for cells of order 2. */
    bool massive;  /* true when cells have a mass */
    void *numbers; /* numbers of cells, as in tulle__lattices_job */
    /* The members below are for elements with matrices. */
    int32_t *order;       /* element at each position in the order of patches */
    const void *matrices; /* matrices, as in tulle__local_patches_job; local.c owns them */
    tulle_type stored;    /* type in which the matrices are stored */
    bool packed;          /* matrices are upper triangles */
} tulle__patched_block;

typedef struct tulle__patched {
    int blocks;
    tulle__patched_block *block; /* blocks; of the host's */
    bool atomic;                 /* sums between patches are added to y atomically: no slots */
    tulle__rest rest;
    tulle__kept kept;
    uint8_t *masked; /* flag of each row, 1 where it is masked; NULL: the rest masks none */
    void *slots;     /* sums of patches, and then products of elements that are kept */
    void *room;      /* scratch of each thread of a CPU; NULL on a GPU */
    int64_t between; /* slots of patches */
} tulle__patched;

/* An operator of a mesh has rows that nodes share, and facets with matrices, beside its cells. */
typedef struct tulle__mesh_extras {
    tulle__mesh_rows rows;
    tulle__kept_given kept;
} tulle__mesh_extras;

/* Nodes of all cells of order 2 of a mesh, in the lattice's order, in host memory; place[a] is the
 * position in the lattice of node a of a cell of the mesh. */
typedef struct tulle__lattice_cells {
    int32_t *nodes;
    signed char place[TULLE__LATTICE];
} tulle__lattice_cells;

/* An operator while it is made. Whoever makes it opens the rest, and the blocks with their elements
 * and centres. */
typedef struct tulle__patched_making {
    const char *function; /* the public function that fails */
    tulle_ctx *ctx;
    tulle_type type;
    tulle__patched *own;
    const tulle__mesh_extras *extras;
    int64_t patch; /* largest number of elements of a patch; 0: a default */
    tulle__rest_making rest;
    /* The members below are for cells. */
    const tulle_mesh *mesh;
    const tulle_matrix_free_options *options;
    tulle__lattice_cells lattices;
} tulle__patched_making;

typedef struct tulle__patch_kind {
    /* Says how many elements and nodes a patch of a block may have, and how its nodes are met. */
    void (*limit)(const tulle__patched_making *m, tulle__patched_block *b);
    /* Fills a block's patches, brings them and what is kept of elements, renames nodes to rows and
     * lists slots, from first_slot on. */
    tulle_status (*fill)(const tulle__patched_making *m, tulle__patched_block *b);
    /* All elements of a block times x. */
    tulle_status (*multiply)(const tulle__patched *own, const tulle__patched_block *b,
                             tulle_type type, const tulle__column *a);
    /* Numbers that a thread of a CPU needs. */
    int64_t (*room)(const tulle__patched_block *b);
    /* Frees the arrays of a block. */
    void (*close)(tulle_ctx *ctx, const tulle__patched_block *b);
} tulle__patch_kind;

/* Cells of order 1 (cells.c) and of order 2 (lattices.c). */
extern const tulle__patch_kind tulle__cells_kind, tulle__lattices_kind;

/* Tells that a mesh has cells of order 2, and no others. */
bool tulle__is_lattice_mesh(const tulle_mesh *mesh);

/* Sorts the cells of a mesh into blocks; the first one that is turned over, without volume, or has
 * a node twice is refused. TULLE_INVALID_MESH, TULLE_OUT_OF_MEMORY. */
tulle_status tulle__cells_sort(tulle__patched_making *m);

/* Joins the metrics of all affine cells of a block to those of few kinds, if few suffice, and
 * brings these and the kind of each cell; numbers: of all, on the host. Two are of one kind if they
 * differ by less than 16 units of rounding, of f64 or the type, times the largest coordinate over
 * the shortest column of the Jacobian. Each cell is of the first kind that it is like, in the order
 * of patches. */
tulle_status tulle__metrics_join(const tulle__patched_making *m, const int32_t *order,
                                 tulle__patched_block *b, const void *numbers);

/* Divides the elements of all blocks of an assembly whose points are unknowns, and whose lists are
 * in the place's memory, into patches; `most` elements of each, or 0 for a default. Their matrices
 * are still to be told to the blocks. *there is false if matrices have other than 3, 4 or 8 rows,
 * if an element has an unknown twice, or where there are 2^30 unknowns and places that are left
 * out. To be closed after a failure, too. */
tulle_status tulle__local_patches_open(tulle_ctx *ctx, const tulle_assembly *places,
                                       tulle_type type, int64_t most, tulle__patched *own,
                                       bool *there);

/* Makes the operator: first the patches of all blocks, and when all of the rest is known, the rest.
 */
tulle_status tulle__patched_divide(tulle__patched_making *m);
tulle_status tulle__patched_finish(tulle__patched_making *m);

/* Frees what a failed making left, too. */
void tulle__patched_close(tulle_ctx *ctx, tulle__patched *own);

/* y := alpha op(L) x + beta y, all of it, op being told by the kinds. */
tulle_status tulle__patched_multiply(const tulle__patched *own, tulle_type type,
                                     const tulle__column *a);

/* The vectors of a job that is done for a column. */
static inline tulle__vectors tulle__vectors_of(const tulle__column *a) {
    return (tulle__vectors){.diagonal = a->diagonal,
                            .alpha = a->alpha,
                            .beta = a->beta,
                            .x = a->x,
                            .y = a->y,
                            .x_step = a->x_step,
                            .y_step = a->y_step};
}

/* The vectors of a job that is done for a block. */
static inline tulle__vectors tulle__patched_vectors(const tulle__patched *own,
                                                    const tulle__patched_block *b, tulle_type type,
                                                    const tulle__column *a) {
    tulle__vectors v = tulle__vectors_of(a);
    v.atomic = own->atomic;
    v.slots = (char *)own->slots + b->first_slot * tulle_type_size(type);
    return v;
}

#endif
