/* SPDX-License-Identifier: Apache-2.0 */
/* Reads nodes, and finds a node by its number in the file: in a table where the numbers are close
 * together, else by bisection. */
#include <stdlib.h>

#include "io/file/msh.h"
#include "mesh/sort.h"

enum { SPARSE = 4 }; /* most places of the table for each node */

static const char *const numbering = "numbering nodes";

static bool allocate(tulle__msh *msh, int64_t count, int64_t size, void *array) {
    int64_t room = 0;
    return count == 0 || tulle__msh_grow(msh, array, 0, &room, count, size);
}

static bool read_tags(tulle__msh *msh, int64_t first, int64_t count) {
    for (int64_t i = first; i < first + count; i++) {
        if (!tulle__msh_size(msh, "the number of a node", &msh->tags[i])) return false;
    }
    return true;
}

/* Reads coordinates. A node on a curve or a surface may have parameters behind its coordinates,
 * which are skipped. */
static bool read_coordinates(tulle__msh *msh, int64_t first, int64_t count, int64_t parameters) {
    for (int64_t i = 3 * first; i < 3 * (first + count); i++) {
        if (!tulle__msh_real(msh, "a coordinate", &msh->coordinates[i])) return false;
        if (i % 3 == 2 && !tulle__msh_skip(msh, "a parameter of a node", 0, parameters))
            return false;
    }
    return true;
}

static bool read_block(tulle__msh *msh, int64_t *read) {
    int64_t dimension, tag, parametric, count;
    if (!tulle__msh_int(msh, "the dimension of nodes", &dimension) ||
        !tulle__msh_int(msh, "the entity of nodes", &tag) ||
        !tulle__msh_int(msh, "whether nodes have parameters", &parametric))
        return false;
    const char *at = tulle__msh_here(msh);
    if (!tulle__msh_size(msh, "a number of nodes", &count)) return false;
    if (dimension < 0 || dimension > 3) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "nodes of dimension %lld",
                              (long long)dimension);
    }
    if (count > msh->nodes - *read) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR,
                              "a block of %lld nodes; the section promises %lld, of which %lld "
                              "are left",
                              (long long)count, (long long)msh->nodes,
                              (long long)(msh->nodes - *read));
    }
    if (!read_tags(msh, *read, count) ||
        !read_coordinates(msh, *read, count, parametric ? dimension : 0))
        return false;
    *read += count;
    return true;
}

static bool twice(tulle__msh *msh, int64_t tag) {
    return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR, "two nodes have the number %lld",
                          (long long)tag);
}

static bool make_table(tulle__msh *msh) {
    if (!allocate(msh, msh->tag_span, sizeof *msh->by_tag, &msh->by_tag)) return false;
    for (int64_t i = 0; i < msh->tag_span; i++) msh->by_tag[i] = -1;
    for (int64_t i = 0; i < msh->nodes; i++) {
        if (!tulle__msh_done(msh, tulle__ask(msh->cpu, numbering, i, msh->nodes))) return false;
        int32_t *place = &msh->by_tag[msh->tags[i] - msh->first_tag];
        if (*place >= 0) return twice(msh, msh->tags[i]);
        *place = (int32_t)i;
    }
    return true;
}

static int compare(const void *a, const void *b) {
    const tulle__msh_tag *left = a, *right = b;
    return left->tag < right->tag ? -1 : left->tag > right->tag;
}

static bool make_list(tulle__msh *msh) {
    if (!allocate(msh, msh->nodes, sizeof *msh->sorted, &msh->sorted)) return false;
    for (int64_t i = 0; i < msh->nodes; i++) {
        if (!tulle__msh_done(msh, tulle__ask(msh->cpu, numbering, i, msh->nodes))) return false;
        msh->sorted[i] = (tulle__msh_tag){msh->tags[i], (int32_t)i};
    }
    if (!tulle__msh_done(msh, tulle__sort(msh->cpu, numbering, msh->sorted, msh->nodes,
                                          sizeof *msh->sorted, compare)))
        return false;
    for (int64_t i = 1; i < msh->nodes; i++) {
        if (msh->sorted[i].tag == msh->sorted[i - 1].tag) return twice(msh, msh->sorted[i].tag);
    }
    return true;
}

bool tulle__msh_index_nodes(tulle__msh *msh) {
    if (msh->nodes == 0) return true;
    int64_t low = msh->tags[0], high = low;
    for (int64_t i = 1; i < msh->nodes; i++) {
        if (msh->tags[i] < low) low = msh->tags[i];
        if (msh->tags[i] > high) high = msh->tags[i];
    }
    msh->first_tag = low;
    if (high - low >= SPARSE * msh->nodes) return make_list(msh);
    msh->tag_span = high - low + 1;
    return make_table(msh);
}

bool tulle__msh_room_for_nodes(tulle__msh *msh) {
    /* Numbers of nodes have 4 bytes in a binary file of version 2.2, so the check counts the
     * coordinates alone. */
    return tulle__msh_holds(msh, "nodes", msh->nodes, msh->old ? 0 : 1, 3, 8 + 24) &&
           allocate(msh, msh->nodes, sizeof *msh->tags, &msh->tags) &&
           allocate(msh, msh->nodes, 3 * sizeof *msh->coordinates, &msh->coordinates);
}

bool tulle__msh_read_nodes(tulle__msh *msh) {
    int64_t blocks, low, high, read = 0;
    const char *at = tulle__msh_here(msh);
    if (msh->has_nodes) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "a second section $Nodes");
    }
    if (!tulle__msh_size(msh, "the number of blocks of nodes", &blocks) ||
        !tulle__msh_size(msh, "the number of nodes", &msh->nodes) ||
        !tulle__msh_size(msh, "the least number of a node", &low) ||
        !tulle__msh_size(msh, "the greatest number of a node", &high) ||
        !tulle__msh_room_for_nodes(msh))
        return false;
    msh->has_nodes = true;
    for (int64_t b = 0; b < blocks; b++) {
        if (!read_block(msh, &read)) return false;
    }
    if (read < msh->nodes) {
        return tulle__msh_bad(msh, msh->at, TULLE_PARSE_ERROR,
                              "the blocks have %lld nodes; the section promises %lld",
                              (long long)read, (long long)msh->nodes);
    }
    return tulle__msh_index_nodes(msh);
}

int64_t tulle__msh_node_of(const tulle__msh *msh, int64_t tag) {
    if (msh->by_tag) {
        const int64_t place = tag - msh->first_tag;
        return tag >= msh->first_tag && place < msh->tag_span ? msh->by_tag[place] : -1;
    }
    const tulle__msh_tag key = {.tag = tag};
    if (!msh->sorted) return -1;
    const tulle__msh_tag *found =
        bsearch(&key, msh->sorted, (size_t)msh->nodes, sizeof key, compare);
    return found ? found->node : -1;
}
