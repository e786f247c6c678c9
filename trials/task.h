/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRIAL_TASK_H
#define TRIAL_TASK_H

#include <stdint.h>

#include "trials/field.h"
#include "tulle/advanced.h"

/* Says who chooses the kernel. */
typedef enum trial_choice {
    TRIAL_RULE,     /* the library, at the call */
    TRIAL_PLAN,     /* a plan for a kernel by name, or for that of the rule */
    TRIAL_OPTIMISE, /* a plan that the library chooses */
    TRIAL_FORCED,   /* the caller, by name */
    TRIAL_PEER      /* another library computes: no kernel of tulle is chosen */
} trial_choice;

const char *trial_choice_name(trial_choice choice); /* "rule" */

/* A way to compute, ready for one problem: a peer's, or tulle's own. */
typedef struct trial_task {
    trial_choice by;  /* choice of the kernel, known before the task is prepared */
    const char *spec; /* the kernel's specification; "" or NULL: none is asked for */
    void *state;
    double prep_ms;      /* time of its preprocessing; 0: it has none */
    double convert_ms;   /* time of bringing operands into another form, once; 0: none */
    int64_t extra_bytes; /* bytes of memory beside the matrix, x and y */
    int threads;         /* 0 on a GPU */
    int64_t iterations;  /* iterations of a call of an iterative method; 0: the problem's */
    tulle_choice choice; /* choice that the library reports; kernel NULL: it was not asked */
    trial_values values; /* values of the operation's own fields */
} trial_task;

#endif
