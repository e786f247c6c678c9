/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/quadratic_operator.h"

#include "fem/functions.h"
#include "fem/patches/quadratic_kinds.h"

enum { KINDS = 2 };

typedef struct lattice_operator {
    tulle_linop head;
    bool atomic, massive;
    tulle__lattice_kind kinds[KINDS];
    tulle__rest rest;
    tulle__kept kept;
    uint8_t *masked;    /* of each row; NULL: none is */
    void *slots, *room; /* slots: of patches, and then products of what is kept */
    int64_t between;    /* slots of patches */
    int64_t bytes;
} lattice_operator;

static lattice_operator *of(tulle_linop *L) {
    return (lattice_operator *)L;
}
static const lattice_operator *seen_of(const tulle_linop *L) {
    return (const lattice_operator *)L;
}

static tulle_status combine(const lattice_operator *own, const tulle__column *a) {
    const tulle__combine_job job = {.type = own->head.type,
                                    .count = own->rest.count,
                                    .rows = own->rest.rows,
                                    .alpha = a->alpha,
                                    .beta = a->beta,
                                    .ends = own->rest.ends,
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

static tulle_status multiply(const lattice_operator *own, const tulle__column *a,
                             const tulle__lattice_kind *k) {
    const tulle__lattices_job job = {
        .type = own->head.type,
        .affine = k->affine,
        .massive = own->massive,
        .diagonal = a->diagonal,
        .atomic = own->atomic,
        .patches = k->patches,
        .numbers = k->numbers,
        .slots = (char *)own->slots + k->first_slot * tulle_type_size(own->head.type),
        .room = own->room,
        .alpha = a->alpha,
        .beta = a->beta,
        .x = a->x,
        .y = a->y,
        .x_step = a->x_step,
        .y_step = a->y_step};
    return a->ctx->backend->fem->apply_lattices(&a->ctx->place, &job);
}

/* Sums in slots come to y after all of them are there; what is added atomically finds beta y. */
static tulle_status act(const tulle_linop *L, const tulle__column *a) {
    const lattice_operator *own = seen_of(L);
    if (own->atomic) TULLE__TRY(combine(own, a));
    for (int k = 0; k < KINDS; k++) {
        if (own->kinds[k].patches.count > 0) TULLE__TRY(multiply(own, a, &own->kinds[k]));
    }
    TULLE__TRY(tulle__kept_multiply(&own->kept, L->type, a, own->slots, own->between));
    return own->atomic ? TULLE_OK : combine(own, a);
}

static tulle_status check_atomic(const char *function, const tulle_ctx *ctx, bool atomic) {
    return tulle__check_atomic(function, ctx, atomic, "atomic sums do");
}

/* The matrix is symmetric: op does not matter. */
static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_dense *X, tulle_scalar beta, tulle_dense *Y) {
    TULLE__TRY(check_atomic("tulle_linop_apply", ctx, of(L)->atomic));
    return tulle__columns_apply(ctx, L, op, alpha, X, beta, Y, act);
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_dense *d) {
    TULLE__TRY(check_atomic("tulle_linop_get_diagonal", ctx, of(L)->atomic));
    return tulle__columns_diagonal(ctx, L, d, act);
}

/* Arrays stay where they are. */
static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    (void)ctx;
    return (uint64_t)(uintptr_t)L;
}

static void destroy(tulle_linop *L) {
    lattice_operator *own = of(L);
    tulle__free(L->ctx, own->room);
    tulle__free(L->ctx, own->slots);
    tulle__rest_close(L->ctx, &own->rest);
    tulle__kept_close(L->ctx, &own->kept);
    tulle__free(L->ctx, own->masked);
    for (int k = KINDS - 1; k >= 0; k--) tulle__lattice_kind_close(L->ctx, &own->kinds[k]);
}

static const tulle__linop_kind kind = {.name = "matrix-free of order 2",
                                       .bytes = sizeof(lattice_operator),
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
    lattice_operator *own;
    tulle__lattice_cells cells;
    tulle__rest_making rest;
} making;

static void close_making(making *m) {
    tulle__rest_making_close(&m->rest);
    tulle__lattice_cells_close(m->ctx, &m->cells);
}

static tulle_status open_making(making *m) {
    return tulle__rest_making_open(m->ctx, m->mesh->arrays.node_count, &m->extras->rows,
                                   &m->own->masked, &m->rest);
}

static tulle_status divide(making *m) {
    const int64_t most = m->options->patch > 0 ? m->options->patch : TULLE__LATTICE_CELLS;
    for (int k = 0; k < KINDS; k++) {
        tulle__lattice_kind *c = &m->own->kinds[k];
        TULLE__TRY(tulle__lattice_kind_open(m->ctx, m->mesh, &m->cells, k == 0, most, c));
        if (c->patching.count == 0) continue;
        TULLE__TRY(tulle__lattice_patches_divide(&c->patching, m->rest.touched, &c->patches));
    }
    return TULLE_OK;
}

/* Slots come to their rows in the order of patches. */
static void list_slots(const tulle__rest_making *m, const tulle__lattice_patches *host,
                       int64_t first_slot) {
    for (int64_t p = 0; p < host->count; p++) {
        const tulle__lattice_patch *patch = &host->patch[p];
        for (int64_t l = patch->node; l < patch->node + patch->nodes; l++) {
            const uint32_t listed = host->list[l];
            if ((listed & ~TULLE__PATCH_NODE) != TULLE__PATCH_SHARED) continue;
            tulle__rest_add_slot(m, listed & TULLE__PATCH_NODE,
                                 first_slot + patch->slot + host->slot_of[l]);
        }
    }
}

