/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the CPU; this file may know every folder. */
#include "core/context.h"
#include "folders.h"

#define K(operation, name) extern const tulle__##operation##_kernel tulle__cpu_##operation##_##name;
#define O(number, operation) TULLE__##number##_CPU(K)
TULLE__OPERATIONS(O)
#undef O
#undef K

#define K(operation, name) &tulle__cpu_##operation##_##name.head,
#define O(number, operation)                                                                       \
    static const tulle__kernel *const operation[] = {TULLE__##number##_CPU(K)};
TULLE__OPERATIONS(O)
#undef O
#undef K

#define T(number, folder)                                                                          \
    static const tulle__##folder##_functions functions_of_##folder = {                             \
        TULLE__##number##_FUNCTIONS(TULLE__ENTRY)};
TULLE__FUNCTION_FOLDERS(T)
#undef T

#define O(number, operation)                                                                       \
    [TULLE__OP_##number] = {operation, sizeof operation / sizeof *operation},
#define T(number, folder) .folder = &functions_of_##folder,
const tulle__backend tulle__cpu_backend = {.abi = TULLE__ABI,
                                           .kernels = {TULLE__OPERATIONS(O)},
                                           TULLE__CORE_FUNCTIONS(TULLE__ENTRY)
                                               TULLE__FUNCTION_FOLDERS(T)};
