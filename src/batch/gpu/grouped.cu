/* SPDX-License-Identifier: Apache-2.0 */
/* All tasks at once. Tasks that are alike have a launch of their own kernel, unless they are of too
 * many kinds and on no factors. Where some tasks wait for others, all are one launch with a queue;
 * but those on factors have registers enough in kernels of their own alone, so that with these a
 * batch goes level by level. */
#include "batch/functions.h"
#include "batch/gpu/stretches.cuh"

namespace {

/* More launches than this take longer than they gain where tasks are tiny. */
constexpr int most_kinds = 4;

int count_kinds(const tulle__batch_job *job, int begin, int end) {
    int kinds = 0;
    for (; begin < end && kinds <= most_kinds; kinds++) {
        begin = tulle__end_of_alike(job, begin, end);
    }
    return kinds;
}

}  // namespace

tulle_status GPU_SYMBOL(batch_stretch)(const tulle__place *place, const tulle__batch_job *job,
                                       int begin, int end) {
    if (job->widest == 0 && count_kinds(job, begin, end) > most_kinds) {
        return GPU_SYMBOL(batch_any)(place, job, {begin, end});
    }
    for (int next; begin < end; begin = next) {
        next = tulle__end_of_alike(job, begin, end);
        GPU_TRY(tulle__launch_stretch(place, job, {begin, next}));
    }
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(batch_grouped)(const tulle__place *place, const tulle__batch_job *job) {
    if (job->ordered && job->widest == 0) {
        return GPU_SYMBOL(batch_queue)(place, job, {0, job->tasks});
    }
    for (int l = 0; l < job->levels; l++) {
        GPU_TRY(GPU_SYMBOL(batch_stretch)(place, job, job->level[l], job->level[l + 1]));
    }
    return TULLE_OK;
}
