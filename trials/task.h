/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRIAL_TASK_H
#define TRIAL_TASK_H

#include <stdint.h>

#include "tulle/advanced.h"

/* Says who chooses the kernel. */
typedef enum trial_choice {
    TRIAL_RULE,     /* the library, at the call */
    TRIAL_PLAN,     /* a plan for a kernel by name, or for that of the rule */
    TRIAL_OPTIMISE, /* a plan that the library chooses */
    TRIAL_FORCED,   /* the caller, by name */
    TRIAL_PEER      /* nobody: another library computes */
} trial_choice;

const char *trial_choice_name(trial_choice choice); /* "rule" */

/* A way to compute, ready for one problem: a peer's, or tulle's own. */
typedef struct trial_task {
    trial_choice by;  /* who is to choose the kernel, known before the task is prepared */
    const char *spec; /* the kernel's specification; "" or NULL: none is asked for */
    void *state;
    double prep_ms;      /* that its preprocessing took; 0: it has none */
    double convert_ms;   /* that bringing operands into another form took, once; 0: nothing did */
    int64_t extra_bytes; /* of memory beside the matrix, x and y */
    int threads;         /* 0 on a GPU */
    int64_t iterations;  /* of an iterative method, in a call; 0: the problem's */
    tulle_choice choice; /* what the library said that it runs; kernel NULL: it was not asked */
} trial_task;

#endif
