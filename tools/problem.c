/* SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "quantity.h"
#include "tools/common/error.h"
#include "tools/common/numbers.h"

bool tool_problem_given(const tool_problem *p) {
    return p->k.count + p->c.count + p->f.count + p->dirichlet.count + p->neumann.count +
               p->robin.count + p->periodic.count >
           0;
}

static tulle_status no_number(const char *option, const char *text) {
    return tool_record(TULLE_INVALID_ARGUMENT, "--%s: '%s' is not of the form %s", option, text,
                       strcmp(option, "robin") == 0 ? "[GROUP=]H:U" : "[GROUP=]NUMBER");
}

/* Reads a condition: a number, or for Robin's "H:U", factor and value of the flux H (U - u). */
static bool parse_condition(const char *text, tulle_condition *c) {
    char first[64];
    double U;
    if (c->kind != TULLE_ROBIN) return tool_parse_real(text, &c->value.number);
    const size_t length = strcspn(text, ":");
    if (text[length] != ':' || length >= sizeof first) return false;
    memcpy(first, text, length);
    first[length] = '\0';
    if (!tool_parse_real(first, &c->factor.number)) return false;
    if (!tool_parse_real(text + length + 1, &U)) return false;
    c->value.number = c->factor.number * U;
    return true;
}

static tulle_status add_conditions(const char *option, const tool_list *list,
                                   tulle_condition_kind kind, tool_problem_made *made) {
    for (int i = 0; i < list->count; i++) {
        int length;
        const int64_t k = made->problem.condition_count++;
        tulle_condition *c = &made->conditions[k];
        const char *text = list->item[i], *number = tool_number_part(text, &length);
        c->kind = kind;
        if (!parse_condition(number, c)) return no_number(option, text);
        if (length == 0) continue;
        made->names[k] = tool_alloc((size_t)length + 1, 1);
        memcpy(made->names[k], text, (size_t)length);
        c->group = made->names[k];
    }
    return TULLE_OK;
}

static tulle_status make_conditions(const tool_problem *p, tool_problem_made *made) {
    const size_t count =
        (size_t)p->dirichlet.count + (size_t)p->neumann.count + (size_t)p->robin.count + 1;
    made->conditions = tool_alloc(count, sizeof *made->conditions);
    made->names = tool_alloc(count, sizeof *made->names);
    made->problem.conditions = made->conditions;
    tulle_status status = add_conditions("dirichlet", &p->dirichlet, TULLE_DIRICHLET, made);
    if (status == TULLE_OK) status = add_conditions("neumann", &p->neumann, TULLE_NEUMANN, made);
    if (status == TULLE_OK) status = add_conditions("robin", &p->robin, TULLE_ROBIN, made);
    /* Without any condition u is 0 on all of the boundary. */
    if (count == 1 && p->periodic.count == 0) made->problem.condition_count = 1;
    return status;
}

/* Finds the lower corner of the box that a group of facets is in. */
static tulle_status find_corner(const tulle_mesh *mesh, const char *group, double low[3]) {
    tulle_mesh_arrays a;
    tulle_mesh_info info;
    int32_t number = 0;
    tulle_status status = tulle_mesh_view(mesh, &a);
    if (status == TULLE_OK) status = tulle_mesh_describe(mesh, &info);
    if (status != TULLE_OK) return status;
    for (int64_t g = 0; g < a.group_count; g++) {
        const tulle_mesh_group *of = &a.groups[g];
        if (of->dimension == info.cell_dimension - 1 && strcmp(of->name, group) == 0) {
            number = of->number;
        }
    }
    if (number == 0) {
        return tool_record(TULLE_NOT_FOUND,
                           "--periodic: no part of the boundary is called '%s' (tulle mesh info "
                           "says which there are)",
                           group);
    }
    for (int d = 0; d < 3; d++) low[d] = d < a.dimension ? INFINITY : 0;
    for (int64_t b = info.cell_blocks; b < a.block_count; b++) {
        const tulle_mesh_block *block = &a.blocks[b];
        tulle_shape_info shape;
        status = tulle_shape_describe(block->shape, &shape);
        for (int64_t k = 0; status == TULLE_OK && k < block->count * shape.nodes; k++) {
            if (!block->groups ||
                !tulle_mesh_in_group(&a, shape.dimension, block->groups[k / shape.nodes], number))
                continue;
            const double *x = a.coordinates + (int64_t)block->nodes[k] * a.dimension;
            for (int d = 0; d < a.dimension; d++) low[d] = fmin(low[d], x[d]);
        }
    }
    return status;
}

/* Makes a period, whose shift is the difference of the two parts' lower corners. */
static tulle_status make_period(const char *text, const tulle_mesh *mesh, tulle_period *period,
                                char *ends[2]) {
    const size_t length = strcspn(text, "=");
    double from[3], to[3];
    if (length == 0 || text[length] == 0 || text[length + 1] == 0) {
        return tool_record(TULLE_INVALID_ARGUMENT, "--periodic: '%s' is not of the form FROM=TO",
                           text);
    }
    ends[0] = tool_alloc(length + 1, 1);
    memcpy(ends[0], text, length);
    ends[1] = tool_alloc(strlen(text) - length, 1);
    memcpy(ends[1], text + length + 1, strlen(text) - length - 1);
    *period = (tulle_period){.from = ends[0], .to = ends[1]};
    tulle_status status = find_corner(mesh, period->from, from);
    if (status == TULLE_OK) status = find_corner(mesh, period->to, to);
    for (int d = 0; d < 3 && status == TULLE_OK; d++) period->shift[d] = to[d] - from[d];
    return status;
}

static tulle_status make_periods(const tool_list *list, const tulle_mesh *mesh,
                                 tool_problem_made *made) {
    tulle_status status = TULLE_OK;
    made->periods = tool_alloc((size_t)list->count + 1, sizeof *made->periods);
    made->ends = tool_alloc(2 * (size_t)list->count + 1, sizeof *made->ends);
    made->problem.periods = made->periods;
    made->problem.period_count = list->count;
    for (int i = 0; i < list->count && status == TULLE_OK; i++) {
        status = make_period(list->item[i], mesh, &made->periods[i], &made->ends[2 * i]);
    }
    return status;
}

tulle_status tool_problem_make(const tool_problem *p, const tulle_mesh *mesh,
                               tool_problem_made *made) {
    *made = (tool_problem_made){.names = NULL};
    tulle_diffusion_problem *problem = &made->problem;
    tulle_status status =
        tool_quantity_make("conductivity", &p->k, mesh, 1, &made->k, &made->of_cells[0]);
    problem->k = &made->k;
    if (status == TULLE_OK) {
        status = tool_quantity_make("reaction", &p->c, mesh, 0, &problem->c, &made->of_cells[1]);
    }
    if (status == TULLE_OK) {
        status = tool_quantity_make("source", &p->f, mesh, 1, &problem->f, &made->of_cells[2]);
    }
    if (status == TULLE_OK) status = make_conditions(p, made);
    return status == TULLE_OK ? make_periods(&p->periodic, mesh, made) : status;
}

void tool_problem_free(tool_problem_made *made) {
    for (int64_t i = 0; i < made->problem.condition_count; i++) free(made->names[i]);
    for (int64_t i = 0; i < 2 * made->problem.period_count; i++) free(made->ends[i]);
    free(made->ends);
    free(made->periods);
    free(made->names);
    free(made->conditions);
    for (int q = 0; q < 3; q++) free(made->of_cells[q]);
    *made = (tool_problem_made){.names = NULL};
}
