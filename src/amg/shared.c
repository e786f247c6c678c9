/* SPDX-License-Identifier: Apache-2.0 */
/* Levels whose rows are shared by processes. Each process interpolates its own rows, in the local
 * matrix of its neighbourhood; P^T A P and P^T are made by all of them. A level of few rows is
 * gathered in all processes, which go on alike, each for itself: so a cycle gathers a right-hand
 * side there, and need not send a solution back. */
#include "amg/functions.h"
#include "amg/ghosts.h"
#include "dist/functions.h"
#include "tulle/algebra.h"
#include "tulle/vec.h"

/* Data that are made on the way from a level to the next one. */
typedef struct step {
    tulle_ctx *ctx;
    tulle__amg_level *level;
    tulle__amg_ghosts ghosts;
    tulle_mat *P;          /* rows of P for the local matrix, or of T of aggregation */
    tulle_mat *S;          /* rows of S of smoothed aggregation; else NULL */
    int64_t coarse_lower;  /* number of coarse ghosts below the own rows */
    int64_t coarse_rows;   /* number of own coarse rows */
    int64_t *all_coarse;   /* number of coarse rows of each rank */
    tulle__columns coarse; /* columns of P in the next level */
    tulle_mat *rows;       /* own rows of A; owned */
} step;

static void give_back(step *s) {
    tulle__amg_ghosts_free(s->ctx, &s->ghosts);
    tulle_mat_destroy(s->P);
    tulle_mat_destroy(s->S);
    tulle_mat_destroy(s->rows);
    tulle__host_free(s->ctx, s->all_coarse);
    tulle__columns_free(s->ctx, &s->coarse);
}

/* Returns the number of coarse rows before a local row. Waits. */
static tulle_status read_number(const step *s, int64_t row, int64_t *number) {
    return tulle__copy_wait(s->ctx, number, s->ghosts.number + row, sizeof *number);
}

