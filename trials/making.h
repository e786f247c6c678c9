/* SPDX-License-Identifier: Apache-2.0 */
/* Operations whose result is a new matrix, as C = A B, made anew in each call. */
#ifndef TRIAL_MAKING_H
#define TRIAL_MAKING_H

#include "tools/common/verify_spgemm.h"
#include "trials/limit.h"
#include "trials/operation.h"
#include "tulle/tulle.h"

/* Holds the operands of one C, as the `own` of its problem. */
typedef struct trial_making {
    tulle_ctx *ctx;
    tulle_device_info device;
    const trial_operation *operation;
    const tulle_mat *A, *B; /* the caller's; B is A where there is no second matrix */
    const tulle_mat *csr;   /* A in CSR; the caller's */
    const char *second;     /* the name of B, or NULL */
    tulle_mat_info a, b;
    tool_csr host_a, host_b;      /* in host memory; host_b is host_a where B is A */
    int64_t products;             /* multiplications, each with an addition; 0: there are none */
    int64_t cap;                  /* most bytes that may be held beside A and B; 0: no cap */
    struct trial_verdicts *known; /* verdicts on results verified before; NULL: none is checked */
    tool_sample sample;           /* rows of C that are checked, of an operation that can choose */
    trial_limit *limit;           /* limit of each call of tulle's; NULL: none */
    bool alone;                   /* trial_given.alone: the caller has checked the shapes */
    const void *options;          /* the operation's own (spgemm.h, add.h) */
} trial_making;

struct trial_maker {
    const char *together; /* the formula with a second matrix, "A B"; NULL: --with is refused */
    const char *other;    /* the name of B where none is given; NULL: B is A */
    /* Makes that B, of A's index type. */
    tulle_status (*make_other)(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);
    bool turned;       /* C has as many rows as A has columns */
    bool coarse;       /* C has as many rows as B has columns */
    bool values_alone; /* patterns are neither read nor written: C has A's */
    tulle_status (*fits)(const trial_making *making); /* checks the shapes; NULL: all fit */
    int64_t (*products)(const trial_making *making);  /* NULL: there are none */
    /* Makes C, whose values `make` renews in each sample. NULL: each sample makes C anew. */
    tulle_status (*begin)(const trial_making *making, tulle_mat **C);
    /* Makes one C of the context's; report: the library's own of that call, NULL: not wanted. */
    tulle_status (*make)(const trial_making *making, void *report, tulle_mat **C);
    /* Compares C with its definition, of `sample` the chosen rows alone where the operation can
     * choose; rising: the columns of each row of C must rise. */
    tulle_status (*verify)(const trial_making *making, const tool_csr *C, bool rising,
                           tool_spgemm_error *error);
};

/* The `state` of a task of such an operation. */
typedef struct trial_made {
    const trial_making *making;
    tulle_mat *C; /* owned; the result of the last call; NULL: none */
    void *
        report; /* the library's own report of the next call (trial_maker.make); NULL: not wanted */
    int64_t nnz; /* number of entries of the C that was judged last */
    bool sorted; /* true when its columns rise in each row */
} trial_made;

/* The members that all these operations have: of any A, and of a square one. */
#define TRIAL_MAKES(maker) .general = true, TRIAL_MAKES_OF_SQUARE(maker)
#define TRIAL_MAKES_OF_SQUARE(maker)                                                               \
    .makes = &(maker), .open = trial_making_open, .close = trial_making_close,                     \
    .prepare = trial_making_prepare, .run = trial_making_run, .drop = trial_making_drop,           \
    .finish = trial_making_finish, .error = trial_making_error

tulle_status trial_making_prepare(const trial_problem *problem, trial_task *task);
tulle_status trial_making_run(void *state);
void trial_making_drop(void *state);
void trial_making_finish(void *state);
tulle_status trial_making_error(const trial_problem *problem, void *state, double *units);

/* Finds the error of the last C, in units of its bound: NaN where results are not checked, INFINITY
 * where the pattern is wrong; with `strict`, columns that do not rise are wrong. */
tulle_status trial_making_judge(trial_made *made, bool strict, double *units);

/* Compares the last C with its definition, and finds the worst entry; rising: the columns of each
 * row of C must rise. */
tulle_status trial_making_compare(const trial_made *made, bool rising, tool_entry_error *error);

/* The fields of an operation whose calls have kernels and report their phases, and their values. */
extern const trial_key trial_making_fields[];
void trial_making_values(const tulle_spgemm_report *report, trial_values *values);

tulle_status trial_making_open(trial_problem *problem, const trial_given *given);
void trial_making_close(trial_problem *problem);

static inline trial_making *trial_making_of(const trial_problem *problem) {
    return (trial_making *)problem->own;
}

/* Return the bytes of each input once and of a C with so many entries, in CSR: of all that is read
 * and written, and of C alone. */
int64_t trial_making_bytes(const trial_making *making, int64_t nnz);
int64_t trial_making_result_bytes(const trial_making *making, int64_t nnz);

/* Finds the kernel that computes C where none was asked for; "": no kernel does. */
tulle_status trial_maker_default(const trial_operation *operation, tulle_ctx *ctx, char name[64]);

#endif
