/* SPDX-License-Identifier: Apache-2.0 */
#include "trisolve/select.h"

static bool can(const tulle__trisolve_kernel *kernel, const tulle__trisolve_task *task) {
    return kernel->run[task->values][task->index] && (!kernel->eligible || kernel->eligible(task));
}

static bool is_default(const tulle__trisolve_kernel *kernel, const tulle__trisolve_task *task) {
    return (kernel->head.flags & (unsigned)TULLE__TRISOLVE_DEFAULT) && can(kernel, task) &&
           (!kernel->suits || kernel->suits(task));
}

static bool is_reference(const tulle__trisolve_kernel *kernel, const tulle__trisolve_task *task) {
    return (kernel->head.flags & TULLE__REFERENCE) && can(kernel, task);
}

static const tulle__kernel *number(const tulle_ctx *ctx, const tulle__trisolve_task *task, int i) {
    bool (*const sorts[])(const tulle__trisolve_kernel *, const tulle__trisolve_task *) = {
        is_default, is_reference};
    const tulle__kernels *all = &ctx->backend->kernels[TULLE__OP_TRISOLVE];
    for (int sort = 0; sort < 2; sort++) {
        for (int k = 0; k < all->count; k++) {
            if (sorts[sort](tulle__trisolve_of(all->item[k]), task) && i-- == 0) {
                return all->item[k];
            }
        }
    }
    return NULL;
}

static tulle_status check_forced(const char *function, const tulle_ctx *ctx,
                                 const tulle__trisolve_task *task, const tulle__kernel *forced) {
    const unsigned repeats = task->op == TULLE_N ? TULLE__REPEATABLE : TULLE__REPEATABLE_T;
    if (ctx->repeatable && !(forced->flags & repeats)) {
        return tulle__fail(TULLE_UNSUPPORTED, function, NULL, -1,
                           "the forced kernel %s does not repeat bitwise, as the context is set to",
                           forced->name);
    }
    if (can(tulle__trisolve_of(forced), task)) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                       "the forced kernel %s does not take these types, or this case",
                       forced->name);
}

static void fill(const tulle__trisolve_task *task, tulle__spec *spec) {
    int own[TULLE__MAX_PARAMS] = {0};
    const tulle__trisolve_kernel *kernel = tulle__trisolve_of(spec->kernel);
    if (kernel->defaults) kernel->defaults(task, own);
    tulle__spec_fill(spec, own);
}

tulle_status tulle__trisolve_select(const char *function, const tulle_ctx *ctx,
                                    const tulle__trisolve_task *task, int i, tulle__spec *spec) {
    const tulle__spec *forced = &ctx->forced[TULLE__OP_TRISOLVE];
    *spec = (tulle__spec){0};
    if (!forced->kernel) {
        spec->kernel = number(ctx, task, i);
    } else if (i == 0) {
        TULLE__TRY(check_forced(function, ctx, task, forced->kernel));
        *spec = *forced;
    }
    if (spec->kernel) fill(task, spec);
    return TULLE_OK;
}
