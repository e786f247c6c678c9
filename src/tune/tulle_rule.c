/* SPDX-License-Identifier: Apache-2.0 */
/* Our rule: every kernel models its own cost (spmv.h, `cost`) with the parameters of its own rule;
 * the cheapest that may run here wins. A new kernel takes part as soon as its row exists. */
#include "spmv/select.h"
#include "spmv/spec.h"
#include "tune/rule.h"

void tulle__rule_tulle(const tulle__backend *backend, const tulle__spmv_shape *shape, unsigned need,
                       tulle__spmv_spec *spec) {
    double least = 0;
    *spec = (tulle__spmv_spec){0};
    for (int i = 0; i < backend->spmv_count; i++) {
        tulle__spmv_spec candidate = {.kernel = backend->spmv[i]};
        if (candidate.kernel->flags & TULLE__NEEDS_PLAN) continue;
        tulle__spmv_params_fill(shape, &candidate);
        if (!tulle__spmv_eligible(&candidate, shape, need)) continue;
        double cost = candidate.kernel->cost(shape, candidate.params);
        if (spec->kernel && cost >= least) continue;
        least = cost;
        *spec = candidate;
    }
}
