/* SPDX-License-Identifier: Apache-2.0 */
/* Matches facets: two facets are the same if they have the same corners. The facets of cells and
 * the facets that the mesh lists are put into lists by their least corner; the few facets of each
 * list are then sorted by their other corners. */
#include "mesh/facets.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/sort.h"

enum { SIDES = TULLE_MESH_MOST_FACETS, REST = TULLE__FACET_CORNERS - 1 };

/* A facet in the list of its least corner: its other corners, ascending, and -1 behind them. The
 * numbers of listed facets follow the numbers of all cells' facets. */
typedef struct entry {
    int32_t corner[REST];
    int64_t number;
} entry;

typedef struct matching {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    /* nodes + 2 positions: the facets of node v are at begin[v] to begin[v + 1] - 1 in `at` */
    int64_t *begin;
    int64_t *at;
    /* for each facet of a cell INNER, or the group of a facet of the rim; cells x SIDES numbers */
    int32_t *state;
    int64_t listed; /* number of the first listed facet */
    tulle__mesh_fault fault;
} matching;

enum {
    INNER = -1,
    /* facets at a node from which on one thread sorts them, with reports of progress */
    MANY = 1 << 16
};

static const char *const what = "matching facets";

static int64_t cell_block_of(const tulle_mesh *mesh, int64_t *cell) {
    return tulle__block_of(mesh, 0, cell);
}

const tulle__shape *tulle__side_nodes(const tulle_mesh *mesh, int64_t side,
                                      int32_t nodes[TULLE_MESH_MOST_NODES]) {
    int64_t cell = side / SIDES;
    const tulle_mesh_block *block = &mesh->blocks[cell_block_of(mesh, &cell)];
    const tulle__shape *shape = tulle__shape_of(block->shape);
    const tulle__shape *facet = tulle__shape_of(tulle__facet_shape(shape, (int)(side % SIDES)));
    const int32_t *of = tulle__element(block, cell);
    for (int i = 0; i < facet->info.nodes; i++) {
        nodes[i] = of[tulle__facet_node(shape, (int)(side % SIDES), i)];
    }
    return facet;
}

/* Sorts a few numbers by insertion. */
static void sort(int32_t *number, int count) {
    for (int i = 1; i < count; i++) {
        const int32_t moving = number[i];
        int to = i;
        for (; to > 0 && number[to - 1] > moving; to--) number[to] = number[to - 1];
        number[to] = moving;
    }
}

/* Lists the corners of a facet of a cell, ascending; returns their number. */
static int corners_of(const tulle__shape *shape, const int32_t *cell, int facet,
                      int32_t corner[TULLE__FACET_CORNERS]) {
    const int count = tulle__shape_of(tulle__facet_shape(shape, facet))->info.corners;
    for (int c = 0; c < count; c++) corner[c] = cell[shape->facet[facet][c]];
    sort(corner, count);
    return count;
}

static int corners_of_element(const tulle__shape *shape, const int32_t *element,
                              int32_t corner[TULLE__FACET_CORNERS]) {
    memcpy(corner, element, (size_t)shape->info.corners * sizeof *corner);
    sort(corner, shape->info.corners);
    return shape->info.corners;
}

/* In the first pass counts the facets of each node v in begin[v + 2]. In the second pass begin[v +
 * 1] is the place for the next facet of v; so in the end begin[v + 1] is where the facets of v + 1
 * start. */
static void add(matching *m, int32_t node, int64_t number) {
    if (!m->at) {
        m->begin[node + 2]++;
    } else {
        m->at[m->begin[node + 1]++] = number;
    }
}

static tulle_status add_all(matching *m) {
    const tulle_mesh *mesh = m->mesh;
    int32_t corner[TULLE__FACET_CORNERS];
    int64_t cell = 0, listed = m->listed;
    for (int64_t b = 0; b < mesh->arrays.block_count; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        const tulle__shape *shape = tulle__shape_of(block->shape);
        const bool cells = b < mesh->info.cell_blocks;
        for (int64_t i = 0; i < block->count; i++) {
            const int32_t *nodes = tulle__element(block, i);
            for (int f = 0; cells && f < shape->info.facets; f++) {
                corners_of(shape, nodes, f, corner);
                add(m, corner[0], cell * SIDES + f);
            }
            if (!cells) {
                corners_of_element(shape, nodes, corner);
                add(m, corner[0], listed++);
            }
            cell += cells;
            TULLE__TRY(tulle__ask(m->ctx, what, cells ? cell : listed - m->listed,
                                  cells ? mesh->info.cells : mesh->info.facets));
        }
    }
    return TULLE_OK;
}

static tulle_status list_facets(matching *m) {
    void *array;
    const int64_t nodes = m->mesh->info.nodes;
    TULLE__TRY(tulle__mesh_array(m->ctx, nodes + 2, sizeof *m->begin, &array));
    m->begin = array;
    TULLE__TRY(add_all(m));
    for (int64_t v = 0; v < nodes; v++) m->begin[v + 2] += m->begin[v + 1];
    TULLE__TRY(tulle__mesh_array(m->ctx, m->begin[nodes + 1] + 1, sizeof *m->at, &array));
    m->at = array;
    return add_all(m);
}

