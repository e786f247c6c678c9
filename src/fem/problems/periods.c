/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes that periods make the same get one row. Partners are looked for in a tree of boxes of the
 * other part's nodes. Nodes that are the same, also by way of other nodes, hang together as a tree
 * whose root is the lowest of them. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "core/print.h"
#include "fem/problems/draft.h"
#include "mesh/sort.h"
#include "mesh/tree.h"

static const char create[] = "tulle_diffusion_create";
static const char what[] = "matching periods";

typedef struct matching {
    tulle__problem_draft *draft;
    const tulle_period *period;
    int64_t number; /* number of the period among the caller's periods */
    double tolerance;
    int along;          /* coordinate that decides between partners */
    uint8_t *seen;      /* for each node, nonzero when it is listed or has a partner */
    int32_t *from, *to; /* room for all nodes */
    int64_t from_count, to_count;
    tulle__tree tree; /* tree of the nodes of `to` */
} matching;

static tulle_status check_period(const tulle_mesh *mesh, const tulle_period *p, int64_t number) {
    double size = 0;
    bool good = p->from && p->to && p->tolerance >= 0 && isfinite(p->tolerance);
    for (int d = 0; d < 3; d++) {
        good = good && isfinite(p->shift[d]);
        if (d < mesh->arrays.dimension) size = fmax(size, fabs(p->shift[d]));
    }
    if (good && size > 0) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, create, "problem", -1,
                       "period %" PRId64
                       " needs two groups, a shift that is finite and not 0, and "
                       "a tolerance of 0 or more",
                       number);
}

static double longest_side(const tulle_mesh *mesh) {
    double side = 0;
    for (int d = 0; d < mesh->arrays.dimension; d++) {
        side = fmax(side, mesh->info.high[d] - mesh->info.low[d]);
    }
    return side;
}

/* The nodes of a group, each once. */
static tulle_status list_nodes(const matching *m, const char *group, int32_t *list,
                               int64_t *count) {
    const tulle_mesh *mesh = m->draft->mesh;
    tulle__facets f;
    *count = 0;
    TULLE__TRY(tulle__facets_find(m->draft, group, &f));
    for (int64_t i = 0; i < mesh->info.nodes; i++) m->seen[i] = 0;
    for (int64_t b = f.first; b < f.first + f.count; b++) {
        const tulle_mesh_block *block = &f.mesh->blocks[b];
        const int nodes = tulle__cell_nodes(block->shape);
        for (int64_t i = 0; i < block->count; i++) {
            TULLE__TRY(tulle__ask(m->draft->ctx, what, i, block->count));
            for (int a = 0; a < nodes && tulle__facets_have(&f, block, i); a++) {
                const int32_t node = tulle__element(block, i)[a];
                if (!m->seen[node]) list[(*count)++] = node;
                m->seen[node] = 1;
            }
        }
    }
    return TULLE_OK;
}

/* The coordinate in which the nodes that are looked for differ most. */
static int widest(const tulle_mesh *mesh, const int32_t *list, int64_t count) {
    int most = 0;
    double width[3] = {0, 0, 0};
    for (int d = 0; d < mesh->arrays.dimension; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t k = 0; k < count; k++) {
            low = fmin(low, tulle__node(mesh, list[k])[d]);
            high = fmax(high, tulle__node(mesh, list[k])[d]);
        }
        width[d] = high - low;
        if (width[d] > width[most]) most = d;
    }
    return most;
}

static bool is_partner(const matching *m, int32_t from, int32_t to) {
    const tulle_mesh *mesh = m->draft->mesh;
    for (int d = 0; d < mesh->arrays.dimension; d++) {
        const double apart = tulle__node(mesh, to)[d] - tulle__node(mesh, from)[d];
        if (!(fabs(apart - m->period->shift[d]) <= m->tolerance)) return false;
    }
    return true;
}

/* Says that a box reaches to a place where the partner of a node may be. */
static bool is_near(const matching *m, int32_t from, const double *box) {
    const tulle_mesh *mesh = m->draft->mesh;
    const int dimension = mesh->arrays.dimension;
    for (int d = 0; d < dimension; d++) {
        const double at = tulle__node(mesh, from)[d] + m->period->shift[d];
        const double more =
            m->tolerance + 4 * DBL_EPSILON * (fabs(at) + m->tolerance + fabs(m->period->shift[d]));
        if (box[d] > at + more || box[dimension + d] < at - more) return false;
    }
    return true;
}

