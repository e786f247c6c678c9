/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spgemm as the registry sees it: without a mask, with one, and in blocks. */
#include "spgemm/kernels.h"

static bool supports(const tulle__kernel *kernel, tulle_type type, tulle_index index) {
    return tulle__spgemm_of(kernel)->run[tulle__values_of(type)][index] != NULL;
}

static bool prepares(const tulle__kernel *kernel) {
    (void)kernel;
    return false;
}

#define K(operation, name) #operation "_" #name,
static const char *const published[] = {TULLE__SPGEMM_CPU_PUBLISHED(K)
                                            TULLE__SPGEMM_GPU_PUBLISHED(K) NULL};
#undef K

extern const tulle__operation tulle__operation_spgemm;
const tulle__operation tulle__operation_spgemm = {"spgemm", supports, prepares, published};

static bool supports_blocks(const tulle__kernel *kernel, tulle_type type, tulle_index index) {
    (void)index; /* looked up as the kernel runs */
    return tulle__blocks_of(kernel)->run[tulle__values_of(type)] != NULL;
}

extern const tulle__operation tulle__operation_masked;
const tulle__operation tulle__operation_masked = {"masked", supports, prepares, NULL};

extern const tulle__operation tulle__operation_blocks;
const tulle__operation tulle__operation_blocks = {"blocks", supports_blocks, prepares, NULL};
