/* SPDX-License-Identifier: Apache-2.0 */
/* CSC through the CSR kernels on A^T: A x scatters column by column with atomics, A^T x gathers
 * each column by cooperating threads. */
#include "gpu/gpu.cuh"
#include "spmv/csc.h"

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_vector);

namespace TULLE_GPU_NAMESPACE {
namespace {

const tulle__spmv_kernel &csr_kernel = GPU_SYMBOL(spmv_csr_vector);

tulle_status run(const tulle__spmv_task *task) {
    tulle__stats stats;
    int values[TULLE__MAX_PARAMS] = {};
    tulle__spmv_shape csr = tulle__csc_as_csr(&task->shape, &stats);
    tulle__spmv_task call = tulle__csc_task(task, &csr);
    csr_kernel.defaults(&csr, values);
    call.params = values;
    return csr_kernel.run[csr.values][csr.index](&call);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    tulle__stats stats;
    int values[TULLE__MAX_PARAMS] = {};
    tulle__spmv_shape csr = tulle__csc_as_csr(shape, &stats);
    csr_kernel.defaults(&csr, values);
    return csr_kernel.bytes(&csr, values, beta_zero);
}

double cost(const tulle__spmv_shape *shape, const int *) {
    tulle__stats stats;
    int values[TULLE__MAX_PARAMS] = {};
    tulle__spmv_shape csr = tulle__csc_as_csr(shape, &stats);
    csr_kernel.defaults(&csr, values);
    return csr_kernel.cost(&csr, values);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csc);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csc) = {
    .head = {.name = "spmv_csc",
             .summary = "spmv_csr_vector on the transpose: A x by atomics, A^T x gathers",
             .source = "Reguly and Giles 2012, cooperating threads, on A^T",
             .format = TULLE_CSC,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE_T | TULLE__REFERENCE},
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = {{gpu::run, gpu::run, gpu::run}, {gpu::run, gpu::run, gpu::run}},
};
