/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, updates and destroys factors. */
#include <string.h>

#include "core/options.h"
#include "dense/dense.h"
#include "factor/functions.h"
#include "factor/object.h"
#include "factor/refuse.h"
#include "matrix/build.h"
#include "order/order.h"

tulle_factor *tulle__factor_retain(tulle_factor *F) {
    atomic_fetch_add(&F->owners, 1);
    return F;
}

void tulle_factor_destroy(tulle_factor *F) {
    if (!F || atomic_fetch_sub(&F->owners, 1) > 1) return;
    tulle_ctx *ctx = F->ctx;
    tulle_mat_destroy(F->LU);
    tulle__symbolic_release(F->symbolic);
    tulle__free(ctx, F->row_scale);
    tulle__free(ctx, F->col_scale);
    tulle__free(ctx, F->pivots);
    tulle__free(ctx, F->seen);
    tulle__free(ctx, F->moved);
    tulle__host_free(ctx, F);
    tulle__ctx_release(ctx);
}

static tulle_status bad(const char *function, const char *what) {
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1, "options.%s", what);
}

static tulle_status check_options(const char *function, const tulle_factor_options *o) {
    if (o->kind != TULLE_LU && o->kind != TULLE_CHOLESKY) {
        return bad(function, "kind is TULLE_LU or TULLE_CHOLESKY");
    }
    if (o->fill < 0 && o->fill != TULLE_FILL_ALL) {
        return bad(function, "fill is a level from 0 on, or TULLE_FILL_ALL");
    }
    if (o->reads < TULLE_READS_ALL || o->reads > TULLE_READS_UPPER) {
        return bad(function, "reads is one of tulle_reads");
    }
    if (!(o->modified >= 0 && o->modified <= 1)) return bad(function, "modified is from 0 to 1");
    if (o->modified > 0 && o->kind != TULLE_LU) {
        return bad(function, "modified is of TULLE_LU alone");
    }
    if (!(o->shift - o->shift == 0)) return bad(function, "shift is a finite number");
    if (!(o->tiny >= 0 && o->tiny < 1)) return bad(function, "tiny is from 0 to 1, 1 excluded");
    if (o->boost && o->tiny == 0) return bad(function, "boost needs tiny above 0");
    return TULLE_OK;
}

static tulle_status check_matrix(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                                 const tulle_factor_options *o) {
    const tulle__pattern *p = A->pattern;
    TULLE__TRY(tulle__check_space(function, ctx, A));
    if (p->rows != p->cols) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, "A", -1,
                           "A is %lld x %lld, and only square matrices have factors",
                           (long long)p->rows, (long long)p->cols);
    }
    if (p->format != TULLE_CSR && p->format != TULLE_BSR) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "A is %s: convert it to CSR or BSR first", tulle_format_name(p->format));
    }
    TULLE__TRY(tulle__check_square_blocks(function, p));
    if (o->kind == TULLE_CHOLESKY && p->format != TULLE_CSR) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "TULLE_CHOLESKY takes CSR alone: convert A, or use TULLE_LU");
    }
    if (!o->order) return TULLE_OK;
    const int64_t block = tulle__block_of(p);
    if (p->rows % block != 0) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "options", -1,
                           "an order needs whole blocks, and A has %lld rows in blocks of %lld",
                           (long long)p->rows, (long long)block);
    }
    return tulle__order_check(function, ctx, o->order, "options.order", p->rows / block,
                              block > 1 ? "block rows" : "rows");
}

static tulle_status check_scale(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                                const tulle_vec *scale, const char *name) {
    if (!scale) return TULLE_OK;
    if (!tulle__same_space(ctx, scale->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, name, -1,
                           "%s lives in other memory than the context's", name);
    }
    if (scale->rows != A->pattern->rows || scale->cols != 1) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, function, name, -1,
                           "%s is %lld x %lld; it must be %lld x 1", name, (long long)scale->rows,
                           (long long)scale->cols, (long long)A->pattern->rows);
    }
    if (scale->type == A->type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, function, name, -1, "%s has not A's type", name);
}

static tulle_status check(const char *function, const tulle_ctx *ctx, const tulle_mat *A,
                          const tulle_factor_options *o) {
    TULLE__TRY(check_options(function, o));
    TULLE__TRY(check_matrix(function, ctx, A, o));
    TULLE__TRY(check_scale(function, ctx, A, o->row_scale, "options.row_scale"));
    return check_scale(function, ctx, A, o->col_scale, "options.col_scale");
}

/* Copies a scale into the factor's order. */
static tulle_status keep_scale(tulle_ctx *ctx, const tulle__symbolic *s, const tulle_vec *scale,
                               void **kept) {
    if (!scale) return TULLE_OK;
    TULLE__TRY(tulle__alloc(ctx, (size_t)(s->n * tulle_type_size(scale->type)), kept));
    const int64_t step = scale->layout == TULLE_COLUMN_MAJOR ? 1 : scale->ld;
    return ctx->backend->factor->move_rows(&ctx->place,
                                           &(tulle__move){.type = scale->type,
                                                          .rows = s->n,
                                                          .cols = 1,
                                                          .order = s->order,
                                                          .natural = {scale->data, step, 1},
                                                          .ordered = {*kept, 1, 1}});
}