/* Counts own coarse rows. */
static tulle_status count_own(step *s) {
    const tulle__columns *rows = &s->ghosts.rows;
    const int64_t end = rows->lower + rows->end - rows->begin;
    TULLE__TRY(read_number(s, rows->lower, &s->coarse_lower));
    TULLE__TRY(read_number(s, end, &s->coarse_rows));
    s->coarse_rows -= s->coarse_lower;
    s->all_coarse =
        tulle__host_alloc(s->ctx, (size_t)s->ghosts.comm->functions.ranks * sizeof *s->all_coarse);
    return s->all_coarse ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

/* Numbers that all processes add up, of a level: own coarse rows, and strong connections of own
 * fine rows. */
enum { COARSE, STRONG, COUNTS };

/* Splits rows and interpolates them; counts the coarse rows of all processes. */
static tulle_status interpolate(step *s, const tulle__amg *own, double all[COUNTS]) {
    tulle__amg_ghosts *g = &s->ghosts;
    const tulle_amg_options *o = &own->options;
    tulle_amg_level_info *info = &s->level->info;
    tulle__amg_coarsening *kept = &s->level->kept;
    tulle_status status = o->family == TULLE_AMG_CLASSICAL
                              ? tulle__amg_interpolate_with(s->ctx, o, g->A, g, kept, info, &s->P)
                              : tulle__amg_aggregate_with(s->ctx, o, g, kept, info, &s->P, &s->S);
    if (status == TULLE_OK) status = count_own(s);
    if (status == TULLE_OK && !s->S) status = tulle__amg_shorten_P(s->ctx, own, s->P);
    all[COARSE] = (double)s->coarse_rows;
    all[STRONG] = (double)g->strong;
    TULLE__TRY(tulle__amg_sum(g->comm, status, all, COUNTS));
    kept->coarse = (int64_t)all[COARSE];
    return TULLE_OK;
}

/* Host memory for the numbers of rows that go and of ghosts, and for the kinds of rows that go. */
typedef struct numbers {
    int64_t *go, *come;
    uint8_t *kinds;
} numbers;

/* Copies what is known of own rows that go to host memory. own: items of own rows. */
static tulle_status pick(const step *s, const void *own, size_t size, void *to) {
    const tulle__amg_ghosts *g = &s->ghosts;
    const tulle__halo *h = &g->halo;
    if (h->go_rows == 0) return TULLE_OK;
    TULLE__TRY(
        s->ctx->backend->dist->dist_pick(&s->ctx->place, h->go_rows, h->order, size, own, g->go));
    return tulle__copy_wait(s->ctx, to, g->go, (size_t)h->go_rows * size);
}

/* Finds the numbers in the next level of own rows that go, or -1; first: that of the first own row
 * that is coarse. */
static tulle_status number_own(const step *s, int64_t first, numbers *n) {
    const tulle__halo *h = &s->ghosts.halo;
    const tulle__amg_coarsening *kept = &s->level->kept;
    n->go = tulle__host_alloc(s->ctx, (size_t)h->go_rows * sizeof *n->go + 1);
    n->come = tulle__host_alloc(s->ctx, (size_t)s->ghosts.rows.count * sizeof *n->come + 1);
    n->kinds = tulle__host_alloc(s->ctx, (size_t)h->go_rows + 1);
    if (!n->go || !n->come || !n->kinds) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(pick(s, s->ghosts.number + s->ghosts.rows.lower, sizeof *n->go, n->go));
    TULLE__TRY(pick(s, (uint8_t *)kept->rows.data + kept->first, sizeof *n->kinds, n->kinds));
    for (int64_t k = 0; k < h->go_rows; k++) {
        n->go[k] = n->kinds[k] == TULLE__AMG_COARSE ? first + n->go[k] - s->coarse_lower : -1;
    }
    return TULLE_OK;
}

/* Makes the list of the columns that the local P has: in the local matrix's order, which is that of
 * the next level. come: numbers of ghosts in the next level. */
static tulle_status list_coarse(step *s, int64_t first, const int64_t *come) {
    const int64_t ghosts = s->ghosts.rows.count;
    tulle__columns *c = &s->coarse;
    *c = (tulle__columns){.begin = first, .end = first + s->coarse_rows, .lower = s->coarse_lower};
    c->made = tulle__host_alloc(s->ctx, (size_t)ghosts * sizeof *c->made + 1);
    if (!c->made) return TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; k < ghosts; k++) {
        if (come[k] >= 0) c->made[c->count++] = come[k];
    }
    c->others = c->made;
    return TULLE_OK;
}

/* Brings the numbers of ghosts in the next level. A failure may be this process's own. */
static tulle_status number_ghosts(step *s, int64_t first) {
    const tulle__amg_ghosts *g = &s->ghosts;
    numbers n = {.go = NULL};
    tulle_status status = number_own(s, first, &n);
    status =
        tulle__halo_send(s->ctx, g->comm, status, &g->halo,
                         &(tulle__halo_items){.size = sizeof *n.go, .go = n.go, .come = n.come});
    if (status == TULLE_OK) status = list_coarse(s, first, n.come);
    tulle__host_free(s->ctx, n.go);
    tulle__host_free(s->ctx, n.come);
    tulle__host_free(s->ctx, n.kinds);
    return status;
}

/* Makes the distributed P of all processes' rows. */
static tulle_status share_P(step *s) {
    const tulle__amg_ghosts *g = &s->ghosts;
    const int64_t own = g->rows.end - g->rows.begin;
    int64_t first = 0;
    TULLE__TRY(tulle__comm_gather(g->comm, &s->coarse_rows, sizeof first, s->all_coarse));
    for (int r = 0; r < g->comm->functions.rank; r++) first += s->all_coarse[r];
    const tulle_status here = number_ghosts(s, first);
    const tulle__local_part part = {s->P, g->rows.lower, own, &s->coarse, s->coarse_rows};
    return tulle__local_share(s->ctx, g->comm, here, &part, &s->level->shared.P);
}

