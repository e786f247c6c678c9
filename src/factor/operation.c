/* SPDX-License-Identifier: Apache-2.0 */
/* The operation of factors for the registry of kernels. */
#include "factor/factor.h"

static bool supports(const tulle__kernel *kernel, tulle_type type, tulle_index index) {
    return tulle__factor_of(kernel)->run[tulle__type_index(type)][index] != NULL;
}

static bool prepares(const tulle__kernel *kernel) {
    (void)kernel;
    return false;
}

extern const tulle__operation tulle__operation_factor;
const tulle__operation tulle__operation_factor = {"factor", supports, prepares, NULL};
