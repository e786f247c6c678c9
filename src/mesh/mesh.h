/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh, and what is made of its arrays. All of it is host memory. */
#ifndef TULLE_MESH_MESH_H
#define TULLE_MESH_MESH_H

#include <stdatomic.h>

#include "core/context.h"
#include "core/threads/sizes.h"
#include "mesh/ask.h"
#include "mesh/shape.h"

/* Characters of a group's name, at most: what files can hold. */
enum { TULLE__MESH_NAME = 127 };

struct tulle_mesh {
    atomic_int owners; /* the caller, and meshes that share its nodes */
    tulle_ctx *ctx;    /* owned */
    tulle_mesh *of;    /* NULL, or whose coordinates these are; owned */
    tulle_mesh_arrays arrays;
    tulle_mesh_info info;
    double *coordinates;
    tulle_mesh_block *blocks; /* their arrays are the mesh's, too */
    tulle_mesh_group *groups; /* so are their names */
    tulle_mesh_union *unions; /* and their numbers */
    int64_t *sides;           /* of a boundary: see tulle_mesh_boundary */
    int64_t *starts; /* blocks + 1: which element, through all blocks, is the first of each */
};

TULLE_BEGIN

/* A mesh without anything in it, of which a maker then fills coordinates, blocks and groups by
 * arrays of tulle__host_alloc, and their numbers in `arrays`; to be destroyed after a failure. */
TULLE_API tulle_status tulle__mesh_new(tulle_ctx *ctx, int dimension, tulle_mesh **mesh);

/* Arrays of a block that has so many elements; groups where it has them. */
TULLE_API tulle_status tulle__mesh_block_new(tulle_ctx *ctx, tulle_shape shape, int64_t count,
                                             bool grouped, tulle_mesh_block *block);

/* Copies groups and their names. */
TULLE_API tulle_status tulle__mesh_groups_copy(tulle_mesh *mesh, const tulle_mesh_group *groups,
                                               int64_t count);

/* Copies unions and their numbers of groups. */
TULLE_API tulle_status tulle__mesh_unions_copy(tulle_mesh *mesh, const tulle_mesh_union *unions,
                                               int64_t count);

/* Replaces the number of a union by the numbers of the union's groups, and *count by how many
 * groups there are. The number of a group stays. */
TULLE_API void tulle__mesh_groups_of(const tulle_mesh *mesh, int dimension, const int32_t **number,
                                     int32_t *count);

/* Ends the making: the view, and what the mesh is like. Blocks are in order, and their nodes in
 * range. */
TULLE_API tulle_status tulle__mesh_ready(tulle_mesh *mesh);

TULLE_END

/* The fault of the unions of a caller's arrays, in words, and which of them has it, or -1; NULL:
 * there is none. */
const char *tulle__mesh_unions_fault(const tulle_mesh_arrays *arrays, int64_t *which);

/* TULLE_TOO_LARGE where this machine has not so much memory available for a purpose. */
tulle_status tulle__mesh_room(const char *function, const char *argument, double bytes,
                              const char *what);

/* Host memory for so many things. */
tulle_status tulle__mesh_array(tulle_ctx *ctx, int64_t count, int64_t size, void **array);

/* How many threads work on so many elements. */
static inline int tulle__mesh_threads(const tulle_ctx *ctx, int64_t elements) {
    return tulle__host_threads_for(ctx, TULLE__WORK_POINTS, elements);
}

/* Returns the nodes of an element of a block. */
static inline const int32_t *tulle__element(const tulle_mesh_block *block, int64_t i) {
    return block->nodes + i * tulle__shape_of(block->shape)->info.nodes;
}

/* The block that an element is in, of those from `block` on; *element then counts from its start.
 * The mesh is ready; it may have as many blocks as elements. */
static inline int64_t tulle__block_of(const tulle_mesh *mesh, int64_t block, int64_t *element) {
    if (*element < mesh->blocks[block].count) return block;
    const int64_t through_all = mesh->starts[block] + *element;
    int64_t behind = mesh->arrays.block_count;
    while (behind - block > 1) {
        const int64_t middle = block + (behind - block) / 2;
        if (mesh->starts[middle] <= through_all) {
            block = middle;
        } else {
            behind = middle;
        }
    }
    *element = through_all - mesh->starts[block];
    return block;
}

static inline const double *tulle__node(const tulle_mesh *mesh, int64_t node) {
    return mesh->arrays.coordinates + node * mesh->arrays.dimension;
}

#endif
