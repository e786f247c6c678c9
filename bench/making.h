/* SPDX-License-Identifier: Apache-2.0 */
/* An operation whose result is a new matrix, as C = A B, and its operands. To add one: a
 * file with a `const bench_maker bench_maker_NAME`, and a row in BENCH_MAKERS; what it is measured
 * against says so in its bench_peer (peer.h). */
#ifndef BENCH_MAKING_H
#define BENCH_MAKING_H

#include "bench/limit.h"
#include "tools/common/verify_spgemm.h"
#include "tulle/tulle.h"

typedef struct bench_maker bench_maker;

/* One C to be made on a place. */
typedef struct bench_making {
    tulle_ctx *ctx;
    tulle_device_info device;
    const bench_maker *maker;
    const tulle_mat *A, *B; /* the caller's; B is A where there is no second matrix */
    const char *second;     /* B's name, or NULL */
    tulle_mat_info a, b;
    tool_csr host_a, host_b;      /* in host memory; host_b is host_a's where B is A */
    int64_t products;             /* multiplications, each with an addition; 0: it has none */
    int64_t cap;                  /* most bytes that may be held beside A and B; 0: no cap */
    struct bench_verdicts *known; /* what was verified before; NULL: results are not checked */
    bench_limit *limit;           /* of each call of tulle's; NULL: none */
} bench_making;

struct bench_maker {
    const char *name;     /* "spgemm": of the command line, and of its kernels' operation */
    const char *alone;    /* what it computes without a second matrix, "A A" */
    const char *together; /* and with one, "A B"; NULL: it takes none */
    const char *other;    /* the name of B where none is given; NULL: B is A */
    /* That B, of A's index type. */
    tulle_status (*make_other)(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);
    const char *kernel; /* what its rows have as a kernel; NULL: it has kernels and a report */
    bool turned;        /* C has as many rows as A has columns, */
    bool coarse;        /* or as B has columns */
    bool values_alone;  /* patterns are neither read nor written: C has A's */
    tulle_status (*fits)(const bench_making *making); /* shapes; NULL: all do */
    int64_t (*products)(const bench_making *making);  /* NULL: it has none */
    /* C, whose values `make` renews in each sample; NULL: each sample makes it anew. */
    tulle_status (*begin)(const bench_making *making, tulle_mat **C);
    /* One C of the context's; report NULL: not wanted. */
    tulle_status (*make)(const bench_making *making, tulle_spgemm_report *report, tulle_mat **C);
    /* rising: the columns of each row of C must be. */
    tulle_status (*verify)(const bench_making *making, const tool_csr *C, bool rising,
                           tool_spgemm_error *error);
};

#define BENCH_MAKERS(X) X(spgemm) X(update) X(galerkin) X(add) X(add_values) X(transpose)

#define X(name) extern const bench_maker bench_maker_##name;
BENCH_MAKERS(X)
#undef X

/* Of A and B (NULL: there is none, and no name), the caller's until it is closed. After a failure
 * there is nothing to close. */
tulle_status bench_making_open(tulle_ctx *ctx, const bench_maker *maker, const tulle_mat *A,
                               const tulle_mat *B, const char *second, bool check,
                               bench_making *making);
void bench_making_close(bench_making *making);

/* The bytes of each input once and of a C with so many entries, in CSR: of what is read and
 * written, and of what is C's alone. */
int64_t bench_making_bytes(const bench_making *making, int64_t nnz);
int64_t bench_making_result_bytes(const bench_making *making, int64_t nnz);

/* What computes C where nothing was asked for; "" where that is no kernel. */
tulle_status bench_maker_default(const bench_maker *maker, tulle_ctx *ctx, char name[64]);

#endif
