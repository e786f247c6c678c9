/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of elements as the caller describes them. */
#include <inttypes.h>
#include <stdio.h>

#include "fem/assembly/assembly.h"
#include "fem/functions.h"
#include "matrix/build.h"

/* "elements[2]": of several blocks; of one, "elements". */
enum { NAME_ROOM = 24 };
static const char *name_of(int blocks, int b, char name[NAME_ROOM]) {
    snprintf(name, NAME_ROOM, blocks > 1 ? "elements[%d]" : "elements", b);
    return name;
}

static tulle_status bad(const char *function, const char *name, const char *member, int64_t number,
                        const char *wanted) {
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "elements", -1,
                       "%s.%s is %" PRId64 "; it must be %s", name, member, number, wanted);
}

static tulle_status check_block(const char *function, const char *name, const tulle_elements *e,
                                int unknowns) {
    if (e->count < 0) return bad(function, name, "count", e->count, "0 or more");
    if (e->nodes < 1 || e->nodes > TULLE_ELEMENT_NODES) {
        return bad(function, name, "nodes", e->nodes, "1 to 1024");
    }
    if (e->index != TULLE_I32 && e->index != TULLE_I64) {
        return bad(function, name, "index", (int64_t)e->index, "TULLE_I32 or TULLE_I64");
    }
    if (e->layout != TULLE_ELEMENT_MAJOR && e->layout != TULLE_INTERLEAVED) {
        return bad(function, name, "layout", (int64_t)e->layout, "one of tulle_element_layout");
    }
    const bool strided = e->layout == TULLE_INTERLEAVED && e->stride != 0;
    if (strided && e->stride < e->count) {
        return bad(function, name, "stride", e->stride, "count or more, or 0");
    }
    if (e->count > 0 && !e->list) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "elements", -1, "%s.list is NULL",
                           name);
    }
    const double m = (double)e->nodes * unknowns, far = strided ? (double)e->stride : 0;
    TULLE__TRY(tulle__check_aligned(function, "elements", e->list, tulle_index_size(e->index)));
    if (((double)e->count + far) * m * m < 0x1p56) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, function, "elements", -1,
                       "%s: the numbers of %" PRId64 " element matrices pass 64 bits", name,
                       e->count);
}

tulle_status tulle__elements_check(const char *function, int64_t nodes, int blocks,
                                   const tulle_elements *elements, int unknowns) {
    if (blocks < 0 || blocks > TULLE_ELEMENT_BLOCKS) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "blocks", -1,
                           "blocks is %d; it must be 0 to %d", blocks, (int)TULLE_ELEMENT_BLOCKS);
    }
    if (unknowns < 1 || unknowns > TULLE_NODE_UNKNOWNS) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1,
                           "options.unknowns is %d; it must be 1 to %d, or 0 for 1", unknowns,
                           (int)TULLE_NODE_UNKNOWNS);
    }
    if (nodes < 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "nodes", -1, "nodes is %" PRId64,
                           nodes);
    }
    if (nodes >= INT32_MAX / unknowns) {
        return tulle__fail(TULLE_TOO_LARGE, function, "nodes", -1,
                           "%" PRId64 " nodes of %d unknowns: 32-bit rows end at 2147483647", nodes,
                           unknowns);
    }
    for (int b = 0; b < blocks; b++) {
        char name[NAME_ROOM];
        TULLE__TRY(check_block(function, name_of(blocks, b, name), &elements[b], unknowns));
    }
    return TULLE_OK;
}

/* Steps in matrices of m x m, of which a point has S->block rows. */
static void shape_block(const tulle_assembly *S, const tulle_elements *e, tulle__fem_block *b) {
    const int64_t m = (int64_t)e->nodes * S->unknowns, block = S->block;
    const bool major = e->layout == TULLE_ELEMENT_MAJOR;
    const int64_t step = major ? 1 : e->stride > 0 ? e->stride : e->count;
    b->count = e->count;
    b->points = (int)(m / block);
    b->e_step = major ? m * m : 1;
    b->e_vector = major ? m : 1;
    b->c_step = b->r_vector = step;
    b->r_step = m * step;
    b->i_step = block * m * step;
    b->j_step = b->i_vector = block * step;
    b->numbers = e->count == 0 ? 0 : major ? e->count * m * m : (m * m - 1) * step + e->count;
    b->of_vector = e->count == 0 ? 0 : major ? e->count * m : (m - 1) * step + e->count;
}

