/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/product.h"

static const tulle__kernel *default_kernel(const tulle__kernels *kernels) {
    int i = 0;
    while (!(kernels->item[i]->flags & TULLE__DEFAULT)) i++;
    return kernels->item[i];
}

static void fill(const tulle__spgemm_task *task, tulle__spec *spec) {
    int own[TULLE__MAX_PARAMS] = {0};
    const tulle__spgemm_kernel *kernel = tulle__spgemm_of(spec->kernel);
    if (kernel->defaults) kernel->defaults(task, own);
    tulle__spec_fill(spec, own);
}

tulle_status tulle__spgemm_select(const char *function, const tulle__spgemm_run *run,
                                  tulle__spec *spec) {
    const tulle_ctx *ctx = run->ctx;
    *spec = ctx->forced[TULLE__OP_SPGEMM];
    if (!spec->kernel) {
        spec->kernel = default_kernel(&ctx->backend->kernels[TULLE__OP_SPGEMM]);
    } else if (ctx->repeatable && !(spec->kernel->flags & TULLE__REPEATABLE)) {
        return tulle__fail(TULLE_UNSUPPORTED, function, NULL, -1,
                           "the forced kernel %s does not repeat bitwise, as the context is set to",
                           spec->kernel->name);
    } else if (!tulle__spgemm_of(spec->kernel)->run[run->task.type][run->task.index]) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                           "the forced kernel %s does not take these types", spec->kernel->name);
    }
    fill(&run->task, spec);
    return TULLE_OK;
}
