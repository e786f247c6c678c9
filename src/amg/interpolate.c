/* SPDX-License-Identifier: Apache-2.0 */
/* From a level's matrix to interpolation: strong connections, coarse rows, and rows of P
 * (interpolate_rules.h). */
#include "amg/amg.h"
#include "amg/functions.h"
#include "amg/ghosts.h"
#include "amg/part.h"

/* Everything that is made on the way, in the place's memory. */
typedef struct making {
    tulle_ctx *ctx;
    tulle__amg_split split;
    tulle__amg_interpolation made;
    int64_t strong; /* number of strong connections of fine rows */
} making;

static tulle_status take_split(making *m) {
    tulle__amg_split *s = &m->split;
    const int64_t rows = s->csr.rows;
    const int64_t marks = s->csr.nnz + TULLE__AMG_PADDING;
    TULLE__TRY(tulle__amg_take(m->ctx, marks, sizeof *s->strong, (void *)&s->strong));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->diagonal, (void *)&s->diagonal));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->influence, (void *)&s->influence));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->kind, (void *)&s->kind));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->fine, (void *)&s->fine));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->beaten, (void *)&s->beaten));
    TULLE__TRY(tulle__amg_take(m->ctx, rows + 1, sizeof *s->number, (void *)&s->number));
    return tulle__amg_take(m->ctx, 1, sizeof *s->open, (void *)&s->open);
}

/* Finds coarse rows together with other processes, in rounds of two halves, so that all rows have
 * the kinds that they have in one process where A has an entry (j, i) for each (i, j). A ghost's
 * number of rows that depend on it, and its kind after the first half, come from its owner; in the
 * second half fine ghosts that have entries are found here. */
static tulle_status find_coarse_together(making *m, tulle__amg_ghosts *g, tulle_status status) {
    const tulle__backend *backend = m->ctx->backend;
    const tulle__place *place = &m->ctx->place;
    const tulle__amg_split *s = &m->split;
    double open = 1;
    status = tulle__amg_ghosts_bring(m->ctx, g, status, s->influence, sizeof *s->influence);
    status = tulle__amg_ghosts_bring(m->ctx, g, status, s->kind, sizeof *s->kind);
    for (int round = 1; open > 0; round++) {
        int64_t left = 0;
        if (status == TULLE_OK) status = backend->amg->amg_choose(place, s, round);
        status = tulle__amg_ghosts_bring(m->ctx, g, status, s->kind, sizeof *s->kind);
        if (status == TULLE_OK) status = backend->amg->amg_settle(place, s, &left);
        open = (double)left;
        TULLE__TRY(tulle__amg_sum(g->comm, status, &open, 1));
    }
    return TULLE_OK;
}

/* Finds coarse rows, in rounds. */
static tulle_status find_coarse(making *m) {
    const tulle__backend *backend = m->ctx->backend;
    const tulle__place *place = &m->ctx->place;
    const tulle__amg_split *s = &m->split;
    int64_t open = s->csr.rows;
    for (int round = 1; open > 0; round++) {
        TULLE__TRY(backend->amg->amg_round(place, s, round, &open));
    }
    return TULLE_OK;
}

/* Frees what only the search for coarse rows needs. */
static void give_back_rounds(making *m) {
    tulle__amg_split *s = &m->split;
    void *const arrays[] = {s->influence, s->fine, s->beaten, s->open};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tulle__free(m->ctx, arrays[k]);
    s->influence = s->beaten = NULL;
    s->fine = NULL;
    s->open = NULL;
}

/* Finds strong connections, and the rows' first kinds. */
static tulle_status connect(making *m) {
    const tulle__backend *backend = m->ctx->backend;
    const tulle__place *place = &m->ctx->place;
    tulle__amg_split *s = &m->split;
    TULLE__TRY(take_split(m));
    TULLE__TRY(
        backend->set_bytes(place, s->influence, 0, (size_t)s->csr.rows * sizeof *s->influence));
    return backend->amg->amg_connect(place, s);
}

/* Gives own rows the kinds that are kept, and ghosts those that their owners keep. */
static tulle_status take_kinds(making *m, tulle__amg_ghosts *ghosts, tulle_status status,
                               const tulle__amg_coarsening *kept) {
    const tulle__amg_split *s = &m->split;
    const uint8_t *kinds = (const uint8_t *)kept->rows.data + kept->first;
    const size_t bytes = (size_t)(s->end - s->begin) * sizeof *kinds;
    if (status == TULLE_OK && bytes > 0) {
        status = m->ctx->backend->copy(&m->ctx->place, s->kind + s->begin, kinds, bytes);
    }
    if (!ghosts) return status;
    return tulle__amg_ghosts_bring(m->ctx, ghosts, status, s->kind, sizeof *s->kind);
}

/* Splits rows into coarse and fine ones, unless their kinds are kept; returns the number of coarse
 * ones. */
