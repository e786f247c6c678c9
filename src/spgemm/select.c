/* SPDX-License-Identifier: Apache-2.0 */
#include "core/select.h"

#include "spgemm/product.h"

static bool takes(const tulle__kernel *head, const void *user) {
    const tulle__spgemm_task *task = user;
    return tulle__spgemm_of(head)->run[tulle__values_of(task->type)][task->index];
}

static void defaults(const tulle__kernel *head, const void *task, int *params) {
    const tulle__spgemm_kernel *kernel = tulle__spgemm_of(head);
    if (kernel->defaults) kernel->defaults(task, params);
}

tulle_status tulle__spgemm_select(const char *function, const tulle__spgemm_run *run, int i,
                                  tulle__spec *spec) {
    const bool masked = run->task.mask.offsets != NULL;
    const tulle__selector selector = {.operation = masked ? TULLE__OP_MASKED : TULLE__OP_SPGEMM,
                                      .repeats = TULLE__REPEATABLE,
                                      .task = &run->task,
                                      .takes = takes,
                                      .defaults = defaults};
    return tulle__select(function, run->ctx, &selector, i, spec);
}
