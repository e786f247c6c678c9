/* SPDX-License-Identifier: Apache-2.0 */
/* The public view of the kernel registry. */
#include "core/context.h"
#include "tulle/advanced.h"

int tulle_kernel_count(tulle_backend backend) {
    const char *missing = NULL;
    const tulle__backend *table = tulle__backend_find(backend, &missing);
    return table ? table->spmv_count : 0;
}

static tulle_status kernel_at(const char *function, tulle_backend backend, int i,
                              const tulle__spmv_kernel **kernel) {
    const tulle__backend *table = NULL;
    TULLE__TRY(tulle__backend_open(function, "backend", backend, &table));
    if (i < 0 || i >= table->spmv_count) {
        return tulle__fail(TULLE_NOT_FOUND, function, "i", -1, "there is no kernel number %d", i);
    }
    *kernel = table->spmv[i];
    return TULLE_OK;
}

tulle_status tulle_kernel_describe(tulle_backend backend, int i, tulle_kernel_info *info) {
    TULLE__NEED(info);
    const tulle__spmv_kernel *kernel = NULL;
    TULLE__TRY(kernel_at(__func__, backend, i, &kernel));
    unsigned flags = kernel->flags;
    *info = (tulle_kernel_info){.name = kernel->name,
                                .operation = flags & TULLE__BLOCKS ? "spmm" : "spmv",
                                .summary = kernel->summary,
                                .source = kernel->source,
                                .format = kernel->format,
                                .gpu = backend != TULLE_CPU,
                                .forward = flags & TULLE__FORWARD,
                                .transposed = flags & TULLE__TRANSPOSED,
                                .repeatable = flags & TULLE__REPEATABLE,
                                .repeatable_t = flags & TULLE__REPEATABLE_T,
                                .needs_plan = flags & TULLE__NEEDS_PLAN,
                                .has_plan = kernel->prepare != NULL,
                                .param_count = kernel->param_count};
    for (int type = 0; type < TULLE__TYPE_COUNT; type++) {
        for (int index = 0; index < TULLE__INDEX_COUNT; index++) {
            info->supports[type][index] = kernel->run[type][index] != NULL;
        }
    }
    return TULLE_OK;
}

tulle_status tulle_kernel_param(tulle_backend backend, int i, int p, tulle_param_info *info) {
    TULLE__NEED(info);
    const tulle__spmv_kernel *kernel = NULL;
    TULLE__TRY(kernel_at(__func__, backend, i, &kernel));
    if (p < 0 || p >= kernel->param_count) {
        return tulle__fail(TULLE_NOT_FOUND, __func__, "p", -1, "%s has no parameter number %d",
                           kernel->name, p);
    }
    const tulle__param *param = &kernel->params[p];
    *info = (tulle_param_info){.name = param->name,
                               .help = param->help,
                               .values = param->values,
                               .value_count = param->count};
    return TULLE_OK;
}
