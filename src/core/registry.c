/* SPDX-License-Identifier: Apache-2.0 */
/* The public view of the kernels of all operations, one after the other. */
#include "core/context.h"
#include "core/kernel.h"
#include "tulle/advanced.h"

#define O(number, name) extern const tulle__operation tulle__operation_##name;
TULLE__OPERATIONS(O)
#undef O

#define O(number, name) [TULLE__OP_##number] = &tulle__operation_##name,
const tulle__operation *const tulle__operations[TULLE__OPERATION_COUNT] = {TULLE__OPERATIONS(O)};
#undef O

int tulle_kernel_count(tulle_backend backend) {
    const char *missing = NULL;
    const tulle__backend *table = tulle__backend_find(backend, &missing);
    int count = 0;
    for (int op = 0; table && op < TULLE__OPERATION_COUNT; op++) count += table->kernels[op].count;
    return count;
}

static tulle_status kernel_at(const char *function, tulle_backend backend, int i,
                              const tulle__kernel **kernel, const tulle__operation **operation) {
    const tulle__backend *table = NULL;
    TULLE__TRY(tulle__backend_open(function, "backend", backend, &table));
    int k = i;
    for (int op = 0; k >= 0 && op < TULLE__OPERATION_COUNT; op++) {
        const tulle__kernels *list = &table->kernels[op];
        if (k < list->count) {
            *kernel = list->item[k];
            *operation = tulle__operations[op];
            return TULLE_OK;
        }
        k -= list->count;
    }
    return tulle__fail(TULLE_NOT_FOUND, function, "i", -1, "there is no kernel number %d", i);
}

tulle_status tulle_kernel_describe(tulle_backend backend, int i, tulle_kernel_info *info) {
    TULLE__NEED(info);
    const tulle__kernel *kernel = NULL;
    const tulle__operation *operation = NULL;
    TULLE__TRY(kernel_at(__func__, backend, i, &kernel, &operation));
    unsigned flags = kernel->flags;
    *info = (tulle_kernel_info){.name = kernel->name,
                                .also = kernel->also,
                                .operation = operation->name,
                                .summary = kernel->summary,
                                .source = kernel->source,
                                .format = kernel->format,
                                .gpu = backend != TULLE_CPU,
                                .forward = flags & TULLE__FORWARD,
                                .transposed = flags & TULLE__TRANSPOSED,
                                .repeatable = flags & TULLE__REPEATABLE,
                                .repeatable_t = flags & TULLE__REPEATABLE_T,
                                .needs_plan = flags & TULLE__NEEDS_PLAN,
                                .has_plan = operation->prepares(kernel),
                                .historical = flags & TULLE__HISTORICAL,
                                .param_count = kernel->param_count};
    for (int type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int index = 0; index < TULLE__INDEX_COUNT; index++) {
            info->supports[type][index] =
                operation->supports(kernel, (tulle_type)type, (tulle_index)index);
        }
    }
    return TULLE_OK;
}

tulle_status tulle_kernel_param(tulle_backend backend, int i, int p, tulle_param_info *info) {
    TULLE__NEED(info);
    const tulle__kernel *kernel = NULL;
    const tulle__operation *operation = NULL;
    TULLE__TRY(kernel_at(__func__, backend, i, &kernel, &operation));
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
