/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on parts of the boundary: facets with a flux or a traction become elements, unknowns
 * with a number are noted. */
#include <string.h>

#include "fem/problems/problem.h"

static tulle_status fail(const tulle__problem_draft *draft, const char *format, int number) {
    return tulle__fail(TULLE_INVALID_ARGUMENT, draft->kind->create, "problem", -1, format, number);
}

/* One facet behind those before. */
static tulle_status add_facet(const tulle__problem_draft *draft, const tulle__condition *c,
                              const int32_t *element, int64_t number, int64_t e,
                              tulle__body *body) {
    const tulle__cells *cells = &body->cells;
    const size_t nodes = (size_t)tulle__cell_nodes(cells->shape);
    memcpy((int32_t *)cells->nodes + (size_t)e * nodes, element, nodes * sizeof *element);
    for (int d = 0; d < draft->unknowns; d++) {
        TULLE__TRY(tulle__quantity_add(draft, "value", &c->value[d], cells, e, number,
                                       draft->kind->load(body, d)));
    }
    if (c->kind != TULLE_ROBIN) return TULLE_OK;
    return tulle__quantity_add(draft, "factor", c->factor, cells, e, number, &cells->c);
}

/* Adds a condition's facets of one shape behind the *filled facets that are there; body NULL: only
 * counts them. */
static tulle_status add_facets(tulle__problem_draft *draft, const tulle__condition *c,
                               tulle_shape shape, tulle__body *body, int64_t *filled) {
    tulle__facets f;
    int64_t number = 0;
    TULLE__TRY(tulle__facets_find(draft, c->group, &f));
    for (int64_t b = f.first; b < f.first + f.count; b++) {
        const tulle_mesh_block *block = &f.mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++, number++) {
            if (block->shape != shape || !tulle__facets_have(&f, block, i)) continue;
            if (body) {
                TULLE__TRY(add_facet(draft, c, tulle__element(block, i), number, *filled, body));
            }
            (*filled)++;
        }
    }
    return TULLE_OK;
}

/* The facets of all conditions; a facet of two conditions counts twice. */
static tulle_status add_all(tulle__problem_draft *draft, tulle_shape shape, tulle__body *body,
                            int64_t *filled) {
    *filled = 0;
    for (int64_t k = 0; k < draft->condition_count; k++) {
        const tulle__condition c = draft->kind->condition(draft, k);
        if (c.kind == TULLE_DIRICHLET) continue;
        TULLE__TRY(add_facets(draft, &c, shape, body, filled));
    }
    return TULLE_OK;
}

static tulle_status draft_facets(tulle__problem_draft *draft, tulle_shape shape) {
    int64_t count = 0;
    tulle__body *body = NULL;
    TULLE__TRY(add_all(draft, shape, NULL, &count));
    if (count == 0) return TULLE_OK;
    TULLE__TRY(tulle__draft_block(draft, shape, count, &body));
    const int points = tulle__cell_points(shape);
    TULLE__TRY(tulle__quantity_room(draft->ctx, &body->cells, points, &body->cells.c));
    for (int d = 0; d < draft->unknowns; d++) {
        TULLE__TRY(
            tulle__quantity_room(draft->ctx, &body->cells, points, draft->kind->load(body, d)));
    }
    return add_all(draft, shape, body, &count);
}

static tulle_status give_node(const tulle__problem_draft *draft, const tulle__condition *c,
                              int32_t node) {
    double x[3] = {0, 0, 0};
    const double *at = tulle__node(draft->mesh, node);
    for (int d = 0; d < draft->mesh->arrays.dimension; d++) x[d] = at[d];
    for (int d = 0; d < draft->unknowns; d++) {
        const int64_t unknown = (int64_t)node * draft->unknowns + d;
        if (c->free && c->free[d]) continue;
        draft->masked[unknown] = 1;
        TULLE__TRY(
            tulle__quantity_value(draft, "value", &c->value[d], x, node, &draft->given[unknown]));
    }
    return TULLE_OK;
}

static tulle_status give_facets(tulle__problem_draft *draft, const tulle__condition *c) {
    tulle__facets f;
    for (int d = 0; d < draft->unknowns; d++) {
        if (!c->value[d].of_elements) continue;
        return fail(draft,
                    draft->unknowns > 1 ? "u is given at nodes: value[%d].of_elements must be NULL"
                                        : "u is given at nodes: value.of_elements must be NULL",
                    d);
    }
    TULLE__TRY(tulle__facets_find(draft, c->group, &f));
    for (int64_t b = f.first; b < f.first + f.count; b++) {
        const tulle_mesh_block *block = &f.mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++) {
            if (!tulle__facets_have(&f, block, i)) continue;
            for (int a = 0; a < tulle__cell_nodes(block->shape); a++) {
                TULLE__TRY(give_node(draft, c, tulle__element(block, i)[a]));
            }
        }
    }
    return TULLE_OK;
}

tulle_status tulle__draft_conditions(tulle__problem_draft *draft) {
    static const tulle_shape shapes[] = {
        TULLE_LINE,           TULLE_TRIANGLE,  TULLE_QUADRILATERAL, TULLE_LINE3,
        TULLE_QUADRILATERAL9, TULLE_TRIANGLE6, TULLE_QUADRILATERAL8};
    for (int64_t k = 0; k < draft->condition_count; k++) {
        const tulle__condition c = draft->kind->condition(draft, k);
        if ((unsigned)c.kind > TULLE_ROBIN) {
            return fail(draft, "condition %d is of no kind", (int)k);
        }
        TULLE__TRY(c.kind == TULLE_DIRICHLET ? give_facets(draft, &c)
                                             : tulle__facets_check(draft, c.group));
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        TULLE__TRY(draft_facets(draft, shapes[s]));
    }
    return TULLE_OK;
}
