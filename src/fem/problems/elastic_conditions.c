/* SPDX-License-Identifier: Apache-2.0 */
/* What is given on parts of the boundary of an elastic body: facets with a traction become
 * elements, unknowns with a number are noted. */
#include <string.h>

#include "fem/problems/elasticity.h"

static const char create[] = "tulle_elasticity_create";

/* A condition on the facets of one shape. */
typedef struct part {
    const tulle_elastic_condition *condition;
    tulle__facets facets;
} part;

static tulle_status find(tulle__elastic_draft *draft, const tulle_elastic_condition *c, part *p) {
    p->condition = c;
    return tulle__facets_find(create, draft->ctx, draft->mesh, c->group, &draft->boundary,
                              &p->facets);
}

static tulle_status add_facet(const tulle__elastic_draft *draft, const part *p,
                              const tulle_mesh_block *block, int64_t i, int64_t number, int64_t e,
                              const tulle__elastic *body) {
    const tulle_elastic_condition *c = p->condition;
    const tulle__cells *cells = &body->cells;
    const size_t nodes = (size_t)tulle__cell_nodes(cells->shape);
    memcpy((int32_t *)cells->nodes + (size_t)e * nodes, tulle__element(block, i),
           nodes * sizeof(int32_t));
    for (int d = 0; d < draft->unknowns; d++) {
        TULLE__TRY(tulle__quantity_add(create, "value", draft->mesh, &c->value[d], cells, e, number,
                                       &body->force[d]));
    }
    if (c->kind != TULLE_ROBIN) return TULLE_OK;
    return tulle__quantity_add(create, "factor", draft->mesh, &c->factor, cells, e, number,
                               &cells->c);
}

/* Facets of the block's shape, behind the *filled that are there; body NULL: they are counted. */
static tulle_status add_part(const tulle__elastic_draft *draft, const part *p, tulle_shape shape,
                             const tulle__elastic *body, int64_t *filled) {
    const tulle__facets *f = &p->facets;
    int64_t number = 0;
    for (int64_t b = f->first; b < f->first + f->count; b++) {
        const tulle_mesh_block *block = &f->mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++, number++) {
            if (block->shape != shape || !tulle__facets_have(f, block, i)) continue;
            if (body) TULLE__TRY(add_facet(draft, p, block, i, number, *filled, body));
            (*filled)++;
        }
    }
    return TULLE_OK;
}

static tulle_status add_parts(tulle__elastic_draft *draft, tulle_shape shape,
                              const tulle__elastic *body, int64_t *filled) {
    *filled = 0;
    for (int64_t k = 0; k < draft->problem->condition_count; k++) {
        const tulle_elastic_condition *c = &draft->problem->conditions[k];
        part p;
        if (c->kind == TULLE_DIRICHLET) continue;
        TULLE__TRY(find(draft, c, &p));
        TULLE__TRY(add_part(draft, &p, shape, body, filled));
    }
    return TULLE_OK;
}

static tulle_status draft_tractions(tulle__elastic_draft *draft, tulle_shape shape) {
    int64_t count = 0;
    tulle__elastic *body = NULL;
    TULLE__TRY(add_parts(draft, shape, NULL, &count));
    if (count == 0) return TULLE_OK;
    TULLE__TRY(tulle__elastic_block(draft, shape, count, &body));
    const int points = tulle__cell_nodes(shape);
    TULLE__TRY(tulle__quantity_room(draft->ctx, &body->cells, points, &body->cells.c));
    for (int d = 0; d < draft->unknowns; d++) {
        TULLE__TRY(tulle__quantity_room(draft->ctx, &body->cells, points, &body->force[d]));
    }
    return add_parts(draft, shape, body, &count);
}

static tulle_status give_node(const tulle__elastic_draft *draft, const tulle_elastic_condition *c,
                              int32_t node) {
    double x[3] = {0, 0, 0};
    const double *at = tulle__node(draft->mesh, node);
    for (int d = 0; d < draft->unknowns; d++) x[d] = at[d];
    for (int d = 0; d < draft->unknowns; d++) {
        const int64_t unknown = (int64_t)node * draft->unknowns + d;
        if (c->free[d]) continue;
        draft->masked[unknown] = 1;
        TULLE__TRY(
            tulle__quantity_value(create, "value", &c->value[d], x, node, &draft->given[unknown]));
    }
    return TULLE_OK;
}

static tulle_status give_facets(tulle__elastic_draft *draft, const tulle_elastic_condition *c) {
    part p;
    for (int d = 0; d < draft->unknowns; d++) {
        if (!c->value[d].of_elements) continue;
        return tulle__fail(TULLE_INVALID_ARGUMENT, create, "problem", -1,
                           "u is given at nodes: value[%d].of_elements must be NULL", d);
    }
    TULLE__TRY(find(draft, c, &p));
    for (int64_t b = p.facets.first; b < p.facets.first + p.facets.count; b++) {
        const tulle_mesh_block *block = &p.facets.mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++) {
            if (!tulle__facets_have(&p.facets, block, i)) continue;
            for (int a = 0; a < tulle__cell_nodes(block->shape); a++) {
                TULLE__TRY(give_node(draft, c, tulle__element(block, i)[a]));
            }
        }
    }
    return TULLE_OK;
}

static tulle_status check_facets(tulle__elastic_draft *draft, const tulle_elastic_condition *c) {
    part p;
    TULLE__TRY(find(draft, c, &p));
    return tulle__facets_check(create, draft->ctx, &p.facets, c->group);
}

tulle_status tulle__elastic_conditions(tulle__elastic_draft *draft) {
    static const tulle_shape shapes[] = {TULLE_LINE, TULLE_TRIANGLE, TULLE_QUADRILATERAL};
    for (int64_t k = 0; k < draft->problem->condition_count; k++) {
        const tulle_elastic_condition *c = &draft->problem->conditions[k];
        if ((unsigned)c->kind > TULLE_ROBIN) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, create, "problem", -1,
                               "condition %d is of no kind", (int)k);
        }
        const bool given = c->kind == TULLE_DIRICHLET;
        TULLE__TRY(given ? give_facets(draft, c) : check_facets(draft, c));
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        TULLE__TRY(draft_tractions(draft, shapes[s]));
    }
    return TULLE_OK;
}
