/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a distributed matrix. No process knows the rows of another one, so that symmetry is seen
 * by products: for a random v, the numbers of A v and of A^T v are the same but for rounding where
 * A is symmetric, and differ otherwise, but for vectors v in a plane of one dimension less. */
#include <float.h>
#include <math.h>

#include "core/context.h"
#include "core/error.h"
#include "matrix/facts.h"
#include "solve/cost.h"
#include "solve/shared.h"
#include "tulle/algebra.h"

/* Numbers of a process, as they are gathered. */
typedef struct own_facts {
    int64_t unlike; /* rows in which A v and A^T v differ by more than rounding */
    int64_t diagonal_positive, diagonal_zero, not_dominant, not_finite;
    int64_t off_diagonal, off_positive;
    double ratio, making;
} own_facts;

enum { V, AV, ATV, DIAGONAL, SIZES, EDGE, VECTORS };

/* Vectors of this process's rows, but EDGE of those with other columns, and copies in f64. */
typedef struct vectors {
    tulle_vec *on[VECTORS];
    double *host[VECTORS];
} vectors;

static tulle_status make(const tulle__shared *s, vectors *v) {
    for (int i = 0; i < VECTORS; i++) {
        const int64_t rows = i == EDGE ? s->A->edge_rows : s->A->rows;
        TULLE__TRY(tulle_vec_create(s->ctx, s->A->type, rows, v->on + i));
        v->host[i] = tulle__host_alloc(s->ctx, ((size_t)rows + 1) * sizeof *v->host[i]);
        if (!v->host[i]) return TULLE_OUT_OF_MEMORY;
    }
    return tulle_vec_random(s->ctx, v->on[V], 1 + (uint64_t)tulle_comm_rank(s->A->comm));
}

static void discard(const tulle__shared *s, vectors *v) {
    for (int i = 0; i < VECTORS; i++) {
        tulle_vec_destroy(v->on[i]);
        tulle__host_free(s->ctx, v->host[i]);
    }
}

/* Copies a vector to host memory, in f64. */
static tulle_status fetch(const tulle__shared *s, vectors *v, int i) {
    const int64_t rows = i == EDGE ? s->A->edge_rows : s->A->rows;
    TULLE__TRY(tulle_vec_read(s->ctx, v->on[i], v->host[i], 0));
    if (s->A->type == TULLE_F64) return TULLE_OK;
    const float *narrow = (const float *)v->host[i];
    for (int64_t k = rows; k-- > 0;) v->host[i][k] = (double)narrow[k]; /* from the end: in place */
    return TULLE_OK;
}

/* Products that do not repeat are right, too: what rounds otherwise is well within the limit. */
static tulle_status multiply_both(const tulle__shared *s, vectors *v) {
    const bool repeatable = s->ctx->repeatable;
    s->ctx->repeatable = false;
    tulle_status status = tulle_dist_mat_multiply(s->ctx, TULLE_N, tulle_num(1), s->A, v->on[V],
                                                  tulle_num(0), v->on[AV]);
    if (status == TULLE_OK) {
        status = tulle_dist_mat_multiply(s->ctx, TULLE_T, tulle_num(1), s->A, v->on[V],
                                         tulle_num(0), v->on[ATV]);
    }
    s->ctx->repeatable = repeatable;
    return status;
}

static tulle_status look_at_rows(const tulle__shared *s, vectors *v) {
    tulle_dist_mat *A = s->A;
    TULLE__TRY(tulle_linop_get_diagonal(s->ctx, s->L, v->on[DIAGONAL]));
    TULLE__TRY(tulle_mat_sums(s->ctx, TULLE_N, A->block, TULLE_SUM_SIZES, v->on[SIZES]));
    if (A->edge) TULLE__TRY(tulle_mat_sums(s->ctx, TULLE_N, A->edge, TULLE_SUM_SIZES, v->on[EDGE]));
    for (int i = AV; i < VECTORS; i++) {
        if (i != EDGE || A->edge) TULLE__TRY(fetch(s, v, i));
    }
    for (int64_t k = 0; k < A->edge_rows; k++) v->host[SIZES][A->edge_row[k]] += v->host[EDGE][k];
    return TULLE_OK;
}