/* Returns the one of two partners that comes first along the coordinate, then by number. */
static int32_t first_of(const matching *m, int32_t a, int32_t b) {
    if (a < 0 || b < 0) return a < 0 ? b : a;
    const double at_a = tulle__node(m->draft->mesh, a)[m->along];
    const double at_b = tulle__node(m->draft->mesh, b)[m->along];
    return at_a != at_b ? (at_a < at_b ? a : b) : a < b ? a : b;
}

/* The partner of a node, or -1. */
static int32_t partner_of(const matching *m, int32_t node) {
    const tulle__tree *tree = &m->tree;
    const int64_t leaves = (int64_t)1 << tree->depth;
    int64_t stack[TULLE__TREE_DEPTH + 1];
    int waiting = tree->places > 0;
    int32_t found = -1;
    stack[0] = 0;
    while (waiting > 0) {
        const int64_t box = stack[--waiting], leaf = box - (leaves - 1);
        if (!is_near(m, node, tree->box + box * 2 * tree->dimension)) continue;
        if (leaf < 0) {
            stack[waiting++] = 2 * box + 2;
            stack[waiting++] = 2 * box + 1;
            continue;
        }
        const int64_t end = tulle__tree_begin(tree, tree->depth, leaf + 1);
        for (int64_t k = tulle__tree_begin(tree, tree->depth, leaf); k < end; k++) {
            if (is_partner(m, node, tree->node[k])) found = first_of(m, found, tree->node[k]);
        }
    }
    return found;
}

/* "(0, 0.5, 1)" */
enum { PLACE_ROOM = 96 };
static const char *place_of(const tulle_mesh *mesh, int32_t node, char text[PLACE_ROOM]) {
    const double *x = tulle__node(mesh, node);
    if (mesh->arrays.dimension == 2) {
        tulle__print(text, PLACE_ROOM, "(%g, %g)", x[0], x[1]);
    } else {
        tulle__print(text, PLACE_ROOM, "(%g, %g, %g)", x[0], x[1], x[2]);
    }
    return text;
}

static tulle_status lonely(const matching *m, int32_t node, bool is_from, const char *why) {
    char place[PLACE_ROOM], distance[PLACE_ROOM];
    const tulle_period *p = m->period;
    tulle__print(distance, PLACE_ROOM, "%g", m->tolerance);
    return tulle__fail(TULLE_INVALID_MESH, create, "problem", node,
                       "period %" PRId64 ": node %d of '%s', at %s, has %s in '%s' (tolerance %s)",
                       m->number, (int)node, is_from ? p->from : p->to,
                       place_of(m->draft->mesh, node, place), why, is_from ? p->to : p->from,
                       distance);
}

