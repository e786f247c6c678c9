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
#include "fem/elements/isoparametric.h"
/* isoparametric.h comes before cell_integrals.h, which uses its formulas. */
#include "fem/elements/cell_integrals.h"
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

/* A warp's matrices go out through shared memory, so many numbers of each at a time: a line of 128
 * bytes of f64. An odd step keeps its threads off each other's banks. */
template <tulle_shape shape>
struct staged {
    static constexpr int nodes = shape == TULLE_LINE         ? 2
                                 : shape == TULLE_TRIANGLE   ? 3
                                 : shape == TULLE_HEXAHEDRON ? 8
                                                             : 4;
    static constexpr int numbers = nodes * nodes, chunk = numbers < 16 ? numbers : 16;
    static constexpr int step = chunk | 1;
};

/* Numbers from `begin` on of the matrices of a warp's elements, of which there are `count`. */
template <class V, tulle_shape shape>
GPU_FUNCTION void put_chunk(const tulle__matrices_job &job, int64_t first, int count, int begin,
                            shared<V> room) {
    using stage = staged<shape>;
    V *to = static_cast<V *>(job.matrices);
    for (int k = static_cast<int>(lane()); k < count * stage::chunk; k += warp_lanes) {
        const int e = k / stage::chunk, c = k % stage::chunk, ij = begin + c;
        to[(first + e) * job.e_step + ij / stage::nodes * job.i_step +
           ij % stage::nodes * job.j_step] = room[e * stage::step + c];
    }
}

template <class V, tulle_shape shape>
GPU_KERNEL GPU_RESIDENT(cell_threads, cell_blocks) void put_matrices(tulle__matrices_job job) {
    using stage = staged<shape>;
    GPU_SHARED(V, room, cell_threads * stage::step);
    const int own = static_cast<int>(thread()) * stage::step;
    const shared<V> of_warp = room + static_cast<int>(thread() - lane()) * stage::step;
    for (int64_t first = loop_first() - lane(); first < job.cells.count; first += loop_stride()) {
        const int64_t e = first + lane(), left = job.cells.count - first;
        V K[TULLE__CELL_PACKED];
        if (e < job.cells.count) cell_matrix(shape, &job.cells, e, K);
        GPU_UNROLL
        for (int begin = 0; begin < stage::numbers; begin += stage::chunk) {
            GPU_UNROLL
            for (int c = 0; c < stage::chunk; c++) {
                const int i = (begin + c) / stage::nodes, j = (begin + c) % stage::nodes;
                const int low = i < j ? i : j, high = i < j ? j : i;
                if (e < job.cells.count) {
                    room[own + c] = K[tulle__packed_at(stage::nodes, low, high)];
                }
            }
            sync_warp(full_warp);
            put_chunk<V, shape>(job, first, left < warp_lanes ? static_cast<int>(left) : warp_lanes,
                                begin, of_warp);
            sync_warp(full_warp);
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
