/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks in turns on streams, level by level. */
#ifndef TULLE_BATCH_GPU_SIDE_STREAMS_CUH
#define TULLE_BATCH_GPU_SIDE_STREAMS_CUH

#include "batch/task.h"
#include "gpu/gpu.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class Launch>
tulle_status level_on_streams(const tulle__place *place, const tulle__batch_job *job, int level,
                              Launch start) {
    side_by_side beside(place);
    const int begin = job->level[level], tasks = job->level[level + 1] - begin;
    const tulle__place *stream[TULLE__MOST_STREAMS];
    for (const tulle__place *&one : stream) one = place;
    const int streams = tasks < job->streams ? tasks : job->streams;
    for (int s = 0; s < streams; s++) GPU_TRY(beside.next(stream + s));
    for (int i = 0; i < tasks; i++) GPU_TRY(start(stream[i % streams], begin + i));
    return beside.join();
}

/* start(place, task) for all tasks. */
template <class Launch>
tulle_status on_streams(const tulle__place *place, const tulle__batch_job *job, Launch start) {
    for (int l = 0; l < job->levels; l++) GPU_TRY(level_on_streams(place, job, l, start));
    return TULLE_OK;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
