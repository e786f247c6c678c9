/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices as an operator: gather, multiply, scatter; element by element, or in patches. */
#include "fem/patches/local.h"
#include "core/options.h"

#include <inttypes.h>

#include "fem/arrays.h"
#include "fem/assembly/assembly.h"
#include "fem/assembly/colour.h"
#include "fem/functions.h"
#include "fem/patches/patched.h"
#include "matrix/operand.h"
#include "operator/columns.h"

/* Neighbours that memory is read by: a warp; and so a CPU may read to the end of one. */
enum { ALIGNED = 32 };

typedef struct local_operator {
    tulle_linop head;
    tulle_local_options options;
    tulle_type stored;
    tulle__fem_blocks given; /* layout of the caller's element matrices */
    tulle_assembly places;   /* the mask, and, for TULLE_SCATTER_OWNER, the list of products */
    int32_t *points;         /* rows of all elements, as they come; NULL: none is masked */
    tulle__rest masked; /* rows that are masked, and what their diagonal has besides (jobs.h) */
    tulle__local_block block[TULLE_ELEMENT_BLOCKS];
    int32_t *order[TULLE_ELEMENT_BLOCKS]; /* elements by colour; NULL: in their own order */
    tulle__colours colours[TULLE_ELEMENT_BLOCKS];
    void *products;  /* products of all blocks, in the order of first_of_vector */
    bool in_patches; /* true: `patched` takes the place of all members from order on */
    tulle__patched patched;
} local_operator;

static local_operator *of(tulle_linop *L) {
    return (local_operator *)L;
}

static tulle_status combine(const local_operator *own, const tulle__column *a) {
    const tulle__sum_list *list = &own->places.places;
    const bool owner = own->options.scatter == TULLE_SCATTER_OWNER;
    const tulle__combine_job job = {.type = own->head.type,
                                    .count = own->head.rows,
                                    .vectors = tulle__vectors_of(a),
                                    .wide = list->wide,
                                    .ends = owner ? list->ends : NULL,
                                    .from = list->from,
                                    .products = own->products};
    return a->ctx->backend->fem->combine_products(&a->ctx->place, &job);
}

/* Adds the numbers that masked rows have beside their elements': 0 but where no element has the
 * row. */
static tulle_status add_masked(const local_operator *own, const tulle__column *a) {
    tulle__combine_job job = {.type = own->head.type,
                              .count = own->masked.count,
                              .rows = own->masked.rows,
                              .vectors = tulle__vectors_of(a),
                              .masked = own->places.masked,
                              .scales = own->masked.scales};
    job.vectors.beta = tulle_num(1);
    if (job.count == 0) return TULLE_OK;
    return a->ctx->backend->fem->combine_products(&a->ctx->place, &job);
}

/* The elements of a block: all, or colour by colour. */
static tulle_status multiply_block(const local_operator *own, const tulle__column *a, int b) {
    const tulle__colours *colours = &own->colours[b];
    tulle__local_job job = {.type = own->head.type,
                            .stored = own->stored,
                            .packed = own->options.symmetric,
                            .transposed = a->op == TULLE_T,
                            .scatter = own->options.scatter,
                            .block = own->block[b],
                            .end = own->block[b].count,
                            .vectors = tulle__vectors_of(a)};
    if (own->options.scatter != TULLE_SCATTER_COLOURS) {
        return a->ctx->backend->fem->apply_elements(&a->ctx->place, &job);
    }
    for (int64_t c = 0; c < colours->count; c++) {
        job.begin = colours->begins[c];
        job.end = colours->begins[c + 1];
        TULLE__TRY(a->ctx->backend->fem->apply_elements(&a->ctx->place, &job));
    }
    return TULLE_OK;
}

/* The part of y that is no element's is there before the elements' own, unless that comes last. */
static tulle_status multiply(const tulle_linop *L, const tulle__column *a) {
    const local_operator *own = (const local_operator *)L;
    const bool owner = own->options.scatter == TULLE_SCATTER_OWNER;
    if (L->rows == 0) return TULLE_OK;
    if (own->in_patches) return tulle__patched_multiply(&own->patched, L->type, a);
    if (!owner) TULLE__TRY(combine(own, a));
    for (int b = 0; b < own->given.count; b++) {
        if (own->block[b].count > 0) TULLE__TRY(multiply_block(own, a, b));
    }
    return owner ? combine(own, a) : TULLE_OK;
}

