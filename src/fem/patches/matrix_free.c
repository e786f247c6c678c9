/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a mesh as an operator that makes element matrices anew whenever it is applied. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "fem/functions.h"
#include "fem/patches/cell_kinds.h"
#include "fem/patches/mesh_operator.h"
#include "fem/patches/quadratic_operator.h"
#include "fem/problems/scales.h"
#include "fem/problems/units.h"
#include "matrix/operand.h"
#include "operator/columns.h"

/* Cells of a patch, if the caller does not say: 2048 hexahedra have some 2500 nodes, whose 5
 * numbers are 100 KB of f64, so that two patches are on a multiprocessor at once. There are twice
 * as many triangles as nodes, and five to six times as many tetrahedra. */
enum { CELLS = 2048, TRIANGLES = 4096, TETRAHEDRA = 10240 };
static int64_t cells_of_patch(tulle_shape shape) {
    if (shape == TULLE_TETRAHEDRON) return TETRAHEDRA;
    return shape == TULLE_TRIANGLE ? TRIANGLES : CELLS;
}

/* Bytes of shared memory that a patch may take: half of what a multiprocessor of 228 KB has. */
enum { PATCH_BYTES = 113 * 1024 };
/* Nodes that have a number beside the flags of patches. */
enum { MOST_NODES = 1 << 30 };

typedef struct free_operator {
    tulle_linop head;
    tulle_matrix_free_options options; /* numbers alone: its pointers are NULL */
    int kinds;
    tulle__cell_kind *cells; /* kinds */
    tulle__rest rest;
    tulle__kept kept;
    uint8_t *masked;    /* of each row; NULL: none is */
    void *slots, *room; /* slots: of patches, and then products of what is kept */
    int64_t between;    /* slots of patches */
    int64_t bytes;
} free_operator;

static free_operator *of(tulle_linop *L) {
    return (free_operator *)L;
}
static const free_operator *seen_of(const tulle_linop *L) {
    return (const free_operator *)L;
}

static tulle_status combine(const free_operator *own, const tulle__column *a) {
    const tulle__combine_job job = {.type = own->head.type,
                                    .count = own->rest.count,
                                    .rows = own->rest.rows,
                                    .alpha = a->alpha,
                                    .beta = a->beta,
                                    .ends = own->options.atomic ? NULL : own->rest.ends,
                                    .from = own->rest.from,
                                    .products = own->slots,
                                    .masked = own->masked,
                                    .scales = own->rest.scales,
                                    .diagonal = a->diagonal,
                                    .x = a->x,
                                    .y = a->y,
                                    .x_step = a->x_step,
                                    .y_step = a->y_step};
    if (own->rest.count == 0) return TULLE_OK;
    return a->ctx->backend->fem->combine_products(&a->ctx->place, &job);
}

static tulle_status multiply(const free_operator *own, const tulle__column *a,
                             const tulle__cell_kind *c) {
    const tulle_matrix_free_options *o = &own->options;
    const int64_t size = tulle_type_size(own->head.type);
    const tulle__patches_job job = {
        .type = own->head.type,
        .shape = c->shape,
        .affine = c->affine,
        .patches = c->patches,
        .vectors = {.diagonal = a->diagonal,
                    .atomic = o->atomic,
                    .slots = (char *)own->slots + c->first_slot * size,
                    .alpha = a->alpha,
                    .beta = a->beta,
                    .x = a->x,
                    .y = a->y,
                    .x_step = a->x_step,
                    .y_step = a->y_step},
        .metrics = c->metrics,
        .coordinates = c->coordinates,
        .diffusion = {.of_element = c->diffusion, .number = o->diffusion},
        .reaction = {.of_element = c->reaction, .number = o->reaction},
        .room = own->room};
    return a->ctx->backend->fem->apply_patches(&a->ctx->place, &job);
}

