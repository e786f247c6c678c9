/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/problems/units.h"

#include <math.h>

/* Magnitudes between which f32 holds numbers, and parts of them, with all digits. */
static const double least_single = 1e-30, largest_single = 1e30;

/* The longest side of the box of all nodes; half of it, so that it is a number. */
static double half_extent(const tulle_mesh_arrays *a) {
    double longest = 0;
    for (int d = 0; d < a->dimension; d++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t i = d; i < a->node_count * a->dimension; i += a->dimension) {
            low = fmin(low, a->coordinates[i]);
            high = fmax(high, a->coordinates[i]);
        }
        longest = fmax(longest, high / 2 - low / 2);
    }
    return longest;
}

tulle_status tulle__mesh_units_open(tulle_ctx *ctx, const tulle_mesh *mesh,
                                    tulle__mesh_units *units) {
    const int64_t numbers = mesh->arrays.node_count * mesh->arrays.dimension;
    const double half = half_extent(&mesh->arrays);
    size_t bytes;
    units->mesh = *mesh;
    if (!(half > 0) || !isfinite(half)) return TULLE_OK;
    units->power = -ilogb(half);
    TULLE__TRY(tulle__size(numbers, sizeof *units->coordinates, 0, &bytes));
    units->coordinates = tulle__host_alloc(ctx, bytes);
    if (!units->coordinates) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < numbers; i++) {
        units->coordinates[i] = ldexp(mesh->arrays.coordinates[i], units->power);
    }
    units->mesh.arrays.coordinates = units->coordinates;
    return TULLE_OK;
}

void tulle__mesh_units_close(tulle_ctx *ctx, const tulle__mesh_units *units) {
    tulle__host_free(ctx, units->coordinates);
}

double tulle__in_units(const tulle__mesh_units *units, int lengths, double number) {
    return ldexp(number, -units->power * lengths);
}

void tulle__quantity_in_units(const tulle__mesh_units *units, int lengths, int64_t count,
                              tulle__cell_quantity *quantity, double *most) {
    double *numbers = (double *)quantity->numbers;
    quantity->number = tulle__in_units(units, lengths, quantity->number);
    *most = fmax(*most, fabs(quantity->number));
    for (int64_t i = 0; i < quantity->per * count; i++) {
        numbers[i] = tulle__in_units(units, lengths, numbers[i]);
        *most = fmax(*most, fabs(numbers[i]));
    }
}

tulle_status tulle__check_range(const char *function, const char *argument, tulle_type type,
                                const char *what, double most) {
    const bool held = most == 0 || (most >= least_single && most <= largest_single);
    if (type == TULLE_F64 || held) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, argument, -1,
                       "%s: up to %.3g in units of the mesh's size, and f32 holds numbers from "
                       "%g to %g here: take f64, or other units",
                       what, most, least_single, largest_single);
}
