/* SPDX-License-Identifier: Apache-2.0 */
/* A product on its way: operands that kernels take, the kernel, and C. */
#ifndef TULLE_SPGEMM_PRODUCT_H
#define TULLE_SPGEMM_PRODUCT_H

#include "matrix/renumber.h"
#include "matrix/result.h"
#include "spgemm/spgemm.h"
#include "tulle/spgemm.h"

/* The operands as kernels want them: CSR, one index type, the columns of b rising. */
typedef struct tulle__spgemm_operands {
    tulle_mat *a, *b; /* owned */
} tulle__spgemm_operands;

/* index: at least so wide. */
tulle_status tulle__spgemm_bring(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                 const tulle_mat *A, const tulle_mat *B, tulle_index index,
                                 tulle__spgemm_operands *operands);
void tulle__spgemm_let_go(tulle__spgemm_operands *operands);

/* A task, and who wants to know about it. */
typedef struct tulle__spgemm_run {
    tulle__spgemm_task task; /* first: kernels are given its address */
    tulle_ctx *ctx;
    const char *function;
    tulle__asked asked; /* of C's index type */
    const tulle_mat *D; /* to be added, beta times; NULL: nothing is */
    tulle_scalar beta;
    int stage, stages;   /* products that are done, and how many there are to do */
    const char *what;    /* is told as progress */
    double begin, end;   /* where all stages begin and end, in phases of all products, */
    double from, to;     /* and what is done now, */
    int64_t done;        /* the last step of progress that was told */
    double *phase_ms;    /* TULLE__SPGEMM_PHASES numbers; NULL: nobody asks for times */
    double since;        /* seconds, the end of the last phase */
    double add_ms;       /* that adding D took */
    size_t before, kept; /* bytes of the context that were in use, and kept, before the call, */
    size_t operands;     /* that were in use when the operands had been brought, */
    size_t high;         /* and the most until then */
    double bound;        /* bytes that the call may have needed, as far as it got, */
    double predicted;    /* and what was left of these when C's entries had been counted */
    size_t at_counted;   /* what the kernel may hold in all, as known when it had counted, */
    size_t c_blocks;     /* and C with what its blocks are too large */
    int64_t counted;     /* entries of this product; -1: not counted yet */
    int64_t pieces;      /* that C was made in, of all products */
    struct tulle__spgemm_pieces *split; /* of this one; NULL: it is made at once */
    int64_t products;                   /* multiplications of the products that are done */
    bool whole, lean;                   /* a product is not made in pieces; memory is short */
    const tulle__axis *after; /* rows that C gets back their numbers of; NULL: it has them */
    double at_once; /* bytes of the context in use that a stage surely needs no more than where it
                       is made at once, of the last one that was analysed; 0: none was */
    bool refused;   /* it did not get what it asked for under the context's cap */
    bool only_forecast; /* the kernel stops, by a failure that is none, when the analysis ends, */
    bool foreseen;      /* and has */
    tulle__spec spec;   /* the kernel that ran */
} tulle__spgemm_run;

/* What kernels are given of a matrix in CSR. */
tulle__spgemm_operand tulle__spgemm_operand_of(const tulle_mat *A);

/* The task's operands. */
void tulle__spgemm_take(tulle__spgemm_task *task, const tulle__spgemm_operands *operands);

/* On the emulator: what the caller lends, and what no kernel may write. */
tulle_status tulle__spgemm_watch(const tulle__spgemm_run *run,
                                 const tulle__spgemm_operands *operands);
void tulle__spgemm_unwatch(const tulle__spgemm_run *run);

/* The kernel of the context: the forced one, or the default. */
tulle_status tulle__spgemm_select(const char *function, const tulle__spgemm_run *run,
                                  tulle__spec *spec);

/* Runs a kernel on the operands; C's arrays are in the run's task. */
tulle_status tulle__spgemm_product(tulle__spgemm_run *run, const tulle__spgemm_operands *operands);

/* The same of operands that are in the run's task already; and frees what is there of C. */
tulle_status tulle__spgemm_multiply(tulle__spgemm_run *run);
void tulle__spgemm_free_c(tulle__spgemm_run *run);

/* Where the stage that is next begins and ends. */
void tulle__spgemm_begin_stage(tulle__spgemm_run *run);

/* Bytes beside a C of so many rows and entries, of this index type, that are held when C is around
 * its arrays and gets statistics, the index type that was asked for, and its old numbers. */
double tulle__spgemm_finishing(const tulle__spgemm_run *run, tulle_index index, double rows,
                               double nnz);

/* The bytes of the arrays of such a C. */
double tulle__spgemm_arrays(const tulle__spgemm_run *run, tulle_index index, double rows,
                            double nnz);

/* Allocates C for so many entries, and its bytes. */
tulle_status tulle__spgemm_make_c(tulle__spgemm_task *task, int64_t nnz);
int64_t tulle__spgemm_c_bytes(const tulle__spgemm_task *task, int64_t nnz);

/* Steps of progress in a phase: so many that each of many pieces, and of their parts, has some. */
enum { TULLE__SPGEMM_STEPS = 1 << 30 };

/* Progress inside a phase, of which so much is done, and cancelling; and the end of a phase: these,
 * and time. */
tulle_status tulle__spgemm_phase_tells(tulle__spgemm_task *task, tulle__spgemm_phase phase,
                                       double part);
tulle_status tulle__spgemm_phase_ends(tulle__spgemm_task *task, tulle__spgemm_phase phase);

#endif
