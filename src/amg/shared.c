/* SPDX-License-Identifier: Apache-2.0 */
/* Levels whose rows are shared by processes. Each process interpolates its own rows, in the local
 * matrix of its neighbourhood; P^T A P and P^T are made by all of them. A level of few rows is
 * gathered in all processes, which go on alike, each for itself: so a cycle gathers a right-hand
 * side there, and need not send a solution back. */
#include <math.h>

#include "amg/functions.h"
#include "amg/ghosts.h"
#include "amg/shorten_rules.h"
#include "tulle/algebra.h"
#include "tulle/vec.h"

/* Data that are made on the way from a level to the next one. */
typedef struct step {
    tulle_ctx *ctx;
    tulle__amg_level *level;
    tulle__amg_ghosts ghosts;
    tulle__amg_coarsening kept; /* kinds of local rows */
    tulle_mat *P;               /* rows of P for the local matrix, or of T of aggregation */
    tulle_mat *S;               /* rows of S of smoothed aggregation; else NULL */
    int64_t *numbers;           /* number of each local coarse row in the next level, or -1 */
    int64_t coarse_rows;        /* number of own coarse rows */
    int64_t *all_coarse;        /* number of coarse rows of each rank */
    tulle__columns coarse;      /* columns of P in the next level */
} step;

static void give_back(step *s) {
    tulle__amg_ghosts_free(s->ctx, &s->ghosts);
    tulle__amg_drop(&s->kept);
    tulle_mat_destroy(s->P);
    tulle_mat_destroy(s->S);
    tulle__host_free(s->ctx, s->numbers);
    tulle__host_free(s->ctx, s->all_coarse);
    tulle__columns_free(s->ctx, &s->coarse);
}

/* Numbers own coarse rows from 0 on. */
static tulle_status number_own(step *s) {
    const tulle__columns *rows = &s->ghosts.rows;
    const int64_t all = tulle__columns_all(rows), own = rows->end - rows->begin;
    uint8_t *kinds = tulle__host_alloc(s->ctx, (size_t)all + 1);
    s->numbers = tulle__host_alloc(s->ctx, (size_t)all * sizeof *s->numbers + 1);
    s->all_coarse =
        tulle__host_alloc(s->ctx, (size_t)s->ghosts.comm->functions.ranks * sizeof *s->all_coarse);
    tulle_status status = kinds && s->numbers && s->all_coarse ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    if (status == TULLE_OK) {
        status = tulle__copy_wait(s->ctx, kinds, s->kept.rows.data, (size_t)all);
    }
    for (int64_t i = rows->lower; status == TULLE_OK && i < rows->lower + own; i++) {
        s->numbers[i] = kinds[i] == TULLE__AMG_COARSE ? s->coarse_rows++ : -1;
    }
    tulle__host_free(s->ctx, kinds);
    return status;
}

/* Numbers that all processes add up, of a level: own coarse rows, and strong connections of own
 * fine rows. */
enum { COARSE, STRONG, COUNTS };

/* Splits rows and interpolates them; counts the coarse rows of all processes. */
static tulle_status interpolate(step *s, const tulle_amg_options *o, double all[COUNTS]) {
    tulle__amg_ghosts *g = &s->ghosts;
    tulle_amg_level_info *info = &s->level->info;
    tulle_status status =
        o->family == TULLE_AMG_CLASSICAL
            ? tulle__amg_interpolate_with(s->ctx, o, g->A, g, &s->kept, info, &s->P)
            : tulle__amg_aggregate_with(s->ctx, o, g, &s->kept, info, &s->P, &s->S);
    if (status == TULLE_OK) status = number_own(s);
    all[COARSE] = (double)s->coarse_rows;
    all[STRONG] = (double)g->strong;
    return tulle__amg_sum(g->comm, status, all, COUNTS);
}

/* Makes the list of the columns that the local P has: in the local matrix's order, which is that of
 * the next level. */
static tulle_status list_coarse(step *s, int64_t first) {
    const tulle__columns *rows = &s->ghosts.rows;
    const int64_t all = tulle__columns_all(rows);
    s->coarse = (tulle__columns){.begin = first, .end = first + s->coarse_rows};
    s->coarse.others =
        tulle__host_alloc(s->ctx, (size_t)rows->count * sizeof *s->coarse.others + 1);
    if (!s->coarse.others) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < all; i++) {
        const bool is_own = i >= rows->lower && i < rows->lower + rows->end - rows->begin;
        if (is_own || s->numbers[i] < 0) continue;
        s->coarse.lower += i < rows->lower;
        s->coarse.others[s->coarse.count++] = s->numbers[i];
    }
    return TULLE_OK;
}

