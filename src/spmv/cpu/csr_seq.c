/* SPDX-License-Identifier: Apache-2.0 */
/* The definition: one thread, row by row, each row from left to right. The reference kernel of the
 * CPU (GPU Teaching Kit, "Sparse matrix-vector multiplication", sequential CSR). */
#ifndef VALUE

#include "spmv/bytes.h"
#include "spmv/spmv.h"

#define TULLE__SELF "spmv/cpu/csr_seq.c"
#include "core/each_type.h"

/* Cost: one thread reaches about a quarter of the bandwidth of all of a machine's threads; their
 * number may not matter (spmv.h). */
static double cost(const tulle__spmv_shape *shape, const int *params) {
    (void)params;
    return 4.0 * (double)tulle__spmv_minimal_bytes(shape, true);
}

static int64_t bytes(const tulle__spmv_shape *shape, const int *params, bool beta_zero) {
    (void)params;
    return tulle__spmv_csr_bytes(shape, beta_zero);
}

extern const tulle__spmv_kernel tulle__cpu_spmv_csr_seq;
const tulle__spmv_kernel tulle__cpu_spmv_csr_seq = {
    .head = {.name = "spmv_csr_seq",
             .summary = "one thread, row by row: the definition",
             .source = "GPU Teaching Kit, sparse formats: sequential CSR",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__TRANSPOSED | TULLE__REPEATABLE | TULLE__REPEATABLE_T |
                      TULLE__REFERENCE},
    .bytes = bytes,
    .cost = cost,
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

static void NAME(forward)(const tulle__spmv_task *task, COMPUTED alpha, COMPUTED beta) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    VALUE *y = task->y;
    for (int64_t i = 0; i < task->shape.rows; i++) {
        COMPUTED sum = 0;
        for (OFFSET e = offsets[i]; e < offsets[i + 1]; e++) sum += values[e] * x[cols[e]];
        y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
    }
}

static void NAME(transposed)(const tulle__spmv_task *task, COMPUTED alpha, COMPUTED beta) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    VALUE *y = task->y;
    for (int64_t j = 0; j < task->shape.cols; j++) y[j] = beta == 0 ? 0 : beta * y[j];
    for (int64_t i = 0; i < task->shape.rows; i++) {
        COMPUTED own = x[i];
        for (OFFSET e = offsets[i]; e < offsets[i + 1]; e++)
            y[cols[e]] += alpha * (values[e] * own);
    }
}

static tulle_status NAME(run)(const tulle__spmv_task *task) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    if (task->shape.trans == TULLE_N) {
        NAME(forward)(task, alpha, beta);
    } else {
        NAME(transposed)(task, alpha, beta);
    }
    return TULLE_OK;
}

#endif