/* Sums in slots come to y after all of them are there; what is added atomically finds beta y. */
static tulle_status act(const tulle_linop *L, const tulle__column *a) {
    const free_operator *own = seen_of(L);
    if (own->options.atomic) TULLE__TRY(combine(own, a));
    for (int k = 0; k < own->kinds; k++) {
        if (own->cells[k].patches.count > 0) TULLE__TRY(multiply(own, a, &own->cells[k]));
    }
    TULLE__TRY(tulle__kept_multiply(&own->kept, L->type, a, own->slots, own->between));
    return own->options.atomic ? TULLE_OK : combine(own, a);
}

static tulle_status check_atomic(const char *function, const tulle_ctx *ctx, bool atomic) {
    return tulle__check_atomic(function, ctx, atomic, "atomic sums do");
}

/* The matrix is symmetric: op does not matter. */
static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_dense *X, tulle_scalar beta, tulle_dense *Y) {
    TULLE__TRY(check_atomic("tulle_linop_apply", ctx, of(L)->options.atomic));
    return tulle__columns_apply(ctx, L, op, alpha, X, beta, Y, act);
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_dense *d) {
    TULLE__TRY(check_atomic("tulle_linop_get_diagonal", ctx, of(L)->options.atomic));
    return tulle__columns_diagonal(ctx, L, d, act);
}

/* Arrays stay where they are. */
static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    (void)ctx;
    return (uint64_t)(uintptr_t)L;
}

static void destroy(tulle_linop *L) {
    free_operator *own = of(L);
    tulle__free(L->ctx, own->room);
    tulle__free(L->ctx, own->slots);
    tulle__rest_close(L->ctx, &own->rest);
    tulle__kept_close(L->ctx, &own->kept);
    tulle__free(L->ctx, own->masked);
    for (int k = own->kinds - 1; k >= 0; k--) tulle__cell_kind_close(L->ctx, &own->cells[k]);
    tulle__host_free(L->ctx, own->cells);
}

static const tulle__linop_kind kind = {.name = "matrix-free",
                                       .bytes = sizeof(free_operator),
                                       .apply = apply,
                                       .diagonal = diagonal,
                                       .stamp = stamp,
                                       .destroy = destroy};

/* What is only needed while an operator is made, on the host. */
typedef struct making {
    tulle_ctx *ctx;
    const tulle_mesh *mesh;
    const tulle_matrix_free_options *options;
    const tulle__mesh_extras *extras;
    free_operator *own;
    tulle__rest_making rest;
} making;

static tulle_status open_making(making *m) {
    return tulle__rest_making_open(m->ctx, m->mesh->arrays.node_count, &m->extras->rows,
                                   &m->own->masked, &m->rest);
}

static tulle_status sort(const char *function, making *m) {
    const int64_t blocks = m->mesh->info.cell_blocks;
    free_operator *own = m->own;
    own->cells = tulle__host_alloc(m->ctx, (size_t)blocks * 2 * sizeof *own->cells);
    if (!own->cells) return TULLE_OUT_OF_MEMORY;
    own->kinds = (int)blocks * 2;
    for (int64_t b = 0; b < blocks; b++) {
        TULLE__TRY(tulle__cell_kinds_sort(function, m->ctx, m->mesh, b, own->head.type,
                                          &own->cells[2 * b]));
    }
    return TULLE_OK;
}

static tulle_status divide(making *m) {
    for (int k = 0; k < m->own->kinds; k++) {
        tulle__cell_kind *c = &m->own->cells[k];
        c->patching.more = tulle__free_more(c->shape, c->affine);
        c->patching.most_elements =
            m->options->patch > 0 ? m->options->patch : cells_of_patch(c->shape);
        c->patching.most_nodes = PATCH_BYTES / tulle_type_size(m->own->head.type) /
                                 tulle__patch_room(c->patching.more, TULLE__PATCH_GROUP) *
                                 TULLE__PATCH_GROUP;
        if (c->patching.count == 0) continue;
        TULLE__TRY(tulle__patches_divide(&c->patching, m->rest.touched, &c->patches));
    }
    return TULLE_OK;
}