/* Brings the numbers of ghosts in the next level. */
static tulle_status bring_numbers(step *s) {
    tulle__amg_ghosts *g = &s->ghosts;
    const int64_t own = g->rows.end - g->rows.begin;
    int64_t *go = (int64_t *)(void *)g->go, *come = (int64_t *)(void *)g->come;
    for (int64_t k = 0; k < g->halo.go_rows; k++) {
        go[k] = s->numbers[g->rows.lower + g->halo.go_row[k]];
    }
    TULLE__TRY(tulle__halo_send(s->ctx, g->comm, TULLE_OK, &g->halo,
                                &(tulle__halo_items){.size = sizeof *go, .go = go, .come = come}));
    for (int64_t k = 0; k < g->rows.count; k++) {
        s->numbers[k < g->rows.lower ? k : k + own] = come[k];
    }
    return TULLE_OK;
}

/* Makes the distributed P of all processes' rows. */
static tulle_status share_P(step *s) {
    const tulle__amg_ghosts *g = &s->ghosts;
    const int64_t own = g->rows.end - g->rows.begin;
    int64_t first = 0;
    TULLE__TRY(tulle__comm_gather(g->comm, &s->coarse_rows, sizeof first, s->all_coarse));
    for (int r = 0; r < g->comm->functions.rank; r++) first += s->all_coarse[r];
    for (int64_t i = g->rows.lower; i < g->rows.lower + own; i++) {
        if (s->numbers[i] >= 0) s->numbers[i] += first;
    }
    TULLE__TRY(bring_numbers(s));
    const tulle_status here = list_coarse(s, first);
    const tulle__local_part part = {s->P, g->rows.lower, own, &s->coarse, s->coarse_rows};
    return tulle__rows_share(s->ctx, g->comm, here, &part, &s->level->shared.P);
}

/* Turns T, in the place of P, into P = S T + T. */
static tulle_status smooth_P(step *s) {
    const tulle__amg_ghosts *g = &s->ghosts;
    const int64_t own = g->rows.end - g->rows.begin;
    const tulle__local_part part = {s->S, g->rows.lower, own, &g->rows, own};
    tulle_dist_mat *S = NULL, *ST = NULL, *T = s->level->shared.P, *P = NULL;
    tulle_status status = tulle__rows_share(s->ctx, g->comm, TULLE_OK, &part, &S);
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

/* Makes a vector of the sums of own rows, from the local matrix. */
static tulle_status sum_own(const step *s, tulle_sum_kind kind, tulle_vec **own) {
    const tulle_mat *A = s->ghosts.A;
    const tulle__columns *rows = &s->ghosts.rows;
    tulle_vec *sums = NULL;
    TULLE__TRY(tulle_vec_create(s->ctx, A->type, rows->end - rows->begin, own));
    TULLE__TRY(tulle_vec_create(s->ctx, A->type, A->pattern->rows, &sums));
    tulle_status status = tulle_mat_sums(s->ctx, TULLE_N, A, kind, sums);
    const size_t item = (size_t)tulle_type_size(A->type);
    if (status == TULLE_OK && (*own)->rows > 0) {
        status = s->ctx->backend->copy(&s->ctx->place, (*own)->data,
                                       (char *)sums->data + (size_t)rows->lower * item,
                                       (size_t)(*own)->rows * item);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(s->ctx);
    tulle_vec_destroy(sums);
    return status;
}

/* Computes the smoother's diagonal of own rows, and own noise of the first level (diagonal.c). */
static tulle_status set_diagonal(const step *s, tulle__amg *own) {
    TULLE__TRY(sum_own(s, TULLE_SUM_SIZES, &s->level->d));
    TULLE__TRY(tulle__amg_invert_sums(s->ctx, own, s->level->d, NULL));
    if (own->noise) return TULLE_OK;
    TULLE__TRY(sum_own(s, TULLE_SUM_LARGEST, &own->noise));
    return tulle__amg_begin_noise(s->ctx, own->noise);
}

/* Numbers of rows on their way to the next level, in host memory; owned. */
typedef struct travelling {
    tulle__rows R;
    double *own, *go, *come, *next;
} travelling;

static double number_of(tulle_type type, const void *numbers, int64_t k) {
    return type == TULLE_F32 ? (double)((const float *)numbers)[k] : ((const double *)numbers)[k];
}

static tulle_status prepare(const step *s, const tulle_dist_mat *R, const tulle_vec *numbers,
                            travelling *t) {
    const size_t item = sizeof(double);
    t->own = tulle__host_alloc(s->ctx, ((size_t)R->cols + 1) * item);
    t->go = tulle__host_alloc(s->ctx, ((size_t)R->halo.go_rows + 1) * item);
    t->come = tulle__host_alloc(s->ctx, ((size_t)R->halo.come_rows + 1) * item);
    t->next = tulle__host_alloc(s->ctx, ((size_t)R->rows + 1) * item);
    if (!t->own || !t->go || !t->come || !t->next) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__rows_of_dist(s->ctx, R, &t->R));
    TULLE__TRY(tulle_vec_read(s->ctx, numbers, t->own, 0));
    for (int64_t k = R->cols - 1; k >= 0; k--) t->own[k] = number_of(R->type, t->own, k);
    for (int64_t k = 0; k < R->halo.go_rows; k++) t->go[k] = t->own[R->halo.go_row[k]];
    return TULLE_OK;
}

/* Returns the number that belongs to a column of the whole matrix. */
static double at_column(const tulle_dist_mat *R, const travelling *t, int64_t column) {
    const int64_t own = column - R->col_starts[R->comm->functions.rank];
    int64_t low = 0, high = R->halo.come_rows;
    if (own >= 0 && own < R->cols) return t->own[own];
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        *(R->edge_col[middle] <= column ? &low : &high) = middle;
    }
    return t->come[low];
}

