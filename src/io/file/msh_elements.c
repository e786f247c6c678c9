/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "io/file/msh.h"
#include "mesh/sort.h"

/* A block of the file: elements of one type in one entity. */
typedef struct run {
    int64_t dimension, entity, type, count;
    int shape; /* index of the shape; -1: single nodes, which the mesh leaves out */
    int nodes; /* number of nodes of an element */
} run;

bool tulle__msh_find_shape(tulle__msh *msh, const char *at, int64_t type, int *shape, int *nodes) {
    *shape = -1;
    *nodes = 1;
    if (type == TULLE__MSH_POINT) return true;
    for (int s = 0; s < tulle__shape_count(); s++) {
        const tulle__shape *one = tulle__shape_of((tulle_shape)s);
        if (one->gmsh != type) continue;
        *shape = s;
        *nodes = one->info.nodes;
    }
    return *shape >= 0 ||
           tulle__msh_bad(msh, at, TULLE_UNSUPPORTED,
                          "elements of Gmsh's type %lld are not read; lines, triangles, "
                          "quadrilaterals, tetrahedra and hexahedra of order 1 and 2 are, and "
                          "prisms and pyramids of order 1",
                          (long long)type);
}

static bool read_head(tulle__msh *msh, run *r) {
    if (!tulle__msh_int(msh, "the dimension of elements", &r->dimension) ||
        !tulle__msh_int(msh, "the entity of elements", &r->entity))
        return false;
    if (!tulle__msh_int(msh, "the type of elements", &r->type)) return false;
    const char *at = tulle__msh_here(msh);
    if (!tulle__msh_size(msh, "a number of elements", &r->count)) return false;
    if (!tulle__msh_find_shape(msh, at, r->type, &r->shape, &r->nodes)) return false;
    const int dimension = r->shape < 0 ? 0 : tulle__shape_of((tulle_shape)r->shape)->info.dimension;
    if (r->dimension != dimension) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR,
                              "elements of type %lld in an entity of dimension %lld",
                              (long long)r->type, (long long)r->dimension);
    }
    return tulle__msh_holds(msh, "elements", r->count, 1 + r->nodes, 0, 4 * (r->nodes + 3));
}

bool tulle__msh_room_for_elements(tulle__msh *msh, int shape, int64_t count,
                                  tulle__msh_block **of) {
    tulle__msh_block *block = shape >= 0 ? &msh->block[shape] : &msh->points;
    const int64_t nodes = shape >= 0 ? tulle__shape_of((tulle_shape)shape)->info.nodes : 1;
    const int64_t wanted = block->count + count;
    /* the block's three arrays grow by the same steps */
    int64_t room[3] = {block->room, block->room, block->room};
    *of = block;
    if (!tulle__msh_grow(msh, &block->nodes, block->count, &room[0], wanted,
                         nodes * (int64_t)sizeof *block->nodes) ||
        !tulle__msh_grow(msh, &block->groups, block->count, &room[1], wanted,
                         sizeof *block->groups) ||
        !tulle__msh_grow(msh, &block->tags, block->count, &room[2], wanted, sizeof *block->tags))
        return false;
    block->room = room[0];
    return true;
}

/* Reads the nodes of an element, and puts them into the order of tulle's shape. */
static bool read_nodes(tulle__msh *msh, const run *r, int64_t element, int32_t *node) {
    const signed char *order =
        r->shape >= 0 ? tulle__shape_of((tulle_shape)r->shape)->gmsh_order : NULL;
    for (int n = 0; n < r->nodes; n++) {
        int64_t tag;
        const char *at = tulle__msh_here(msh);
        if (!tulle__msh_size(msh, "a node of an element", &tag)) return false;
        const int64_t found = tulle__msh_node_of(msh, tag);
        if (found < 0) {
            return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR,
                                  "element %lld has node %lld, which there is not",
                                  (long long)element, (long long)tag);
        }
        node[order ? order[n] : n] = (int32_t)found;
    }
    return true;
}

static bool read_run(tulle__msh *msh, int64_t *left) {
    run r;
    const char *at = tulle__msh_here(msh);
    if (!read_head(msh, &r)) return false;
    if (r.count > *left) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR,
                              "a block of %lld elements; of those that the section promises %lld "
                              "are left",
                              (long long)r.count, (long long)*left);
    }
    *left -= r.count;
    tulle__msh_block *block;
    const int32_t group = tulle__msh_group_of(msh, r.dimension, r.entity);
    if (!tulle__msh_room_for_elements(msh, r.shape, r.count, &block)) return false;
    for (int64_t i = 0; i < r.count; i++) {
        int64_t tag;
        int32_t *node = block->nodes + block->count * r.nodes;
        if (!tulle__msh_size(msh, "the number of an element", &tag)) return false;
        if (!read_nodes(msh, &r, tag, node)) return false;
        if (tag <= msh->last_element) msh->rise = false;
        msh->last_element = tag;
        block->groups[block->count] = group;
        block->tags[block->count++] = tag;
    }
    return true;
}

static int compare(const void *a, const void *b) {
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

static int64_t *append(const tulle__msh_block *block, int64_t *to) {
    for (int64_t i = 0; i < block->count; i++) *to++ = block->tags[i];
    return to;
}

/* Numbers that rise from element to element are all different; only others need sorting. */
bool tulle__msh_check_tags(tulle__msh *msh) {
    if (msh->rise) return true;
    int64_t *tags = NULL, room = 0, count = msh->elements;
    if (!tulle__msh_grow(msh, &tags, 0, &room, count, sizeof *tags)) return false;
    int64_t *end = append(&msh->points, tags);
    for (int s = 0; s < TULLE__SHAPES; s++) end = append(&msh->block[s], end);
    bool fine = tulle__msh_done(
        msh, tulle__sort(msh->cpu, "sorting elements", tags, count, sizeof *tags, compare));
    for (int64_t i = 1; i < count && fine; i++) {
        if (tags[i] != tags[i - 1]) continue;
        fine = tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR, "two elements have the number %lld",
                              (long long)tags[i]);
    }
    tulle__free(msh->cpu, tags);
    return fine;
}

bool tulle__msh_read_elements(tulle__msh *msh) {
    int64_t blocks, low, high;
    if (msh->has_elements || !msh->has_nodes) {
        return tulle__msh_bad(
            msh, msh->at, TULLE_PARSE_ERROR, "%s",
            msh->has_elements ? "a second section $Elements" : "$Elements comes before $Nodes");
    }
    if (!tulle__msh_size(msh, "the number of blocks of elements", &blocks) ||
        !tulle__msh_size(msh, "the number of elements", &msh->elements) ||
        !tulle__msh_size(msh, "the least number of an element", &low) ||
        !tulle__msh_size(msh, "the greatest number of an element", &high))
        return false;
    if (!tulle__msh_sort_entities(msh)) return false;
    msh->has_elements = msh->rise = true;
    msh->last_element = -1;
    int64_t left = msh->elements;
    for (int64_t b = 0; b < blocks; b++) {
        if (!read_run(msh, &left)) return false;
    }
    msh->left_out = msh->points.count;
    if (left > 0) {
        return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR,
                              "the blocks have %lld elements; the section promises %lld",
                              (long long)(msh->elements - left), (long long)msh->elements);
    }
    return tulle__msh_check_tags(msh);
}
