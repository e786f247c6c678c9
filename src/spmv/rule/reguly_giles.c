/* SPDX-License-Identifier: Apache-2.0 */
/* The rule `reguly_giles`: fixed.h has its numbers. */
#include <string.h>

#include "spmv/rule/fixed.h"
#include "spmv/rule/rule.h"
#include "spmv/select.h"

static int largest_value(const tulle__param *param, int64_t limit) {
    int best = param->values[0];
    for (int v = 0; v < param->count; v++) {
        if (param->values[v] <= limit && param->values[v] > best) best = param->values[v];
    }
    return best;
}

int64_t tulle__reguly_giles_rows(int64_t rows, double mean_row) {
    int coop = tulle__fixed_coop(mean_row);
    return tulle__fixed_repeat(rows, coop) * (TULLE__FIXED_BLOCK / coop);
}

static void set(tulle__spec *spec, const char *name, int64_t value) {
    for (int p = 0; p < spec->kernel->param_count; p++) {
        const tulle__param *param = &spec->kernel->params[p];
        if (strcmp(param->name, name) != 0) continue;
        spec->params[p] = largest_value(param, value);
        spec->given |= 1u << p;
    }
}

void tulle__rule_reguly_giles(const tulle__backend *backend, const tulle__spmv_shape *shape,
                              unsigned need, tulle__spec *spec) {
    *spec = (tulle__spec){0};
    const tulle__kernels *kernels = tulle__spmv_kernels(backend, false);
    for (int i = 0; i < kernels->count; i++) {
        if (strcmp(kernels->item[i]->name, "spmv_csr_vector") == 0) spec->kernel = kernels->item[i];
    }
    if (!spec->kernel) return;
    int coop = tulle__fixed_coop(shape->stats->mean_row);
    set(spec, "coop", coop);
    set(spec, "block", TULLE__FIXED_BLOCK);
    set(spec, "repeat", tulle__fixed_repeat(shape->rows, coop));
    if (!tulle__spmv_settle(spec, shape, need)) spec->kernel = NULL;
}
