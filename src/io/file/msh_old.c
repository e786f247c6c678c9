/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes and elements of version 2.2. Integers have 4 bytes. Each element has its own type, tags and
 * nodes; the first tag is its physical group. An element of several groups is in the file once per
 * group. Source: Gmsh reference manual, "MSH file format version 2 (Legacy)". */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "io/file/msh.h"

/* Number of elements that are read between two reports of progress. */
enum { STEP = 1 << 20 };

/* Elements of one type with one number of tags, which follow each other in a binary file. */
typedef struct run {
    int64_t count, tags;
    int shape; /* index of the shape; -1: single nodes, which the mesh leaves out */
    int nodes; /* number of nodes of an element */
} run;

/* Reads an integer of 1 or more, such as the number of a node. */
static bool read_count(tulle__msh *msh, const char *what, int64_t *number) {
    const char *at = tulle__msh_here(msh);
    if (!tulle__msh_int(msh, what, number)) return false;
    return *number >= 0 || tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "%s: %lld is below 0", what,
                                          (long long)*number);
}

/* Reads the number of nodes or elements of a section, which is text in binary files too. */
static bool read_total(tulle__msh *msh, const char *what, int64_t *number) {
    const bool binary = msh->binary;
    msh->binary = false;
    const bool good = tulle__msh_size(msh, what, number);
    msh->binary = binary;
    if (!good || !binary) return good;
    if (msh->at < msh->end && *msh->at == '\r') msh->at++;
    if (msh->at < msh->end && *msh->at == '\n') msh->at++;
    return true;
}

bool tulle__msh_read_old_nodes(tulle__msh *msh) {
    if (msh->has_nodes) {
        return tulle__msh_bad(msh, tulle__msh_here(msh), TULLE_PARSE_ERROR,
                              "a second section $Nodes");
    }
    if (!read_total(msh, "the number of nodes", &msh->nodes) || !tulle__msh_room_for_nodes(msh))
        return false;
    msh->has_nodes = true;
    for (int64_t i = 0; i < msh->nodes; i++) {
        if (!read_count(msh, "the number of a node", &msh->tags[i])) return false;
        for (int d = 0; d < 3; d++) {
            if (!tulle__msh_real(msh, "a coordinate", &msh->coordinates[3 * i + d])) return false;
        }
    }
    return tulle__msh_index_nodes(msh);
}

/* Reads the type and the number of tags: of a run of elements in a binary file, or of one element
 * in a text file, whose own number comes first. */
static bool read_head(tulle__msh *msh, run *r, int64_t *number) {
    int64_t type;
    r->count = 1;
    const char *at = tulle__msh_here(msh);
    if (!msh->binary && !read_count(msh, "the number of an element", number)) return false;
    if (!tulle__msh_int(msh, "the type of an element", &type)) return false;
    if (msh->binary && !read_count(msh, "a number of elements", &r->count)) return false;
    return read_count(msh, "the number of an element's tags", &r->tags) &&
           tulle__msh_find_shape(msh, at, type, &r->shape, &r->nodes);
}

/* Reads the tags. The first one is the group, with an orientation as its sign; the others tell the
 * entity and the partitions, and are skipped. */
static bool read_group(tulle__msh *msh, int64_t tags, int32_t *group) {
    int64_t number = 0;
    const char *at = tulle__msh_here(msh);
    *group = 0;
    if (tags == 0) return true;
    if (!tulle__msh_int(msh, "the physical group of an element", &number)) return false;
    if (number == INT32_MIN) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR, "physical group %lld is out of range",
                              (long long)number);
    }
    *group = (int32_t)(number < 0 ? -number : number);
    return tulle__msh_skip(msh, "a tag of an element", tags - 1, 0);
}