static tulle_status make_values(tulle_ctx *ctx, tulle_factor *F) {
    const tulle__symbolic *s = F->symbolic;
    const tulle_type type = F->options.single ? TULLE_F32 : F->a_type;
    size_t bytes;
    TULLE__TRY(tulle__size(s->pattern->storage.stored, tulle_type_size(type), 0, &bytes));
    tulle__array values = {.ownership = TULLE_COPY};
    TULLE__TRY(tulle__alloc(ctx, bytes, &values.data));
    tulle_status status = tulle__mat_around(ctx, s->pattern, type, &values, &F->LU);
    if (status != TULLE_OK) {
        tulle__free(ctx, values.data);
        return status;
    }
    TULLE__TRY(tulle__alloc(ctx, sizeof *F->seen, (void **)&F->seen));
    if (s->block == 1 || F->options.inverted) return TULLE_OK;
    return tulle__alloc(ctx, (size_t)(s->rows * s->block), (void **)&F->pivots);
}

/* Makes the factors, which own the symbolic from the start, also after a failure. */
static tulle_status make(tulle_ctx *ctx, const tulle_mat *A, const tulle_factor_options *options,
                         tulle__symbolic *symbolic, tulle_factor **made) {
    tulle_factor *F = tulle__host_alloc(ctx, sizeof *F);
    if (!F) {
        tulle__symbolic_release(symbolic);
        return TULLE_OUT_OF_MEMORY;
    }
    atomic_init(&F->owners, 1);
    tulle__ctx_retain(ctx);
    F->ctx = ctx;
    F->symbolic = symbolic;
    F->options = *options;
    F->a_type = A->type;
    *made = F;
    return make_values(ctx, F);
}

static tulle_status finish(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                           tulle_status status, tulle_factor *F, tulle_factor **out) {
    if (status == TULLE_OK) status = tulle__factor_compute(function, ctx, F, A);
    if (status == TULLE_OK) status = tulle__factor_refuse(function, ctx, F, A);
    if (status != TULLE_OK) {
        tulle_factor_destroy(F);
        return status;
    }
    F->options.order = NULL;
    F->options.row_scale = F->options.col_scale = NULL;
    *out = F;
    return TULLE_OK;
}

tulle_status tulle_factor_create_sized(tulle_ctx *ctx, const tulle_mat *A,
                                       const tulle_factor_options *options, size_t options_size,
                                       tulle_factor **F) {
    TULLE__NEED(F);
    *F = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    tulle_factor_options own;
    TULLE__TRY(tulle__options_take(__func__, options, options_size, &own, sizeof own));
    const tulle_factor_options *o = &own;
    TULLE__TRY(check(__func__, ctx, A, o));
    tulle__symbolic *symbolic;
    TULLE__TRY(tulle__symbolic_make(__func__, ctx, A, o, &symbolic));
    tulle_factor *made = NULL;
    tulle_status status = make(ctx, A, o, symbolic, &made);
    if (status == TULLE_OK) status = tulle__steps_make(__func__, ctx, made);
    if (status == TULLE_OK) status = keep_scale(ctx, symbolic, o->row_scale, &made->row_scale);
    if (status == TULLE_OK) status = keep_scale(ctx, symbolic, o->col_scale, &made->col_scale);
    return finish(__func__, ctx, A, status, made, F);
}

tulle_status tulle__factor_check(const char *function, const tulle_ctx *ctx, const tulle_factor *F,
                                 const tulle_mat *A) {
    TULLE__TRY(tulle__check_space(function, ctx, A));
    if (!tulle__same_space(ctx, F->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "F", -1,
                           "F lives in other memory than the context's");
    }
    if (A->pattern->serial != F->symbolic->serial) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "A", -1,
                           "A has another pattern than the matrix that F is of: share it by "
                           "tulle_mat_with_values");
    }
    if (A->type == F->a_type) return TULLE_OK;
    return tulle__fail(TULLE_TYPE_MISMATCH, function, "A", -1,
                       "A has another value type than the matrix that F is of");
}

static tulle_status copy_scale(tulle_ctx *ctx, const tulle_factor *F, const void *from, void **to) {
    if (!from) return TULLE_OK;
    size_t bytes = (size_t)(F->symbolic->n * tulle_type_size(F->a_type));
    TULLE__TRY(tulle__alloc(ctx, bytes, to));
    return ctx->backend->copy(&ctx->place, *to, from, bytes);
}

tulle_status tulle_factor_create_like(tulle_ctx *ctx, const tulle_factor *F, const tulle_mat *A,
                                      tulle_factor **G) {
    TULLE__NEED(G);
    *G = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(F);
    TULLE__NEED(A);
    TULLE__TRY(tulle__factor_check(__func__, ctx, F, A));
    atomic_fetch_add(&F->symbolic->owners, 1);
    tulle_factor *made = NULL;
    tulle_status status = make(ctx, A, &F->options, F->symbolic, &made);
    if (made) made->shares_analysis = true;
    if (status == TULLE_OK) status = copy_scale(ctx, F, F->row_scale, &made->row_scale);
    if (status == TULLE_OK) status = copy_scale(ctx, F, F->col_scale, &made->col_scale);
    return finish(__func__, ctx, A, status, made, G);
}

tulle_status tulle_factor_update(tulle_ctx *ctx, tulle_factor *F, const tulle_mat *A) {
    TULLE__NEED(ctx);
    TULLE__NEED(F);
    TULLE__NEED(A);
    TULLE__TRY(tulle__factor_check(__func__, ctx, F, A));
    return tulle__factor_compute(__func__, ctx, F, A);
}
