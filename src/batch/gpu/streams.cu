/* SPDX-License-Identifier: Apache-2.0 */
/* A launch for each task, by its family's kernel and of a block for each of its pieces, side by
 * side on streams. */
#include "batch/functions.h"
#include "batch/gpu/side_streams.cuh"
#include "batch/gpu/stretches.cuh"

tulle_status GPU_SYMBOL(batch_streams)(const tulle__place *place, const tulle__batch_job *job) {
    return gpu::on_streams(place, job, [=](const tulle__place *stream, int task) {
        return tulle__launch_stretch(stream, job, {task, task + 1});
    });
}
