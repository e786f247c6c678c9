/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices and vectors from coordinates, on the GPU: a thread an element, whose matrix is
 * in its registers until it is whole. */
#include <math.h>

#include "fem/functions.h"
#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

#define REAL V
#define FUNCTION(type, name)                                                                       \
    template <class V>                                                                             \
    GPU_FUNCTION type name
#define CALL(f, ...) f(__VA_ARGS__)
#define UNROLL GPU_UNROLL
#define LOAD(p) load(p)
#include "fem/isoparametric.h"
/* The formulas come before what is made of them. */
#include "fem/cell_integrals.h"
#undef REAL
#undef FUNCTION
#undef CALL
#undef UNROLL
#undef LOAD

/* Threads of a block, and blocks on a multiprocessor: a hexahedron's matrix takes all registers
 * that a thread can have. */
constexpr int cell_threads = 128, cell_blocks = 2;

inline grid cell_grid(int64_t count) {
    const int64_t blocks = (count + cell_threads - 1) / cell_threads;
    return {blocks < loop_blocks ? blocks : loop_blocks, cell_threads};
}

template <class V, tulle_shape shape>
GPU_KERNEL GPU_RESIDENT(cell_threads, cell_blocks) void put_matrices(tulle__matrices_job job) {
    const int nodes = tulle__cell_nodes(shape);
    for (int64_t e = loop_first(); e < job.cells.count; e += loop_stride()) {
        V K[TULLE__CELL_PACKED], *to = static_cast<V *>(job.matrices) + e * job.e_step;
        cell_matrix(shape, &job.cells, e, K);
        GPU_UNROLL
        for (int i = 0; i < nodes; i++) {
            GPU_UNROLL
            for (int j = 0; j < nodes; j++) {
                to[i * job.i_step + j * job.j_step] =
                    K[i <= j ? tulle__packed_at(nodes, i, j) : tulle__packed_at(nodes, j, i)];
            }
        }
    }
}

template <class V, tulle_shape shape>
GPU_KERNEL GPU_RESIDENT(cell_threads, cell_blocks) void put_loads(tulle__loads_job job) {
    const int nodes = tulle__cell_nodes(shape);
    for (int64_t e = loop_first(); e < job.cells.count; e += loop_stride()) {
        V F[TULLE__CELL_NODES], *to = static_cast<V *>(job.vectors) + e * job.e_step;
        cell_load(shape, &job.cells, job.given, e, F);
        GPU_UNROLL
        for (int i = 0; i < nodes; i++) to[i * job.i_step] = F[i];
    }
}

GPU_KERNEL void give_numbers(tulle__give_job job) {
    for (int64_t i = loop_first(); i < job.count; i += loop_stride()) tulle__give_number(&job, i);
}

template <class V>
tulle_status launch_matrices(const tulle__place *place, const tulle__matrices_job *job) {
    switch (job->cells.shape) {
#define SHAPE(name)                                                                                \
    case name:                                                                                     \
        return launch(place, put_matrices<V, name>, cell_grid(job->cells.count), *job);
        TULLE__CELL_SHAPES(SHAPE)
#undef SHAPE
        default:
            return TULLE_UNSUPPORTED;
    }
}

template <class V>
tulle_status launch_loads(const tulle__place *place, const tulle__loads_job *job) {
    switch (job->cells.shape) {
#define SHAPE(name)                                                                                \
    case name:                                                                                     \
        return launch(place, put_loads<V, name>, cell_grid(job->cells.count), *job);
        TULLE__CELL_SHAPES(SHAPE)
#undef SHAPE
        default:
            return TULLE_UNSUPPORTED;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(cell_matrices)(const tulle__place *place, const tulle__matrices_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_matrices<float>(place, job)
                                  : gpu::launch_matrices<double>(place, job);
}

tulle_status GPU_SYMBOL(cell_loads)(const tulle__place *place, const tulle__loads_job *job) {
    return job->type == TULLE_F32 ? gpu::launch_loads<float>(place, job)
                                  : gpu::launch_loads<double>(place, job);
}

tulle_status GPU_SYMBOL(give_numbers)(const tulle__place *place, const tulle__give_job *job) {
    return gpu::launch(place, gpu::give_numbers, gpu::loop_grid(job->count), *job);
}