static int32_t root_of(int32_t *parent, int32_t node) {
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/* The lower root stays one. */
static void join(int32_t *parent, int32_t a, int32_t b) {
    a = root_of(parent, a);
    b = root_of(parent, b);
    if (a < b) parent[b] = a;
    if (b < a) parent[a] = b;
}

static tulle_status match(matching *m) {
    const tulle_mesh *mesh = m->draft->mesh;
    const double usual = 1e-8 * longest_side(mesh);
    m->tolerance = m->period->tolerance > 0 ? m->period->tolerance : usual;
    TULLE__TRY(list_nodes(m, m->period->from, m->from, &m->from_count));
    TULLE__TRY(list_nodes(m, m->period->to, m->to, &m->to_count));
    m->along = widest(mesh, m->to, m->to_count);
    for (int64_t k = 0; k < m->to_count; k++) m->seen[m->to[k]] = 0;
    TULLE__TRY(tulle__tree_make(m->draft->ctx, what, mesh, m->to, m->to_count, &m->tree));
    for (int64_t k = 0; k < m->from_count; k++) {
        const int32_t node = m->from[k], partner = partner_of(m, node);
        TULLE__TRY(tulle__ask(m->draft->ctx, what, k, m->from_count));
        if (partner < 0) return lonely(m, node, true, "no partner");
        if (m->seen[partner]) return lonely(m, partner, false, "two partners");
        m->seen[partner] = 1;
        join(m->draft->rows, node, partner);
    }
    int32_t left = -1;
    for (int64_t k = 0; k < m->to_count; k++) {
        if (!m->seen[m->to[k]]) left = first_of(m, left, m->to[k]);
    }
    return left < 0 ? TULLE_OK : lonely(m, left, false, "no partner");
}

/* A facet of order 2 at most. */
enum { NODES = 9 };
typedef struct side {
    int32_t root[NODES];  /* roots of the facet's nodes, ascending, and -1 behind them */
    const int32_t *nodes; /* the facet's nodes in the mesh */
    int count;            /* number of nodes */
} side;

static int compare_roots(const side *a, const side *b) {
    for (int c = 0; c < NODES; c++) {
        if (a->root[c] != b->root[c]) return a->root[c] < b->root[c] ? -1 : 1;
    }
    return 0;
}

static int by_roots(const void *a, const void *b) {
    return compare_roots(a, b);
}

static void note_roots(int32_t *parent, side *s) {
    for (int c = 0; c < NODES; c++) s->root[c] = -1;
    for (int c = 0; c < s->count; c++) {
        const int32_t root = root_of(parent, s->nodes[c]);
        int to = c;
        for (; to > 0 && s->root[to - 1] > root; to--) s->root[to] = s->root[to - 1];
        s->root[to] = root;
    }
}

/* The facets of a group, by their roots. */
static tulle_status list_sides(const matching *m, const char *group, side **list, int64_t *count) {
    tulle__facets f;
    void *array = NULL;
    int64_t all = 0;
    TULLE__TRY(tulle__facets_find(m->draft, group, &f));
    for (int64_t b = f.first; b < f.first + f.count; b++) all += f.mesh->blocks[b].count;
    TULLE__TRY(tulle__mesh_array(m->draft->ctx, all, sizeof **list, &array));
    *list = array;
    *count = 0;
    for (int64_t b = f.first; b < f.first + f.count; b++) {
        const tulle_mesh_block *block = &f.mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++) {
            TULLE__TRY(tulle__ask(m->draft->ctx, what, i, block->count));
            if (!tulle__facets_have(&f, block, i)) continue;
            side *s = &(*list)[(*count)++];
            *s =
                (side){.nodes = tulle__element(block, i), .count = tulle__cell_nodes(block->shape)};
            note_roots(m->draft->rows, s);
        }
    }
    return tulle__sort(m->draft->ctx, what, *list, *count, sizeof **list, by_roots);
}

static tulle_status odd_one(const matching *m, const side *s, bool is_from) {
    const tulle_period *p = m->period;
    char place[PLACE_ROOM];
    return tulle__fail(TULLE_INVALID_MESH, create, "problem", s->nodes[0],
                       "period %" PRId64
                       ": a facet of '%s' with the nodes %d and %d, at %s, is no "
                       "facet of '%s'",
                       m->number, is_from ? p->from : p->to, (int)s->nodes[0], (int)s->nodes[1],
                       place_of(m->draft->mesh, s->nodes[0], place), is_from ? p->to : p->from);
}

/* Nodes that have partners may still be those of other facets. */
static tulle_status match_sides(const matching *m) {
    side *from = NULL, *to = NULL;
    int64_t count = 0, others = 0, k = 0;
    tulle_status status = list_sides(m, m->period->from, &from, &count);
    if (status == TULLE_OK) status = list_sides(m, m->period->to, &to, &others);
    while (status == TULLE_OK && k < count && k < others && !compare_roots(&from[k], &to[k])) k++;
    if (status == TULLE_OK && (k < count || k < others)) {
        const bool is_from = k < count && (k == others || compare_roots(&from[k], &to[k]) < 0);
        status = odd_one(m, is_from ? &from[k] : &to[k], is_from);
    }
    tulle__host_free(m->draft->ctx, to);
    tulle__host_free(m->draft->ctx, from);
    return status;
}