static tulle_status fill_kind(making *m, tulle__lattice_kind *c, int64_t *first_slot) {
    tulle__lattice_patches host = c->patches;
    TULLE__TRY(tulle__lattice_patches_fill(&c->patching, m->rest.touched, m->rest.masked, &host));
    tulle__rest_rename(&m->rest, host.list, host.nodes);
    const tulle_status status = tulle__lattice_kind_bring(m->ctx, m->mesh, &m->cells, m->options,
                                                          m->own->head.type, &host, c);
    if (status == TULLE_OK) list_slots(&m->rest, &host, *first_slot);
    c->first_slot = *first_slot;
    *first_slot += host.slots;
    tulle__lattice_patches_free(m->ctx, &host);
    return status;
}

static tulle_status fill(making *m) {
    int64_t first_slot = 0;
    for (int k = 0; k < KINDS; k++) {
        tulle__lattice_kind *c = &m->own->kinds[k];
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
    lattice_operator *own = m->own;
    const tulle__kept_given *given = &m->extras->kept;
    TULLE__TRY(tulle__kept_open(m->ctx, given, own->head.type, own->masked, &own->kept));
    return tulle__kept_list(given, &own->kept, own->between, &m->rest);
}

/* What does not stand in patches. */
static tulle_status bring_rest(making *m) {
    lattice_operator *own = m->own;
    const int64_t size = tulle_type_size(own->head.type);
    size_t bytes;
    int64_t most = 0;
    TULLE__TRY(tulle__rest_bring(&m->rest, !own->atomic, &own->rest));
    TULLE__TRY(
        tulle__rest_bring_scales(&m->rest, m->extras->rows.scales, own->head.type, &own->rest));
    for (int k = 0; k < KINDS; k++) {
        if (own->kinds[k].patches.most > most) most = own->kinds[k].patches.most;
    }
    if (m->ctx->kind == TULLE_CPU) {
        TULLE__TRY(tulle__size(2 * most * m->ctx->place.threads, size, 0, &bytes));
        TULLE__TRY(tulle__alloc(m->ctx, bytes, &own->room));
    }
    if (own->atomic) return TULLE_OK;
    TULLE__TRY(tulle__size(own->between + own->kept.products, size, 0, &bytes));
    return tulle__alloc(m->ctx, bytes, &own->slots);
}

static tulle_status make(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                         const tulle_matrix_free_options *options, const tulle__mesh_extras *extras,
                         lattice_operator *own) {
    making m = {.ctx = ctx,
                .mesh = mesh,
                .options = options,
                .extras = extras,
                .own = own,
                .rest = {.ctx = ctx}};
    tulle_memory_usage before, after;
    tulle_status status = tulle_ctx_memory(ctx, &before);
    if (status == TULLE_OK) {
        status = tulle__lattice_cells_open(function, ctx, mesh, own->head.type, &m.cells);
    }
    if (status == TULLE_OK) status = open_making(&m);
    if (status == TULLE_OK) status = divide(&m);
    if (status == TULLE_OK) status = tulle__kept_touch(&extras->kept, &m.rest);
    if (status == TULLE_OK) status = tulle__rest_list(&m.rest);
    if (status == TULLE_OK) status = fill(&m);
    if (status == TULLE_OK) status = keep(&m);
    if (status == TULLE_OK) status = bring_rest(&m);
    close_making(&m);
    if (status == TULLE_OK) status = tulle_ctx_memory(ctx, &after);
    if (status == TULLE_OK) own->bytes = (int64_t)(after.in_use - before.in_use);
    return status;
}

bool tulle__is_lattice_mesh(const tulle_mesh *mesh) {
    const tulle_mesh_info *info = &mesh->info;
    bool all = info->dimension == 3 && info->cell_blocks > 0;
    for (int64_t b = 0; b < info->cell_blocks; b++) {
        all = all && mesh->blocks[b].shape == TULLE_HEXAHEDRON27;
    }
    return all;
}

tulle_status tulle__linop_lattices(const char *function, tulle_ctx *ctx, const tulle_mesh *mesh,
                                   const tulle_matrix_free_options *options,
                                   const tulle__mesh_extras *extras, tulle_type type,
                                   tulle_linop **L) {
    const int64_t n = extras->rows.count;
    tulle_linop *made = NULL;
    TULLE__TRY(tulle__linop_make(ctx, &kind, type, n, n, &made));
    made->transposes = true;
    lattice_operator *own = of(made);
    own->atomic = options->atomic;
    own->massive = tulle__lattice_massive(options);
    const tulle_status status = make(function, ctx, mesh, options, extras, own);
    if (status != TULLE_OK) {
        tulle_linop_destroy(made);
        return status;
    }
    *L = made;
    return TULLE_OK;
}

bool tulle__linop_lattices_describe(const tulle_linop *L, tulle_matrix_free_info *info) {
    if (L->kind != &kind) return false;
    const lattice_operator *own = (const lattice_operator *)L;
    *info = (tulle_matrix_free_info){.between = own->between, .bytes = own->bytes};
    for (int k = 0; k < KINDS; k++) {
        const tulle__lattice_kind *c = &own->kinds[k];
        info->cells += c->patches.elements;
        info->affine += c->affine ? c->patches.elements : 0;
        info->patches += c->patches.count;
        info->nodes += c->patches.nodes;
    }
    return true;
}
