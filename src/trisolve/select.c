/* SPDX-License-Identifier: Apache-2.0 */
#include "trisolve/select.h"

static bool takes(const tulle__kernel *head, const void *user) {
    const tulle__trisolve_kernel *kernel = tulle__trisolve_of(head);
    const tulle__trisolve_task *task = user;
    return kernel->run[task->values][task->index] && (!kernel->eligible || kernel->eligible(task));
}

static bool suits(const tulle__kernel *head, const void *task) {
    const tulle__trisolve_kernel *kernel = tulle__trisolve_of(head);
    return !kernel->suits || kernel->suits(task);
}

static void defaults(const tulle__kernel *head, const void *task, int *params) {
    const tulle__trisolve_kernel *kernel = tulle__trisolve_of(head);
    if (kernel->defaults) kernel->defaults(task, params);
}

tulle_status tulle__trisolve_select(const char *function, const tulle_ctx *ctx,
                                    const tulle__trisolve_task *task, int i, tulle__spec *spec) {
    const tulle__selector selector = {
        .operation = TULLE__OP_TRISOLVE,
        .repeats = task->op == TULLE_N ? TULLE__REPEATABLE : TULLE__REPEATABLE_T,
        .task = task,
        .takes = takes,
        .suits = suits,
        .defaults = defaults};
    return tulle__select(function, ctx, &selector, i, spec);
}
