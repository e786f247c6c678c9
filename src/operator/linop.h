/* SPDX-License-Identifier: Apache-2.0 */
/* Operators: a head with a table of functions, and behind it what a kind of operator has itself. */
#ifndef TULLE_OPERATOR_LINOP_H
#define TULLE_OPERATOR_LINOP_H

#include "dense/dense.h"
#include "matrix/matrix.h"
#include "tulle/linop.h"

/* Functions of a kind of operator; NULL where it lacks one. Operands are checked before. */
typedef struct tulle__linop_kind {
    const char *name;
    size_t bytes; /* of its struct, which begins with a tulle_linop */
    tulle_status (*apply)(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y);
    /* The numbers of d follow each other. */
    tulle_status (*diagonal)(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d);
    tulle_status (*renew)(tulle_ctx *ctx, tulle_linop *L);
    /* r := b - alpha L x, alpha a power of 2, in f64 as if computed in twice the precision, for
     * vectors of L's type. */
    tulle_status (*residual)(tulle_ctx *ctx, tulle_linop *L, double alpha, const tulle_vec *b,
                             const tulle_vec *x, tulle_vec *r);
    /* Another number where a graph that captured apply would no longer do what apply does. */
    uint64_t (*stamp)(tulle_ctx *ctx, const tulle_linop *L);
    /* Whether apply may be captured now, where that depends on others; NULL: L->capturable says. */
    bool (*capturable)(const tulle_linop *L);
    void (*destroy)(tulle_linop *L);
} tulle__linop_kind;

struct tulle_linop {
    const tulle__linop_kind *kind;
    atomic_int owners;
    tulle_ctx *ctx; /* owned */
    int64_t rows, cols;
    int64_t entries; /* that applying it reads; 0: not known */
    tulle_type type;
    bool transposes, has_diagonal, capturable;
    uint64_t renewals;       /* how often it was told that values have changed */
    const tulle_vec *scales; /* where L is diagonal: its diagonal, or NULL */
};

/* A zeroed operator of the kind, with one owner. */
tulle_status tulle__linop_make(tulle_ctx *ctx, const tulle__linop_kind *kind, tulle_type type,
                               int64_t rows, int64_t cols, tulle_linop **L);

tulle_linop *tulle__linop_retain(tulle_linop *L);

/* Applies without looking at the operands again. */
tulle_status tulle__linop_run(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                              const tulle_vec *X, tulle_scalar beta, tulle_vec *Y);

/* Whether applying L may be captured in a graph, now. */
bool tulle__linop_is_capturable(const tulle_linop *L);

uint64_t tulle__linop_stamp(tulle_ctx *ctx, const tulle_linop *L);

/* r := b - alpha L x in f64, alpha a power of 2: in twice the precision where L can, otherwise in
 * L's type. r of L's type may be needed for the latter: scratch, a vector, or NULL where L can. */
tulle_status tulle__linop_residual(tulle_ctx *ctx, tulle_linop *L, double alpha, const tulle_vec *b,
                                   const tulle_vec *x, tulle_vec *scratch, tulle_vec *r);

/* Joins numbers into one that says whether any has changed. */
static inline uint64_t tulle__stamp_join(uint64_t a, uint64_t b) {
    const uint64_t mixed = (a ^ (a >> 31)) * UINT64_C(0x9e3779b97f4a7c15) + b;
    return mixed ^ (mixed << 17);
}

/* A multivector of the operator's own, laid out as another one, as large as a call needs: kept from
 * call to call, so that it grows but seldom. The view lives as long as the call. */
typedef struct tulle__own_vector {
    tulle_ctx *ctx; /* owned once there is memory */
    void *data;
    size_t bytes;
} tulle__own_vector;
tulle_status tulle__own_vector_take(tulle_ctx *ctx, tulle__own_vector *own, tulle_type type,
                                    int64_t rows, const tulle_vec *like, tulle_vec *view);
void tulle__own_vector_release(tulle__own_vector *own);

/* Operators that others are made from: same space; shape and type as the caller needs. */
tulle_status tulle__linop_check(const char *function, const char *name, const tulle_ctx *ctx,
                                const tulle_linop *L);
tulle_status tulle__linop_check_square(const char *function, const char *name,
                                       const tulle_linop *L);

#endif
