/* SPDX-License-Identifier: Apache-2.0 */
/* Quantities, which the caller gives as numbers, arrays or functions, as numbers of elements or of
 * points of quadrature. */
#include <inttypes.h>
#include <math.h>

#include "fem/elements/tabulated.h"
#include "fem/problems/problem.h"

#define REAL double
#define FUNCTION(type, name) static inline type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL
#include "fem/elements/isoparametric.h"
#include "fem/elements/quadratic.h"

tulle_status tulle__quantity_room(tulle_ctx *ctx, const tulle__cells *cells, int per,
                                  tulle__cell_quantity *quantity) {
    void *numbers = NULL;
    quantity->per = per;
    TULLE__TRY(tulle__mesh_array(ctx, cells->count, per * (int64_t)sizeof(double), &numbers));
    quantity->numbers = numbers;
    return TULLE_OK;
}

tulle_status tulle__quantity_value(const tulle__problem_draft *draft, const char *name,
                                   const tulle_quantity *given, const double x[3], int64_t element,
                                   double *value) {
    *value = given->function      ? given->function(x, element, given->user)
             : given->of_elements ? given->of_elements[element]
                                  : given->number;
    if (isfinite(*value)) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, draft->kind->create, "problem", element,
                       "%s is %g in element %" PRId64 "; it must be finite", name, *value, element);
}

/* weight_of[a]: how much the coordinates of node a count at point q of a cell. */
static void weigh_nodes(const tulle__cells *cells, int q, double weight_of[TULLE__LATTICE]) {
    const int dimension = tulle__cell_dimension(cells->shape);
    const int nodes = tulle__cell_nodes(cells->shape);
    double at[3] = {0, 0, 0}, value[3][3], slope[3][3];
    if (cells->table) {
        const double *value_of = tulle__table_point(cells, q) + 1;
        for (int a = 0; a < nodes; a++) weight_of[a] = value_of[a];
        return;
    }
    if (tulle__is_quadratic(cells->shape)) {
        polynomials_at(dimension, q, value, slope);
        for (int a = 0; a < nodes; a++) {
            weight_of[a] = product_value(dimension, cells->place[a], value);
        }
        return;
    }
    point(cells->shape, q, at);
    for (int a = 0; a < nodes; a++) weight_of[a] = shape_value(cells->shape, a, at);
}

/* Finds the coordinates of point q of an element. */
static void locate(const tulle_mesh *mesh, const tulle__cells *cells, int64_t e, int q,
                   double x[3]) {
    const int nodes = tulle__cell_nodes(cells->shape);
    double weight_of[TULLE__LATTICE];
    weigh_nodes(cells, q, weight_of);
    x[0] = x[1] = x[2] = 0;
    for (int a = 0; a < nodes; a++) {
        const double *corner = tulle__node(mesh, cells->nodes[e * nodes + a]);
        for (int d = 0; d < mesh->arrays.dimension; d++) x[d] += weight_of[a] * corner[d];
    }
}

tulle_status tulle__quantity_add(const tulle__problem_draft *draft, const char *name,
                                 const tulle_quantity *given, const tulle__cells *cells, int64_t e,
                                 int64_t element, const tulle__cell_quantity *to) {
    double *numbers = (double *)to->numbers;
    for (int q = 0; q < to->per; q++) {
        double x[3] = {0, 0, 0}, value;
        if (given->function) locate(draft->mesh, cells, e, q, x);
        TULLE__TRY(tulle__quantity_value(draft, name, given, x, element, &value));
        numbers[q * cells->count + e] += value;
    }
    return TULLE_OK;
}

int tulle__quantity_per(const tulle_quantity *given, int points) {
    return given->function ? points : given->of_elements ? 1 : 0;
}

tulle_status tulle__quantity_of_cells(const tulle__problem_draft *draft, const char *name,
                                      const tulle_quantity *given, const tulle__cells *cells,
                                      int per, tulle__cell_quantity *to) {
    const tulle_mesh *mesh = draft->mesh;
    int64_t element = 0, e = 0;
    const double nowhere[3] = {0, 0, 0};
    if (per == 0) return tulle__quantity_value(draft, name, given, nowhere, 0, &to->number);
    TULLE__TRY(tulle__quantity_room(draft->ctx, cells, per, to));
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        for (int64_t i = 0; i < block->count; i++, element++) {
            if (block->shape != cells->shape) continue;
            TULLE__TRY(tulle__quantity_add(draft, name, given, cells, e++, element, to));
        }
    }
    return TULLE_OK;
}
