/* SPDX-License-Identifier: Apache-2.0 */
/* A facet with a flux or a factor stands in its group once, and one cell has it. The facets of the
 * group are sorted by their corners; a facet of a cell is looked up among them only where all its
 * corners are corners of the group. */
#include <inttypes.h>
#include <stdlib.h>

#include "fem/problems/problem.h"
#include "mesh/sort.h"

static const char *const what = "checking facets";

/* A facet by its corners, rising, and -1 behind them. */
typedef struct entry {
    int32_t corner[TULLE__FACET_CORNERS];
    int64_t element; /* number of the facet among the mesh's elements, cells first */
    int cells;       /* number of cells that have the facet */
} entry;

typedef struct checking {
    const char *function, *group;
    tulle_ctx *ctx;
    const tulle__facets *facets;
    int64_t count;
    entry *all;
    uint8_t *has; /* for each node, 1 when a facet of the group has it as a corner */
} checking;

/* Sets the `count` corners of a facet, rising; corner c is node[at[c]], or node[c] where `at` is
 * NULL. */
static void set_corners(const int32_t *node, const signed char *at, int count, entry *e) {
    for (int c = 0; c < TULLE__FACET_CORNERS; c++) {
        const int32_t moving = c >= count ? -1 : node[at ? at[c] : c];
        int to = c;
        for (; c < count && to > 0 && e->corner[to - 1] > moving; to--) {
            e->corner[to] = e->corner[to - 1];
        }
        e->corner[to] = moving;
    }
}

static int compare_corners(const void *a, const void *b) {
    const entry *left = a, *right = b;
    for (int c = 0; c < TULLE__FACET_CORNERS; c++) {
        if (left->corner[c] != right->corner[c]) {
            return left->corner[c] < right->corner[c] ? -1 : 1;
        }
    }
    return 0;
}

static int compare(const void *a, const void *b) {
    const entry *left = a, *right = b;
    const int order = compare_corners(a, b);
    return order != 0                       ? order
           : left->element < right->element ? -1
                                            : left->element > right->element;
}

/* Asks, at an element of the mesh or at a block. */
static tulle_status ask(const checking *k, int64_t done) {
    const tulle_mesh_info *info = &k->facets->mesh->info;
    return tulle__ask(k->ctx, what, done, info->cells + info->facets);
}

static tulle_status count_facets(checking *k) {
    const tulle__facets *f = k->facets;
    for (int64_t b = f->first; b < f->first + f->count; b++) {
        const tulle_mesh_block *block = &f->mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++) {
            TULLE__TRY(ask(k, f->mesh->starts[b] + i));
            k->count += tulle__facets_have(f, block, i);
        }
    }
    return TULLE_OK;
}

static tulle_status list_facets(checking *k) {
    const tulle__facets *f = k->facets;
    entry *next = k->all;
    for (int64_t b = f->first; b < f->first + f->count; b++) {
        const tulle_mesh_block *block = &f->mesh->blocks[b];
        const int corners = tulle__shape_of(block->shape)->info.corners;
        for (int64_t i = 0; i < block->count; i++) {
            const int64_t element = f->mesh->starts[b] + i;
            TULLE__TRY(ask(k, element));
            if (!tulle__facets_have(f, block, i)) continue;
            const int32_t *nodes = tulle__element(block, i);
            set_corners(nodes, NULL, corners, next);
            next++->element = element;
            for (int c = 0; c < corners; c++) k->has[nodes[c]] = 1;
        }
    }
    return tulle__sort(k->ctx, what, k->all, k->count, sizeof *k->all, compare);
}

/* Counts the cell at the facet of the group that has the corners of its facet number `facet`, if
 * there is one. */
static void count_cell(const checking *k, const tulle__shape *shape, const int32_t *nodes,
                       int facet) {
    const int corners = tulle__shape_of(tulle__facet_shape(shape, facet))->info.corners;
    entry own;
    for (int c = 0; c < corners; c++) {
        if (!k->has[nodes[shape->facet[facet][c]]]) return;
    }
    set_corners(nodes, shape->facet[facet], corners, &own);
    entry *found = bsearch(&own, k->all, (size_t)k->count, sizeof own, compare_corners);
    if (found) found->cells++;
}

static tulle_status count_cells(const checking *k) {
    const tulle_mesh *mesh = k->facets->mesh;
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        const tulle__shape *shape = tulle__shape_of(block->shape);
        for (int64_t i = 0; i < block->count; i++) {
            const int32_t *nodes = tulle__element(block, i);
            TULLE__TRY(ask(k, mesh->starts[b] + i));
            for (int f = 0; f < shape->info.facets; f++) count_cell(k, shape, nodes, f);
        }
    }
    return TULLE_OK;
}

static tulle_status check_twice(const checking *k) {
    const entry *first = NULL;
    for (int64_t i = 1; i < k->count; i++) {
        const entry *e = &k->all[i];
        if (compare_corners(e - 1, e) == 0 && (!first || e->element < first->element)) first = e;
    }
    if (!first) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_MESH, k->function, "problem", first->element,
                       "group '%s' has the same facet twice, as elements %" PRId64 " and %" PRId64
                       " (from 0, cells first): what is given there would count "
                       "twice; leave one of them out",
                       k->group, first[-1].element, first->element);
}

static tulle_status check_cells(const checking *k) {
    const entry *first = NULL;
    for (int64_t i = 0; i < k->count; i++) {
        const entry *e = &k->all[i];
        if (e->cells != 1 && (!first || e->element < first->element)) first = e;
    }
    if (!first) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_MESH, k->function, "problem", first->element,
                       "a facet of group '%s', element %" PRId64
                       " (from 0, cells first), %s: a flux or a factor is for facets that one cell "
                       "has; leave it out of the group",
                       k->group, first->element,
                       first->cells > 1 ? "lies between two cells" : "is no cell's");
}

static tulle_status check(checking *k) {
    void *array = NULL;
    TULLE__TRY(count_facets(k));
    if (k->count == 0) return TULLE_OK;
    TULLE__TRY(tulle__mesh_array(k->ctx, k->count, sizeof *k->all, &array));
    k->all = array;
    TULLE__TRY(tulle__mesh_array(k->ctx, k->facets->mesh->info.nodes, 1, &array));
    k->has = array;
    TULLE__TRY(list_facets(k));
    TULLE__TRY(check_twice(k));
    TULLE__TRY(count_cells(k));
    return check_cells(k);
}

tulle_status tulle__facets_check(tulle__problem_draft *draft, const char *group) {
    tulle__facets facets;
    TULLE__TRY(tulle__facets_find(draft, group, &facets));
    checking k = {
        .function = draft->kind->create, .group = group, .ctx = draft->ctx, .facets = &facets};
    if (facets.group == 0) return TULLE_OK; /* the boundary, as cells have it */
    const tulle_status status = check(&k);
    tulle__host_free(draft->ctx, k.has);
    tulle__host_free(draft->ctx, k.all);
    return status;
}
