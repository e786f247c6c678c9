/* SPDX-License-Identifier: Apache-2.0 */
/* CSC through spmv_csr on A^T: A x scatters column by column in a fixed number of parts, A^T x
 * gathers each column; both bitwise the same for any number of threads. */
#include "spmv/csc.h"
#include "core/types.h"

extern const tulle__spmv_kernel tulle__cpu_spmv_csr;
static const tulle__spmv_kernel *const by_rows = &tulle__cpu_spmv_csr;

static tulle_status run(const tulle__spmv_task *task) {
    tulle__stats stats;
    tulle__spmv_shape csr = tulle__csc_as_csr(&task->shape, &stats);
    tulle__spmv_task call = tulle__csc_task(task, &csr);
    return by_rows->run[csr.values][csr.index](&call);
}

static size_t workspace(const tulle__spmv_shape *shape, const int *params) {
    tulle__stats stats;
    tulle__spmv_shape csr = tulle__csc_as_csr(shape, &stats);
    return by_rows->workspace(&csr, params);
}

static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    tulle__stats stats;
    tulle__spmv_shape csr = tulle__csc_as_csr(shape, &stats);
    return by_rows->bytes(&csr, params, beta_zero);
}

static double cost(const tulle__spmv_shape *shape, const int *params) {
    tulle__stats stats;
    tulle__spmv_shape csr = tulle__csc_as_csr(shape, &stats);
    return by_rows->cost(&csr, params);
}

extern const tulle__spmv_kernel tulle__cpu_spmv_csc;
const tulle__spmv_kernel tulle__cpu_spmv_csc = {
    .head = {.name = "spmv_csc",
             .summary =
                 "all threads: columns scattered in parts that are added as a tree; A^T x gathers",
             .source = "Gustavson's CSR product by rows, of A^T; parallel by OpenMP",
             .format = TULLE_CSC,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE},
    .workspace = workspace,
    .bytes = bytes,
    .cost = cost,
    .run = {{run, run, run}, {run, run, run}},
};
