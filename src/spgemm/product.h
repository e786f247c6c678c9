/* SPDX-License-Identifier: Apache-2.0 */
/* The making of one product C = op(A) op(B): operands in the form that kernels take, the choice and
 * the run of a kernel, the arrays of C. */
#ifndef TULLE_SPGEMM_PRODUCT_H
#define TULLE_SPGEMM_PRODUCT_H

#include "matrix/renumber.h"
#include "spgemm/budget.h"

/* The operands in the form that kernels take: CSR, one index type, the columns of b rising. */
typedef struct tulle__spgemm_operands {
    tulle_mat *a, *b; /* owned operands */
    tulle_mat *mask;  /* owned mask, whose columns rise; NULL: there is none */
} tulle__spgemm_operands;

/* Brings op(A), op(B) and the mask (NULL: there is none) into that form; their index type is at
 * least as wide as `index`. */
tulle_status tulle__spgemm_bring(tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B,
                                 const tulle_mat *A, const tulle_mat *B, const tulle_mat *mask,
                                 tulle_index index, tulle__spgemm_operands *operands);
void tulle__spgemm_let_go(tulle__spgemm_operands *operands);

/* A kernel's task, and the state of the call that it serves. */
struct tulle__spgemm_run {
    tulle__spgemm_task task; /* first: kernels are given its address */
    tulle_ctx *ctx;
    const char *function;
    tulle__asked asked; /* index type that is asked for C */
    const tulle_mat *D; /* D, added beta times; NULL: none */
    tulle_scalar beta;
    const tulle_mat *mask; /* mask of the product; NULL: none */
    tulle__pattern *like;  /* pattern that the call's C surely has; NULL: it is not known */
    int stage, stages;     /* number of stages (products) of the call that are done, and of all */
    const char *what;      /* name of the call in progress */
    double begin, end;     /* progress at the begin and the end of all stages, in phases of all
                              stages */
    double from, to;       /* progress at the begin and the end of the work at hand, in the same
                              unit */
    int64_t done;          /* last step of progress that was told */
    double *phase_ms;      /* times by phase, TULLE__SPGEMM_PHASES numbers in milliseconds; NULL:
                              not wanted */
    double since;          /* time of the end of the last phase, in seconds */
    double add_ms;         /* time of adding D, in milliseconds */
    tulle__spgemm_budget budget; /* memory of the call */
    int64_t counted;             /* number of entries of this product; -1: not counted yet */
    int64_t pieces;              /* number of pieces that the products of all stages were made in */
    struct tulle__spgemm_pieces *split; /* pieces of this product; NULL: it is made at once */
    int64_t multiplications;            /* number of multiplications of the stages that are done */
    bool no_pieces;                     /* true: no product is made in pieces */
    const tulle__axis *after; /* axis by which C's rows get back their old indices; NULL: they
                                 have them */
    bool only_forecast; /* true: the kernel stops after the analysis, by a failure that is none */
    bool foreseen;      /* true when the kernel has stopped so */
    tulle__spec spec;   /* kernel that ran */
};

/* The operand that kernels get for a matrix in CSR. */
tulle__spgemm_operand tulle__spgemm_operand_of(const tulle_mat *A);

/* Gives a task its operands. */
void tulle__spgemm_take(tulle__spgemm_task *task, const tulle__spgemm_operands *operands);

/* Tell the emulator which memory the caller lends, so that it finds a kernel that writes there;
 * and end that. */
tulle_status tulle__spgemm_watch(const tulle__spgemm_run *run,
                                 const tulle__spgemm_operands *operands);
void tulle__spgemm_unwatch(const tulle__spgemm_run *run);

/* Finds kernel number i to try, as tulle__select does. */
tulle_status tulle__spgemm_select(const char *function, const tulle__spgemm_run *run, int i,
                                  tulle__spec *spec);

/* Runs a kernel on operands; C's arrays are then in the run's task. */
tulle_status tulle__spgemm_run_on(tulle__spgemm_run *run, const tulle__spgemm_operands *operands);

/* Runs a kernel on the operands that the run's task has already: the kernels that the context
 * selects are tried in turn, and one that the cap refuses memory makes C in pieces. */
tulle_status tulle__spgemm_run_kernel(tulle__spgemm_run *run);

/* Frees the arrays that C has. */
void tulle__spgemm_free_c(tulle__spgemm_run *run);

/* Sets the begin and end of the next stage. */
void tulle__spgemm_begin_stage(tulle__spgemm_run *run);

/* Allocates C for so many entries. */
tulle_status tulle__spgemm_make_c(tulle__spgemm_task *task, int64_t nnz);

/* Number of steps of progress in a phase: so many that each of many pieces, and of their parts,
 * has some. */
enum { TULLE__SPGEMM_STEPS = 1 << 30 };

/* Tells progress inside a phase, of which `part` is done, and whether to cancel; and the end of
 * a phase, which also takes the time. */
tulle_status tulle__spgemm_phase_tells(tulle__spgemm_task *task, tulle__spgemm_phase phase,
                                       double part);
tulle_status tulle__spgemm_phase_ends(tulle__spgemm_task *task, tulle__spgemm_phase phase);

#endif
