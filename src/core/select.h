/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of a call's kernel. The stages are tried from the first to the last:
 *
 *   stage      SpMV, SpMM             SpGEMM       trisolve            factor
 *   forced     the kernel that the context forces, and no other
 *   plan       the plan that the      none         none                none
 *              pattern keeps
 *   rule       the cheapest kernel    spgemm_auto  near, poll (GPU);   listed, poll, blocks,
 *              by its cost model                   rows, levels (CPU)  poll_blocks (GPU);
 *                                                                      spread, rows (CPU)
 *   reference  one kernel per format  spgemm_auto  poll (GPU);         poll, poll_blocks (GPU);
 *              and back end                        rows (CPU)          rows (CPU)
 *   after TULLE_UNSUPPORTED
 *              the next stage         the next     the next kernel     the next kernel
 *                                     kernel
 *
 * A call fails if the forced kernel cannot take it. SpMV and SpMM select in spmv/select.h. The
 * other operations select here (tulle__select): their rule tries the kernels flagged TULLE__DEFAULT
 * that suit the task, in the order of the operation's kernels.h, and the reference kernels are
 * those flagged TULLE__REFERENCE. A product with a mask has masked_rows in place of spgemm_auto; a
 * product in blocks has the one kernel of its back end. */
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
 * those of the rule in the order of their table, then the reference kernels. spec->kernel is NULL
 * where there are no more. Fails with TULLE_UNSUPPORTED where the forced kernel may not run. */
tulle_status tulle__select(const char *function, const tulle_ctx *ctx,
                           const tulle__selector *selector, int i, tulle__spec *spec);

/* Fails with TULLE_UNSUPPORTED for a call that no kernel took. */
tulle_status tulle__select_none(const char *function);

TULLE_END
#endif
