/* SPDX-License-Identifier: Apache-2.0 */
/* Our rule: every kernel models its own cost (spmv.h, `cost`) with the parameters of its own rule;
 * the cheapest that may run here wins. A new kernel takes part as soon as its row exists. */
#include "spmv/rule/rule.h"
#include "spmv/select.h"

void tulle__rule_tulle(const tulle__backend *backend, const tulle__spmv_shape *shape, unsigned need,
                       tulle__spec *spec) {
    double least = 0;
    const tulle__kernels *kernels = tulle__spmv_kernels(backend, (need & TULLE__MULTIVECTOR) != 0);
    *spec = (tulle__spec){0};
    for (int i = 0; i < kernels->count; i++) {
        tulle__spec candidate = {.kernel = kernels->item[i]};
        if (candidate.kernel->flags & TULLE__NEEDS_PLAN) continue;
        if (tulle__spmv_only_by_name(candidate.kernel)) continue;
        if (!tulle__spmv_settle(&candidate, shape, need)) continue;
        double cost = tulle__spmv_cost(&candidate, shape);
        if (spec->kernel && cost >= least) continue;
        least = cost;
        *spec = candidate;
    }
}
