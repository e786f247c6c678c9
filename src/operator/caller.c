/* SPDX-License-Identifier: Apache-2.0 */
/* An operator whose functions are the caller's. */
#include <stdio.h>
#include <string.h>

#include "matrix/build.h"
#include "operator/linop.h"
#include "tulle/vec.h"

typedef struct caller_operator {
    tulle_linop head;
    tulle_linop_functions functions;
    void *self;
    tulle__own_vector product; /* A X, to which alpha and beta Y are then applied */
} caller_operator;

/* Number of characters of an error message by which a new message is told from an old one. */
enum { REMEMBERED = 160 };

static void remember(char text[REMEMBERED]) {
    snprintf(text, REMEMBERED, "%s", tulle_last_error()->message);
}

/* Returns a failure of the caller's function; records it if the function has not done so. */
static tulle_status told(tulle_status status, const char *which, const char before[REMEMBERED]) {
    char after[REMEMBERED];
    remember(after);
    const bool recorded = tulle_last_error()->status == status && strcmp(before, after) != 0;
    if (status == TULLE_OK || recorded) return status;
    return tulle__fail(status, NULL, NULL, -1, "the caller's operator failed in %s: %s", which,
                       tulle_status_text(status));
}

static tulle_status call(tulle_ctx *ctx, caller_operator *own, tulle_trans op, const tulle_vec *X,
                         tulle_vec *Y) {
    const tulle_linop_functions *f = &own->functions;
    char before[REMEMBERED];
    remember(before);
    return op == TULLE_N
               ? told(f->apply(own->self, ctx, X, Y), "apply", before)
               : told(f->apply_transposed(own->self, ctx, X, Y), "apply_transposed", before);
}

static bool is(tulle_scalar s, double number) {
    return !s.address && s.number == number;
}

static tulle_status apply(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y) {
    caller_operator *own = (caller_operator *)L;
    if (is(alpha, 1) && is(beta, 0)) return call(ctx, own, op, X, Y);
    tulle_vec product;
    TULLE__TRY(tulle__own_vector_take(ctx, &own->product, L->type, Y->rows, Y, &product));
    TULLE__TRY(call(ctx, own, op, X, &product));
    return tulle_vec_axpby(ctx, alpha, &product, beta, Y);
}

static tulle_status diagonal(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d) {
    caller_operator *own = (caller_operator *)L;
    char before[REMEMBERED];
    remember(before);
    return told(own->functions.diagonal(own->self, ctx, d), "diagonal", before);
}

static uint64_t stamp(tulle_ctx *ctx, const tulle_linop *L) {
    (void)ctx;
    return (uint64_t)(uintptr_t)((const caller_operator *)L)->product.data;
}

static void destroy(tulle_linop *L) {
    caller_operator *own = (caller_operator *)L;
    tulle__own_vector_release(&own->product);
    if (own->functions.destroy) own->functions.destroy(own->self);
}

static const tulle__linop_kind kind = {.name = "functions of the caller's",
                                       .bytes = sizeof(caller_operator),
                                       .apply = apply,
                                       .diagonal = diagonal,
                                       .stamp = stamp,
                                       .destroy = destroy};

tulle_status tulle_linop_create(tulle_ctx *ctx, tulle_type type, int64_t rows, int64_t cols,
                                const tulle_linop_functions *functions, void *self,
                                tulle_linop **L) {
    TULLE__NEED(L);
    *L = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(functions);
    TULLE__TRY(tulle__check_type(__func__, type));
    if (rows < 0) return TULLE__BAD("rows", "rows is %lld", (long long)rows);
    if (cols < 0) return TULLE__BAD("cols", "cols is %lld", (long long)cols);
    if (!functions->apply) return TULLE__BAD("functions", "functions.apply is NULL");
    TULLE__TRY(tulle__linop_make(ctx, &kind, type, rows, cols, L));
    caller_operator *own = (caller_operator *)*L;
    own->functions = *functions;
    own->self = self;
    own->head.transposes = functions->apply_transposed;
    own->head.has_diagonal = functions->diagonal;
    own->head.capturable = functions->capturable;
    return TULLE_OK;
}