static bool read_nodes(tulle__msh *msh, const run *r, int64_t element, int32_t *node) {
    const signed char *order =
        r->shape >= 0 ? tulle__shape_of((tulle_shape)r->shape)->gmsh_order : NULL;
    for (int n = 0; n < r->nodes; n++) {
        int64_t tag;
        const char *at = tulle__msh_here(msh);
        if (!read_count(msh, "a node of an element", &tag)) return false;
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
    int64_t number = 0;
    const char *at = tulle__msh_here(msh);
    tulle__msh_block *block;
    if (!read_head(msh, &r, &number)) return false;
    if (r.count < 1 || r.count > *left) {
        return tulle__msh_bad(msh, at, TULLE_PARSE_ERROR,
                              "%lld elements together; of those that the section promises %lld "
                              "are left",
                              (long long)r.count, (long long)*left);
    }
    /* tulle__msh_holds counts 8 bytes for an integer, this file has integers of 4 */
    if (!tulle__msh_holds(msh, "elements", r.count, (1 + r.nodes) / 2, 0, 4 * (r.nodes + 3)))
        return false;
    if (!tulle__msh_room_for_elements(msh, r.shape, r.count, &block)) return false;
    for (int64_t i = 0; i < r.count; i++) {
        if (msh->binary && !read_count(msh, "the number of an element", &number)) return false;
        if (!read_group(msh, r.tags, &block->groups[block->count]) ||
            !read_nodes(msh, &r, number, block->nodes + block->count * r.nodes))
            return false;
        if (number <= msh->last_element) msh->rise = false;
        msh->last_element = number;
        block->tags[block->count++] = number;
    }
    *left -= r.count;
    return true;
}

/* The nodes of elements, for the comparison by which the elements are sorted. */
typedef struct key {
    const int32_t *nodes;
    int count;
} key;

static int compare(const void *a, const void *b, void *of) {
    const key *k = of;
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    const int order = memcmp(k->nodes + left * k->count, k->nodes + right * k->count,
                             (size_t)k->count * sizeof *k->nodes);
    return order != 0 ? order : left < right ? -1 : left > right;
}

static bool same_nodes(const key *k, int64_t a, int64_t b) {
    return memcmp(k->nodes + a * k->count, k->nodes + b * k->count,
                  (size_t)k->count * sizeof *k->nodes) == 0;
}

/* Joins elements with the same nodes, which the list `first` names. If each of them is in a group,
 * and no two are in the same group, the first element gets the set of all groups, and the others
 * are marked for removal (by the tag -1). */
static bool join_same(tulle__msh *msh, int dimension, tulle__msh_block *block, const int64_t *first,
                      int64_t count, int32_t *number) {
    for (int64_t i = 0; i < count; i++) {
        number[i] = block->groups[first[i]];
        if (number[i] == 0) return true;
        for (int64_t before = 0; before < i; before++) {
            if (number[before] == number[i]) return true;
        }
    }
    for (int64_t i = 1; i < count; i++) block->tags[first[i]] = -1;
    return tulle__msh_add_set(msh, dimension, number, count, &block->groups[first[0]]);
}

/* Most elements with the same nodes that are joined; more are left as they are, as a mistake of the
 * file. */
enum { MOST_GROUPS = 64 };

static bool join_in_order(tulle__msh *msh, int dimension, const key *k, tulle__msh_block *block,
                          int64_t *order) {
    int32_t number[MOST_GROUPS];
    for (int64_t i = 0; i < block->count; i++) order[i] = i;
    qsort_r(order, (size_t)block->count, sizeof *order, compare, (void *)k);
    for (int64_t i = 0, end; i < block->count; i = end) {
        for (end = i + 1; end < block->count && same_nodes(k, order[i], order[end]);) end++;
        if (end - i < 2 || end - i > MOST_GROUPS) continue;
        if (!join_same(msh, dimension, block, order + i, end - i, number)) return false;
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < block->count; i++) {
        if (block->tags[i] < 0) continue;
        memmove(block->nodes + kept * k->count, block->nodes + i * k->count,
                (size_t)k->count * sizeof *block->nodes);
        block->groups[kept] = block->groups[i];
        block->tags[kept++] = block->tags[i];
    }
    block->count = kept;
    return true;
}

/* Joins the repetitions of each element that is in several groups. */
static bool join_repeated(tulle__msh *msh) {
    for (int s = 0; s < TULLE__SHAPES; s++) {
        const tulle_shape_info *shape = &tulle__shape_of((tulle_shape)s)->info;
        tulle__msh_block *block = &msh->block[s];
        int64_t *order = NULL, room = 0;
        if (block->count < 2) continue;
        const key k = {block->nodes, shape->nodes};
        if (!tulle__msh_grow(msh, &order, 0, &room, block->count, sizeof *order)) return false;
        const bool good = join_in_order(msh, shape->dimension, &k, block, order);
        tulle__free(msh->cpu, order);
        if (!good) return false;
    }
    return true;
}

bool tulle__msh_read_old_elements(tulle__msh *msh) {
    if (msh->has_elements || !msh->has_nodes) {
        return tulle__msh_bad(
            msh, msh->at, TULLE_PARSE_ERROR, "%s",
            msh->has_elements ? "a second section $Elements" : "$Elements comes before $Nodes");
    }
    if (!read_total(msh, "the number of elements", &msh->elements)) return false;
    msh->has_elements = msh->rise = true;
    msh->last_element = -1;
    int64_t left = msh->elements, told = 0;
    while (left > 0) {
        if (!read_run(msh, &left)) return false;
        if (msh->elements - left < told + STEP) continue;
        told = msh->elements - left;
        if (tulle__progress(msh->cpu, "reading elements", told, msh->elements) != TULLE_OK) {
            return tulle__note(msh->trouble, TULLE_CANCELLED, 0, "%s", tulle_last_error()->message);
        }
    }
    msh->left_out = msh->points.count;
    return tulle__msh_check_tags(msh) && join_repeated(msh);
}
