/* SPDX-License-Identifier: Apache-2.0 */
/* One trial of an operation (trials/operation.h) for a command: the same set-up,
 * calls and check, on one matrix, once. */
#ifndef TOOL_TRIAL_H
#define TOOL_TRIAL_H

#include "operand.h"
#include "tools/common/layout.h"
#include "trials/operation.h"

/* The first members say what is asked; what follows A is found. */
typedef struct tool_trial {
    const trial_operation *operation;
    trial_given given;  /* A and csr are the trial's */
    const char *noun;   /* the operation in an error line, as "system" */
    bool square;        /* whether A must be */
    tool_layout format; /* of A */
    bool dominant;      /* A's diagonal is made dominant first */
    const char *kernel; /* specification, or NULL: the rule picks */
    const char *output; /* file for the result, or NULL */
    int64_t repeat;     /* timed calls; 0: none */
    /* Fills in the task who is to choose the kernel, and which one, and forces it where that is the
     * trial's. NULL: the kernel is forced, where one is asked for. */
    tulle_status (*ask)(tulle_ctx *ctx, struct tool_trial *trial, trial_task *task);
    /* Looks at what was prepared. NULL: nothing. */
    tulle_status (*accept)(tulle_ctx *ctx, struct tool_trial *trial, const trial_task *task);
    /* Takes from the problem, after its first call, what the report says of this operation; the
     * result is on the host. NULL: nothing. */
    void (*look)(struct tool_trial *trial, const trial_problem *problem, const void *result);
    /* Says what somebody can do about a preparation or a call that failed; returns the status.
     * NULL: nothing. */
    tulle_status (*advise)(const struct tool_trial *trial, tulle_status status);
    tool_operand A;
    tulle_device_info device;
    tulle_mat_info info;   /* of A in its format */
    double convert_ms;     /* that its format took */
    double first_ms;       /* of the first call, after preparing */
    tool_timing timing;    /* of the calls; ms 0: not timed */
    tool_timing converted; /* of what calls begin with, bringing operands into another form; ms 0:
                              they do not, or it was not timed */
    double units;          /* the error in units of its bound; NaN where it was not checked */
    tool_error_found worst;
    int64_t minimal_bytes; /* each input and output read or written once */
    double flops;
    double copy_gbs; /* of the machine; 0: not known */
} tool_trial;

/* Runs it on the matrix that a command line names. */
tulle_status tool_trial_run(tulle_ctx *ctx, const tool_common *common, const char *name,
                            tool_trial *trial);

/* The same on a matrix that the trial's A has already, and keeps; seed: of random numbers. */
tulle_status tool_trial_run_on(tulle_ctx *ctx, uint64_t seed, tool_trial *trial);

/* Whether the result is right, as far as it was checked. */
bool tool_trial_is_right(const tool_trial *trial);

#endif
