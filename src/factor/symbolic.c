/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the pattern of factors, and finds the origin of the numbers on it. */
#include "core/stopwatch.h"
#include "factor/host_rows.h"
#include "factor/object.h"
#include "matrix/build.h"
#include "order/order.h"
#include "trisolve/triangle.h"

void tulle__symbolic_release(tulle__symbolic *s) {
    if (!s || atomic_fetch_sub(&s->owners, 1) > 1) return;
    tulle_ctx *ctx = s->ctx;
    tulle__pattern_release(s->pattern);
    tulle__free(ctx, s->source);
    tulle__free(ctx, s->order);
    tulle__free(ctx, s->steps.begins);
    tulle__free(ctx, s->steps.words);
    tulle__host_free(ctx, s);
    tulle__ctx_release(ctx);
}

/* Finds out whether the factors have A's own pattern: ILU(0) of a matrix in its own order has, if
 * no diagonal lacks and A owns its arrays. */
static tulle_status is_own(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                           const tulle_factor_options *options, bool *own) {
    const tulle__pattern *p = A->pattern;
    bool whole = p->format == TULLE_BSR ? p->storage.full : p->stats.rising;
    *own = false;
    if (options->kind != TULLE_LU || options->fill != 0 || options->order || !whole ||
        options->reads != TULLE_READS_ALL || p->cols_of.ownership == TULLE_BORROW) {
        return TULLE_OK;
    }
    const tulle__schedule *schedule;
    TULLE__TRY(tulle__schedule_of(function, ctx, A, TULLE_LOWER, TULLE_N, &schedule));
    *own = schedule->faulty_row < 0;
    return TULLE_OK;
}

/* Reads the inverse of an order of block rows into host memory. */
static tulle_status read_places(tulle_ctx *ctx, const tulle_order *P, int64_t **order,
                                int64_t **place) {
    size_t bytes;
    TULLE__TRY(tulle__size(P->length, sizeof **place, sizeof **place, &bytes));
    *order = tulle__host_alloc(ctx, bytes);
    *place = tulle__host_alloc(ctx, bytes);
    if (!*order || !*place) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(tulle_order_read(ctx, P, *order));
    for (int64_t i = 0; i < P->length; i++) (*place)[(*order)[i]] = i;
    return TULLE_OK;
}

/* Makes the order of scalar rows, for moving vectors. */
static tulle_status put_order(tulle_ctx *ctx, tulle__symbolic *s, const int64_t *order) {
    size_t bytes;
    TULLE__TRY(tulle__size(s->n, sizeof *order, 0, &bytes));
    int64_t *scalar = tulle__host_alloc(ctx, bytes + 1);
    if (!scalar) return TULLE_OUT_OF_MEMORY;
    for (int64_t i = 0; i < s->n; i++) scalar[i] = order[i / s->block] * s->block + i % s->block;
    tulle_status status = tulle__alloc(ctx, bytes, (void **)&s->order);
    if (status == TULLE_OK) status = tulle__copy_wait(ctx, s->order, scalar, bytes);
    tulle__host_free(ctx, scalar);
    return status;
}

/* Returns the bytes per entry. On the host an entry is a column and a source; while rows grow, it
 * is a column and a level. On the place an entry is a column, a source and its numbers, of which L
 * L^T keeps a little more than half. */
static tulle__fill_room room_of(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                const tulle_factor_options *options) {
    const int64_t block = tulle__block_of(A->pattern);
    const double number = options->single ? sizeof(float) : (double)tulle_type_size(A->type);
    const double kept = (double)tulle_index_size(A->pattern->index) + sizeof(int64_t) +
                        (double)(block * block) * number;
    return (tulle__fill_room){.function = function,
                              .ctx = ctx,
                              .host_bytes = 2 * sizeof(int64_t),
                              .place_bytes = options->kind == TULLE_CHOLESKY ? kept / 2 : kept};
}

/* Replaces rows by rows with fill. */
static tulle_status fill_in(const tulle__fill_room *room, int fill, tulle__host_rows *r) {
    const bool whole = fill == TULLE_FILL_ALL;
    tulle_ctx *ctx = room->ctx;
    double least = 0;
    if (fill == 0) return TULLE_OK;
    TULLE__TRY(tulle__fill_least(ctx, r, whole, &least));
    TULLE__TRY(tulle__fill_fits(room, least, true));
    tulle__host_rows filled = {.rows = 0};
    const tulle_status status =
        whole ? tulle__fill_all(room, r, &filled) : tulle__fill_levels(room, r, fill, &filled);
    if (status != TULLE_OK) {
        tulle__host_rows_free(ctx, &filled);
        return status;
    }
    tulle__host_rows_free(ctx, r);
    *r = filled;
    return TULLE_OK;
}

/* Returns the operations of exact factors: for each L_ik a division by or product with a block, and
 * a product for each U_kj; L L^T takes half of them. */