static tulle_status act(const tulle_linop *L, const tulle__column *a) {
    TULLE__TRY(multiply(L, a));
    return add_masked((const local_operator *)L, a);
}

static tulle_status check_scatter(const char *function, const tulle_ctx *ctx,
                                  tulle_local_scatter scatter) {
    return tulle__check_atomic(function, ctx, scatter == TULLE_SCATTER_ATOMIC,
                               "TULLE_SCATTER_ATOMIC does");
}

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    TULLE__TRY(check_scatter("tulle_linop_apply", ctx, of(L)->options.scatter));
    return tulle__columns_apply(ctx, L, op, alpha, X, beta, Y, act);
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    TULLE__TRY(check_scatter("tulle_linop_get_diagonal", ctx, of(L)->options.scatter));
    return tulle__columns_diagonal(ctx, L, d, act);
}

/* Arrays stay where they are. */
static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    (void)ctx;
    return (uint64_t)(uintptr_t)L;
}

static void destroy(tulle_linop *L) {
    local_operator *own = of(L);
    tulle__patched_close(L->ctx, &own->patched);
    tulle__rest_close(L->ctx, &own->masked);
    tulle__free(L->ctx, own->points);
    tulle__free(L->ctx, own->products);
    for (int b = TULLE_ELEMENT_BLOCKS - 1; b >= 0; b--) {
        tulle__free(L->ctx, own->block[b].numbers);
        tulle__free(L->ctx, own->block[b].unknowns);
        tulle__free(L->ctx, own->order[b]);
        tulle__colours_free(L->ctx, &own->colours[b]);
    }
    tulle__assembly_release(&own->places);
}

static const tulle__linop_kind kind = {.name = "element matrices",
                                       .bytes = sizeof(local_operator),
                                       .apply = apply,
                                       .diagonal = diagonal,
                                       .stamp = stamp,
                                       .destroy = destroy};

static tulle__pack_job packing(const local_operator *own, int b) {
    const tulle__fem_block *given = &own->given.block[b];
    return (tulle__pack_job){
        .block = own->block[b],
        .order = own->in_patches ? own->patched.block[b].order : own->order[b],
        .points = own->points ? own->points + own->places.parts.block[b].first_place : NULL,
        .masked = own->points ? own->places.masked : NULL,
        .given = own->head.type,
        .stored = own->stored,
        .e_step = given->e_step,
        .i_step = given->i_step,
        .j_step = given->j_step,
        .packed = own->options.symmetric};
}

static tulle_status pack(tulle_ctx *ctx, const local_operator *own, const tulle__pack_job *job) {
    const tulle__fem_functions *fem = ctx->backend->fem;
    return own->in_patches ? fem->pack_patched(&ctx->place, job)
                           : fem->pack_numbers(&ctx->place, job);
}

/* The host's numbers go through memory that is given back in the order of the stream. */
static tulle_status pack_values(tulle_ctx *ctx, const local_operator *own, int b,
                                const tulle_element_data *K) {
    tulle__pack_job job = packing(own, b);
    void *room = NULL;
    job.values = K->values;
    if (K->on_host && ctx->kind != TULLE_CPU) {
        const int64_t size = tulle_type_size(own->head.type);
        TULLE__TRY(tulle__array_new(ctx, own->given.block[b].numbers, size, &room));
        tulle_status status =
            tulle__copy_wait(ctx, room, K->values, tulle__bytes(own->given.block[b].numbers, size));
        job.values = room;
        if (status == TULLE_OK) status = pack(ctx, own, &job);
        tulle__free(ctx, room);
        return status;
    }
    return pack(ctx, own, &job);
}

static tulle_status check_values(const char *function, const local_operator *own,
                                 const tulle_element_data *K) {
    if (own->given.count > 0 && !K) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "K", -1, "K is NULL");
    }
    for (int b = 0; b < own->given.count; b++) {
        if (own->given.block[b].count > 0 && !K[b].values) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, function, "K", -1, "K[%d].values is NULL",
                               b);
        }
        TULLE__TRY(
            tulle__check_aligned(function, "K", K[b].values, tulle_type_size(own->head.type)));
    }
    return TULLE_OK;
}

