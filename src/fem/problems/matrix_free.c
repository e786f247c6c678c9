/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a mesh without a problem around it: a caller's numbers, in units of the mesh, and
 * the diagonal entries of rows that are masked. */
#include <string.h>

#include "core/options.h"
#include "fem/patches/mesh_operator.h"
#include "fem/problems/scales.h"
#include "fem/problems/units.h"
#include "matrix/operand.h"

/* The rows of a caller's mask: a copy of it on the host, and their diagonal entries. */
typedef struct given_rows {
    uint8_t *masked;
    tulle__scaling scaling;
} given_rows;

static tulle__cell_quantity quantity_of(const double *of_cell, int64_t first, double number) {
    if (!of_cell) return (tulle__cell_quantity){.number = number};
    return (tulle__cell_quantity){.per = 1, .numbers = of_cell + first};
}

static tulle_status scale_given(tulle_ctx *ctx, const tulle_mesh *mesh,
                                const tulle_matrix_free_options *o, given_rows *given) {
    const int64_t nodes = mesh->arrays.node_count;
    int64_t first = 0;
    given->masked = tulle__host_alloc(ctx, (size_t)nodes);
    if (!given->masked) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__copy_wait(ctx, given->masked, o->masked, (size_t)nodes));
    given->scaling = (tulle__scaling){.kind = &tulle__diffusion_kind,
                                      .ctx = ctx,
                                      .mesh = mesh,
                                      .rows = nodes,
                                      .unknowns = 1,
                                      .masked = given->masked};
    TULLE__TRY(tulle__scaling_open(&given->scaling));
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        const tulle__body body = {
            .cells = {.shape = block->shape,
                      .count = block->count,
                      .nodes = block->nodes,
                      .dimension = mesh->arrays.dimension,
                      .stiff = true,
                      .k = quantity_of(o->cell_diffusion, first, o->diffusion),
                      .c = quantity_of(o->cell_reaction, first, o->reaction)}};
        TULLE__TRY(tulle__scales_of_block(&given->scaling, &body, block->nodes));
        first += block->count;
    }
    tulle__scaling_finish(&given->scaling);
    return TULLE_OK;
}

/* The caller's numbers in units of the mesh; those of cells are arrays of the host's. */
typedef struct own_numbers {
    tulle__mesh_units units;
    tulle_matrix_free_options options;
    double *diffusion, *reaction;
} own_numbers;

static tulle_status change_units(tulle_ctx *ctx, const own_numbers *own, int lengths,
                                 const double *of_cell, double *number, double **numbers,
                                 double *most) {
    const int64_t cells = own->units.mesh.info.cells;
    tulle__cell_quantity quantity = {.per = of_cell ? 1 : 0, .number = of_cell ? 0 : *number};
    if (of_cell) {
        *numbers = tulle__host_alloc(ctx, (size_t)cells * sizeof **numbers);
        if (!*numbers) return TULLE_OUT_OF_MEMORY;
        memcpy(*numbers, of_cell, (size_t)cells * sizeof **numbers);
        quantity.numbers = *numbers;
    }
    tulle__quantity_in_units(&own->units, lengths, cells, &quantity, most);
    *number = of_cell ? *number : quantity.number;
    return TULLE_OK;
}

static tulle_status open_numbers(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                 const tulle_matrix_free_options *o, tulle_type type,
                                 own_numbers *own) {
    const int lengths = mesh->info.dimension;
    double most = 0;
    own->options = *o;
    TULLE__TRY(tulle__mesh_units_open(ctx, mesh, &own->units));
    TULLE__TRY(change_units(ctx, own, lengths - 2, o->cell_diffusion, &own->options.diffusion,
                            &own->diffusion, &most));
    TULLE__TRY(change_units(ctx, own, lengths, o->cell_reaction, &own->options.reaction,
                            &own->reaction, &most));
    own->options.cell_diffusion = own->diffusion;
    own->options.cell_reaction = own->reaction;
    return tulle__check_range(function, "options", type, "diffusion and reaction", most);
}

static void close_numbers(tulle_ctx *ctx, const own_numbers *own) {
    tulle__host_free(ctx, own->reaction);
    tulle__host_free(ctx, own->diffusion);
    tulle__mesh_units_close(ctx, &own->units);
}

tulle_status tulle_linop_matrix_free_sized(tulle_ctx *ctx, const tulle_mesh *mesh,
                                           const tulle_matrix_free_options *options,
                                           size_t options_size, tulle_type type, tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    TULLE__TRY(tulle__check_type(__func__, type));
    tulle_matrix_free_options o;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &o, sizeof o));
    if (!options) o.diffusion = 1;
    given_rows given = {0};
    own_numbers own = {.diffusion = NULL};
    tulle__mesh_extras extras = {.rows = {.count = mesh->arrays.node_count, .masked = o.masked}};
    tulle_status status = tulle__mesh_operator_check(__func__, ctx, mesh, &o);
    if (status == TULLE_OK) status = open_numbers(__func__, ctx, mesh, &o, type, &own);
    if (status == TULLE_OK && o.masked) {
        status = scale_given(ctx, &own.units.mesh, &own.options, &given);
    }
    extras.rows.scales = given.scaling.scales;
    if (status == TULLE_OK) {
        status =
            tulle__linop_of_mesh(__func__, ctx, &own.units.mesh, &own.options, &extras, type, L);
    }
    close_numbers(ctx, &own);
    tulle__host_free(ctx, given.scaling.scales);
    tulle__host_free(ctx, given.masked);
    return status;
}
