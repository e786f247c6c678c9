/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed rule of Reguly and Giles, "Efficient sparse matrix-vector multiplication on cache-based
 * GPUs" (InPar 2012; slides, "The fixed rule"): blocks of 128 threads; as many cooperating threads
 * as the next power of two above the square root of the mean row length (an exact power of two
 * stays), at most a warp; row groups a block repeated as long as at least 1500 blocks remain. */
#include <math.h>
#include <string.h>

#include "spmv/rule/rule.h"
#include "spmv/select.h"

enum { BLOCK = 128, LARGEST_COOP = 32, LARGEST_REPEAT = 32, BLOCKS = 1500 };

static int largest_value(const tulle__param *param, int64_t limit) {
    int best = param->values[0];
    for (int v = 0; v < param->count; v++) {
        if (param->values[v] <= limit && param->values[v] > best) best = param->values[v];
    }
    return best;
}

static int coop_of(double mean_row) {
    double root = sqrt(mean_row);
    int coop = 1;
    while (coop < LARGEST_COOP && coop < root) coop *= 2;
    return coop;
}

static int repeat_of(int64_t rows, int coop) {
    int64_t groups = (rows * coop + BLOCK - 1) / BLOCK;
    int repeat = 1;
    while (repeat < LARGEST_REPEAT && groups / BLOCKS >= 2 * repeat) repeat *= 2;
    return repeat;
}

int64_t tulle__reguly_giles_rows(int64_t rows, double mean_row) {
    int coop = coop_of(mean_row);
    return repeat_of(rows, coop) * (BLOCK / coop);
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
    int coop = coop_of(shape->stats->mean_row);
    set(spec, "coop", coop);
    set(spec, "block", BLOCK);
    set(spec, "repeat", repeat_of(shape->rows, coop));
    if (!tulle__spmv_settle(spec, shape, need)) spec->kernel = NULL;
}