static void entry_of(const matching *m, int64_t number, entry *e) {
    const tulle_mesh *mesh = m->mesh;
    const bool listed = number >= m->listed;
    int64_t element = listed ? number - m->listed : number / SIDES;
    const int64_t b = tulle__block_of(mesh, listed ? mesh->info.cell_blocks : 0, &element);
    const tulle_mesh_block *block = &mesh->blocks[b];
    const tulle__shape *shape = tulle__shape_of(block->shape);
    const int32_t *nodes = tulle__element(block, element);
    int32_t corner[TULLE__FACET_CORNERS] = {0};
    const int count = listed ? corners_of_element(shape, nodes, corner)
                             : corners_of(shape, nodes, (int)(number % SIDES), corner);
    for (int c = 0; c < REST; c++) e->corner[c] = c + 1 < count ? corner[c + 1] : -1;
    e->number = number;
}

static int compare_corners(const entry *a, const entry *b) {
    for (int c = 0; c < REST; c++) {
        if (a->corner[c] != b->corner[c]) return a->corner[c] < b->corner[c] ? -1 : 1;
    }
    return 0;
}

static int compare(const void *a, const void *b) {
    const entry *left = a, *right = b;
    const int order = compare_corners(left, right);
    if (order != 0) return order;
    return left->number < right->number ? -1 : left->number > right->number;
}

/* Lists the nodes of a cell, ascending; returns their number. */
static int cell_nodes(const tulle_mesh *mesh, int64_t cell, int32_t node[TULLE_MESH_MOST_NODES]) {
    const tulle_mesh_block *block = &mesh->blocks[cell_block_of(mesh, &cell)];
    const int count = tulle__shape_of(block->shape)->info.nodes;
    memcpy(node, tulle__element(block, cell), (size_t)count * sizeof *node);
    sort(node, count);
    return count;
}

static bool same_cell(const tulle_mesh *mesh, int64_t a, int64_t b) {
    int32_t of_a[TULLE_MESH_MOST_NODES], of_b[TULLE_MESH_MOST_NODES];
    const int count = cell_nodes(mesh, a, of_a);
    return count == cell_nodes(mesh, b, of_b) && !memcmp(of_a, of_b, (size_t)count * sizeof *of_a);
}

static bool before(const tulle__mesh_fault *a, const tulle__mesh_fault *b) {
    if (a->element != b->element) return a->element < b->element;
    return a->kind != b->kind ? a->kind < b->kind : a->facet < b->facet;
}

/* Keeps the fault with the lowest element. Faults of listed facets come behind those of cells. */
static void note(matching *m, tulle__mesh_fault found) {
#pragma omp critical(tulle_mesh_facets)
    if (m->fault.kind == TULLE__MESH_GOOD || before(&found, &m->fault)) m->fault = found;
}

static int32_t group_of_listed(const tulle_mesh *mesh, int64_t facet) {
    const int64_t b = tulle__block_of(mesh, mesh->info.cell_blocks, &facet);
    return mesh->blocks[b].groups ? mesh->blocks[b].groups[facet] : 0;
}

/* Handles all facets with the same corners, of which those of cells come first: sets the state of
 * the rim's facets, and notes faults. */
static void settle(matching *m, const entry *same, int64_t count) {
    const tulle_mesh *mesh = m->mesh;
    int64_t cells = 0;
    while (cells < count && same[cells].number < m->listed) cells++;
    if (cells == 0) {
        const int64_t facet = same[0].number - m->listed;
        note(m,
             (tulle__mesh_fault){.kind = TULLE__MESH_LOOSE, .element = mesh->info.cells + facet});
    } else if (cells == 1) {
        m->state[same[0].number] =
            count > 1 ? group_of_listed(mesh, same[1].number - m->listed) : 0;
    }
    for (int64_t i = 1; i < cells; i++) {
        const int64_t cell = same[i].number / SIDES, last = same[i - 1].number / SIDES;
        const bool repeated = same_cell(mesh, last, cell);
        if (!repeated && i < 2) continue;
        note(m, (tulle__mesh_fault){.kind = repeated ? TULLE__MESH_REPEATED : TULLE__MESH_THIRD,
                                    .element = cell,
                                    .other = repeated ? last : same[0].number / SIDES,
                                    .facet = (int)(same[i].number % SIDES)});
    }
}

static int64_t facets_at(const matching *m, int64_t node) {
    return m->begin[node + 1] - m->begin[node];
}

static void settle_sorted(matching *m, const entry *sorted, int64_t count) {
    for (int64_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !compare_corners(&sorted[i], &sorted[end]);) end++;
        settle(m, &sorted[i], end - i);
    }
}

/* Matches the facets at a node, in scratch with room for all of them. Nodes with MANY facets or
 * more are left out. */