static double count_flops(const tulle__host_rows *r, int block, tulle_factor_kind kind) {
    const double b = block, solve = block > 1 ? 2 * b * b * b : 1, product = 2 * b * b * b;
    double flops = 0;
    for (int64_t k = 0; k < r->rows; k++) {
        int64_t at = r->begins[k];
        while (r->cols[at] < k) at++;
        double before = (double)(at - r->begins[k]), behind = (double)(r->begins[k + 1] - at - 1);
        flops +=
            kind == TULLE_LU ? behind * (solve + product * behind) : before * (solve + 1 + before);
    }
    return flops;
}

/* Reports progress between copies of all entries, each of which may take as long as a pass over the
 * fill. */
static tulle_status tell(tulle_ctx *ctx, int64_t done, int64_t rows) {
    return tulle__progress(ctx, "storing the pattern", done, rows);
}

static tulle_status put_rows(tulle_ctx *ctx, const tulle_mat *A,
                             const tulle_factor_options *options, const tulle__host_rows *r,
                             tulle__symbolic *s) {
    s->entries = r->begins[r->rows];
    TULLE__TRY(tell(ctx, 0, r->rows));
    if (options->fill == TULLE_FILL_ALL) s->flops = count_flops(r, s->block, s->kind);
    size_t bytes;
    TULLE__TRY(tulle__size(s->entries, sizeof *s->source, 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, (void **)&s->source));
    TULLE__TRY(tulle__copy_wait(ctx, s->source, r->source, bytes));
    TULLE__TRY(tell(ctx, 0, r->rows));
    return tulle__host_rows_pattern(ctx, A->pattern, r, &s->pattern);
}

static tulle_status find_rows(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                              const tulle_factor_options *options, const int64_t *place,
                              tulle__symbolic *s) {
    const bool lower = options->kind == TULLE_CHOLESKY;
    const tulle__host_choice choice = {
        .reads = options->reads,
        .lower = lower,
        .mirrored = lower ? options->fill != 0 : options->reads != TULLE_READS_ALL,
        .place = place};
    tulle__host_rows r;
    TULLE__TRY(tulle__host_rows_of(function, ctx, A, &choice, &r));
    const tulle__fill_room room = room_of(function, ctx, A, options);
    tulle_status status = fill_in(&room, options->fill, &r);
    if (lower) tulle__host_rows_lower(&r);
    if (status == TULLE_OK) status = put_rows(ctx, A, options, &r, s);
    tulle__host_rows_free(ctx, &r);
    return status;
}

static tulle_status find_ordered(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                 const tulle_factor_options *options, tulle__symbolic *s) {
    int64_t *order = NULL, *place = NULL;
    tulle_status status = TULLE_OK;
    if (options->order) status = read_places(ctx, options->order, &order, &place);
    if (status == TULLE_OK) status = find_rows(function, ctx, A, options, place, s);
    if (status == TULLE_OK && order) status = put_order(ctx, s, order);
    tulle__host_free(ctx, order);
    tulle__host_free(ctx, place);
    return status;
}

/* Returns true when L may have A's lower triangle: L of L L^T of a matrix in its own order has, if
 * no diagonal lacks. */
static bool may_be_lower(const tulle_mat *A, const tulle_factor_options *options) {
    const tulle__pattern *p = A->pattern;
    return options->kind == TULLE_CHOLESKY && options->fill == 0 && !options->order &&
           options->reads != TULLE_READS_UPPER && p->stats.rising && p->rows > 0;
}

static tulle_status find(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                         const tulle_factor_options *options, tulle__symbolic *s) {
    bool own;
    TULLE__TRY(is_own(function, ctx, A, options, &own));
    if (!own && may_be_lower(A, options)) TULLE__TRY(tulle__lower_make(ctx, A, s));
    if (s->pattern) return TULLE_OK;
    if (!own) return find_ordered(function, ctx, A, options, s);
    tulle__pattern_retain(A->pattern);
    s->pattern = A->pattern;
    s->entries = s->nnz_a;
    return TULLE_OK;
}

tulle_status tulle__symbolic_make(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle_factor_options *options, tulle__symbolic **symbolic) {
    const double start = tulle__seconds();
    tulle__symbolic *s = tulle__host_alloc(ctx, sizeof *s);
    if (!s) return TULLE_OUT_OF_MEMORY;
    const int64_t block = tulle__block_of(A->pattern);
    atomic_init(&s->owners, 1);
    tulle__ctx_retain(ctx);
    s->ctx = ctx;
    s->serial = A->pattern->serial;
    s->nnz_a = tulle__blocks_of(A->pattern);
    s->n = A->pattern->rows;
    s->block = (int)block;
    s->rows = s->n / block + (s->n % block != 0);
    s->kind = options->kind;
    tulle_status status = find(function, ctx, A, options, s);
    if (status != TULLE_OK) {
        tulle__symbolic_release(s);
        return status;
    }
    s->ms = 1e3 * (tulle__seconds() - start);
    *symbolic = s;
    return TULLE_OK;
}
