/* SPDX-License-Identifier: Apache-2.0 */
#include "tulle/spmv.h"

#include "dense/dense.h"
#include "matrix/build.h"
#include "spmv/dispatch.h"
#include "spmv/select.h"

static bool overlap(const void *a, int64_t a_bytes, const void *b, int64_t b_bytes) {
    const char *p = a, *q = b;
    return a_bytes > 0 && b_bytes > 0 && a && b && p < q + b_bytes && q < p + a_bytes;
}

static int64_t bytes_of(const tulle_dense *v) {
    return v->rows * tulle_type_size(v->type);
}

static tulle_status check_vector(const tulle_ctx *ctx, const tulle_mat *A, const tulle_dense *v,
                                 const char *name, int64_t length) {
    if (v->cols != 1 || (v->layout == TULLE_ROW_MAJOR && v->ld != 1)) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, "tulle_spmv", name, -1,
                           "%s is %lld x %lld with leading dimension %lld; it must be a vector",
                           name, (long long)v->rows, (long long)v->cols, (long long)v->ld);
    }
    if (v->rows != length) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, "tulle_spmv", name, -1,
                           "%s has %lld numbers where op(A) needs %lld", name, (long long)v->rows,
                           (long long)length);
    }
    if (!tulle__same_space(ctx, v->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, "tulle_spmv", name, -1,
                           "%s lives on another device than the context", name);
    }
    if (v->type != A->type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, "tulle_spmv", name, -1,
                           "%s and A have different value types", name);
    }
    return TULLE_OK;
}

static const char *overlaps_matrix(const tulle_mat *A, const tulle_dense *y) {
    static const char *const names[TULLE__ARRAYS] = {
        [TULLE__OFFSETS] = "the offsets of A",     [TULLE__ROWS] = "the row indices of A",
        [TULLE__COLS] = "the columns of A",        [TULLE__ORDER] = "the row order of A",
        [TULLE__LENGTHS] = "the row lengths of A", [TULLE__MASK] = "the mask of A"};
    const tulle__pattern *p = A->pattern;
    tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    int64_t values = n.values * tulle_type_size(A->type);
    if (overlap(y->data, bytes_of(y), A->values.data, values)) return "the values of A";
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        int64_t bytes = tulle__array_count(&n, k) * tulle__array_item(p->index, k);
        if (overlap(y->data, bytes_of(y), p->arrays[k].data, bytes)) return names[k];
    }
    return NULL;
}

static tulle_status check_alias(const tulle_mat *A, tulle_scalar alpha, const tulle_dense *x,
                                tulle_scalar beta, const tulle_dense *y) {
    int64_t size = bytes_of(y), scalar = tulle_type_size(A->type);
    const char *with = overlaps_matrix(A, y);
    if (overlap(y->data, size, x->data, bytes_of(x))) with = "x";
    if (overlap(y->data, size, alpha.address, scalar)) with = "alpha";
    if (overlap(y->data, size, beta.address, scalar)) with = "beta";
    if (!with) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, "tulle_spmv", "y", -1, "y overlaps %s", with);
}

static tulle_status check(const tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                          const tulle_mat *A, const tulle_dense *x, tulle_scalar beta,
                          const tulle_dense *y) {
    const tulle__pattern *p = A->pattern;
    if (!tulle__same_space(ctx, A->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, "tulle_spmv", "A", -1,
                           "A lives on another device than the context");
    }
    TULLE__TRY(check_vector(ctx, A, x, "x", op == TULLE_N ? p->cols : p->rows));
    TULLE__TRY(check_vector(ctx, A, y, "y", op == TULLE_N ? p->rows : p->cols));
    return check_alias(A, alpha, x, beta, y);
}

static tulle_status run(tulle_ctx *ctx, const tulle__spmv_selection *selection, tulle_scalar alpha,
                        const void *x, tulle_scalar beta, void *y) {
    const tulle__spmv_spec *spec = &selection->spec;
    tulle__spmv_task task = {.shape = selection->shape,
                             .place = &ctx->place,
                             .offsets = selection->pattern->offsets.data,
                             .rows_of = selection->pattern->rows_of.data,
                             .cols_of = selection->pattern->cols_of.data,
                             .order = selection->pattern->order.data,
                             .lengths = selection->pattern->lengths.data,
                             .mask = selection->pattern->mask.data,
                             .values = selection->values,
                             .x = x,
                             .y = y,
                             .alpha = alpha,
                             .beta = beta,
                             .params = spec->params,
                             .prepared = selection->plan ? selection->plan->prepared : NULL};
    TULLE__TRY(tulle__workspace(ctx, selection->workspace, &task.workspace));
    return spec->kernel->run[task.shape.type][task.shape.index](&task);
}

tulle_status tulle_spmv(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha, const tulle_mat *A,
                        const tulle_dense *x, tulle_scalar beta, tulle_dense *y) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(x);
    TULLE__NEED(y);
    if (op != TULLE_N && op != TULLE_T) return TULLE__BAD("op", "op is TULLE_N or TULLE_T");
    TULLE__TRY(check(ctx, op, alpha, A, x, beta, y));
    tulle__spmv_call call = tulle__one_vector(op);
    for (tulle__spmv_stage stage = tulle__spmv_first_stage(ctx, &call);
         stage <= tulle__spmv_last_stage(ctx, &call); stage++) {
        tulle__spmv_selection selection;
        if (tulle__spmv_select(ctx, A, &call, stage, &selection) != TULLE_OK) continue;
        tulle_status status = run(ctx, &selection, alpha, x->data, beta, y->data);
        tulle__spmv_unselect(&selection);
        if (status != TULLE_UNSUPPORTED) return status;
    }
    return tulle__spmv_none(ctx, __func__, A, &call);
}

tulle_status tulle__spmv_with(tulle_ctx *ctx, const tulle__spmv_spec *spec, tulle_trans op,
                              tulle_scalar alpha, const tulle_mat *A, const tulle_dense *x,
                              tulle_scalar beta, tulle_dense *y) {
    TULLE__TRY(check(ctx, op, alpha, A, x, beta, y));
    tulle__spmv_call call = tulle__one_vector(op);
    tulle__spmv_selection selection = {
        .spec = *spec,
        .shape = tulle__spmv_shape_of(ctx, A->pattern, A->type, &call),
        .pattern = A->pattern,
        .values = A->values.data};
    if (spec->kernel->workspace) {
        selection.workspace = spec->kernel->workspace(&selection.shape, spec->params);
    }
    return run(ctx, &selection, alpha, x->data, beta, y->data);
}

tulle_status tulle__spmv_reserve(tulle_ctx *ctx, const tulle_mat *A) {
    size_t most = 0;
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        tulle__spmv_call call = tulle__one_vector((tulle_trans)op);
        for (int stage = TULLE__BY_FORCE; stage < TULLE__STAGES; stage++) {
            tulle__spmv_selection selection;
            tulle_status status =
                tulle__spmv_select(ctx, A, &call, (tulle__spmv_stage)stage, &selection);
            if (status != TULLE_OK) continue;
            if (selection.workspace > most) most = selection.workspace;
            tulle__spmv_unselect(&selection);
        }
    }
    void *workspace = NULL;
    return tulle__workspace(ctx, most, &workspace);
}
