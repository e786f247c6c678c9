/* SPDX-License-Identifier: Apache-2.0 */
/* From a level's matrix to interpolation by aggregates: strong connections, roots, the aggregates
 * around them, T, and for smoothed aggregation P = S T + T (aggregate_rules.h). */
#include "amg/amg.h"
#include "amg/functions.h"
#include "amg/ghosts.h"
#include "amg/part.h"
#include "tulle/spgemm.h"

/* Factor of smoothing. The columns of T that S smooths have less energy the smaller the largest
 * lambda (1 - omega lambda)^2 over the eigenvalues of D^-1 A_F is (Vanek, Mandel and Brezina 1996,
 * section 3). With l1 row sums in D these are at most 1; 1 / (3 omega) is the maximum inside, with
 * 4 / (27 omega), and equals that at 1 for omega = 4/3. */
static const double omega = 4.0 / 3;

/* Everything that is made on the way, in the place's memory. */
typedef struct making {
    tulle_ctx *ctx;
    tulle__amg_split split;
    tulle__amg_aggregates aggregates;
    tulle__amg_tentative made;
    bool sized; /* true: sizes of the diagonal are the caller's */
    tulle_mat *T, *S;
} making;

static tulle_status take_arrays(making *m, bool finds) {
    tulle__amg_aggregates *a = &m->aggregates;
    tulle__amg_split *s = &m->split;
    const int64_t rows = s->csr.rows;
    const size_t index = (size_t)tulle_index_size(s->csr.index);
    TULLE__TRY(tulle__amg_take(m->ctx, s->csr.nnz, sizeof *s->strong, (void *)&s->strong));
    if (!m->sized) {
        TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->diagonal, (void *)&s->diagonal));
    }
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *s->kind, (void *)&s->kind));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *a->strongest, (void *)&a->strongest));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, sizeof *a->nearest, (void *)&a->nearest));
    if (!finds) return TULLE_OK;
    TULLE__TRY(tulle__amg_take(m->ctx, rows + 1, sizeof *s->number, (void *)&s->number));
    TULLE__TRY(tulle__amg_take(m->ctx, rows, index, (void *)&a->aggregate));
    return tulle__amg_take(m->ctx, 1, sizeof *s->open, (void *)&s->open);
}

/* Brings what is known of ghosts; without ghosts nothing is to be brought. */
static tulle_status bring(making *m, tulle__amg_ghosts *g, tulle_status status, void *items,
                          size_t size) {
    return g ? tulle__amg_ghosts_bring(m->ctx, g, status, items, size) : status;
}

/* Finds strong connections, and the rows' first kinds. */
static tulle_status link_rows(making *m, tulle__amg_ghosts *g, bool finds) {
    const tulle__amg_functions *functions = m->ctx->backend->amg;
    const tulle__place *place = &m->ctx->place;
    const tulle__amg_aggregates *a = &m->aggregates;
    const tulle__amg_split *s = &m->split;
    tulle_status status = take_arrays(m, finds);
    if (status == TULLE_OK && !m->sized) status = functions->amg_measure(place, a);
    status = bring(m, g, status, s->diagonal, sizeof *s->diagonal);
    if (status == TULLE_OK) status = functions->amg_find_strongest(place, a);
    status = bring(m, g, status, a->strongest, sizeof *a->strongest);
    if (status == TULLE_OK) status = functions->amg_link(place, a);
    return bring(m, g, status, s->kind, sizeof *s->kind);
}

/* Finds roots together with other processes: the kinds that a round has given to ghosts come from
 * their owners. A row's neighbours that are ghosts have all their entries here, so that they
 * nominate the rows that they nominate in one process. */
static tulle_status find_roots_together(making *m, tulle__amg_ghosts *g, tulle_status status) {
    const tulle__amg_split *s = &m->split;
    for (double open = 1; open > 0;) {
        int64_t left = 0;
        if (status == TULLE_OK) {
            status = m->ctx->backend->amg->amg_elect(&m->ctx->place, &m->aggregates, &left);
        }
        status = bring(m, g, status, s->kind, sizeof *s->kind);
        open = (double)left;
        TULLE__TRY(tulle__amg_sum(g->comm, status, &open, 1));
    }
    return TULLE_OK;
}

