/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of tasks on factors: forgotten before a task begins, told when it has ended. */
#ifndef TULLE_BATCH_GPU_TELLING_CUH
#define TULLE_BATCH_GPU_TELLING_CUH

#include "batch/task.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

/* No pivot has been seen; all threads of the block call it. */
GPU_FUNCTION void forget_pivots(const tulle__task_factor &t) {
    if (thread() == 0) {
        *t.whole.seen = {TULLE__NONE_SEEN, TULLE__NONE_SEEN, TULLE__NONE_SEEN, TULLE__NONE_SEEN};
        fence();
    }
    sync();
}

/* Tells how a task on factors went; all that it depends on is done. */
GPU_FUNCTION void tell(const tulle__batch_job &job, const tulle__task &t,
                       const tulle__pivots_seen *seen, const int64_t *order) {
    const bool bad = load_relaxed(&seen->bad) != TULLE__NONE_SEEN;
    const int64_t row = load_relaxed(&seen->bad_first);
    job.reports[t.number] = {bad ? TULLE_ZERO_PIVOT : TULLE_OK,
                             bad ? (order ? order[row] : row) : -1};
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
