/* SPDX-License-Identifier: Apache-2.0 */
/* The matrix of a problem on a mesh as an operator that keeps the matrices of facets alone. */
#include "core/options.h"
#include "fem/patches/mesh_operator.h"
#include "fem/problems/problem.h"
#include "fem/problems/units.h"
#include "matrix/operand.h"

/* Numbers of the mesh's cells, on the host, and the facets' matrices, in the place's memory. */
typedef struct making {
    const char *function;
    tulle_ctx *ctx;
    const tulle__problem *D;
    const tulle_mesh *mesh;
    double *k, *c;  /* numbers of each cell; NULL: one number for all cells */
    double *scales; /* for each row that is masked, its diagonal entry; NULL: none is masked */
    tulle__mesh_extras extras;
} making;

static void close_making(const making *m) {
    const tulle__kept_given *kept = &m->extras.kept;
    for (int b = kept->blocks - 1; b >= 0; b--) tulle__free(m->ctx, kept->matrices[b]);
    tulle__host_free(m->ctx, m->scales);
    tulle__host_free(m->ctx, m->c);
    tulle__host_free(m->ctx, m->k);
}

/* The mesh is D's, as far as numbers say. */
static tulle_status check_mesh(const making *m) {
    const tulle__problem *D = m->D;
    int64_t cells = 0;
    bool same = D->mesh_nodes == m->mesh->info.nodes;
    for (int b = 0; b < D->blocks; b++) {
        const tulle__cells *own = &D->body[b].cells;
        if (!own->stiff) continue;
        cells += own->count;
        same = same && own->count == tulle__cells_count(m->mesh, own->shape);
    }
    if (same && cells == m->mesh->info.cells) return TULLE_OK;
    return tulle__fail(TULLE_INVALID_ARGUMENT, m->function, "mesh", -1,
                       "the mesh is another one than that of the problem");
}

/* All numbers of a quantity of a block, on the host. */
static tulle_status read_numbers(tulle_ctx *ctx, const tulle__cells *cells,
                                 const tulle__cell_quantity *quantity, double **numbers) {
    const size_t bytes = (size_t)(cells->count * quantity->per) * sizeof **numbers;
    *numbers = tulle__host_alloc(ctx, bytes);
    if (!*numbers) return TULLE_OUT_OF_MEMORY;
    const tulle_status status = tulle__copy_wait(ctx, *numbers, quantity->numbers, bytes);
    if (status != TULLE_OK) tulle__host_free(ctx, *numbers);
    return status;
}

/* The numbers of a shape's cells, which follow each other as in the mesh, where the mesh has them.
 */
static void spread(const tulle_mesh *mesh, tulle_shape shape, const double *numbers, double *to) {
    for (int64_t b = 0; b < mesh->info.cell_blocks; b++) {
        const tulle_mesh_block *block = &mesh->blocks[b];
        for (int64_t e = 0; block->shape == shape && e < block->count; e++) to[e] = *numbers++;
        to += block->count;
    }
}

/* A quantity in each cell: one number for all, or *of_cell. */
static tulle_status bring_quantity(const making *m, const char *name, bool diffusion,
                                   double *number, double **of_cell) {
    for (int b = 0; b < m->D->blocks; b++) {
        const tulle__cells *cells = &m->D->body[b].cells;
        const tulle__cell_quantity *quantity = diffusion ? &cells->k : &cells->c;
        double *numbers = NULL;
        if (!cells->stiff) continue;
        *number = quantity->number;
        if (quantity->per == 0) continue;
        if (quantity->per > 1) {
            return tulle__fail(TULLE_UNSUPPORTED, m->function, "D", -1,
                               "%s is a function: it must be a number, or one for each cell", name);
        }
        if (!*of_cell) {
            *of_cell = tulle__host_alloc(m->ctx, (size_t)m->mesh->info.cells * sizeof **of_cell);
        }
        if (!*of_cell) return TULLE_OUT_OF_MEMORY;
        TULLE__TRY(read_numbers(m->ctx, cells, quantity, &numbers));
        spread(m->mesh, cells->shape, numbers, *of_cell);
        tulle__host_free(m->ctx, numbers);
    }
    return TULLE_OK;
}

