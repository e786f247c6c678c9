/* SPDX-License-Identifier: Apache-2.0 */
/* The inverse of the last level's matrix, on the host: Gauss and Jordan's elimination with pivots
 * from the diagonal, of which the largest comes first. */
#include <math.h>
#include <string.h>

#include "amg/amg.h"
#include "amg/jobs.h"
#include "core/threads/sizes.h"
#include "matrix/operand.h"

/* A pivot below this share of its row's diagonal entry counts as 0, as one does that is below its
 * noise (diagonal.c). Rounding leaves 3e-13 to 2e-11 of a singular matrix whose coefficients jump,
 * by the products on the way from level to level. Where A is that close to a singular matrix, a
 * single error is not reduced here, which the method that M serves takes away. A hierarchy of one
 * level has no such products, and its pivots are compared with noise alone. */
static const double lost = 1e-9;

/* The matrix of elimination, n x n by rows, and the rows that have been pivots. */
typedef struct elimination {
    int64_t n;
    double *a;
    double *least; /* [n] size from which a row's pivot counts */
    double *noise; /* [n] what roundings in f32 would leave in the row's diagonal entry; a row takes
                      over a share of what the rows have that are eliminated before it: of row p,
                      with the factor a_ip / a_pp, or a_ip a_pi / a_pp^2 for nodes */
    double *count; /* [n] number of rows of which that is the sum, 1 at first; of nodes it stays 1,
                      as their shares of noise are added as independent ones */
    bool of_nodes; /* true: unknowns may have units of their own */
    double lost;   /* share of its noise from which a pivot counts */
    double largest; /* largest noise over the pivot, of pivots so far, where roundings of `count`
                       rows add up as its root */
    bool *done;     /* [n] true for a row that has been a pivot, or that never is */
} elimination;

static double entry_of(const void *values, tulle_type type, int64_t k) {
    return type == TULLE_F32 ? (double)((const float *)values)[k] : ((const double *)values)[k];
}

/* Returns the row whose pivot is the largest, or -1: no pivot counts any more. */
static int64_t next_pivot(const elimination *e) {
    int64_t best = -1;
    double size = 0;
    for (int64_t i = 0; i < e->n; i++) {
        const double own = fabs(e->a[i * e->n + i]);
        if (e->done[i] || !(own > e->least[i] && own > e->lost * e->noise[i])) continue;
        if (!(own > size)) continue;
        best = i;
        size = own;
    }
    return best;
}

/* Exchanges unknown p with right-hand side p: after all of them the matrix is its inverse. */
static void exchange(elimination *e, int64_t p, int threads) {
    const int64_t n = e->n;
    double *row = e->a + p * n;
    const double pivot = row[p];
    row[p] = 1;
    for (int64_t j = 0; j < n; j++) row[j] /= pivot;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < n; i++) {
        double *other = e->a + i * n;
        const double factor = other[p];
        if (i == p || factor == 0) continue;
        const double share = fabs(e->of_nodes ? factor * row[i] / pivot : factor / pivot);
        other[p] = 0;
        for (int64_t j = 0; j < n; j++) other[j] -= factor * row[j];
        e->noise[i] += share * e->noise[p];
        if (!e->of_nodes) e->count[i] += share * e->count[p];
    }
    e->largest = fmax(e->largest, e->noise[p] / (fabs(pivot) * sqrt(e->count[p])));
    e->done[p] = true;
}

/* Rows and columns that have been no pivots have no part in the solution. */
static void clear_rest(elimination *e) {
    for (int64_t i = 0; i < e->n; i++) {
        if (e->done[i]) continue;
        for (int64_t j = 0; j < e->n; j++) e->a[i * e->n + j] = e->a[j * e->n + i] = 0;
    }
}

static void invert(elimination *e, int threads) {
    for (int64_t i = 0; i < e->n; i++) e->count[i] = 1;
    for (int64_t p = next_pivot(e); p >= 0; p = next_pivot(e)) exchange(e, p, threads);
    clear_rest(e);
}