static tulle_status arrive(const step *s, const tulle_dist_mat *R, const travelling *t,
                           tulle_vec **next) {
    for (int64_t i = 0; i < R->rows; i++) {
        double sum = 0;
        for (int64_t k = t->R.offsets[i]; k < t->R.offsets[i + 1]; k++) {
            sum += number_of(R->type, t->R.values, k) * at_column(R, t, t->R.columns[k]);
        }
        if (R->type == TULLE_F32) {
            ((float *)t->next)[i] = (float)sum;
        } else {
            t->next[i] = sum;
        }
    }
    TULLE__TRY(tulle_vec_create(s->ctx, R->type, R->rows, next));
    return tulle_vec_write(s->ctx, *next, t->next, 0);
}

/* Brings numbers of own rows, which are given up, to the next level: R times them. All processes
 * hear of a failure. Communicates. */
static tulle_status restrict_numbers(const step *s, tulle_status here, tulle_vec **numbers) {
    const tulle_dist_mat *R = s->level->shared.R;
    travelling t = {.own = NULL};
    tulle_vec *next = NULL;
    if (here == TULLE_OK) here = prepare(s, R, *numbers, &t);
    const tulle__halo_items items = {.size = sizeof *t.go, .go = t.go, .come = t.come};
    tulle_status status = tulle__halo_send(s->ctx, R->comm, here, &R->halo, &items);
    if (status == TULLE_OK) status = arrive(s, R, &t, &next);
    double *const arrays[] = {t.own, t.go, t.come, t.next};
    for (int k = 0; k < 4; k++) tulle__host_free(s->ctx, arrays[k]);
    tulle__rows_free(s->ctx, &t.R);
    tulle_vec_destroy(*numbers);
    *numbers = next;
    return tulle__comm_agree(R->comm, NULL, status, NULL, 0);
}

/* Brings noise to the next level, and the sizes of this one. Communicates. */
static tulle_status pass_sizes(const step *s, tulle__amg *own) {
    TULLE__TRY(restrict_numbers(s, TULLE_OK, &own->noise));
    const tulle_status here = sum_own(s, TULLE_SUM_LARGEST, &s->level[1].sizes);
    return restrict_numbers(s, here, &s->level[1].sizes);
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

/* Rounds P to the numbers of f32 where one process would (working.c), with the same bits. */
static tulle_status shorten_P(const step *s, const tulle__amg *own) {
    tulle_dist_mat *P = s->level->shared.P;
    tulle__rows rows = {.rows = 0};
    if (!tulle__amg_may_be_single(own)) return TULLE_OK;
    tulle_status here = tulle__rows_of_dist(s->ctx, P, &rows);
    double *values = rows.values;
    for (int64_t i = 0; i < P->rows && here == TULLE_OK; i++) {
        tulle__amg_shorten_row(values + rows.offsets[i], rows.offsets[i + 1] - rows.offsets[i]);
    }
    if (here == TULLE_OK) {
        here = tulle_dist_mat_set_values(P, rows.offsets, rows.columns, values);
    }
    tulle__rows_free(s->ctx, &rows);
    return tulle__comm_agree(s->ghosts.comm, NULL, here, NULL, 0);
}

/* Makes P, R and the matrix of the next level. */
static tulle_status make_next(step *s, const tulle__amg *own) {
    tulle__amg_shared *shared = &s->level->shared;
    TULLE__TRY(share_P(s));
    if (s->S) TULLE__TRY(smooth_P(s));
    TULLE__TRY(shorten_P(s, own));
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
        TULLE__TRY(interpolate(s, &own->options, all));
        *done = !tulle__amg_shrinks((double)level->info.rows, all[COARSE]);
        level->info.interpolation_ms = tulle__amg_lap(&since) - level->info.split_ms;
    }
    if (!*done) {
        level->info.strong_share = strong_share(&level->info, all);
        TULLE__TRY(make_next(s, own));
        own->levels++;
        level->info.product_ms = tulle__amg_lap(&since);
    }
    tulle_status status = set_diagonal(s, own);
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
