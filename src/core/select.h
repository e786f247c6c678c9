/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of a call's kernel. Sparse products, triangular systems and factors have three stages
 * (tulle__select): the kernel that the context forces; the rule, which tries the default kernels;
 * the kernel of last resort. SpMV and SpMM have a fourth stage, the plan, between force and rule,
 * and a rule that weighs costs (spmv/select.h). A forced kernel is the only one to be tried: if it
 * cannot take the call, the call fails. Otherwise a kernel that returns TULLE_UNSUPPORTED leaves
 * the call to the next one. */
#ifndef TULLE_CORE_SELECT_H
#define TULLE_CORE_SELECT_H

#include "core/context.h"
#include "core/kernel.h"

TULLE_BEGIN

typedef enum tulle__stage {
    TULLE__BY_FORCE,
    TULLE__BY_PLAN,
    TULLE__BY_RULE,
    TULLE__BY_REFERENCE,
    TULLE__STAGES
} tulle__stage;

/* Answers of an operation about its kernels and one task. */
typedef struct tulle__selector {
    int operation;    /* TULLE__OP_... */
    unsigned repeats; /* the flag that a kernel has whose result of this task repeats bitwise */
    const void *task;
    /* Returns whether the kernel can do the task at all. */
    bool (*takes)(const tulle__kernel *kernel, const void *task);
    /* Returns whether the rule prefers the kernel, one flagged TULLE__DEFAULT. NULL: always. */
    bool (*suits)(const tulle__kernel *kernel, const void *task);
    /* Fills all parameters of the kernel that may run the task. */
    void (*defaults)(const tulle__kernel *kernel, const void *task, int *params);
} tulle__selector;

/* Finds kernel number i (from 0) to try, with all its parameters: the forced kernel alone, else
 * those of the rule in the order of their table, then those of last resort. spec->kernel is NULL
 * where there are no more. Fails with TULLE_UNSUPPORTED where the forced kernel may not run. */
tulle_status tulle__select(const char *function, const tulle_ctx *ctx,
                           const tulle__selector *selector, int i, tulle__spec *spec);

/* Fails with TULLE_UNSUPPORTED for a call that no kernel took. */
tulle_status tulle__select_none(const char *function);

TULLE_END
#endif
