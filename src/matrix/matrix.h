/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix: a shared, immutable pattern, values, and the pattern's plans. */
#ifndef TULLE_MATRIX_MATRIX_H
#define TULLE_MATRIX_MATRIX_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/backend.h"
#include "core/context.h"
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
            tulle__array offsets, rows_of, cols_of, order, lengths, mask;
        };
        tulle__array arrays[TULLE__ARRAYS]; /* the same, by number */
    };
    tulle__stats stats;
    pthread_mutex_t building; /* held by who builds a plan; taken before the lock */
    pthread_mutex_t lock;     /* of the two below, and of the matrices' transposed values */
    struct tulle__plan *plans;
    struct tulle__transposed *transposed;
} tulle__pattern;

/* The CSR form of the transpose, with the way back to the values. Made once for a pattern. */
typedef struct tulle__transposed {
    tulle__pattern *pattern; /* owned; its context's pool also has perm and this */
    int64_t *perm;           /* in the place's memory: nnz */
} tulle__transposed;

/* Immutable once it is in the list. Key: operation (SpMV so far), op, type. */
typedef struct tulle__plan {
    struct tulle__plan *next;
    tulle_ctx *ctx; /* owned: who built it, whose pool it is from */
    atomic_int users;
    tulle_trans op;
    tulle_type type;
    tulle__spmv_spec spec;
    bool on_transpose; /* runs A x on the pattern's transpose */
    void *prepared;
    size_t bytes; /* of prepared data */
} tulle__plan;

struct tulle_mat {
    atomic_int owners;
    tulle_ctx *ctx; /* owned */
    tulle__pattern *pattern;
    tulle_type type;
    tulle__array values;
    void *transposed_values;   /* values in the order of pattern->transposed, or NULL */
    tulle_ctx *transposed_ctx; /* owned: whose pool those are from, or NULL */
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

/* plan.c, transposed.c: frees all plans and the transpose of a dying pattern; the bytes of the
 * plans and of the transposed copy that A has with them; whether any of these came from another
 * pool than the context's; puts new values into the order of the transpose, where A has such a
 * copy. */
void tulle__plans_release(tulle__pattern *pattern);
int64_t tulle__plans_bytes(const tulle_mat *A);
bool tulle__plans_elsewhere(const tulle_mat *A);
tulle_status tulle__plans_new_values(tulle_ctx *ctx, tulle_mat *A);

#endif
