/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/operands.h"

#include "matrix/build.h"

static tulle_status check_multivector(const tulle__operands *o, const tulle_vec *v,
                                      const char *name, int64_t length) {
    if (v->rows != length) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, o->function, name, -1,
                           "%s has %lld %s where op(A) needs %lld", name, (long long)v->rows,
                           v->cols == 1 ? "numbers" : "rows", (long long)length);
    }
    if (!tulle__same_space(o->ctx, v->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, o->function, name, -1,
                           "%s lives on another device than the context", name);
    }
    if (v->type != o->A->type) {
        return tulle__fail(TULLE_TYPE_MISMATCH, o->function, name, -1,
                           "%s and A have different value types", name);
    }
    return TULLE_OK;
}

tulle_status tulle__check_operands(const tulle__operands *o) {
    const tulle__pattern *p = o->A->pattern;
    if (!tulle__same_space(o->ctx, o->A->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, o->function, "A", -1,
                           "A lives on another device than the context");
    }
    int64_t scalar = tulle_type_size(o->A->type);
    TULLE__TRY(tulle__check_aligned(o->function, "alpha", o->alpha.address, scalar));
    TULLE__TRY(tulle__check_aligned(o->function, "beta", o->beta.address, scalar));
    TULLE__TRY(check_multivector(o, o->x, o->x_name, o->op == TULLE_N ? p->cols : p->rows));
    return check_multivector(o, o->y, o->y_name, o->op == TULLE_N ? p->rows : p->cols);
}

static int64_t bytes_of(const tulle_vec *v) {
    return (int64_t)tulle__dense_bytes(v);
}

tulle_status tulle__check_apart(const tulle__operands *o) {
    int64_t size = bytes_of(o->y), scalar = tulle_type_size(o->A->type);
    const char *with = tulle__dense_overlaps_matrix(o->y, o->A);
    if (tulle__dense_overlap(o->x, o->y)) with = o->x_name;
    if (tulle__overlap(o->y->data, size, o->alpha.address, scalar)) with = "alpha";
    if (tulle__overlap(o->y->data, size, o->beta.address, scalar)) with = "beta";
    if (!with) return TULLE_OK;
    return tulle__fail(TULLE_ALIASED, o->function, o->y_name, -1, "%s overlaps %s", o->y_name,
                       with);
}
