/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a back end: its functions and its kernels, filled by the CPU (src/backend_cpu.c),
 * and by libtulle-cuda and libtulle-emu (src/backend_gpu.cu). Kernels do not see it (core/place.h),
 * so that another operation or folder does not compile them anew. */
#ifndef TULLE_CORE_BACKEND_H
#define TULLE_CORE_BACKEND_H

#include "core/kernel.h"
#include "core/operations.h"
#include "core/place.h"

TULLE_BEGIN

extern const tulle__operation *const tulle__operations[TULLE__OPERATION_COUNT];

#define T(number, folder) struct tulle__##folder##_functions;
TULLE__FUNCTION_FOLDERS(T)
#undef T

typedef struct tulle__backend {
    int abi; /* TULLE__ABI of the library that filled the table */
    tulle__kernels kernels[TULLE__OPERATION_COUNT];
    TULLE__CORE_FUNCTIONS(TULLE__MEMBER)
#define T(number, folder) const struct tulle__##folder##_functions *folder;
    TULLE__FUNCTION_FOLDERS(T)
#undef T
} tulle__backend;

/* The number of the libraries' binary interface, which changes whenever a struct that crosses
 * their border does. */
enum { TULLE__ABI = 5 * 16 + TULLE__PUBLISHED };

/* The one symbol that libtulle-cuda (tulle__cuda_backend) and libtulle-emu (tulle__emu_backend)
 * export; a static build links them in. */
typedef const tulle__backend *(*tulle__backend_entry)(const tulle__services *services);

TULLE_END
#endif