/* Finds roots and the aggregates around them; returns the number of aggregates. */
static tulle_status find_aggregates(making *m, tulle__amg_ghosts *g, tulle_status status,
                                    int64_t *coarse) {
    const tulle__backend *backend = m->ctx->backend;
    const tulle__place *place = &m->ctx->place;
    const tulle__amg_aggregates *a = &m->aggregates;
    int64_t open = m->split.csr.rows;
    if (g) status = find_roots_together(m, g, status);
    TULLE__TRY(status);
    while (!g && open > 0) TULLE__TRY(backend->amg->amg_elect(place, a, &open));
    TULLE__TRY(backend->amg->amg_number(place, &m->split, coarse));
    return backend->amg->amg_join(place, a);
}

/* A pass over rows that fills a part, and one that counts its entries before. */
typedef tulle_status count_part(const tulle__place *place, const tulle__amg_tentative *made,
                                int64_t *entries);
typedef tulle_status fill_part(const tulle__place *place, const tulle__amg_tentative *made);

static tulle_status make_part(making *m, count_part *count, fill_part *fill, int64_t cols,
                              tulle__amg_part *part, tulle_mat **C) {
    const tulle__place *place = &m->ctx->place;
    const int64_t rows = m->split.csr.rows;
    tulle__draft draft;
    int64_t entries;
    TULLE__TRY(tulle__amg_take(m->ctx, rows + 1, sizeof *part->before, (void *)&part->before));
    TULLE__TRY(count(place, &m->made, &entries));
    TULLE__TRY(tulle__amg_draft_part(m->ctx, &m->split, cols, entries, part, &draft));
    const tulle_status status = fill(place, &m->made);
    if (status != TULLE_OK) {
        tulle__draft_free(&draft);
        return status;
    }
    return tulle__amg_finish_part(&draft, C);
}

static tulle_status make_T(making *m, int64_t coarse) {
    const tulle__amg_functions *functions = m->ctx->backend->amg;
    return make_part(m, functions->amg_count_tentative, functions->amg_fill_tentative, coarse,
                     &m->made.T, &m->T);
}

static tulle_status make_S(making *m) {
    const tulle__amg_functions *functions = m->ctx->backend->amg;
    return make_part(m, functions->amg_count_smoothing, functions->amg_fill_smoothing,
                     m->split.csr.rows, &m->made.S, &m->S);
}

/* Computes P := S T + T, in the index type of the level. */
static tulle_status smooth(making *m, tulle_mat **P) {
    const tulle__amg_split *s = &m->split;
    TULLE__TRY(make_S(m));
    const tulle_spgemm_options o = {
        .index_given = true, .index = s->csr.index, .D = m->T, .beta = tulle_num(1)};
    return tulle_spgemm(m->ctx, TULLE_N, TULLE_N, tulle_num(1), m->S, m->T, &o, NULL, P);
}

/* Hands the aggregates over to those that are kept. */
static void keep(making *m, int64_t coarse, tulle__amg_coarsening *kept) {
    tulle__amg_aggregates *a = &m->aggregates;
    const int64_t bytes = m->split.csr.rows * tulle_index_size(m->split.csr.index);
    tulle__amg_keep(m->ctx, a->aggregate, (size_t)bytes, 0, coarse, kept);
}

/* Makes T of aggregates that are found, or kept; none where no rows are connected strongly. */
static tulle_status find_T(making *m, const tulle__amg_coarsening *kept, int64_t *coarse,
                           tulle_amg_level_info *info) {
    const bool finds = kept->coarse == 0;
    double since = tulle__seconds();
    *coarse = kept->coarse;
    if (!finds) m->aggregates.aggregate = kept->rows.data;
    TULLE__TRY(link_rows(m, NULL, finds));
    if (finds) TULLE__TRY(find_aggregates(m, NULL, TULLE_OK, coarse));
    TULLE__TRY(tulle_ctx_synchronize(m->ctx));
    info->split_ms = tulle__amg_lap(&since);
    return *coarse > 0 ? make_T(m, *coarse) : TULLE_OK;
}

static tulle_status make(making *m, const tulle_amg_options *options, tulle__amg_coarsening *kept,
                         tulle_amg_level_info *info, tulle_mat **P) {
    const bool smooths = options->family == TULLE_AMG_SMOOTHED, finds = kept->coarse == 0;
    int64_t coarse;
    TULLE__TRY(find_T(m, kept, &coarse, info));
    if (coarse > 0 && smooths) {
        TULLE__TRY(smooth(m, P));
        if (finds) keep(m, coarse, kept);
        return TULLE_OK;
    }
    *P = m->T;
    m->T = NULL;
    return TULLE_OK;
}