static tulle_status split(making *m, tulle__amg_ghosts *ghosts, const tulle__amg_coarsening *kept,
                          int64_t *coarse) {
    tulle_status status = connect(m);
    if (kept->coarse > 0) {
        status = take_kinds(m, ghosts, status, kept);
    } else if (ghosts) {
        status = find_coarse_together(m, ghosts, status);
    } else if (status == TULLE_OK) {
        status = find_coarse(m);
    }
    TULLE__TRY(status);
    give_back_rounds(m);
    return m->ctx->backend->amg->amg_number(&m->ctx->place, &m->split, coarse);
}

static tulle_status take_rows(making *m) {
    tulle__amg_interpolation *made = &m->made;
    const int64_t rows = m->split.csr.rows;
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *made->to_coarse, (void *)&made->to_coarse));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *made->bits, (void *)&made->bits));
    return tulle__amg_take(m->ctx, rows + 1, sizeof *made->P.before, (void *)&made->P.before);
}

/* Makes P from rows that have their kinds. */
static tulle_status make_rows(making *m, const tulle_amg_options *options, int64_t coarse,
                              tulle_mat **P) {
    const tulle__amg_functions *functions = m->ctx->backend->amg;
    const tulle__place *place = &m->ctx->place;
    tulle__amg_interpolation *made = &m->made;
    tulle__draft draft;
    int64_t counted[2];
    made->split = &m->split;
    made->most = options->interpolation_entries;
    made->coarse = coarse;
    TULLE__TRY(take_rows(m));
    TULLE__TRY(functions->amg_count_rows(place, made, counted));
    m->strong = counted[1];
    TULLE__TRY(tulle__check_sizes("tulle_amg_create", m->split.csr.rows, coarse, counted[0],
                                  m->split.csr.index));
    TULLE__TRY(tulle__amg_draft_part(m->ctx, &m->split, coarse, counted[0], &made->P, &draft));
    const tulle_status status = functions->amg_fill_rows(place, made);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__amg_finish_part(&draft, P);
}

/* Share of the entries beside the diagonal that are strong connections, by the mean of fine rows.
 */
static double strong_share(const making *m, int64_t coarse) {
    const double rows = (double)m->split.csr.rows, fine = rows - (double)coarse;
    const double others = ((double)m->split.csr.nnz - rows) / rows;
    return fine > 0 && others > 0 ? (double)m->strong / fine / others : 0;
}

/* Hands the kinds of rows over to those that are kept. */
static void keep(making *m, int64_t coarse, tulle__amg_coarsening *kept) {
    const size_t bytes = (size_t)m->split.csr.rows * sizeof *m->split.kind;
    tulle__amg_keep(m->ctx, m->split.kind, bytes, m->split.begin, coarse, kept);
    m->split.kind = NULL;
}

static tulle_status make(making *m, const tulle_amg_options *options, tulle__amg_ghosts *ghosts,
                         tulle__amg_coarsening *kept, tulle_amg_level_info *info, tulle_mat **P) {
    double since = tulle__seconds();
    int64_t coarse;
    TULLE__TRY(split(m, ghosts, kept, &coarse));
    TULLE__TRY(tulle_ctx_synchronize(m->ctx));
    info->split_ms = tulle__amg_lap(&since);
    if (coarse == 0 && !ghosts) return TULLE_OK;
    TULLE__TRY(make_rows(m, options, coarse, P));
    info->strong_share = strong_share(m, coarse);
    if (kept->coarse == 0) keep(m, coarse, kept);
    if (!ghosts) return TULLE_OK;
    ghosts->strong = m->strong;
    ghosts->number = m->split.number;
    m->split.number = NULL;
    return TULLE_OK;
}

static void give_back(making *m) {
    const tulle__amg_split *s = &m->split;
    const tulle__amg_interpolation *made = &m->made;
    void *const arrays[] = {s->strong,          s->diagonal,      s->kind,        s->number,
                            made->to_coarse,    made->bits,       made->P.before, made->near.before,
                            made->near.columns, made->near.values};
    give_back_rounds(m);
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tulle__free(m->ctx, arrays[k]);
}

tulle_status tulle__amg_interpolate_with(tulle_ctx *ctx, const tulle_amg_options *options,
                                         const tulle_mat *A, tulle__amg_ghosts *ghosts,
                                         tulle__amg_coarsening *kept, tulle_amg_level_info *info,
                                         tulle_mat **P) {
    const tulle__columns *rows = ghosts ? &ghosts->rows : NULL;
    making m = {.ctx = ctx,
                .split = {.csr = tulle__view_of(A->pattern),
                          .names = ghosts ? ghosts->names : NULL,
                          .begin = rows ? rows->lower : 0,
                          .end = rows ? rows->lower + rows->end - rows->begin : A->pattern->rows,
                          .longest = A->pattern->stats.max_row,
                          .type = A->type,
                          .values = A->values.data,
                          .threshold = options->strength,
                          .most_sum = options->most_sum}};
    *P = NULL;
    const tulle_status status = make(&m, options, ghosts, kept, info, P);
    give_back(&m);
    return status;
}

tulle_status tulle__amg_interpolate(tulle_ctx *ctx, const tulle_amg_options *options,
                                    const tulle_mat *A, tulle__amg_coarsening *kept,
                                    tulle_amg_level_info *info, tulle_mat **P) {
    return tulle__amg_interpolate_with(ctx, options, A, NULL, kept, info, P);
}