static tulle_status fill_kind(making *m, tulle__cell_kind *c, int64_t *first_slot) {
    const tulle_type type = m->own->head.type;
    tulle__patches host = {.count = 0};
    const tulle_status status =
        tulle__cell_kind_fill(m->ctx, m->mesh, m->options, type, &m->rest, c, &host);
    if (status == TULLE_OK) tulle__rest_list_slots(&m->rest, &host, *first_slot);
    c->first_slot = *first_slot;
    *first_slot += host.slots;
    tulle__patches_free(m->ctx, &host);
    return status;
}

static tulle_status fill(making *m) {
    int64_t first_slot = 0;
    for (int k = 0; k < m->own->kinds; k++) {
        tulle__cell_kind *c = &m->own->cells[k];
        if (c->patching.count > 0) TULLE__TRY(fill_kind(m, c, &first_slot));
        tulle__host_free(m->ctx, c->patching.begins);
        tulle__host_free(m->ctx, c->patching.centres);
        c->patching.begins = NULL;
        c->patching.centres = NULL;
    }
    m->own->between = first_slot;
    return TULLE_OK;
}

/* What comes to rows besides. */
static tulle_status keep(making *m) {
    free_operator *own = m->own;
    const tulle__kept_given *given = &m->extras->kept;
    TULLE__TRY(tulle__kept_open(m->ctx, given, own->head.type, own->masked, &own->kept));
    return tulle__kept_list(given, &own->kept, own->between, &m->rest);
}

/* Numbers that the largest patch is worked on in. */
static int64_t largest_room(const free_operator *own) {
    int64_t most = 0;
    for (int k = 0; k < own->kinds; k++) {
        const tulle__patches *patches = &own->cells[k].patches;
        const int64_t room = tulle__patch_room(patches->more, patches->most);
        if (room > most) most = room;
    }
    return most;
}

/* What does not stand in patches. */
static tulle_status bring_rest(making *m) {
    free_operator *own = m->own;
    tulle_ctx *ctx = m->ctx;
    const int64_t size = tulle_type_size(own->head.type);
    size_t bytes;
    TULLE__TRY(tulle__rest_bring(&m->rest, !m->options->atomic, &own->rest));
    TULLE__TRY(
        tulle__rest_bring_scales(&m->rest, m->extras->rows.scales, own->head.type, &own->rest));
    if (ctx->kind == TULLE_CPU) {
        TULLE__TRY(tulle__size(largest_room(own) * ctx->place.threads, size, 0, &bytes));
        TULLE__TRY(tulle__alloc(ctx, bytes, &own->room));
    }
    if (m->options->atomic) return TULLE_OK;
    TULLE__TRY(tulle__size(own->between + own->kept.products, size, 0, &bytes));
    return tulle__alloc(ctx, bytes, &own->slots);
}

static tulle_status make(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                         const tulle_matrix_free_options *options, const tulle__mesh_extras *extras,
                         free_operator *own) {
    making m = {.ctx = ctx, .mesh = mesh, .options = options, .extras = extras, .own = own};
    tulle_memory_usage before, after;
    tulle_status status = tulle_ctx_memory(ctx, &before);
    if (status == TULLE_OK) status = open_making(&m);
    if (status == TULLE_OK) status = sort(function, &m);
    if (status == TULLE_OK) status = divide(&m);
    if (status == TULLE_OK) status = tulle__kept_touch(&extras->kept, &m.rest);
    if (status == TULLE_OK) status = tulle__rest_list(&m.rest);
    if (status == TULLE_OK) status = fill(&m);
    if (status == TULLE_OK) status = keep(&m);
    if (status == TULLE_OK) status = bring_rest(&m);
    tulle__rest_making_close(&m.rest);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &after);
    if (status == TULLE_OK) own->bytes = (int64_t)(after.in_use - before.in_use);
    return status;
}