static tulle_status match_all(tulle__problem_draft *draft) {
    const int64_t nodes = draft->mesh->info.nodes;
    matching m = {.draft = draft};
    void *array = NULL;
    tulle_status status = tulle__mesh_array(draft->ctx, nodes, 1, &array);
    m.seen = array;
    if (status == TULLE_OK) status = tulle__mesh_array(draft->ctx, nodes, sizeof(int32_t), &array);
    m.from = status == TULLE_OK ? array : NULL;
    if (status == TULLE_OK) status = tulle__mesh_array(draft->ctx, nodes, sizeof(int32_t), &array);
    m.to = status == TULLE_OK ? array : NULL;
    for (; m.number < draft->period_count && status == TULLE_OK; m.number++) {
        m.period = &draft->periods[m.number];
        status = check_period(draft->mesh, m.period, m.number);
        if (status == TULLE_OK) status = match(&m);
        tulle__tree_free(draft->ctx, &m.tree);
        if (status == TULLE_OK) status = match_sides(&m);
    }
    tulle__host_free(draft->ctx, m.to);
    tulle__host_free(draft->ctx, m.from);
    tulle__host_free(draft->ctx, m.seen);
    return status;
}

/* Roots become rows, in their order; and a number that is given at one node of a row is given at
 * all. */
static tulle_status number_rows(tulle__problem_draft *draft) {
    const int64_t nodes = draft->mesh->info.nodes;
    int32_t *rows = draft->rows;
    void *array = NULL;
    for (int64_t i = 0; i < nodes; i++) draft->row_count += rows[i] == i;
    TULLE__TRY(tulle__mesh_array(draft->ctx, draft->row_count, 1, &array));
    draft->masked_rows = array;
    TULLE__TRY(tulle__mesh_array(draft->ctx, draft->row_count, sizeof *draft->given_rows, &array));
    draft->given_rows = array;
    int32_t next = 0;
    /* A root comes before the nodes that hang on it, so that its number is known. */
    for (int32_t i = 0; i < nodes; i++) {
        const int32_t up = rows[i];
        rows[i] = up == i ? next++ : rows[up];
        if (!draft->masked[i] || draft->masked_rows[rows[i]]) continue;
        draft->masked_rows[rows[i]] = 1;
        draft->given_rows[rows[i]] = draft->given[i];
    }
    for (int64_t i = 0; i < nodes; i++) draft->given[i] = draft->given_rows[rows[i]];
    return TULLE_OK;
}

static tulle_status list_rows(tulle__problem_draft *draft, int b) {
    const tulle__cells *cells = &draft->body[b].cells;
    const int nodes = tulle__cell_nodes(cells->shape);
    void *array = NULL;
    TULLE__TRY(
        tulle__mesh_array(draft->ctx, cells->count, nodes * (int64_t)sizeof(int32_t), &array));
    int32_t *list = draft->lists[b] = array;
    for (int64_t k = 0; k < cells->count * nodes; k++) list[k] = draft->rows[cells->nodes[k]];
    for (int64_t k = 0; k < cells->count * nodes; k++) {
        for (int64_t other = k / nodes * nodes; other < k; other++) {
            if (list[other] != list[k]) continue;
            return tulle__fail(TULLE_INVALID_MESH, create, "problem", -1,
                               "nodes %d and %d are the same by a period, and one element has "
                               "both: there must be two cells at least from one to the other",
                               (int)cells->nodes[other], (int)cells->nodes[k]);
        }
    }
    return TULLE_OK;
}

tulle_status tulle__draft_periods(tulle__problem_draft *draft) {
    void *array = NULL;
    const int64_t nodes = draft->mesh->info.nodes;
    if (draft->period_count == 0) return TULLE_OK;
    TULLE__TRY(tulle__mesh_array(draft->ctx, nodes, sizeof *draft->rows, &array));
    draft->rows = array;
    for (int32_t i = 0; i < nodes; i++) draft->rows[i] = i;
    TULLE__TRY(match_all(draft));
    for (int32_t i = 0; i < nodes; i++) draft->rows[i] = root_of(draft->rows, i);
    TULLE__TRY(number_rows(draft));
    for (int b = 0; b < draft->blocks; b++) TULLE__TRY(list_rows(draft, b));
    return TULLE_OK;
}
