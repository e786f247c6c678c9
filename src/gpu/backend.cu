/* SPDX-License-Identifier: Apache-2.0 */
/* The function table of this backend, the one thing that its library exports. */
#include "gpu/functions.h"
#include "spmv/kernels.h"
#include "spmv/spmv.h"

namespace TULLE_GPU_NAMESPACE {
const tulle__services *services;
}

TULLE_BEGIN

#define SPMV(name) extern const tulle__spmv_kernel GPU_SYMBOL(spmv_##name);
#define SPMM(name) extern const tulle__spmv_kernel GPU_SYMBOL(spmm_##name);
TULLE__SPMV_GPU(SPMV)
TULLE__SPMM_GPU(SPMM)
#undef SPMV
#undef SPMM

TULLE_API const tulle__backend *GPU_SYMBOL(backend)(const tulle__services *services);

TULLE_END

#define SPMV(name) &GPU_SYMBOL(spmv_##name),
#define SPMM(name) &GPU_SYMBOL(spmm_##name),
static const tulle__spmv_kernel *const spmv_kernels[] = {TULLE__SPMV_GPU(SPMV)
                                                             TULLE__SPMM_GPU(SPMM)};
#undef SPMV
#undef SPMM

#define F(name, arguments) .name = GPU_SYMBOL(name),
static const tulle__backend backend = {.abi = TULLE__ABI,
                                       .spmv = spmv_kernels,
                                       .spmv_count = sizeof spmv_kernels / sizeof *spmv_kernels,
                                       TULLE__FUNCTIONS(F)};
#undef F

const tulle__backend *GPU_SYMBOL(backend)(const tulle__services *services) {
    gpu::services = services;
    return &backend;
}