static tulle_status check_mesh(const char *function, const tulle_mesh *mesh) {
    const tulle_mesh_info *info = &mesh->info;
    if (info->nodes >= MOST_NODES) {
        return tulle__fail(TULLE_TOO_LARGE, function, "mesh", -1,
                           "%" PRId64 " nodes; in patches they are fewer than %d", info->nodes,
                           (int)MOST_NODES);
    }
    if (tulle__is_lattice_mesh(mesh)) return TULLE_OK;
    for (int64_t b = 0; b < info->cell_blocks; b++) {
        const tulle_shape_info *shape = &tulle__shape_of(mesh->blocks[b].shape)->info;
        const bool known = shape->order == 1 && !tulle__is_tabulated(mesh->blocks[b].shape);
        if (known && shape->dimension > 1 && shape->dimension == info->dimension) continue;
        return tulle__fail(TULLE_UNSUPPORTED, function, "mesh", -1,
                           "cells are those of shape %s in %d dimensions; they must be "
                           "triangles, quadrilaterals, tetrahedra or hexahedra of the first "
                           "order, of as many dimensions as their nodes, or all be hexahedra of "
                           "order 2 with 27 nodes",
                           shape->name, info->dimension);
    }
    return TULLE_OK;
}

static tulle_status check_options(const char *function, const tulle_ctx *ctx,
                                  const tulle_matrix_free_options *o) {
    if (!isfinite(o->diffusion) || !isfinite(o->reaction)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "options.diffusion and options.reaction must be finite");
    }
    if (o->patch < 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "options.patch is %" PRId64 "; it must be 1 or more, or 0", o->patch);
    }
    return check_atomic(function, ctx, o->atomic);
}

tulle_status tulle__linop_of_mesh(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                  const tulle_matrix_free_options *options,
                                  const tulle__mesh_extras *extras, tulle_type type,
                                  tulle_linop **L) {
    const int64_t n = extras->rows.count;
    tulle_linop *made = NULL;
    TULLE__TRY(check_mesh(function, mesh));
    TULLE__TRY(check_options(function, ctx, options));
    if (tulle__is_lattice_mesh(mesh)) {
        return tulle__linop_lattices(function, ctx, mesh, options, extras, type, L);
    }
    TULLE__TRY(tulle__linop_make(ctx, &kind, type, n, n, &made));
    made->transposes = true;
    free_operator *own = of(made);
    own->options = (tulle_matrix_free_options){
        .diffusion = options->diffusion, .reaction = options->reaction, .atomic = options->atomic};
    const tulle_status status = make(function, ctx, mesh, options, extras, own);
    if (status != TULLE_OK) {
        tulle_linop_destroy(made);
        return status;
    }
    *L = made;
    return TULLE_OK;
}

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

tulle_status tulle_linop_matrix_free(tulle_ctx *ctx, const tulle_mesh *mesh,
                                     const tulle_matrix_free_options *options, tulle_type type,
                                     tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(mesh);
    TULLE__TRY(tulle__check_type(__func__, type));
    const tulle_matrix_free_options o =
        options ? *options : (tulle_matrix_free_options){.diffusion = 1};
    given_rows given = {0};
    own_numbers own = {.diffusion = NULL};
    tulle__mesh_extras extras = {.rows = {.count = mesh->arrays.node_count, .masked = o.masked}};
    tulle_status status = check_mesh(__func__, mesh);
    if (status == TULLE_OK) status = check_options(__func__, ctx, &o);
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

tulle_status tulle_linop_matrix_free_describe(const tulle_linop *L, tulle_matrix_free_info *info) {
    TULLE__NEED(L);
    TULLE__NEED(info);
    if (tulle__linop_lattices_describe(L, info)) return TULLE_OK;
    if (L->kind != &kind) {
        return TULLE__BAD("L", "L is made of %s, not of a mesh", L->kind->name);
    }
    const free_operator *own = seen_of(L);
    *info = (tulle_matrix_free_info){.between = own->between, .bytes = own->bytes};
    for (int k = 0; k < own->kinds; k++) {
        const tulle__cell_kind *c = &own->cells[k];
        info->cells += c->patches.elements;
        info->affine += c->affine ? c->patches.elements : 0;
        info->metrics += c->metrics.count;
        info->patches += c->patches.count;
        info->nodes += c->patches.nodes;
    }
    return TULLE_OK;
}