/* Turns T, in the place of P, into P = S T + T. */
static tulle_status smooth_P(step *s) {
    const tulle__amg_ghosts *g = &s->ghosts;
    const int64_t own = g->rows.end - g->rows.begin;
    const tulle__local_part part = {s->S, g->rows.lower, own, &g->rows, own};
    tulle_dist_mat *S = NULL, *ST = NULL, *T = s->level->shared.P, *P = NULL;
    tulle_status status = tulle__local_share(s->ctx, g->comm, TULLE_OK, &part, &S);
    if (status == TULLE_OK) status = tulle__dist_spgemm(s->ctx, tulle_num(1), S, T, &ST);
    if (status == TULLE_OK) {
        status = tulle__dist_add(s->ctx, tulle_num(1), ST, tulle_num(1), T, &P);
    }
    tulle_dist_mat_destroy(S);
    tulle_dist_mat_destroy(ST);
    TULLE__TRY(status);
    tulle_dist_mat_destroy(T);
    s->level->shared.P = P;
    return TULLE_OK;
}

tulle_status tulle__amg_own_rows(tulle_ctx *ctx, const tulle_dist_mat *A, tulle_mat **local) {
    const tulle__columns cols = tulle__columns_of(A);
    return tulle__local_own(ctx, A, &cols, local);
}

/* Computes the smoother's diagonal of own rows, and own noise of the first level (diagonal.c). A
 * has own rows, and `first` columns before own ones. */
static tulle_status set_diagonal(tulle_ctx *ctx, tulle__amg *own, const tulle_mat *A, int64_t first,
                                 tulle__amg_level *level) {
    if (!level->d) TULLE__TRY(tulle_vec_create(ctx, A->type, A->pattern->rows, &level->d));
    TULLE__TRY(tulle_mat_sums(ctx, TULLE_N, A, TULLE_SUM_SIZES, level->d));
    TULLE__TRY(tulle__amg_invert_sums(ctx, own, A, first, level->d, NULL));
    if (own->noise) return TULLE_OK;
    TULLE__TRY(tulle__amg_find_sizes(ctx, A, &own->noise));
    return tulle__amg_begin_noise(ctx, own->noise);
}

tulle_status tulle__amg_set_shared_diagonal(tulle_ctx *ctx, tulle__amg *own,
                                            const tulle_dist_mat *A, tulle__amg_level *level) {
    tulle_mat *local = NULL;
    TULLE__TRY(tulle__amg_own_rows(ctx, A, &local));
    const tulle_status status = set_diagonal(ctx, own, local, tulle__columns_of(A).lower, level);
    tulle_mat_destroy(local);
    return status;
}

/* Brings noise to the next level, and the sizes of this one. Communicates. */
static tulle_status pass_sizes(const step *s, tulle__amg *own) {
    const tulle__amg_shared *shared = &s->level->shared;
    tulle_vec **sizes = &s->level[1].sizes;
    tulle_mat *rows_of_R = NULL;
    tulle_status here = tulle__amg_own_rows(s->ctx, shared->R, &rows_of_R);
    tulle_status status =
        tulle__amg_restrict_numbers(s->ctx, shared->R, rows_of_R, here, &own->noise);
    if (status == TULLE_OK) {
        here = tulle__amg_find_sizes(s->ctx, s->rows, sizes);
        status = tulle__amg_restrict_numbers(s->ctx, shared->R, rows_of_R, here, sizes);
    }
    tulle_mat_destroy(rows_of_R);
    return status;
}

/* Finds whether the level is far from the one before, by the rows of all processes. Communicates.
 */
static tulle_status find_far(const step *s) {
    tulle__amg_level *level = s->level;
    const tulle_status here = tulle__amg_find_far(s->ctx, level);
    double far = level->is_far ? 1 : 0;
    TULLE__TRY(tulle__amg_sum(s->ghosts.comm, here, &far, 1));
    level->is_far = far > 0;
    return TULLE_OK;
}

