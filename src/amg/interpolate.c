/* SPDX-License-Identifier: Apache-2.0 */
/* From a level's matrix to interpolation: strong connections, coarse rows, the factors M and N,
 * their product M N + N, and its truncation (rules.h). */
#include "amg/amg.h"
#include "amg/functions.h"
#include "amg/part.h"
#include "tulle/spgemm.h"

/* Everything that is made on the way, in the place's memory. */
typedef struct making {
    tulle_ctx *ctx;
    tulle__amg_split split;
    tulle__amg_factors factors;
    tulle__amg_interpolation made;
    tulle_mat *M, *N, *raw;
    int64_t strong; /* number of strong connections of fine rows */
} making;

static tulle_status take_split(making *m) {
    tulle__amg_split *s = &m->split;
    const int64_t rows = s->csr.rows;
    TULLE__TRY(tulle__amg_take(m->ctx, s->csr.nnz, sizeof *s->strong, (void *)&s->strong));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->diagonal, (void *)&s->diagonal));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->influence, (void *)&s->influence));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->kind, (void *)&s->kind));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->fine, (void *)&s->fine));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->beaten, (void *)&s->beaten));
    TULLE__TRY(tulle__amg_take(m->ctx, rows + 1, sizeof *s->number, (void *)&s->number));
    return tulle__amg_take(m->ctx, 1, sizeof *s->open, (void *)&s->open);
}

/* Finds coarse rows, in rounds. */
static tulle_status find_coarse(making *m) {
    const tulle__backend *backend = m->ctx->backend;
    const tulle__place *place = &m->ctx->place;
    const tulle__amg_split *s = &m->split;
    int64_t open = s->csr.rows;
    for (int round = 1; open > 0; round++) {
        TULLE__TRY(backend->set_bytes(place, s->open, 0, sizeof *s->open));
        TULLE__TRY(backend->amg->amg_round(place, s, round, &open));
    }
    return TULLE_OK;
}

/* Splits rows into coarse and fine ones, unless their kinds are kept; returns the number of coarse
 * ones. */
static tulle_status split(making *m, const tulle__amg_coarsening *kept, int64_t *coarse) {
    const tulle__backend *backend = m->ctx->backend;
    const tulle__place *place = &m->ctx->place;
    tulle__amg_split *s = &m->split;
    const size_t rows = (size_t)s->csr.rows;
    TULLE__TRY(take_split(m));
    TULLE__TRY(backend->set_bytes(place, s->influence, 0, rows * sizeof *s->influence));
    TULLE__TRY(backend->amg->amg_connect(place, s));
    if (kept->coarse > 0) {
        TULLE__TRY(backend->copy(place, s->kind, kept->rows.data, rows * sizeof *s->kind));
    } else {
        TULLE__TRY(find_coarse(m));
    }
    return backend->amg->amg_number(place, s, coarse);
}

/* Makes M and N. */
static tulle_status make_factors(making *m, int64_t coarse) {
    const tulle__amg_functions *functions = m->ctx->backend->amg;
    const tulle__place *place = &m->ctx->place;
    tulle__amg_factors *f = &m->factors;
    const int64_t rows = m->split.csr.rows;
    tulle__draft between, down;
    int64_t entries[2];
    f->split = &m->split;
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *f->to_coarse, (void *)&f->to_coarse));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *f->weight, (void *)&f->weight));
    TULLE__TRY(
        tulle__amg_take(m->ctx, rows + 1, sizeof *f->between.before, (void *)&f->between.before));
    TULLE__TRY(tulle__amg_take(m->ctx, rows + 1, sizeof *f->down.before, (void *)&f->down.before));
    TULLE__TRY(functions->amg_count_factors(place, f, entries));
    m->strong = entries[0] + entries[1];
    TULLE__TRY(tulle__amg_draft_part(m->ctx, &m->split, rows, entries[0], &f->between, &between));
    tulle_status status =
        tulle__amg_draft_part(m->ctx, &m->split, coarse, entries[1], &f->down, &down);
    if (status != TULLE_OK) {
        tulle__draft_free(&between);
        return status;
    }
    status = functions->amg_fill_factors(place, f);
    if (status != TULLE_OK) {
        tulle__draft_free(&between);
        tulle__draft_free(&down);
        return status;
    }
    status = tulle__amg_finish_part(&between, &m->M);
    if (status != TULLE_OK) {
        tulle__draft_free(&down);
        return status;
    }
    return tulle__amg_finish_part(&down, &m->N);
}

