/* SPDX-License-Identifier: Apache-2.0 */
/* A mesh, and the data that are derived from its arrays, all in host memory. */
#ifndef TULLE_MESH_MESH_H
#define TULLE_MESH_MESH_H

#include <stdatomic.h>

#include "core/context.h"
#include "core/threads/sizes.h"
#include "mesh/ask.h"
#include "mesh/shape.h"

/* Most characters of a group's name, which is what files can hold. */
enum { TULLE__MESH_NAME = 127 };

struct tulle_mesh {
    /* number of owners: the caller, and the meshes that share the mesh's nodes */
    atomic_int owners;
    tulle_ctx *ctx; /* context of the mesh; owned */
    tulle_mesh *of; /* mesh whose coordinates this mesh shares, owned; or NULL */
    tulle_mesh_arrays arrays;
    tulle_mesh_info info;
    double *coordinates;
    tulle_mesh_block *blocks; /* blocks; owned, with their arrays */
    tulle_mesh_group *groups; /* groups; owned, with their names */
    tulle_mesh_union *unions; /* unions; owned, with their lists of groups */
    /* numbers of the parent's facets, for a mesh of tulle_mesh_boundary; else NULL */
    int64_t *sides;
    /* number of the first element of each block, counted through all blocks; blocks + 1 numbers */
    int64_t *starts;
};

TULLE_BEGIN

/* Makes an empty mesh. The caller then sets coordinates, blocks and groups to arrays of
 * tulle__host_alloc, and their counts in `arrays`; after a failure the caller destroys the mesh. */
TULLE_API tulle_status tulle__mesh_new(tulle_ctx *ctx, int dimension, tulle_mesh **mesh);

/* Allocates the arrays of a block of `count` elements, with groups if `grouped`. */
TULLE_API tulle_status tulle__mesh_block_new(tulle_ctx *ctx, tulle_shape shape, int64_t count,
                                             bool grouped, tulle_mesh_block *block);

/* Copies groups and their names. */
TULLE_API tulle_status tulle__mesh_groups_copy(tulle_mesh *mesh, const tulle_mesh_group *groups,
                                               int64_t count);

/* Copies unions and their numbers of groups. */
TULLE_API tulle_status tulle__mesh_unions_copy(tulle_mesh *mesh, const tulle_mesh_union *unions,
                                               int64_t count);

/* Replaces the number of a union by the numbers of the union's groups, and *count by their number.
 * The number of a group stays as it is. */
TULLE_API void tulle__mesh_groups_of(const tulle_mesh *mesh, int dimension, const int32_t **number,
                                     int32_t *count);

/* Completes a mesh: sets the pointers in `arrays` and the fields of `info`. The blocks must be in
 * order, and their nodes in range. */
TULLE_API tulle_status tulle__mesh_ready(tulle_mesh *mesh);

TULLE_END

/* Returns the fault of the unions of a caller's arrays, in words, or NULL; *which is the union with
 * the fault, or -1. */
const char *tulle__mesh_unions_fault(const tulle_mesh_arrays *arrays, int64_t *which);

/* Fails with TULLE_TOO_LARGE if the machine has less than so many bytes of memory available. */
tulle_status tulle__mesh_room(const char *function, const char *argument, double bytes,
                              const char *what);

/* Allocates zeroed host memory for `count` items of `size` bytes. */
tulle_status tulle__mesh_array(tulle_ctx *ctx, int64_t count, int64_t size, void **array);

/* Returns the number of threads for work on so many elements. */
static inline int tulle__mesh_threads(const tulle_ctx *ctx, int64_t elements) {
    return tulle__host_threads_for(ctx, TULLE__WORK_POINTS, elements);
}

/* Returns the nodes of an element of a block. */
static inline const int32_t *tulle__element(const tulle_mesh_block *block, int64_t i) {
    return block->nodes + i * tulle__shape_of(block->shape)->info.nodes;
}

/* Returns the block of an element, searching from `block` on. *element counts from the start of
 * `block` before the call, and from the start of the result afterwards. The mesh must be complete;
 * it may have as many blocks as elements. */
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