/* Makes the operators of a level's matrices. */
static tulle_status make_operators(tulle_ctx *ctx, tulle__amg_shared *s) {
    TULLE__TRY(tulle_linop_from_dist(ctx, s->A, &s->of_A));
    if (!s->P) return TULLE_OK;
    TULLE__TRY(tulle_linop_from_dist(ctx, s->P, &s->of_P));
    return tulle_linop_from_dist(ctx, s->R, &s->of_R);
}

/* Rounds a P of all processes to the numbers of f32 where one process would (working.c), with the
 * same bits. */
static tulle_status shorten_P(const step *s, const tulle__amg *own) {
    tulle_dist_mat *P = s->level->shared.P;
    const tulle__columns cols = tulle__columns_of(P);
    tulle_mat *local = NULL;
    if (!tulle__amg_may_be_single(own)) return TULLE_OK;
    tulle_status here = tulle__local_own(s->ctx, P, &cols, &local);
    if (here == TULLE_OK) here = tulle__amg_shorten_P(s->ctx, own, local);
    const tulle__local_part part = {local, 0, P->rows, &cols, P->cols};
    const tulle_status status =
        tulle__local_share(s->ctx, P->comm, here, &part, &s->level->shared.P);
    tulle_mat_destroy(local);
    if (status == TULLE_OK) tulle_dist_mat_destroy(P);
    return status;
}

/* Makes P, R and the matrix of the next level. */
static tulle_status make_next(step *s, const tulle__amg *own) {
    tulle__amg_shared *shared = &s->level->shared;
    TULLE__TRY(share_P(s));
    if (s->S) TULLE__TRY(smooth_P(s));
    if (s->S) TULLE__TRY(shorten_P(s, own));
    TULLE__TRY(tulle__dist_transpose(s->ctx, shared->P, &shared->R));
    return tulle__dist_galerkin(s->ctx, tulle_num(1), shared->A, shared->P, shared->R,
                                &s->level[1].shared.A);
}

/* Share of the entries beside the diagonal that are strong connections, by the mean of fine rows.
 */
static double strong_share(const tulle_amg_level_info *info, const double all[COUNTS]) {
    const double rows = (double)info->rows, fine = rows - all[COARSE];
    const double others = ((double)info->nnz - rows) / rows;
    return fine > 0 && others > 0 ? all[STRONG] / fine / others : 0;
}

/* Makes the next level from the last one, whose rows are shared; done: there is none. */
static tulle_status extend(step *s, tulle__amg *own, bool *done) {
    tulle__amg_level *level = s->level;
    double all[COUNTS];
    double since = tulle__seconds();
    TULLE__TRY(tulle__amg_ghosts_make(s->ctx, level->shared.A, &s->ghosts));
    *done = own->levels == own->options.most_levels;
    if (!*done) {
        TULLE__TRY(interpolate(s, own, all));
        *done = !tulle__amg_shrinks((double)level->info.rows, all[COARSE]);
        level->info.interpolation_ms = tulle__amg_lap(&since) - level->info.split_ms;
    }
    if (!*done) {
        level->info.strong_share = strong_share(&level->info, all);
        TULLE__TRY(make_next(s, own));
        own->levels++;
        level->info.product_ms = tulle__amg_lap(&since);
    }
    if (*done || own->options.family != TULLE_AMG_CLASSICAL) tulle__amg_drop(&level->kept);
    tulle_status status = tulle__amg_own_rows(s->ctx, level->shared.A, &s->rows);
    const int64_t before = tulle__columns_of(level->shared.A).lower;
    if (status == TULLE_OK) status = set_diagonal(s->ctx, own, s->rows, before, level);
    if (status == TULLE_OK) status = make_operators(s->ctx, &level->shared);
    TULLE__TRY(tulle__comm_agree(s->ghosts.comm, NULL, status, NULL, 0));
    TULLE__TRY(find_far(s));
    return *done ? TULLE_OK : pass_sizes(s, own);
}

