/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix: a shared, immutable pattern, values, and the pattern's plans. */
#ifndef TULLE_MATRIX_MATRIX_H
#define TULLE_MATRIX_MATRIX_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/backend.h"
#include "core/context.h"
#include "matrix/counts.h"
#include "spmv/spmv.h"
#include "tulle/matrix.h"

/* An array of the place's memory, with the way it goes. */
typedef struct tulle__array {
    void *data;
    tulle_ownership ownership; /* TULLE_COPY: from the context's pool */
    tulle_release_fn release;
    void *user;
} tulle__array;

/* The arrays of a pattern by number. */
enum {
    TULLE__OFFSETS,
    TULLE__ROWS,
    TULLE__COLS,
    TULLE__ORDER,
    TULLE__LENGTHS,
    TULLE__MASK,
    TULLE__CODES,
    TULLE__ARRAYS
};

typedef struct tulle__pattern {
    atomic_int owners;
    tulle_ctx *ctx; /* owned: whose pool the arrays came from */
    int64_t rows, cols, nnz;
    tulle_format format;
    tulle_index index;
    tulle_storage storage;
    union {
        struct {
            tulle__array offsets, rows_of, cols_of, order, lengths, mask, codes;
        };
        tulle__array arrays[TULLE__ARRAYS]; /* the same, by number */
    };
    tulle__stats stats;
    void *marks;              /* of a CSR pattern on a GPU, from the pool; see marks.h */
    pthread_mutex_t building; /* held by who changes what follows; taken before the lock */
    pthread_mutex_t lock;     /* of both lists, of the forms' users, and of the matrices' copies */
    struct tulle__plan *plans;
    struct tulle__form *forms;
    bool sampled;                                  /* whether the next are known */
    int64_t block_counts[TULLE__BLOCK_SIZE_COUNT]; /* of a sample of the rows: tune/storage.c */
} tulle__pattern;

typedef struct tulle__form tulle__form; /* matrix/form.h */
typedef struct tulle__copy tulle__copy; /* matrix/copies.h */

/* Immutable once it is in the list. Key: op, type, and whether it is for one vector. */
typedef struct tulle__plan {
    struct tulle__plan *next;
    tulle_ctx *ctx; /* owned: who built it, whose pool it is from */
    atomic_int users;
    tulle__spmv_call call; /* that it was built for */
    tulle_type type;
    tulle__spmv_spec spec;
    tulle__form *form;  /* held; what the kernel runs on; NULL: the pattern itself */
    tulle_trans run_op; /* the product of the form that it computes */
    bool narrow;        /* with values in f32 */
    void *prepared;
    size_t bytes; /* of prepared data */
} tulle__plan;

struct tulle_mat {
    atomic_int owners;
    tulle_ctx *ctx; /* owned */
    tulle__pattern *pattern;
    tulle_type type;
    tulle__array values;
    tulle__copy *copies; /* of the values, for plans */
};

/* A matrix around arrays that already live in the context's pool; validates nothing, takes the
 * statistics as given or computes them when stats is NULL. On failure the arrays still belong to
 * the caller. */
TULLE_API tulle_status tulle__mat_adopt(tulle_ctx *ctx, const tulle__pattern_view *view,
                                        tulle_type type, void *values, const tulle__stats *stats,
                                        tulle_mat **A);

tulle__pattern_view tulle__view_of(const tulle__pattern *pattern);
void tulle__pattern_retain(tulle__pattern *pattern);
void tulle__pattern_release(tulle__pattern *pattern);

/* plan.c, copies.c: takes all plans off a pattern; frees all copies of a dying matrix; the bytes of
 * the plans, of their forms, and of A's copies; whether any of these came from another pool than
 * the context's; puts A's new values into its copies. */
void tulle__plans_release(tulle__pattern *pattern);
void tulle__copies_release(tulle_mat *A);
int64_t tulle__plans_bytes(const tulle_mat *A);
bool tulle__plans_elsewhere(const tulle_mat *A);
tulle_status tulle__copies_refresh(tulle_ctx *ctx, const tulle_mat *A);

#endif
