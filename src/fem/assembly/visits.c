/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of the numbers that come to a row, and not to each of its entries: a number of 32 bits
 * and a byte for each point of an element, instead of 32 bits for each number. */
#include "fem/assembly/assembly.h"
#include "fem/functions.h"

/* The most points that elements have. */
static int widest(const tulle_assembly *S) {
    int width = 0;
    for (int b = 0; b < S->parts.count; b++) {
        if (S->parts.block[b].points > width) width = S->parts.block[b].points;
    }
    return width;
}

/* Positions are bytes, and a warp has room for a column of an element matrix in each lane, and for
 * its rows in its part of the shared memory. */
static bool may_visit(const tulle_assembly *S, int width, int64_t longest) {
    const int columns = width * S->block;
    if (S->places.count == 0 || S->block > TULLE__VISIT_UNKNOWNS) return false;
    if (columns > TULLE__VISIT_COLUMNS || longest > TULLE__VISIT_NOWHERE) return false;
    const int64_t rows = TULLE__VISIT_COLUMNS / tulle__team_of(columns);
    return rows * longest * S->block * S->block * (int64_t)sizeof(double) <= TULLE__VISIT_ROOM;
}

static void forget(tulle_assembly *S) {
    tulle__free(S->ctx, S->visits.positions);
    tulle__free(S->ctx, S->visits.from);
    S->visits = (tulle__visits){.positions = NULL};
}

/* The list that visits stand for. */
static void forget_entries(tulle_assembly *S) {
    const int64_t size = S->entries.wide ? 8 : 4;
    tulle__free(S->ctx, S->entries.from);
    tulle__free(S->ctx, S->entries.ends);
    S->bytes -= (S->items + 1 + S->entries.count) * size;
    S->entries = (tulle__sum_list){.count = 0};
}

tulle_status tulle__assembly_find_visits(tulle_assembly *S, const tulle__pattern_view *csr,
                                         int64_t longest, const int64_t *order) {
    const int64_t visits = S->places.count, before = S->bytes;
    const int width = widest(S);
    void *positions = NULL;
    bool twice = false;
    if (!may_visit(S, width, longest)) return TULLE_OK;
    S->visits = (tulle__visits){.wide = S->entries.wide, .width = width, .longest = longest};
    TULLE__TRY(tulle__assembly_alloc(S, visits, S->visits.wide ? 8 : 4, &S->visits.from));
    TULLE__TRY(tulle__assembly_alloc(S, visits, width, &positions));
    S->visits.positions = positions;
    const tulle__visits_job job = {.blocks = &S->parts,
                                   .visits = visits,
                                   .order = order,
                                   .csr = *csr,
                                   .width = width,
                                   .wide = S->visits.wide,
                                   .from = S->visits.from,
                                   .positions = S->visits.positions,
                                   .host_twice = &twice};
    TULLE__TRY(S->ctx->backend->fem->list_visits(&S->ctx->place, &job));
    if (!twice) {
        forget_entries(S);
        return TULLE_OK;
    }
    forget(S);
    S->bytes = before;
    return TULLE_OK;
}
