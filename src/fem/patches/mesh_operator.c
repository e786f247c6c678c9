/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/mesh_operator.h"

#include <inttypes.h>
#include <math.h>

#include "matrix/operand.h"

/* Nodes that have a number beside the flags of patches. */
enum { MOST_NODES = 1 << 30 };

typedef struct mesh_operator {
    tulle_linop head;
    tulle__patched patched;
    int64_t bytes; /* number of bytes of the context's memory */
} mesh_operator;

static const mesh_operator *of(const tulle_linop *L) {
    return (const mesh_operator *)L;
}

static tulle_status act(const tulle_linop *L, const tulle__column *a) {
    return tulle__patched_multiply(&of(L)->patched, L->type, a);
}

static tulle_status check_atomic(const char *function, const tulle_ctx *ctx, bool atomic) {
    return tulle__check_atomic(function, ctx, atomic, "atomic sums do");
}

/* The matrix is symmetric: op does not matter. */
static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    TULLE__TRY(check_atomic("tulle_linop_apply", ctx, of(L)->patched.atomic));
    return tulle__columns_apply(ctx, L, op, alpha, X, beta, Y, act);
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    TULLE__TRY(check_atomic("tulle_linop_get_diagonal", ctx, of(L)->patched.atomic));
    return tulle__columns_diagonal(ctx, L, d, act);
}

/* Arrays stay where they are. */
static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    (void)ctx;
    return (uint64_t)(uintptr_t)L;
}

static void destroy(tulle_linop *L) {
    tulle__patched_close(L->ctx, &((mesh_operator *)L)->patched);
}

/* Operators on meshes of order 1, and on meshes of order 2. */
static const tulle__linop_kind kinds[] = {{.name = "matrix-free",
                                           .bytes = sizeof(mesh_operator),
                                           .apply = apply,
                                           .diagonal = diagonal,
                                           .stamp = stamp,
                                           .destroy = destroy},
                                          {.name = "matrix-free of order 2",
                                           .bytes = sizeof(mesh_operator),
                                           .apply = apply,
                                           .diagonal = diagonal,
                                           .stamp = stamp,
                                           .destroy = destroy}};

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

tulle_status tulle__mesh_operator_check(const char *function, const tulle_ctx *ctx,
                                        const tulle_mesh *mesh,
                                        const tulle_matrix_free_options *options) {
    TULLE__TRY(check_mesh(function, mesh));
    return check_options(function, ctx, options);
}

static tulle_status make(tulle__patched_making *m, int64_t *bytes) {
    const tulle_mesh *mesh = m->mesh;
    tulle_memory_usage before, after;
    tulle_status status = tulle_ctx_memory(m->ctx, &before);
    if (status == TULLE_OK) {
        status = tulle__rest_making_open(m->ctx, mesh->arrays.node_count, &m->extras->rows,
                                         &m->own->masked, &m->rest);
    }
    if (status == TULLE_OK) status = tulle__cells_sort(m);
    if (status == TULLE_OK) status = tulle__patched_divide(m);
    if (status == TULLE_OK) status = tulle__patched_finish(m);
    tulle__host_free(m->ctx, m->lattices.nodes);
    tulle__rest_making_close(&m->rest);
    if (status == TULLE_OK) status = tulle_ctx_memory(m->ctx, &after);
    if (status == TULLE_OK) *bytes = (int64_t)(after.in_use - before.in_use);
    return status;
}

tulle_status tulle__linop_of_mesh(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                  const tulle_matrix_free_options *options,
                                  const tulle__mesh_extras *extras, tulle_type type,
                                  tulle_linop **L) {
    const int64_t n = extras->rows.count;
    tulle_linop *made = NULL;
    TULLE__TRY(tulle__mesh_operator_check(function, ctx, mesh, options));
    TULLE__TRY(tulle__linop_make(ctx, &kinds[tulle__is_lattice_mesh(mesh)], type, n, n, &made));
    made->transposes = true;
    mesh_operator *own = (mesh_operator *)made;
    own->patched.atomic = options->atomic;
    tulle__patched_making m = {.function = function,
                               .ctx = ctx,
                               .type = type,
                               .own = &own->patched,
                               .extras = extras,
                               .patch = options->patch,
                               .rest = {.ctx = ctx},
                               .mesh = mesh,
                               .options = options};
    const tulle_status status = make(&m, &own->bytes);
    if (status != TULLE_OK) {
        tulle_linop_destroy(made);
        return status;
    }
    *L = made;
    return TULLE_OK;
}

tulle_status tulle_linop_matrix_free_describe(const tulle_linop *L, tulle_matrix_free_info *info) {
    TULLE__NEED(L);
    TULLE__NEED(info);
    if (L->kind != &kinds[0] && L->kind != &kinds[1]) {
        return TULLE__BAD("L", "L is made of %s, not of a mesh", L->kind->name);
    }
    const mesh_operator *own = of(L);
    *info = (tulle_matrix_free_info){.between = own->patched.between, .bytes = own->bytes};
    for (int k = 0; k < own->patched.blocks; k++) {
        const tulle__patched_block *b = &own->patched.block[k];
        info->cells += b->patching.count;
        info->affine += b->affine ? b->patching.count : 0;
        info->metrics += b->metrics.count;
        info->patches += b->patching.patches;
        info->nodes += b->patching.total_nodes;
    }
    return TULLE_OK;
}