/* Arrays of the level's matrix on the host. */
typedef struct host_rows {
    void *offsets, *cols_of, *values;
} host_rows;

static int64_t number_of(const void *numbers, int64_t size, int64_t k) {
    return size == 4 ? ((const int32_t *)numbers)[k] : ((const int64_t *)numbers)[k];
}

static tulle_status read(tulle_ctx *ctx, const tulle_mat *A, host_rows *host) {
    const tulle__pattern_view v = tulle__view_of(A->pattern);
    const size_t offsets = (size_t)((v.rows + 1) * tulle_offset_size(v.index));
    const size_t cols = (size_t)(v.nnz * tulle_index_size(v.index));
    const size_t values = (size_t)(v.nnz * tulle_type_size(A->type));
    host->offsets = tulle__host_alloc(ctx, offsets);
    host->cols_of = tulle__host_alloc(ctx, cols > 0 ? cols : 1);
    host->values = tulle__host_alloc(ctx, values > 0 ? values : 1);
    if (!host->offsets || !host->cols_of || !host->values) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle__copy_wait(ctx, host->offsets, v.offsets, offsets));
    TULLE__TRY(tulle__copy_wait(ctx, host->cols_of, v.cols_of, cols));
    return tulle__copy_wait(ctx, host->values, A->values.data, values);
}

static void spread(const tulle_mat *A, const host_rows *host, elimination *e) {
    const tulle_index index = A->pattern->index;
    for (int64_t i = 0; i < e->n; i++) {
        const int64_t end = number_of(host->offsets, tulle_offset_size(index), i + 1);
        for (int64_t k = number_of(host->offsets, tulle_offset_size(index), i); k < end; k++) {
            const int64_t j = number_of(host->cols_of, tulle_index_size(index), k);
            e->a[i * e->n + j] += entry_of(host->values, A->type, k);
        }
    }
}

/* Rounds all numbers to the type of the inverse, in place. */
static void round_numbers(elimination *e, tulle_type type) {
    float *narrow = (float *)(void *)e->a;
    if (type == TULLE_F64) return;
    for (int64_t k = 0; k < e->n * e->n; k++) {
        const float number = (float)e->a[k];
        memcpy(narrow + k, &number, sizeof number);
    }
}

/* Makes a CSR matrix of all n x n numbers. */
static tulle_status make_full(tulle_ctx *ctx, const elimination *e, tulle_type type,
                              tulle_mat **C) {
    const int64_t n = e->n, count = n * n;
    int32_t *offsets = tulle__host_alloc(ctx, (size_t)(n + 1) * sizeof *offsets);
    int32_t *cols_of = tulle__host_alloc(ctx, (size_t)count * sizeof *cols_of);
    tulle_status status = offsets && cols_of ? TULLE_OK : TULLE_OUT_OF_MEMORY;
    for (int64_t k = 0; status == TULLE_OK && k < count; k++) {
        offsets[k / n] = (int32_t)(k / n * n);
        cols_of[k] = (int32_t)(k % n);
    }
    if (status == TULLE_OK) {
        offsets[n] = (int32_t)count;
        status = tulle_mat_create_csr(ctx, n, n, count, TULLE_I32, offsets, cols_of, type, e->a,
                                      NULL, C);
    }
    tulle__host_free(ctx, offsets);
    tulle__host_free(ctx, cols_of);
    return status;
}

/* Puts all n x n numbers into a CSR matrix that there is. */
static tulle_status put_full(tulle_ctx *ctx, const elimination *e, tulle_mat *C) {
    const int64_t count = e->n * e->n;
    void *to = C->values.data;
    TULLE__TRY(tulle__copy_wait(ctx, to, e->a, (size_t)(count * tulle_type_size(C->type))));
    return tulle_mat_set_values(ctx, C, count, to);
}

/* True for a hierarchy of one level. */
static bool is_alone(const tulle__amg *own) {
    return own->levels == 1;
}

