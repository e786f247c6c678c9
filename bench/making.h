/* SPDX-License-Identifier: Apache-2.0 */
/* Operations whose result is a new matrix, as C = A B, made anew in each call. */
#ifndef BENCH_MAKING_H
#define BENCH_MAKING_H

#include "bench/limit.h"
#include "bench/operation.h"
#include "tools/common/verify_spgemm.h"
#include "tulle/tulle.h"

/* Holds the operands of one C, as the `own` of its problem. */
typedef struct bench_making {
    tulle_ctx *ctx;
    tulle_device_info device;
    const bench_operation *operation;
    const tulle_mat *A, *B; /* the caller's; B is A where there is no second matrix */
    const char *second;     /* the name of B, or NULL */
    tulle_mat_info a, b;
    tool_csr host_a, host_b;      /* in host memory; host_b is host_a where B is A */
    int64_t products;             /* multiplications, each with an addition; 0: there are none */
    int64_t cap;                  /* most bytes that may be held beside A and B; 0: no cap */
    struct bench_verdicts *known; /* of results that were verified before; NULL: none is checked */
    bench_limit *limit;           /* of each call of tulle's; NULL: none */
    bool alone;                   /* bench_given.alone: whoever asked has checked the shapes */
    const void *options;          /* the operation's own (spgemm.h, add.h) */
} bench_making;

struct bench_maker {
    const char *together; /* the formula with a second matrix, "A B"; NULL: --with is refused */
    const char *other;    /* the name of B where none is given; NULL: B is A */
    /* Makes that B, of A's index type. */
    tulle_status (*make_other)(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);
    bool reports;      /* calls have kernels, and report their phases */
    bool turned;       /* C has as many rows as A has columns */
    bool coarse;       /* C has as many rows as B has columns */
    bool values_alone; /* patterns are neither read nor written: C has A's */
    tulle_status (*fits)(const bench_making *making); /* checks the shapes; NULL: all fit */
    int64_t (*products)(const bench_making *making);  /* NULL: there are none */
    /* Makes C, whose values `make` renews in each sample. NULL: each sample makes C anew. */
    tulle_status (*begin)(const bench_making *making, tulle_mat **C);
    /* Makes one C of the context's; report: the library's own of that call, NULL: not wanted. */
    tulle_status (*make)(const bench_making *making, void *report, tulle_mat **C);
    /* Compares C with its definition; rising: the columns of each row of C must rise. */
    tulle_status (*verify)(const bench_making *making, const tool_csr *C, bool rising,
                           tool_spgemm_error *error);
};

/* The members that all these operations have. */
#define BENCH_MAKES(maker)                                                                         \
    .general = true, .makes = &(maker), .open = bench_making_open, .close = bench_making_close

tulle_status bench_making_open(bench_problem *problem, const bench_given *given);
void bench_making_close(bench_problem *problem);

static inline bench_making *bench_making_of(const bench_problem *problem) {
    return (bench_making *)problem->own;
}

/* Return the bytes of each input once and of a C with so many entries, in CSR: of all that is read
 * and written, and of C alone. */
int64_t bench_making_bytes(const bench_making *making, int64_t nnz);
int64_t bench_making_result_bytes(const bench_making *making, int64_t nnz);

/* Finds the kernel that computes C where none was asked for; "": no kernel does. */
tulle_status bench_maker_default(const bench_operation *operation, tulle_ctx *ctx, char name[64]);

#endif
