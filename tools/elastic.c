/* SPDX-License-Identifier: Apache-2.0 */
#include "elastic.h"

#include <stdlib.h>
#include <string.h>

#include "quantity.h"
#include "tools/common/error.h"

bool tool_elastic_given(const tool_elastic *p) {
    return p->young.count + p->poisson.count + p->clamp.count + p->traction.count + p->force.count >
           0;
}

/* Adds a condition on the group that the first characters of a text name; none: on all of the
 * boundary. */
static tulle_elastic_condition *add_condition(tool_elastic_made *made, tulle_condition_kind kind,
                                              const char *text, int length) {
    const int64_t k = made->problem.condition_count++;
    tulle_elastic_condition *c = &made->conditions[k];
    c->kind = kind;
    if (length == 0) return c;
    made->names[k] = tool_alloc((size_t)length + 1, 1);
    memcpy(made->names[k], text, (size_t)length);
    c->group = made->names[k];
    return c;
}

static tulle_status add_tractions(const tool_list *list, int axes, tool_elastic_made *made) {
    for (int i = 0; i < list->count; i++) {
        int length;
        double numbers[3];
        const char *text = list->item[i];
        if (!tool_parse_axes(tool_number_part(text, &length), axes, numbers)) {
            return tool_record(TULLE_INVALID_ARGUMENT,
                               "--traction: '%s' is not of the form [GROUP=]%s", text,
                               axes == 2 ? "X,Y" : "X,Y,Z");
        }
        tulle_elastic_condition *c = add_condition(made, TULLE_NEUMANN, text, length);
        for (int d = 0; d < axes; d++) c->value[d].number = numbers[d];
    }
    return TULLE_OK;
}

/* Clamps come last, since an unknown that is given twice has the later number. */
static tulle_status make_conditions(const tool_elastic *p, int axes, tool_elastic_made *made) {
    const size_t count = (size_t)p->traction.count + (size_t)p->clamp.count;
    if (p->clamp.count == 0) {
        return tool_record(TULLE_INVALID_ARGUMENT,
                           "--elasticity: nothing holds the body: name the parts of the boundary "
                           "that are clamped, --clamp GROUP (tulle mesh info says which there "
                           "are)");
    }
    made->conditions = tool_alloc(count, sizeof *made->conditions);
    made->names = tool_alloc(count, sizeof *made->names);
    made->problem.conditions = made->conditions;
    const tulle_status status = add_tractions(&p->traction, axes, made);
    for (int i = 0; status == TULLE_OK && i < p->clamp.count; i++) {
        const char *group = p->clamp.item[i];
        (void)add_condition(made, TULLE_DIRICHLET, group, (int)strlen(group));
    }
    return status;
}

tulle_status tool_elastic_make(const tool_elastic *p, const tulle_mesh *mesh,
                               tool_elastic_made *made) {
    double down[3] = {0};
    tulle_mesh_arrays a;
    *made = (tool_elastic_made){.names = NULL};
    tulle_elasticity_problem *problem = &made->problem;
    tulle_status status = tulle_mesh_view(mesh, &a);
    if (status != TULLE_OK) return status;
    if (p->traction.count == 0) down[a.dimension - 1] = -1;
    status = tool_quantity_make("young", &p->young, mesh, 1, &problem->first, &made->of_cells[0]);
    if (status == TULLE_OK) {
        status = tool_quantity_make("poisson", &p->poisson, mesh, 0.3, &problem->second,
                                    &made->of_cells[1]);
    }
    if (status == TULLE_OK) {
        status = tool_axes_make("force", &p->force, mesh, a.dimension, down, problem->force,
                                &made->of_cells[2]);
    }
    return status == TULLE_OK ? make_conditions(p, a.dimension, made) : status;
}

void tool_elastic_free(tool_elastic_made *made) {
    for (int64_t i = 0; i < made->problem.condition_count; i++) free(made->names[i]);
    free(made->names);
    free(made->conditions);
    for (int q = 0; q < 5; q++) free(made->of_cells[q]);
    *made = (tool_elastic_made){.names = NULL};
}