/* Sets bounds of pivots in A itself: the noise of a row is that of the row's largest size, or that
 * of the size on the diagonal, which is in the row's own unit. */
static void find_own_noise(elimination *e, tulle_type type) {
    e->lost = tulle__amg_lost(type) * tulle__amg_noise_unit;
    if (e->of_nodes) e->lost = fmax(e->lost, tulle__amg_lost_of_nodes(type));
    for (int64_t i = 0; i < e->n; i++) {
        const int64_t first = e->of_nodes ? i : 0, end = e->of_nodes ? i + 1 : e->n;
        for (int64_t j = first; j < end; j++) {
            e->noise[i] = fmax(e->noise[i], fabs(e->a[i * e->n + j]));
        }
    }
}

/* Sets bounds of pivots in the last matrix of several, by the rows' noise. Of nodes that is the
 * size of the numbers in A that a row is made of, in the rounding unit of f32. */
static tulle_status find_noise(tulle_ctx *ctx, const tulle__amg *own, elimination *e,
                               tulle_type type) {
    const tulle_vec *noise = own->nodes.made ? own->nodes.made : own->noise;
    for (int64_t i = 0; i < e->n; i++) e->least[i] = lost * fabs(e->a[i * e->n + i]);
    if (!noise) return TULLE_OK;
    const size_t bytes = (size_t)e->n * (size_t)tulle_type_size(noise->type);
    TULLE__TRY(tulle__copy_wait(ctx, e->noise, noise->data, bytes));
    e->lost = tulle__amg_lost(noise->type);
    for (int64_t i = e->n - 1; i >= 0; i--) { /* numbers become wider from the last one on */
        e->noise[i] = entry_of(e->noise, noise->type, i);
    }
    if (noise == own->noise) return TULLE_OK;
    e->lost = tulle__amg_lost_of_nodes(type) / tulle__amg_noise_unit;
    for (int64_t i = 0; i < e->n; i++) e->noise[i] *= tulle__amg_noise_unit;
    return TULLE_OK;
}

static tulle_status make(tulle_ctx *ctx, const tulle__amg *own, const tulle_mat *A, host_rows *host,
                         elimination *e, tulle_mat **inverse) {
    const size_t n = (size_t)e->n;
    e->a = tulle__host_alloc(ctx, n * n * sizeof *e->a);
    e->least = tulle__host_alloc(ctx, n * sizeof *e->least);
    e->noise = tulle__host_alloc(ctx, n * sizeof *e->noise);
    e->count = tulle__host_alloc(ctx, n * sizeof *e->count);
    e->done = tulle__host_alloc(ctx, n * sizeof *e->done);
    if (!e->a || !e->least || !e->noise || !e->count || !e->done) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(read(ctx, A, host));
    spread(A, host, e);
    if (is_alone(own)) {
        find_own_noise(e, A->type);
    } else {
        TULLE__TRY(find_noise(ctx, own, e, A->type));
    }
    invert(e, tulle__host_threads_for(ctx, TULLE__WORK_NUMBERS, e->n * e->n));
    round_numbers(e, A->type);
    return *inverse ? put_full(ctx, e, *inverse) : make_full(ctx, e, A->type, inverse);
}

tulle_status tulle__amg_invert(tulle_ctx *ctx, tulle__amg *own, const tulle_mat *A,
                               tulle_mat **inverse) {
    elimination e = {.n = A->pattern->rows, .of_nodes = own->nodes.block > 0};
    host_rows host = {NULL, NULL, NULL};
    const tulle_status status = make(ctx, own, A, &host, &e, inverse);
    if (own->single && !is_alone(own) && e.largest > tulle__amg_most_noise(own, e.n)) {
        own->single = false;
        own->unfit = TULLE__AMG_NOISY;
    }
    void *const arrays[] = {e.a,    e.least,      e.noise,      e.count,
                            e.done, host.offsets, host.cols_of, host.values};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tulle__host_free(ctx, arrays[k]);
    return status;
}