static void settle_node(matching *m, int64_t node, entry *scratch) {
    const int64_t first = m->begin[node], count = facets_at(m, node);
    if (count >= MANY) return;
    for (int64_t i = 0; i < count; i++) entry_of(m, m->at[first + i], &scratch[i]);
    if (count > 1) qsort(scratch, (size_t)count, sizeof *scratch, compare);
    settle_sorted(m, scratch, count);
}

static tulle_status settle_many(matching *m, int64_t node) {
    const int64_t first = m->begin[node], count = facets_at(m, node);
    void *array;
    TULLE__TRY(tulle__mesh_array(m->ctx, count, sizeof(entry), &array));
    entry *all = array;
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < count && status == TULLE_OK; i++) {
        status = tulle__ask(m->ctx, what, i, count);
        entry_of(m, m->at[first + i], &all[i]);
    }
    if (status == TULLE_OK) status = tulle__sort(m->ctx, what, all, count, sizeof *all, compare);
    if (status == TULLE_OK) settle_sorted(m, all, count);
    tulle__host_free(m->ctx, all);
    return status;
}

/* Matches the facets at all nodes that have fewer than MANY, with all threads. */
static tulle_status settle_few(matching *m, int threads, int64_t most, entry *scratch) {
    const int64_t nodes = m->mesh->info.nodes;
    for (int64_t begin = 0, end; begin < nodes; begin = end) {
        end = tulle__ask_end(begin, nodes);
        TULLE__TRY(tulle__progress(m->ctx, what, begin, nodes));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
        for (int64_t v = begin; v < end; v++) {
            settle_node(m, v, scratch + omp_get_thread_num() * most);
        }
    }
    return TULLE_OK;
}

static tulle_status settle_all(matching *m) {
    const tulle_mesh *mesh = m->mesh;
    const int threads = tulle__mesh_threads(m->ctx, mesh->info.cells);
    int64_t most = 0;
    void *array;
    for (int64_t v = 0; v < mesh->info.nodes; v++) {
        const int64_t here = facets_at(m, v);
        if (here > most && here < MANY) most = here;
    }
    TULLE__TRY(tulle__mesh_array(m->ctx, mesh->info.cells, (int64_t)SIDES * 4, &array));
    m->state = array;
    for (int64_t i = 0; i < mesh->info.cells * SIDES; i++) {
        TULLE__TRY(tulle__ask(m->ctx, what, i, mesh->info.cells * SIDES));
        m->state[i] = INNER;
    }
    for (int64_t v = 0; v < mesh->info.nodes; v++) {
        if (facets_at(m, v) >= MANY) TULLE__TRY(settle_many(m, v));
    }
    TULLE__TRY(tulle__mesh_array(m->ctx, threads * most, sizeof(entry), &array));
    const tulle_status status = settle_few(m, threads, most, array);
    tulle__host_free(m->ctx, array);
    return status;
}

static tulle_status gather(matching *m, tulle__mesh_rim *rim) {
    const int64_t all = m->mesh->info.cells * SIDES;
    void *array;
    for (int64_t i = 0; i < all; i++) rim->count += m->state[i] != INNER;
    TULLE__TRY(tulle__mesh_array(m->ctx, rim->count, sizeof *rim->side, &array));
    rim->side = array;
    TULLE__TRY(tulle__mesh_array(m->ctx, rim->count, sizeof *rim->group, &array));
    rim->group = array;
    int64_t k = 0;
    for (int64_t i = 0; i < all; i++) {
        TULLE__TRY(tulle__ask(m->ctx, what, i, all));
        if (m->state[i] == INNER) continue;
        rim->side[k] = i;
        rim->group[k++] = m->state[i];
    }
    return TULLE_OK;
}

static tulle_status match(matching *m) {
    TULLE__TRY(tulle__progress(m->ctx, what, 0, m->mesh->info.cells));
    TULLE__TRY(list_facets(m));
    TULLE__TRY(settle_all(m));
    return tulle__progress(m->ctx, what, m->mesh->info.cells, m->mesh->info.cells);
}

tulle_status tulle__mesh_rim_find(tulle_ctx *ctx, const tulle_mesh *mesh, tulle__mesh_rim *rim,
                                  tulle__mesh_fault *fault) {
    matching m = {.ctx = ctx, .mesh = mesh, .listed = mesh->info.cells * SIDES};
    *rim = (tulle__mesh_rim){.count = 0};
    tulle_status status = match(&m);
    if (status == TULLE_OK && m.fault.kind == TULLE__MESH_GOOD) status = gather(&m, rim);
    tulle__host_free(ctx, m.begin);
    tulle__host_free(ctx, m.at);
    tulle__host_free(ctx, m.state);
    if (status != TULLE_OK) tulle__mesh_rim_free(ctx, rim);
    *fault = m.fault;
    return status;
}

void tulle__mesh_rim_free(tulle_ctx *ctx, tulle__mesh_rim *rim) {
    tulle__host_free(ctx, rim->side);
    tulle__host_free(ctx, rim->group);
    *rim = (tulle__mesh_rim){.count = 0};
}
