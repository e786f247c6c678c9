/* SPDX-License-Identifier: Apache-2.0 */
/* The operation tulle_trisolve for the registry of kernels. */
#include "trisolve/trisolve.h"

static bool supports(const tulle__kernel *kernel, tulle_type type, tulle_index index) {
    return tulle__trisolve_of(kernel)->run[tulle__values_of(type)][index] != NULL;
}

static bool prepares(const tulle__kernel *kernel) {
    (void)kernel;
    return false;
}

extern const tulle__operation tulle__operation_trisolve;
const tulle__operation tulle__operation_trisolve = {"trisolve", supports, prepares, NULL};