/* Computes M N + N, in the index type of the level. */
static tulle_status multiply(making *m) {
    const tulle_spgemm_options o = {
        .index_given = true, .index = m->split.csr.index, .D = m->N, .beta = tulle_num(1)};
    TULLE__TRY(tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->M, m->N, &o, NULL, &m->raw));
    m->made.raw = tulle__view_of(m->raw->pattern);
    m->made.raw_values = m->raw->values.data;
    return TULLE_OK;
}

static tulle_status truncate(making *m, const tulle_amg_options *options, int64_t coarse,
                             tulle_mat **P) {
    const tulle__amg_functions *functions = m->ctx->backend->amg;
    const tulle__place *place = &m->ctx->place;
    tulle__amg_interpolation *made = &m->made;
    tulle__draft draft;
    int64_t entries;
    made->split = &m->split;
    made->weight = m->factors.weight;
    made->most = options->interpolation_entries;
    TULLE__TRY(tulle__amg_take(m->ctx, m->split.csr.rows + 1, sizeof *made->P.before,
                               (void *)&made->P.before));
    TULLE__TRY(functions->amg_count_rows(place, made, &entries));
    TULLE__TRY(tulle__amg_draft_part(m->ctx, &m->split, coarse, entries, &made->P, &draft));
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
    tulle__amg_keep(m->ctx, m->split.kind, bytes, coarse, kept);
    m->split.kind = NULL;
}

static tulle_status make(making *m, const tulle_amg_options *options, tulle__amg_coarsening *kept,
                         tulle_amg_level_info *info, tulle_mat **P) {
    double since = tulle__seconds();
    int64_t coarse;
    TULLE__TRY(split(m, kept, &coarse));
    TULLE__TRY(tulle_ctx_synchronize(m->ctx));
    info->split_ms = tulle__amg_lap(&since);
    if (coarse == 0) return TULLE_OK;
    TULLE__TRY(make_factors(m, coarse));
    info->strong_share = strong_share(m, coarse);
    TULLE__TRY(multiply(m));
    TULLE__TRY(truncate(m, options, coarse, P));
    if (kept->coarse == 0) keep(m, coarse, kept);
    return TULLE_OK;
}

static void give_back(making *m) {
    const tulle__amg_split *s = &m->split;
    const tulle__amg_factors *f = &m->factors;
    void *const arrays[] = {s->strong,       s->diagonal, s->influence,      s->kind,
                            s->fine,         s->beaten,   s->number,         s->open,
                            f->to_coarse,    f->weight,   f->between.before, f->down.before,
                            m->made.P.before};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tulle__free(m->ctx, arrays[k]);
    tulle_mat_destroy(m->M);
    tulle_mat_destroy(m->N);
    tulle_mat_destroy(m->raw);
}

tulle_status tulle__amg_interpolate(tulle_ctx *ctx, const tulle_amg_options *options,
                                    const tulle_mat *A, tulle__amg_coarsening *kept,
                                    tulle_amg_level_info *info, tulle_mat **P) {
    making m = {.ctx = ctx,
                .split = {.csr = tulle__view_of(A->pattern),
                          .type = A->type,
                          .values = A->values.data,
                          .threshold = options->strength,
                          .most_sum = options->most_sum}};
    *P = NULL;
    const tulle_status status = make(&m, options, kept, info, P);
    give_back(&m);
    return status;
}
