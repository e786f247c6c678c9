/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a GPU, the one thing that its library exports; this file may know every folder. */
#include "core/backend.h"
#include "folders.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {
const tulle__services *services;
}

TULLE_BEGIN

#define K(operation, name) extern const tulle__##operation##_kernel GPU_SYMBOL(operation##_##name);
#define O(number, operation) TULLE__##number##_GPU(K)
TULLE__OPERATIONS(O)
#undef O
#undef K

TULLE_API const tulle__backend *GPU_SYMBOL(backend)(const tulle__services *services);

TULLE_END

#define K(operation, name) &GPU_SYMBOL(operation##_##name).head,
#define O(number, operation)                                                                       \
    static const tulle__kernel *const operation[] = {TULLE__##number##_GPU(K)};
TULLE__OPERATIONS(O)
#undef O
#undef K

#define T(number, folder)                                                                          \
    static const tulle__##folder##_functions functions_of_##folder = {                             \
        TULLE__##number##_FUNCTIONS(TULLE__ENTRY)};
TULLE__FUNCTION_FOLDERS(T)
#undef T

#define O(number, operation) {operation, sizeof operation / sizeof *operation},
#define T(number, folder) .folder = &functions_of_##folder,
/* NOLINTBEGIN(bugprone-sizeof-expression): arrays of pointers are counted */
static const tulle__backend backend = {.abi = TULLE__ABI,
                                       .kernels = {TULLE__OPERATIONS(O)},
                                       TULLE__CORE_FUNCTIONS(TULLE__ENTRY)
                                           TULLE__FUNCTION_FOLDERS(T)};
/* NOLINTEND(bugprone-sizeof-expression) */

const tulle__backend *GPU_SYMBOL(backend)(const tulle__services *services) {
    gpu::services = services;
    return &backend;
}
