/* SPDX-License-Identifier: Apache-2.0 */
#include "core/stopwatch.h"
#include "trials/batch.h"

bool trial_batch_is_published(const trial_problem *p) {
    const tulle_batch_way way = trial_batch_way(p);
    return p->device.backend != TULLE_CPU && way != TULLE_BATCH_GROUPED &&
           way != TULLE_BATCH_STREAMS;
}

static tulle_status time_batch(const trial_problem *p, trial_batch_record_fresh *record,
                               void *fresh, double *ms) {
    tulle_batch *batch = NULL;
    tulle_status status = tulle_batch_create(p->ctx, &batch);
    if (status == TULLE_OK) status = record(batch, p, fresh);
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) status = tulle_batch_run(p->ctx, batch, trial_batch_way(p));
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    *ms = 1e3 * (tulle__seconds() - start);
    tulle_batch_destroy(batch);
    return status;
}

tulle_status trial_batch_time_lines(const trial_problem *p, trial_batch_record_fresh *record,
                                    void *fresh, double *ms) {
    double first = 0, second = 0;
    *ms = 0;
    tulle_status status = time_batch(p, record, fresh, &first);
    if (status == TULLE_OK) status = time_batch(p, record, fresh, &second);
    if (first > second) *ms = (double)p->count * (first - second);
    return status;
}