/* Finds the numbers that masked rows have beside their elements', once these have theirs. */
static tulle_status scale_masked(tulle_ctx *ctx, const local_operator *own) {
    void *diagonal = NULL;
    if (own->masked.count == 0) return TULLE_OK;
    TULLE__TRY(tulle__array_new(ctx, own->head.rows, tulle_type_size(own->head.type), &diagonal));
    const tulle__column column = {.ctx = ctx,
                                  .op = TULLE_N,
                                  .diagonal = true,
                                  .alpha = tulle_num(1),
                                  .beta = tulle_num(0),
                                  .x = diagonal,
                                  .y = diagonal,
                                  .x_step = 1,
                                  .y_step = 1};
    const tulle__scales_job job = {.type = own->head.type,
                                   .count = own->masked.count,
                                   .rows = own->masked.rows,
                                   .diagonal = diagonal,
                                   .scales = own->masked.scales};
    tulle_status status = multiply(&own->head, &column);
    if (status == TULLE_OK) status = ctx->backend->fem->find_scales(&ctx->place, &job);
    tulle__free(ctx, diagonal);
    return status;
}

static tulle_status take_values(const char *function, tulle_ctx *ctx, const local_operator *own,
                                const tulle_element_data *K) {
    TULLE__TRY(check_values(function, own, K));
    for (int b = 0; b < own->given.count; b++) {
        if (own->block[b].count > 0) TULLE__TRY(pack_values(ctx, own, b, &K[b]));
    }
    return scale_masked(ctx, own);
}

/* Lists of elements for which colours are found on the host. */
static tulle_status colour_block(tulle_ctx *ctx, local_operator *own, int b) {
    const tulle__fem_block *part = &own->places.parts.block[b];
    const int64_t places = tulle__places_of_block(part);
    void *order = NULL;
    int32_t *list = tulle__host_alloc(ctx, (size_t)places * sizeof *list);
    if (!list) return TULLE_OUT_OF_MEMORY;
    tulle_status status = tulle__copy_wait(ctx, list, part->list, (size_t)places * sizeof *list);
    if (status == TULLE_OK) {
        status = tulle__colours_find(ctx, part->count, part->points, own->head.rows, list,
                                     &own->colours[b]);
    }
    tulle__host_free(ctx, list);
    if (status == TULLE_OK) status = tulle__array_new(ctx, part->count, sizeof(int32_t), &order);
    if (status != TULLE_OK) return status;
    own->order[b] = order;
    status =
        tulle__copy_wait(ctx, order, own->colours[b].order, (size_t)part->count * sizeof(int32_t));
    tulle__host_free(ctx, own->colours[b].order);
    own->colours[b].order = NULL;
    return status;
}

/* Room for the numbers of a block in patches. */
static tulle_status open_patched(tulle_ctx *ctx, local_operator *own, int b) {
    const tulle__fem_block *part = &own->places.parts.block[b];
    const int64_t cells = tulle__local_cells(part->points, own->options.symmetric);
    own->block[b] = (tulle__local_block){.count = part->count, .rows = part->points};
    if (part->count == 0) return TULLE_OK;
    TULLE__TRY(tulle__array_new(ctx, cells * part->i_vector, tulle_type_size(own->stored),
                                &own->block[b].numbers));
    own->patched.block[b].matrices = own->block[b].numbers;
    own->patched.block[b].stored = own->stored;
    own->patched.block[b].packed = own->options.symmetric;
    return TULLE_OK;
}

/* Room for a block, and the unknowns of its elements. */
static tulle_status open_block(tulle_ctx *ctx, local_operator *own, int b) {
    const tulle__fem_block *part = &own->places.parts.block[b];
    tulle__local_block *block = &own->block[b];
    void *unknowns = NULL;
    *block =
        (tulle__local_block){.count = part->count, .stride = part->i_vector, .rows = part->points};
    if (part->count == 0) return TULLE_OK;
    if (own->products) {
        block->products =
            (char *)own->products + part->first_of_vector * tulle_type_size(own->head.type);
    }
    const int64_t cells = tulle__local_cells(block->rows, own->options.symmetric);
    if (own->options.scatter == TULLE_SCATTER_COLOURS) TULLE__TRY(colour_block(ctx, own, b));
    TULLE__TRY(tulle__array_new(ctx, block->rows * block->stride, sizeof(int32_t), &unknowns));
    block->unknowns = unknowns;
    TULLE__TRY(tulle__array_new(ctx, cells * block->stride + ALIGNED, tulle_type_size(own->stored),
                                &block->numbers));
    tulle__pack_job job = packing(own, b);
    job.points = part->list;
    return ctx->backend->fem->pack_unknowns(&ctx->place, &job);
}