static tulle_status longest_row(const tulle_dist_mat *A, int64_t *longest) {
    tulle_mat_info block, edge = {.max_row = 0};
    TULLE__TRY(tulle_mat_describe(A->block, &block));
    if (A->edge) TULLE__TRY(tulle_mat_describe(A->edge, &edge));
    *longest = block.max_row + edge.max_row;
    return TULLE_OK;
}

/* Counts in the rows of this process. A sum of k products is wrong by k + 1 roundings of the sum of
 * their sizes, |v| at most 1, and entries that are alike (facts.h) differ by 8 more. */
static void count(const tulle__shared *s, const vectors *v, int64_t longest, own_facts *own) {
    const double unit = s->A->type == TULLE_F32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2;
    const double roundings = 2 * (double)(longest + 8);
    for (int64_t i = 0; i < s->A->rows; i++) {
        const double d = v->host[DIAGONAL][i], size = v->host[SIZES][i];
        const double limit = 2 * roundings * unit * size;
        own->unlike += !(fabs(v->host[AV][i] - v->host[ATV][i]) <= limit);
        own->diagonal_positive += d > 0;
        own->diagonal_zero += d == 0;
        own->not_finite += !isfinite(size);
        own->not_dominant += !(size - fabs(d) <= fabs(d) * (1 + roundings * unit));
    }
}

/* Finds the signs of entries, and the cost of factors, of this process's block, in whose solution
 * nobody waits for another process. */
static tulle_status look_at_block(const tulle__shared *s, own_facts *own) {
    const tulle__way way = {.method = s->way.method, .precond = {.kind = TULLE__ILU}};
    tulle_facts facts;
    tulle__levels levels = {.levels = 0};
    tulle__cost cost;
    if (!s->precond_open || s->A->rows == 0 || own->not_finite > 0) return TULLE_OK;
    TULLE__TRY(tulle__mat_facts(s->ctx, s->A->block, false, &facts));
    own->off_diagonal = facts.off_diagonal;
    own->off_positive = facts.off_positive;
    TULLE__TRY(tulle__cost_find(s->ctx, s->A->block, &facts, &way, &levels, &cost));
    own->ratio = cost.ratio;
    own->making = cost.making;
    return TULLE_OK;
}

static tulle_status join(tulle__shared *s, const own_facts *own) {
    const int ranks = tulle_comm_ranks(s->A->comm);
    tulle__shared_facts *all = &s->facts;
    own_facts *each = tulle__host_alloc(s->ctx, (size_t)ranks * sizeof *each);
    tulle_status status = each ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    status = tulle__shared_agree(s, status);
    if (status == TULLE_OK) status = tulle__comm_gather(s->A->comm, own, sizeof *own, each);
    all->symmetric = true;
    for (int r = 0; r < ranks && status == TULLE_OK; r++) {
        all->symmetric = all->symmetric && each[r].unlike == 0;
        all->diagonal_positive += each[r].diagonal_positive;
        all->diagonal_zero += each[r].diagonal_zero;
        all->not_dominant += each[r].not_dominant;
        all->not_finite += each[r].not_finite;
        all->off_diagonal += each[r].off_diagonal;
        all->off_positive += each[r].off_positive;
        all->ratio = fmax(all->ratio, each[r].ratio);
        all->making = fmax(all->making, each[r].making);
    }
    tulle__host_free(s->ctx, each);
    return status;
}

tulle_status tulle__shared_count(tulle__shared *s) {
    vectors v = {{NULL}, {NULL}};
    own_facts own = {.unlike = 0};
    int64_t longest = 0;
    tulle_status status = make(s, &v);
    status = tulle__shared_agree(s, status);
    if (status == TULLE_OK) {
        status = multiply_both(s, &v);
        if (status == TULLE_OK) status = look_at_rows(s, &v);
        if (status == TULLE_OK) status = longest_row(s->A, &longest);
        if (status == TULLE_OK) {
            count(s, &v, longest, &own);
            status = look_at_block(s, &own);
        }
        status = tulle__shared_agree(s, status);
    }
    discard(s, &v);
    return status == TULLE_OK ? join(s, &own) : status;
}
