/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spmv and tulle_spmm as the registry sees them: two operations with one kind of kernel. */
#include "spmv/kernels.h"

static bool supports(const tulle__kernel *kernel, tulle_type type, tulle_index index) {
    return tulle__spmv_of(kernel)->run[tulle__values_of(type)][index] != NULL;
}

static bool prepares(const tulle__kernel *kernel) {
    return tulle__spmv_of(kernel)->prepare != NULL;
}

#define K(operation, name) #operation "_" #name,
static const char *const published[] = {TULLE__SPMV_GPU_PUBLISHED(K) NULL};
#undef K

extern const tulle__operation tulle__operation_spmv, tulle__operation_spmm;
const tulle__operation tulle__operation_spmv = {"spmv", supports, prepares, published};
const tulle__operation tulle__operation_spmm = {"spmm", supports, prepares, NULL};
