/* SPDX-License-Identifier: Apache-2.0 */
/* CSC through the CSR kernels on A^T: A x scatters column by column with atomics, A^T x gathers
 * each column by cooperating threads. */
#include "gpu/gpu.cuh"
#include "spmv/csc.h"

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_vector);
extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_scalar);

namespace TULLE_GPU_NAMESPACE {
namespace {

/* The kernel for the CSR matrix, with parameters by its own rule: csr_vector, or where its steps
 * would pass the 32-bit offsets, csr_scalar, which takes everything. */
const tulle__spmv_kernel *kernel_for(const tulle__spmv_shape *csr, int *values) {
    const tulle__spmv_kernel *kernel = &GPU_SYMBOL(spmv_csr_vector);
    kernel->defaults(csr, values);
    if (kernel->eligible(csr, values)) return kernel;
    kernel = &GPU_SYMBOL(spmv_csr_scalar);
    kernel->defaults(csr, values);
    return kernel;
}

tulle_status run(const tulle__spmv_task *task) {
    tulle__stats stats;
    int values[TULLE__MAX_PARAMS] = {};
    tulle__spmv_shape csr = tulle__csc_as_csr(&task->shape, &stats);
    tulle__spmv_task call = tulle__csc_task(task, &csr);
    call.params = values;
    return kernel_for(&csr, values)->run[csr.type][csr.index](&call);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    tulle__stats stats;
    int values[TULLE__MAX_PARAMS] = {};
    tulle__spmv_shape csr = tulle__csc_as_csr(shape, &stats);
    return kernel_for(&csr, values)->bytes(&csr, values, beta_zero);
}

double cost(const tulle__spmv_shape *shape, const int *) {
    tulle__stats stats;
    int values[TULLE__MAX_PARAMS] = {};
    tulle__spmv_shape csr = tulle__csc_as_csr(shape, &stats);
    return kernel_for(&csr, values)->cost(&csr, values);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csc);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csc) = {
    .name = "spmv_csc",
    .summary = "spmv_csr_vector on the transpose: A x by atomics, A^T x gathers",
    .source = "Reguly and Giles 2012, cooperating threads, on A^T",
    .format = TULLE_CSC,
    .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE_T | TULLE__REFERENCE,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = {{gpu::run, gpu::run, gpu::run}, {gpu::run, gpu::run, gpu::run}},
};
