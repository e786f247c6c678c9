/* SPDX-License-Identifier: Apache-2.0 */
/* What published kernels of batches ask for once a matrix, timed alone (Afanasyev and others 2015,
 * sections 3.3 and 3.5). */
#include "bench/batch.h"
#include "core/stopwatch.h"
#include "matrix/block_lines_of.h"
#include "matrix/matrix.h"

static bool is_published(const bench_problem *p) {
    const tulle_batch_way way = bench_batch_way(p);
    return p->device.backend != TULLE_CPU && way != TULLE_BATCH_GROUPED &&
           way != TULLE_BATCH_STREAMS;
}

tulle_status bench_batch_time_lines(const bench_problem *p, const tulle_mat *A, tulle_trans op,
                                    double *ms) {
    const tulle__block_lines *lines = NULL;
    tulle_mat_info info;
    tulle_mat *fresh = NULL; /* with a pattern of which nothing is known */
    if (!is_published(p)) return TULLE_OK;
    tulle_status status = tulle_mat_describe(A, &info);
    const tulle_convert_options as_it_is = {.block = info.storage.block};
    if (status == TULLE_OK) {
        status = tulle_mat_convert_with(p->ctx, A, info.format, info.index, &as_it_is, &fresh);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = tulle__block_lines_of(p->ctx, fresh->pattern, op, &lines);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    *ms += 1e3 * (tulle__seconds() - start);
    tulle_mat_destroy(fresh);
    return status;
}