/* Makes the list of masked rows, and room for the numbers that these have beside their elements'.
 */
static tulle_status list_masked(tulle_ctx *ctx, local_operator *own, const uint8_t *masked) {
    const int64_t rows = own->head.rows;
    void *array = NULL;
    int64_t count = 0;
    int32_t *list = tulle__host_alloc(ctx, (size_t)rows * sizeof *list);
    if (!list) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < rows; i++) {
        if (masked[i]) list[count++] = (int32_t)i;
    }
    tulle_status status = tulle__array_new(ctx, count, sizeof *list, &array);
    own->masked = (tulle__rest){.count = count, .rows = array};
    if (status == TULLE_OK) {
        status = tulle__copy_wait(ctx, array, list, (size_t)count * sizeof *list);
    }
    tulle__host_free(ctx, list);
    if (status != TULLE_OK) return status;
    return tulle__array_new(ctx, count, tulle_type_size(own->head.type), &own->masked.scales);
}

static tulle_status open_masked(tulle_ctx *ctx, local_operator *own) {
    const size_t bytes = (size_t)own->head.rows;
    if (!own->places.masked) return TULLE_OK;
    uint8_t *masked = tulle__host_alloc(ctx, bytes);
    if (!masked) return TULLE_OUT_OF_MEMORY;
    tulle_status status = tulle__copy_wait(ctx, masked, own->places.masked, bytes);
    if (status == TULLE_OK) status = list_masked(ctx, own, masked);
    tulle__host_free(ctx, masked);
    return status;
}

static tulle_status open_products(tulle_ctx *ctx, local_operator *own) {
    const tulle__fem_blocks *parts = &own->places.parts;
    if (own->options.scatter != TULLE_SCATTER_OWNER) return TULLE_OK;
    TULLE__TRY(tulle__assembly_find_places(&own->places, NULL));
    if (parts->count == 0) return TULLE_OK;
    const tulle__fem_block *last = &parts->block[parts->count - 1];
    return tulle__array_new(ctx, last->first_of_vector + last->of_vector,
                            tulle_type_size(own->head.type), &own->products);
}

/* Products of an operator until its patches have paid for themselves, of packed matrices with 8
 * rows: an element takes the host 320 ns to be divided, met and listed, and saves 17 (f64, 4
 * million elements) to 22 ps (f64, 10^6) a product on an H200. Whole matrices save nothing there:
 * patches wait at their barriers as long as products take through memory. */
enum { CALLS_OF_PATCHES = 19000 };

static bool wants_patches(const tulle_ctx *ctx, const tulle_local_options *o) {
    if (o->scatter == TULLE_SCATTER_PATCHES) return true;
    return o->scatter == TULLE_SCATTER_OWNER && o->symmetric && ctx->kind != TULLE_CPU &&
           o->expected_calls >= CALLS_OF_PATCHES;
}

static tulle_status open_patches(const char *function, tulle_ctx *ctx, local_operator *own) {
    const tulle_local_options *o = &own->options;
    if (!wants_patches(ctx, o)) return TULLE_OK;
    TULLE__TRY(tulle__local_patches_open(ctx, &own->places, own->head.type, o->patch, &own->patched,
                                         &own->in_patches));
    if (own->in_patches || o->scatter == TULLE_SCATTER_OWNER) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "options", -1,
                       "element matrices in patches have 3, 4 or 8 rows, and no element an unknown "
                       "twice: leave options.scatter 0");
}

static tulle_status open_blocks(const char *function, tulle_ctx *ctx, local_operator *own) {
    TULLE__TRY(open_masked(ctx, own));
    TULLE__TRY(open_patches(function, ctx, own));
    if (own->in_patches) {
        for (int b = 0; b < own->given.count; b++) TULLE__TRY(open_patched(ctx, own, b));
        return TULLE_OK;
    }
    TULLE__TRY(open_products(ctx, own));
    for (int b = 0; b < own->given.count; b++) TULLE__TRY(open_block(ctx, own, b));
    return TULLE_OK;
}

