/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one trial of an operation (trials/operation.h) on one matrix for a command, with the set-up,
 * the calls and the check of the benchmark. */
#ifndef TOOL_TRIAL_H
#define TOOL_TRIAL_H

#include "operand.h"
#include "tools/common/layout.h"
#include "trials/operation.h"

/* A trial. The members up to A are settings; the members after A are results. */
typedef struct tool_trial {
    const trial_operation *operation;
    trial_given given;  /* settings of the problem; the trial itself sets A and csr */
    const char *noun;   /* noun for the operation in an error line, such as "system" */
    bool square;        /* true when A must be square */
    tool_layout format; /* format of A */
    bool dominant;      /* true: A's diagonal is made dominant first */
    bool turned;        /* true: the problem's A is op(A), not A */
    const char *kernel; /* specification of the kernel; NULL: the rule picks */
    const char *output; /* file for the result, or NULL */
    int64_t repeat;     /* number of timed calls */
    /* Refuses A in its format for options that would do nothing. NULL: nothing is refused. */
    tulle_status (*refuse)(const struct tool_trial *trial);
    /* Fills in the task how the kernel is chosen, and forces a kernel where the trial names one.
     * NULL: the kernel that the trial names, if any, is forced. */
    tulle_status (*ask)(tulle_ctx *ctx, struct tool_trial *trial, trial_task *task);
    /* Looks at the prepared task. NULL: nothing is to be done. */
    tulle_status (*accept)(tulle_ctx *ctx, struct tool_trial *trial, const trial_task *task);
    /* Takes numbers for the operation's report from the problem after its first call, with the
     * result in host memory, as it is written then. NULL: nothing is to be done. */
    tulle_status (*look)(struct tool_trial *trial, const trial_problem *problem, void *result);
    /* Records advice about a preparation or a call that failed; returns the status. NULL: there is
     * no advice. */
    tulle_status (*advise)(const struct tool_trial *trial, const trial_problem *problem,
                           tulle_status status);
    /* Checks, writes and times a prepared task. NULL: the task is called, and its result is a
     * vector that is checked, written and timed. */
    tulle_status (*work)(struct tool_trial *trial, const trial_problem *problem, trial_task *task);
    tool_operand A;
    tulle_device_info device;
    tulle_mat_info info;   /* properties of A in its format */
    double convert_ms;     /* time of converting A, in milliseconds */
    double prepare_ms;     /* time of preparing the task, in milliseconds */
    double first_ms;       /* time of the first call, without preparing, in milliseconds */
    tool_timing timing;    /* timing of the calls; ms 0: not timed */
    tool_timing converted; /* timing of bringing operands into another form, with which calls begin;
                              ms 0: calls do not, or it was not timed */
    double units;          /* error in units of its bound; NaN: not checked */
    tool_error_found worst;
    int64_t minimal_bytes; /* bytes of each input and output, read or written once */
    double flops;
    double copy_gbs; /* bandwidth of a copy on this machine, in GB/s; 0: not known */
} tool_trial;

/* Runs a trial on the matrix that a command line names. */
tulle_status tool_trial_run(tulle_ctx *ctx, const tool_common *common, const char *name,
                            tool_trial *trial);

/* Runs a trial on the matrix that the trial's A has and keeps. seed: seed of random numbers. */
tulle_status tool_trial_run_on(tulle_ctx *ctx, uint64_t seed, tool_trial *trial);

/* True when the result is right, or was not checked. */
bool tool_trial_is_right(const tool_trial *trial);

#endif