static void describe(tulle__amg_level *level) {
    const tulle_dist_mat *A = level->shared.A;
    level->shared.rows = A->rows;
    level->info.rows = A->row_starts[A->comm->functions.ranks];
    level->info.nnz = A->all_nnz;
}

/* Finds the largest of the sums of sizes of own rows over the rows' diagonal entries. */
static tulle_status find_dominance(tulle_ctx *ctx, const tulle__amg_level *level, double *largest) {
    tulle_vec *ratio = NULL, *ones = NULL;
    tulle_status status = tulle_vec_create(ctx, level->shared.A->type, level->shared.rows, &ratio);
    if (status == TULLE_OK) {
        status = tulle_vec_create(ctx, level->shared.A->type, level->shared.rows, &ones);
    }
    if (status == TULLE_OK) status = tulle_vec_fill(ctx, ones, 1);
    if (status == TULLE_OK) status = tulle_linop_get_diagonal(ctx, level->shared.of_A, ratio);
    if (status == TULLE_OK) status = tulle_vec_multiply(ctx, ratio, level->d, ratio);
    if (status == TULLE_OK) status = tulle_vec_divide(ctx, ones, ratio, ratio);
    if (status == TULLE_OK) status = tulle_vec_norm_max(ctx, ratio, tulle_to_num(largest));
    tulle_vec_destroy(ratio);
    tulle_vec_destroy(ones);
    return status;
}

/* Decides whether smoothing solves the last level, which is shared: that it stalls in one process
 * is all that counts. */
static tulle_status end(tulle_ctx *ctx, tulle__amg *own) {
    double largest = 0, stalled = 0;
    const tulle_status here = find_dominance(ctx, own->level + own->levels - 1, &largest);
    if (!(largest <= tulle__amg_dominated)) stalled = 1;
    TULLE__TRY(tulle__amg_sum(own->head.comm, here, &stalled, 1));
    own->info.stalled = stalled > 0;
    return TULLE_OK;
}

/* Gives up the matrix of a level that the cycle passes through. */
static void pass(tulle__amg_level *level) {
    level->passes = true;
    tulle_linop_destroy(level->shared.of_A);
    tulle_dist_mat_destroy(level->shared.A);
    level->shared.of_A = NULL;
    level->shared.A = NULL;
}

/* Makes shared levels; the last one of own->level is then shared, where *done, or gathered. */
static tulle_status build(tulle_ctx *ctx, tulle__amg *own, int64_t limit, bool *done) {
    tulle_status here = TULLE_OK;
    *done = false;
    own->level[0].shared.A = tulle_dist_mat_retain(own->dist);
    own->levels = 1;
    describe(own->level);
    while (!*done && own->level[own->shared].info.rows > limit) {
        tulle__amg_level *level = own->level + own->shared;
        step s = {.ctx = ctx, .level = level};
        here = extend(&s, own, done);
        give_back(&s);
        TULLE__TRY(here);
        own->shared++;
        if (!*done) describe(level + 1);
        if (!*done && tulle__amg_passes(own, own->shared - 1)) pass(level);
        here = tulle__progress(ctx, "making levels", own->levels, 0);
        TULLE__TRY(tulle__comm_agree(own->head.comm, NULL, here, NULL, 0));
    }
    return *done ? end(ctx, own) : tulle__amg_gather(ctx, own);
}

tulle_status tulle__amg_build_shared(tulle_ctx *ctx, tulle__amg *own, bool *done) {
    const tulle_amg_options *o = &own->options;
    const int64_t limit = o->gathered_rows > o->coarsest_rows ? o->gathered_rows : o->coarsest_rows;
    return build(ctx, own, limit, done);
}