/* Makes T and S for a local matrix, whose rows' kinds are kept. */
static tulle_status make_local(making *m, bool smooths, tulle__amg_ghosts *g,
                               tulle__amg_coarsening *kinds, tulle_amg_level_info *info) {
    double since = tulle__seconds();
    int64_t coarse = 0;
    TULLE__TRY(find_aggregates(m, g, link_rows(m, g, true), &coarse));
    TULLE__TRY(tulle_ctx_synchronize(m->ctx));
    info->split_ms = tulle__amg_lap(&since);
    TULLE__TRY(make_T(m, coarse));
    if (smooths) TULLE__TRY(make_S(m));
    const size_t bytes = (size_t)m->split.csr.rows * sizeof *m->split.kind;
    tulle__amg_keep(m->ctx, m->split.kind, bytes, g->rows.lower, coarse, kinds);
    g->number = m->split.number;
    m->split.kind = NULL;
    m->split.number = NULL;
    return TULLE_OK;
}

static void give_back(making *m, const tulle__amg_coarsening *kept) {
    const tulle__amg_aggregates *a = &m->aggregates;
    const tulle__amg_split *s = &m->split;
    void *const own = a->aggregate == kept->rows.data ? NULL : a->aggregate;
    void *const diagonal = m->sized ? NULL : s->diagonal;
    void *const arrays[] = {s->strong,    diagonal,   s->kind, s->number,        s->open,
                            a->strongest, a->nearest, own,     m->made.T.before, m->made.S.before};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tulle__free(m->ctx, arrays[k]);
    tulle_mat_destroy(m->T);
    tulle_mat_destroy(m->S);
}

static void begin_with(tulle_ctx *ctx, const tulle_amg_options *options,
                       const tulle__pattern_view *csr, tulle_type type, const void *values,
                       making *m) {
    *m = (making){.ctx = ctx,
                  .split = {.csr = *csr,
                            .type = type,
                            .values = values,
                            .threshold = options->strength,
                            .most_sum = options->most_sum},
                  .aggregates = {.least = options->strength * options->strength},
                  .made = {.omega = omega}};
    m->aggregates.split = &m->split;
    m->made.of = &m->aggregates;
}

static void begin(tulle_ctx *ctx, const tulle_amg_options *options, const tulle_mat *A, making *m) {
    const tulle__pattern_view csr = tulle__view_of(A->pattern);
    begin_with(ctx, options, &csr, A->type, A->values.data, m);
}

tulle_status tulle__amg_aggregate_nodes(tulle_ctx *ctx, const tulle_amg_options *options,
                                        const tulle__amg_sizing *sized, tulle__amg_coarsening *kept,
                                        tulle_amg_level_info *info, tulle_mat **T) {
    const bool finds = kept->coarse == 0;
    int64_t coarse;
    making m;
    begin_with(ctx, options, &sized->A.csr, TULLE_F64, sized->sizes, &m);
    m.split.diagonal = sized->diagonal;
    m.sized = true;
    const tulle_status status = find_T(&m, kept, &coarse, info);
    if (status == TULLE_OK && coarse > 0 && finds) keep(&m, coarse, kept);
    *T = status == TULLE_OK ? m.T : NULL;
    if (*T) m.T = NULL;
    give_back(&m, kept);
    return status;
}

tulle_status tulle__amg_aggregate(tulle_ctx *ctx, const tulle_amg_options *options,
                                  const tulle_mat *A, tulle__amg_coarsening *kept,
                                  tulle_amg_level_info *info, tulle_mat **P) {
    making m;
    begin(ctx, options, A, &m);
    *P = NULL;
    const tulle_status status = make(&m, options, kept, info, P);
    give_back(&m, kept);
    return status;
}

tulle_status tulle__amg_aggregate_with(tulle_ctx *ctx, const tulle_amg_options *options,
                                       tulle__amg_ghosts *ghosts, tulle__amg_coarsening *kinds,
                                       tulle_amg_level_info *info, tulle_mat **T, tulle_mat **S) {
    const tulle__amg_coarsening none = {.coarse = 0};
    making m;
    begin(ctx, options, ghosts->A, &m);
    m.split.names = ghosts->names;
    const tulle_status status =
        make_local(&m, options->family == TULLE_AMG_SMOOTHED, ghosts, kinds, info);
    if (status == TULLE_OK) {
        *T = m.T;
        *S = m.S;
        m.T = m.S = NULL;
    }
    give_back(&m, &none);
    return status;
}