/* The shapes of blocks as they are given, and as they are kept: every unknown a point. */
static void shape(local_operator *own, int blocks, const tulle_elements *elements) {
    tulle_elements kept[TULLE_ELEMENT_BLOCKS];
    tulle_assembly *places = &own->places;
    places->unknowns = own->options.unknowns;
    places->block = 1;
    places->points = own->head.rows;
    tulle__elements_shape(places, blocks, elements);
    own->given = places->parts;
    for (int b = 0; b < blocks; b++) {
        kept[b] = elements[b];
        kept[b].layout = TULLE_INTERLEAVED;
        kept[b].stride = (elements[b].count + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    tulle__elements_shape(places, blocks, kept);
}

/* Keeps the rows of elements where some rows are masked: elements that get new numbers are masked
 * again. */
static void keep_points(tulle_ctx *ctx, local_operator *own, int32_t *points) {
    for (int b = 0; b < own->places.parts.count; b++) own->places.parts.block[b].list = NULL;
    own->points = own->masked.count > 0 ? points : NULL;
    if (!own->points) tulle__free(ctx, points);
}

static tulle_status fill(const char *function, tulle_ctx *ctx, local_operator *own, int64_t nodes,
                         const tulle_elements *elements, const tulle_element_data *K) {
    int32_t *points = NULL;
    tulle_assembly *places = &own->places;
    TULLE__TRY(check_values(function, own, K));
    TULLE__TRY(tulle__assembly_copy_mask(places, own->options.masked));
    TULLE__TRY(tulle__elements_bring(function, places, nodes, elements, &points));
    tulle_status status = open_blocks(function, ctx, own);
    keep_points(ctx, own, points);
    own->options.masked = NULL;
    return status == TULLE_OK ? take_values(function, ctx, own, K) : status;
}

static tulle_status check_rows(const char *function, int blocks, const tulle_elements *elements,
                               const tulle_local_options *o) {
    for (int b = 0; b < blocks; b++) {
        const int rows = elements[b].nodes * o->unknowns;
        if (rows > TULLE_LOCAL_ROWS) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, function, "elements", -1,
                               "element matrices of %d rows; at most %d can be kept", rows,
                               (int)TULLE_LOCAL_ROWS);
        }
        if (o->scatter == TULLE_SCATTER_COLOURS && elements[b].count > INT32_MAX) {
            return tulle__fail(TULLE_TOO_LARGE, function, "elements", -1,
                               "%" PRId64 " elements in a block: colours are for 2147483647",
                               elements[b].count);
        }
    }
    return TULLE_OK;
}

tulle_status tulle_linop_local_sized(tulle_ctx *ctx, int64_t nodes, int blocks,
                                     const tulle_elements *elements,
                                     const tulle_local_options *options, size_t options_size,
                                     tulle_type type, const tulle_element_data *K,
                                     tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    if (blocks > 0) TULLE__NEED(elements);
    TULLE__TRY(tulle__check_type(__func__, type));
    tulle_local_options o;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &o, sizeof o));
    if (o.unknowns == 0) o.unknowns = 1;
    if ((unsigned)o.scatter > TULLE_SCATTER_PATCHES) {
        return TULLE__BAD("options",
                          "options.scatter is %d; it must be one of "
                          "tulle_local_scatter",
                          (int)o.scatter);
    }
    if (o.patch < 0) {
        return TULLE__BAD("options", "options.patch is %" PRId64 "; it must be 1 or more, or 0",
                          o.patch);
    }
    TULLE__TRY(tulle__elements_check(__func__, nodes, blocks, elements, o.unknowns));
    TULLE__TRY(check_rows(__func__, blocks, elements, &o));
    TULLE__TRY(check_scatter(__func__, ctx, o.scatter));
    tulle_linop *made = NULL;
    TULLE__TRY(tulle__linop_make(ctx, &kind, type, nodes * o.unknowns, nodes * o.unknowns, &made));
    local_operator *own = of(made);
    made->transposes = true;
    own->options = o;
    own->stored = o.narrow ? TULLE_F32 : type;
    own->places.ctx = ctx;
    shape(own, blocks, elements);
    const tulle_status status = fill(__func__, ctx, own, nodes, elements, K);
    if (status != TULLE_OK) {
        tulle_linop_destroy(made);
        return status;
    }
    *L = made;
    return TULLE_OK;
}

tulle_status tulle_linop_local_values(tulle_ctx *ctx, tulle_linop *L, const tulle_element_data *K) {
    TULLE__NEED(ctx);
    TULLE__NEED(L);
    TULLE__TRY(tulle__linop_check(__func__, "L", ctx, L));
    if (L->kind != &kind) {
        return TULLE__BAD("L", "L is made of %s, not of element matrices", L->kind->name);
    }
    return take_values(__func__, ctx, of(L), K);
}
