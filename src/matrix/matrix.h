/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix: a shared, immutable pattern, values, and data derived from the pattern. */
#ifndef TULLE_MATRIX_MATRIX_H
#define TULLE_MATRIX_MATRIX_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/backend.h"
#include "core/context.h"
#include "format/formats.h"
#include "tulle/matrix.h"

/* An array of the place's memory, and how it is released. */
typedef struct tulle__array {
    void *data;
    tulle_ownership ownership; /* TULLE_COPY: the array is from the context's pool */
    tulle_release_fn release;
    void *user;
    bool lent; /* true when tulle__lend knows of the array */
} tulle__array;

typedef struct tulle__derived tulle__derived; /* matrix/derived.h */
typedef struct tulle__form tulle__form;       /* matrix/form.h */
typedef struct tulle__copy tulle__copy;       /* matrix/copies.h */

typedef struct tulle__pattern {
    atomic_int owners;
    uint64_t serial; /* number of the pattern among all that the process has made: no two have
                        the same */
    tulle_ctx *ctx;  /* owned context, from whose pool the arrays came */
    int64_t rows, cols, nnz;
    tulle_format format;
    tulle_index index;
    tulle_storage storage;
    union {
        struct {
#define A(number, member, field, item, words) tulle__array member;
            TULLE__EACH_ARRAY(A)
#undef A
        };
        tulle__array arrays[TULLE__ARRAYS]; /* the named arrays by index */
    };
    tulle__stats stats;
    pthread_mutex_t building; /* held while derived data is made; taken before `lock` */
    pthread_mutex_t lock;     /* guards the list of derived data, and the matrices' copies */
    tulle__derived *derived;  /* list of derived data (matrix/derived.h); its kinds follow */
    atomic_uint kinds;
} tulle__pattern;

struct tulle_mat {
    atomic_int owners;
    tulle_ctx *ctx; /* owned context */
    tulle__pattern *pattern;
    tulle_type type;
    tulle__array values;
    tulle__copy *copies; /* copies of the values for derived data */
};

/* Makes a matrix around arrays that already live in the context's pool; validates nothing, takes
 * the statistics as given or computes them when stats is NULL. On failure the arrays still
 * belong to the caller. */
TULLE_API tulle_status tulle__mat_adopt(tulle_ctx *ctx, const tulle__pattern_view *view,
                                        tulle_type type, void *values, const tulle__stats *stats,
                                        tulle_mat **A);

/* Forecasts the numbers that a CSR matrix would have in a format; see format/lay_out.h. */
TULLE_API tulle_status tulle__mat_forecast(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                                           const tulle_convert_options *options,
                                           tulle_storage *storage);

tulle__pattern_view tulle__view_of(const tulle__pattern *pattern);
void tulle__pattern_retain(tulle__pattern *pattern);
void tulle__pattern_release(tulle__pattern *pattern);

#endif
