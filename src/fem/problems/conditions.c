/* SPDX-License-Identifier: Apache-2.0 */
/* What is given on parts of the boundary: facets with a flux become elements, nodes with a number
 * are noted. */
#include <string.h>

#include "fem/problems/diffusion.h"

static const char create[] = "tulle_diffusion_create";

static tulle_status find_facets(tulle__diffusion_draft *draft, const tulle_condition *c,
                                tulle__facets *f) {
    return tulle__facets_find(create, draft->ctx, draft->mesh, c->group, &draft->boundary, f);
}

static bool is_flux(const tulle_condition *c) {
    return c->kind != TULLE_DIRICHLET;
}

/* How many facets of a shape conditions give fluxes on; a facet of two conditions counts twice. */
static tulle_status count_fluxes(tulle__diffusion_draft *draft, tulle_shape shape, int64_t *count) {
    *count = 0;
    for (int64_t k = 0; k < draft->problem->condition_count; k++) {
        const tulle_condition *c = &draft->problem->conditions[k];
        tulle__facets f;
        if (!is_flux(c)) continue;
        TULLE__TRY(find_facets(draft, c, &f));
        for (int64_t b = f.first; b < f.first + f.count; b++) {
            const tulle_mesh_block *block = &f.mesh->blocks[b];
            if (block->shape != shape) continue;
            for (int64_t i = 0; i < block->count; i++) *count += tulle__facets_have(&f, block, i);
        }
    }
    return TULLE_OK;
}

/* One facet with a flux, behind those before. */
static tulle_status add_flux(const tulle__diffusion_draft *draft, const tulle_condition *c,
                             const int32_t *element, int64_t number, int64_t e,
                             const tulle__cells *cells) {
    const size_t nodes = (size_t)tulle__cell_nodes(cells->shape);
    memcpy((int32_t *)cells->nodes + (size_t)e * nodes, element, nodes * sizeof *element);
    TULLE__TRY(
        tulle__quantity_add(create, "value", draft->mesh, &c->value, cells, e, number, &cells->f));
    if (c->kind != TULLE_ROBIN) return TULLE_OK;
    return tulle__quantity_add(create, "factor", draft->mesh, &c->factor, cells, e, number,
                               &cells->c);
}

static tulle_status fill_fluxes(tulle__diffusion_draft *draft, const tulle__cells *cells) {
    int64_t filled = 0;
    for (int64_t k = 0; k < draft->problem->condition_count; k++) {
        const tulle_condition *c = &draft->problem->conditions[k];
        tulle__facets f;
        if (!is_flux(c)) continue;
        TULLE__TRY(find_facets(draft, c, &f));
        int64_t number = 0;
        for (int64_t b = f.first; b < f.first + f.count; b++) {
            const tulle_mesh_block *block = &f.mesh->blocks[b];
            for (int64_t i = 0; i < block->count; i++, number++) {
                if (block->shape != cells->shape || !tulle__facets_have(&f, block, i)) continue;
                TULLE__TRY(add_flux(draft, c, tulle__element(block, i), number, filled++, cells));
            }
        }
    }
    return TULLE_OK;
}

static tulle_status draft_fluxes(tulle__diffusion_draft *draft, tulle_shape shape) {
    int64_t count = 0;
    tulle__cells *cells = NULL;
    TULLE__TRY(count_fluxes(draft, shape, &count));
    if (count == 0) return TULLE_OK;
    TULLE__TRY(tulle__draft_block(draft, shape, count, &cells));
    const int points = tulle__cell_points(shape);
    TULLE__TRY(tulle__quantity_room(draft->ctx, cells, points, &cells->c));
    TULLE__TRY(tulle__quantity_room(draft->ctx, cells, points, &cells->f));
    return fill_fluxes(draft, cells);
}

static tulle_status give_node(const tulle__diffusion_draft *draft, const tulle_condition *c,
                              int32_t node) {
    double x[3] = {0, 0, 0};
    const double *at = tulle__node(draft->mesh, node);
    for (int d = 0; d < draft->mesh->arrays.dimension; d++) x[d] = at[d];
    draft->masked[node] = 1;
    return tulle__quantity_value(create, "value", &c->value, x, node, &draft->given[node]);
}

static tulle_status give_facets(tulle__diffusion_draft *draft, const tulle_condition *c) {
    tulle__facets f;
    if (c->value.of_elements) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, create, "problem", -1,
                           "u is given at nodes: value.of_elements must be NULL");
    }
    TULLE__TRY(find_facets(draft, c, &f));
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

static tulle_status check_facets(tulle__diffusion_draft *draft, const tulle_condition *c) {
    tulle__facets f;
    TULLE__TRY(find_facets(draft, c, &f));
    return tulle__facets_check(create, draft->ctx, &f, c->group);
}

tulle_status tulle__draft_conditions(tulle__diffusion_draft *draft) {
    static const tulle_shape shapes[] = {
        TULLE_LINE,           TULLE_TRIANGLE,  TULLE_QUADRILATERAL, TULLE_LINE3,
        TULLE_QUADRILATERAL9, TULLE_TRIANGLE6, TULLE_QUADRILATERAL8};
    for (int64_t k = 0; k < draft->problem->condition_count; k++) {
        const tulle_condition *c = &draft->problem->conditions[k];
        if ((unsigned)c->kind > TULLE_ROBIN) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, create, "problem", -1,
                               "condition %d is of no kind", (int)k);
        }
        TULLE__TRY(is_flux(c) ? check_facets(draft, c) : give_facets(draft, c));
    }
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        TULLE__TRY(draft_fluxes(draft, shapes[s]));
    }
    return TULLE_OK;
}
