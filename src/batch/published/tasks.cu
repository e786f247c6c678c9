/* SPDX-License-Identifier: Apache-2.0 */
/* The six operations of Afanasyev and others 2015 as they run them (section 2): each task is one
 * launch of one block of threads, of 1024, or of 512 where values of factors are computed, on
 * streams side by side, so that two blocks share a multiprocessor. Which tasks there are kernels
 * for, published/supported.c says before. */
#define TULLE__PARTS 5
#include "batch/functions.h"
#include "batch/published/axpy.cuh"
#include "batch/published/dot.cuh"
#include "batch/published/lu.cuh"
#include "batch/published/product.cuh"
#include "batch/published/shuffled.cuh"
#include "batch/published/sle.cuh"
#include "batch/side_streams.cuh"
#include "gpu/parts.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Which of the sizes 4, 8 and 16. */
static inline int published_size(int block) {
    return block == 4 ? 0 : block == 8 ? 1 : 2;
}

#define TULLE__EACH_BLOCK(kernel, V)                                                               \
    { kernel<V, 4>, kernel<V, 8>, kernel<V, 16> }

using on_task = void (*)(const tulle__task *);
using in_job = void (*)(tulle__batch_job, int);

template <class V>
tulle_status launch_multivectors(const tulle__place *place, const tulle__batch_job *job, int task,
                                 bool by_shuffles) {
    static const on_task dot[] = TULLE__EACH_BLOCK(dot_task, V);
    static const on_task staged[] = TULLE__EACH_BLOCK(axpy_task, V);
    static const on_task shuffled[] = TULLE__EACH_BLOCK(shuffled_axpy_task, V);
    const tulle__task &t = job->host_task[task];
    const on_task *of = t.kind == TULLE__TASK_DOT ? dot : by_shuffles ? shuffled : staged;
    return launch(place, of[published_size(t.k2)], {1, published_threads}, job->task + task);
}

template <class V>
tulle_status launch_product(const tulle__place *place, const tulle__batch_job *job, int task) {
    static const on_task of[] = TULLE__EACH_BLOCK(product_task, V);
    return launch(place, of[published_size(job->host_task[task].k2)], {1, published_threads},
                  job->task + task);
}

template <class V>
tulle_status launch_lu(const tulle__place *place, const tulle__batch_job *job, int task) {
    static const in_job of[] = TULLE__EACH_BLOCK(lu_task, V);
    return launch(place, of[published_size(job->host_task[task].factor.whole.block)],
                  {1, published_lu_threads}, *job, task);
}

template <class V>
tulle_status launch_sle(const tulle__place *place, const tulle__batch_job *job, int task) {
    static const in_job of[] = TULLE__EACH_BLOCK(sle_task, V);
    return launch(place, of[published_size(job->host_task[task].k2)], {1, published_threads}, *job,
                  task);
}

using launch_a_task = tulle_status(const tulle__place *, const tulle__batch_job *, int);
using launch_one_of_two = tulle_status(const tulle__place *, const tulle__batch_job *, int, bool);
GPU_PART(1, launch_one_of_two launch_multivectors<float>);
GPU_PART(1, launch_one_of_two launch_multivectors<double>);
GPU_PART(2, launch_a_task launch_product<float>);
GPU_PART(2, launch_a_task launch_product<double>);
GPU_PART(3, launch_a_task launch_lu<float>);
GPU_PART(4, launch_a_task launch_lu<double>);
GPU_PART(5, launch_a_task launch_sle<float>);
GPU_PART(5, launch_a_task launch_sle<double>);

#if TULLE__IN_PART(1)
template <class V>
static tulle_status launch_published(const tulle__place *place, const tulle__batch_job *job,
                                     int task, bool by_shuffles) {
    switch (job->host_task[task].kind) {
        case TULLE__TASK_SPMM:
            return launch_product<V>(place, job, task);
        case TULLE__TASK_FACTOR:
            return launch_lu<V>(place, job, task);
        case TULLE__TASK_SOLVE:
            return launch_sle<V>(place, job, task);
        default:
            return launch_multivectors<V>(place, job, task, by_shuffles);
    }
}
#endif

}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
tulle_status GPU_SYMBOL(batch_tasks)(const tulle__place *place, const tulle__batch_job *job,
                                     bool by_shuffles) {
    return gpu::on_streams(place, job, [=](const tulle__place *stream, int task) {
        const bool narrow = job->host_task[task].type == TULLE_F32;
        return narrow ? gpu::launch_published<float>(stream, job, task, by_shuffles)
                      : gpu::launch_published<double>(stream, job, task, by_shuffles);
    });
}
#endif
