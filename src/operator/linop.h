/* SPDX-License-Identifier: Apache-2.0 */
/* Linear operators: each has a head with a table of functions, and behind the head the data of its
 * kind. */
#ifndef TULLE_OPERATOR_LINOP_H
#define TULLE_OPERATOR_LINOP_H

#include "dense/dense.h"
#include "matrix/matrix.h"
#include "tulle/comm.h"
#include "tulle/linop.h"

/* The functions of a kind of operator; NULL for a function that the kind lacks. The caller has
 * checked the operands. */
typedef struct tulle__linop_kind {
    const char *name;
    size_t bytes; /* size of the kind's struct in bytes, which begins with a tulle_linop */
    tulle_status (*apply)(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                          const tulle_vec *X, tulle_scalar beta, tulle_vec *Y);
    /* Computes the diagonal; the numbers of d follow each other. */
    tulle_status (*diagonal)(tulle_ctx *ctx, tulle_linop *L, tulle_vec *d);
    tulle_status (*renew)(tulle_ctx *ctx, tulle_linop *L);
    /* Computes r := b - alpha L x, where alpha is a power of 2, in f64 as if in twice the
     * precision, for vectors of L's type. */
    tulle_status (*residual)(tulle_ctx *ctx, tulle_linop *L, double alpha, const tulle_vec *b,
                             const tulle_vec *x, tulle_vec *r);
    /* Returns a number that changes when a graph that has captured apply would no longer do the
     * same as apply. */
    uint64_t (*stamp)(tulle_ctx *ctx, const tulle_linop *L);
    /* Returns true when apply may be captured now, for kinds where that depends on other objects;
     * NULL: L->capturable tells. */
    bool (*capturable)(const tulle_linop *L);
    void (*destroy)(tulle_linop *L);
} tulle__linop_kind;

struct tulle_linop {
    const tulle__linop_kind *kind;
    atomic_int owners;
    tulle_ctx *ctx; /* context of the operator; owned */
    int64_t rows, cols;
    int64_t entries; /* number of entries that applying the operator reads; 0: unknown */
    tulle_type type;
    bool transposes, has_diagonal, capturable;
    uint64_t renewals;       /* number of calls that told the operator of new values */
    const tulle_vec *scales; /* diagonal of a diagonal operator; else NULL */
    tulle_comm *comm; /* communicator of an operator on distributed vectors, which all processes
                         apply; owned by a matrix of the operator's. NULL: none */
};

/* Makes an operator of a kind with one owner; the members of the kind are zeros. */
tulle_status tulle__linop_make(tulle_ctx *ctx, const tulle__linop_kind *kind, tulle_type type,
                               int64_t rows, int64_t cols, tulle_linop **L);

tulle_linop *tulle__linop_retain(tulle_linop *L);

/* Applies an operator without checks of the operands. */
tulle_status tulle__linop_run(tulle_ctx *ctx, tulle_linop *L, tulle_trans op, tulle_scalar alpha,
                              const tulle_vec *X, tulle_scalar beta, tulle_vec *Y);

/* Returns true when applying L may be captured in a graph now. */
bool tulle__linop_is_capturable(const tulle_linop *L);

uint64_t tulle__linop_stamp(tulle_ctx *ctx, const tulle_linop *L);

/* Computes r := b - alpha L x in f64, where alpha is a power of 2: in twice the precision if L can,
 * else in L's type. `scratch` is a vector of L's type for the latter, or NULL if L can do the
 * former. */
tulle_status tulle__linop_residual(tulle_ctx *ctx, tulle_linop *L, double alpha, const tulle_vec *b,
                                   const tulle_vec *x, tulle_vec *scratch, tulle_vec *r);

/* Combines two numbers into one that changes when one of them does. */
static inline uint64_t tulle__stamp_join(uint64_t a, uint64_t b) {
    const uint64_t mixed = (a ^ (a >> 31)) * UINT64_C(0x9e3779b97f4a7c15) + b;
    return mixed ^ (mixed << 17);
}

/* Memory of an operator for a multivector of its own, in the layout of another one, with the rows
 * and columns that a call needs. The memory is kept from call to call, so that it seldom grows. The
 * view is valid during the call. */
typedef struct tulle__own_vector {
    tulle_ctx *ctx; /* context of the memory; owned once there is memory */
    void *data;
    size_t bytes;
} tulle__own_vector;
tulle_status tulle__own_vector_take(tulle_ctx *ctx, tulle__own_vector *own, tulle_type type,
                                    int64_t rows, const tulle_vec *like, tulle_vec *view);
void tulle__own_vector_release(tulle__own_vector *own);

/* Checks an operator from which another one is made: that its memory space is the context's, and
 * that it is square. */
tulle_status tulle__linop_check(const char *function, const char *name, const tulle_ctx *ctx,
                                const tulle_linop *L);
tulle_status tulle__linop_check_square(const char *function, const char *name,
                                       const tulle_linop *L);

#endif