/* *has: facets have a factor. Those where a flux alone is given have no part in the matrix. */
static tulle_status has_factor(const making *m, const tulle__cells *facets, bool *has) {
    double *numbers = NULL;
    *has = false;
    if (facets->stiff) return TULLE_OK;
    TULLE__TRY(read_numbers(m->ctx, facets, &facets->c, &numbers));
    for (int64_t i = 0; i < facets->count * facets->c.per; i++) *has = *has || numbers[i] != 0;
    tulle__host_free(m->ctx, numbers);
    return TULLE_OK;
}

static tulle_status make_matrices(making *m, int b, tulle_type type) {
    const tulle_elements *e = &m->D->elements[b];
    tulle__kept_given *kept = &m->extras.kept;
    size_t bytes;
    TULLE__TRY(tulle__size(e->count * e->nodes * e->nodes, tulle_type_size(type), 0, &bytes));
    kept->elements[kept->blocks] = *e;
    TULLE__TRY(tulle__alloc(m->ctx, bytes, &kept->matrices[kept->blocks]));
    return tulle__problem_matrices(m->function, m->ctx, m->D, b, type,
                                   kept->matrices[kept->blocks++]);
}

static tulle_status read_scales(making *m) {
    const size_t bytes = (size_t)m->D->nodes * sizeof *m->scales;
    if (!m->D->scales) return TULLE_OK;
    m->scales = tulle__host_alloc(m->ctx, bytes);
    if (!m->scales) return TULLE_OUT_OF_MEMORY;
    return tulle__copy_wait(m->ctx, m->scales, m->D->scales, bytes);
}

static tulle_status make(making *m, const tulle_matrix_free_options *options, tulle_type type,
                         tulle_linop **L) {
    const tulle__problem *D = m->D;
    tulle_matrix_free_options o = {.atomic = options->atomic, .patch = options->patch};
    TULLE__TRY(bring_quantity(m, "k", true, &o.diffusion, &m->k));
    TULLE__TRY(bring_quantity(m, "c", false, &o.reaction, &m->c));
    for (int b = 0; b < D->blocks; b++) {
        bool has = false;
        TULLE__TRY(has_factor(m, &D->body[b].cells, &has));
        if (has) TULLE__TRY(make_matrices(m, b, type));
    }
    o.cell_diffusion = m->k;
    o.cell_reaction = m->c;
    TULLE__TRY(read_scales(m));
    m->extras.rows = (tulle__mesh_rows){
        .count = D->nodes, .of_node = D->rows, .masked = D->masked, .scales = m->scales};
    return tulle__linop_of_mesh(m->function, m->ctx, m->mesh, &o, &m->extras, type, L);
}

tulle_status tulle_diffusion_matrix_free_sized(tulle_ctx *ctx, const tulle_diffusion *D,
                                               const tulle_mesh *mesh,
                                               const tulle_matrix_free_options *options,
                                               size_t options_size, tulle_type type,
                                               tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(D);
    TULLE__NEED(mesh);
    tulle_matrix_free_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    TULLE__TRY(tulle__problem_check_space(__func__, ctx, &D->own));
    TULLE__TRY(tulle__check_type(__func__, type));
    TULLE__TRY(tulle__problem_check_matrix(__func__, &D->own, type));
    making m = {.function = __func__, .ctx = ctx, .D = &D->own, .mesh = mesh};
    tulle__mesh_units units = {.power = 0};
    tulle_status status = check_mesh(&m);
    if (status == TULLE_OK) status = tulle__mesh_units_open(ctx, mesh, &units);
    m.mesh = &units.mesh; /* the mesh in D's units */
    if (status == TULLE_OK) status = make(&m, &own, type, L);
    tulle__mesh_units_close(ctx, &units);
    close_making(&m);
    return status;
}