void tulle__elements_shape(tulle_assembly *S, int blocks, const tulle_elements *elements) {
    tulle__fem_block end = {0};
    S->parts.count = blocks;
    for (int k = 0; k < blocks; k++) {
        tulle__fem_block *b = &S->parts.block[k];
        shape_block(S, &elements[k], b);
        b->first_pair = end.first_pair;
        b->first_place = end.first_place;
        b->first_number = end.first_number;
        b->first_of_vector = end.first_of_vector;
        end.first_pair += tulle__pairs_of(b);
        end.first_place += tulle__places_of_block(b);
        end.first_number += b->numbers;
        end.first_of_vector += b->of_vector;
    }
}

static tulle_status out_of_range(const char *function, const tulle_elements *e, const char *name,
                                 int64_t nodes, int64_t place, int64_t node) {
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "elements", place / e->nodes,
                       "%s: node %" PRId64 " of element %" PRId64 " is %" PRId64
                       "; it must be 0 to %" PRId64 ", or -1",
                       name, place % e->nodes, place / e->nodes, node, nodes - 1);
}

/* A list of the caller's, through memory of the context's, into points. */
static tulle_status bring(const char *function, tulle_assembly *S, int64_t nodes,
                          const tulle_elements *e, const char *name, void *room, int32_t *points) {
    tulle_ctx *ctx = S->ctx;
    int64_t place = -1, node = 0;
    const int64_t count = e->count * e->nodes, size = tulle_index_size(e->index);
    const tulle__points_job job = {.count = count,
                                   .nodes = nodes,
                                   .size = size,
                                   .list = room,
                                   .unknowns = S->unknowns / S->block,
                                   .points = points,
                                   .host_bad = &place};
    TULLE__TRY(tulle__copy_wait(ctx, room, e->list, tulle__bytes(count, size)));
    TULLE__TRY(ctx->backend->fem->number_points(&ctx->place, &job));
    if (place < 0) return TULLE_OK;
    TULLE__TRY(tulle__copy_wait(ctx, &node, (char *)room + place * size, (size_t)size));
    return out_of_range(function, e, name, nodes, place, tulle__get(&node, size, 0));
}

static tulle_status bring_all(const char *function, tulle_assembly *S, int64_t nodes,
                              const tulle_elements *elements, void *room, int32_t *points) {
    for (int b = 0; b < S->parts.count; b++) {
        char name[NAME_ROOM];
        tulle__fem_block *part = &S->parts.block[b];
        if (part->count == 0) continue;
        int32_t *to = points + part->first_place;
        TULLE__TRY(
            bring(function, S, nodes, &elements[b], name_of(S->parts.count, b, name), room, to));
        part->list = to;
    }
    return TULLE_OK;
}

tulle_status tulle__elements_bring(const char *function, tulle_assembly *S, int64_t nodes,
                                   const tulle_elements *elements, int32_t **points) {
    int64_t places = 0, most = 0;
    size_t bytes = 0;
    void *room = NULL;
    *points = NULL;
    for (int b = 0; b < S->parts.count; b++) {
        const int64_t given =
            elements[b].count * elements[b].nodes * tulle_index_size(elements[b].index);
        if (given > most) most = given;
        places += tulle__places_of_block(&S->parts.block[b]);
    }
    TULLE__TRY(tulle__size(places, sizeof(int32_t), 0, &bytes));
    TULLE__TRY(tulle__alloc(S->ctx, (size_t)most, &room));
    tulle_status status = tulle__alloc(S->ctx, bytes, (void **)points);
    if (status == TULLE_OK) status = bring_all(function, S, nodes, elements, room, *points);
    tulle__free(S->ctx, room);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__free(S->ctx, *points);
    *points = NULL;
    return status;
}
