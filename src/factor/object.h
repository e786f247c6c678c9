/* SPDX-License-Identifier: Apache-2.0 */
/* Factors: values on a pattern that several of them may share. */
#ifndef TULLE_FACTOR_OBJECT_H
#define TULLE_FACTOR_OBJECT_H

#include "factor/factor.h"
#include "matrix/matrix.h"

/* What is found out of A's pattern once. */
typedef struct tulle__symbolic {
    atomic_int owners;
    tulle_ctx *ctx;           /* owned */
    uint64_t serial;          /* of A's pattern */
    int64_t nnz_a;            /* A's entries (blocks) */
    tulle__pattern *pattern;  /* of L and U in one, or of L; owned */
    int64_t rows, n, entries; /* block rows, scalar rows, and blocks of the pattern */
    int block;
    tulle_factor_kind kind;
    int64_t *source;    /* [entries] as in tulle__factor_from, in the place's memory; or NULL */
    int64_t *order;     /* [n] the row of A at each place, in the place's memory; or NULL */
    tulle__steps steps; /* of elimination; owned */
    double ms, flops;
} tulle__symbolic;

struct tulle_factor {
    tulle_ctx *ctx; /* owned */
    tulle__symbolic *symbolic;
    tulle_factor_options
        options; /* numbers and flags alone: what it points to is not the factor's */
    tulle_type a_type;
    bool shares_analysis;
    tulle_mat *LU;
    void *row_scale, *col_scale; /* [n] of a_type in the factor's order, in the place's memory */
    uint8_t *pivots;
    tulle__pivots_seen *seen;
    void *moved; /* a multivector in the factor's order */
    size_t moved_bytes;
};

/* The analysis of A under these options, which were checked. Waits. */
tulle_status tulle__symbolic_make(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                  const tulle_factor_options *options, tulle__symbolic **symbolic);
void tulle__symbolic_release(tulle__symbolic *symbolic);

/* Lists the steps of F's elimination, if they serve a kernel here and are not too many. Waits. */
tulle_status tulle__steps_make(const char *function, tulle_ctx *ctx, const tulle_factor *F);

/* F's values from A's, in stream order. */
tulle_status tulle__factor_compute(const char *function, tulle_ctx *ctx, tulle_factor *F,
                                   const tulle_mat *A);

/* Blocks of a CSR or BSR pattern: its block size, block rows, and stored blocks. */
static inline int tulle__block_of(const tulle__pattern *p) {
    return p->format == TULLE_BSR ? (int)p->storage.block : 1;
}
static inline int64_t tulle__blocks_of(const tulle__pattern *p) {
    return p->format == TULLE_BSR ? tulle__bsr_blocks(&p->storage) : p->nnz;
}

#endif
