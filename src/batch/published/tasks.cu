/* SPDX-License-Identifier: Apache-2.0 */
/* The six operations of Afanasyev and others 2015 as they run them (section 2): each task is one
 * launch of one block of threads, of 1024, or of 512 where values of factors are computed, on
 * streams side by side, so that two blocks share a multiprocessor. TULLE_BATCH_GRID gives tasks of
 * one kernel one launch, of a block each, so that streams limit nothing. Which tasks there are
 * kernels for, published/supported.c says before. */
#define TULLE__PARTS 5
#include "batch/functions.h"
#include "batch/gpu/side_streams.cuh"
#include "batch/published/axpy.cuh"
#include "batch/published/dot.cuh"
#include "batch/published/lu.cuh"
#include "batch/published/product.cuh"
#include "batch/published/shuffled.cuh"
#include "batch/published/sle.cuh"
#include "gpu/parts.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Returns the index of a block size among 4, 8 and 16. */
static inline int published_size(int block) {
    return block == 4 ? 0 : block == 8 ? 1 : 2;
}

#define TULLE__EACH_BLOCK(kernel, V)                                                               \
    { kernel<V, 4>, kernel<V, 8>, kernel<V, 16> }

/* Tasks of one kernel, which stand one after the other: a block of threads each. */
struct task_range {
    int first, count;
};

using on_tasks = void (*)(const tulle__task *);
using in_job = void (*)(tulle__batch_job, int);

template <class V>
tulle_status launch_multivectors(const tulle__place *place, const tulle__batch_job *job,
                                 task_range tasks, bool by_shuffles) {
    static const on_tasks dot[] = TULLE__EACH_BLOCK(dot_task, V);
    static const on_tasks staged[] = TULLE__EACH_BLOCK(axpy_task, V);
    static const on_tasks shuffled[] = TULLE__EACH_BLOCK(shuffled_axpy_task, V);
    const tulle__task &t = job->host_task[tasks.first];
    const on_tasks *of = t.kind == TULLE__TASK_DOT ? dot : by_shuffles ? shuffled : staged;
    return launch(place, of[published_size(t.k2)], {tasks.count, published_threads},
                  job->task + tasks.first);
}

template <class V>
tulle_status launch_product(const tulle__place *place, const tulle__batch_job *job,
                            task_range tasks) {
    static const on_tasks of[] = TULLE__EACH_BLOCK(product_task, V);
    return launch(place, of[published_size(job->host_task[tasks.first].k2)],
                  {tasks.count, published_threads}, job->task + tasks.first);
}

template <class V>
tulle_status launch_lu(const tulle__place *place, const tulle__batch_job *job, task_range tasks) {
    static const in_job of[] = TULLE__EACH_BLOCK(lu_task, V);
    return launch(place, of[published_size(job->host_task[tasks.first].factor.whole.block)],
                  {tasks.count, published_lu_threads}, *job, tasks.first);
}

template <class V>
tulle_status launch_sle(const tulle__place *place, const tulle__batch_job *job, task_range tasks) {
    static const in_job of[] = TULLE__EACH_BLOCK(sle_task, V);
    return launch(place, of[published_size(job->host_task[tasks.first].k2)],
                  {tasks.count, published_threads}, *job, tasks.first);
}

using launch_tasks = tulle_status(const tulle__place *, const tulle__batch_job *, task_range);
using launch_one_of_two = tulle_status(const tulle__place *, const tulle__batch_job *, task_range,
                                       bool);
GPU_PART(1, launch_one_of_two launch_multivectors<float>);
GPU_PART(1, launch_one_of_two launch_multivectors<double>);
GPU_PART(2, launch_tasks launch_product<float>);
GPU_PART(2, launch_tasks launch_product<double>);
GPU_PART(3, launch_tasks launch_lu<float>);
GPU_PART(4, launch_tasks launch_lu<double>);
GPU_PART(5, launch_tasks launch_sle<float>);
GPU_PART(5, launch_tasks launch_sle<double>);

#if TULLE__IN_PART(1)
template <class V>
static tulle_status launch_published(const tulle__place *place, const tulle__batch_job *job,
                                     task_range tasks, bool by_shuffles) {
    switch (job->host_task[tasks.first].kind) {
        case TULLE__TASK_SPMM:
            return launch_product<V>(place, job, tasks);
        case TULLE__TASK_FACTOR:
            return launch_lu<V>(place, job, tasks);
        case TULLE__TASK_SOLVE:
            return launch_sle<V>(place, job, tasks);
        default:
            return launch_multivectors<V>(place, job, tasks, by_shuffles);
    }
}

static tulle_status launch_range(const tulle__place *place, const tulle__batch_job *job,
                                 task_range tasks, bool by_shuffles) {
    const bool narrow = job->host_task[tasks.first].type == TULLE_F32;
    return narrow ? launch_published<float>(place, job, tasks, by_shuffles)
                  : launch_published<double>(place, job, tasks, by_shuffles);
}

/* Rows of a block, which a kernel is compiled for. */
static int block_of(const tulle__task &t) {
    return t.kind == TULLE__TASK_FACTOR ? t.factor.whole.block : t.k2;
}

static bool has_kernel_of(const tulle__task &t, const tulle__task &other) {
    return t.kind == other.kind && t.type == other.type && block_of(t) == block_of(other);
}

static tulle_status launch_grids(const tulle__place *place, const tulle__batch_job *job,
                                 int level) {
    const tulle__task *t = job->host_task;
    for (int begin = job->level[level], end; begin < job->level[level + 1]; begin = end) {
        end = begin + 1;
        while (end < job->level[level + 1] && has_kernel_of(t[begin], t[end])) end++;
        GPU_TRY(launch_range(place, job, {begin, end - begin}, false));
    }
    return TULLE_OK;
}
#endif

}  // namespace TULLE_GPU_NAMESPACE

#if TULLE__IN_PART(1)
tulle_status GPU_SYMBOL(batch_tasks)(const tulle__place *place, const tulle__batch_job *job,
                                     tulle_batch_way way) {
    if (way == TULLE_BATCH_GRID) {
        for (int level = 0; level < job->levels; level++) {
            GPU_TRY(gpu::launch_grids(place, job, level));
        }
        return TULLE_OK;
    }
    const bool by_shuffles = way == TULLE_BATCH_SHUFFLES;
    return gpu::on_streams(place, job, [=](const tulle__place *stream, int task) {
        return gpu::launch_range(stream, job, {task, 1}, by_shuffles);
    });
}
#endif
